// SPDX-License-Identifier: GPL-2.0-only
/* What a recording is, for people: a page of labels and what is known. */
#include "output/cut.h"
#include "output/quote.h"
#include "tools/info/info.h"
#include "tools/info/info_lines.h"
#include "views/share/when.h"
#include <inttypes.h>
#include <string.h>

#define CPUS_UNKNOWN 8192 /* what the library takes a recording to have that does not say */

void info_uuid(const uint8_t uuid[PROCLIFE_UUID_BYTES], char text[INFO_UUID])
{
	char *to = text;
	size_t i;

	for (i = 0; i < PROCLIFE_UUID_BYTES; i++)
		to += sprintf(to, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

const char *info_state(const struct info *info)
{
	return info->recorded->complete ? "complete" : info->recorded->running ? "running" : "cut";
}

bool info_has_cpus(const struct info *info)
{
	return info->header->cpus < CPUS_UNKNOWN;
}

bool info_is_absent(const struct info *info, unsigned int type)
{
	return proclife_type_name(type) && type != PROCLIFE_TASK && type != PROCLIFE_PAST &&
	       type != PROCLIFE_SUPPRESSED && !(info->header->features & PROCLIFE_HAS(type));
}

static void add_when(struct text *text, const struct info *info, uint64_t ts)
{
	char when[WHEN_SIZE];

	text_string(text, when_text(&info->run, ts, when));
}

/*
 * What is said
 */

static void show_path(const struct info *info, struct text *what)
{
	struct text line;

	text_word(what, info->dir, strlen(info->dir));
	text_init(&line, info->run.screen);
	text_style(&line, STYLE_HEAD);
	text_word_in(&line, what, info->run.screen->width);
	text_style(&line, STYLE_PLAIN);
	text_line(&line);
	text_free(&line);
}

static void show_uuid(const struct info *info, struct text *what)
{
	char uuid[INFO_UUID];

	info_uuid(info->recorded->uuid, uuid);
	text_string(what, uuid);
	info_line(info, "uuid", what);
	if (!info_is_slice(info->recorded))
		return;
	info_uuid(info->recorded->slice_of, uuid);
	text_clear(what);
	text_string(what, uuid);
	info_line(info, "slice of", what);
}

/* Why it ended, in words; a later release's reasons as they are. */
static void add_reason(struct text *what, const char reason[PROCLIFE_REASON_LEN])
{
	static const struct {
		const char *reason;
		const char *words;
	} reasons[] = {
		{ "gone", "all that was followed was gone" },
		{ "duration", "its time was over" },
		{ "count", "--count was reached" },
		{ "signal", "it was stopped" },
		{ "left", "the time after the command's exit was over" },
		{ "saved", "--on had it saved" },
		{ "lost", "the end of what was followed was lost, or not recorded" },
		{ "part", "another part follows" },
		{ "end", "" },
	};
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (!strncmp(reason, reasons[i].reason, PROCLIFE_REASON_LEN))
			break;
	if (!reason[0] || (i < sizeof(reasons) / sizeof(reasons[0]) && !*reasons[i].words))
		return;
	text_string(what, ", because ");
	if (i < sizeof(reasons) / sizeof(reasons[0]))
		text_string(what, reasons[i].words);
	else
		text_name(what, reason, PROCLIFE_REASON_LEN);
}

static void show_state(const struct info *info, struct text *what)
{
	const struct proclife_run_info *recorded = info->recorded;

	if (recorded->complete) {
		text_string(what, "complete");
		add_reason(what, recorded->reason);
	} else if (recorded->running) {
		text_string(what, "still running: this is what is there so far");
	} else {
		text_string(what, "cut off: its recorder did not finish");
		if (recorded->synced) {
			text_string(what, "; records are missing from ");
			add_when(what, info, recorded->synced);
		}
	}
	info_line(info, "state", what);
}

static void show_damage(const struct info *info, struct text *what)
{
	const struct proclife_damage *damage;
	size_t i;

	for (i = 0; (damage = proclife_recording_damage(info->run.source, i)); i++) {
		if (i >= INFO_MOST_SHOWN)
			continue;
		text_clear(what);
		text_string(what, damage->stream);
		if (!damage->unread)
			text_printf(what, ", byte %" PRIu64, damage->at);
		if (damage->places > 1) {
			text_string(what, " and ");
			text_plural(what, damage->places - 1, "more place", "more places");
		}
		text_string(what, ": ");
		text_name(what, damage->what, sizeof(damage->what));
		text_string(what, damage->estimated ? "; lost: about " : "; lost: ");
		text_count(what, damage->lost);
		info_line(info, "damaged", what);
	}
	info_more(info, "damaged", i, "more file", "more files", what);
}

static void show_machine(const struct info *info, struct text *what)
{
	const struct proclife_header *header = info->header;
	const char *separator = "";

	if (info->recorded->hostname[0]) {
		text_name(what, info->recorded->hostname, PROCLIFE_HOST_LEN);
		separator = ", ";
	}
	if (header->release[0]) {
		text_string(what, separator);
		text_string(what, "Linux ");
		text_name(what, header->release, PROCLIFE_RELEASE_LEN);
		separator = ", ";
	}
	if (info_has_cpus(info)) {
		text_string(what, separator);
		text_plural(what, header->cpus, "CPU", "CPUs");
	}
	if (what->len)
		info_line(info, "machine", what);
}

static void show_module(const struct info *info, struct text *what)
{
	const char *mark = exit_mark_text(info->header);

	text_string(what, is_by_bpf(info->header) ? "programs of proclife-read " : "proclife ");
	text_name(what, info->header->version, PROCLIFE_VERSION_LEN);
	text_printf(what, ", ABI %u", info->header->abi_version);
	if (mark)
		text_printf(what, ", exits begin %s", mark);
	if (info->header->version[0])
		info_line(info, is_by_bpf(info->header) ? "BPF" : "module", what);
}

static void show_times(const struct info *info, struct text *what)
{
	uint64_t began = info->recorded->began, ended = info->run.ended, whole = whole_since(info->run.source);

	if (began) {
		add_when(what, info, began);
		if (whole)
			text_printf(what, "; from before that, it has only %s", info_is_saved(info->recorded) ?
				    "the process it is about" : "lives that were open then");
		info_line(info, whole ? "whole since" : "began", what);
	}
	if (info->recorded->part) {
		text_clear(what);
		if (info->recorded->parts > 1)
			text_printf(what, "%u, from number %u on", info->recorded->parts, info->recorded->part);
		else
			text_printf(what, "number %u", info->recorded->part);
		info_line(info, info->recorded->parts > 1 ? "parts" : "part", what);
	}
	text_clear(what);
	if (!whole && info->first && info->first < began) {
		add_when(what, info, info->first);
		text_string(what, ", ");
		text_time(what, began - info->first);
		text_string(what, " before it began");
		info_line(info, "history from", what);
	}
	text_clear(what);
	if (!ended)
		return;
	add_when(what, info, ended);
	if (began && ended >= began) {
		text_string(what, ", after ");
		text_time(what, ended - began);
	}
	info_line(info, info->recorded->complete ? "ended" : "up to", what);
}

static void show_clock(const struct info *info, struct text *what)
{
	uint64_t since;
	int64_t by;
	size_t i;

	for (i = 0; proclife_source_clock_step(info->run.source, i, &since, &by); i++) {
		if (i >= INFO_MOST_SHOWN)
			continue;
		text_clear(what);
		text_string(what, by < 0 ? "-" : "+");
		text_time(what, by < 0 ? -(uint64_t)by : (uint64_t)by);
		text_string(what, " at ");
		add_when(what, info, since);
		text_string(what, by < 0 ? ": set" : ": set, or suspended");
		info_line(info, "clock", what);
	}
	info_more(info, "clock", i, "more step", "more steps", what);
}

static void show_command(const struct info *info, struct text *what)
{
	const struct proclife_run_info *recorded = info->recorded;

	if (!recorded->command)
		return;
	text_printf(what, "%u", recorded->command);
	if (recorded->command_status >= 0)
		text_printf(what, ", status %d", recorded->command_status);
	if (info->command.path)
		text_string(what, ": ");
	if (info->command.args)
		text_args(what, info->command.args, info->command.args_bytes, info->command.args_cut, 0);
	else if (info->command.path)
		text_word(what, info->command.path, strlen(info->command.path));
	info_short(info, "command", what);
}

static void show_processes(const struct info *info, struct text *what)
{
	const char *const left[] = {
		[PROCLIFE_IS_ALIVE] = "alive", [PROCLIFE_IS_DYING] = "dying", [PROCLIFE_IS_ZOMBIE] = "zombies",
		[PROCLIFE_IS_UNFREED] = run_has_reap(&info->run) ? "reaped but not freed" : "not freed",
		[PROCLIFE_IS_UNKNOWN] = "in an unknown state",
	};
	const uint64_t *states = info->processes.states;
	const char *separator = "";
	size_t i;

	text_count(what, info->processes.all);
	text_string(what, ": ");
	text_count(what, info->processes.born);
	text_string(what, " born in it, ");
	text_count(what, info->processes.all - info->processes.born);
	text_string(what, " older; ");
	text_count(what, info->processes.ended);
	text_string(what, " ended in it");
	info_line(info, "processes", what);
	text_clear(what);
	for (i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		if (!left[i] || !states[i])
			continue;
		text_string(what, separator);
		text_count(what, states[i]);
		text_printf(what, " %s", i == PROCLIFE_IS_ZOMBIE && states[i] == 1 ? "zombie" : left[i]);
		separator = ", ";
	}
	if (!what->len)
		text_string(what, "nothing is left");
	info_line(info, "at the end", what);
}

static void show_records(const struct info *info, struct text *what)
{
	const char *separator = ": ";
	unsigned int type;

	text_count(what, info->records);
	for (type = 1; type < PROCLIFE_TYPES; type++) {
		if (!proclife_type_name(type) || !info->types[type])
			continue;
		text_printf(what, "%s%s ", separator, proclife_type_name(type));
		separator = ", ";
		text_count(what, info->types[type]);
	}
	if (info->types[PROCLIFE_NONE]) {
		text_printf(what, "%sof a later release ", separator);
		text_count(what, info->types[PROCLIFE_NONE]);
	}
	info_line(info, "records", what);
}

static void show_lost(const struct info *info, struct text *what)
{
	const struct proclife_header *header = info->header;
	unsigned int type;

	text_count(what, info->run.lost);
	for (type = 1; type < PROCLIFE_TYPES; type++) {
		if (!proclife_type_name(type) || (!info->run.suppressed[type] && !info->run.suppressing[type]))
			continue;
		text_printf(what, "; suppressed: %s ", proclife_type_name(type));
		text_count(what, info->run.suppressed[type]);
		if (info->run.suppressing[type])
			text_string(what, ", and more at the end");
	}
	if (header->reap_missed || header->marks_missed) {
		text_string(what, "; missed since the module was loaded: reap ");
		text_count(what, header->reap_missed);
		text_string(what, ", other marks ");
		text_count(what, header->marks_missed);
	}
	info_line(info, "lost", what);
}

static void show_stopped(const struct info *info, struct text *what)
{
	if (!info->run.stopped.times)
		return;
	if (info->run.stopped.times > 1)
		text_printf(what, "%" PRIu64 " times, the last time ", info->run.stopped.times);
	stopped_text(what, &info->run);
	info_line(info, "stopped", what);
}

static void show_absent(const struct info *info, struct text *what)
{
	unsigned int type;

	for (type = 1; type < PROCLIFE_TYPES; type++)
		if (info_is_absent(info, type) && type != PROCLIFE_ARGS)
			text_printf(what, "%s%s", what->len ? ", " : "", proclife_type_name(type));
	if (!what->len)
		return;
	text_string(what, ": off, or not on this kernel");
	info_line(info, "not recorded", what);
}

typedef const char *mark_text(unsigned int mark, char buffer[16]);

static void show_bits(const struct info *info, struct text *what, const char *label, uint32_t bits, mark_text *name)
{
	char unknown[16];
	unsigned int mark;

	text_clear(what);
	for (mark = 1; mark < 32; mark++)
		if (bits & 1u << mark)
			text_printf(what, "%s%s", what->len ? ", " : "", name(mark, unknown));
	if (what->len)
		info_line(info, label, what);
}

/* Not every kernel has each mark, and a parameter can be off. */
static void show_marks(const struct info *info, struct text *what)
{
	const struct proclife_header *header = info->header;

	if (header->features & PROCLIFE_HAS(PROCLIFE_MM))
		show_bits(info, what, "mm marks", header->mm_marks, mm_what_text);
	show_bits(info, what, "birth marks", header->birth_marks, birth_what_text);
	show_bits(info, what, "paths", header->path_marks, path_what_text);
}

static void show_args(const struct info *info, struct text *what)
{
	if (info->header->args_bytes)
		text_printf(what, "up to %u bytes of each vector", info->header->args_bytes);
	else if (info->types[PROCLIFE_ARGS])
		text_string(what, "recorded");
	else
		text_string(what, "not recorded");
	info_line(info, "arguments", what);
}

static void show_rcu(const struct info *info, struct text *what)
{
	text_name(what, info->recorded->rcu, PROCLIFE_RCU_LEN);
	if (what->len)
		info_line(info, "RCU", what);
}

static void show_disk(const struct info *info, struct text *what)
{
	const struct info_stream *largest = NULL;
	uint64_t files = 0, compressed = 0;
	size_t i;

	for (i = 0; i < info->stream_count; i++) {
		const struct info_stream *stream = &info->streams[i];

		files += stream->is_there;
		compressed += stream->compressed;
		if (stream->is_there && (!largest || stream->bytes > largest->bytes))
			largest = stream;
	}
	text_size(what, info->disk / 1024);
	if (info->recorded->part && !files) {
		text_string(what, ", all that is in the folder");
	} else {
		text_string(what, "; ");
		text_plural(what, files, "stream", "streams");
		if (compressed && compressed == files)
			text_string(what, ", compressed");
		else if (compressed)
			text_printf(what, ", %" PRIu64 " of them compressed", compressed);
	}
	if (largest) {
		text_printf(what, ", the largest %s with ", largest->name);
		text_size(what, largest->bytes / 1024);
	}
	info_line(info, "on disk", what);
}

void info_print(const struct info *info)
{
	static void (*const parts[])(const struct info *info, struct text *what) = {
		show_path, show_uuid, show_state, show_damage, show_machine, show_module,
		show_times, show_clock, show_command, show_processes, show_records, show_lost, show_stopped,
		show_absent, show_marks, show_args, show_rcu, show_disk,
	};
	struct text what;
	size_t i;

	text_init(&what, info->run.screen);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		text_clear(&what);
		parts[i](info, &what);
	}
	text_free(&what);
}
