// SPDX-License-Identifier: GPL-2.0-only
#include "cli/choices.h"
#include "cli/expect.h"
#include "cli/parse.h"
#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Are these @length bytes this word? */
static bool is(const char *s, size_t length, const char *word)
{
	return strlen(word) == length && !strncmp(s, word, length);
}

static bool find_phase(const char *s, size_t length, enum proclife_phase *phase)
{
	unsigned int number;

	if (!choice_find(choice_phase, s, length, &number))
		return false;
	*phase = (enum proclife_phase)number;
	return true;
}

/* A statistic that is shown, or any other percentile. */
static bool find_statistic(struct expectation *e, const char *s, size_t length)
{
	unsigned int number;
	char *end;

	if (choice_find(choice_statistic, s, length, &number)) {
		e->statistic = statistics[number].kind;
		e->percent = statistics[number].percent;
		return true;
	}
	e->statistic = STATISTIC_PERCENTILE;
	return *s == 'p' && parse_decimal(s + 1, &end, &e->percent) && end == s + length &&
	       e->percent > 0 && e->percent <= 100;
}

bool expect_is_time(const struct expectation *e)
{
	return e->what == EXPECT_PHASE && e->statistic != STATISTIC_COUNT;
}

static const struct {
	const char *name;
	enum expect_what what;
} numbers[] = {
	{ "lost", EXPECT_LOST },
	{ "zombies", EXPECT_ZOMBIES },
	{ "failed", EXPECT_FAILED },
	{ "left", EXPECT_LEFT },
};

/* "PHASE.STATISTIC". Sets the phase if it is one, whatever follows it. */
static bool parse_phase(struct expectation *e, const char *s, size_t length, bool *statistic)
{
	const char *dot = memchr(s, '.', length);

	if (!dot || !find_phase(s, (size_t)(dot - s), &e->phase))
		return false;
	*statistic = find_statistic(e, dot + 1, length - (size_t)(dot + 1 - s));
	return true;
}

static const char *parse_figure(struct expectation *e, const char *s, size_t length)
{
	static char wrong[400];
	const char *dot = s;
	bool statistic = false;
	size_t i;

	for (i = 0; i < COUNT_OF(numbers); i++) {
		if (!is(s, length, numbers[i].name))
			continue;
		e->what = numbers[i].what;
		return NULL;
	}
	e->what = EXPECT_PHASE;
	if (parse_phase(e, s, length, &statistic) && statistic)
		return NULL;
	/* A program's name can have dots in it, and so can a percentile. */
	while ((dot = memchr(dot, '.', length - (size_t)(dot - s)))) {
		bool has_statistic = false;

		dot++;
		if (!parse_phase(e, dot, length - (size_t)(dot - s), &has_statistic))
			continue;
		statistic |= has_statistic;
		e->program = (size_t)(dot - 1 - s);
		if (has_statistic && e->program)
			return NULL;
	}
	if (!e->program && (!memchr(s, '.', length) || !find_phase(s, strcspn(s, "."), &e->phase))) {
		snprintf(wrong, sizeof(wrong),
			 "the figure has to be lost, zombies, failed, left, or one of %s with a "
			 "statistic, such as exit_free.p99", choice_list(choice_phase, ", ", " and "));
		return wrong;
	}
	snprintf(wrong, sizeof(wrong),
		 "the statistic has to be one of %s, or another percentile such as p95",
		 choice_list(choice_statistic, ", ", " and "));
	return wrong;
}

static const char *parse_bound(struct expectation *e, const char *s)
{
	if (expect_is_time(e))
		return parse_time(s, BARE_REFUSED, &e->bound) ? NULL :
		       e->bound == UINT64_MAX		       ? "the bound is " TIME_TOO_LARGE :
								 "the bound has to be a time with its unit: "
								 "ns, us, ms, s, m or h";
	return parse_number(s, UINT64_MAX, &e->bound) ? NULL :
	       e->bound == UINT64_MAX		      ? "the bound is too large: the largest is 18446744073709551615" :
							"the bound has to be a whole number";
}

const char *expect_parse(struct expectation *e, const char *text)
{
	size_t length = relation_find(text);
	const char *wrong, *bound;

	memset(e, 0, sizeof(*e));
	e->text = text;
	wrong = parse_figure(e, text, length);
	if (wrong)
		return wrong;
	bound = relation_parse(text + length, &e->relation);
	return bound ? parse_bound(e, bound) : NO_RELATION;
}

/* The histogram of all lives, or of those of the program; NULL if there are none. */
static const struct proclife_histogram *histogram_of(const struct expectation *e,
						     const struct measured *measured)
{
	const struct proclife_group *group;
	size_t i;

	if (!e->program)
		return proclife_latency_phase(measured->latency, e->phase);
	for (i = 0; (group = proclife_latency_group(measured->programs, i)); i++)
		if (group->known && is(e->text, e->program, group->name))
			return proclife_group_phase(group, e->phase);
	return NULL;
}

struct judgement expect_judge(const struct expectation *e, const struct measured *measured)
{
	const struct proclife_latency_counts *counts = proclife_latency_counts(measured->latency);
	const struct proclife_histogram *histogram;
	struct judgement judgement = { .measured = true };

	switch (e->what) {
	case EXPECT_LOST:
		judgement.value = measured->lost;
		break;
	case EXPECT_ZOMBIES:
		/* If there were no processes, that there are no zombies means nothing. */
		judgement.measured = counts->lives;
		judgement.value = counts->unreaped;
		break;
	case EXPECT_FAILED:
		judgement.measured = counts->lives;
		judgement.value = measured->failed;
		break;
	case EXPECT_LEFT:
		judgement.measured = counts->lives;
		judgement.value = counts->alive + counts->dying;
		break;
	case EXPECT_PHASE:
		histogram = histogram_of(e, measured);
		judgement.count = histogram ? proclife_histogram_count(histogram) : 0;
		/* Without lives there is no time, so the expectation is not met. */
		judgement.measured = judgement.count || e->statistic == STATISTIC_COUNT;
		if (judgement.count)
			judgement.value = statistic_of(histogram, e->statistic, e->percent);
		judgement.is_max = judgement.count && e->statistic == STATISTIC_PERCENTILE &&
				   !percentile_is_known(histogram, e->percent);
		break;
	}
	judgement.ok = judgement.measured && relation_holds(e->relation, judgement.value, e->bound);
	return judgement;
}
