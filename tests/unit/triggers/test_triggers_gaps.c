// SPDX-License-Identifier: GPL-2.0-only
/* What --on reports if records are missing, or if a life had begun to end before the trace. */
#include "fires.h"
#include "marks.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Five records of CPU 1 are lost, after all those of CPU 0 so far. */
static void lose(void)
{
	story_sync();
	for (uint32_t i = 0; i < STORY_RING + 5; i++)
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &pid1));
}

/* Missing records can have ended a state: from there on it is not known. */
static void test_lost(void **state)
{
	struct who a = story_fork(&sh, 101, "a"), b = story_fork(&sh, 102, "b");

	(void)state;
	die(20, &a, &sh, 0, 0);
	story_at(30);
	lose();
	die(50, &b, &sh, 1 << 8, 0);
	story_fork(&sh, 103, "c");
	story_at(500);
	expect_of(folder.path, "--on lost>0 --on lost>=5 --on lost>5 --on zombie>100ms --on failed --on life>200ms", 3,
		  "1.030000001 lost>0: 5 records were lost\n"
		  "1.030000001 lost>=5: 5 records were lost\n"
		  "1.050000000 failed: b (102), status 1, parent sh (100)\n"
		  "1.150000002 zombie>100ms: b (102), zombie for 100 ms so far, parent sh (100)\n"
		  "1.250000003 life>200ms: c (103), life for 200 ms so far\n");
}

/* Their EXITs are lost: they are zombies since the notice at the latest, not since they were first seen. */
static void test_exits_lost(void **state)
{
	struct who a = story_fork(&sh, 101, "a"), b = story_fork(&sh, 102, "b"), gdb = story_fork(&sh, 103, "gdb");
	char line[3 * PATH_MAX];
	struct output out;

	(void)state;
	story_at(30);
	lose();
	story_at(100);
	story_put(traced_record(0, &a, &gdb, &sh));
	story_put(notify_record(0, &b, &sh));
	story_at(500);
	expect_of(folder.path, "--on zombie>300ms --on traced>300ms", 3,
		  "1.400000001 traced>300ms: a (101), traced for 300 ms so far, by gdb (103), parent sh (100)\n"
		  "1.400000002 zombie>300ms: b (102), zombie for at least 300 ms so far, parent sh (100)\n");
	snprintf(line, sizeof(line), "%s -i %s --zombies", program, folder.path);
	expect_output(false, 3, line,
		      "2 zombies\n"
		      "       FOR      PID  NAME            STATUS              TO BE REAPED BY\n"
		      ">   400 ms      102  b               status ?            sh (100), when it last "
		      "called wait() is not known\n"
		      "    400 ms      101  a               status ?            gdb (103), which traces it: its parent "
		      "sh (100) is not notified before it has waited, has not called wait() since\n");
	/* How they ended is not known. */
	out = run_program(false, 0, "%s -i %s --zombies --failed --json", program, folder.path);
	if (!strstr(out.text, "\"unjudged\":2") || strstr(out.text, "\"type\":\"zombie\""))
		fail_msg("%s", out.text);
	free(out.text);
}

/* Its EXIT may not be the last one, but it is a zombie: the code is the one that --zombies shows. */
static void test_failed_zombie(void **state)
{
	struct who a = story_fork(&sh, 101, "a");
	struct output out;

	(void)state;
	story_at(30);
	lose();
	story_at(100);
	story_put(exit_record(0, &a, 3 << 8, 0));
	story_put(notify_record(0, &a, &sh));
	story_end();
	out = run_program(false, 0, "%s -i %s --zombies --failed --json", program, folder.path);
	if (!strstr(out.text, "\"type\":\"zombie\",\"pid\":101,"))
		fail_msg("%s", out.text);
	free(out.text);
}

/* Losses are counted up to a line, and from 0 again after it; the gap that reaches farthest counts. */
static void test_losses(void **state)
{
	(void)state;
	for (uint32_t cpu = 1; cpu < 3; cpu++)
		story_put_on(cpu, record_of(0, PROCLIFE_WAIT, &pid1));
	story_sync();
	for (uint32_t cpu = 1; cpu < 3; cpu++) {
		story_at(20 + 10 * cpu);
		for (uint32_t i = 0; i < 7 - 2 * cpu; i++)
			story_put_on(cpu, record_of(0, PROCLIFE_WAIT, &pid1));
	}
	story_at(50);
	for (uint32_t i = 0; i < STORY_RING; i++)
		story_put_on(2, record_of(0, PROCLIFE_WAIT, &pid1));
	story_at(60);
	story_fork(&sh, 101, "child");
	story_at(200);
	for (uint32_t i = 0; i < STORY_RING; i++)
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &pid1));
	story_at(500);
	expect_of(folder.path, "--on lost>0 --on lost>=5 --on lost>5 --on child.life>100ms", 3,
		  "1.010000004 lost>0: 5 records were lost\n"
		  "1.010000004 lost>=5: 5 records were lost\n"
		  "1.010000004 lost>0: 3 records were lost\n"
		  "1.010000004 lost>5: 8 records were lost\n");
}

/* A snapshot shows a state again that a gap may have ended. */
static void test_shown(void **state)
{
	struct who a = story_fork(&sh, 101, "a"), b = story_fork(&sh, 102, "b"), c = story_fork(&sh, 103, "c");
	struct proclife_record r;

	(void)state;
	story_put(signal_record(0, &b, SIGKILL, &sh));
	story_put(signal_record(0, &c, SIGKILL, &sh));
	die(20, &a, &sh, 0, 0);
	story_at(30);
	lose();
	story_at(200);
	r = task_record(0, &a, &sh);
	r.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	story_put(r);
	story_put(task_record(0, &b, &sh));
	r = task_record(0, &c, &sh);
	r.flags |= PROCLIFE_F_EXITING;
	story_put(r);
	story_at(500);
	expect_of(folder.path, "--on zombie>100ms --on life>300ms --on kill>400ms --on exit_free>450ms --on zombie>1s", 3,
		  "1.200000000 zombie>100ms: a (101), zombie for 180 ms so far, parent sh (100)\n"
		  "1.310000003 life>300ms: b (102), life for 300 ms so far\n"
		  "1.410000005 kill>400ms: b (102), kill for 400 ms so far, signal from sh (100)\n"
		  "1.470000001 exit_free>450ms: a (101), exit_free for 450 ms so far\n");
}

/* What begins after all gaps goes on, though the process was not seen since. */
static void test_begun_after(void **state)
{
	struct who a = story_fork(&sh, 101, "a"), b = story_fork(&sh, 102, "b"), c = story_fork(&sh, 103, "c");
	struct proclife_record exiting, late = signal_record(0, &c, SIGKILL, &sh);

	(void)state;
	story_at(30);
	lose();
	story_at(100);
	story_put(signal_record(0, &a, SIGKILL, &sh));
	late.flags |= PROCLIFE_F_GROUP_DEAD; /* it may be a zombie */
	story_put(late);
	exiting = exiting_record(0, &b, &sh, NULL, 0);
	exiting.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	story_put(exiting);
	story_at(500);
	expect_of(folder.path, "--on kill>300ms --on teardown>300ms --on exit_free>300ms", 3,
		  "1.400000001 kill>300ms: a (101), kill for 300 ms so far, signal from sh (100)\n"
		  "1.400000003 teardown>300ms: b (102), teardown for 300 ms so far\n"
		  "1.400000003 exit_free>300ms: b (102), exit_free for 300 ms so far\n");
}

/* It is exiting already when it is found, whichever process kills it now. */
static void test_found_exiting(void **state)
{
	struct who old = process_of_pid(60, "old");
	struct proclife_record r = task_record(0, &old, &pid1);

	(void)state;
	r.flags |= PROCLIFE_F_EXITING;
	story_put(r);
	story_put(signal_record(0, &old, SIGKILL, &sh));
	story_at(200);
	expect("--on kill>50ms", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRIGGERS(test_lost),
		TRIGGERS(test_exits_lost),
		TRIGGERS(test_failed_zombie),
		cmocka_unit_test_setup_teardown(test_losses, fires_begin_on_three, story_teardown),
		TRIGGERS(test_shown),
		TRIGGERS(test_begun_after),
		TRIGGERS(test_found_exiting),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
