// SPDX-License-Identifier: GPL-2.0-only
/* Several runs a side: planted changes are found, and differences between runs of a machine are noise. */
#include "check.h"

#include <tools/diff/spread.h>
#include <math.h>
#include <stdio.h>

#define MOST_GROUPS 24
#define MOST_RUNS 8
#define FACTOR 1.1

/* A machine, and what is planted into its side B. */
struct machine {
	size_t groups;
	size_t a;
	size_t b;
	double drift;	/* a factor that all groups of a run share, up to this much */
	double noise;	/* of a group in a run: a standard deviation */
	double noisy;	/* the first group's noise, if it differs */
	double planted; /* factor on the last group: 0 means 1 */
	double shared;	/* factor on all */
};

struct found {
	bool shared;
	size_t groups;
	bool planted;
};

static double uniform(uint64_t *seed)
{
	return ((double)(next_random(seed) >> 11) + 0.5) / (double)(1ULL << 53);
}

static double normal(uint64_t *seed)
{
	double radius = sqrt(-2 * log(uniform(seed)));

	return radius * cos(2 * M_PI * uniform(seed));
}

static double runs[MOST_GROUPS][MOST_RUNS];
static struct sample samples[MOST_GROUPS];

static void simulate(const struct machine *m, uint64_t *seed)
{
	for (size_t r = 0; r < m->a + m->b; r++) {
		double run = log(1 + m->drift * (2 * uniform(seed) - 1));

		if (r >= m->a && m->shared)
			run += log(m->shared);
		for (size_t g = 0; g < m->groups; g++) {
			double noise = g || !m->noisy ? m->noise : m->noisy;

			runs[g][r] = 15 + (double)g / 3 + run + noise * normal(seed);
			if (r >= m->a && g == m->groups - 1 && m->planted)
				runs[g][r] += log(m->planted);
		}
	}
	for (size_t g = 0; g < m->groups; g++)
		samples[g] = (struct sample){ .runs = runs[g] };
}

/* Compares as --diff does, with five figures. */
static struct found look(const struct machine *m, uint64_t *seed)
{
	size_t comparisons = 5 * (m->groups + 1);
	struct found found = { false, 0, false };
	struct spread spread;

	simulate(m, seed);
	spread_measure(samples, m->groups, m->a, m->b, &spread);
	found.shared = fabs(spread.shared) >= log(FACTOR) &&
		       is_beyond_noise(spread.shared, spread.shared_error, spread.shared_freedom,
				       comparisons);
	for (size_t g = 0; g < m->groups; g++) {
		if (fabs(samples[g].change) < log(FACTOR) ||
		    !is_beyond_noise(samples[g].change, samples[g].error, spread.freedom,
				     comparisons))
			continue;
		found.groups++;
		found.planted |= g == m->groups - 1;
	}
	return found;
}

#define MACHINES 4000

/* The number of machines of which anything was claimed. */
static unsigned int claims(const struct machine *m)
{
	unsigned int n = 0;
	uint64_t seed = 1;

	for (unsigned int i = 0; i < MACHINES; i++) {
		struct found found = look(m, &seed);

		n += found.shared || found.groups;
	}
	return n;
}

/*
 * One of five figures may have a fifth of FALSE_CLAIMS: 8 of 4000, and by chance up to 17. If one
 * group is ten times as noisy as the others, its noise is estimated from few runs: more than that.
 */
static void test_nothing_planted(void **state)
{
	static const struct {
		struct machine machine;
		unsigned int most;
	} cases[] = {
		{ { .groups = 3, .a = 3, .b = 3, .drift = 0.2, .noise = 0.05 }, 17 },
		{ { .groups = 10, .a = 3, .b = 3, .drift = 0.2, .noise = 0.05 }, 17 },
		{ { .groups = 24, .a = 3, .b = 3, .drift = 0.2, .noise = 0.1 }, 17 },
		{ { .groups = 5, .a = 2, .b = 2, .drift = 0.2, .noise = 0.05 }, 17 },
		{ { .groups = 5, .a = 4, .b = 1, .drift = 0.2, .noise = 0.05 }, 17 },
		{ { .groups = 2, .a = 3, .b = 3, .drift = 0.2, .noise = 0.1 }, 17 },
		{ { .groups = 1, .a = 3, .b = 3, .drift = 0.2, .noise = 0.1 }, 17 },
		{ { .groups = 10, .a = 4, .b = 4, .drift = 0, .noise = 0.3 }, 17 },
		{ { .groups = 10, .a = 3, .b = 3, .drift = 0.2, .noise = 0.03, .noisy = 0.3 }, 80 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		unsigned int n = claims(&cases[i].machine);

		if (n > cases[i].most)
			fail_msg("case %zu: %u false claims of %d machines", i, n, MACHINES);
	}
}

/* It is found, and nothing else, at least this often in 200. */
static void expect_found(const struct machine *m, unsigned int least)
{
	unsigned int found = 0, others = 0;
	uint64_t seed = 3;

	for (unsigned int i = 0; i < 200; i++) {
		struct found now = look(m, &seed);

		found += now.planted;
		others += now.shared || now.groups > now.planted;
	}
	if (found < least || others > 2)
		fail_msg("found in %u of 200, others in %u", found, others);
}

static void test_planted(void **state)
{
	struct machine twice = {
		.groups = 5, .a = 3, .b = 3, .drift = 0.2, .noise = 0.08, .planted = 2,
	};
	struct machine slightly = {
		.groups = 8, .a = 3, .b = 3, .drift = 0.2, .noise = 0.02, .planted = 1.2,
	};

	(void)state;
	expect_found(&twice, 195);
	expect_found(&slightly, 195);
	/* One of three programs. */
	twice.groups = 3;
	twice.noise = 0.05;
	expect_found(&twice, 190);
	/* Shorter is a change, too. */
	twice.planted = 0.5;
	expect_found(&twice, 190);
	/* With two runs a side, the noise has to be smaller. */
	twice = (struct machine){
		.groups = 3, .a = 2, .b = 2, .drift = 0.2, .noise = 0.02, .planted = 2,
	};
	expect_found(&twice, 190);
}

/* All are slower: that is reported once, and only if runs of a side do not differ by as much. */
static void test_shared(void **state)
{
	struct machine m = { .groups = 8, .a = 3, .b = 3, .drift = 0.01, .noise = 0.03, .shared = 1.3 };
	unsigned int found = 0, groups = 0;
	uint64_t seed = 9;

	(void)state;
	for (unsigned int i = 0; i < 200; i++) {
		struct found now = look(&m, &seed);

		found += now.shared;
		groups += !!now.groups;
	}
	assert_true(found >= 190);
	assert_true(groups <= 2);
	m.drift = 0.2;
	for (unsigned int i = found = 0; i < 200; i++)
		found += look(&m, &seed).shared;
	assert_true(found <= 10);
}

/* By hand: two groups, two runs a side; the second group is another in B, the runs drift apart. */
static void test_by_hand(void **state)
{
	static const double one[] = { 1, 3, 5, 7 }, two[] = { 2, 4, 8, 10 }, three[] = { 4, 6, 8, 10 };
	struct sample set[] = { { .runs = one }, { .runs = two }, { .runs = three } };
	struct spread spread;

	(void)state;
	spread_measure(set, 3, 2, 2, &spread);
	/* Each run is 1 off its side's mean in all groups. */
	assert_true(spread.shared == 4);
	assert_true(fabs(spread.shared_error - sqrt(4.0 / 2)) < 1e-9);
	assert_true(spread.shared_freedom == 2 && spread.freedom == 4);
	assert_true(set[0].a == 2 && set[0].b == 6 && set[1].change == 2 && set[2].change == 0);
	/* No group deviates from its run: there is no noise. */
	assert_true(set[1].error == 0);
	assert_true(is_beyond_noise(2, 0, 4, 10));
	assert_false(is_beyond_noise(0, 0, 4, 10));
	/* A single group cannot be separated from what all share. */
	spread_measure(set, 1, 2, 2, &spread);
	assert_true(spread.freedom == 0 && set[0].change == 0 && spread.shared == 4);
	assert_false(is_beyond_noise(4, 1e-9, spread.freedom, 1));
}

/* One of three groups deviates: by its residue, as the others have to share it. */
static void test_noisy_by_hand(void **state)
{
	static const double same[] = { 3, 3, 3, 3 }, noisy[] = { 4, 2, 4, 2 };
	struct sample set[] = { { .runs = same }, { .runs = noisy }, { .runs = same } };
	struct spread spread;

	(void)state;
	spread_measure(set, 3, 2, 2, &spread);
	assert_true(spread.shared == 0 && spread.shared_error == 0);
	/* All of them: 4 of 4 degrees of freedom; its own: 4 of 2, two thirds of which are its own. */
	assert_true(fabs(set[0].error - sqrt(1 + M_PI / 6)) < 1e-9);
	assert_true(fabs(set[1].error - sqrt(3 * (1 + M_PI / 6))) < 1e-9);
}

/* Few lives are noise, however well they agree. */
static void test_few_lives(void **state)
{
	static const double same[] = { 5, 5, 5, 5, 5, 5 }, more[] = { 5, 5, 5, 5.3, 5.3, 5.3 };
	struct sample set[] = { { same, .variance = 0.04 }, { more, .variance = 0.04 },
				{ same, .variance = 0.04 } };
	struct spread spread;

	(void)state;
	spread_measure(set, 3, 3, 3, &spread);
	/* The median of three groups has the variance of a mean of 6/pi. */
	assert_true(fabs(spread.shared_error - sqrt(0.04 * 2 / 3 * M_PI / 6)) < 1e-9);
	assert_true(fabs(set[1].error - sqrt(0.04 * 2 / 3 * (1 + M_PI / 6))) < 1e-9);
	assert_false(is_beyond_noise(set[1].change, set[1].error, spread.freedom, 15));
	assert_true(least_beyond_noise(set[1].error, spread.freedom, 15) > 0.3);
}

static void test_median(void **state)
{
	double odd[] = { 3, -9, 5 }, even[] = { 5, -9, -1, 2 }, down[] = { -5, -2, -3, -4 }, one[] = { 7 };

	(void)state;
	assert_true(median_nearest_none(odd, 3) == 3);
	assert_true(median_nearest_none(even, 4) == -1);
	assert_true(median_nearest_none(down, 4) == -3);
	assert_true(median_nearest_none(one, 1) == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_planted),
		cmocka_unit_test(test_planted),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_noisy_by_hand),
		cmocka_unit_test(test_few_lives),
		cmocka_unit_test(test_median),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
