// SPDX-License-Identifier: GPL-2.0-only
/* --critical-path: of stories whose chain is known, as they were made so. */
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *output(const char *options)
{
	struct output out = run_program(false, 0, "%s -i %s --critical-path %s", program, folder.path,
					options);

	if (out.status && out.status != 3)
		fail_msg("%s: status %d: %s", options, out.status, out.text);
	return out.text;
}

static uint64_t member(const char *line, const char *name)
{
	char key[40];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\":", name);
	at = strstr(line, key);
	if (!at)
		fail_msg("no %s in %s", name, line);
	return strtoull(at + strlen(key), NULL, 10);
}

static unsigned int ms(uint64_t ns)
{
	return (unsigned int)((ns - 1000 * MS + MS / 2) / MS);
}

/* Each step as "PID FROM-TO SAVES BY", in milliseconds; the steps that are shorter are left out. */
static void expect_chain(const char *options, const char *expected)
{
	char line[300], got[4000] = "", *text;
	uint64_t last = 0;

	snprintf(line, sizeof(line), "--json %s", options);
	text = output(line);
	for (char *step = strtok(text, "\n"); step; step = strtok(NULL, "\n")) {
		size_t n = strlen(got);
		uint64_t from, to;

		if (!strstr(step, "\"type\":\"step\""))
			continue;
		from = member(step, "from");
		to = member(step, "to");
		/* Each begins where the one before ends. */
		if (last && from != last)
			fail_msg("%s: a hole before %s", options, step);
		last = to;
		if (to - from < MS / 2)
			continue;
		snprintf(got + n, sizeof(got) - n, "%u %u-%u %u %.5s\n",
			 (unsigned int)member(step, "pid"), ms(from), ms(to),
			 (unsigned int)((member(step, "saves") + MS / 2) / MS),
			 strstr(step, "\"by\":\"") + 6);
	}
	free(text);
	if (strcmp(got, expected))
		fail_msg("%s:\n%sinstead of\n%s", options, got, expected);
}

static void expect_text(const char *options, const char *there)
{
	char *text = output(options);

	if (!strstr(text, there))
		fail_msg("%s: there is no '%s' in:\n%s", options, there, text);
	free(text);
}

/* A script runs one after the other: all of it is the chain. */
static void test_script(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/bin/sh -e", 10, 200);
	plan_life(100, 101, "/bin/first", 20, 50);
	plan_life(100, 102, "/bin/second", 60, 180);
	plan_life(102, 103, "/bin/below", 70, 170);
	plan_tell();
	expect_chain("", "100 10-20 10 order\n101 20-50 30 order\n100 50-60 10 order\n"
			 "102 60-70 10 order\n103 70-170 100 order\n102 170-180 10 order\n"
			 "100 180-200 20 order\n");
	expect_text("", "sh -e (100): 190 ms from fork to exit\n");
	expect_text("", "\n 60.0 ms   100 ms  52.6%    0.0   100 ms       below\n");
	expect_text("", "Inferred: ");
}

/* Who is left behind bounds nothing; nor does one that nobody waits for. */
static void test_background(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/bin/sh", 0, 100);
	plan_fork(100, 101, "/bin/daemon", 10);
	plan_life(100, 102, "/bin/short", 20, 60);
	plan_life(100, 103, "/bin/quick", 30, 40);
	plan_tell();
	expect_chain("", "100 0-20 20 order\n102 20-60 20 order\n100 60-100 40 order\n");
}

/* Of those that are reaped in the order of a script, the one that ended last was waited for. */
static void test_wait_in_order(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/bin/python3", 0, 120);
	plan_fork(100, 101, "/bin/long", 10);
	plan_fork(100, 102, "/bin/short", 11);
	plan_exit(100, 102, 50, 0);
	plan_exit(100, 101, 100, 0);
	plan_reap(100, 101, 100.1);
	plan_reap(100, 102, 100.2);
	plan_tell();
	expect_chain("", "100 0-10 10 order\n101 10-100 50 order\n100 100-120 20 order\n");
}

/* A shell's pipeline: it waits for all, and the one that ends last bounds it. */
static void test_pipeline(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/bin/sh", 0, 160);
	for (uint32_t i = 0; i < 3; i++) {
		plan_life(100, 101 + 10 * i, "/bin/producer", 10 + 50 * i, 40 + 50 * i);
		plan_life(100, 102 + 10 * i, "/bin/consumer", 11 + 50 * i, 52 + 50 * i);
	}
	plan_tell();
	/* They live two at a time again and again, but nobody waits for a slot. */
	expect_chain("", "100 0-11 11 order\n102 11-52 12 order\n100 52-61 9 order\n"
			 "112 61-102 12 order\n100 102-111 9 order\n122 111-152 12 order\n"
			 "100 152-160 8 order\n");
}

/*
 * make -j2: seven files of 20 ms but for a slow one, and what links them in the end. Whoever gets a
 * slot has waited for who had it; the slow one is what everything waits for at last.
 */
static void tell_make(void)
{
	plan_life(1, 100, "/usr/bin/make -j2", 0, 200);
	plan_life(100, 101, "/usr/bin/cc -c a.c", 1, 21);
	plan_life(100, 102, "/usr/bin/cc -c b.c", 2, 30);
	plan_life(100, 103, "/usr/bin/cc -c c.c", 21.2, 41);
	plan_life(100, 104, "/usr/bin/cc -c slow.c", 30.2, 150);
	plan_life(100, 105, "/usr/bin/cc -c d.c", 41.2, 61);
	plan_life(100, 106, "/usr/bin/cc -c e.c", 61.2, 81);
	plan_life(100, 107, "/usr/bin/cc -c f.c", 81.2, 101);
	plan_life(100, 108, "/usr/bin/ld -o program", 150.2, 190);
}

static void test_slots(void **state)
{
	(void)state;
	plan_begin();
	tell_make();
	plan_tell();
	/* Without b.c, slow.c had got the slot of a.c. */
	expect_chain("", "100 0-2 2 order\n102 2-30 9 slots\n104 30-150 49 order\n"
			 "108 150-190 40 order\n100 190-200 10 order\n");
	expect_text("", " 14.0% slots: while as many children lived as ever, up to 2, as with -j2.\n");
	expect_text("", " 30.2 ms   120 ms  59.9%    0.6  49.0 ms       cc -c slow.c\n");
}

/* Only who forks again shows that there are slots: not who just waits for the rest. */
static void test_few_slots(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/usr/bin/make -j2", 0, 100);
	plan_life(100, 101, "/usr/bin/cc", 1, 40);
	plan_life(100, 102, "/usr/bin/cc", 2, 50);
	plan_life(100, 103, "/usr/bin/ld", 51, 90);
	plan_tell();
	expect_chain("", "100 0-2 2 order\n102 2-50 10 order\n100 50-51 1 order\n103 51-90 39 order\n"
			 "100 90-100 10 order\n");
}

/* What can be saved below is no more than what can be saved by what is waited for above. */
static void test_nested(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/usr/bin/make", 0, 100);
	plan_life(100, 101, "/usr/bin/make -C a", 5, 90);
	plan_life(101, 102, "/usr/bin/cc", 10, 85);
	plan_life(100, 103, "/usr/bin/make -C b", 6, 80);
	plan_life(103, 104, "/usr/bin/cc", 10, 75);
	plan_tell();
	expect_chain("", "100 0-5 5 order\n101 5-10 5 order\n102 10-85 10 order\n101 85-90 5 order\n"
			 "100 90-100 10 order\n");
	expect_text("", "\n 10.0 ms  75.0 ms  75.0%    0.9  10.0 ms       cc\n");
}

/* An orphan that a subreaper waits for: from its birth on, who forked it is followed. */
static void test_reparented(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/bin/subreaper", 0, 100);
	plan_life(100, 101, "/bin/starter", 10, 30);
	plan_fork(101, 102, "/bin/orphan", 25);
	plan_exit(100, 102, 90, 0);
	plan_reap(100, 102, 90.1);
	plan_tell();
	expect_chain("", "100 0-10 10 order\n101 10-25 15 order\n102 25-90 60 order\n"
			 "100 90-100 10 order\n");
}

/* A thread that forks and one that waits are of one process; CLONE_PARENT makes a sibling. */
static void test_threads(void **state)
{
	struct who thread;

	(void)state;
	plan_begin();
	plan_fork(1, 100, "/bin/threaded", 0);
	plan_tell_so_far();
	thread = thread_of(&plan_whos[100], 150);
	machine->now = 1005 * MS;
	story_put(clone_record(0, &thread, &plan_whos[100], &plan_whos[100]));
	plan_whos[150] = thread;
	plan_life(100, 101, "/bin/child", 10, 50);
	plan_clone(100, 102, 101, 20);
	plan_exit(100, 102, 70, 0);
	plan_reap(150, 102, 70.1);
	plan_tell_so_far();
	machine->now = 1080 * MS;
	story_put(exit_record(0, &thread, 0, 1));
	plan_exit(1, 100, 90, 0);
	plan_reap(1, 100, 90.1);
	plan_tell();
	/* 102 is a child of 100, which 101 made. */
	expect_chain("", "100 0-10 10 order\n101 10-20 10 order\n102 20-70 20 order\n"
			 "100 70-90 20 order\n");
}

/* The end of what is seen is not that of a life: what lives on is waited for. */
static void test_open(void **state)
{
	(void)state;
	plan_begin();
	plan_fork(1, 100, "/usr/bin/make -j2", 0);
	plan_life(100, 101, "/usr/bin/cc", 10, 40);
	plan_fork(100, 102, "/usr/bin/cc -c long.c", 20);
	plan_fork(100, 103, "/usr/bin/cc", 40.2);
	plan_tell_so_far();
	machine->now = 1090 * MS;
	plan_tell();
	expect_chain("--pid 100", "100 0-20 20 order\n102 20-91 0 order\n");
	expect_text("--pid 100", "make -j2 (100): 91.0 ms from fork to the end of what is seen, where it lives on\n");
}

/* Where nothing else is asked for, the longest of what ended, with what belongs to it. */
static void test_choice(void **state)
{
	(void)state;
	plan_begin();
	plan_whos[50] = process_of_pid(50, "bash");
	story_put(task_record(0, &plan_whos[50], &plan_whos[1]));
	plan_life(50, 100, "/bin/short", 0, 30);
	plan_life(50, 200, "/bin/long", 10, 90);
	plan_life(200, 201, "/bin/part", 20, 50);
	plan_fork(50, 300, "/bin/daemon", 1);
	plan_tell();
	expect_chain("", "200 10-20 10 order\n201 20-50 30 order\n200 50-90 40 order\n");
	expect_text("", "That is the longest of 2 that ended; --pid chooses another one.\n");
	expect_chain("--pid 100", "100 0-30 30 order\n");
	expect_chain("--pid 201", "201 20-50 30 order\n");
	expect_chain("--pid 300", "300 1-91 90 order\n");
	/* A range is all there is: what ended later has not ended. */
	expect_chain("--to 1.040", "100 0-30 30 order\n");
	expect_chain("--pid 200 --from 1.030 --to 1.045", "201 30-45 15 order\n");
}

/* An older process that ends in the trace. */
static void test_older(void **state)
{
	(void)state;
	plan_begin();
	plan_whos[100] = process_of_pid(100, "make");
	story_put(task_record(0, &plan_whos[100], &plan_whos[1]));
	plan_life(100, 101, "/usr/bin/cc", 20, 60);
	plan_exit(1, 100, 80, 0);
	plan_reap(1, 100, 80.1);
	plan_tell_so_far();
	story_end();
	expect_chain("", "100 0-20 20 order\n101 20-60 40 order\n100 60-80 20 order\n");
	expect_text("", "make (100): 80.0 ms to exit\n");
}

/* Who ignores SIGCHLD waits for nobody, as far as is seen. */
static void test_ignored(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/bin/ignorant", 0, 100);
	plan_fork(100, 101, "/bin/child", 10);
	plan_exit(100, 101, 50, 0);
	plan_reap(101, 101, 50.1);
	plan_life(100, 102, "/bin/child", 60, 80);
	plan_tell();
	expect_chain("", "100 0-60 60 order\n102 60-80 20 order\n100 80-100 20 order\n");
}

/* Without REAPs, who exits is taken as reaped at once. */
static void test_no_reaps(void **state)
{
	(void)state;
	plan_begin();
	plan_without_reaps = true;
	tell_make();
	plan_tell();
	expect_chain("", "100 0-2 2 order\n102 2-30 9 slots\n104 30-150 49 order\n"
			 "108 150-190 40 order\n100 190-200 10 order\n");
}

/* Two CPUs, both of which are busy for half of the time. */
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
	text = output("");
	for (line = text; *line; line = strchr(line, '\n') + 1)
		lines++;
	if (lines > 34)
		fail_msg("%u lines:\n%s", lines, text);
	assert_non_null(strstr(text, "--no-fold shows all 2,003 steps\n"));
	free(text);
	text = output("--no-fold");
	for (lines = 0, line = text; *line; line = strchr(line, '\n') + 1)
		lines++;
	assert_true(lines > 2003);
	assert_null(strstr(text, "--no-fold"));
	free(text);
}

/* One of many that is much longer stands for itself, with what tells it from the others. */
static void test_slow_one(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/usr/bin/make", 0, 30000);
	for (uint32_t i = 0; i < 500; i++) {
		char *args = malloc(200);

		assert_non_null(args);
		snprintf(args, 200, "/usr/bin/cc1 -quiet -I ./include -D__KERNEL__ -I ./arch/x86/include "
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

/* No line is wider than the terminal, and what is less telling is left out first. */
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
	tell_make();
	plan_tell();
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		char *text, *head;

		setenv("COLUMNS", widths[i].columns, 1);
		text = output("");
		head = strstr(text, "\n\n") + 2;
		*strchr(head, '\n') = '\0';
		if (!strstr(head, widths[i].there) ||
		    (widths[i].not_there && strstr(head, widths[i].not_there)))
			fail_msg("%s: %s", widths[i].columns, head);
		*strchr(head, '\0') = '\n';
		for (char *line = strtok(text, "\n"); line && strncmp(line, "Inferred", 8);
		     line = strtok(NULL, "\n"))
			if (strlen(line) > (size_t)atoi(widths[i].columns) && !strstr(line, " slots: "))
				fail_msg("%s: %s", widths[i].columns, line);
		free(text);
	}
	unsetenv("COLUMNS");
}

/* What hides a part of it is said. */
static void test_lost(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/bin/sh", 0, 100);
	plan_life(100, 101, "/bin/first", 10, 40);
	plan_life(100, 102, "/bin/second", 50, 90);
	plan_tell();
	/* The EXIT of the first, and more. */
	file_patch(folder.path, "cpu_0", 128 * 12 + 9, "\xff", 1);
	expect_text("", "lives are incomplete: the chain can be another one.\n");
}

static void test_nothing(void **state)
{
	(void)state;
	plan_begin();
	plan_tell();
	expect_text("", "No process began or ended: there is nothing to explain.\n");
	expect_chain("", "");
}

/* Times that cannot be: a child older than its parent, a reap before the birth, all at once. */
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
	free(output(""));
	text = output("--json");
	assert_non_null(strstr(text, "\"type\":\"critical_path\""));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_script),	STORY(test_background), STORY(test_wait_in_order),
		STORY(test_pipeline),	STORY(test_slots),	STORY(test_few_slots),
		STORY(test_nested),	STORY(test_reparented), STORY(test_threads),
		STORY(test_open),	STORY(test_choice),	STORY(test_older),
		STORY(test_ignored),	STORY(test_no_reaps),	STORY(test_busy),
		STORY(test_long),	STORY(test_slow_one),	STORY(test_narrow),
		STORY(test_lost),	STORY(test_nothing),	STORY(test_absurd),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
