// SPDX-License-Identifier: GPL-2.0-only
/* Stories in which only one process, or a process and its descendants, is selected. */
#include "check.h"
#include "fixture_tasks.h"

#include <string.h>

static void test_select_pid(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c"), d = process_of_pid(203, "d");
	struct who init = process_of_pid(1, "init");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	assert_int_equal(proclife_tasks_selected(tasks), 2);
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 1);
	assert_int_equal(proclife_tasks_selected_open(tasks), 1);
	assert_int_equal(feed(tasks, fork_record(11, &b, &shell)), 0);
	assert_false(LAST_BORN->selected);
	assert_int_equal(feed(tasks, fork_record(12, &c, &a)), 1);
	assert_true(LAST_BORN->selected);
	assert_int_equal(proclife_tasks_selected(tasks), 2);
	/* c lives on with another parent, and what it creates is still a's descendant. */
	assert_int_equal(feed(tasks, exit_record(13, &a, 0, 0)), 1);
	assert_int_equal(feed(tasks, reap_record(14, &a, &shell)), 1);
	assert_int_equal(feed(tasks, free_record(15, &a)), 1);
	assert_int_equal(proclife_tasks_selected_open(tasks), 1);
	feed(tasks, fork_record(16, &d, &c));
	assert_true(LAST_BORN->selected);
	assert_int_equal(proclife_tasks_selected(tasks), 3);
	assert_int_equal(proclife_tasks_selected_open(tasks), 2);
	feed(tasks, exit_record(17, &c, 0, 0));
	feed(tasks, reap_record(18, &c, &init));
	feed(tasks, free_record(19, &c));
	feed(tasks, exit_record(20, &d, 0, 0));
	feed(tasks, reap_record(21, &d, &init));
	assert_int_equal(proclife_tasks_selected_open(tasks), 1);
	assert_int_equal(feed(tasks, free_record(22, &d)), 1);
	assert_int_equal(proclife_tasks_selected_open(tasks), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 3);
	assert_int_equal(feed(tasks, exit_record(23, &b, 0, 0)), 0);
}

static void test_select_pid_later(void **state)
{
	struct who a = process_of_pid(200, "a"), again = process_of_pid(200, "again");

	(void)state;
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 0);
	feed_life(tasks, 10, &a, &shell);
	assert_int_equal(proclife_tasks_selected(tasks), 1);
	assert_true(LAST_GONE->selected);
	/* A later process with its pid is not selected. */
	feed_life(tasks, 20, &again, &shell);
	assert_false(LAST_GONE->selected);
	assert_int_equal(proclife_tasks_selected(tasks), 1);
}

static void test_select_pid_of_zombie(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(200, "b");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_record(11, &a, 0, 0));
	feed(tasks, reap_record(12, &a, &shell));
	/* Its pid is free again. */
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 0);
	feed(tasks, fork_record(13, &b, &shell));
	assert_true(LAST_BORN->selected);
	feed(tasks, free_record(14, &a));
	assert_false(LAST_GONE->selected);
}

/* A FREE is all that is left of a process: its pid was given back before the trace began. */
static void test_select_pid_behind_a_free(void **state)
{
	struct who earlier = process_of_pid(200, "earlier"), a = process_of_pid(200, "a");

	(void)state;
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	assert_int_equal(feed(tasks, free_record(10, &earlier)), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 0);
	assert_int_equal(proclife_tasks_missing(tasks, 0), 200);
	assert_int_equal(feed(tasks, task_record(11, &a, &shell)), 1);
	assert_int_equal(proclife_tasks_selected_open(tasks), 1);
}

/* Existing children. */
static void test_select_pid_with_children(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c"), d = process_of_pid(203, "d");

	(void)state;
	feed(tasks, task_record(5, &c, &b));
	feed(tasks, task_record(6, &b, &a));
	feed(tasks, task_record(7, &d, &shell));
	feed(tasks, task_record(8, &a, &shell));
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 3);
	assert_false(proclife_tasks_find(tasks, d.task)->process->selected);
	assert_true(proclife_tasks_find(tasks, c.task)->process->selected);
}

/* Children whose birth was seen: an adopted orphan is not its own. */
static void test_select_pid_with_born_children(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c"), other = process_of_pid(203, "other");
	struct who d = process_of_pid(204, "d");

	(void)state;
	feed(tasks, fork_record(5, &a, &shell));
	feed(tasks, fork_record(5, &d, &a));
	feed(tasks, fork_record(6, &b, &a));
	feed(tasks, fork_record(7, &c, &b));
	feed(tasks, clone_record(8, &other, &a, &shell));
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 4);
	assert_true(proclife_tasks_find(tasks, c.task)->process->selected);
	assert_true(proclife_tasks_find(tasks, d.task)->process->selected);
	assert_false(proclife_tasks_find(tasks, other.task)->process->selected);
}

static void test_select_among_many(void **state)
{
	struct who a = process_of_pid(200, "a");

	(void)state;
	feed(tasks, fork_record(5, &a, &shell));
	for (uint32_t i = 0; i < 3000; i++) {
		struct who b = process_of_pid(1000 + i, "b");

		feed(tasks, fork_record(6 + i, &b, i % 2 ? &a : &shell));
	}
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 1501);
}

/* Another CPU's record of a process comes before its FORK, which then shows its parent. */
static void test_select_at_a_late_fork(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c");

	(void)state;
	feed(tasks, fork_record(5, &a, &shell));
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	feed(tasks, rename_record(6, &b, "b"));
	feed(tasks, rename_record(6, &c, "c"));
	assert_int_equal(proclife_tasks_selected(tasks), 1);
	feed(tasks, clone_record(7, &b, &shell, &a));
	feed(tasks, clone_record(8, &c, &shell, &shell));
	assert_int_equal(proclife_tasks_selected(tasks), 2);
	assert_true(proclife_tasks_find(tasks, b.task)->process->selected);
}

/* The snapshot found it adopted; its FORK shows its parent, and only that one's children are selected. */
static void test_select_former_parent(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c");

	(void)state;
	assert_int_equal(proclife_tasks_select_pid(tasks, 300), 0);
	feed(tasks, task_record(5, &a, &shell));
	feed(tasks, task_record(6, &b, &a));
	feed(tasks, task_record(7, &c, &a));
	feed(tasks, fork_record(8, &c, &shell));
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 2);
	assert_true(proclife_tasks_find(tasks, b.task)->process->selected);
}

static void test_select_before_snapshot(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");

	(void)state;
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	feed(tasks, task_record(5, &b, &a));
	assert_int_equal(proclife_tasks_selected(tasks), 0);
	feed(tasks, task_record(6, &a, &shell));
	assert_int_equal(proclife_tasks_selected(tasks), 2);
	assert_true(proclife_tasks_find(tasks, b.task)->process->selected);
}

/* Several processes have the pid, one after the other: in a recording, it is not known which is meant. */
static void test_select_holders(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(200, "b"), c = process_of_pid(200, "c");
	struct who child = process_of_pid(201, "child"), other = process_of_pid(202, "other");

	(void)state;
	feed(tasks, fork_record(5, &a, &shell));
	assert_int_equal(proclife_tasks_select_holders(tasks, 200), 0);
	assert_int_equal(proclife_tasks_select_holders(tasks, 201), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 1);
	assert_int_equal(proclife_tasks_missing(tasks, 0), 201);
	/* Its descendants are selected anyway; then the pid is not missing, either. */
	feed(tasks, fork_record(6, &child, &a));
	assert_int_equal(proclife_tasks_missing(tasks, 0), 0);
	feed(tasks, exit_record(7, &a, 0, 0));
	feed(tasks, reap_record(8, &a, &shell));
	feed(tasks, free_record(9, &a));
	feed_life(tasks, 10, &other, &shell);
	assert_false(LAST_GONE->selected);
	feed_life(tasks, 20, &b, &shell);
	assert_true(LAST_GONE->selected);
	feed(tasks, task_record(30, &c, &shell));
	assert_true(proclife_tasks_find(tasks, c.task)->process->selected);
	assert_int_equal(proclife_tasks_selected(tasks), 4);
	assert_int_equal(proclife_tasks_missing(tasks, 0), 0);
}

static void test_select_child(void **state)
{
	struct who me = process_of_pid(150, "proclife-read"), a = process_of_pid(200, "cmd");
	struct who b = process_of_pid(201, "sub"), earlier = process_of_pid(200, "other");
	struct who sibling = process_of_pid(202, "sibling");

	(void)state;
	feed(tasks, task_record(5, &me, &shell));
	assert_int_equal(proclife_tasks_select_child(tasks, 200, 150), 0);
	/* A process with the same pid but another creator is not meant. */
	feed_life(tasks, 6, &earlier, &shell);
	assert_int_equal(proclife_tasks_selected(tasks), 0);
	assert_int_equal(feed(tasks, fork_record(11, &a, &me)), 1);
	assert_int_equal(proclife_tasks_selected(tasks), 1);
	feed(tasks, fork_record(12, &b, &a));
	assert_true(LAST_BORN->selected);
	/* CLONE_PARENT: the creator counts. */
	feed(tasks, clone_record(13, &sibling, &me, &a));
	assert_true(LAST_BORN->selected);
	assert_false(proclife_tasks_find(tasks, me.task)->process->selected);
	assert_int_equal(proclife_tasks_selected_open(tasks), 3);
}

/* With CLONE_PARENT, the creator counts, and the parent does not. */
static void test_select_creator(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	assert_int_equal(proclife_tasks_select_pid(tasks, 100), 0);
	/* a is below the shell. */
	assert_true(proclife_tasks_find(tasks, a.task)->process->selected);
	end_tasks(NULL);
	begin_tasks(NULL);
	a = process_of_pid(200, "a");
	assert_int_equal(proclife_tasks_select_pid(tasks, 300), 0);
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &b, &shell, &a));
	assert_int_equal(proclife_tasks_selected(tasks), 0);
}

static enum proclife_match is_wanted(void *data, const struct proclife_process *process)
{
	++*(unsigned int *)data;
	return !strcmp(process->comm, "wanted")	 ? PROCLIFE_MATCHES :
	       !strcmp(process->comm, "perhaps") ? PROCLIFE_MATCH_UNKNOWN :
						   PROCLIFE_MATCHES_NOT;
}

static bool is_selected(const struct who *who)
{
	return proclife_tasks_find(tasks, who->task)->process->selected;
}

/* Those that are there, that come, and that become what is asked for; with what they create. */
static void test_select_matching(void **state)
{
	struct who a = process_of_pid(200, "wanted"), b = process_of_pid(201, "b"), c = process_of_pid(202, "wanted");
	struct who d = process_of_pid(203, "d"), child = process_of_pid(204, "child");
	unsigned int asked = 0;

	(void)state;
	feed(tasks, fork_record(5, &a, &shell));
	feed(tasks, fork_record(6, &b, &a));
	assert_int_equal(proclife_tasks_select_matching(tasks, is_wanted, &asked), 0);
	assert_int_equal(asked, 3);
	assert_true(is_selected(&a) && is_selected(&b) && !is_selected(&shell));
	feed(tasks, fork_record(7, &c, &shell));
	assert_true(LAST_BORN->selected);
	feed(tasks, fork_record(8, &d, &shell));
	feed(tasks, fork_record(9, &child, &d));
	feed(tasks, rename_record(10, &d, "perhaps"));
	assert_false(is_selected(&d) || is_selected(&child));
	d.comm = "perhaps";
	assert_int_equal(feed(tasks, rename_record(11, &d, "wanted")), 1);
	assert_true(is_selected(&d) && is_selected(&child));
	d.comm = "wanted";
	/* It stays so. */
	feed(tasks, rename_record(12, &d, "other"));
	assert_true(is_selected(&d));
	assert_int_equal(proclife_tasks_selected(tasks), 5);
	assert_int_equal(proclife_tasks_missing(tasks, 0), 0);
	assert_int_equal(proclife_tasks_select_matching(tasks, NULL, NULL), 0);
	a = process_of_pid(205, "wanted");
	feed(tasks, fork_record(13, &a, &shell));
	assert_false(LAST_BORN->selected);
	assert_int_equal(proclife_tasks_selected(tasks), 5);
}

/* With a filter, each is asked in its turn, and the filter's answer counts. */
static void test_select_matching_with_filter(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	unsigned int asked = 0, filtered = 0;

	(void)state;
	assert_int_equal(proclife_tasks_select_matching(tasks, is_wanted, &asked), 0);
	proclife_tasks_filter(tasks, is_wanted, &filtered);
	feed(tasks, fork_record(5, &a, &shell));
	feed(tasks, fork_record(6, &b, &a));
	assert_int_equal(feed(tasks, rename_record(7, &a, "wanted")), 1);
	assert_true(is_selected(&a) && is_selected(&b));
	assert_int_equal(feed(tasks, rename_record(8, &b, "c")), 0);
	proclife_tasks_filter(tasks, NULL, NULL);
	assert_int_equal(feed(tasks, rename_record(9, &b, "d")), 1);
	assert_true(asked && filtered);
	/* Once the trace is over, none is selected any more. */
	a = process_of_pid(205, "e");
	feed(tasks, fork_record(10, &a, &shell));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 2);
}

/* Selecting it twice is like selecting it once. */
static void test_select_twice(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(proclife_tasks_select_holders(tasks, 200), 0);
		assert_int_equal(proclife_tasks_select_pid(tasks, 201), 0);
	}
	assert_int_equal(proclife_tasks_missing(tasks, 0), 200);
	assert_int_equal(proclife_tasks_missing(tasks, 1), 201);
	assert_int_equal(proclife_tasks_missing(tasks, 2), 0);
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &shell));
	assert_int_equal(proclife_tasks_missing(tasks, 0), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_select_pid),
		TEST(test_select_pid_later),
		TEST(test_select_pid_of_zombie),
		TEST(test_select_pid_behind_a_free),
		TEST(test_select_pid_with_children),
		TEST(test_select_pid_with_born_children),
		TEST(test_select_among_many),
		TEST(test_select_at_a_late_fork),
		TEST(test_select_former_parent),
		TEST(test_select_before_snapshot),
		TEST(test_select_holders),
		TEST(test_select_matching),
		TEST(test_select_matching_with_filter),
		TEST(test_select_twice),
		TEST(test_select_child),
		TEST(test_select_creator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
