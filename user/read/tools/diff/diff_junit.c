// SPDX-License-Identifier: GPL-2.0-only
/* --diff --junit: a testcase for what all groups share, and for each figure of a group that was compared. */
#include "output/junit.h"
#include "tools/diff/diff_parts.h"

static void put_change(struct text *text, const struct change *change)
{
	char statistic[16];

	change_statistic(statistic, change);
	text_printf(text, "%s%s", statistic, *statistic ? " " : "");
	if (!change->row) {
		text_printf(text, "%.3g times as long", change->ratio);
		return;
	}
	if (change->figure < FIGURE_TIMES) {
		text_time(text, change->a);
		text_string(text, " to ");
		text_time(text, change->b);
	} else {
		text_count(text, change->a);
		text_string(text, " to ");
		text_count(text, change->b);
	}
	if (change->figure == FIGURE_FAILED) {
		text_string(text, " of ");
		text_count(text, change->count_a);
		text_string(text, " and ");
		text_count(text, change->count_b);
	}
	if (change->ratio > 0)
		text_printf(text, ", %.3g times", change->ratio);
	if (change->shared != 1)
		text_printf(text, ", others %.3g times", change->shared);
}

static void add_case(struct diff *diff, const char *group, enum figure figure,
		     const struct change *change)
{
	struct text name, why;

	text_init(&name, diff->screen);
	text_init(&why, diff->screen);
	text_printf(&name, "%s: %s", group, figure_name(diff, figure));
	if (change)
		put_change(&why, change);
	junit_case("diff", name.s, change ? JUNIT_FAILED : JUNIT_PASSED, why.s);
	text_free(&name);
	text_free(&why);
}

static void add_cases_of(struct diff *diff, const struct row *row)
{
	enum figure figure;
	struct text group;

	text_init(&group, diff->screen);
	text_group(&group, row->run, diff->by, row->group);
	for (figure = 0; figure < FIGURES; figure++)
		if (row->compared & 1u << figure)
			add_case(diff, group.s, figure, row->change[figure] ?
				 &diff->changes[row->change[figure] - 1] : NULL);
	if (!row->compared)
		junit_case("diff", group.s, JUNIT_SKIPPED, "too few lives, or on one side alone");
	text_free(&group);
}

/* A user who forces it wants to see no error, but is to know. */
static void add_forced(struct diff *diff)
{
	struct text forced;

	text_init(&forced, diff->screen);
	diff_put_forced(diff, &forced);
	if (forced.len)
		junit_case("diff", "comparable", JUNIT_SKIPPED, forced.s);
	text_free(&forced);
}

void diff_add_cases(struct diff *diff)
{
	size_t i;

	if (!diff->options->expect.junit)
		return;
	add_forced(diff);
	for (i = 0; i < diff->change_count && !diff->changes[i].row; i++)
		add_case(diff, "all groups", diff->changes[i].figure, &diff->changes[i]);
	for (i = 0; i < diff->row_count; i++)
		add_cases_of(diff, &diff->rows[i]);
}
