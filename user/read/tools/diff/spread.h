/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What several runs a side differ by, and what of it is noise.
 *
 * The logarithm y of a figure of group g in run r of side s is taken to be
 *
 *	y = m(s, g) + h(s, r) + e(s, r, g)
 *
 * with m what the side makes of the group, h what all groups of this run share, and e what is left: a
 * two-way layout without interaction on each side. m is the mean over the side's runs. h is the median
 * over the groups of y - m, which a few groups that go their own way do not move (J. W. Tukey,
 * Exploratory Data Analysis, 1977, chapter 11: resistant fits of two-way tables). The sides differ by
 *
 *	shared = median over g of m(B, g) - m(A, g),	change(g) = m(B, g) - m(A, g) - shared
 *
 * where of two medians the one nearer to no change counts. shared is judged by the variance of h
 * between the runs, pooled over the sides, with a + b - 2 degrees of freedom: the variance of Student's test
 * with a pooled variance. change(g) is judged by the variance of e, pooled over groups and sides, with
 * (groups - 1) (a + b - 2) degrees of freedom. A group can be noisier than the others: if its own e
 * are, or its lives are few, the largest of the three variances counts. A median of n is as good as a
 * mean of 2n/pi (H. Cramer, Mathematical Methods of Statistics, 1946, 28.5).
 */
#ifndef READ_SPREAD_H
#define READ_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

/* How likely a comparison of two sides claims anything where nothing has changed. */
#define FALSE_CLAIMS 0.01

/* A figure of a group. */
struct sample {
	const double *runs; /* y: the runs of A, then of B */
	double variance; /* of each of them, by the lives it is made of: the mean over the runs */
	/* spread_measure() sets these */
	double a; /* m */
	double b;
	double change;
	double error; /* its standard error */
};

struct spread {
	double shared;
	double shared_error;
	double freedom; /* degrees of freedom of the groups' errors; 0: there is one group alone */
	double shared_freedom;
};

/* There are runs on both sides, and more than one on one of them. */
void spread_measure(struct sample *samples, size_t count, size_t a, size_t b, struct spread *spread);

/* Is this change beyond noise, as one of this many comparisons? Bonferroni's correction */
bool is_beyond_noise(double change, double error, double freedom, size_t comparisons);

/* The smallest one that is. */
double least_beyond_noise(double error, double freedom, size_t comparisons);

/* Sorts. If two are in the middle, the one nearer to 0; they need not be symmetric. */
double median_nearest_none(double *values, size_t count);

#endif
