// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "session/forget.h"
#include "session/intervals.h"
#include "session/recording_latency.h"
#include "views/share/when.h"
#include <inttypes.h>
#include <string.h>

/*
 * This many without any record are printed one by one, and what follows as one line once there is a
 * record: a damaged time can be years away. Live it is the same, so that a replay is.
 */
#define MOST_IDLE 60

static uint64_t end_of(const struct run *run, uint64_t from)
{
	uint64_t to;

	/* A process that exited before the end of the range is freed after it: that belongs to the last interval. */
	if (__builtin_add_overflow(from, run->options->interval, &to) || to >= run->to)
		return UINT64_MAX;
	return to;
}

static void begin(struct intervals *intervals, uint64_t from)
{
	const struct run *run = intervals->run;

	intervals->from = from;
	intervals->to = end_of(run, from);
	intervals->lost = run->lost;
	memcpy(intervals->suppressed, run->suppressed, sizeof(intervals->suppressed));
	intervals->stopped = run->stopped.times;
}

/* With --history, there are records from before we began. */
static void begin_first(struct intervals *intervals, uint64_t ts)
{
	const struct run *run = intervals->run;
	uint64_t from = ts < run->began ? ts : run->began;

	begin(intervals, from > run->from ? from : run->from);
}

/* The run as the views see it: what is between these times. */
static struct run part_of(const struct intervals *intervals, uint64_t to)
{
	struct run part = *intervals->run;
	size_t type;

	part.began = part.from = intervals->from;
	part.ended = part.to = to;
	part.lost -= intervals->lost;
	part.stopped.times -= intervals->stopped;
	for (type = 0; type < PROCLIFE_TYPES; type++)
		part.suppressed[type] -= intervals->suppressed[type];
	return part;
}

static bool has_gap(const struct intervals *intervals, const struct run *part)
{
	return part->lost || intervals->gap_to > part->from;
}

/* Was recording stopped for some of it? Nothing comes of a CPU until it is started again, and then of all that was. */
static bool was_stopped(const struct intervals *intervals, const struct run *part)
{
	return intervals->stopped_to > part->from ||
	       proclife_tasks_may_lack(part->tasks, PROCLIFE_NONE, UINT64_MAX);
}

static void put_missing(struct text *line, const struct intervals *intervals, const struct run *part)
{
	uint64_t suppressed = 0;
	size_t type;

	if (has_gap(intervals, part)) {
		text_string(line, ", ");
		text_style(line, STYLE_BAD);
		if (part->lost)
			text_plural(line, part->lost, "record was lost", "records were lost");
		else
			text_string(line, "records that were lost before can be of this time");
		text_style(line, STYLE_PLAIN);
	}
	if (was_stopped(intervals, part)) {
		text_string(line, ", ");
		text_style(line, STYLE_BAD);
		text_string(line, "recording was stopped");
		text_style(line, STYLE_PLAIN);
	}
	for (type = 0; type < PROCLIFE_TYPES; type++)
		add_count(&suppressed, part->suppressed[type]);
	if (!suppressed)
		return;
	text_string(line, ", ");
	text_plural(line, suppressed, "record was suppressed", "records were suppressed");
}

/* @idle: how many intervals it stands for, if nothing at all happened in them. */
static void show_title(struct intervals *intervals, const struct run *part, bool any, uint64_t idle)
{
	uint64_t took = part->ended - part->began;
	struct text line;

	/* Titles that follow each other are a table. */
	if (intervals->printed && (any || intervals->had_views))
		fputc('\n', part->screen->out);
	intervals->printed = true;
	intervals->had_views = any;
	intervals->day = 0; /* each begins with its date */
	text_init(&line, part->screen);
	text_style(&line, STYLE_BOLD);
	text_when_dated(&line, part, part->began, &intervals->day);
	text_string(&line, " to ");
	text_when_dated(&line, part, part->ended, &intervals->day);
	text_style(&line, STYLE_PLAIN);
	if (idle) {
		text_string(&line, ": nothing happened in ");
		text_plural(&line, idle, "interval", "intervals");
	} else if (!any) {
		text_string(&line, ": nothing ended");
	}
	if (took < part->options->interval) {
		text_string(&line, ", only ");
		text_time(&line, took);
		text_string(&line, " long");
	}
	put_missing(&line, intervals, part);
	text_line(&line);
	text_free(&line);
}

static void print_json(const struct intervals *intervals, const struct run *part, uint64_t idle)
{
	struct json *json = part->json;

	json->interval.from = part->began;
	json->interval.to = part->ended;
	json_line(json, "interval");
	json_uint(json, "intervals", idle ? idle : 1);
	json_uint(json, "lost", part->lost);
	json_bool(json, "incomplete", has_gap(intervals, part) || was_stopped(intervals, part));
	json_suppressed(json, part);
	json_line_end(json);
}

static void print_views(const struct run *part, void **states, const bool *any)
{
	const struct view *const *views = part->options->views;
	bool first = true;
	size_t i;

	for (i = 0; views[i]; i++) {
		if (!any[i])
			continue;
		if (!first && !part->options->json)
			fputc('\n', part->screen->out);
		first = false;
		views[i]->print(part, states[i]);
	}
}

/* It is over at @to. What has gone on for too long until then is printed before its sums. */
static void end(struct intervals *intervals, uint64_t to)
{
	struct run *run = intervals->run;
	void **states = intervals->states;
	const struct view *const *views = run->options->views;
	struct run part = part_of(intervals, to);
	bool any[MOST_VIEWS] = { false }, is_any = false;
	size_t i;

	triggers_until(intervals->triggers, to);
	for (i = 0; views[i]; i++) {
		any[i] = views[i]->has_any(&part, states[i]);
		is_any |= any[i];
	}
	if (run->options->json)
		print_json(intervals, &part, 0);
	else
		show_title(intervals, &part, is_any, 0);
	print_views(&part, states, any);
	run->json->interval.to = 0;
	for (i = 0; views[i]; i++)
		views[i]->restart(run, &states[i]);
	forget_cgroups(run, to);
	if (run->latency && measure_again(run, run->options->by))
		die_no_memory();
}

/* Shows those that were held back, now that something happens: at @ts. */
static void show_held(struct intervals *intervals, uint64_t ts)
{
	const struct run *run = intervals->run;
	struct run part;
	uint64_t idle;

	if (!intervals->held_from)
		return;
	triggers_until(intervals->triggers, ts);
	part = part_of(intervals, intervals->from);
	part.began = part.from = intervals->held_from;
	idle = (part.ended - part.began) / run->options->interval;
	intervals->held_from = 0;
	if (run->options->json)
		print_json(intervals, &part, idle);
	else
		show_title(intervals, &part, false, idle);
	run->json->interval.to = 0;
}

/* Holds back all that are over before @ts: there is no record in any of them. */
static void hold(struct intervals *intervals, uint64_t ts)
{
	const struct run *run = intervals->run;
	uint64_t until = ts < run->to ? ts : run->to;
	uint64_t count = (until - 1 - intervals->from) / run->options->interval;

	if (!intervals->held_from)
		intervals->held_from = intervals->from;
	begin(intervals, intervals->from + count * run->options->interval);
}

/* All events from before this time were fed: prints the intervals that are over. */
static void advance(struct intervals *intervals, uint64_t ts)
{
	if (!intervals->to)
		begin_first(intervals, ts);
	while (ts > intervals->to) {
		if (!intervals->busy && intervals->idle >= MOST_IDLE) {
			hold(intervals, ts);
			continue;
		}
		intervals->idle = intervals->busy ? 0 : intervals->idle + 1;
		end(intervals, intervals->to);
		begin(intervals, intervals->to);
		intervals->busy = false;
	}
}

static void intervals_event(void *data, const struct proclife_event *event)
{
	struct intervals *intervals = data;
	const struct proclife_record *record = event->record;
	uint64_t ts = event_time(event);

	/* What was there before says nothing of the time, nor does a history that begins late. */
	if (record ? is_of_before(record) : !event->gap.lost)
		return;
	advance(intervals, ts);
	show_held(intervals, ts);
	if (record && record->type == PROCLIFE_SUPPRESSED && record->suppressed.what == PROCLIFE_NONE &&
	    record->ts > intervals->stopped_to)
		intervals->stopped_to = record->ts + 1;
	if (!record && event->gap.to > intervals->gap_to && overlaps_range(intervals->run, ts, event->gap.to))
		intervals->gap_to = event->gap.to;
	intervals->busy = true;
}

static void intervals_advance(void *data, struct tick *tick)
{
	const struct intervals *intervals = data;

	if (tick->until)
		advance(data, tick->until);
	if (intervals->to)
		tick_before(tick, intervals->to);
}

/* The rest; closing the tasks would report those that live. */
static void intervals_finish(void *data)
{
	struct intervals *intervals = data;
	struct run *run = intervals->run;
	uint64_t to = run->ended < run->to ? run->ended : run->to;

	if (ferror(run->screen->out))
		return;
	advance(intervals, run->ended);
	show_held(intervals, run->ended);
	if (to > intervals->from)
		end(intervals, to);
}

const struct stage intervals_stage = {
	.event = intervals_event, .advance = intervals_advance, .finish = intervals_finish,
};
