// SPDX-License-Identifier: GPL-2.0-only
/* What a program sees in each report, and the results of calls that come too late or have no data. */
#include "check.h"
#include "fixture_tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static unsigned int gone, over, zombies;

static void see_gone(void *data, struct proclife_process *process)
{
	(void)data;
	gone++;
	assert_int_equal(gone, over + 1);
	if (process->outlives)
		assert_int_equal(proclife_tasks_select_pid(tasks, process->tgid), -EBUSY);
}

/* Looks at the parent of each zombie, which appeared before it; what the parent's own report freed is gone. */
static void see_over(void *data, struct proclife_process *process)
{
	const struct proclife_process *reaper = proclife_process_reaper(process);

	(void)data;
	assert_int_equal(++over, gone);
	if (proclife_process_state(process) == PROCLIFE_IS_ZOMBIE) {
		assert_non_null(reaper);
		assert_int_equal(reaper->tgid, 200);
		assert_null(reaper->user);
		zombies++;
	}
	free(process->user);
}

static void make_user(void *data, struct proclife_process *process, struct proclife_process *parent,
		      struct proclife_process *creator)
{
	(void)data;
	(void)parent;
	(void)creator;
	process->user = malloc(1);
}

static const struct proclife_reports seeing = {
	.size = sizeof(seeing), .process_born = make_user, .process_gone = see_gone, .process_over = see_over,
};

static void test_parents_at_the_end(void **state)
{
	struct who parent = process_of_pid(200, "parent");

	(void)state;
	gone = over = zombies = 0;
	assert_int_equal(proclife_tasks_report(tasks, &seeing, NULL), 0);
	feed(tasks, fork_record(10, &parent, &shell));
	for (uint32_t pid = 201; pid <= 203; pid++) {
		struct who child = process_of_pid(pid, "child");
		struct proclife_record exits = exit_record(pid, &child, 0, 0);

		exits.exit.parent_tgid = 200;
		feed(tasks, fork_record(pid - 100, &child, &parent));
		feed(tasks, exits);
	}
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(gone, 5); /* the shell is one */
	assert_int_equal(over, 5);
	assert_int_equal(zombies, 3);
	assert_null(proclife_tasks_next(tasks, NULL));
}

static bool complete[4];

static void note_complete(void *data, struct proclife_process *process)
{
	(void)data;
	if (process->tgid >= 200 && process->tgid < 204)
		complete[process->tgid - 200] = proclife_process_complete(process);
}

/* A whole life, one with a gap in it, one that is older than the trace, and one that outlives it. */
static void test_complete(void **state)
{
	static const struct proclife_reports reports = { .size = sizeof(reports), .process_over = note_complete };
	struct who whole = process_of_pid(200, "whole"), gap = process_of_pid(201, "gap");
	struct who older = process_of_pid(202, "older"), open = process_of_pid(203, "open");

	(void)state;
	memset(complete, 0, sizeof(complete));
	assert_int_equal(proclife_tasks_report(tasks, &reports, NULL), 0);
	feed(tasks, task_record(2, &older, &shell));
	feed_life(tasks, 10, &whole, &shell);
	feed(tasks, exit_record(20, &older, 0, 0));
	feed(tasks, reap_record(21, &older, &shell));
	feed(tasks, free_record(22, &older));
	feed(tasks, fork_record(30, &gap, &shell));
	feed_gap(tasks, 1, 31, 32);
	feed(tasks, exit_record(33, &gap, 0, 0));
	feed(tasks, reap_record(34, &gap, &shell));
	feed(tasks, free_record(35, &gap));
	feed(tasks, fork_record(40, &open, &shell));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_true(complete[0]);
	assert_false(complete[1]);
	assert_false(complete[2]);
	assert_false(complete[3]);
}

/* The results of group_phase() and struct proclife_reaper if nothing was measured. */
static void test_no_histogram(void **state)
{
	struct proclife_bucket bucket = { 0 };
	struct proclife_histogram *some;

	(void)state;
	assert_int_equal(proclife_histogram_count(NULL), 0);
	assert_int_equal(proclife_histogram_min(NULL), 0);
	assert_int_equal(proclife_histogram_max(NULL), 0);
	assert_int_equal(proclife_histogram_sum(NULL), 0);
	assert_true(proclife_histogram_mean(NULL) == 0);
	assert_int_equal(proclife_histogram_percentile(NULL, 99), 0);
	assert_int_equal(proclife_histogram_between(NULL, 0, UINT64_MAX), 0);
	assert_false(proclife_histogram_next(NULL, &bucket));
	assert_int_equal(proclife_histogram_new(&some), 0);
	assert_int_equal(proclife_histogram_merge(some, NULL), 0);
	assert_int_equal(proclife_histogram_count(some), 0);
	proclife_histogram_free(some);
}

/* The free functions take NULL; results without a name, group or phase are NULL. */
static void test_nothing(void **state)
{
	struct proclife_latency *latency;

	(void)state;
	proclife_source_free(NULL);
	proclife_recorder_free(NULL);
	proclife_cgroups_free(NULL);
	proclife_users_free(NULL);
	proclife_tasks_free(NULL);
	proclife_latency_free(NULL);
	proclife_cgroup_ends_free(NULL);
	proclife_reapers_free(NULL);
	proclife_histogram_free(NULL);
	proclife_tree_free(NULL);
	assert_null(proclife_state_name(PROCLIFE_STATES));
	assert_null(proclife_phase_info(PROCLIFE_PHASES));
	assert_null(proclife_by_name(PROCLIFE_BYS));
	assert_int_equal(proclife_latency_new(&latency, tasks, false), 0);
	assert_null(proclife_latency_phase(latency, PROCLIFE_PHASES));
	assert_null(proclife_latency_group(latency, 0));
	proclife_latency_free(latency);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_parents_at_the_end),
		TEST(test_complete),
		cmocka_unit_test(test_no_histogram),
		TEST(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
