// SPDX-License-Identifier: GPL-2.0-only
/* Which process has to reap, by birth or by adoption, and which leaves zombies. */
#include "check.h"
#include "reapers.h"

static void test_adopted(void **state)
{
	struct who a = process_of_pid(200, "daemon"), b = process_of_pid(201, "child");
	struct proclife_reaper reaper;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &a));
	feed(tasks, exit_below_record(12, &a, &shell));
	feed(tasks, reap_record(13, &a, &shell));
	feed(tasks, free_record(14, &a));
	feed(tasks, wait_record(15, &init));
	feed(tasks, exit_below_record(20, &b, &init));
	feed(tasks, notify_record(20, &b, &init));
	feed(tasks, reap_record(27, &b, &init));
	feed(tasks, free_record(28, &b));
	reaper = reaper_of(reapers, 1);
	assert_true(reaper.init);
	assert_int_equal(reaper.id, 1);
	assert_int_equal(reaper.reaped, 1);
	assert_int_equal(reaper.adopted, 1);
	assert_int_equal(reaper.awaited, 1);
	assert_int_equal(proclife_histogram_max(reaper.zombie), 7);
	assert_int_equal(reaper_of(reapers, 100).reaped, 1);
	assert_int_equal(reaper_of(reapers, 100).adopted, 0);
	assert_false(reaper_of(reapers, 100).init);
}

/* A subreaper that has the same pid as the parent that died. */
static void test_adopted_by_a_namesake(void **state)
{
	struct who a = process_of_pid(200, "parent"), b = process_of_pid(201, "child");
	struct who c = process_of_pid(200, "subreaper");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &a));
	feed(tasks, exit_below_record(12, &a, &shell));
	feed(tasks, reap_record(13, &a, &shell));
	feed(tasks, free_record(14, &a));
	feed(tasks, fork_record(15, &c, &shell));
	feed(tasks, exit_below_record(20, &b, &c));
	feed(tasks, reap_record(21, &b, &c));
	feed(tasks, free_record(22, &b));
	assert_int_equal(reaper_of(reapers, 200).reaped, 1);
	assert_int_equal(reaper_of(reapers, 200).adopted, 1);
}

/* A container's init reaps what its children left, and is the first to be gone. */
static void test_init_of_a_namespace(void **state)
{
	struct who a = process_of_pid(200, "tini"), b = process_of_pid(201, "app");
	struct proclife_record record = fork_record(10, &a, &shell);

	(void)state;
	record.fork.ns_pid = 1;
	feed(tasks, record);
	feed_zombie(tasks, 20, &b, &a);
	feed(tasks, reap_record(30, &b, &a));
	feed(tasks, free_record(31, &b));
	feed(tasks, exit_below_record(40, &a, &shell));
	feed(tasks, reap_record(41, &a, &shell));
	feed(tasks, free_record(42, &a));
	assert_true(reaper_of(reapers, 200).init);
	assert_true(reaper_of(reapers, 200).gone);
	assert_string_equal(reaper_of(reapers, 200).comm, "tini");
	assert_false(reaper_of(reapers, 100).init);
}

/*
 * A child can be freed after its reaper, if another CPU is slow. What is known of a reaper depends neither
 * on that, nor on which is reported first at the end.
 */
static void test_freed_behind_its_reaper(void **state)
{
	struct who a = process_of_pid(200, "tini"), b = process_of_pid(201, "app");
	struct who c = process_of_pid(202, "ignores"), d = process_of_pid(203, "d");
	struct who e = process_of_pid(204, "tini"), f = process_of_pid(205, "f");
	struct proclife_record record;

	(void)state;
	record = fork_record(10, &a, &shell);
	record.fork.ns_pid = 1;
	feed(tasks, record);
	feed_zombie(tasks, 11, &b, &a);
	feed(tasks, reap_record(14, &b, &a));
	feed(tasks, rename_record(15, &a, "last name"));
	a.comm = "last name";
	feed(tasks, exit_below_record(16, &a, &shell));
	feed(tasks, reap_record(17, &a, &shell));
	feed(tasks, free_record(18, &a));
	feed(tasks, free_record(19, &b));
	assert_int_equal(reaper_of(reapers, 200).reaped, 1);
	assert_true(reaper_of(reapers, 200).gone);
	assert_true(reaper_of(reapers, 200).init);
	assert_string_equal(reaper_of(reapers, 200).comm, "last name");

	feed(tasks, fork_record(20, &c, &shell));
	feed(tasks, fork_record(21, &d, &c));
	feed(tasks, exit_below_record(22, &d, &c));
	feed(tasks, reap_record(23, &d, &d));
	feed(tasks, exit_below_record(24, &c, &shell));
	feed(tasks, reap_record(25, &c, &shell));
	feed(tasks, free_record(26, &c));
	feed(tasks, free_record(27, &d));
	assert_int_equal(reaper_of(reapers, 202).ignored, 1);
	assert_true(reaper_of(reapers, 202).gone);
	assert_string_equal(reaper_of(reapers, 202).comm, "ignores");

	record = fork_record(30, &e, &shell);
	record.fork.ns_pid = 1;
	feed(tasks, record);
	feed_zombie(tasks, 31, &f, &e);
	feed(tasks, reap_record(34, &f, &e));
	feed(tasks, rename_record(35, &e, "newer"));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(reaper_of(reapers, 204).reaped, 1);
	assert_false(reaper_of(reapers, 204).gone);
	assert_true(reaper_of(reapers, 204).init);
	assert_string_equal(reaper_of(reapers, 204).comm, "newer");
}

static void test_zombies_at_the_end(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c"), d = process_of_pid(203, "d");
	struct who lazy = process_of_pid(300, "lazy"), old = process_of_pid(301, "old");
	struct proclife_reaper reaper;
	struct proclife_record record;

	(void)state;
	feed(tasks, task_record(3, &lazy, &init));
	record = task_record(4, &old, &lazy);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	feed(tasks, record);
	feed(tasks, fork_record(10, &a, &shell));
	feed_zombie(tasks, 11, &b, &shell);
	feed(tasks, exit_below_record(20, &a, &shell)); /* without SIGCHLD so far */
	feed_zombie(tasks, 21, &c, &lazy);
	feed_zombie(tasks, 30, &d, &shell);
	feed(tasks, reap_record(33, &d, &shell)); /* not freed at the end, but no zombie */
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(number_of_reapers(reapers), 2);
	reaper = reaper_of(reapers, 100);
	assert_int_equal(reaper.zombies, 2);
	assert_int_equal(reaper.oldest, 13); /* SIGCHLD, not EXIT */
	assert_int_equal(reaper.reaped, 1);
	assert_string_equal(reaper.comm, "sh");
	assert_false(reaper.gone);
	reaper = reaper_of(reapers, 300);
	assert_int_equal(reaper.zombies, 2);
	assert_int_equal(reaper.oldest, 0); /* from before the trace */
	assert_int_equal(reaper.reaped, 0);
	assert_null(reaper.zombie);
	assert_string_equal(reaper.comm, "lazy");
	assert_int_equal(reaper.id, 3);
}

/* The adopter of these is not known; the process that now has its pid is another one. */
static void test_parent_gone(void **state)
{
	struct who p = process_of_pid(200, "p"), a = process_of_pid(201, "a");
	struct who q = process_of_pid(200, "q"), b = process_of_pid(202, "b");
	struct who r = process_of_pid(203, "r");

	(void)state;
	feed(tasks, fork_record(10, &p, &shell));
	feed_zombie(tasks, 11, &a, &p);
	feed(tasks, exit_below_record(20, &p, &shell));
	feed(tasks, reap_record(21, &p, &shell));
	feed(tasks, free_record(22, &p));
	feed(tasks, fork_record(30, &q, &shell));
	/* A zombie cannot reap, either. */
	feed(tasks, fork_record(40, &r, &shell));
	feed_zombie(tasks, 41, &b, &r);
	feed(tasks, exit_below_record(50, &r, &shell));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(reaper_of(reapers, 200).zombies, 1);
	/* Not q, which has its pid now. */
	assert_int_not_equal(reaper_of(reapers, 200).id, 0);
	assert_string_equal(reaper_of(reapers, 200).comm, "p");
	assert_true(reaper_of(reapers, 200).gone);
	assert_int_equal(reaper_of(reapers, 203).zombies, 1);
	assert_string_equal(reaper_of(reapers, 203).comm, "r");
	assert_int_equal(reaper_of(reapers, 100).zombies, 1); /* r */
}

/* Without a snapshot, pids are all there is. */
static void test_reaper_unknown(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c");
	struct proclife_reaper reaper;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_below_record(11, &a, &shell));
	feed(tasks, reap_record(12, &a, &shell));
	feed(tasks, free_record(13, &a));
	feed(tasks, fork_record(20, &b, &shell));
	feed(tasks, exit_below_record(21, &b, &init));
	feed(tasks, reap_record(22, &b, &init));
	feed(tasks, free_record(23, &b));
	/* The parent of this one is not known: it need not be another process. */
	feed(tasks, exit_below_record(31, &c, &shell));
	feed(tasks, reap_record(32, &c, &shell));
	feed(tasks, free_record(33, &c));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(number_of_reapers(reapers), 2);
	reaper = reaper_of(reapers, 100);
	assert_int_equal(reaper.id, 0);
	assert_int_equal(reaper.reaped, 2);
	assert_int_equal(reaper.adopted, 0);
	assert_int_equal(reaper.awaited + reaper.belated, 0);
	assert_string_equal(reaper.comm, "sh");
	assert_int_equal(proclife_histogram_count(reaper.zombie), 2);
	reaper = reaper_of(reapers, 1);
	assert_true(reaper.init);
	assert_int_equal(reaper.reaped, 1);
	assert_int_equal(reaper.adopted, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REAPERS(test_adopted),
		REAPERS(test_adopted_by_a_namesake),
		REAPERS(test_init_of_a_namespace),
		REAPERS(test_freed_behind_its_reaper),
		REAPERS(test_zombies_at_the_end),
		REAPERS(test_parent_gone),
		cmocka_unit_test_setup_teardown(test_reaper_unknown, begin_reapers_unknown, end_reapers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
