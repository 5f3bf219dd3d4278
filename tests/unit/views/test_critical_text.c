// SPDX-License-Identifier: GPL-2.0-only
/* --critical-path: how a chain is shown and explained. */
#include "chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two CPUs, both busy for half of the time. */
static void test_busy(void **state)
{
	(void)state;
	plan_begin();
	plan_cpus = 2;
	plan_life(1, 100, "/usr/bin/make -j2", 0, 401);
	for (uint32_t i = 0; i < 10; i++) {
		plan_fork(100, 200 + 2 * i, "/usr/bin/cc", 1 + 20.1 * i);
		plan_fork(100, 201 + 2 * i, "/usr/bin/cc", 1 + 20.1 * i);
		plan_exit(100, 200 + 2 * i, 20 + 20.1 * i, 18.9);
		plan_exit(100, 201 + 2 * i, 21 + 20.1 * i, 19.8);
		plan_reap(100, 200 + 2 * i, 20.01 + 20.1 * i);
		plan_reap(100, 201 + 2 * i, 21.01 + 20.1 * i);
	}
	plan_life(100, 300, "/usr/bin/ld", 203, 400);
	plan_tell();
	expect_text("", " CPUs: all 2 were busy, by an estimate");
	expect_text("", " CPUs  cc\n");
	expect_text("", "       ld\n");
}

/* CPUs on which no process exited may be idle; and CPUs that work for half of the time are not busy. */
static void test_not_busy(void **state)
{
	char *text;

	(void)state;
	plan_begin();
	plan_life(1, 100, "/usr/bin/make", 0, 401);
	plan_fork(100, 101, "/usr/bin/cc", 1);
	plan_exit(100, 101, 400, 399);
	plan_reap(100, 101, 400.1);
	plan_tell();
	text = chain_output("--json");
	assert_non_null(strstr(text, "\"cpus\":0}\n"));
	assert_int_equal(count_text(text, "\"cpus_busy\":0,"), 3);
	free(text);
}

/* A task that is freed on another CPU shows that this CPU exists. */
static void test_freed_elsewhere(void **state)
{
	char *text;

	(void)state;
	plan_begin();
	plan_fork(1, 100, "/usr/bin/make", 0);
	plan_exit(1, 100, 400, 0);
	plan_tell_so_far();
	story_reap(&plan_whos[100], &plan_whos[1]);
	story_put_on(1, free_record(0, &plan_whos[100]));
	plan_tell();
	text = chain_output("--json");
	assert_non_null(strstr(text, "\"cpus\":2}\n"));
	free(text);
}

static void test_half_busy(void **state)
{
	char *text;

	(void)state;
	plan_begin();
	plan_cpus = 2;
	plan_life(1, 100, "/usr/bin/make", 0, 401);
	for (uint32_t pid = 101; pid <= 102; pid++) {
		plan_fork(100, pid, "/usr/bin/cc", 1);
		plan_exit(100, pid, 400, 200);
		plan_reap(100, pid, 400.1);
	}
	plan_tell();
	text = chain_output("--json");
	assert_non_null(strstr(text, "\"cpus\":2}\n"));
	assert_int_equal(count_text(text, "\"cpus_busy\":0,"), 3);
	free(text);
}

/* The CPUs were busy for a slice of time from the beginning of the range, not of the trace. */
static void test_busy_at_first(void **state)
{
	(void)state;
	plan_begin();
	plan_cpus = 2;
	plan_life(1, 100, "/usr/bin/make", 0, 200);
	for (uint32_t pid = 101; pid <= 102; pid++) {
		plan_fork(100, pid, "/usr/bin/cc", 100.139);
		plan_exit(100, pid, 101.2, 1.06);
		plan_reap(100, pid, 101.21);
	}
	plan_tell();
	expect_text("--from 1.100139", " CPUs  cc\n");
}

/* A line for many steps has the sum of their times. */
static void test_sums(void **state)
{
	static const char *const lines[] = { "/bin/a", "/bin/b", "/bin/c", "/bin/d", "/bin/e", "/bin/f" };
	double from = 1;

	(void)state;
	plan_begin();
	plan_cpus = 2;
	for (uint32_t i = 0; i < 210; i++) {
		double time = 5 + 2 * (i % 6), busy = i >= 60 ? time : 0;

		for (uint32_t pid = 1000 + 2 * i; pid <= 1001 + 2 * i; pid++, time -= 0.5) {
			plan_fork(100, pid, lines[i % 6], from);
			plan_exit(100, pid, from + time, busy);
			plan_reap(100, pid, from + time + 0.01);
		}
		from += 6.2 + 2 * (i % 6);
	}
	plan_life(1, 100, "/usr/bin/make -j2", 0, from);
	plan_tell();
	expect_text("", "\n    0 ns  52.0 ms   2.2%    0.8  9.50 ms       11 steps: e, d, c, b, make x6, 1 more\n"
			" 52.0 ms  15.0 ms   0.6%    1.0   500 us       f\n");
	expect_text("", "\nBy program: f 22.3%, e 19.3%, d 16.4%, c 13.4%, make 10.8%, 2 more\n");
	expect_text("", "\n 61.6% CPUs: all 2 were busy, by an estimate");
}

/* Steps that are too short for a line are counted. */
static void test_rest(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/bin/sh", 0, 6060);
	for (uint32_t i = 0; i < 6; i++) {
		for (uint32_t j = 0; j < 4; j++)
			plan_life(100, 200 + 10 * i + j, "/bin/short", 1 + 1010 * i + 2 * j,
				  2 + 1010 * i + 2 * j);
		plan_life(100, 210 + 10 * i, "/bin/long", 10 + 1010 * i, 1009 + 1010 * i);
	}
	plan_tell();
	expect_text("", "\n55 steps between them are too short to be shown, 66.0 ms together.\n");
}

/* A line of many steps is not "slots" if only a few of them had slots. */
static void test_few_of_many(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/usr/bin/make -j2", 0, 3200);
	for (uint32_t i = 0; i < 20; i++)
		plan_life(100, 200 + i, "/bin/cc", 1 + 10 * i + 0.2, 21 + 10 * i);
	for (uint32_t i = 0; i < 100; i++)
		plan_life(100, 300 + i, "/bin/cc", 220 + 29 * i, 240 + 29 * i);
	plan_tell();
	expect_text("", "\n    0 ns   220 ms   6.9%    0.9   120 ms slots 21 steps: cc x10, make x11\n");
	expect_text("", "\n  5.6% slots: while");
}

/* However many steps there are, they fit a screen, and nothing is dropped silently. */
static void test_long(void **state)
{
	char *text, *line;
	unsigned int lines = 0;

	(void)state;
	plan_begin();
	plan_life(1, 100, "/usr/bin/make", 0, 20000);
	for (uint32_t i = 0; i < 1000; i++) {
		bool slow = i % 100 == 50;

		plan_life(100, 1000 + i, slow ? "/usr/bin/slow -c the/slow/one.c" : "/usr/bin/cc -c quick.c",
		      1 + 20 * i, (slow ? 19.5 : 6) + 20 * i);
	}
	plan_life(100, 3000, "/usr/bin/ld", 19990.5, 19999);
	plan_tell();
	text = chain_output("");
	for (line = text; *line; line = strchr(line, '\n') + 1)
		lines++;
	if (lines > 34)
		fail_msg("%u lines:\n%s", lines, text);
	assert_non_null(strstr(text, "--no-fold shows all 2,003 steps\n"));
	free(text);
	text = chain_output("--no-fold");
	for (lines = 0, line = text; *line; line = strchr(line, '\n') + 1)
		lines++;
	assert_true(lines > 2003);
	assert_null(strstr(text, "--no-fold"));
	free(text);
}

/* A step that is much longer than its like has its own line, with what distinguishes it. */
static void test_slow_one(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/usr/bin/make", 0, 30000);
	for (uint32_t i = 0; i < 500; i++) {
		static char all[500][200];
		char *args = all[i];

		snprintf(args, sizeof(all[i]), "/usr/bin/cc1 -quiet -I ./include -D__KERNEL__ -I ./arch/x86/include "
			 "kernel/file_%u.c -O2 -o out/cc%u.s", i, i);
		plan_life(100, 1000 + i, args, i < 250 ? 20 * i + 1 : 20 * i + 20000,
		      i < 249 ? 20 * i + 20 : i == 249 ? 20000 : 20 * i + 20018);
	}
	plan_tell();
	setenv("COLUMNS", "80", 1);
	expect_text("", " cc1 ... kernel/file_249.c -O2 ...\n");
	expect_text("", "  15.0 s  50.1%");
	unsetenv("COLUMNS");
}

/* If all are short, the longest are still named. */
static void test_all_short(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/usr/bin/make", 0, 20000);
	for (uint32_t i = 0; i < 1000; i++)
		plan_life(100, 1000 + i, i == 500 ? "/usr/bin/longest" : "/usr/bin/cc",
			  1 + 20 * i, (i == 500 ? 19.9 : 12) + 20 * i);
	plan_tell();
	expect_text("", "       longest\n");
}

/* No line is wider than the terminal, and the least informative parts are left out first. */
static void test_narrow(void **state)
{
	static const struct {
		const char *columns;
		const char *there;
		const char *not_there;
	} widths[] = {
		{ "80", " BY ", NULL }, { "70", " BESIDE ", " BY " }, { "60", " SAVES ", " BESIDE " },
		{ "50", " AT ", " SAVES " },
	};

	(void)state;
	plan_begin();
	plan_life(1, 100, "/usr/bin/make -j2", 0, 200);
	plan_life(100, 101, "/usr/bin/cc -c a.c", 1, 21);
	plan_life(100, 102, "/usr/bin/cc -c b.c", 2, 150);
	plan_life(100, 103, "/usr/bin/cc -c with_a_name_that_is_longer_than_most.c", 150.2, 190);
	plan_tell();
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		char *text, *head;

		setenv("COLUMNS", widths[i].columns, 1);
		text = chain_output("");
		head = strstr(text, "\n\n") + 2;
		*strchr(head, '\n') = '\0';
		if (!strstr(head, widths[i].there) ||
		    (widths[i].not_there && strstr(head, widths[i].not_there)))
			fail_msg("%s: %s", widths[i].columns, head);
		*strchr(head, '\0') = '\n';
		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
			if (strlen(line) > (size_t)atoi(widths[i].columns))
				fail_msg("%s: %s", widths[i].columns, line);
		free(text);
	}
	unsetenv("COLUMNS");
}

/* Losses that hide a part of the chain are reported. */
static void test_lost(void **state)
{
	char *text;

	(void)state;
	plan_begin();
	plan_life(1, 100, "/bin/sh", 0, 100);
	plan_life(100, 101, "/bin/first", 10, 40);
	plan_life(100, 102, "/bin/second", 50, 90);
	plan_tell();
	/* The EXIT of the first. */
	file_patch(folder.path, "cpu_0", 128 * 8 + 9, "\xff", 1);
	expect_text("", "\n2 of 3 lives are incomplete: the chain can be another one.\n");
	text = chain_output("--json");
	assert_non_null(strstr(text, "\"lives\":3,\"incomplete\":2,"));
	/* The shell, three times, and the first process; not the second, which is complete. */
	assert_int_equal(count_text(text, "\"incomplete\":true}"), 4);
	assert_int_equal(count_text(text, "\"incomplete\":false}"), 1);
	free(text);
}

static void test_nothing(void **state)
{
	(void)state;
	plan_begin();
	plan_tell();
	expect_text("", "No process began or ended: there is nothing to explain.\n");
	expect_chain("", "");
}

/* Impossible times: a child older than its parent, a reap before the birth, all at once. */
static void test_absurd(void **state)
{
	char *text;

	(void)state;
	plan_begin();
	plan_life(1, 100, "/bin/sh", 10, 10);
	plan_life(100, 101, "/bin/a", 10, 10);
	plan_life(101, 102, "/bin/b", 10, 10);
	plan_life(102, 100, "/bin/again", 10, 10);
	plan_reap(102, 101, 10);
	plan_exit(100, 102, 10, 0);
	plan_tell();
	free(chain_output(""));
	text = chain_output("--json");
	assert_non_null(strstr(text, "\"type\":\"critical_path\""));
	free(text);
}

/* Arguments that the module cut are shown as far as they go, and marked. */
static void test_cut_arguments(void **state)
{
	struct proclife_record record;
	char *text;

	(void)state;
	plan_begin();
	plan_fork(1, 100, "/usr/bin/make", 0);
	plan_exit(1, 100, 400, 0);
	plan_tell_so_far();
	record = record_of(0, PROCLIFE_ARGS, &plan_whos[100]);
	record.flags |= PROCLIFE_F_TRUNCATED;
	record.args.total = 100;
	record.args.len = 8;
	memcpy(record.args.text, "make\0-j", 8);
	story_put(record);
	plan_tell();
	text = chain_output("--json");
	assert_non_null(strstr(text, "\"args\":[\"make\",\"-j\"],\"args_cut\":true"));
	free(text);
	expect_text("", "make -j... (100): ");
}

/* Steps are equally long: the first program is named. */
static void test_equal_parts(void **state)
{
	static const char *const lines[] = { "/bin/e", "/bin/d", "/bin/c", "/bin/b", "/bin/a" };

	(void)state;
	plan_begin();
	plan_life(1, 100, "/usr/bin/make", 0, 101);
	for (uint32_t i = 0; i < 100; i++)
		plan_life(100, 200 + i, lines[i % 5], 1 + i, 1.5 + i);
	plan_tell();
	expect_text("", "\nBy program: make 50.5%, e 9.9%, d 9.9%, c 9.9%, b 9.9%, 1 more\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_busy),
		STORY(test_not_busy),
		STORY(test_freed_elsewhere),
		STORY(test_half_busy),
		STORY(test_busy_at_first),
		STORY(test_sums),
		STORY(test_few_of_many),
		STORY(test_rest),
		STORY(test_long),
		STORY(test_slow_one),
		STORY(test_all_short),
		STORY(test_narrow),
		STORY(test_lost),
		STORY(test_nothing),
		STORY(test_absurd),
		STORY(test_cut_arguments),
		STORY(test_equal_parts),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
