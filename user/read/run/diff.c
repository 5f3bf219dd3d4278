// SPDX-License-Identifier: GPL-2.0-only
/* --diff: measures two recordings alike, if they can be compared. */
#include "run/diff.h"
#include "output/message.h"
#include "output/quoted.h"
#include "run/matched.h"
#include "run/recording_latency.h"
#include "run/replay.h"

static const struct proclife_header *header_of(const struct recording_latency *side)
{
	return proclife_source_header(side->run.source);
}

static bool is_comparable(const struct options *options, const struct recording_latency *sides)
{
	uint32_t a = header_of(&sides[0])->exit_mark;
	uint32_t b = header_of(&sides[1])->exit_mark;

	if (a == b || options->force)
		return true;
	message("--diff: not comparable: in %s (Linux %s) EXIT is recorded %s, in %s (Linux %s) %s; "
		"life, teardown and exit_free mean different times there; --force compares them all "
		"the same",
		quoted(sides[0].dir), quoted(header_of(&sides[0])->release),
		exit_mark_text(a) ? exit_mark_text(a) : "at an unknown place",
		quoted(sides[1].dir),
		quoted(header_of(&sides[1])->release),
		exit_mark_text(b) ? exit_mark_text(b) : "at an unknown place");
	return false;
}

static bool is_same(const struct options *options, const struct recording_latency *sides)
{
	if (options->force || !is_same_recording(sides[0].info, sides[1].info))
		return false;
	message("--diff: %s and %s are the same recording, in which nothing can have changed; name "
		"another one; --force compares it with itself", quoted(sides[0].dir),
		quoted(sides[1].dir));
	return true;
}

int diff_run(const struct options *options, const struct screen *screen)
{
	enum proclife_by by = options->by ? options->by : PROCLIFE_BY_COMM;
	const struct run like = { .options = options, .screen = screen };
	struct recording_latency sides[2];
	int status = STATUS_ERROR;

	if (recording_latency_open(&sides[0], &like, options->diff.all[0]) ||
	    recording_latency_read(&sides[0], by, NULL))
		return STATUS_ERROR;
	if (recording_latency_open(&sides[1], &like, options->diff.all[1]) ||
	    recording_latency_read(&sides[1], by, NULL))
		goto free_first;
	if (is_comparable(options, sides) && !is_same(options, sides)) {
		matched_report(&sides[0].run, sides[0].dir);
		matched_report(&sides[1].run, sides[1].dir);
		status = diff_print(options, screen, sides, by);
	}
	recording_latency_free(&sides[1]);
free_first:
	recording_latency_free(&sides[0]);
	return status;
}
