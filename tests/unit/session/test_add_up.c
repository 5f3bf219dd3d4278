// SPDX-License-Identifier: GPL-2.0-only
/* Figures of several recordings equal those of one run with all their lives. */
#include "fake_device.h"
#include "story.h"

#include <recording/ctf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dirs[4][PATH_MAX / 2 + 8];
static struct who init;

static int begin(void **state)
{
	(void)state;
	folder_make(&folder);
	for (unsigned int i = 0; i < 4; i++)
		snprintf(dirs[i], sizeof(dirs[i]), "%s/%c", folder.base, "abcd"[i]);
	return 0;
}

static void put_part(uint64_t seed)
{
	static const char *const names[] = { "x-cc", "x-ld", "x-sh" };
	struct who who;

	for (uint32_t i = 0; i < 150; i++) {
		who = process_of_pid(100 + i, names[random_below(&seed, 3)]);
		story_live(&who, &init, random_below(&seed, 50 * MS), random_below(&seed, MS),
			   random_below(&seed, 20 * MS));
	}
	/* Only in this part. */
	who = process_of_pid(300, seed % 2 ? "x-odd" : "x-even");
	story_live(&who, &init, MS, MS, MS);
	/* Open at the end. */
	who = story_fork(&init, 301 + seed % 50, "x-zombie");
	story_exit(&who, &init, 0);
}

static void record(const char *path, uint64_t first, uint64_t second)
{
	story_begin(path);
	init = process_of_pid(1, "init");
	put_part(first);
	if (second)
		put_part(second);
	story_end();
}

/* Skips the beginning, which differs, and the slowest lives, which belong to one recording alone. */
static char *figures(const char *inputs, const char *options)
{
	struct output out = run_program(false, 0, "%s %s --latency --json %s", program, inputs, options);
	char *from, *to;

	assert_int_equal(out.status, 0);
	from = out.text;
	while (!strncmp(from, "{\"v\":1,\"type\":\"trace\"", 21))
		from = strchr(from, '\n') + 1;
	assert_true(from > out.text);
	to = strstr(from, "{\"v\":1,\"type\":\"slowest\"");
	if (!to)
		to = strstr(from, "{\"v\":1,\"type\":\"end\"");
	assert_non_null(to);
	*to = '\0';
	from = strdup(from);
	free(out.text);
	return from;
}

static void test_equal(void **state)
{
	static const char *const options[] = {
		"--comm x*", "--comm x* --by comm", "--comm x* --by cgroup --threads",
		"--comm x* --by uid", "--comm x-cc --by parent", "--comm x-even --by reaper",
	};
	char inputs[2 * PATH_MAX], one[PATH_MAX];

	(void)state;
	record(dirs[0], 1, 0);
	record(dirs[1], 2, 0);
	record(dirs[2], 1, 2);
	snprintf(inputs, sizeof(inputs), "-i %s -i %s", dirs[0], dirs[1]);
	snprintf(one, sizeof(one), "-i %s", dirs[2]);
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		char *several = figures(inputs, options[i]), *whole = figures(one, options[i]);

		if (strcmp(several, whole))
			fail_msg("%s:\n%.400s\ninstead of\n%.400s", options[i], several, whole);
		assert_true(strlen(whole) > 400);
		free(several);
		free(whole);
	}
}

/* Both together, by cgroup: only lives that were seen from their beginning. */
static void expect_groups(const char *first, const char *second)
{
	static const char life[] = "\"phase\":\"life\",\"count\":";
	struct output out = run_program(false, 0, "%s -i %s -i %s --latency --by cgroup --json",
					program, dirs[0], dirs[1]);
	const char *at = strstr(out.text, "\"by\":"); /* after the figures of all together */
	size_t count = 0;

	assert_int_equal(out.status, 0);
	assert_non_null(at);
	while ((at = strstr(at, life))) {
		at += strlen(life);
		count += *at != '0';
	}
	if (count != (second ? 2 : 1) || !strstr(out.text, first) ||
	    (second && !strstr(out.text, second)))
		fail_msg("%s\n%s\nare not all of\n%s", first, second ? second : "", out.text);
	free(out.text);
}

#define LIVES(n) ",\"phase\":\"life\",\"count\":" #n ","

/* Numbers of cgroups are valid for one boot, paths for all. */
static void test_cgroups(void **state)
{
	(void)state;
	record(dirs[0], 1, 0);
	record(dirs[1], 2, 0);
	expect_groups("\"group\":null,\"cgroup\":77" LIVES(304), NULL);
	story_cgroups(dirs[0], "77 /a\n");
	expect_groups("\"group\":\"/a\",\"cgroup\":77" LIVES(152), "\"group\":null" LIVES(152));
	story_cgroups(dirs[1], "77 /b\n");
	expect_groups("\"group\":\"/a\",\"cgroup\":77" LIVES(152),
		      "\"group\":\"/b\",\"cgroup\":18446744073709551615" LIVES(152));
	story_cgroups(dirs[1], "77 /a\n");
	expect_groups("\"group\":\"/a\",\"cgroup\":77" LIVES(304), NULL);
}

static void test_verdict(void **state)
{
	char line[3 * PATH_MAX];
	struct output out;

	(void)state;
	record(dirs[0], 1, 0);
	record(dirs[1], 2, 0);
	record(dirs[2], 3, 0);
	snprintf(line, sizeof(line),
		 "%s -i %s -i %s -i %s --expect life.count==456 --expect zombies==3 --ktap", program,
		 dirs[0], dirs[1], dirs[2]);
	out = run_program(false, 0, "%s", line);
	if (out.status)
		fail_msg("%d\n%s", out.status, out.text);
	free(out.text);
	/* There are no slowest lives of a sum. */
	out = run_program(false, 0, "%s -i %s -i %s --latency", program, dirs[0], dirs[1]);
	assert_int_equal(out.status, 0);
	assert_null(strstr(out.text, "SLOWEST"));
	free(out.text);
}

static void test_refused(void **state)
{
	static const char *const by_exits[] = { "life", "alone", "kill", "teardown", "exit_free" };
	static const char *const others[] = { "", "--top 3", "--sort rcu_free", "--sort cpu", "--sort zombie" };
	char line[5 * PATH_MAX], said[5 * PATH_MAX], path[PATH_MAX];

	(void)state;
	record(dirs[0], 1, 0);
	story_begin_on(dirs[1], "6.1", PROCLIFE_EXIT_AFTER_MM);
	put_part(2);
	story_end();
	snprintf(line, sizeof(line), "%s -i %s -i %s --latency", program, dirs[0], dirs[1]);
	snprintf(said, sizeof(said), "proclife-read: %s and %s cannot be added up: exits begin "
		 "before the address space is torn down in the one, after the address space is torn "
		 "down in the other; show each alone\n", dirs[0], dirs[1]);
	expect_output(true, 1, line, said);
	/* The same kernel, with EXITING. */
	story_features = PROCLIFE_KNOWN_TYPES;
	record(dirs[3], 3, 0);
	story_features = WITHOUT_EXITING;
	snprintf(line, sizeof(line), "%s -i %s -i %s --latency", program, dirs[0], dirs[3]);
	snprintf(said, sizeof(said), "proclife-read: %s and %s cannot be added up: exits begin "
		 "before the address space is torn down in the one, where do_exit() begins in the "
		 "other; show each alone\n", dirs[0], dirs[3]);
	expect_output(true, 1, line, said);
	/* They are not ranked together by phases that depend on it, either. */
	snprintf(said, sizeof(said), "proclife-read: %s and %s cannot be ranked together: exits begin "
		 "before the address space is torn down in the one, where do_exit() begins in the "
		 "other; show each alone\n", dirs[0], dirs[3]);
	for (size_t i = 0; i < sizeof(by_exits) / sizeof(*by_exits); i++) {
		snprintf(line, sizeof(line), "%s -i %s -i %s --lives --sort %s", program, dirs[0], dirs[3],
			 by_exits[i]);
		expect_output(true, 1, line, said);
		expect_output(false, 1, line, "");
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		snprintf(line, sizeof(line), "%s -i %s -i %s --lives %s", program, dirs[0], dirs[3],
			 others[i]);
		expect_output(true, 0, line, "");
	}
	/* The exits are the same, but not the zombies: without NOTIFY these begin at the exit. */
	story_features = WITHOUT_EXITING & ~PROCLIFE_HAS(PROCLIFE_NOTIFY);
	record(dirs[2], 4, 0);
	story_features = WITHOUT_EXITING;
	for (size_t i = 0; i < 2; i++) {
		snprintf(line, sizeof(line), "%s -i %s -i %s %s", program, dirs[i ? 2 : 0], dirs[i ? 0 : 2],
			 i ? "--lives --sort zombie" : "--latency");
		snprintf(said, sizeof(said), "proclife-read: %s and %s cannot be %s: zombies begin %s in the one, %s in the "
			 "other; show each alone\n", dirs[i ? 2 : 0], dirs[i ? 0 : 2], i ? "ranked together" : "added up",
			 i ? "before the address space is torn down" : "when their parents are notified",
			 i ? "when their parents are notified" : "before the address space is torn down");
		expect_output(true, 1, line, said);
	}
	snprintf(line, sizeof(line), "%s -i %s -i %s --lives --sort exit_free", program, dirs[0], dirs[2]);
	expect_output(true, 0, line, "");
	snprintf(line, sizeof(line), "%s -i %s -i %s --latency", program, dirs[0], dirs[1]);
	/* A folder that is no recording. */
	snprintf(path, sizeof(path), "%s/metadata", dirs[1]);
	assert_int_equal(unlink(path), 0);
	snprintf(said, sizeof(said), "proclife-read: %s: not a recording: there is no metadata in "
		 "this folder; name one that proclife-read --record made\n", dirs[1]);
	expect_output(true, 1, line, said);
}

/* A recording twice, also under another name, and as a copy. */
static void test_same(void **state)
{
	char line[5 * PATH_MAX], said[4 * PATH_MAX];

	(void)state;
	record(dirs[0], 1, 0);
	record(dirs[3], 2, 0);
	assert_int_equal(symlink(dirs[0], dirs[1]), 0);
	assert_int_equal(mkdir(dirs[2], 0700), 0);
	copy_file(dirs[0], dirs[2], "metadata");
	copy_file(dirs[0], dirs[2], "cpu_0");
	for (size_t i = 0; i < 3; i++) {
		snprintf(line, sizeof(line), "%s -i %s -i %s -i %s --latency", program, dirs[0],
			 dirs[3], dirs[i]);
		snprintf(said, sizeof(said), "proclife-read: %s and %s are the same recording, "
			 "which would count twice; leave one of them out\n", dirs[0], dirs[i]);
		expect_output(true, 1, line, said);
		expect_output(false, 1, line, "");
	}
	snprintf(line, sizeof(line), "%s -i %s -i %s --expect life.count>300", program, dirs[0],
		 dirs[3]);
	expect_output(true, 0, line, "");
}

static void record_lossy(const char *path)
{
	story_begin(path);
	init = process_of_pid(1, "init");
	for (uint32_t i = 0; i < STORY_RING + 7; i++)
		story_wait(&init);
	story_end();
}

/* What is missing from one of them is missing from the sum. */
static void test_lost(void **state)
{
	char line[3 * PATH_MAX];

	(void)state;
	record(dirs[0], 1, 0);
	record_lossy(dirs[1]);
	snprintf(line, sizeof(line), "%s -i %s -i %s --latency", program, dirs[0], dirs[1]);
	expect_output(true, 3, line, "proclife-read: 7 records were lost when this was recorded: the "
				     "result is incomplete\n");
	snprintf(line, sizeof(line), "%s -i %s -i %s --expect lost==7", program, dirs[1], dirs[0]);
	expect_output(true, 3, line, "proclife-read: 7 records were lost when this was recorded: the "
				     "result is incomplete\n");
	record_lossy(dirs[2]);
	snprintf(line, sizeof(line), "%s -i %s -i %s -i %s --expect lost==14 --expect lost==7", program,
		 dirs[1], dirs[2], dirs[0]);
	expect_output(true, 2, line, "proclife-read: 14 records were lost when this was recorded: the "
				     "result is incomplete\n"
				     "proclife-read: expected lost==7, but it is 14\n");
}

/* A life with this length and CPU time, at this time of the story, and one that goes on. */
static void record_lives(const char *path, uint32_t pid, uint64_t life)
{
	struct who one, two;

	story_begin(path);
	init = process_of_pid(1, "init");
	one = story_fork(&init, pid, "one");
	two = story_fork(&init, pid + 1, "two");
	story_at(life);
	story_die(&one, &init, 0, life * MS, 0);
	story_at(life + 10);
	story_die(&two, &init, 1 << 8, 5 * MS, 0);
	story_bury(&two, &init);
	story_end();
}

#define HEAD "TIME     PID    PPID USER          LIFE      CPU STATUS   COMMAND\n"
#define A_ONE "    1.020000000      10       1 0          20.0 ms  20.0 ms 0        one\n"
#define A_TWO "    1.030000000      11       1 0          30.0 ms  5.00 ms 1        two\n"
#define B_ONE "    1.007000000      20       1 0          7.00 ms  7.00 ms 0        one\n"
#define B_TWO "    1.017000000      21       1 0          17.0 ms  5.00 ms 1        two\n"

/* Each recording's deaths follow its name; ranked, each line names its recording. */
static void test_lives(void **state)
{
	char line[3 * PATH_MAX], text[4 * PATH_MAX];

	(void)state;
	record_lives(dirs[0], 10, 20);
	record_lives(dirs[1], 20, 7);
	story_users(dirs[0], "1000 0\n");
	story_users(dirs[1], "1000 0\n");
	snprintf(line, sizeof(line), "%s -i %s -i %s --monotonic", program, dirs[0], dirs[1]);
	snprintf(text, sizeof(text), "           " HEAD "-- %s --\n" A_ONE A_TWO "-- %s --\n" B_ONE B_TWO
		 "\n4 deaths; at the end 2 zombies\n", dirs[0], dirs[1]);
	expect_output(false, 0, line, text);
	strcat(line, " --comm one --sort life");
	snprintf(text, sizeof(text), "IN            " HEAD " 1 " A_ONE " 2 " B_ONE
		 "\n2 of 4 deaths matched; at the end 2 zombies\nIN 1: %s\nIN 2: %s\n", dirs[0],
		 dirs[1]);
	expect_output(false, 0, line, text);
	snprintf(line, sizeof(line), "%s -i %s -i %s --monotonic --top 3", program, dirs[1], dirs[0]);
	snprintf(text, sizeof(text), "IN            " HEAD " 2 " A_ONE " 1 " B_ONE " 1 " B_TWO
		 "\n4 deaths, 3 shown; at the end 2 zombies\nIN 1: %s\nIN 2: %s\n", dirs[1], dirs[0]);
	expect_output(false, 0, line, text);
}

/* No process dies in the second recording: its name is there all the same. */
static void test_lives_of_nobody(void **state)
{
	char line[3 * PATH_MAX], text[4 * PATH_MAX];

	(void)state;
	record_lives(dirs[0], 10, 20);
	story_users(dirs[0], "1000 0\n");
	story_begin(dirs[1]);
	story_end();
	snprintf(line, sizeof(line), "%s -i %s -i %s --monotonic --failed", program, dirs[1], dirs[0]);
	snprintf(text, sizeof(text), "           " HEAD "-- %s --\n-- %s --\n" A_TWO
		 "\n1 of 2 deaths matched\n", dirs[1], dirs[0]);
	expect_output(false, 0, line, text);
}

/* An expectation is judged for all of them together. */
static void test_expected_failures(void **state)
{
	struct output out;

	(void)state;
	record_lives(dirs[0], 10, 20);
	record_lives(dirs[1], 20, 7);
	out = run_program(false, 0, "%s -i %s -i %s --expect failed==2", program, dirs[0], dirs[1]);
	if (out.status)
		fail_msg("%s", out.text);
	free(out.text);
	out = run_program(false, 0, "%s -i %s --expect failed==1", program, dirs[1]);
	assert_int_equal(out.status, 0);
	free(out.text);
	/* Without REAP, the number of zombies is not known. */
	metadata_set(dirs[0], "features", "\"0x7ffbf\"");
	metadata_set(dirs[1], "features", "\"0x7ffbf\"");
	out = run_program(false, 0, "%s -i %s -i %s --expect zombies==0", program, dirs[0], dirs[1]);
	assert_int_equal(out.status, 2);
	assert_non_null(strstr(out.text, "not measured"));
	free(out.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_equal, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_cgroups, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_verdict, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_refused, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_same, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_lost, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_lives, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_lives_of_nobody, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_expected_failures, begin, story_teardown),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
