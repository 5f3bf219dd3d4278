// SPDX-License-Identifier: GPL-2.0-only
/* Compares histograms with the sorted values. */
#include "check.h"

#include <proclife.h>
#include <stdlib.h>

#define MOST 20000

static uint64_t values[MOST];

static const double percents[] = {
	0, 0.001, 0.1, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.999, 100,
};

/* Distributions, narrow and wide, and at the limits of the range. */
static uint64_t draw(unsigned int kind, uint64_t *random)
{
	uint64_t x = next_random(random);

	switch (kind) {
	case 0:
		return x % 100;
	case 1:
		return 1000000 + x % 1000;
	case 2:
		return x >> (x % 64);
	case 3: {
		uint64_t shift = next_random(random) % 64;

		return next_random(random) >> shift;
	}
	case 4:
		return 1ULL << x % 64;
	case 5:
		return (1ULL << x % 64) - 1;
	case 6:
		return x % 100 ? 20000 + x % 5000 : 9000000000 + x % 1000000; /* a long tail */
	case 7:
		return UINT64_MAX - x % 3;
	case 8:
		return 42;
	default:
		return 0;
	}
}

#define KINDS 10

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static struct proclife_histogram *histogram_of(size_t count, unsigned int kind, uint64_t seed)
{
	struct proclife_histogram *histogram;
	uint64_t random = seed;

	assert_int_equal(proclife_histogram_new(&histogram), 0);
	for (size_t i = 0; i < count; i++) {
		values[i] = draw(kind, &random);
		proclife_histogram_add(histogram, values[i]);
	}
	qsort(values, count, sizeof(*values), compare);
	return histogram;
}

static uint64_t below(size_t count, uint64_t bound)
{
	uint64_t n = 0;

	while (n < count && values[n] < bound)
		n++;
	return n;
}

/* Each value is in its bucket, and no other value is. */
static void check_buckets(const struct proclife_histogram *histogram, size_t count)
{
	struct proclife_bucket bucket = { 0 };
	size_t at = 0;

	while (proclife_histogram_next(histogram, &bucket)) {
		assert_true(bucket.count && bucket.count <= count - at);
		assert_true(values[at] >= bucket.first);
		at += bucket.count;
		assert_true(values[at - 1] <= bucket.last);
		assert_true(bucket.last - bucket.first <= bucket.first / 128);
	}
	assert_int_equal(at, count);
}

static void check(const struct proclife_histogram *histogram, size_t count)
{
	long double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	assert_int_equal(proclife_histogram_count(histogram), count);
	assert_int_equal(proclife_histogram_min(histogram), values[0]);
	assert_int_equal(proclife_histogram_max(histogram), values[count - 1]);
	assert_float_equal(proclife_histogram_mean(histogram) / (sum ? sum / count : 1),
			   sum ? 1 : 0, 1e-6);
	if (sum < 0x1p63L)
		assert_int_equal(proclife_histogram_sum(histogram), (uint64_t)sum);
	if (sum > 0x1p65L)
		assert_int_equal(proclife_histogram_sum(histogram), UINT64_MAX);
	check_buckets(histogram, count);
	for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++) {
		/* In integers: the smallest rank with rank / count >= percent / 100. */
		uint64_t thousandths = (uint64_t)(percents[i] * 1000 + 0.5);
		uint64_t rank = (count * thousandths + 99999) / 100000, truth, result;

		truth = values[rank ? rank - 1 : 0];
		result = proclife_histogram_percentile(histogram, percents[i]);
		if (result < truth || result - truth > truth / 128 || result > values[count - 1])
			fail_msg("%g %% of %zu: %llu, not %llu", percents[i], count,
				 (unsigned long long)result, (unsigned long long)truth);
	}
	for (unsigned int from = 0; from < 64; from++) {
		for (unsigned int to = from; to < 64; to++) {
			uint64_t a = 1ULL << from, b = 1ULL << to;

			assert_int_equal(proclife_histogram_between(histogram, a, b),
					 below(count, b) - below(count, a));
		}
		assert_int_equal(proclife_histogram_between(histogram, 0, 1ULL << from),
				 below(count, 1ULL << from));
	}
	for (uint64_t from = 0; from < 128; from += 3)
		assert_int_equal(proclife_histogram_between(histogram, from, 128),
				 below(count, 128) - below(count, from));
}

static void test_distributions(void **state)
{
	static const size_t counts[] = { 1, 2, 3, 10, 99, 100, 101, 1000, 7777 };

	(void)state;
	for (unsigned int kind = 0; kind < KINDS; kind++) {
		for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
			struct proclife_histogram *histogram;

			histogram = histogram_of(counts[i], kind, 17 * i + kind);
			check(histogram, counts[i]);
			proclife_histogram_free(histogram);
		}
	}
}

static void test_empty(void **state)
{
	struct proclife_histogram *histogram;

	(void)state;
	assert_int_equal(proclife_histogram_new(&histogram), 0);
	assert_int_equal(proclife_histogram_count(histogram), 0);
	assert_int_equal(proclife_histogram_min(histogram), 0);
	assert_int_equal(proclife_histogram_max(histogram), 0);
	assert_float_equal(proclife_histogram_mean(histogram), 0, 0);
	assert_int_equal(proclife_histogram_percentile(histogram, 50), 0);
	assert_int_equal(proclife_histogram_between(histogram, 0, UINT64_MAX), 0);
	proclife_histogram_free(histogram);
	proclife_histogram_free(NULL);
}

/* The ranks where rounding could go wrong: with values below 128 every percentile is exact. */
static void test_ranks(void **state)
{
	struct proclife_histogram *histogram;

	(void)state;
	assert_int_equal(proclife_histogram_new(&histogram), 0);
	for (uint64_t i = 1; i <= 100; i++)
		proclife_histogram_add(histogram, i);
	for (uint64_t p = 1; p <= 100; p++)
		assert_int_equal(proclife_histogram_percentile(histogram, p), p);
	assert_int_equal(proclife_histogram_percentile(histogram, 50.5), 51);
	assert_int_equal(proclife_histogram_percentile(histogram, 99.1), 100);
	assert_int_equal(proclife_histogram_percentile(histogram, 0), 1);
	assert_int_equal(proclife_histogram_percentile(histogram, -5), 1);
	assert_int_equal(proclife_histogram_percentile(histogram, 1000), 100);
	assert_int_equal(proclife_histogram_between(histogram, 10, 20), 10);
	assert_int_equal(proclife_histogram_between(histogram, 20, 10), 0);
	assert_int_equal(proclife_histogram_between(histogram, 20, 20), 0);
	assert_float_equal(proclife_histogram_mean(histogram), 50.5, 1e-9);
	proclife_histogram_free(histogram);
}

static void test_merge(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < KINDS; kind++) {
		struct proclife_histogram *parts[3], *merged;
		size_t count = 0;
		uint64_t random = kind;

		assert_int_equal(proclife_histogram_new(&merged), 0);
		for (unsigned int p = 0; p < 3; p++) {
			assert_int_equal(proclife_histogram_new(&parts[p]), 0);
			/* The second histogram stays empty. */
			for (size_t i = 0; p != 1 && i < 1000; i++) {
				values[count] = draw(p ? kind : (kind + 1) % KINDS, &random);
				proclife_histogram_add(parts[p], values[count++]);
			}
		}
		for (unsigned int p = 0; p < 3; p++)
			proclife_histogram_merge(merged, parts[p]);
		qsort(values, count, sizeof(*values), compare);
		check(merged, count);
		for (unsigned int p = 0; p < 3; p++)
			proclife_histogram_free(parts[p]);
		proclife_histogram_free(merged);
	}
}

/* Values of @buckets different buckets, each @times. */
static struct proclife_histogram *of_buckets(size_t buckets, size_t times, uint64_t step,
					     size_t *count)
{
	struct proclife_histogram *histogram;

	assert_int_equal(proclife_histogram_new(&histogram), 0);
	for (size_t t = 0; t < times; t++) {
		for (size_t i = 0; i < buckets; i++) {
			/* Neither upwards nor downwards: 37 has no factor in common with any. */
			uint64_t value = 100 + (i * 37 + 11) % buckets * step;

			values[(*count)++] = value;
			assert_int_equal(proclife_histogram_add(histogram, value), 0);
		}
	}
	return histogram;
}

static const size_t around[] = { 1, 2, 3, 63, 64, 65, 66, 128, 129 };
#define AROUND (sizeof(around) / sizeof(*around))

/* At first a histogram is a list of at most 64 buckets. */
static void test_list_becomes_octaves(void **state)
{
	(void)state;
	for (size_t i = 0; i < AROUND; i++) {
		for (size_t times = 1; times <= 3; times++) {
			size_t count = 0;
			struct proclife_histogram *histogram;

			histogram = of_buckets(around[i], times, 1000000, &count);
			qsort(values, count, sizeof(*values), compare);
			check(histogram, count);
			proclife_histogram_free(histogram);
		}
	}
}

/* Merges each into each: with all buckets in common, with some, with none. */
static void test_merge_lists_and_octaves(void **state)
{
	static const uint64_t steps[] = { 1000000, 2000000, 1000003, 1ULL << 40 };

	(void)state;
	for (size_t i = 0; i < AROUND * AROUND * 4; i++) {
		size_t count = 0, before;
		uint64_t step = steps[i / AROUND / AROUND];
		struct proclife_histogram *into, *from;

		into = of_buckets(around[i % AROUND], 2, steps[0], &count);
		before = count;
		from = of_buckets(around[i / AROUND % AROUND], 3, step, &count);
		assert_int_equal(proclife_histogram_merge(into, from), 0);
		/* The other one stays as it is. */
		assert_int_equal(proclife_histogram_count(from), count - before);
		proclife_histogram_free(from);
		qsort(values, count, sizeof(*values), compare);
		check(into, count);
		proclife_histogram_free(into);
	}
}

/* One of them is empty. */
static void test_merge_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < AROUND; i++) {
		struct proclife_histogram *histogram, *empty;
		size_t count = 0;

		histogram = of_buckets(around[i], 1, 1000000, &count);
		qsort(values, count, sizeof(*values), compare);
		assert_int_equal(proclife_histogram_new(&empty), 0);
		assert_int_equal(proclife_histogram_merge(histogram, empty), 0);
		check(histogram, count);
		assert_int_equal(proclife_histogram_merge(empty, histogram), 0);
		check(empty, count);
		proclife_histogram_free(histogram);
		proclife_histogram_free(empty);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_distributions),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_list_becomes_octaves),
		cmocka_unit_test(test_merge_lists_and_octaves),
		cmocka_unit_test(test_merge_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
