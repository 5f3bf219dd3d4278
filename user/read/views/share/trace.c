// SPDX-License-Identifier: GPL-2.0-only
/* What a trace says of itself. */
#include "views/share/when.h"
#include "views/views.h"
#include <string.h>

enum exit_mark exit_mark(const struct proclife_header *header)
{
	if (header->features & PROCLIFE_HAS(PROCLIFE_EXITING))
		return EXIT_MARK_DO_EXIT;
	if (header->exit_mark == PROCLIFE_EXIT_AFTER_MM)
		return EXIT_MARK_AFTER_MM;
	if (header->exit_mark == PROCLIFE_EXIT_BEFORE_MM)
		return EXIT_MARK_BEFORE_MM;
	return EXIT_MARK_UNKNOWN;
}

const char *exit_mark_text(const struct proclife_header *header)
{
	static const char *const texts[] = {
		[EXIT_MARK_DO_EXIT] = "where do_exit() begins",
		[EXIT_MARK_AFTER_MM] = "after the address space is torn down",
		[EXIT_MARK_BEFORE_MM] = "before the address space is torn down",
	};

	return texts[exit_mark(header)];
}

const char *exit_mark_place(const struct proclife_header *header)
{
	return exit_mark_text(header) ?: "at an unknown place";
}

const char *exit_mark_json(const struct proclife_header *header)
{
	static const char *const names[] = {
		[EXIT_MARK_DO_EXIT] = "do_exit",
		[EXIT_MARK_AFTER_MM] = "after_mm",
		[EXIT_MARK_BEFORE_MM] = "before_mm",
	};

	return names[exit_mark(header)];
}

const char *reap_source_text(uint32_t reap_source)
{
	if (reap_source == PROCLIFE_REAP_CGROUP_RELEASE)
		return "cgroup_release()";
	if (reap_source == PROCLIFE_REAP_CGROUP_TASK_RELEASE)
		return "cgroup_task_release()";
	return NULL;
}

const char *type_parameter(unsigned int type)
{
	switch (type) {
	case PROCLIFE_REAP:
	case PROCLIFE_NOTIFY:
		return "reap";
	case PROCLIFE_ARGS:
		return "args_bytes";
	case PROCLIFE_SIGNAL:
		return "signals";
	case PROCLIFE_WAIT:
		return "waits";
	case PROCLIFE_EXITING:
	case PROCLIFE_COREDUMP:
		return "exiting";
	case PROCLIFE_MM:
		return "memory";
	case PROCLIFE_CGROUP:
		return "cgroups";
	case PROCLIFE_TIMES:
		return "times";
	case PROCLIFE_BIRTH:
		return "births";
	case PROCLIFE_FAIL:
		return "failures";
	case PROCLIFE_PATH:
		return "paths";
	default:
		return NULL;
	}
}

bool is_by_bpf(const struct proclife_header *header)
{
	return header->source == PROCLIFE_SOURCE_BPF;
}

void json_source(struct json *json, const struct proclife_header *header)
{
	json_string_or_null(json, "source", is_by_bpf(header) ? "bpf" :
			    header->source == PROCLIFE_SOURCE_MODULE ? "module" : NULL);
	json_bytes(json, "module", header->version, PROCLIFE_VERSION_LEN);
}

static const char *cgroup_leave_json(uint32_t cgroup_leave)
{
	if (cgroup_leave == PROCLIFE_CGROUP_LEAVE_EXIT)
		return "exit";
	if (cgroup_leave == PROCLIFE_CGROUP_LEAVE_SWITCH)
		return "switch";
	return NULL;
}

bool run_has_reap(const struct run *run)
{
	const struct proclife_header *header = proclife_source_header(run->source);

	return !header || header->features & PROCLIFE_HAS(PROCLIFE_REAP);
}

bool run_has_notify(const struct run *run)
{
	const struct proclife_header *header = proclife_source_header(run->source);

	return header && header->features & PROCLIFE_HAS(PROCLIFE_NOTIFY);
}

bool run_has_births(const struct run *run)
{
	const struct proclife_header *header = proclife_source_header(run->source);

	return header && header->birth_marks;
}

bool run_has_exiting(const struct run *run)
{
	const struct proclife_header *header = proclife_source_header(run->source);

	return header && exit_mark(header) == EXIT_MARK_DO_EXIT;
}

uint64_t whole_since(const struct proclife_source *source)
{
	const struct proclife_run_info *recorded = proclife_recording_info(source);

	return recorded && (recorded->part > 1 || info_is_saved(recorded)) ? recorded->began : 0;
}

bool info_is_saved(const struct proclife_run_info *recorded)
{
	return !strcmp(recorded->reason, "saved");
}

bool info_is_slice(const struct proclife_run_info *recorded)
{
	static const uint8_t none[PROCLIFE_UUID_BYTES];

	return memcmp(recorded->slice_of, none, sizeof(none));
}

void json_damage(struct json *json, const struct proclife_source *source, const char *dir)
{
	const struct proclife_damage *damage;

	for (size_t i = 0; (damage = proclife_recording_damage(source, i)); i++) {
		json_line(json, "damage");
		json_string(json, "recording", dir);
		json_string(json, "stream", damage->stream);
		json_string(json, "what", damage->what);
		json_uint(json, "at", damage->at);
		json_uint(json, "places", damage->places);
		json_uint(json, "lost", damage->lost);
		json_bool(json, "estimated", damage->estimated);
		json_uint(json, "from", damage->from);
		json_uint(json, "to", damage->to);
		json_line_end(json);
	}
}

const uint16_t types_with_budget[] = { PROCLIFE_WAIT, PROCLIFE_RENAME, PROCLIFE_SIGNAL,
				       PROCLIFE_CGROUP, PROCLIFE_MM, PROCLIFE_NOTIFY, PROCLIFE_BIRTH,
				       PROCLIFE_FAIL, 0 };

void json_suppressed(struct json *json, const struct run *run)
{
	const uint16_t *type;

	json_object(json, "suppressed");
	for (type = types_with_budget; *type; type++)
		json_uint(json, proclife_type_name(*type), run->suppressed[*type]);
	json_object_end(json);
	if (run->stopped.times)
		json_stopped(json, run, run->stopped.since, run->stopped.until);
}

void json_stopped(struct json *json, const struct run *run, uint64_t from, uint64_t to)
{
	json_object(json, "stopped");
	json_uint(json, "times", run->stopped.times);
	json_uint_or_null(json, "from", from);
	json_uint_or_null(json, "to", to);
	json_object_end(json);
}

void stopped_text(struct text *text, const struct run *run)
{
	char since[WHEN_SIZE], until[WHEN_SIZE];

	when_text(run, run->stopped.since, since);
	when_text(run, run->stopped.until, until);
	if (!run->stopped.since)
		text_string(text, "before this begins");
	else
		text_printf(text, run->stopped.until ? "from %s" : "at %s", since);
	if (run->stopped.until)
		text_printf(text, run->stopped.since ? " to %s" : ", and started again at %s", until);
	else
		text_string(text, ", and not started again");
}

static void json_bits(struct json *json, const char *key, uint32_t bits,
		      const char *name(unsigned int mark, char buffer[16]))
{
	char unknown[16];

	json_array(json, key);
	for (unsigned int mark = 1; mark < 32; mark++)
		if (bits & 1u << mark)
			json_string(json, NULL, name(mark, unknown));
	json_array_end(json);
}

void json_marks(struct json *json, const struct proclife_header *header)
{
	json_uint(json, "marks_missed", header->marks_missed);
	json_bits(json, "mm_marks", header->mm_marks, mm_what_text);
	json_bits(json, "birth_marks", header->birth_marks, birth_what_text);
	json_bits(json, "path_marks", header->path_marks, path_what_text);
	json_string_or_null(json, "cgroup_leave", cgroup_leave_json(header->cgroup_leave));
	json_uint_or_null(json, "rss_error", header->rss_error);
}

void json_recording(const struct run *run)
{
	if (run->number)
		json_string(run->json, "recording", run->options->inputs.all[run->number - 1]);
}

void json_trace(const struct run *run)
{
	const struct proclife_header *header = proclife_source_header(run->source);
	struct json *json = run->json;

	json_line(json, "trace");
	json_recording(run);
	json_uint(json, "ts", run->began);
	if (header) {
		json_bytes(json, "kernel", header->release, PROCLIFE_RELEASE_LEN);
		json_source(json, header);
		json_uint(json, "abi", header->abi_version);
		json_string_or_null(json, "exit_mark", exit_mark_json(header));
		json_string_or_null(json, "reap_source", reap_source_text(header->reap_source));
		json_uint(json, "to_boottime", header->to_boottime);
		json_uint(json, "to_realtime",
			  proclife_source_realtime(run->source, run->began) - run->began);
	}
	json_line_end(json);
}
