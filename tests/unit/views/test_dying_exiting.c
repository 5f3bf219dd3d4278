// SPDX-License-Identifier: GPL-2.0-only
/* Processes that are dying since the beginning of an exit that has not come to EXIT. */
#include "exits.h"
#include "proc_files.h"

static void begin_threads(const struct who *leader, const struct who *thread)
{
	trace_with_exiting(tasks);
	feed(tasks, fork_record(10, leader, &shell));
	feed(tasks, clone_record(11, thread, &shell, leader));
}

/* A thread has called exit_group(): the process ends, whether its leader has begun to exit or not. */
static void test_exiting(void **state)
{
	struct who a = victim(200), t = thread(&a, 201);
	struct dying_list list;

	(void)state;
	begin_threads(&a, &t);
	put_thread(&a, 'D', "io_schedule", 0, 0);
	put_thread(&t, 'S', "0", 0, 0);
	feed(tasks, exiting(20, &t, 0, 0)); /* it exits alone */
	expect_nobody();
	t = thread(&a, 202);
	feed(tasks, clone_record(21, &t, &shell, &a));
	feed(tasks, exiting(30, &t, WHOLE, 1 << 8));
	list = collect();
	assert_int_equal(list.count, 1);
	assert_int_equal(list.all->since, 30);
	assert_null(list.all->sigkill);
	dying_free(&list);
	feed(tasks, exiting(40, &a, WHOLE, 1 << 8));
	kill_at(50, &a);
	list = collect();
	assert_int_equal(list.all->since, 30);
	dying_free(&list);
	/* Even if /proc does not show it. */
	put_file("200 (victim) D 1 1 1 0 -1 0 0", "200/stat");
	list = collect();
	assert_int_equal(list.count, 1);
	assert_int_equal(list.all->proc.found, PROC_REFUSED);
	dying_free(&list);
}

/* Its leader began to exit before: the process is dying since then. */
static void test_leader_exiting(void **state)
{
	struct who a = victim(200), t = thread(&a, 201);
	struct dying_list list;

	(void)state;
	begin_threads(&a, &t);
	put_thread(&a, 'D', "io_schedule", EXITING, 0);
	put_thread(&t, 'S', "0", 0, 0);
	feed(tasks, exiting(20, &a, 0, 0));
	feed(tasks, exiting(30, &t, WHOLE, 1 << 8));
	list = collect();
	assert_int_equal(list.count, 1);
	assert_int_equal(list.all->process->exiting, 30);
	assert_int_equal(list.all->since, 20);
	dying_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DYING(test_exiting),
		DYING(test_leader_exiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
