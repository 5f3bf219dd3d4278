// SPDX-License-Identifier: GPL-2.0-only
/* A gap between what was seen of a process: what stays known, and what does not. */
#include "check.h"
#include "fixture_tasks.h"

static struct proclife_process *known(const struct who *who)
{
	return proclife_tasks_find(tasks, who->task)->process;
}

/* Whoever was seen before a gap, alive or about to exit: what has become of it is not known. */
static void test_gap_hides_the_state(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b"), c = process_of_pid(202, "c");
	struct proclife_record exiting = task_record(11, &b, &shell);

	(void)state;
	exiting.flags |= PROCLIFE_F_EXITING;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exiting);
	assert_int_equal(proclife_process_state(tasks, known(&a)), PROCLIFE_IS_ALIVE);
	assert_int_equal(proclife_process_state(tasks, known(&b)), PROCLIFE_IS_ALIVE);
	feed_gap(tasks, 1, 12, 20);
	feed(tasks, fork_record(21, &c, &shell));
	assert_int_equal(proclife_process_state(tasks, known(&a)), PROCLIFE_IS_UNKNOWN);
	assert_int_equal(proclife_process_state(tasks, known(&b)), PROCLIFE_IS_UNKNOWN);
	assert_int_equal(proclife_process_state(tasks, known(&c)), PROCLIFE_IS_ALIVE);
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

/* What a gap took before it was listed, the listing tells. */
static void test_gap_before_the_listing(void **state)
{
	struct who a = process_of_pid(200, "a");

	(void)state;
	feed_gap(tasks, 3, 10, 20);
	feed(tasks, task_record(21, &a, &shell));
	assert_false(proclife_tasks_find(tasks, a.task)->process->incomplete);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_gap_hides_the_state),
		TEST(test_gap_between_exit_and_free),
		TEST(test_gap_before_the_listing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
