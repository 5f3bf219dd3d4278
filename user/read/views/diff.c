// SPDX-License-Identifier: GPL-2.0-only
/* --diff: recordings of two sides, measured alike, and what has changed in which phase of which group. */
#include "output/message.h"
#include "views/diff_parts.h"
#include <stdlib.h>

bool diff_is_noted(const struct diff *diff, const struct row *row, enum note note)
{
	uint64_t a = row_lives(diff, row, 0), b = row_lives(diff, row, 1);

	switch (note) {
	case NOTE_ONLY_A:
		return a && !b && !(row->changed & FIGURE(LIVES));
	case NOTE_ONLY_B:
		return b && !a && !(row->changed & FIGURE(LIVES));
	case NOTE_FEW_FAILURES:
		return a && !row_failed(diff, row, 0) && row_failed(diff, row, 1) &&
		       !(row->changed & FIGURE(FAILED));
	case NOTE_FOLLOWS:
		return row->above && row->compared & FIGURE(ALONE) &&
		       !(row->changed & FIGURE(ALONE));
	case NOTES:
		break;
	}
	return false;
}

void change_statistic(char statistic[16], const struct change *change)
{
	statistic[0] = '\0';
	if (change->figure < FIGURE_TIMES)
		snprintf(statistic, 16, "p%g", change->percent);
}

uint64_t diff_too_few(const struct diff *diff)
{
	return diff->row_count - diff->compared;
}

static void note_runs(struct diff *diff)
{
	size_t i;

	diff->counts = calloc(diff->runs, sizeof(*diff->counts));
	if (!diff->counts)
		die_no_memory();
	for (i = 0; i < diff->runs; i++) {
		const struct run *run = &diff_run_of(diff, i)->run;

		diff->counts[i].lives = proclife_latency_counts(run->latency)->lives;
		diff->counts[i].failed = proclife_latency_counts(run->latency)->failed;
	}
}

struct diff *diff_new(const struct options *options, const struct screen *screen,
		      const struct side sides[2], enum proclife_by by)
{
	struct diff *diff = calloc(1, sizeof(*diff));

	if (!diff)
		die_no_memory();
	diff->options = options;
	diff->screen = screen;
	diff->sides = sides;
	diff->by = by;
	diff->runs = sides[0].count + sides[1].count;
	json_init(&diff->json, screen->out);
	text_init(&diff->line, screen);
	note_runs(diff);
	diff_table_make(diff);
	diff_judge(diff);
	return diff;
}

int diff_print(struct diff *diff)
{
	bool cut = false;
	size_t i;

	for (i = 0; i < diff->runs; i++)
		cut |= diff_run_of(diff, i)->cut;
	if (diff->options->json)
		diff_print_json(diff);
	else
		diff_show(diff);
	diff_add_cases(diff);
	if (diff->change_count)
		return STATUS_FAILED;
	if (!diff->compared) {
		message("--diff: no group has %d lives in each recording: there is nothing to compare",
			LEAST);
		return STATUS_ERROR;
	}
	return cut ? STATUS_LOST : 0;
}

struct json *diff_json(struct diff *diff)
{
	return &diff->json;
}

void diff_free(struct diff *diff)
{
	diff_table_free(diff);
	free(diff->changes);
	free(diff->counts);
	json_free(&diff->json);
	text_free(&diff->line);
	free(diff);
}

const struct view view_diff = {
	.name = "diff",
	.argument = "A",
	.help = "--diff A B: what has changed between two recordings",
	.scope = "reads its own recordings, and nothing else",
	.measures = true,
	.takes = OF_SELECTION | GIVEN(THREADS) | GIVEN(BY) | GIVEN(FACTOR) | GIVEN(FORCE) |
		 GIVEN(AGAINST) | GIVEN(EXPECT),
};
