/* SPDX-License-Identifier: GPL-2.0-only */
/* Sorting, and quantiles of what is sorted. */
#ifndef PROCLIFE_BENCH_ORDER_H
#define PROCLIFE_BENCH_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static inline int order_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static inline int order_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The smallest value that at least this share is not above. */
static inline uint64_t order_quantile(const uint64_t *sorted, size_t count, double share)
{
	size_t at = (size_t)(share * (double)count);

	return sorted[at < count ? at : count - 1];
}

/* Sorts the values, and returns their median. */
static inline double order_median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), order_double);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

#endif
