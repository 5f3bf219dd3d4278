/* SPDX-License-Identifier: GPL-2.0-only */
/* What is chance, and what is not. */
#ifndef READ_SIGNIFICANCE_H
#define READ_SIGNIFICANCE_H

#include <proclife.h>
#include <stdbool.h>
#include <stddef.h>

#define LEAST_BEYOND 10	     /* lives beyond a percentile, for it to be one */
#define LEAST_CHANGE 10000   /* ns: a smaller difference is none, whatever the ratio */

/* Have this many lives a percentile? */
bool has_percentile(uint64_t count, double percent);

/*
 * One run a side: whether the percentile is at least @factor times as long or as short in @b as in
 * @a, and not by chance. @shared is the ratio of what all groups have become, which is taken off @b
 * first; 1: nothing.
 *
 * Chance is judged where it matters: half-way between the two values (as a ratio), the shares of both
 * runs that lie above it must be more than five standard errors apart, which chance alone makes of one
 * comparison in two million. That is the test of two proportions, with the pooled estimate.
 */
bool percentile_differs(const struct proclife_histogram *a, const struct proclife_histogram *b,
			double percent, double factor, double shared);

/* The same of numbers of lives, which chance spreads as Poisson's distribution does. */
bool counts_differ(uint64_t a, uint64_t b, double factor, double shared);

/* How likely chance alone parts @failed_a of @a and @failed_b of @b as far: Fisher's exact test. */
double failures_chance(uint64_t failed_a, uint64_t a, uint64_t failed_b, uint64_t b);

/* Student's distribution: how likely it is at least as far from 0, and where it is as likely. */
double student_chance(double t, double freedom);
double student_limit(double chance, double freedom);

/*
 * The variance of the logarithm of a percentile, by the lives it is made of: the percentile lies
 * between two of them whose ranks are two standard errors of a share above and below its own
 * (R. S. Woodruff, Confidence intervals for medians and other position measures, Journal of the
 * American Statistical Association 47, 1952, 635-646).
 */
double percentile_variance(const struct proclife_histogram *h, double percent);

/*
 * The logarithm of a time, to which LEAST_CHANGE is added: what is as short varies by any factor, and
 * that does not matter. Started, as J. W. Tukey calls it.
 */
double log_time(uint64_t ns);

#endif
