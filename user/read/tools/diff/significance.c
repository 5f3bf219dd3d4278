// SPDX-License-Identifier: GPL-2.0-only
#include "tools/diff/significance.h"
#include <math.h>

#define ERRORS 5 /* standard errors */

double log_time(uint64_t ns)
{
	return log((double)ns + LEAST_CHANGE);
}

bool has_percentile(uint64_t count, double percent)
{
	return (double)count * (100 - percent) >= 100 * LEAST_BEYOND - 1e-6;
}

/* The share that is at @ns or above. */
static double above(const struct proclife_histogram *h, double ns)
{
	uint64_t from = ns < 0x1p63 ? (uint64_t)ns : UINT64_MAX;

	return (double)proclife_histogram_between(h, from, UINT64_MAX) /
	       (double)proclife_histogram_count(h);
}

bool percentile_differs(const struct proclife_histogram *a, const struct proclife_histogram *b,
			double percent, double factor, double shared)
{
	double m = (double)proclife_histogram_count(a), n = (double)proclife_histogram_count(b);
	double from = (double)proclife_histogram_percentile(a, percent);
	double to = (double)proclife_histogram_percentile(b, percent) / shared;
	double low = from < to ? from : to, high = from < to ? to : from;
	double middle = sqrt((low + 1) * high), p, q, common;

	if (high - low < LEAST_CHANGE || high < factor * low)
		return false;
	p = above(a, middle);
	q = above(b, middle * shared);
	common = (p * m + q * n) / (m + n);
	return fabs(p - q) > ERRORS * sqrt(common * (1 - common) * (1 / m + 1 / n));
}

bool counts_differ(uint64_t a, uint64_t b, double factor, double shared)
{
	double from = (double)a, to = (double)b / shared;
	double low = from < to ? from : to, high = from < to ? to : from;

	return high >= factor * low && fabs(to - from) > ERRORS * sqrt(from + (double)b / shared / shared);
}

/* The logarithm of how many ways there are to take @k of @n. */
static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/*
 * The hypergeometric distribution of @failed_a, whose tail is summed up from there outwards: beyond
 * the mean each term is smaller than the one before it.
 */
double failures_chance(uint64_t failed_a, uint64_t a, uint64_t failed_b, uint64_t b)
{
	double m = (double)a, n = (double)b, failed = (double)failed_a + (double)failed_b;
	double x = (double)failed_a, step = x * (m + n) > failed * m ? 1 : -1;
	double least = failed > n ? failed - n : 0, most = failed < m ? failed : m;
	double term, sum = 0;

	if (!a || !b || failed_a > a || failed_b > b)
		return 1;
	do {
		term = exp(log_choose(m, x) + log_choose(n, failed - x) - log_choose(m + n, failed));
		sum += term;
		x += step;
	} while (x >= least && x <= most && term > 1e-12 * sum);
	return fmin(2 * sum, 1);
}

/*
 * The incomplete beta function's continued fraction, from its far end on
 * (https://dlmf.nist.gov/8.17.22); it needs no more terms where x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double x, double a, double b)
{
	double value = 1;
	int m;

	for (m = 200; m > 0; m--) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		value = 1 + even / (1 + odd / value);
	}
	return 1 / (1 - (a + b) * x / (a + 1) / value);
}

/* https://dlmf.nist.gov/8.17 (ii): the regularized one */
static double incomplete_beta(double x, double a, double b)
{
	double scale;

	if (x <= 0 || x >= 1)
		return x > 0;
	scale = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return scale * beta_fraction(x, a, b) / a;
	return 1 - scale * beta_fraction(1 - x, b, a) / b;
}

/* M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 26.7.1 and 26.5.27 */
double student_chance(double t, double freedom)
{
	/* From there on it is the normal distribution. */
	freedom = fmin(freedom, 10000);
	return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

double student_limit(double chance, double freedom)
{
	double low = 0, high = 1;
	int i;

	while (high < 1e12 && student_chance(high, freedom) > chance)
		high *= 2;
	for (i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (student_chance(middle, freedom) > chance)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double percentile_variance(const struct proclife_histogram *h, double percent)
{
	double share = percent / 100;
	double error = 200 * sqrt(share * (1 - share) / (double)proclife_histogram_count(h));
	double low = log_time(proclife_histogram_percentile(h, percent - error));
	double high = log_time(proclife_histogram_percentile(h, percent + error));

	return (high - low) * (high - low) / 16;
}
