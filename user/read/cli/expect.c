// SPDX-License-Identifier: GPL-2.0-only
#include "cli/expect.h"
#include "cli/parse.h"
#include <string.h>

static const struct {
	const char *name;
	enum expect_stat stat;
} stats[] = {
	{ "count", EXPECT_COUNT }, { "min", EXPECT_MIN }, { "mean", EXPECT_MEAN },
	{ "max", EXPECT_MAX },
};

/* The longer ones first, for they begin like others. */
static const struct {
	const char *sign;
	enum expect_relation relation;
} relations[] = {
	{ "<=", EXPECT_AT_MOST }, { ">=", EXPECT_AT_LEAST }, { "==", EXPECT_EQUAL },
	{ "<", EXPECT_BELOW },	  { ">", EXPECT_ABOVE },     { "=", EXPECT_EQUAL },
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Is it this word, of @length bytes? */
static bool is(const char *s, size_t length, const char *word)
{
	return strlen(word) == length && !strncmp(s, word, length);
}

static bool find_phase(const char *s, size_t length, enum proclife_phase *phase)
{
	for (unsigned int i = 0; i < PROCLIFE_PHASES; i++) {
		*phase = (enum proclife_phase)i;
		if (is(s, length, proclife_phase_name(*phase)))
			return true;
	}
	return false;
}

static bool find_stat(struct expectation *e, const char *s, size_t length)
{
	char *end;

	for (size_t i = 0; i < COUNT_OF(stats); i++) {
		e->stat = stats[i].stat;
		if (is(s, length, stats[i].name))
			return true;
	}
	e->stat = EXPECT_PERCENTILE;
	return *s == 'p' && parse_decimal(s + 1, &end, &e->percent) && end == s + length &&
	       e->percent > 0 && e->percent <= 100;
}

bool expect_is_time(const struct expectation *e)
{
	return e->what == EXPECT_PHASE && e->stat != EXPECT_COUNT;
}

static const char *parse_figure(struct expectation *e, const char *s, size_t length)
{
	const char *dot = memchr(s, '.', length);

	if (is(s, length, "lost")) {
		e->what = EXPECT_LOST;
		return NULL;
	}
	if (is(s, length, "zombies")) {
		e->what = EXPECT_ZOMBIES;
		return NULL;
	}
	e->what = EXPECT_PHASE;
	if (!dot || !find_phase(s, (size_t)(dot - s), &e->phase))
		return "the figure has to be lost, zombies, or one of life, teardown, zombie, "
		       "rcu_free and exit_free with a statistic, such as exit_free.p99";
	if (!find_stat(e, dot + 1, length - (size_t)(dot + 1 - s)))
		return "the statistic has to be count, min, mean, max, or a percentile such as p50 "
		       "or p99.9";
	return NULL;
}

static const char *parse_bound(struct expectation *e, const char *s)
{
	if (expect_is_time(e))
		return parse_time(s, BARE_REFUSED, &e->bound) ?
			       NULL :
			       "the bound has to be a time with its unit: ns, us, ms, s, m or h";
	return parse_number(s, UINT64_MAX, &e->bound) ? NULL : "the bound has to be a whole number";
}

const char *expect_parse(struct expectation *e, const char *text)
{
	size_t length = strcspn(text, "<>="), i;
	const char *wrong, *sign = text + length;

	memset(e, 0, sizeof(*e));
	e->text = text;
	wrong = parse_figure(e, text, length);
	if (wrong)
		return wrong;
	for (i = 0; i < COUNT_OF(relations); i++) {
		size_t n = strlen(relations[i].sign);

		if (strncmp(sign, relations[i].sign, n))
			continue;
		e->relation = relations[i].relation;
		return parse_bound(e, sign + n);
	}
	return "there has to be a relation: <, <=, ==, >= or >";
}

static bool holds(enum expect_relation relation, uint64_t value, uint64_t bound)
{
	switch (relation) {
	case EXPECT_BELOW:
		return value < bound;
	case EXPECT_AT_MOST:
		return value <= bound;
	case EXPECT_EQUAL:
		return value == bound;
	case EXPECT_AT_LEAST:
		return value >= bound;
	case EXPECT_ABOVE:
		return value > bound;
	}
	return false;
}

static uint64_t phase_figure(const struct expectation *e,
			     const struct proclife_histogram *histogram)
{
	switch (e->stat) {
	case EXPECT_COUNT:
		return proclife_histogram_count(histogram);
	case EXPECT_MIN:
		return proclife_histogram_min(histogram);
	case EXPECT_MEAN:
		return (uint64_t)(proclife_histogram_mean(histogram) + 0.5);
	case EXPECT_PERCENTILE:
		return proclife_histogram_percentile(histogram, e->percent);
	case EXPECT_MAX:
		return proclife_histogram_max(histogram);
	}
	return 0;
}

struct judgement expect_judge(const struct expectation *e, const struct proclife_latency *latency,
			      uint64_t lost)
{
	const struct proclife_histogram *histogram = proclife_latency_phase(latency, e->phase);
	struct judgement judgement = { .measured = true };
	struct proclife_latency_counts counts;

	switch (e->what) {
	case EXPECT_LOST:
		judgement.value = lost;
		break;
	case EXPECT_ZOMBIES:
		proclife_latency_counts(latency, &counts);
		/* Where there is nobody, there being no zombie says nothing. */
		judgement.measured = counts.lives;
		judgement.value = counts.unreaped;
		break;
	case EXPECT_PHASE:
		judgement.count = proclife_histogram_count(histogram);
		/* A time of nothing is no time: a promise about it cannot be kept. */
		judgement.measured = judgement.count || e->stat == EXPECT_COUNT;
		if (judgement.measured)
			judgement.value = phase_figure(e, histogram);
		break;
	}
	judgement.ok = judgement.measured && holds(e->relation, judgement.value, e->bound);
	return judgement;
}
