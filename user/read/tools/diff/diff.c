// SPDX-License-Identifier: GPL-2.0-only
/* --diff: recordings of two sides, measured alike, and what has changed in which phase of which group. */
#include "output/message.h"
#include "tools/diff/diff_parts.h"
#include <stdlib.h>
#include <string.h>

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

void diff_put_label(const struct diff *diff, struct text *text, size_t number)
{
	size_t a = diff->sides[0].count;

	text_string(text, number < a ? "A" : "B");
	if (diff_has_several(diff))
		text_uint(text, (number < a ? number : number - a) + 1);
}

static bool is_forced(const struct diff *diff, enum forced what, size_t one, size_t other)
{
	const struct recording_latency *a = diff_run_of(diff, one), *b = diff_run_of(diff, other);

	if (what == FORCED_SAME)
		return !memcmp(a->info->uuid, b->info->uuid, sizeof(a->info->uuid));
	return exit_mark(proclife_source_header(a->run.source)) !=
	       exit_mark(proclife_source_header(b->run.source));
}

bool diff_is_forced(const struct diff *diff, enum forced what, size_t *one, size_t *other)
{
	for (*other = 1; *other < diff->runs; ++*other)
		for (*one = 0; *one < *other; ++*one)
			if (is_forced(diff, what, *one, *other))
				return true;
	return false;
}

static void put_mark(const struct diff *diff, struct text *text, size_t number)
{
	text_string(text, exit_mark_place(proclife_source_header(diff_run_of(diff, number)->run.source)));
	text_string(text, " in ");
	diff_put_label(diff, text, number);
}

void diff_put_forced(const struct diff *diff, struct text *text)
{
	size_t one, other;
	bool marks = diff_is_forced(diff, FORCED_EXIT_MARK, &one, &other);

	if (marks) {
		text_string(text, "exits begin ");
		put_mark(diff, text, one);
		text_string(text, ", ");
		put_mark(diff, text, other);
		text_string(text, ", so life, kill, teardown and exit_free mean different times");
	}
	if (!diff_is_forced(diff, FORCED_SAME, &one, &other))
		return;
	text_string(text, marks ? "; " : "");
	diff_put_label(diff, text, one);
	text_string(text, " and ");
	diff_put_label(diff, text, other);
	text_string(text, " are the same recording");
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
