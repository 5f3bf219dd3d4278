// SPDX-License-Identifier: GPL-2.0-only
/* Changes that --diff finds between two runs: planted ones are found, and chance is not. */
#include "check.h"

#include <tools/diff/significance.h>
#include <math.h>
#include <proclife.h>

#define MS 1000000.0

/* A percentile that has changed. */
struct change {
	double percent;
	uint64_t a;
	uint64_t b;
};

struct sides {
	struct proclife_histogram *a;
	struct proclife_histogram *b;
	struct change change;
};

static struct sides sides;

static int begin(void **state)
{
	(void)state;
	assert_int_equal(proclife_histogram_new(&sides.a), 0);
	assert_int_equal(proclife_histogram_new(&sides.b), 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	proclife_histogram_free(sides.a);
	proclife_histogram_free(sides.b);
	return 0;
}

static void renew(void)
{
	end(NULL);
	begin(NULL);
}

static void add(struct proclife_histogram *h, unsigned int count, double ns)
{
	while (count--)
		assert_int_equal(proclife_histogram_add(h, (uint64_t)ns), 0);
}

static double uniform(uint64_t *seed)
{
	return ((double)(next_random(seed) >> 11) + 0.5) / (double)(1ULL << 53);
}

/* A random time around the median, with the long tail of such times. */
static double lognormal(uint64_t *seed, double median, double sigma)
{
	double radius = sqrt(-2 * log(uniform(seed)));

	return median * exp(sigma * radius * cos(2 * M_PI * uniform(seed)));
}

static void add_random(struct proclife_histogram *h, unsigned int count, uint64_t *seed,
		       double median, double sigma)
{
	while (count--)
		add(h, 1, lognormal(seed, median, sigma));
}

/* Do they differ? Sets the first change. */
static bool histograms_differ(const struct proclife_histogram *a, const struct proclife_histogram *b,
			      double factor, struct change *change)
{
	static const double percents[] = { 50, 90, 99, 99.9 };
	uint64_t m = proclife_histogram_count(a), n = proclife_histogram_count(b);

	for (size_t i = 0; i < 4 && has_percentile(m < n ? m : n, percents[i]); i++) {
		if (!percentile_differs(a, b, percents[i], factor, 1))
			continue;
		change->percent = percents[i];
		change->a = proclife_histogram_percentile(a, percents[i]);
		change->b = proclife_histogram_percentile(b, percents[i]);
		return true;
	}
	return false;
}

static bool differ(double factor)
{
	return histograms_differ(sides.a, sides.b, factor, &sides.change);
}

static void assert_near(uint64_t ns, double wanted)
{
	if ((double)ns < wanted || (double)ns > wanted * (1 + 1.0 / 128) + 1)
		fail_msg("%llu ns instead of %.0f", (unsigned long long)ns, wanted);
}

static void test_equal(void **state)
{
	uint64_t seed = 1;

	(void)state;
	assert_false(differ(1.5)); /* nothing on either side */
	add_random(sides.a, 5000, &seed, MS, 1);
	assert_false(differ(1.5)); /* on one of them */
	seed = 1;
	add_random(sides.b, 5000, &seed, MS, 1);
	assert_false(differ(1.0001));
}

static void test_median(void **state)
{
	(void)state;
	add(sides.a, 60, 1 * MS);
	add(sides.b, 60, 3 * MS);
	assert_true(differ(2));
	assert_true(sides.change.percent == 50);
	assert_near(sides.change.a, 1 * MS);
	assert_near(sides.change.b, 3 * MS);
	/* Shorter is a change, too. */
	assert_true(histograms_differ(sides.b, sides.a, 2, &sides.change));
	assert_near(sides.change.a, 3 * MS);
	assert_near(sides.change.b, 1 * MS);
	assert_false(differ(3.1));
	assert_true(differ(2.9));
}

static void test_factor(void **state)
{
	(void)state;
	add(sides.a, 1000, 10 * MS);
	add(sides.b, 1000, 19 * MS);
	assert_false(differ(2));
	assert_true(differ(1.5));
}

/* A change from 0, for which there is no factor. */
static void test_zero(void **state)
{
	(void)state;
	add(sides.a, 100, 0);
	add(sides.b, 100, MS);
	assert_true(differ(1000));
	assert_int_equal(sides.change.a, 0);
	assert_true(histograms_differ(sides.b, sides.a, 1000, &sides.change));
}

/* Times this short differ by a cache miss. */
static void test_small(void **state)
{
	(void)state;
	add(sides.a, 1000, 1000);
	add(sides.b, 1000, 9000);
	assert_false(differ(2));
	add(sides.b, 2000, 12000);
	assert_true(differ(2));
}

/* The body is the same; the first percentile beyond it shows the change. */
static void test_tail(void **state)
{
	static const struct {
		unsigned int slow; /* of 20000 */
		double percent;
	} tails[] = { { 4000, 90 }, { 400, 99 }, { 40, 99.9 } };

	(void)state;
	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		renew();
		add(sides.a, 20000, MS);
		add(sides.b, 20000 - tails[i].slow, MS);
		add(sides.b, tails[i].slow, 50 * MS);
		assert_true(differ(2));
		assert_true(sides.change.percent == tails[i].percent);
		assert_near(sides.change.a, MS);
		assert_near(sides.change.b, 50 * MS);
	}
}

/* Ten lives of each side must lie beyond a percentile, and five standard errors between the sides. */
static void test_too_few(void **state)
{
	static const struct {
		unsigned int a;
		unsigned int b;
		unsigned int slow; /* of b */
		bool found;
	} cases[] = {
		{ 19, 19, 19, false },	     { 20, 20, 20, true },	  { 19, 5000, 5000, false },
		{ 20, 5000, 5000, true },    { 99, 99, 40, false },	  { 100, 100, 40, true },
		{ 100, 100, 15, false },     { 999, 999, 40, false },	  { 1000, 1000, 40, true },
		{ 1000, 1000, 15, false },   { 9999, 9999, 50, false },	  { 10000, 10000, 50, true },
		{ 10000, 10000, 20, false }, { 9999, 50000, 250, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		renew();
		add(sides.a, cases[i].a, MS);
		add(sides.b, cases[i].b - cases[i].slow, MS);
		add(sides.b, cases[i].slow, 9 * MS);
		if (differ(2) != cases[i].found)
			fail_msg("%u and %u of %u: %s", cases[i].a, cases[i].slow, cases[i].b,
				 cases[i].found ? "not found" : "found");
	}
}

static const unsigned int sizes[] = { 20, 40, 110, 350, 1100 };

#define SIZES (sizeof(sizes) / sizeof(*sizes))

static void test_noise(void **state)
{
	static const double factors[] = { 2, 1.5, 1.1 }, sigmas[] = { 0.3, 1, 2.5 };
	uint64_t seed = 42;

	(void)state;
	for (unsigned int round = 0; round < 400 * SIZES; round++) {
		unsigned int m = sizes[round % SIZES], n = sizes[random_below(&seed, SIZES)];
		double sigma = sigmas[random_below(&seed, 3)];

		renew();
		add_random(sides.a, m, &seed, MS, sigma);
		add_random(sides.b, n, &seed, MS, sigma);
		for (size_t i = 0; i < sizeof(factors) / sizeof(*factors); i++)
			if (differ(factors[i]))
				fail_msg("round %u, %u and %u lives, sigma %g, factor %g: p%g %llu %llu",
					 round, m, n, sigma, factors[i], sides.change.percent,
					 (unsigned long long)sides.change.a,
					 (unsigned long long)sides.change.b);
	}
}

/* Three times as long, or a twentieth of them ten times as long: none of hundreds is missed. */
static void test_planted(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (unsigned int round = 0; round < 300; round++) {
		double sigma = 0.2 + 0.3 * uniform(&seed);

		renew();
		add_random(sides.a, 100, &seed, MS, sigma);
		add_random(sides.b, 100, &seed, 3 * MS, sigma);
		assert_true(differ(2));
		assert_true(sides.change.percent == 50);
		assert_true(histograms_differ(sides.b, sides.a, 2, &sides.change));
	}
	for (unsigned int round = 0; round < 300; round++) {
		renew();
		add_random(sides.a, 2000, &seed, MS, 0.3);
		add_random(sides.b, 1900, &seed, MS, 0.3);
		add_random(sides.b, 100, &seed, 10 * MS, 0.1);
		assert_true(differ(2));
		assert_true(sides.change.percent == 99);
	}
}

/* A factor that all groups share is removed first. */
static void test_shared(void **state)
{
	uint64_t seed = 11;

	(void)state;
	add_random(sides.a, 2000, &seed, 10 * MS, 0.3);
	add_random(sides.b, 2000, &seed, 13 * MS, 0.3);
	assert_true(percentile_differs(sides.a, sides.b, 50, 1.1, 1));
	assert_false(percentile_differs(sides.a, sides.b, 50, 1.1, 1.3));
	assert_true(percentile_differs(sides.a, sides.b, 50, 1.1, 1.69));
}

/* Poisson distribution: five standard errors of a difference are 5 sqrt(a + b). */
static void test_counts(void **state)
{
	(void)state;
	assert_false(counts_differ(1000, 1000, 1.1, 1));
	assert_false(counts_differ(1000, 1230, 1.1, 1)); /* 236 */
	assert_true(counts_differ(1000, 1240, 1.1, 1));
	assert_true(counts_differ(1240, 1000, 1.1, 1));
	assert_false(counts_differ(1240, 1000, 1.3, 1));
	assert_false(counts_differ(1000, 2000, 1.1, 2));
	assert_true(counts_differ(1000, 1000, 1.1, 2));
	assert_false(counts_differ(20, 0, 1.1, 1)); /* 22; groups on one side alone are tested otherwise */
	assert_true(counts_differ(30, 0, 1.1, 1));
}

static void assert_close(double value, double wanted, double error)
{
	if (fabs(value - wanted) > error * wanted)
		fail_msg("%g instead of %g", value, wanted);
}

/* Fisher's exact test by hand: choose(10, 5) of choose(20, 5), and the like; two-sided. */
static void test_failures_chance(void **state)
{
	(void)state;
	assert_close(failures_chance(0, 10, 5, 10), 2 * 252.0 / 15504, 1e-9);
	assert_close(failures_chance(5, 10, 0, 10), 2 * 252.0 / 15504, 1e-9);
	/* The lady tasting tea: three of four right. */
	assert_close(failures_chance(3, 4, 1, 4), 2 * 17.0 / 70, 1e-9);
	assert_close(failures_chance(2, 4, 2, 4), 1, 1e-9);
	assert_close(failures_chance(0, 100, 0, 100), 1, 1e-9);
	assert_close(failures_chance(100, 100, 100, 100), 1, 1e-9);
	assert_true(failures_chance(0, 1000000, 1000000, 1000000) < 1e-100);
	/* Impossibly large numbers end soon. */
	assert_true(failures_chance(1ULL << 62, 1ULL << 63, 1ULL << 61, 1ULL << 63) <= 1);
	assert_close(failures_chance(2, 1, 0, 10), 1, 1e-9);
}

/* Values from tables of Student's distribution. */
static void test_student(void **state)
{
	static const struct {
		double chance, freedom, limit;
	} table[] = {
		{ 0.05, 1, 12.706 },  { 0.01, 1, 63.657 },  { 0.05, 4, 2.7764 }, { 0.01, 4, 4.6041 },
		{ 0.001, 4, 8.6103 }, { 0.05, 10, 2.2281 }, { 0.001, 30, 3.6460 },
		{ 0.05, 1000, 1.9623 }, { 0.05, 1e9, 1.9602 }, { 0.0001, 8, 7.1200 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_close(student_limit(table[i].chance, table[i].freedom), table[i].limit, 2e-4);
		assert_close(student_chance(table[i].limit, table[i].freedom), table[i].chance, 2e-3);
		assert_close(student_chance(-table[i].limit, table[i].freedom), table[i].chance, 2e-3);
	}
	assert_close(student_chance(0, 3), 1, 1e-12);
	assert_true(student_chance(1e200, 3) < 1e-100);
	assert_true(student_chance(INFINITY, 3) == 0);
}

/* The median of n lives has the variance pi/2 sigma^2/n, on average. */
static void test_variance(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (size_t k = 1; k < SIZES; k++) {
		double sum = 0;

		for (unsigned int round = 0; round < 200; round++) {
			renew();
			add_random(sides.a, sizes[k], &seed, MS, 0.5);
			sum += percentile_variance(sides.a, 50) / 200;
		}
		assert_close(sum, M_PI / 2 * 0.25 / sizes[k], 0.2);
	}
	/* Two standard deviations of the median's rank are 10 of 100: twice that is 20, and e^4 here. */
	renew();
	for (int i = 0; i < 100; i++)
		add(sides.a, 1, MS * exp(0.2 * i));
	assert_close(percentile_variance(sides.a, 50), 1, 0.03);
	renew();
	add(sides.a, 100, 0);
	assert_true(percentile_variance(sides.a, 50) == 0);
	add(sides.a, 100, 0x1p63);
	assert_true(percentile_variance(sides.a, 50) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_equal, begin, end),
		cmocka_unit_test_setup_teardown(test_median, begin, end),
		cmocka_unit_test_setup_teardown(test_factor, begin, end),
		cmocka_unit_test_setup_teardown(test_zero, begin, end),
		cmocka_unit_test_setup_teardown(test_small, begin, end),
		cmocka_unit_test_setup_teardown(test_tail, begin, end),
		cmocka_unit_test_setup_teardown(test_too_few, begin, end),
		cmocka_unit_test_setup_teardown(test_noise, begin, end),
		cmocka_unit_test_setup_teardown(test_planted, begin, end),
		cmocka_unit_test_setup_teardown(test_shared, begin, end),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_failures_chance),
		cmocka_unit_test(test_student),
		cmocka_unit_test_setup_teardown(test_variance, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
