// SPDX-License-Identifier: GPL-2.0-only
/* If records of an end are missing, all views agree on it, and no process is blamed for what is not known. */
#include "fires.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void lose(uint64_t ms)
{
	story_at(ms);
	story_sync();
	for (uint32_t i = 0; i < STORY_RING + 5; i++)
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &pid1));
}

static struct proclife_record zombie_record(const struct who *who, const struct who *parent, int32_t code)
{
	struct proclife_record record = task_record(0, who, parent);

	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	record.state.exit_code = code;
	return record;
}

static void expect_part(const char *options, const char *part)
{
	struct output out;

	story_end();
	out = run_program(false, 0, "%s -i %s %s", program, folder.path, options);
	if (!strstr(out.text, part))
		fail_msg("%s: no %s in %s", options, part, out.text);
	free(out.text);
}

/* It ends at 20 ms, the NOTIFY is lost, and the snapshot shows it at 200 ms. */
static void test_notice_lost(void **state)
{
	struct who a = story_fork(&sh, 101, "a");
	struct proclife_record exiting = record_of(0, PROCLIFE_EXITING, &a);

	(void)state;
	exiting.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	story_at(20);
	story_put(exiting);
	story_put(exit_record(0, &a, 1 << 8, 0));
	lose(30);
	story_at(200);
	story_put(zombie_record(&a, &sh, 1 << 8));
	story_at(500);
	expect_of(folder.path, "--on zombie>100ms", 3,
		  "1.300000001 zombie>100ms: a (101), zombie for at least 100 ms so far, parent sh (100)\n");
	expect_part("--zombies", "\n>   300 ms      101  a  ");
	expect_part("--zombies --json", "\"notified\":null");
	expect_part("--parents", "1 zombie for an unknown time\n");
	expect_part("--parents --json", "\"zombies\":1,\"oldest\":null");
	expect_part("--latency", "10.0 ms\n\nExits begin");
}

/* A tracer of a thread holds up the end of a process: that end is in the trace, although both EXITs were before it. */
static void test_held_thread(void **state)
{
	struct who gdb = process_of_pid(70, "gdb"), old = process_of_pid(60, "old"), t = thread_of(&old, 61);

	(void)state;
	story_put(task_record(0, &gdb, &pid1));
	story_put(zombie_record(&old, &sh, 2 << 8));
	story_put(zombie_record(&t, &sh, 2 << 8));
	story_at(200);
	story_put(reap_record(0, &t, &gdb));
	story_put(notify_record(0, &old, &sh));
	story_at(450);
	story_put(reap_record(0, &old, &sh));
	story_put(free_record(0, &t));
	story_put(free_record(0, &old));
	story_at(500);
	expect_of(folder.path, "--on zombie>100ms --on failed", 0,
		  "1.300000002 zombie>100ms: old (60), zombie for 100 ms so far, parent sh (100)\n"
		  "1.450000002 failed: old (60), status 2, parent sh (100)\n");
	expect_part("--expect failed==0", "failed==0                 1 ");
	expect_part("--latency", "zombie    notified>reap        1   250 ms ");
}

/* If a thread outlived the leader and its EXIT is lost, the leader's status is not what wait(2) returned. */
static void test_last_exit_lost(void **state)
{
	struct who a = story_fork(&sh, 101, "a"), t = thread_of(&a, 103);

	(void)state;
	story_put(clone_record(0, &t, &sh, &a));
	story_at(20);
	story_put(record_of(0, PROCLIFE_EXITING, &a));
	story_put(exit_record(0, &a, 1 << 8, 1));
	lose(100);
	story_at(200);
	story_put(reap_record(0, &a, &sh));
	story_put(free_record(0, &t));
	story_put(free_record(0, &a));
	story_at(300);
	expect_of(folder.path, "--on failed", 3, "");
	expect_part("--tree", "a  status ?, incomplete, 2 threads\n");
	expect_part("--lives", "?        a  EXIT lost\n");
	expect_part("--lives --failed --json", "\"deaths\":1,\"matched\":0,");
	expect_part("--expect failed==0", "failed==0                 0 ");
}

/* Its EXIT is lost, but not its REAP: it cannot have lived after that. */
static void test_range(void **state)
{
	struct who a = story_fork(&sh, 101, "a");
	struct output out;

	(void)state;
	lose(30);
	story_at(100);
	story_put(reap_record(0, &a, &sh));
	story_put(free_record(0, &a));
	story_at(500);
	expect_part("--tree --from +1.05s", "a  status ?, incomplete\n");
	out = run_program(false, 0, "%s -i %s --tree --from +1.2s", program, folder.path);
	if (strstr(out.text, "  101 "))
		fail_msg("%s", out.text);
	free(out.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRIGGERS(test_notice_lost), TRIGGERS(test_held_thread), TRIGGERS(test_last_exit_lost),
		TRIGGERS(test_range),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
