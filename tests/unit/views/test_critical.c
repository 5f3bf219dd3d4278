// SPDX-License-Identifier: GPL-2.0-only
/* --critical-path of stories that were made to have a known chain. */
#include "chain.h"

#include <stdlib.h>
#include <string.h>

/* A script runs one program after the other: all of it is the chain. */
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

/* A process that is left behind bounds nothing, nor does one that no process waits for. */
static void test_background(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/bin/sh", 0, 100);
	plan_life(100, 102, "/bin/short", 20, 60);
	plan_life(100, 103, "/bin/quick", 30, 40);
	/* It did not wait before this fork: without the others, it would fork no earlier. */
	plan_fork(100, 101, "/bin/daemon", 45);
	plan_tell();
	expect_chain("", "100 0-20 20 order\n102 20-60 15 order\n100 60-100 40 order\n");
}

/* If reaps follow the order of a script, the process that ended last was waited for. */
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

/* A shell's pipeline: it waits for all, and the last to end bounds it. */
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
	/* They live two at a time again and again, but none waits for a slot. */
	expect_chain("", "100 0-11 11 order\n102 11-52 12 order\n100 52-61 9 order\n"
			 "112 61-102 12 order\n100 102-111 9 order\n122 111-152 12 order\n"
			 "100 152-160 8 order\n");
}

/*
 * make -j2: seven files of 20 ms but for a slow one, and a link at the end. The next job that gets a slot
 * has waited for the previous one; the slow one is what everything waits for at last.
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
	/* Without b.c, slow.c would have got the slot of a.c. */
	expect_chain("", "100 0-2 2 order\n102 2-30 9 slots\n104 30-150 49 order\n"
			 "108 150-190 40 order\n100 190-200 10 order\n");
	expect_text("", " 14.0% slots: while as many children lived as ever, up to 2, as with -j2.\n");
	expect_text("", " 30.2 ms   120 ms  59.9%    0.6  49.0 ms       cc -c slow.c\n");
}

/* A process that ended before the first of them takes no slot. */
static void test_one_before_slots(void **state)
{
	(void)state;
	plan_begin();
	plan_life(100, 109, "/usr/bin/uname", 0.2, 0.6);
	tell_make();
	plan_tell();
	expect_chain("", "100 1-2 1 order\n102 2-30 9 slots\n104 30-150 49 order\n"
			 "108 150-190 40 order\n100 190-200 10 order\n");
	expect_text("", "slots: while as many children lived as ever, up to 2, as with -j2.\n");
}

/* The descendants of a process with a slot held it up, too. */
static void test_below_slots(void **state)
{
	(void)state;
	plan_begin();
	tell_make();
	plan_life(102, 110, "/usr/lib/cc1 b.c", 5, 25);
	plan_life(104, 111, "/usr/lib/cc1 slow.c", 40, 140);
	plan_tell();
	expect_chain("", "100 0-2 2 order\n102 2-5 3 slots\n110 5-25 9 slots\n102 25-30 5 slots\n"
			 "104 30-40 10 order\n111 40-140 49 order\n104 140-150 10 order\n"
			 "108 150-190 40 order\n100 190-200 10 order\n");
}

/* Only a parent that forks again shows that there are slots, not one that just waits for the rest. */
static void test_few_slots(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/usr/bin/make -j2", 0, 100);
	plan_life(100, 101, "/usr/bin/cc", 1, 40);
	plan_life(100, 102, "/usr/bin/cc", 2, 50);
	plan_life(100, 103, "/usr/bin/ld", 51, 90);
	/* A parent that did it only once does not, either. */
	plan_life(1, 200, "/usr/bin/make -j2", 200, 290);
	plan_life(200, 201, "/usr/bin/cc", 201, 240);
	plan_life(200, 202, "/usr/bin/cc", 202, 270);
	plan_life(200, 203, "/usr/bin/cc", 240.2, 280);
	plan_tell();
	expect_chain("--pid 200", "200 200-201 1 order\n201 201-240 38 order\n203 240-280 10 order\n"
				  "200 280-290 10 order\n");
	expect_chain("", "100 0-2 2 order\n102 2-50 10 order\n100 50-51 1 order\n103 51-90 39 order\n"
			 "100 90-100 10 order\n");
}

/* Batches that are waited for in the order in which they were begun have no slots. */
static void test_batches(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/bin/python3", 0, 400);
	for (uint32_t i = 0; i < 4; i++) {
		for (uint32_t j = 0; j < 4; j++) {
			plan_fork(100, 110 + 10 * i + j, "/bin/job", 1 + j + 100 * i);
			plan_exit(100, 110 + 10 * i + j, 90 - 5 * j + 100 * i, 0);
			plan_reap(100, 110 + 10 * i + j, 90.1 + j + 100 * i);
		}
	}
	plan_tell();
	expect_chain("", "100 0-1 1 order\n110 1-90 5 order\n100 90-101 11 order\n"
			 "120 101-190 5 order\n100 190-201 11 order\n130 201-290 5 order\n"
			 "100 290-301 11 order\n140 301-390 5 order\n100 390-400 10 order\n");
}

/* Two slots of four become free before the parent has filled the first: it is slow to fork. */
static void test_slow_to_fork(void **state)
{
	(void)state;
	plan_begin();
	plan_life(1, 100, "/usr/bin/make -j4", 0, 160);
	plan_life(100, 101, "/bin/cc", 1, 50);
	plan_fork(100, 102, "/bin/cc", 2);
	plan_exit(100, 102, 50.5, 0);
	plan_reap(100, 102, 54.5);
	plan_life(100, 103, "/bin/cc", 3, 80);
	plan_life(100, 104, "/bin/cc", 4, 95);
	plan_life(100, 105, "/bin/cc", 54, 120);
	plan_life(100, 106, "/bin/cc", 58, 150);
	plan_life(100, 107, "/bin/cc", 80.2, 110);
	plan_life(100, 108, "/bin/cc", 95.2, 111);
	plan_tell();
	expect_chain("", "100 0-2 2 order\n102 2-51 1 slots\n100 51-58 7 order\n106 58-150 30 order\n"
			 "100 150-160 10 order\n");
	expect_text("", "slots: while as many children lived as ever, up to 4, as with -j4.\n");
}

/* A step below saves no more than the step above that waits for it. */
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

/* A subreaper waits for an orphan: before its birth, the chain follows the process that forked it. */
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

/* A thread that forks and one that waits belong to one process; CLONE_PARENT makes a sibling. */
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

/* The end of the trace is not the end of a life: processes that live on are waited for. */
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

/* Without a selection, the longest process that ended, with its descendants. */
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
	/* With several selected processes, the longest that has ended. */
	expect_chain("--pid 100 --pid 200", "200 10-20 10 order\n201 20-50 30 order\n200 50-90 40 order\n");
	expect_chain("--pid 200 --pid 100", "200 10-20 10 order\n201 20-50 30 order\n200 50-90 40 order\n");
	expect_chain("--pid 100 --pid 300", "100 0-30 30 order\n");
	expect_chain("--pid 300 --pid 100", "100 0-30 30 order\n");
	/* But not one that another of them forked. */
	expect_chain("--pid 50 --pid 100", "50 0-1 1 order\n300 1-91 1 order\n");
	/* It ended exactly at the end of the range. */
	expect_text("--to 1.030000001", "short (100): 30.0 ms from fork to exit\n\n");
	expect_text("--pid 100 --to 1.030", "short (100): 30.0 ms from fork to the end of what is seen");
	expect_text("--pid 200 --from 1.030", "long (200): 60.0 ms to exit\n");
	/* Only the range counts: what ended later has not ended. */
	expect_chain("--to 1.040", "100 0-30 30 order\n");
	expect_chain("--pid 200 --from 1.030 --to 1.045", "201 30-45 15 order\n");
}

/* If no process has ended, one that began in the trace: older ones are not explained by the trace. */
static void test_nobody_ended(void **state)
{
	(void)state;
	plan_begin();
	plan_whos[50] = process_of_pid(50, "bash");
	story_put(task_record(0, &plan_whos[50], &plan_whos[1]));
	plan_fork(50, 100, "/bin/daemon", 10);
	plan_fork(100, 101, "/bin/below", 50);
	plan_fork(50, 102, "/bin/later", 80);
	plan_tell();
	expect_chain("", "100 10-50 40 order\n101 50-81 31 order\n");
	expect_text("", "That is the longest of 2 that began; --pid chooses another one.\n");
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

/* A child that is waited for, though its FORK was lost: it and its children count, too. */
static void test_lost_fork(void **state)
{
	char *json;

	(void)state;
	plan_begin();
	plan_life(1, 100, "/bin/sh", 0, 100);
	plan_whos[101] = process_of_pid(101, "lost");
	plan_exec(101, "/bin/lost", 30);
	plan_life(101, 102, "/bin/below", 30, 50);
	plan_exit(100, 101, 80, 0);
	plan_reap(100, 101, 80.1);
	plan_tell();
	expect_chain("", "100 0-30 30 order\n102 30-50 20 order\n101 50-80 30 order\n"
			 "100 80-100 20 order\n");
	json = chain_output("--json");
	if (!strstr(json, "\"lives\":3,"))
		fail_msg("%s", json);
	free(json);
}

/* A process that ignores SIGCHLD does not wait, as far as the records show. */
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
	/* Only the child ran beside its first step, for 40 ms of 60: it was not a leaf from the start. */
	expect_text("", "\n    0 ns  60.0 ms  60.0%    0.7  60.0 ms       ignorant\n");
}

/* Without REAPs, an exited process is taken as reaped at once. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_script),
		STORY(test_background),
		STORY(test_wait_in_order),
		STORY(test_pipeline),
		STORY(test_slots),
		STORY(test_one_before_slots),
		STORY(test_below_slots),
		STORY(test_few_slots),
		STORY(test_batches),
		STORY(test_slow_to_fork),
		STORY(test_nested),
		STORY(test_reparented),
		STORY(test_threads),
		STORY(test_open),
		STORY(test_choice),
		STORY(test_nobody_ended),
		STORY(test_older),
		STORY(test_lost_fork),
		STORY(test_ignored),
		STORY(test_no_reaps),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
