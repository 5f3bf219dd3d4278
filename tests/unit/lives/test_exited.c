// SPDX-License-Identifier: GPL-2.0-only
/* When a process is reported as exited, and what it has used until then. */
#include "check.h"
#include "fixture_tasks.h"

#include <signal.h>

#define EXITED (&reported.exited[reported.exited_count - 1])
#define USAGE (&reported.usage[reported.exited_count - 1])

static void test_last_thread(void **state)
{
	struct who a = process_of_pid(200, "app"), t1 = thread_of(&a, 201), t2 = thread_of(&a, 202);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t1, &shell, &a));
	feed(tasks, clone_record(12, &t2, &shell, &a));
	feed(tasks, exit_record(20, &t1, 0, 2));
	feed(tasks, reap_record(21, &t1, &t1));
	feed(tasks, free_record(22, &t1)); /* it has 120 ns, and the others have 100 each at EXIT */
	feed(tasks, exit_record(30, &a, 3 << 8, 1));
	assert_int_equal(reported.exited_count, 0);
	feed(tasks, exit_record(31, &t2, 0, 0));
	assert_int_equal(reported.exited_count, 1);
	assert_int_equal(EXITED->tgid, 200);
	assert_int_equal(EXITED->marks.exited, 31);
	assert_int_equal(EXITED->exit_code, 3 << 8);
	assert_int_equal(EXITED->max_rss, 4096);
	assert_false(EXITED->incomplete);
	assert_int_equal(USAGE->runtime, 120 + 100 + 100);
	assert_int_equal(USAGE->min_flt, 3 * 5);
	assert_int_equal(USAGE->nvcsw, 3 * 3);
	assert_int_equal(USAGE->nivcsw, 3 * 2);
	feed(tasks, reap_record(40, &t2, &t2));
	feed(tasks, reap_record(41, &a, &shell));
	feed(tasks, free_record(42, &t2));
	feed(tasks, free_record(43, &a));
	assert_int_equal(reported.gone_count, 1);
	assert_true(reported.had_exited[0]);
	assert_int_equal(reported.exited_count, 1);
}

/* An unknown thread's EXIT also reports the last one: the process has been reported already. */
static void test_once(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, task_record(10, &a, &shell));
	feed(tasks, exit_record(20, &a, 0, 0));
	assert_int_equal(reported.exited_count, 1);
	feed(tasks, exit_record(21, &t, 0, 0));
	assert_int_equal(proclife_tasks_find(tasks, a.task)->process->marks.exited, 21);
	assert_int_equal(reported.exited_count, 1);
}

static void test_lost_exit(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "other");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &shell));
	feed_gap(tasks, 1, 12, 20);
	feed(tasks, reap_record(21, &a, &shell));
	feed(tasks, free_record(22, &a));
	assert_int_equal(reported.exited_count, 0);
	assert_int_equal(reported.gone_count, 1);
	assert_false(reported.had_exited[0]);
	feed(tasks, exit_record(30, &b, 0, 0));
	assert_int_equal(reported.exited_count, 1);
	assert_true(EXITED->incomplete);
}

/* What it had used when the snapshot listed it. */
static void test_listed(void **state)
{
	struct who a = process_of_pid(200, "app");
	struct proclife_record record = task_record(10, &a, &shell);
	struct proclife_usage usage;

	(void)state;
	record.state.runtime = 100;
	record.state.utime = 70;
	record.state.stime = 20;
	feed(tasks, record);
	proclife_process_usage(proclife_tasks_find(tasks, a.task)->process, &usage);
	assert_int_equal(usage.runtime, 100);
	assert_int_equal(usage.utime, 70);
	assert_int_equal(usage.stime, 20);
}

static void test_end_of_the_trace(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(reported.gone_count, 2);
	assert_int_equal(reported.exited_count, 0);
}

static enum proclife_match has_failed(void *data, const struct proclife_process *process)
{
	(void)data;
	return process->exit_code == 1 << 8 ? PROCLIFE_MATCHES : PROCLIFE_MATCHES_NOT;
}

/* The filter sees all fields of the last EXIT, a thread's or not. */
static void test_filter(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201), b = process_of_pid(300, "b");
	struct proclife_record record;

	(void)state;
	proclife_tasks_filter(tasks, has_failed, NULL);
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exit_record(20, &a, 0, 1));
	record = exit_record(21, &t, 1 << 8, 0);
	record.flags |= PROCLIFE_F_GROUP_EXIT;
	assert_int_equal(feed(tasks, record), 1);
	assert_true(EXITED->matches);
	feed(tasks, fork_record(30, &b, &shell));
	assert_int_equal(feed(tasks, exit_record(31, &b, 0, 0)), 0);
	assert_false(EXITED->matches);
}

/* Before Linux 5.18 the status is the leader's, unless the group ended as a whole. */
static void test_status_of_an_unseen_leader(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201), u = thread_of(&a, 202);
	struct proclife_record record;

	(void)state;
	feed(tasks, exit_record(20, &t, 1 << 8, 1));
	assert_int_equal(proclife_tasks_holder(tasks, 200)->exit_code, -1);
	record = exit_record(21, &u, 2 << 8, 0);
	record.flags |= PROCLIFE_F_GROUP_DEAD;
	feed(tasks, record);
	assert_int_equal(proclife_tasks_holder(tasks, 200)->exit_code, -1);
	record = exit_record(22, &u, 3 << 8, 0);
	record.flags |= PROCLIFE_F_GROUP_EXIT;
	feed(tasks, record);
	assert_int_equal(proclife_tasks_holder(tasks, 200)->exit_code, 3 << 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_last_thread), TEST(test_once),   TEST(test_lost_exit),
		TEST(test_listed), TEST(test_filter),
		TEST(test_end_of_the_trace), TEST(test_filter),
		TEST(test_status_of_an_unseen_leader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
