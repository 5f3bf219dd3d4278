// SPDX-License-Identifier: GPL-2.0-only
/* The tree of processes. */
#include "check.h"
#include "records.h"

#include <stdlib.h>
#include <string.h>

static struct proclife_tasks *tasks;
static struct proclife_tree *tree;
static struct who init, shell;

static int begin(void **state)
{
	(void)state;
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	assert_int_equal(proclife_tree_new(&tree, tasks), 0);
	init = process_of_pid(1, "init");
	shell = process_of_pid(100, "sh");
	return 0;
}

static int end(void **state)
{
	(void)state;
	proclife_tree_free(tree);
	proclife_tasks_free(tasks);
	return 0;
}

/* Checks that the tree is connected, and siblings are in the order of birth. */
static uint64_t walk(const struct proclife_node *node, const struct proclife_node *parent)
{
	uint64_t count = 0;

	for (; node; node = node->next) {
		assert_ptr_equal(node->parent, parent);
		assert_non_null(node->comm);
		if (node->next)
			assert_true(node->id < node->next->id);
		count += 1 + walk(node->child, node);
	}
	return count;
}

static const struct proclife_node *find(const struct proclife_node *node, uint32_t tgid)
{
	for (; node; node = node->next) {
		const struct proclife_node *below;

		if (node->tgid == tgid)
			return node;
		below = find(node->child, tgid);
		if (below)
			return below;
	}
	return NULL;
}

static const struct proclife_node *node_of(uint32_t tgid)
{
	const struct proclife_node *roots = proclife_tree_roots(tree);

	assert_int_equal(walk(roots, NULL), proclife_tree_size(tree));
	return find(roots, tgid);
}

static void test_empty(void **state)
{
	(void)state;
	assert_null(proclife_tree_roots(tree));
	assert_int_equal(proclife_tree_size(tree), 0);
	proclife_tree_free(NULL);
}

static void test_family(void **state)
{
	struct who a = process_of_pid(200, "make"), b = process_of_pid(201, "cc");
	struct who c = process_of_pid(202, "ld"), d = process_of_pid(203, "as");
	struct who k = process_of_pid(204, "kthread");
	struct proclife_record thread = task_record(19, &k, &shell);
	const struct proclife_node *node;

	(void)state;
	feed(tasks, task_record(5, &shell, &init));
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exec_record(11, &a, 200, "/usr/bin/make"));
	feed(tasks, fork_record(12, &b, &a));
	feed(tasks, fork_record(13, &d, &b));
	feed(tasks, clone_record(14, &c, &a, &b));
	feed(tasks, exit_record(15, &b, 1 << 8, 0));
	feed(tasks, reap_record(16, &b, &a));
	feed(tasks, free_record(17, &b));
	node = node_of(100);
	assert_ptr_equal(node, proclife_tree_roots(tree));
	assert_null(node->next);
	assert_true(node->older);
	assert_int_equal(node->began, 5);
	assert_int_equal(node->child->tgid, 200);
	node = node->child;
	assert_null(node->next);
	assert_int_equal(node->gone, 0);
	assert_int_equal(node->child->tgid, 201);
	assert_int_equal(node->child->next->tgid, 202);
	assert_int_equal(node->child->next->parent_tgid, 200);
	assert_int_equal(node->child->next->creator_tgid, 201);
	assert_null(node->child->next->next);
	node = node->child;
	assert_int_equal(node->child->tgid, 203);
	assert_int_equal(node->gone, 1);
	assert_false(node->older);
	assert_int_equal(node->began, 12);
	assert_int_equal(node->marks.exited, 15);
	assert_int_equal(node->marks.reaped, 16);
	assert_int_equal(node->marks.freed, 17);
	assert_int_equal(node->exit_code, 1 << 8);
	assert_int_equal(node->runtime, 120);
	assert_int_equal(node->max_rss, 4096);
	assert_int_equal(node->common->threads, 1);
	assert_int_equal(node->common->uid, 1000);
	assert_int_equal(node->parent_tgid, 200);
	assert_int_equal(node->creator_tgid, 200);
	assert_int_equal(node->reaper_tgid, 200);
	assert_int_equal(node->incomplete, 0);
	assert_string_equal(node->comm, "cc");
	assert_null(node->path);
	/* Open lives get their figures at the end. */
	feed(tasks, exit_record(18, &shell, 0, 0));
	feed(tasks, rename_record(18, &k, "k"));
	thread.flags |= PROCLIFE_F_KTHREAD;
	feed(tasks, thread);
	assert_int_equal(node_of(204)->flags, 0);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(node_of(100)->began, 5);
	assert_int_equal(node_of(100)->marks.exited, 18);
	assert_true(node_of(204)->flags & PROCLIFE_F_KTHREAD);
	assert_int_equal(node_of(204)->execs, 0);
	node = node_of(200);
	assert_int_equal(node->gone, 1);
	assert_int_equal(node->marks.exited, 0);
	assert_string_equal(node->path, "/usr/bin/make");
	assert_int_equal(node->execs, 1);
	assert_int_equal(proclife_tree_size(tree), 6);
}

static void test_reused_pids(void **state)
{
	const struct proclife_node *node;
	unsigned int children = 0;

	(void)state;
	feed(tasks, task_record(5, &shell, &init));
	for (int i = 0; i < 50; i++) {
		struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");

		feed(tasks, fork_record(10 + 10 * i, &a, &shell));
		feed_life(tasks, 11 + 10 * i, &b, &a);
		feed(tasks, exit_record(15 + 10 * i, &a, 0, 0));
		feed(tasks, reap_record(16 + 10 * i, &a, &shell));
		feed(tasks, free_record(17 + 10 * i, &a));
	}
	node = node_of(100);
	for (node = node->child; node; node = node->next, children++) {
		assert_int_equal(node->tgid, 200);
		assert_non_null(node->child);
		assert_int_equal(node->child->tgid, 201);
		assert_true(node->child->began > node->began);
		assert_true(node->child->began < node->marks.exited);
		assert_null(node->child->next);
	}
	assert_int_equal(children, 50);
	assert_int_equal(proclife_tree_size(tree), 101);
}

/* A double fork: the grandchild stays below its parent by birth. */
static void test_daemon(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");

	(void)state;
	feed(tasks, task_record(4, &init, &init));
	feed(tasks, task_record(5, &shell, &init));
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &a));
	feed(tasks, exit_record(12, &a, 0, 0));
	feed(tasks, reap_record(13, &a, &shell));
	feed(tasks, free_record(14, &a));
	feed(tasks, exit_record(15, &b, 0, 0));
	feed(tasks, reap_record(16, &b, &init));
	feed(tasks, free_record(17, &b));
	assert_int_equal(node_of(201)->parent->tgid, 200);
	assert_int_equal(node_of(201)->reaper_tgid, 1);
	assert_int_equal(node_of(100)->parent->tgid, 1);
}

static void test_exec_by_thread(void **state)
{
	struct who a = process_of_pid(200, "a"), t = thread_of(&a, 201);
	struct who b = process_of_pid(300, "b");

	(void)state;
	feed(tasks, task_record(5, &shell, &init));
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exit_record(12, &a, 9, 1));
	t.pid = 200;
	t.start = a.start;
	a.pid = 201;
	t.comm = "new";
	feed(tasks, reap_record(13, &a, &t));
	feed(tasks, exec_record(14, &t, 201, "/bin/new"));
	feed(tasks, free_record(15, &a));
	feed(tasks, fork_record(16, &b, &t));
	assert_int_equal(proclife_tree_size(tree), 3);
	assert_int_equal(node_of(300)->parent->tgid, 200);
	feed(tasks, exit_record(17, &t, 0, 0));
	feed(tasks, reap_record(18, &t, &shell));
	feed(tasks, free_record(19, &t));
	assert_int_equal(proclife_tree_size(tree), 3);
	assert_string_equal(node_of(200)->comm, "new");
	assert_int_equal(node_of(200)->common->threads, 2);
	assert_int_equal(node_of(200)->marks.exited, 17);
}

static void test_snapshot_in_any_order(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct who all[20];
		unsigned int order[20], parents[20];
		uint64_t random = seed;

		if (seed) {
			end(NULL);
			begin(NULL);
		}
		for (unsigned int i = 0; i < 20; i++) {
			all[i] = process_of_pid(200 + i, "p");
			parents[i] = i ? random_below(&random, i) : 0;
			order[i] = i;
		}
		for (unsigned int i = 20; i > 1; i--) {
			unsigned int j = random_below(&random, i), swap = order[i - 1];

			order[i - 1] = order[j];
			order[j] = swap;
		}
		for (unsigned int i = 0; i < 20; i++) {
			unsigned int n = order[i];

			feed(tasks, task_record(5 + i, &all[n], n ? &all[parents[n]] : &init));
		}
		assert_int_equal(proclife_tree_size(tree), 20);
		for (unsigned int i = 1; i < 20; i++) {
			assert_non_null(node_of(200 + i)->parent);
			assert_int_equal(node_of(200 + i)->parent->tgid, 200 + parents[i]);
		}
		assert_null(node_of(200)->parent);
	}
}

/* Only a thread that is found later shows that a known process is the parent. */
static void test_parent_known_later(void **state)
{
	struct who a = process_of_pid(200, "a"), forker = thread_of(&shell, 101);

	(void)state;
	feed(tasks, task_record(5, &shell, &init));
	feed(tasks, task_record(6, &a, &forker));
	assert_null(node_of(200)->parent);
	feed(tasks, task_record(7, &forker, &init));
	assert_int_equal(node_of(200)->parent->tgid, 100);
}

/* A signal shows a process before its FORK: its life begins with the FORK all the same. */
static void test_seen_before_fork(void **state)
{
	struct who a = process_of_pid(200, "a");

	(void)state;
	feed(tasks, task_record(5, &shell, &init));
	feed(tasks, signal_record(9, &a, 15, &shell));
	feed_life(tasks, 10, &a, &shell);
	assert_int_equal(node_of(200)->began, 10);
	assert_false(node_of(200)->older);
	assert_int_equal(node_of(200)->parent->tgid, 100);
}

/* Children are in the order of their births, whenever they were selected. */
static void test_selected_later(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c"), d = process_of_pid(203, "d");
	const struct proclife_node *child;

	(void)state;
	assert_int_equal(proclife_tasks_select_pid(tasks, 999), 0);
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &a));
	feed(tasks, fork_record(12, &c, &a));
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	feed(tasks, fork_record(13, &d, &a));
	for (int gone = 0; gone < 2; gone++) {
		child = node_of(200)->child;
		assert_int_equal(child->tgid, 201);
		assert_int_equal(child->next->tgid, 202);
		assert_int_equal(child->next->next->tgid, 203);
		assert_null(child->next->next->next);
		assert_int_equal(proclife_tasks_close(tasks), 0);
	}
}

static void test_selected_only(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c"), d = process_of_pid(203, "d");

	(void)state;
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	/* Backwards, so that the shell is put below init later on. */
	feed(tasks, task_record(4, &shell, &init));
	feed(tasks, task_record(5, &init, &init));
	assert_int_equal(proclife_tree_size(tree), 0);
	feed(tasks, fork_record(10, &b, &shell));
	feed(tasks, fork_record(11, &a, &shell));
	feed(tasks, fork_record(12, &c, &a));
	feed(tasks, clone_record(13, &d, &shell, &a));
	assert_int_equal(proclife_tree_size(tree), 3);
	assert_null(node_of(100));
	assert_null(node_of(201));
	assert_null(node_of(200)->parent);
	assert_int_equal(node_of(202)->parent->tgid, 200);
	assert_non_null(node_of(203)); /* its parent is not selected: another root */
	assert_null(node_of(203)->parent);
}

/* The tree may outlive the tasks. */
static void test_kept(void **state)
{
	struct who a = process_of_pid(200, "a");
	const struct proclife_node *node;

	(void)state;
	feed(tasks, task_record(5, &shell, &init));
	feed_life(tasks, 10, &a, &shell);
	proclife_tasks_free(tasks);
	tasks = NULL;
	node = node_of(200);
	assert_int_equal(node->marks.exited, 11);
	assert_string_equal(node->parent->comm, "sh");
}

static void test_large(void **state)
{
	enum { MANY = 20000 };
	struct who *all = calloc(MANY, sizeof(*all));
	uint64_t random = 1;
	const struct proclife_node *node;
	uint64_t seen = 0;

	(void)state;
	assert_non_null(all);
	feed(tasks, task_record(5, &shell, &init));
	for (unsigned int i = 0; i < MANY; i++) {
		const struct who *parent = &shell;

		all[i] = process_of_pid(1000 + i % 300, "p");
		if (i % 3) /* some deep, some wide */
			parent = &all[i - 1 - random_below(&random, i < 9 ? i : 9)];
		feed(tasks, fork_record(10 + i, &all[i], parent));
	}
	assert_int_equal(proclife_tree_size(tree), MANY + 1);
	assert_int_equal(walk(proclife_tree_roots(tree), NULL), MANY + 1);
	for (node = proclife_tree_roots(tree)->child; node; node = node->next)
		seen++;
	assert_in_range(seen, MANY / 3, MANY / 3 + 1);
	free(all);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_empty),
		TEST(test_family),
		TEST(test_reused_pids),
		TEST(test_daemon),
		TEST(test_exec_by_thread),
		TEST(test_snapshot_in_any_order),
		TEST(test_parent_known_later),
		TEST(test_seen_before_fork),
		TEST(test_selected_later),
		TEST(test_selected_only),
		TEST(test_kept),
		TEST(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
