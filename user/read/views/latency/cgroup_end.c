// SPDX-License-Identifier: GPL-2.0-only
/* How a cgroup ended, for --latency --by cgroup. */
#include "output/quote.h"
#include "views/views.h"
#include "views/share/when.h"

#define WHAT_COLUMNS 17

struct story {
	const struct run *run;
	struct text *line;
	uint64_t began; /* what was printed first; 0: nothing so far */
};

/* "+1.20 s"; it can be before, if that was sent to one that was exiting. */
static void show_since(const struct story *story, struct text *text, uint64_t ts)
{
	bool before = ts < story->began;

	text_string(text, before ? "-" : "+");
	text_time(text, before ? story->began - ts : ts - story->began);
}

/* @ts: 0 if it is not known. The first one has its time of day, the others count from there. */
static void begin(struct story *story, const char *what, uint64_t ts)
{
	unsigned int columns = when_columns(story->run, 6);
	struct text when;

	text_init(&when, story->run->screen);
	if (!ts) {
		text_string(&when, "?");
	} else if (story->began) {
		show_since(story, &when, ts);
	} else {
		text_when(&when, story->run, ts, 6);
		story->began = ts;
	}
	text_printf(story->line, "  %-*s%*s  ", WHAT_COLUMNS - 2, what, (int)columns, when.s);
	text_hang(story->line);
	text_free(&when);
}

void cgroup_end_print(const struct run *run, struct text *line, const struct proclife_cgroup_end *end)
{
	struct story story = { run, line, 0 };

	if (end->killer) {
		begin(&story, "first SIGKILL", end->killer->ts);
		text_who(line, end->killed.comm, end->killed.tgid);
		text_string(line, ",");
		text_killer(line, end->killer, end->killed.tgid, run->cgroups);
		text_line(line);
	}
	begin(&story, "last exit", end->exited);
	text_who(line, end->last.comm, end->last.tgid);
	if (end->notified && story.began) {
		text_string(line, ", parent notified at ");
		show_since(&story, line, end->notified);
	}
	text_line(line);
	if (end->reaped) {
		begin(&story, "last reap", end->reaped);
		text_who(line, end->last_reaped.comm, end->last_reaped.tgid);
		if (end->reaper.tgid == end->last_reaped.tgid) {
			text_string(line, ", by itself");
		} else {
			text_string(line, ", by ");
			text_actor(line, end->reaper.comm, end->reaper.named, end->reaper.tgid);
		}
		text_line(line);
	}
	if (end->empty) {
		begin(&story, "empty", end->empty);
		text_line(line);
	}
	if (end->incomplete) {
		text_style(line, STYLE_BAD);
		text_string(line, "  incomplete: records that are missing can make this wrong");
		text_style(line, STYLE_PLAIN);
		text_line(line);
	}
}

void cgroup_ends_show_missing(const struct run *run, struct text *line)
{
	const struct proclife_header *header = proclife_source_header(run->source);

	if (!header || header->features & PROCLIFE_HAS(PROCLIFE_CGROUP))
		return;
	text_style(line, STYLE_DIM);
	text_string(line, "When cgroups became empty is not recorded; load the module with cgroups=Y.");
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

void cgroup_end_json(const struct run *run, const struct proclife_cgroup_end *end)
{
	struct json *json = run->json;

	json_line(json, "cgroup_end");
	json_cgroup(json, run, end->cgroup);
	json_uint(json, "processes", end->processes);
	json_uint_or_null(json, "killed", end->killer ? end->killer->ts : 0);
	json_uint(json, "killed_pid", end->killed.tgid);
	json_comm_or_null(json, "killed_comm", end->killer != NULL, end->killed.comm);
	json_killer(json, end->killer);
	json_uint(json, "last_pid", end->last.tgid);
	json_bytes(json, "last_comm", end->last.comm, sizeof(end->last.comm));
	json_uint_or_null(json, "exited", end->exited);
	json_uint_or_null(json, "notified", end->notified);
	json_uint_or_null(json, "reaped", end->reaped);
	json_uint_or_null(json, "reaped_pid", end->reaped ? end->last_reaped.tgid : 0);
	json_comm_or_null(json, "reaped_comm", end->reaped, end->last_reaped.comm);
	json_uint_or_null(json, "reaper_pid", end->reaped ? end->reaper.tgid : 0);
	json_comm_or_null(json, "reaper_comm", end->reaped && end->reaper.named, end->reaper.comm);
	json_uint_or_null(json, "empty", end->empty);
	json_bool(json, "incomplete", end->incomplete);
	json_line_end(json);
}
