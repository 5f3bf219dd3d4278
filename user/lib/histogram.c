// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A log-linear histogram: below 128 each value has its bucket, above each power of two is divided
 * into 128 buckets of the same width.
 */
#include "proclife.h"

#include <errno.h>
#include <stdlib.h>

#define SUB_BITS 7
#define SUBS (1u << SUB_BITS)
#define BUCKETS ((64 - SUB_BITS + 1) * SUBS)

struct proclife_histogram {
	uint64_t count;
	uint64_t sum; /* low and high half */
	uint64_t sum_high;
	uint64_t min;
	uint64_t max;
	uint64_t buckets[BUCKETS];
};

static unsigned int bucket_of(uint64_t value)
{
	unsigned int shift;

	if (value < SUBS)
		return (unsigned int)value;
	shift = 63 - SUB_BITS - (unsigned int)__builtin_clzll(value);
	return (shift + 1) * SUBS + (unsigned int)(value >> shift & (SUBS - 1));
}

static uint64_t lower_border(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < SUBS)
		return bucket;
	shift = bucket / SUBS - 1;
	return (uint64_t)(SUBS + bucket % SUBS) << shift;
}

/* The first bucket whose lower border is not below @value. */
static unsigned int bucket_from(uint64_t value)
{
	unsigned int bucket = bucket_of(value);

	return bucket + (lower_border(bucket) < value);
}

int proclife_histogram_new(struct proclife_histogram **histogram)
{
	*histogram = calloc(1, sizeof(**histogram));
	return *histogram ? 0 : -ENOMEM;
}

void proclife_histogram_free(struct proclife_histogram *histogram)
{
	free(histogram);
}

static void add_sum(struct proclife_histogram *histogram, uint64_t sum)
{
	histogram->sum_high += __builtin_add_overflow(histogram->sum, sum, &histogram->sum);
}

void proclife_histogram_add(struct proclife_histogram *histogram, uint64_t ns)
{
	if (!histogram->count || ns < histogram->min)
		histogram->min = ns;
	if (ns > histogram->max)
		histogram->max = ns;
	histogram->count++;
	add_sum(histogram, ns);
	histogram->buckets[bucket_of(ns)]++;
}

void proclife_histogram_merge(struct proclife_histogram *into,
			      const struct proclife_histogram *from)
{
	if (!from->count)
		return;
	if (!into->count || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->sum_high += from->sum_high;
	add_sum(into, from->sum);
	for (unsigned int i = 0; i < BUCKETS; i++)
		into->buckets[i] += from->buckets[i];
}

uint64_t proclife_histogram_count(const struct proclife_histogram *histogram)
{
	return histogram->count;
}

uint64_t proclife_histogram_min(const struct proclife_histogram *histogram)
{
	return histogram->min;
}

uint64_t proclife_histogram_max(const struct proclife_histogram *histogram)
{
	return histogram->max;
}

double proclife_histogram_mean(const struct proclife_histogram *histogram)
{
	if (!histogram->count)
		return 0;
	return ((double)histogram->sum_high * 0x1p64 + (double)histogram->sum) /
	       (double)histogram->count;
}

uint64_t proclife_histogram_percentile(const struct proclife_histogram *histogram, double percent)
{
	double exact = (double)histogram->count * percent / 100;
	uint64_t rank, below = 0;

	if (!histogram->count)
		return 0;
	/* Rounded up, but not because 99.9 % of 1000 came out a little above 999. */
	exact -= exact * 1e-12;
	if (!(exact > 0))
		return histogram->min;
	if (exact >= (double)histogram->count)
		return histogram->max;
	rank = (uint64_t)exact;
	rank += (double)rank < exact;
	for (unsigned int i = 0; i < BUCKETS; i++) {
		uint64_t top;

		below += histogram->buckets[i];
		if (below < rank)
			continue;
		top = i + 1 < BUCKETS ? lower_border(i + 1) - 1 : UINT64_MAX;
		return top < histogram->max ? top : histogram->max;
	}
	return histogram->max;
}

uint64_t proclife_histogram_between(const struct proclife_histogram *histogram, uint64_t from,
				    uint64_t to)
{
	uint64_t count = 0;

	if (from >= to)
		return 0;
	for (unsigned int i = bucket_from(from), end = bucket_from(to); i < end; i++)
		count += histogram->buckets[i];
	return count;
}
