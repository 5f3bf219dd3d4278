// SPDX-License-Identifier: GPL-2.0-only
/*
 * What --tree prints, to the last character: how much of it is shown, and that whatever is not shown
 * is counted in its place.
 */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t next_pid;

static int begin(void **state)
{
	next_pid = 100;
	return story_setup(state);
}

static struct who start(const struct who *parent, const char *comm, const char *path)
{
	struct who who = process_of_pid(next_pid++, parent->comm);

	story_put(fork_record(0, &who, parent));
	who.comm = comm;
	if (path)
		story_put(exec_record(0, &who, who.pid, path));
	return who;
}

static void quit(const struct who *who, const struct who *parent, uint32_t after, uint32_t cpu,
		 uint32_t rss, int32_t code)
{
	struct proclife_record record = exit_record(0, who, code, 0);

	machine->now += after * MS;
	record.exit.runtime = cpu * MS;
	record.exit.max_rss = rss;
	story_put(record);
	story_put(reap_record(0, who, parent));
	record = free_record(0, who);
	record.free.runtime = cpu * MS;
	story_put(record);
}

/* A shell that runs make, which compiles three files, and leaves a daemon behind. */
static void record_build(void)
{
	struct who init = process_of_pid(1, "init"), sh = start(&init, "sh", "/bin/sh");
	struct who make = start(&sh, "make", "/usr/bin/make"), cc, as;

	for (uint32_t i = 0; i < 3; i++) {
		cc = start(&make, "cc", "/usr/bin/cc");
		as = start(&cc, "as", NULL);
		quit(&as, &cc, 10 * (i + 1), 5 + i, 2000 + i, 0);
		quit(&cc, &make, 1, 30 - i, 9000, i == 2 ? 1 << 8 : 0);
	}
	as = start(&make, "true", "/bin/true");
	quit(&as, &make, 2, 1, 1000, 0);
	quit(&make, &sh, 1, 3, 3000, 2 << 8);
	start(&sh, "daemon", "/usr/sbin/daemon");
	quit(&sh, &init, 5, 2, 1500, 0);
	story_end();
}

static struct output tree(const char *options)
{
	struct output out = run_program(false, 0, "%s -i %s --tree %s", program, folder.path,
					options);

	assert_int_equal(out.status, 0);
	return out;
}

static void expect(const char *options, const char *text)
{
	struct output out = tree(options);

	if (strcmp(out.text, text))
		fail_msg("--tree %s:\n%s\ninstead of:\n%s", options, out.text, text);
	free(out.text);
}

#define HEAD "    PID      LIFE      CPU      RSS  PROCESS\n"
#define TOTALS "\n10 processes, 2 failed; 71.0 ms wall, 111 ms CPU (1.56 CPUs); no loss\n"

#define SHELL "    100   71.0 ms  2.00 ms 1.46 MiB  sh  parent 1"
#define MAKE "    101   66.0 ms  3.00 ms 2.93 MiB  |- make  status 2"
#define CC_1 "    102   11.0 ms  30.0 ms 8.79 MiB  |  |- cc"
#define AS_1 "    103   10.0 ms  5.00 ms 1.95 MiB  |  |  `- as"
#define CC_2 "    104   21.0 ms  29.0 ms 8.79 MiB  |  |- cc"
#define AS_2 "    105   20.0 ms  6.00 ms 1.95 MiB  |  |  `- as"
#define CC_3 "    106   31.0 ms  28.0 ms 8.79 MiB  |  |- cc  status 1"
#define AS_3 "    107   30.0 ms  7.00 ms 1.96 MiB  |  |  `- as"
#define TRUE "    108   2.00 ms  1.00 ms 0.98 MiB  |  `- true"
#define DAEMON "    109  >5.00 ms                    `- daemon  alive\n"

#define ALL HEAD SHELL "\n" MAKE "\n" CC_1 "\n" AS_1 "\n" CC_2 "\n" AS_2 "\n" CC_3 "\n" AS_3 "\n" TRUE \
	"\n" DAEMON TOTALS

static void test_all(void **state)
{
	(void)state;
	record_build();
	expect("", ALL);
	expect("--no-fold", ALL);
	expect("--depth 3", ALL);
	expect("--depth 4294967294", ALL);
	expect("--min-life 1ms", ALL);
}

static void test_depth(void **state)
{
	(void)state;
	record_build();
	expect("--depth 0",
	       HEAD SHELL "  + 9 processes below, 2 failed, 109 ms CPU\n" TOTALS
	       "+ 9 processes are counted, not shown: --depth 0\n");
	expect("--depth 1",
	       HEAD SHELL "\n" MAKE "  + 7 processes below, 1 failed, 106 ms CPU\n" DAEMON TOTALS
	       "+ 7 processes are counted, not shown: --depth 1\n");
	expect("--depth 2",
	       HEAD SHELL "\n" MAKE "\n"
	       CC_1 "  + 1 process below, 5.00 ms CPU\n"
	       CC_2 "  + 1 process below, 6.00 ms CPU\n"
	       CC_3 "  + 1 process below, 7.00 ms CPU\n"
	       TRUE "\n" DAEMON TOTALS
	       "+ 3 processes are counted, not shown: --depth 2\n");
}

/* The daemon can have lived longer than was seen. */
static void test_min_life(void **state)
{
	(void)state;
	record_build();
	expect("--min-life 2.5ms",
	       HEAD SHELL "\n" MAKE "  + 1 more below, 1.00 ms CPU\n" CC_1 "\n" AS_1 "\n" CC_2 "\n" AS_2
	       "\n    106   31.0 ms  28.0 ms 8.79 MiB  |  `- cc  status 1"
	       "\n    107   30.0 ms  7.00 ms 1.96 MiB  |     `- as\n" DAEMON TOTALS
	       "+ 1 process is counted, not shown: --min-life 2.50 ms\n");
	expect("--min-life 15ms --depth 2",
	       HEAD SHELL "\n" MAKE "  + 3 more below, 36.0 ms CPU\n"
	       CC_2 "  + 1 process below, 6.00 ms CPU\n"
	       "    106   31.0 ms  28.0 ms 8.79 MiB  |  `- cc  status 1"
	       "  + 1 process below, 7.00 ms CPU\n"
	       DAEMON TOTALS "+ 5 processes are counted, not shown: --depth 2, --min-life 15.0 ms\n");
	expect("--min-life 1h",
	       HEAD "    100   71.0 ms  2.00 ms 1.46 MiB  sh  context, parent 1"
	       "  + 8 more below, 2 failed, 109 ms CPU\n"
	       DAEMON TOTALS "+ 8 processes are counted, not shown: --min-life 1.00 h\n");
}

static void test_top(void **state)
{
	(void)state;
	record_build();
	expect("--top 2",
	       HEAD "    100   71.0 ms  2.00 ms 1.46 MiB  sh  context, parent 1"
	       "  + 1 more below, 0 ns CPU\n"
	       "    101   66.0 ms  3.00 ms 2.93 MiB  `- make  context, status 2"
	       "  + 3 more below, 1 failed, 36.0 ms CPU\n"
	       "    102   11.0 ms  30.0 ms 8.79 MiB     |- cc  #1"
	       "  + 1 process below, 5.00 ms CPU\n"
	       "    104   21.0 ms  29.0 ms 8.79 MiB     `- cc  #2"
	       "  + 1 process below, 6.00 ms CPU\n"
	       TOTALS "+ 6 processes are counted, not shown: --top 2:cpu\n");
	/* Equal ones are in the order of birth. */
	expect("--top 1:rss",
	       HEAD "    100   71.0 ms  2.00 ms 1.46 MiB  sh  context, parent 1"
	       "  + 1 more below, 0 ns CPU\n"
	       "    101   66.0 ms  3.00 ms 2.93 MiB  `- make  context, status 2"
	       "  + 5 more below, 1 failed, 71.0 ms CPU\n"
	       "    102   11.0 ms  30.0 ms 8.79 MiB     `- cc  #1"
	       "  + 1 process below, 5.00 ms CPU\n"
	       TOTALS "+ 7 processes are counted, not shown: --top 1:rss\n");
	expect("--top 2:life",
	       HEAD "    100   71.0 ms  2.00 ms 1.46 MiB  sh  #1, parent 1"
	       "  + 1 more below, 0 ns CPU\n"
	       "    101   66.0 ms  3.00 ms 2.93 MiB  `- make  #2, status 2"
	       "  + 7 processes below, 1 failed, 106 ms CPU\n"
	       TOTALS "+ 8 processes are counted, not shown: --top 2:life\n");
	expect("--top 1:count",
	       HEAD "    100   71.0 ms  2.00 ms 1.46 MiB  sh  #1, 9 descendants, parent 1"
	       "  + 9 processes below, 2 failed, 109 ms CPU\n"
	       TOTALS "+ 9 processes are counted, not shown: --top 1:count\n");
	/* Among those that other options leave. */
	expect("--top 1:cpu --depth 1",
	       HEAD "    100   71.0 ms  2.00 ms 1.46 MiB  sh  context, parent 1"
	       "  + 1 more below, 0 ns CPU\n"
	       "    101   66.0 ms  3.00 ms 2.93 MiB  `- make  #1, status 2"
	       "  + 7 processes below, 1 failed, 106 ms CPU\n"
	       TOTALS "+ 8 processes are counted, not shown: --depth 1, --top 1:cpu\n");
}

/* Roots have no parent to be counted at. */
static void test_roots(void **state)
{
	struct who init = process_of_pid(1, "init"), who;

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		who = start(&init, "job", NULL);
		quit(&who, &init, 1 + i, 1, 1000, i == 1 ? 9 : 0);
	}
	story_end();
	expect("--min-life 3.5ms",
	       HEAD "    103   4.00 ms  1.00 ms 0.98 MiB  job  parent 1\n"
	       "                                     + 3 processes, 1 failed, 3.00 ms CPU\n"
	       "\n4 processes, 1 failed; 10.0 ms wall, 4.00 ms CPU (0.40 CPUs); no loss\n"
	       "+ 3 processes are counted, not shown: --min-life 3.50 ms\n");
	expect("--min-life 1s",
	       HEAD "                                     + 4 processes, 1 failed, 4.00 ms CPU\n"
	       "\n4 processes, 1 failed; 10.0 ms wall, 4.00 ms CPU (0.40 CPUs); no loss\n"
	       "+ 4 processes are counted, not shown: --min-life 1.00 s\n");
}

#define ALIKE "xN stands for N that are alike: longest life, sum of CPU time, largest RSS\n"
#define ALL_LINES(count) "--no-fold shows all " #count " lines\n"

static void test_fold(void **state)
{
	(void)state;
	record_build();
	expect("--fold",
	       HEAD SHELL "\n" MAKE "\n"
	       "     x2   21.0 ms  59.0 ms 8.79 MiB  |  |- cc\n"
	       "     x2   20.0 ms  11.0 ms 1.95 MiB  |  |  `- as\n"
	       CC_3 "\n" AS_3 "\n" TRUE "\n" DAEMON TOTALS ALIKE ALL_LINES(10));
	/* Counts of what is cut below folded ones are added up. */
	expect("--fold --depth 2",
	       HEAD SHELL "\n" MAKE "\n"
	       "     x2   21.0 ms  59.0 ms 8.79 MiB  |  |- cc"
	       "  + 2 processes below, 11.0 ms CPU\n"
	       CC_3 "  + 1 process below, 7.00 ms CPU\n"
	       TRUE "\n" DAEMON TOTALS
	       "+ 3 processes are counted, not shown: --depth 2\n" ALIKE ALL_LINES(7));
	/* The remaining ones are not alike. */
	expect("--fold --min-life 15ms",
	       HEAD SHELL "\n" MAKE "  + 3 more below, 36.0 ms CPU\n" CC_2 "\n" AS_2 "\n"
	       "    106   31.0 ms  28.0 ms 8.79 MiB  |  `- cc  status 1\n"
	       "    107   30.0 ms  7.00 ms 1.96 MiB  |     `- as\n"
	       DAEMON TOTALS "+ 3 processes are counted, not shown: --min-life 15.0 ms\n");
}

static void record_many(uint32_t count)
{
	struct who init = process_of_pid(1, "init"), sh = start(&init, "sh", "/bin/sh"), who;

	for (uint32_t i = 1; i < count; i++) {
		who = start(&sh, "x", NULL);
		quit(&who, &sh, 1, 1, 1000, 0);
	}
	story_end();
}

/* A tree of two hundred lines is not folded. */
static void test_long_enough(void **state)
{
	struct output out;

	(void)state;
	record_many(200);
	out = tree("");
	assert_int_equal(count_text(out.text, "\n"), 1 + 200 + 2);
	assert_null(strstr(out.text, "alike"));
	free(out.text);
}

static void test_too_long(void **state)
{
	struct output out, plain;

	(void)state;
	record_many(201);
	expect("",
	       HEAD "    100   >200 ms                    sh  alive, parent 1\n"
	       "   x200   1.00 ms   200 ms 0.98 MiB  `- x\n"
	       "\n201 processes; 200 ms wall, 200 ms CPU (1.00 CPUs); no loss\n"
	       ALIKE ALL_LINES(201));
	out = tree("--no-fold");
	assert_int_equal(count_text(out.text, "\n"), 1 + 201 + 3);
	assert_non_null(strstr(out.text, "\n--depth, --min-life and --top show less\n"));
	free(out.text);
	/* Threads are not folded. */
	out = tree("--threads");
	plain = tree("--no-fold");
	assert_string_equal(out.text, plain.text);
	free(plain.text);
	free(out.text);
	/* Ranked processes are not folded, either. */
	out = tree("--top 201:life");
	assert_int_equal(count_text(out.text, "\n"), 1 + 201 + 2);
	free(out.text);
	/* The cut makes it short enough. */
	expect("--depth 0",
	       HEAD "    100   >200 ms                    sh  alive, parent 1"
	       "  + 200 processes below, 200 ms CPU\n"
	       "\n201 processes; 200 ms wall, 200 ms CPU (1.00 CPUs); no loss\n"
	       "+ 200 processes are counted, not shown: --depth 0\n");
}

/* A chain of forks: nothing recurses. */
static void test_deep(void **state)
{
	enum { DEEP = 20000 };
	struct who *chain = calloc(DEEP + 1, sizeof(*chain));
	struct output out;

	(void)state;
	assert_non_null(chain);
	chain[0] = process_of_pid(1, "init");
	for (uint32_t i = 0; i < DEEP; i++)
		chain[i + 1] = start(&chain[i], "c", NULL);
	for (uint32_t i = DEEP; i; i--)
		quit(&chain[i], &chain[i - 1], 0, 1, 1000, 0);
	story_end();
	free(chain);
	out = tree("--depth 2");
	assert_int_equal(count_text(out.text, "\n"), 1 + 3 + 3);
	assert_non_null(strstr(out.text, "   `- c  + 19,997 processes below, 20.0 s CPU\n"));
	free(out.text);
	out = tree("--top 1:count --depth 10000");
	assert_non_null(strstr(out.text, " c  #1, 19,999 descendants, parent 1  + 19,999 processes "
					 "below, 20.0 s CPU\n"));
	free(out.text);
}

/* The number behind this name. */
static uint64_t member(const char *line, const char *name)
{
	char quoted[40];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\":", name);
	at = strstr(line, quoted);
	if (!at)
		fail_msg("no %s in %s", name, line);
	return strtoull(at + strlen(quoted), NULL, 10);
}

struct sum {
	uint64_t shown;
	uint64_t hidden;
	uint64_t failed;
	uint64_t runtime;
	uint64_t ranks; /* their sum */
	uint64_t context;
};

static struct sum add_up(const char *options)
{
	struct output out = tree(options);
	struct sum sum = { 0 };

	for (char *line = strtok(out.text, "\n"); line; line = strtok(NULL, "\n")) {
		if (strstr(line, "\"type\":\"hidden\"")) {
			sum.hidden += member(line, "processes");
			sum.failed += member(line, "failed");
			sum.runtime += member(line, "runtime");
		} else if (strstr(line, "\"type\":\"process\"")) {
			sum.shown++;
			sum.runtime += member(line, "runtime");
			sum.failed += !strstr(line, "\"wait_status\":null") &&
				      member(line, "wait_status");
			if (!strstr(line, "\"context\":"))
				continue;
			sum.context += strstr(line, "\"context\":true") != NULL;
			sum.hidden += member(line, "hidden");
			sum.failed += member(line, "hidden_failed");
			sum.runtime += member(line, "hidden_runtime");
			sum.ranks += strstr(line, "\"rank\"") ? member(line, "rank") : 0;
		}
	}
	free(out.text);
	return sum;
}

/* Whatever is cut, it all adds up. */
static void test_json(void **state)
{
	static const char *const cuts[] = {
		"--depth 0", "--depth 3", "--depth 7", "--min-life 3ms", "--min-life 12ms",
		"--top 1:life", "--top 20", "--top 20:count", "--top 50:rss --depth 4",
		"--min-life 5ms --depth 6 --top 30:life", "--min-life 1h", "--top 4000000",
	};
	struct who init = process_of_pid(1, "init"), alive[30] = { init };
	size_t count = 1;
	uint64_t random = 1;
	struct sum all, sum;

	(void)state;
	for (uint32_t i = 0; i < 3000; i++) {
		size_t n = random_below(&random, count);

		if (count < 30 && random_below(&random, 5) < 3) {
			alive[count] = start(&alive[n], "x", NULL);
			count++;
		} else if (n) {
			quit(&alive[n], &init, random_below(&random, 2), random_below(&random, 50),
			     random_below(&random, 9000), random_below(&random, 3) ? 0 : 256);
			alive[n] = alive[--count];
		}
	}
	story_end();
	all = add_up("--json");
	assert_in_range(all.shown, 1000, 2000);
	assert_true(all.failed > 200 && all.runtime > 0);
	assert_int_equal(all.hidden, 0);
	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		char options[100];
		const char *top = strstr(cuts[i], "--top ");
		uint64_t most = top ? strtoull(top + 6, NULL, 10) : 0;

		snprintf(options, sizeof(options), "--json %s", cuts[i]);
		sum = add_up(options);
		assert_int_equal(sum.shown + sum.hidden, all.shown);
		assert_int_equal(sum.failed, all.failed);
		assert_int_equal(sum.runtime, all.runtime);
		if (most) {
			if (most > all.shown)
				most = all.shown;
			assert_int_equal(sum.shown - sum.context, most);
			assert_int_equal(sum.ranks, most * (most + 1) / 2);
		} else if (strstr(cuts[i], "--depth")) {
			assert_int_equal(sum.context, 0);
			assert_true(sum.shown < all.shown);
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, story_teardown)

/* The status of zombies that are older than the trace is known, which distinguishes them. */
static void test_older_zombies(void **state)
{
	struct who init = process_of_pid(1, "init");
	struct proclife_record record;

	(void)state;
	init.start = 0; /* not known */
	story_put(task_record(0, &init, &init));
	for (uint32_t i = 0; i < 3; i++) {
		struct who zombie = process_of_pid(200 + i, "a");

		record = task_record(0, &zombie, &init);
		record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
		record.state.exit_code = i < 2 ? 0 : 1 << 8;
		story_put(record);
		story_put(reap_record(0, &zombie, &init));
		story_put(free_record(0, &zombie));
	}
	story_end();
	expect("--fold",
	       HEAD "      1    >11 ns    50 ns           init  alive\n"
	       "     x2         ?   240 ns           |- a\n"
	       "    202         ?   120 ns           `- a  status 1\n"
	       "\n4 processes, 1 failed; 11 ns wall, 0 ns CPU (0.00 CPUs); no loss\n"
	       ALIKE ALL_LINES(4));
}

/* Only the minimum life of a thread that is older than the trace is known. */
static void test_older_thread(void **state)
{
	struct who init = process_of_pid(1, "init"), sh = process_of_pid(50, "sh");
	struct who older = thread_of(&sh, 51), younger = thread_of(&sh, 52);

	(void)state;
	story_put(task_record(0, &sh, &init));
	story_put(task_record(0, &older, &init));
	story_put(clone_record(0, &younger, &init, &sh));
	start(&sh, "cc", NULL);
	machine->now += 5 * MS;
	story_put(exit_record(0, &older, 0, 2));
	story_put(exit_record(0, &younger, 0, 1));
	story_end();
	expect("--threads",
	       HEAD "     50  >5.00 ms   250 ns           sh  alive, 3 threads\n"
	       "     51  >5.00 ms   100 ns           |- {sh}  zombie\n"
	       "     52   5.00 ms   100 ns           |- {sh}  zombie\n"
	       "    100  >5.00 ms                    `- sh  alive\n"
	       "\n2 processes, 4 threads; 5.00 ms wall, 0 ns CPU (0.00 CPUs); no loss\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all),	  TEST(test_depth),	  TEST(test_min_life), TEST(test_top),
		TEST(test_roots), TEST(test_fold),	  TEST(test_long_enough), TEST(test_older_zombies),
		TEST(test_too_long), TEST(test_deep),	  TEST(test_json),
		TEST(test_older_thread),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
