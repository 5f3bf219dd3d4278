// SPDX-License-Identifier: GPL-2.0-only
/* Filters: some of the selected processes match. */
#include "check.h"
#include "reapers.h"

#include <string.h>

static struct proclife_latency *latency, *of_threads;
static struct proclife_latency_counts counts;
static struct proclife_tree *tree;

/* The filter's criteria. */
static struct {
	const char *comm;
	uint32_t uid;
	uint64_t cgroup;
	unsigned int asked;
} want;

static enum proclife_match match(void *data, const struct proclife_process *process)
{
	assert_ptr_equal(data, &want);
	want.asked++;
	if (want.comm && strcmp(process->comm, want.comm))
		return PROCLIFE_MATCHES_NOT;
	if (want.cgroup && process->cgroup != want.cgroup)
		return process->cgroup ? PROCLIFE_MATCHES_NOT : PROCLIFE_MATCH_UNKNOWN;
	return !want.uid || process->uid == want.uid ? PROCLIFE_MATCHES : PROCLIFE_MATCHES_NOT;
}

static int begin(void **state)
{
	begin_reapers_unknown(state);
	assert_int_equal(proclife_latency_new(&latency, tasks, false), 0);
	assert_int_equal(proclife_latency_new(&of_threads, tasks, true), 0);
	assert_int_equal(proclife_tree_new(&tree, tasks), 0);
	memset(&want, 0, sizeof(want));
	return 0;
}

static int end(void **state)
{
	proclife_tree_free(tree);
	proclife_latency_free(latency);
	proclife_latency_free(of_threads);
	return end_reapers(state);
}

static void filter_by_comm(const char *comm)
{
	want.comm = comm;
	proclife_tasks_filter(tasks, match, &want);
}

static uint64_t lives(const struct proclife_latency *of)
{
	counts = *proclife_latency_counts(of);
	return counts.lives;
}

static const struct proclife_node *node_of(uint32_t tgid)
{
	const struct proclife_node *node = proclife_tree_roots(tree);

	while (node && node->tgid != tgid) {
		const struct proclife_node *up = node;

		node = node->child;
		while (!node && up) {
			node = up->next;
			up = up->parent;
		}
	}
	return node;
}

static bool matches(const struct who *who)
{
	return proclife_tasks_find(tasks, who->task)->process->matches;
}

static void test_no_filter(void **state)
{
	struct who a = process_of_pid(200, "a");
	struct proclife_record later = record_of(15, PROCLIFE_TYPES - 1, &a);

	(void)state;
	assert_int_equal(feed(tasks, fork_record(10, &a, &shell)), 1);
	assert_true(matches(&a));
	assert_int_equal(feed(tasks, later), 1);
	filter_by_comm("b");
	assert_int_equal(feed(tasks, rename_record(16, &a, "a")), 0);
	assert_int_equal(feed(tasks, later), 0);
	later.task = 12345; /* its process cannot be known */
	assert_int_equal(feed(tasks, later), 0);
	proclife_tasks_filter(tasks, NULL, NULL);
	assert_int_equal(feed(tasks, later), 1);
	assert_int_equal(want.asked, 2); /* as soon as it is set, and after the RENAME */
}

/* The name changes: sh, then make before its exec, then cc. */
static void test_by_name(void **state)
{
	struct who a = process_of_pid(200, "sh");

	(void)state;
	filter_by_comm("make");
	assert_int_equal(feed(tasks, fork_record(10, &a, &shell)), 0);
	assert_false(matches(&a));
	assert_int_equal(feed(tasks, wait_record(11, &a)), 0);
	assert_int_equal(feed(tasks, rename_record(12, &a, "make")), 1);
	a.comm = "make";
	assert_int_equal(feed(tasks, exec_record(13, &a, 200, "/bin/make")), 1);
	assert_int_equal(feed(tasks, wait_record(14, &a)), 1);
	a.comm = "cc"; /* its RENAME is not there */
	assert_int_equal(feed(tasks, exec_record(15, &a, 200, "/bin/cc")), 0);
	assert_int_equal(feed(tasks, wait_record(16, &a)), 0);
	assert_int_equal(feed(tasks, signal_record(17, &a, 15, &shell)), 0);
	a.comm = "make"; /* nor is this one */
	assert_int_equal(feed(tasks, exit_record(20, &a, 0, 0)), 1);
	assert_int_equal(feed(tasks, reap_record(21, &a, &shell)), 1);
	assert_int_equal(feed(tasks, free_record(22, &a)), 1);
	assert_int_equal(lives(latency), 1);
	assert_int_equal(feed(tasks, wait_record(30, &shell)), 0);
}

/* Its state at the end counts, also without a REAP. */
static void test_exit_has_the_last_name(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");

	(void)state;
	filter_by_comm("b");
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &shell));
	a.comm = "b";
	b.comm = "a";
	assert_int_equal(feed(tasks, exit_record(12, &a, 0, 0)), 1);
	assert_int_equal(feed(tasks, exit_record(13, &b, 0, 0)), 0);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(lives(latency), 1);
	assert_true(node_of(200)->matches);
	assert_false(node_of(201)->matches);
}

/* The leader's name counts. */
static void test_threads(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	filter_by_comm("app");
	feed(tasks, fork_record(10, &a, &shell));
	assert_int_equal(feed(tasks, clone_record(11, &t, &shell, &a)), 1);
	assert_int_equal(feed(tasks, rename_record(12, &t, "worker")), 1);
	t.comm = "worker";
	feed(tasks, exit_record(13, &t, 0, 1));
	feed(tasks, reap_record(14, &t, &t));
	assert_int_equal(feed(tasks, free_record(15, &t)), 1);
	assert_int_equal(lives(of_threads), 1);
	assert_int_equal(feed(tasks, rename_record(16, &a, "other")), 0);
	a.comm = "other";
	assert_int_equal(feed(tasks, exit_record(17, &a, 0, 0)), 0);
	assert_int_equal(feed(tasks, reap_record(18, &a, &shell)), 0);
	assert_int_equal(feed(tasks, free_record(19, &a)), 0);
	assert_int_equal(lives(of_threads), 1);
	assert_int_equal(lives(latency), 0);
}

/* A thread can be seen before its leader, which has the name. */
static void test_leader_comes_later(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	t.comm = "worker";
	filter_by_comm("app");
	assert_int_equal(feed(tasks, wait_record(10, &t)), 0);
	assert_int_equal(feed(tasks, wait_record(11, &a)), 1);
	assert_ptr_equal(proclife_tasks_find(tasks, a.task)->process,
			 proclife_tasks_find(tasks, t.task)->process);
	assert_int_equal(feed(tasks, wait_record(12, &t)), 1);
}

static void test_by_uid_and_cgroup(void **state)
{
	struct who a = process_of_pid(200, "sudo"), b = process_of_pid(201, "service");
	struct who c = process_of_pid(202, "c");
	struct proclife_record record;

	(void)state;
	want.uid = 1000;
	proclife_tasks_filter(tasks, match, &want);
	record = fork_record(10, &a, &shell);
	record.fork.uid = 33;
	assert_int_equal(feed(tasks, record), 0);
	assert_int_equal(feed(tasks, exec_record(11, &a, 200, "/bin/sudo")), 1); /* as 1000 */
	record = task_record(12, &shell, &init);
	record.state.uid = 0;
	assert_int_equal(feed(tasks, record), 0);

	want.uid = 0;
	want.cgroup = 5;
	assert_int_equal(feed(tasks, fork_record(20, &b, &shell)), 0); /* in 77, with its creator */
	record = rename_record(21, &b, "service");
	record.rename.cgroup = 5;
	assert_int_equal(feed(tasks, record), 1);
	feed(tasks, exit_record(22, &b, 0, 0));
	record = reap_record(23, &b, &shell);
	record.reap.cgroup = 0; /* not known to the module */
	assert_int_equal(feed(tasks, record), 1);
	record.reap.cgroup = 6; /* it was moved once more */
	assert_int_equal(feed(tasks, record), 0);
	feed(tasks, free_record(24, &b));
	assert_int_equal(lives(latency), 0);
	/* The snapshot finds it in another cgroup than its FORK. */
	assert_int_equal(feed(tasks, fork_record(30, &c, &shell)), 0);
	record = task_record(31, &c, &shell);
	record.state.cgroup = 5;
	assert_int_equal(feed(tasks, record), 1);
}

/* Its cgroup at its death counts, though no other record shows the move. */
static void test_moved(void **state)
{
	struct who a = process_of_pid(200, "a"), t = thread_of(&a, 201);
	struct proclife_record record = record_of(20, PROCLIFE_EXITING, &a);

	(void)state;
	want.cgroup = 5;
	proclife_tasks_filter(tasks, match, &want);
	assert_int_equal(feed(tasks, fork_record(10, &a, &shell)), 0);
	assert_int_equal(feed(tasks, clone_record(11, &t, &shell, &a)), 0);
	record.exiting.cgroup = 5;
	assert_int_equal(feed(tasks, record), 1);
	record = record_of(21, PROCLIFE_EXITING, &t); /* a thread can be elsewhere */
	record.exiting.cgroup = 6;
	assert_int_equal(feed(tasks, record), 1);
	assert_int_equal(feed(tasks, exit_record(22, &t, 0, 1)), 1);
	assert_int_equal(feed(tasks, exit_record(23, &a, 0, 0)), 1);
}

/* An unknown value neither matches nor fails to match. */
static void test_unjudged(void **state)
{
	struct who a = process_of_pid(200, "a");
	struct proclife_record record = fork_record(10, &a, &shell);

	(void)state;
	want.cgroup = 5;
	proclife_tasks_filter(tasks, match, &want);
	record.fork.cgroup = 0;
	assert_int_equal(feed(tasks, record), 0);
	assert_false(matches(&a));
	assert_true(proclife_process_unjudged(proclife_tasks_find(tasks, a.task)->process));
	record = rename_record(11, &a, "b");
	record.rename.cgroup = 6;
	assert_int_equal(feed(tasks, record), 0);
	assert_false(proclife_process_unjudged(proclife_tasks_find(tasks, a.task)->process));
	record.rename.cgroup = 5;
	assert_int_equal(feed(tasks, record), 1);
	assert_false(proclife_process_unjudged(proclife_tasks_find(tasks, a.task)->process));
}

/* A shell between them does not match, but its children are followed all the same. */
static void test_descendants(void **state)
{
	struct who make = process_of_pid(200, "make"), sh = process_of_pid(201, "sh");
	struct who cc = process_of_pid(202, "cc"), stranger = process_of_pid(203, "cc");

	(void)state;
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	filter_by_comm("cc");
	assert_int_equal(feed(tasks, fork_record(10, &make, &shell)), 0);
	assert_int_equal(feed(tasks, fork_record(11, &sh, &make)), 0);
	assert_int_equal(feed(tasks, fork_record(12, &cc, &sh)), 1);
	assert_int_equal(feed(tasks, fork_record(13, &stranger, &shell)), 0);
	assert_true(matches(&stranger)); /* but it is not selected */
	assert_true(proclife_tasks_find(tasks, sh.task)->process->selected);
	assert_int_equal(proclife_tasks_selected(tasks), 3);
	assert_int_equal(proclife_tasks_selected_open(tasks), 3);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(lives(latency), 1);
	assert_int_equal(lives(of_threads), 1);
	/* The tree has them all, and marks those that match. */
	assert_int_equal(proclife_tree_size(tree), 3);
	assert_false(node_of(200)->matches);
	assert_false(node_of(201)->matches);
	assert_true(node_of(202)->matches);
	assert_ptr_equal(node_of(202)->parent, node_of(201));
	assert_null(node_of(203));
}

static void test_reapers_leave_out(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "a"), d = process_of_pid(203, "b");

	(void)state;
	filter_by_comm("b");
	feed(tasks, task_record(1, &init, &init));
	feed(tasks, task_record(2, &shell, &init));
	feed_life(tasks, 10, &a, &shell);
	assert_int_equal(number_of_reapers(reapers), 0);
	feed_life(tasks, 20, &b, &shell);
	feed_zombie(tasks, 30, &c, &shell);
	feed_zombie(tasks, 40, &d, &shell);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(number_of_reapers(reapers), 1);
	assert_int_equal(reaper_of(reapers, 100).reaped, 1);
	assert_int_equal(reaper_of(reapers, 100).zombies, 1);
	assert_int_equal(reaper_of(reapers, 100).oldest, 42);
	assert_string_equal(reaper_of(reapers, 100).comm, "sh");
	assert_int_equal(lives(latency), 2);
	assert_int_equal(counts.unreaped, 1);
}

/* A filter that is set later judges existing processes in the same way as new ones. */
static void test_later(void **state)
{
	struct who init = process_of_pid(1, "init"), a = process_of_pid(200, "a");
	const struct proclife_process *process;
	struct proclife_record record = task_record(10, &a, &init);

	(void)state;
	record.state.cgroup = 0;
	feed(tasks, record);
	process = proclife_tasks_find(tasks, a.task)->process;
	want.cgroup = 77;
	proclife_tasks_filter(tasks, match, &want);
	assert_false(process->matches);
	assert_true(proclife_process_unjudged(process));
	proclife_tasks_filter(tasks, NULL, NULL);
	assert_true(process->matches);
	assert_false(proclife_process_unjudged(process));
}

#define FILTER(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILTER(test_no_filter),
		FILTER(test_by_name),
		FILTER(test_exit_has_the_last_name),
		FILTER(test_threads),
		FILTER(test_leader_comes_later),
		FILTER(test_by_uid_and_cgroup),
		FILTER(test_moved),
		FILTER(test_unjudged),
		FILTER(test_later),
		FILTER(test_descendants),
		FILTER(test_reapers_leave_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
