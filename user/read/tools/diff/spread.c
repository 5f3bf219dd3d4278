// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "tools/diff/significance.h"
#include "tools/diff/spread.h"
#include <math.h>
#include <stdlib.h>

#define MEDIAN (M_PI / 2) /* its variance, in variances of the mean */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median_nearest_none(double *values, size_t count)
{
	double low, high;

	qsort(values, count, sizeof(*values), compare);
	low = values[(count - 1) / 2];
	high = values[count / 2];
	return fabs(low) < fabs(high) ? low : high;
}

static double mean(const double *values, size_t count)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

/* What the side of run @r makes of the group. */
static double expected(const struct sample *sample, size_t r, size_t a)
{
	return r < a ? sample->a : sample->b;
}

/* What the groups of each run share, in the place of the runs' @shared; @values has room for all. */
static void measure_runs(const struct sample *samples, size_t count, size_t a, size_t runs,
			 double *values, double *shared)
{
	size_t r, i;

	for (r = 0; r < runs; r++) {
		for (i = 0; i < count; i++)
			values[i] = samples[i].runs[r] - expected(&samples[i], r, a);
		qsort(values, count, sizeof(*values), compare);
		shared[r] = (values[(count - 1) / 2] + values[count / 2]) / 2;
	}
}

static double sum_of_squares(const double *values, size_t count)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < count; i++)
		sum += values[i] * values[i];
	return sum;
}

/* What is left of a group once that is taken off. */
static double residual(const struct sample *sample, size_t a, size_t runs, const double *shared)
{
	double sum = 0, left;
	size_t r;

	for (r = 0; r < runs; r++) {
		left = sample->runs[r] - expected(sample, r, a) - shared[r];
		sum += left * left;
	}
	return sum;
}

/* Each group's change and its error, from what is left of each, and of all. */
static void judge_groups(struct sample *samples, size_t count, const double *left, double per_run,
			 double degrees, struct spread *spread)
{
	double groups = (double)count, pooled, lives = 0, between;
	size_t i;

	for (i = 0; i < count; i++)
		lives += samples[i].variance / groups;
	pooled = spread->freedom > 0 ? mean(left, count) * groups / spread->freedom : 0;
	between = fmax(pooled - lives, 0);
	for (i = 0; i < count; i++) {
		double own = count > 1 ? left[i] / degrees * groups / (groups - 1) : 0;
		double variance = fmax(fmax(pooled, own), between + samples[i].variance);

		samples[i].change = samples[i].b - samples[i].a - spread->shared;
		samples[i].error = sqrt(variance * per_run * (1 + MEDIAN / groups));
	}
}

void spread_measure(struct sample *samples, size_t count, size_t a, size_t b, struct spread *spread)
{
	double *values = calloc(count + 1, sizeof(*values)), *shared = calloc(a + b, sizeof(*shared));
	double per_run = 1 / (double)a + 1 / (double)b, degrees = (double)(a + b - 2), variance = 0;
	size_t i;

	if (!values || !shared)
		die_no_memory();
	for (i = 0; i < count; i++) {
		samples[i].a = mean(samples[i].runs, a);
		samples[i].b = mean(samples[i].runs + a, b);
		variance += samples[i].variance / (double)count;
	}
	measure_runs(samples, count, a, a + b, values, shared);
	for (i = 0; i < count; i++)
		values[i] = samples[i].b - samples[i].a;
	*spread = (struct spread){
		.shared = median_nearest_none(values, count),
		.freedom = (double)(count - 1) * degrees,
		.shared_freedom = degrees,
	};
	/* However much the runs agree by chance, they are made of this many lives. */
	variance *= count > 1 ? MEDIAN / (double)count : 1;
	variance = fmax(variance, sum_of_squares(shared, a + b) / degrees);
	spread->shared_error = sqrt(variance * per_run);
	for (i = 0; i < count; i++)
		values[i] = residual(&samples[i], a, a + b, shared);
	judge_groups(samples, count, values, per_run, degrees, spread);
	free(shared);
	free(values);
}

bool is_beyond_noise(double change, double error, double freedom, size_t comparisons)
{
	if (!change || freedom <= 0)
		return false;
	if (error <= 0)
		return true;
	return student_chance(change / error, freedom) < FALSE_CLAIMS / (double)comparisons;
}

double least_beyond_noise(double error, double freedom, size_t comparisons)
{
	return error * student_limit(FALSE_CLAIMS / (double)comparisons, freedom);
}
