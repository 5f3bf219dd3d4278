// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A log-linear histogram: below 128, each value has its own bucket; above, each power of two is
 * divided into 128 buckets of the same width. There can be a histogram for each of a million
 * parents, and most parents have a child or two. So it begins as a short sorted list, and then
 * allocates memory for those powers of two that occur.
 */
#include "proclife.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SUB_BITS 7
#define SUBS (1u << SUB_BITS)
#define OCTAVES (64 - SUB_BITS + 1)
#define MOST_FEW 64
#define COUNT_BITS 48

struct proclife_histogram {
	uint64_t count;
	uint64_t sum; /* low and high half */
	uint64_t sum_high;
	uint64_t min;
	uint64_t max;
	uint64_t *few;	     /* sorted: bucket << COUNT_BITS | count; NULL if there are octaves */
	uint64_t **octaves; /* SUBS counts each, or NULL */
	uint16_t few_count;
	uint16_t few_room;
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

/* The first bucket that begins at or above @value. */
static unsigned int bucket_from(uint64_t value)
{
	unsigned int bucket = bucket_of(value);

	return bucket + (lower_border(bucket) < value);
}

/*
 * Iterating over the buckets that are not empty, in order
 */

struct cursor {
	unsigned int next; /* index into few, or bucket */
	unsigned int bucket;
	uint64_t count;
};

static bool next_few(const struct proclife_histogram *histogram, struct cursor *cursor)
{
	uint64_t entry;

	if (cursor->next == histogram->few_count)
		return false;
	entry = histogram->few[cursor->next++];
	cursor->bucket = (unsigned int)(entry >> COUNT_BITS);
	cursor->count = entry & ((1ULL << COUNT_BITS) - 1);
	return true;
}

static bool next_bucket(const struct proclife_histogram *histogram, struct cursor *cursor)
{
	if (!histogram->octaves)
		return next_few(histogram, cursor);
	while (cursor->next < OCTAVES * SUBS) {
		const uint64_t *octave = histogram->octaves[cursor->next / SUBS];

		if (!octave) {
			cursor->next += SUBS - cursor->next % SUBS;
			continue;
		}
		cursor->bucket = cursor->next++;
		cursor->count = octave[cursor->bucket % SUBS];
		if (cursor->count)
			return true;
	}
	return false;
}

int proclife_histogram_new(struct proclife_histogram **histogram)
{
	*histogram = calloc(1, sizeof(**histogram));
	return *histogram ? 0 : -ENOMEM;
}

static void free_octaves(uint64_t **octaves)
{
	for (unsigned int i = 0; octaves && i < OCTAVES; i++)
		free(octaves[i]);
	free(octaves);
}

void proclife_histogram_free(struct proclife_histogram *histogram)
{
	if (!histogram)
		return;
	free(histogram->few);
	free_octaves(histogram->octaves);
	free(histogram);
}

static int add_to_octave(uint64_t **octaves, unsigned int bucket, uint64_t count)
{
	uint64_t **octave = &octaves[bucket / SUBS];

	if (!*octave)
		*octave = calloc(SUBS, sizeof(**octave));
	if (!*octave)
		return -ENOMEM;
	(*octave)[bucket % SUBS] += count;
	return 0;
}

/* Converts the list to octaves. */
static int spread(struct proclife_histogram *histogram)
{
	uint64_t **octaves = calloc(OCTAVES, sizeof(*octaves));
	struct cursor cursor = { 0 };

	if (!octaves)
		return -ENOMEM;
	while (next_few(histogram, &cursor)) {
		if (add_to_octave(octaves, cursor.bucket, cursor.count)) {
			free_octaves(octaves);
			return -ENOMEM;
		}
	}
	free(histogram->few);
	histogram->few = NULL;
	histogram->octaves = octaves;
	return 0;
}

/* Inserts into the list, at @at. */
static int insert(struct proclife_histogram *histogram, unsigned int at, uint64_t entry)
{
	uint64_t *few = histogram->few;

	if (histogram->few_count == histogram->few_room) {
		uint16_t room = histogram->few_room ? histogram->few_room * 2 : 2;

		few = realloc(few, room * sizeof(*few));
		if (!few)
			return -ENOMEM;
		histogram->few = few;
		histogram->few_room = room;
	}
	memmove(few + at + 1, few + at, (histogram->few_count - at) * sizeof(*few));
	few[at] = entry;
	histogram->few_count++;
	return 0;
}

static int add_to_bucket(struct proclife_histogram *histogram, unsigned int bucket, uint64_t count)
{
	unsigned int at = histogram->few_count;
	int err;

	if (histogram->octaves)
		return add_to_octave(histogram->octaves, bucket, count);
	while (at && histogram->few[at - 1] >> COUNT_BITS >= bucket)
		at--;
	if (at < histogram->few_count && histogram->few[at] >> COUNT_BITS == bucket &&
	    count + (histogram->few[at] & ((1ULL << COUNT_BITS) - 1)) < 1ULL << COUNT_BITS) {
		histogram->few[at] += count;
		return 0;
	}
	if (histogram->few_count < MOST_FEW && count < 1ULL << COUNT_BITS)
		return insert(histogram, at, (uint64_t)bucket << COUNT_BITS | count);
	err = spread(histogram);
	return err ? err : add_to_octave(histogram->octaves, bucket, count);
}

static void add_sum(struct proclife_histogram *histogram, uint64_t sum)
{
	histogram->sum_high += __builtin_add_overflow(histogram->sum, sum, &histogram->sum);
}

int proclife_histogram_add(struct proclife_histogram *histogram, uint64_t ns)
{
	if (add_to_bucket(histogram, bucket_of(ns), 1))
		return -ENOMEM;
	if (!histogram->count || ns < histogram->min)
		histogram->min = ns;
	if (ns > histogram->max)
		histogram->max = ns;
	histogram->count++;
	add_sum(histogram, ns);
	return 0;
}

int proclife_histogram_merge(struct proclife_histogram *into, const struct proclife_histogram *from)
{
	struct cursor cursor = { 0 };

	if (!from || !from->count)
		return 0;
	while (next_bucket(from, &cursor)) {
		if (add_to_bucket(into, cursor.bucket, cursor.count))
			return -ENOMEM;
	}
	if (!into->count || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->sum_high += from->sum_high;
	add_sum(into, from->sum);
	return 0;
}

uint64_t proclife_histogram_count(const struct proclife_histogram *histogram)
{
	return histogram ? histogram->count : 0;
}

uint64_t proclife_histogram_min(const struct proclife_histogram *histogram)
{
	return histogram ? histogram->min : 0;
}

uint64_t proclife_histogram_max(const struct proclife_histogram *histogram)
{
	return histogram ? histogram->max : 0;
}

uint64_t proclife_histogram_sum(const struct proclife_histogram *histogram)
{
	if (!histogram)
		return 0;
	return histogram->sum_high ? UINT64_MAX : histogram->sum;
}

double proclife_histogram_mean(const struct proclife_histogram *histogram)
{
	if (!histogram || !histogram->count)
		return 0;
	return ((double)histogram->sum_high * 0x1p64 + (double)histogram->sum) /
	       (double)histogram->count;
}

uint64_t proclife_histogram_percentile(const struct proclife_histogram *histogram, double percent)
{
	uint64_t rank, top, below = 0;
	struct cursor cursor = { 0 };
	double exact;

	if (!histogram || !histogram->count)
		return 0;
	exact = (double)histogram->count * percent / 100;
	/* Round up, but not if 99.9 % of 1000 came out a little above 999. */
	exact -= exact * 1e-12;
	if (!(exact > 0))
		return histogram ? histogram->min : 0;
	if (exact >= (double)histogram->count)
		return histogram ? histogram->max : 0;
	rank = (uint64_t)exact;
	rank += (double)rank < exact;
	while (below < rank && next_bucket(histogram, &cursor))
		below += cursor.count;
	if (cursor.bucket + 1 == OCTAVES * SUBS)
		return histogram ? histogram->max : 0;
	top = lower_border(cursor.bucket + 1) - 1;
	return top < histogram->max ? top : histogram->max;
}

uint64_t proclife_histogram_between(const struct proclife_histogram *histogram, uint64_t from,
				    uint64_t to)
{
	unsigned int first = bucket_from(from), end = bucket_from(to);
	struct cursor cursor = { 0 };
	uint64_t count = 0;

	while (histogram && next_bucket(histogram, &cursor)) {
		if (cursor.bucket >= first && cursor.bucket < end)
			count += cursor.count;
	}
	return count;
}

bool proclife_histogram_next(const struct proclife_histogram *histogram,
			     struct proclife_bucket *bucket)
{
	unsigned int first = bucket->count ? bucket_of(bucket->last) + 1 : 0;
	struct cursor cursor = { 0 };

	if (!histogram)
		return false;
	if (histogram->octaves)
		cursor.next = first;
	do {
		if (!next_bucket(histogram, &cursor))
			return false;
	} while (cursor.bucket < first);
	bucket->first = lower_border(cursor.bucket);
	bucket->last = cursor.bucket + 1 == OCTAVES * SUBS ? UINT64_MAX :
							     lower_border(cursor.bucket + 1) - 1;
	bucket->count = cursor.count;
	return true;
}
