// SPDX-License-Identifier: GPL-2.0-only
/* --diff: measures the recordings of two sides in the same way, if they can be compared. */
#include "output/message.h"
#include "output/quoted.h"
#include "session/matched.h"
#include "session/replay.h"
#include "tools/diff/diff.h"
#include <stdlib.h>

static const struct proclife_header *header_of(const struct recording_latency *run)
{
	return proclife_source_header(run->run.source);
}

static bool is_comparable(const struct recording_latency *one, const struct recording_latency *other)
{
	const struct proclife_header *a = header_of(one), *b = header_of(other);

	if (exit_mark(a) == exit_mark(b))
		return true;
	message("--diff: not comparable: in %s (Linux %s) exits begin %s, in %s (Linux %s) %s; life, kill, teardown and exit_free mean different times there; record both with the module's parameter exiting=1; --force compares them all the same",
		quoted(one->dir), quoted(a->release), exit_mark_place(a),
		quoted(other->dir), quoted(b->release), exit_mark_place(b));
	return false;
}

static bool is_another(const struct recording_latency *one, const struct recording_latency *other,
		       bool same_side)
{
	if (!is_same_recording(one->info, other->info))
		return true;
	if (same_side)
		message("--diff: %s and %s are the same recording, which would count twice; leave one of them out",
			quoted(one->dir), quoted(other->dir));
	else
		message("--diff: %s and %s are the same recording, in which nothing can have changed; name another one; --force compares it with itself",
			quoted(one->dir), quoted(other->dir));
	return false;
}

/* Each with each that stands before it; @runs has both sides. */
static bool can_compare(const struct options *options, const struct recording_latency *runs,
			size_t a, size_t count)
{
	size_t i, other;

	for (i = 1; i < count && !options->diff.force; i++) {
		if (!is_comparable(&runs[0], &runs[i]))
			return false;
		for (other = 0; other < i; other++)
			if (!is_another(&runs[other], &runs[i], (other < a) == (i < a)))
				return false;
	}
	return true;
}

/* All of a side become its first. */
static void add_up(struct side *side)
{
	struct run *sum = &side->runs[0].run;
	size_t i;

	for (i = 1; i < side->count; i++) {
		if (measure_merge(sum, &side->runs[i].run))
			die_no_memory();
		add_count(&sum->lost, side->runs[i].run.lost);
		matched_add(sum, &side->runs[i].run);
	}
}

/* What is expected is expected of what has come out: of side B. */
static int judge(struct diff *diff, struct run *run, int status)
{
	if (!run->options->expect.count)
		return status;
	run->json = diff_json(diff);
	verdict_print(run);
	return verdict_failed(run) && status != STATUS_ERROR ? STATUS_FAILED : status;
}

static int compare(const struct options *options, const struct screen *screen,
		   struct side sides[2], enum proclife_by by)
{
	struct diff *diff;
	unsigned int side;
	int status;
	size_t i;

	for (side = 0; side < 2; side++)
		for (i = 0; i < sides[side].count; i++)
			matched_report(&sides[side].runs[i].run, sides[side].runs[i].dir);
	diff = diff_new(options, screen, sides, by);
	add_up(&sides[0]);
	add_up(&sides[1]);
	status = judge(diff, &sides[1].runs[0].run, diff_print(diff));
	diff_free(diff);
	return status;
}

/* Reads one of them. @lineage: what started what in it; NULL: that is not needed. */
static int measure(struct recording_latency *measured, enum proclife_by by, struct lineage **lineage)
{
	int ret = recording_latency_begin(measured, by, NULL);

	if (ret)
		return ret;
	if (lineage && lineage_new(lineage, measured->run.tasks, measured->run.source))
		die_no_memory();
	return recording_latency_read(measured, NULL);
}

static int run(const struct options *options, const struct screen *screen)
{
	enum proclife_by by = options->by ? options->by : PROCLIFE_BY_COMM;
	size_t a = options->diff.a.count, count = a + options->diff.b.count, i;
	struct recording_latency *runs = calloc(count, sizeof(*runs));
	struct lineage **lineages = calloc(count, sizeof(struct lineage *));
	struct side sides[2] = { { runs, lineages, a }, { runs + a, lineages + a, count - a } };
	bool by_name = by == PROCLIFE_BY_COMM && !options->threads;
	const struct run like = { .options = options, .screen = screen };
	int status = STATUS_ERROR;

	if (!runs || !lineages)
		die_no_memory();
	for (i = 0; i < count; i++)
		if (recording_latency_open(&runs[i], &like, i < a ? options->diff.a.all[i] :
					   options->diff.b.all[i - a]) ||
		    measure(&runs[i], by, by_name ? &lineages[i] : NULL))
			break;
	if (i == count && can_compare(options, runs, a, count))
		status = compare(options, screen, sides, by);
	while (count--) {
		lineage_free(lineages[count]);
		recording_latency_free(&runs[count]);
	}
	free(lineages);
	free(runs);
	return status;
}

const struct request tool_diff = {
	.name = "diff",
	.argument = { "A", FILLS(WORD, diff.a), .takes_more = true },
	.help = "--diff A B: what has changed between two recordings",
	.scope = "reads its own recordings, and nothing else",
	.measures = true,
	.takes = OF_SELECTION | GIVEN(THREADS) | GIVEN(BY) | GIVEN(FACTOR) | GIVEN(FORCE) |
		 GIVEN(AGAINST) | GIVEN(EXPECT),
	.by = choice_by,
	.run = run,
};
