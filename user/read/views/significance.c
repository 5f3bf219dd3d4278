// SPDX-License-Identifier: GPL-2.0-only
#include "views/diff.h"
#include <math.h>

#define BEYOND 10    /* lives, for a percentile to be one */
#define ERRORS 5     /* standard errors */
#define TOO_SMALL 10000 /* ns: a difference that is none, whatever the ratio */

/* The share that is at @ns or above. */
static double above(const struct proclife_histogram *h, uint64_t ns)
{
	return (double)proclife_histogram_between(h, ns, UINT64_MAX) /
	       (double)proclife_histogram_count(h);
}

static bool is_chance(const struct proclife_histogram *a, const struct proclife_histogram *b,
		      const struct change *change)
{
	double m = (double)proclife_histogram_count(a), n = (double)proclife_histogram_count(b);
	/* Below 1 ns there is nothing, so half-way begins there. */
	double low = (double)(change->a < change->b ? change->a : change->b) + 1;
	double high = (double)(change->a < change->b ? change->b : change->a);
	uint64_t middle = (uint64_t)sqrt(low * high);
	double p = above(a, middle), q = above(b, middle);
	double common = (p * m + q * n) / (m + n);
	double error = sqrt(common * (1 - common) * (1 / m + 1 / n));

	return fabs(p - q) <= ERRORS * error;
}

static bool is_large(const struct change *change, double factor)
{
	uint64_t low = change->a < change->b ? change->a : change->b;
	uint64_t high = change->a < change->b ? change->b : change->a;

	return high - low >= TOO_SMALL && (double)high >= factor * (double)low;
}

bool histograms_differ(const struct proclife_histogram *a, const struct proclife_histogram *b,
		       double factor, struct change *change)
{
	static const double percents[] = { 50, 90, 99, 99.9 };
	uint64_t least = proclife_histogram_count(a);
	size_t i;

	if (proclife_histogram_count(b) < least)
		least = proclife_histogram_count(b);
	for (i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		if ((double)least * (100 - percents[i]) < 100 * BEYOND - 1e-6)
			return false;
		change->percent = percents[i];
		change->a = proclife_histogram_percentile(a, percents[i]);
		change->b = proclife_histogram_percentile(b, percents[i]);
		if (is_large(change, factor) && !is_chance(a, b, change))
			return true;
	}
	return false;
}
