// SPDX-License-Identifier: GPL-2.0-only
/* CPU time as the kernel splits it: the measured time, in the ratio of the samples. */
#include "check.h"
#include "records.h"

static void test_cputime(void **state)
{
	uint64_t user, system, random = 1;

	(void)state;
	proclife_cputime(1000, 30, 10, &user, &system);
	assert_int_equal(user, 750);
	assert_int_equal(system, 250);
	/* Without samples it is all user time, as in the kernel. */
	proclife_cputime(1000, 0, 0, &user, &system);
	assert_int_equal(user, 1000);
	assert_int_equal(system, 0);
	proclife_cputime(1000, 0, 4, &user, &system);
	assert_int_equal(user, 0);
	assert_int_equal(system, 1000);
	proclife_cputime(1000, 4, 0, &user, &system);
	assert_int_equal(user, 1000);
	assert_int_equal(system, 0);
	proclife_cputime(0, 5, 5, &user, &system);
	assert_int_equal(user + system, 0);
	/* Half a year of CPU time on a thousand CPUs. */
	proclife_cputime(18000000000000000000ULL, 1ULL << 62, 1ULL << 62, &user, &system);
	assert_int_equal(user, 9000000000000000000ULL);
	assert_int_equal(system, 9000000000000000000ULL);
	for (int i = 0; i < 10000; i++) {
		uint64_t runtime = next_random(&random) >> random_below(&random, 64);
		uint64_t utime = next_random(&random) >> random_below(&random, 64);
		uint64_t stime = next_random(&random) >> random_below(&random, 64);

		proclife_cputime(runtime, utime, stime, &user, &system);
		assert_true(user <= runtime && system <= runtime);
		assert_int_equal(user + system, runtime);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cputime),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
