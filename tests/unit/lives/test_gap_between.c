// SPDX-License-Identifier: GPL-2.0-only
/* A gap between records of a process: what stays known, and what does not. */
#include "check.h"
#include "fixture_tasks.h"

static struct proclife_process *known(const struct who *who)
{
	return proclife_tasks_find(tasks, who->task)->process;
}

/* A process is seen before a gap, alive or about to exit: its fate is not known. */
static void test_gap_hides_the_state(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b"), c = process_of_pid(202, "c");
	struct proclife_record exiting = task_record(11, &b, &shell);

	(void)state;
	exiting.flags |= PROCLIFE_F_EXITING;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exiting);
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_ALIVE);
	assert_int_equal(proclife_process_state(known(&b)), PROCLIFE_IS_DYING);
	feed_gap(tasks, 1, 12, 20);
	feed(tasks, fork_record(21, &c, &shell));
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_UNKNOWN);
	assert_int_equal(proclife_process_state(known(&b)), PROCLIFE_IS_UNKNOWN);
	assert_int_equal(proclife_process_state(known(&c)), PROCLIFE_IS_ALIVE);
}

/* All of its threads were known to be dead before the gap: its FREE is the last one. */
static void test_gap_between_exit_and_free(void **state)
{
	struct who a = process_of_pid(200, "a");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_record(11, &a, 0, 0));
	feed_gap(tasks, 1, 12, 20);
	feed(tasks, reap_record(21, &a, &shell));
	feed(tasks, free_record(22, &a));
	assert_int_equal(LAST_GONE->marks.exited, 11);
	assert_int_equal(LAST_GONE->marks.freed, 22);
}

/* The snapshot's listing replaces what an earlier gap took. */
static void test_gap_before_the_listing(void **state)
{
	struct who a = process_of_pid(200, "a");

	(void)state;
	feed_gap(tasks, 3, 10, 20);
	feed(tasks, task_record(21, &a, &shell));
	assert_false(proclife_tasks_find(tasks, a.task)->process->incomplete);
}

/* Only a thread of one was seen; a later, younger leader has got its pid unseen. */
static void test_gap_before_younger_leader(void **state)
{
	struct who a = process_of_pid(200, "old"), t = thread_of(&a, 201);
	struct who b = process_of_pid(200, "new");

	(void)state;
	feed(tasks, exit_record(10, &t, 0, 1));
	feed_gap(tasks, 9, 11, 12);
	feed(tasks, exit_record(20, &b, 0, 0));
	assert_ptr_not_equal(proclife_tasks_find(tasks, b.task)->process,
			     proclife_tasks_find(tasks, t.task)->process);
	assert_int_equal(proclife_tasks_find(tasks, b.task)->process->threads, 1);
}

/* No task renames itself in a dead thread group: this is another one, which has got its pid unseen. */
static void test_gap_before_next_group(void **state)
{
	struct who a = process_of_pid(200, "old"), b = process_of_pid(200, "new");
	struct who u = thread_of(&b, 202);

	(void)state;
	feed(tasks, exit_record(10, &a, 0, 0));
	feed_gap(tasks, 9, 11, 12);
	feed(tasks, rename_record(13, &u, "worker"));
	assert_ptr_not_equal(proclife_tasks_find(tasks, a.task)->process,
			     proclife_tasks_find(tasks, u.task)->process);
}

/* Two threads looked like one process, until the listing shows their groups. */
static void test_gap_between_threads(void **state)
{
	struct who a = process_of_pid(200, "old"), t = thread_of(&a, 201);
	struct who b = process_of_pid(200, "new"), u = thread_of(&b, 202);

	(void)state;
	feed(tasks, wait_record(10, &t));
	feed_gap(tasks, 9, 11, 12);
	feed(tasks, wait_record(13, &u));
	assert_int_equal(proclife_tasks_find(tasks, t.task)->process->threads, 2);
	feed(tasks, task_record(14, &t, &shell));
	feed(tasks, task_record(15, &u, &shell));
	assert_int_equal(proclife_tasks_find(tasks, t.task)->process->threads, 1);
	assert_int_equal(proclife_tasks_find(tasks, u.task)->process->threads, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_gap_hides_the_state),
		TEST(test_gap_between_exit_and_free),
		TEST(test_gap_before_the_listing),
		TEST(test_gap_before_younger_leader),
		TEST(test_gap_before_next_group),
		TEST(test_gap_between_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
