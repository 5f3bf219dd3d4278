// SPDX-License-Identifier: GPL-2.0-only
/* --diff as text. */
#include "output/cut.h"
#include "output/percentiles.h"
#include "output/wrap.h"
#include "tools/diff/diff_parts.h"
#include <math.h>

#define RATIO_COLUMNS 6
#define LIVES_COLUMNS 7
#define FIXED_COLUMNS 41 /* all but the group, OTHERS and the lives */

static const char *const titles[NOTES] = {
	[NOTE_ONLY_A] = "On side A alone",
	[NOTE_ONLY_B] = "On side B alone",
	[NOTE_FEW_FAILURES] = "Failed on side B alone, too seldom to judge",
	[NOTE_FOLLOWS] = "Life not judged, as what they start has changed",
};

static void show_run(struct diff *diff, size_t number)
{
	const struct recording_latency *run = diff_run_of(diff, number);
	bool threads = diff->options->threads;
	struct text *line = &diff->line;

	diff_put_label(diff, line, number);
	text_string(line, "  ");
	text_name(line, run->dir, SIZE_MAX);
	text_string(line, ", Linux ");
	text_name(line, proclife_source_header(run->run.source)->release, PROCLIFE_RELEASE_LEN);
	text_string(line, ", ");
	text_plural(line, diff->counts[number].lives, threads ? "thread" : "process",
		    threads ? "threads" : "processes");
	if (diff->counts[number].failed) {
		text_string(line, ", ");
		text_count(line, diff->counts[number].failed);
		text_string(line, " failed");
	}
	text_line(line);
}

static const struct proclife_histogram *phase_of(const struct diff *diff, unsigned int side,
						 enum proclife_phase phase)
{
	return proclife_latency_phase(diff->sides[side].runs[0].run.latency, phase);
}

static void show_forced(struct diff *diff)
{
	struct text forced;

	text_init(&forced, diff->screen);
	diff_put_forced(diff, &forced);
	if (forced.len) {
		text_style(&diff->line, STYLE_BAD);
		text_printf(&diff->line, "Compared by --force: %s.", forced.s);
		text_style(&diff->line, STYLE_PLAIN);
		text_paragraph(&diff->line);
	}
	text_free(&forced);
}

/* The figures, or why there are none: 0 would say that no life had this phase. */
static void put_phase(struct diff *diff, unsigned int side, enum proclife_phase phase)
{
	const struct proclife_header *header = proclife_source_header(diff->sides[side].runs[0].run.source);
	const struct proclife_histogram *h = phase_of(diff, side, phase);
	enum proclife_type lacks = proclife_phase_lacks(phase, header);
	struct text *line = &diff->line;
	char buffer[16];

	if (!proclife_histogram_count(h) && lacks)
		text_printf(line, "  not known: no %s is recorded", type_text(lacks, buffer));
	else
		text_percentiles(line, h);
}

/* All lives, side by side. */
static void show_whole(struct diff *diff)
{
	struct text *line = &diff->line;
	enum proclife_phase phase;
	unsigned int side;

	text_line(line);
	text_style(line, STYLE_HEAD);
	text_printf(line, "%-11s", "PHASE");
	text_percentiles_head(line);
	text_style(line, STYLE_PLAIN);
	text_line(line);
	for (phase = 0; phase < PROCLIFE_PHASES; phase++) {
		for (side = 0; side < 2; side++) {
			if (!proclife_histogram_count(phase_of(diff, 0, phase)) &&
			    !proclife_histogram_count(phase_of(diff, 1, phase)))
				continue;
			text_printf(line, "%-9s %c", side ? "" : proclife_phase_info(phase)->name,
				    side ? 'B' : 'A');
			put_phase(diff, side, phase);
			text_line(line);
		}
	}
}

struct columns {
	unsigned int group;
	bool others;
	bool lives;
};

/* What there is room for. Paths of cgroups need more of it than names. */
static struct columns columns_of(const struct diff *diff)
{
	unsigned int width = diff->screen->width, left;
	unsigned int least = diff->by == PROCLIFE_BY_CGROUP ? 32 : 16;
	struct columns columns = { .group = 24, .others = true, .lives = true };

	if (!width)
		return columns;
	left = width > FIXED_COLUMNS ? width - FIXED_COLUMNS : 0;
	columns.others = left >= 15;
	left -= columns.others ? RATIO_COLUMNS + 1 : 0;
	columns.lives = left >= least + 2 * (LIVES_COLUMNS + 1);
	left -= columns.lives ? 2 * (LIVES_COLUMNS + 1) : 0;
	columns.group = left < 8 ? 8 : left > 40 ? 40 : left;
	return columns;
}

static void show_head(struct diff *diff, const struct columns *columns)
{
	struct text *line = &diff->line;

	text_line(line);
	text_style(line, STYLE_HEAD);
	text_printf(line, "%-*s %-9s %-5s %8s %8s %*s", columns->group, "GROUP", "PHASE", "STAT", "A",
		    "B", RATIO_COLUMNS, "B/A");
	if (columns->others)
		text_printf(line, " %*s", RATIO_COLUMNS, "OTHERS");
	if (columns->lives)
		text_printf(line, " %*s %*s", LIVES_COLUMNS, "LIVES A", LIVES_COLUMNS, "LIVES B");
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

/* With digits in groups if there is room for them. */
static void put_number(struct text *line, unsigned int columns, uint64_t n)
{
	if (n < (columns > 8 ? 10000000 : columns > 7 ? 1000000 : 100000))
		text_count_in(line, columns, n);
	else if (n < (columns > 7 ? 100000000 : 10000000))
		text_uint_in(line, columns, n);
	else
		text_printf(line, "%*.1e", (int)columns, (double)n);
}

static void put_ratio(struct text *line, double ratio)
{
	if (ratio < 0.01)
		text_printf(line, "%*s", RATIO_COLUMNS, "<0.01");
	else if (ratio >= 9999.5)
		text_printf(line, "%*s", RATIO_COLUMNS, ">9999");
	else
		text_printf(line, "%*.*f", RATIO_COLUMNS, ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0,
			    ratio);
}

static void put_values(struct text *line, const struct change *change)
{
	bool is_time = change->figure < FIGURE_TIMES;

	if (!change->row) {
		text_spaces(line, 2 * (TIME_COLUMNS + 1));
		return;
	}
	text_string(line, " ");
	if (is_time)
		text_time_in(line, TIME_COLUMNS, change->a);
	else
		put_number(line, TIME_COLUMNS, change->a);
	text_string(line, " ");
	if (is_time)
		text_time_in(line, TIME_COLUMNS, change->b);
	else
		put_number(line, TIME_COLUMNS, change->b);
}

static bool is_longer(const struct change *change)
{
	return change->row ? change->b > change->a : change->ratio > 1;
}

static void put_group(struct diff *diff, const struct change *change, unsigned int columns)
{
	struct text name;

	text_init(&name, diff->screen);
	if (change->row) {
		text_group(&name, change->row->run, diff->by, change->row->group);
	} else {
		text_string(&name, "all ");
		text_plural(&name, change->groups, "group", "groups");
	}
	text_word_in(&diff->line, &name, diff->screen->width ? columns : 0);
	text_pad(&diff->line, columns);
	text_free(&name);
}

static void show_change(struct diff *diff, const struct change *change,
			const struct columns *columns)
{
	struct text *line = &diff->line;
	char statistic[16];

	change_statistic(statistic, change);
	put_group(diff, change, columns->group);
	text_printf(line, " %-9s %-5s", figure_name(diff, change->figure), statistic);
	put_values(line, change);
	text_style(line, is_longer(change) ? STYLE_BAD : STYLE_GOOD);
	text_string(line, " ");
	if (change->ratio > 0)
		put_ratio(line, change->ratio);
	else
		text_printf(line, "%*s", RATIO_COLUMNS, change->b ? "new" : "gone");
	text_style(line, STYLE_PLAIN);
	if (columns->others) {
		text_string(line, " ");
		if (change->shared != 1)
			put_ratio(line, change->shared);
		else
			text_spaces(line, RATIO_COLUMNS);
	}
	if (columns->lives && change->count_a) {
		text_string(line, " ");
		put_number(line, LIVES_COLUMNS, change->count_a);
		text_string(line, " ");
		put_number(line, LIVES_COLUMNS, change->count_b);
	}
	text_line(line);
}

static void show_changes(struct diff *diff)
{
	struct columns columns = columns_of(diff);
	size_t i;

	if (diff->change_count)
		show_head(diff, &columns);
	for (i = 0; i < diff->change_count && i < MANY_LINES; i++)
		show_change(diff, &diff->changes[i], &columns);
	if (i == diff->change_count)
		return;
	text_plural(&diff->line, diff->change_count - i, "smaller change", "smaller changes");
	text_string(&diff->line, "; --json has them all");
	text_line(&diff->line);
}

static void put_noted(struct diff *diff, struct text *item, const struct row *row, enum note note)
{
	text_group(item, row->run, diff->by, row->group);
	if (note == NOTE_FEW_FAILURES) {
		text_string(item, " ");
		text_count(item, row_failed(diff, row, 1));
		text_string(item, " of ");
		text_count(item, row_lives(diff, row, 1));
	} else if (note != NOTE_FOLLOWS) {
		text_string(item, " (");
		text_count(item, row_lives(diff, row, note == NOTE_ONLY_B));
		text_string(item, ")");
	}
}

#define MORE_COLUMNS 15 /* ", 999,999 more" */

/* One line: as many as there is room for. */
static void show_note(struct diff *diff, enum note note)
{
	struct text *line = &diff->line, item;
	unsigned int width = diff->screen->width ? diff->screen->width : 500;
	uint64_t left_out = 0;
	size_t i, shown = 0;

	for (i = 0; i < diff->row_count; i++) {
		if (!diff_is_noted(diff, &diff->rows[i], note))
			continue;
		text_init(&item, diff->screen);
		put_noted(diff, &item, &diff->rows[i], note);
		if (!line->columns)
			text_printf(line, "%s", titles[note]);
		if (!left_out && line->columns + 2 + item.columns + MORE_COLUMNS <= width) {
			text_string(line, shown++ ? ", " : ": ");
			text_bytes(line, item.s, item.len, item.columns);
		} else {
			left_out++;
		}
		text_free(&item);
	}
	if (left_out) {
		text_string(line, shown ? ", " : ": ");
		text_count(line, left_out);
		text_string(line, shown ? " more" : "");
	}
	if (line->columns)
		text_line(line);
}

static void put_times(struct text *line, double ratio, const char *where)
{
	text_draw(line, "×", "x");
	text_printf(line, "%.3g%s", fmin(ratio, 1e6), where);
}

/* How large a change of a median can be without being seen. */
static void show_noise(struct diff *diff)
{
	struct text *line = &diff->line;
	const char *separator = ":";
	enum figure figure;

	text_style(line, STYLE_DIM);
	text_string(line, "Noise can hide a change of a median");
	for (figure = 0; figure < FIGURE_TIMES; figure++) {
		const struct noise *noise = &diff->noise[figure];

		if (!noise->groups)
			continue;
		text_printf(line, "%s %s up to ", separator, figure_name(diff, figure));
		if (noise->group)
			put_times(line, noise->group, " in one group, ");
		put_times(line, noise->shared, " in all");
		separator = ";";
	}
	text_string(line, ".");
	text_style(line, STYLE_PLAIN);
	text_paragraph(line);
}

/* The number of changes; if nothing was compared, nothing can be said. */
static void show_number(struct diff *diff)
{
	struct text *line = &diff->line;

	if (!diff->change_count && !diff->compared)
		return;
	text_style(line, diff->change_count ? STYLE_BAD : STYLE_GOOD);
	if (diff->change_count)
		text_plural(line, diff->change_count, "change", "changes");
	else
		text_string(line, "Nothing has changed beyond chance");
	text_style(line, STYLE_PLAIN);
	text_printf(line, " by a factor of %g or more", diff->options->diff.factor);
	text_line(line);
}

static void show_verdict(struct diff *diff)
{
	struct text *line = &diff->line;
	enum note note;

	text_line(line);
	for (note = 0; note < NOTES; note++)
		show_note(diff, note);
	show_number(diff);
	text_printf(line, "Compared by %s: ", proclife_by_name(diff->by));
	text_plural(line, diff->compared, "group", "groups");
	if (diff_too_few(diff)) {
		text_string(line, "; too few lives, or on one side alone: ");
		text_count(line, diff_too_few(diff));
	}
	text_line(line);
	if (diff_has_several(diff)) {
		show_noise(diff);
		return;
	}
	text_style(line, STYLE_DIM);
	text_string(line, "One recording a side does not show by how much one run differs from the next.");
	text_style(line, STYLE_PLAIN);
	text_paragraph(line);
}

void diff_show(struct diff *diff)
{
	size_t i;

	for (i = 0; i < diff->runs; i++)
		show_run(diff, i);
	show_forced(diff);
	show_whole(diff);
	show_changes(diff);
	show_verdict(diff);
}
