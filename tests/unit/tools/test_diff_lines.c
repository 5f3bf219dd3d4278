// SPDX-License-Identifier: GPL-2.0-only
/* The lines of proclife-read --diff: their counts, their order, and their number. */
#include "sides.h"

/* This many processes; the first ones fail. */
static void put_group(const char *comm, unsigned int count, unsigned int failed, uint64_t life)
{
	uint64_t seed = count;

	for (unsigned int i = 0; i < count; i++) {
		struct who who = process_of_pid(2000 + i, comm);

		story_put(fork_record(0, &who, &init));
		machine->now += life + random_below(&seed, life / 20);
		story_exit(&who, &init, i < failed ? 256 : 0);
		machine->now += 300000;
		story_reap(&who, &init);
		machine->now += 300000;
		story_put(free_record(0, &who));
	}
}

static void begin_record(unsigned int number)
{
	story_begin(dirs[number]);
	init = process_of_pid(1, "init");
	put_group("make", 40, 0, 30 * MS);
	put_group("sh", 40, 0, 10 * MS);
}

/* The share of failures, by the lives of each side. */
static void test_failures(void **state)
{
	(void)state;
	begin_record(0);
	put_group("ld", 40, 10, 20 * MS);
	story_end();
	begin_record(1);
	put_group("ld", 80, 70, 20 * MS);
	story_end();
	expect(dirs[0], dirs[1], "--json", 2,
	       "\"group\":\"ld\",\"phase\":null,\"statistic\":\"failed\",\"a\":10,\"b\":70,\"ratio\":3.5,"
	       "\"others\":null,\"count_a\":40,\"count_b\":80}\n");
	expect(dirs[0], dirs[1], "--json", 2, "\"complete\":true,\"lives\":120,\"failed\":10}\n");
	expect(dirs[0], dirs[1], "--json", 2, "\"complete\":true,\"lives\":160,\"failed\":70}\n");
}

/* With many comparisons, a change has to be less likely by chance than with one alone. */
static void test_many_failures(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
	struct output out;

	(void)state;
	for (unsigned int side = 0; side < 2; side++) {
		begin_record(side);
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			put_group(names[i], 30, 1, 10 * MS);
		put_group("some", 30, side ? 8 : 0, 10 * MS);
		story_end();
	}
	expect(dirs[0], dirs[1], "", 0, "\nFailed on side B alone, too seldom to judge: some 8 of 30\n");
	expect(dirs[0], dirs[1], "--json", 0, "\"reason\":\"few_failures\",\"lives_a\":30,\"lives_b\":30,"
	       "\"failed_a\":0,\"failed_b\":8}\n");
	/* A change is not also shown as a note. */
	out = run_program(false, 0, "%s --diff %s %s --comm some", program, dirs[0], dirs[1]);
	assert_int_equal(out.status, 2);
	assert_non_null(strstr(out.text, "\nsome                     failed "));
	assert_null(strstr(out.text, "too seldom"));
	free(out.text);
}

/* The largest comes first; a time that is longer is bad, and a shorter one good. */
static void test_order(void **state)
{
	static const char *const same[] = { "a", "b", "c", "d", "e" };
	struct output out;
	const char *first, *second, *third;

	(void)state;
	for (unsigned int side = 0; side < 2; side++) {
		begin_record(side);
		for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
			put_group(same[i], 40, 0, 10 * MS);
		put_group("as", 40, 0, (side ? 30 : 20) * MS);
		put_group("cc", 40, 0, (side ? 24 : 20) * MS);
		put_group("ld", 40, 0, (side ? 5 : 20) * MS);
		story_end();
	}
	out = run_program(false, 0, "%s --diff %s %s --color always", program, dirs[0], dirs[1]);
	assert_int_equal(out.status, 2);
	first = strstr(out.text, "\nld ");
	second = strstr(out.text, "\nas ");
	third = strstr(out.text, "\ncc ");
	if (!first || !second || !third || first > second || second > third ||
	    strncmp(strchr(first, '\033'), "\033[32m   0.25\033[0m", 16) ||
	    strncmp(strchr(second, '\033'), "\033[31m   1.50\033[0m", 16))
		fail_msg("%s", out.text);
	assert_non_null(strstr(out.text, "\033[2mOne recording a side "));
	free(out.text);
}

/* Groups on one side alone, with their number of lives; as many as there is room for. */
static void test_one_side(void **state)
{
	(void)state;
	begin_record(0);
	put_group("stale", 2, 0, MS);
	story_end();
	begin_record(1);
	put_group("fresh", 3, 0, MS);
	for (char name[] = "new_a"; name[4] < 'f'; name[4]++)
		put_group(name, 4, 0, MS);
	story_end();
	expect(dirs[0], dirs[1], "", 0, "\nOn side A alone: stale (2)\n");
	expect(dirs[0], dirs[1], "", 0, "\nOn side B alone: fresh (3), new_a (4), new_b (4), new_c (4), "
	       "new_d (4), new_e (4)\n");
	setenv("COLUMNS", "60", 1);
	expect(dirs[0], dirs[1], "", 0, "\nOn side B alone: fresh (3), new_a (4), 4 more\n");
	unsetenv("COLUMNS");
}

/* Changes beyond the limit are counted. */
static void test_many_changes(void **state)
{
	(void)state;
	begin_record(0);
	for (char name[] = "gone_a0"; name[5] < 'a' + 6; name[5]++)
		for (name[6] = '0'; name[6] <= '9'; name[6]++)
			put_group(name, 20, 0, MS);
	story_end();
	begin_record(1);
	story_end();
	expect(dirs[0], dirs[1], "", 2, "\n10 smaller changes; --json has them all\n");
	expect(dirs[0], dirs[1], "", 2, "\n60 changes by a factor of 1.1 or more\n");
}

/* A line counts the lives that have this time: not processes that live on. */
static void test_counts(void **state)
{
	(void)state;
	for (unsigned int side = 0; side < 2; side++) {
		begin_record(side);
		put_group("cc", 50, 0, (side ? 40 : 20) * MS);
		for (unsigned int i = 0; i < 7 && side; i++)
			story_fork(&init, 3000 + i, "cc");
		story_end();
	}
	expect(dirs[0], dirs[1], "--json", 2, "\"count_a\":50,\"count_b\":50}\n");
	expect(dirs[1], dirs[0], "--json", 2, "\"count_a\":50,\"count_b\":50}\n");
	/* Counts all lives of each side. */
	expect(dirs[0], dirs[1], "", 2, "\nlife      A      130  10.0 ms  20.4 ms ");
	expect(dirs[0], dirs[1], "", 2, "\n          B      130  10.0 ms  31.2 ms ");
}

static void test_large_counts(void **state)
{
	(void)state;
	for (unsigned int side = 0; side < 2; side++) {
		begin_record(side);
		put_group("cc", 1234 + side, 0, (side ? 40 : 20) * MS);
		story_end();
	}
	expect(dirs[0], dirs[1], "", 2, "   1,234   1,235\n");
	expect(dirs[0], dirs[1], "", 2, "\nlife      A    1,314  ");
}

/* A cgroup that is made again has another number, and is the same group. */
static void test_cgroup_again(void **state)
{
	struct proclife_record record;

	(void)state;
	for (unsigned int side = 0; side < 2; side++) {
		story_begin(dirs[side]);
		init = process_of_pid(1, "init");
		for (unsigned int i = 0; i < 60; i++) {
			struct who who = process_of_pid(2000 + i, "cc");

			record = fork_record(0, &who, &init);
			record.fork.cgroup = 90 + i / 20;
			story_put(record);
			machine->now += (side ? 40 : 20) * MS + i;
			story_exit(&who, &init, 0);
			record = reap_record(0, &who, &init);
			record.reap.cgroup = 90 + i / 20;
			story_put(record);
			story_put(free_record(0, &who));
		}
		story_end();
		story_cgroups(dirs[side], "90 /job\n91 /job\n92 /job\n");
	}
	expect(dirs[0], dirs[1], "--by cgroup --json", 2, "\"phase\":\"life\",\"statistic\":\"p50\"");
	expect(dirs[0], dirs[1], "--by cgroup --json", 2, "\"count_a\":60,\"count_b\":60}\n");
}

/* Only selected processes that were born in the recording: others have the same name. */
static void test_selected(void **state)
{
	(void)state;
	for (unsigned int side = 0; side < 2; side++) {
		begin_record(side);
		for (unsigned int i = 0; i < 100; i++) {
			struct who who = process_of_pid(2000 + i, "cc");
			struct proclife_record record = fork_record(0, &who, &init);

			record.fork.uid = i < 60 ? 10 : 20;
			if (i % 60 == 59) {
				record = task_record(0, &who, &init);
				record.state.uid = 10;
			}
			story_put(record);
			machine->now += (side && i < 60 ? 40 : 20) * MS + 1000 * i;
			story_exit(&who, &init, 0);
			story_bury(&who, &init);
		}
		story_end();
	}
	expect(dirs[0], dirs[1], "--uid 10 --json", 2, "\"phase\":\"alone\",\"statistic\":\"p50\"");
	expect(dirs[0], dirs[1], "--uid 10 --json", 2, "\"count_a\":59,\"count_b\":59}\n");
}

/* A shell that starts more lives longer: its children are reported, and not its life. */
static void test_more_below(void **state)
{
	(void)state;
	for (unsigned int side = 0; side < 2; side++) {
		begin_record(side);
		for (unsigned int i = 0; i < 40; i++) {
			struct who shell = story_fork(&init, 3000 + i, "dash"), who;

			for (unsigned int k = 0; k < (side ? 3 : 1); k++) {
				who = process_of_pid(4000 + i, "cc");
				story_live(&who, &shell, 10 * MS + 1000 * i, 0, 0);
			}
			machine->now += 5 * MS + 1000 * i;
			story_exit(&shell, &init, 0);
			story_bury(&shell, &init);
		}
		story_end();
	}
	expect(dirs[0], dirs[1], "", 2, "\n1 change by a factor of 1.1 or more\n");
	expect(dirs[0], dirs[1], "", 2, "\ncc                       processes ");
	expect(dirs[0], dirs[1], "", 2, "\nLife not judged, as what they start has changed: dash\n");
}

static void expect_several(int status, const char *part)
{
	struct output out = run_program(false, 0, "%s --diff %s %s --against %s %s", program, dirs[0],
					dirs[1], dirs[2], dirs[3]);

	if (out.status != status || !strstr(out.text, part))
		fail_msg("status %d:\n%s\nwithout:\n%s", out.status, out.text, part);
	free(out.text);
}

/* A note needs all runs of one side and none of the other; what a single run has does not count. */
static void test_runs_agree(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		begin_record(i);
		put_group("ld", 100, i == 3 ? 50 : 0, 20 * MS);
		if (i < 2)
			put_group("once", i ? 5 : 30, 0, 10 * MS);
		story_end();
	}
	expect_several(0, "\nA2  ");
	expect_several(0, "\nB1  ");
	expect_several(0, "\nOn side A alone: once (35)\n");
	expect_several(0, "\nFailed on side B alone, too seldom to judge: ld 50 of 200\n");
}

/* Times this short differ by any factor, which does not matter. */
static void test_short_times(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t seed = i;

		begin_record(i);
		for (unsigned int k = 0; k < 100; k++) {
			struct who who = process_of_pid(2000 + k, "cc");

			story_live(&who, &init, 10 * MS, (i < 2 ? 3000 : 9000) + random_below(&seed, 100),
				   MS);
		}
		story_end();
	}
	expect_several(0, "Nothing has changed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_failures, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_many_failures, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_order, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_one_side, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_many_changes, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_counts, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_large_counts, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_cgroup_again, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_selected, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_more_below, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_runs_agree, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_short_times, begin, story_teardown),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
