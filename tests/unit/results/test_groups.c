// SPDX-License-Identifier: GPL-2.0-only
/* Latency by groups of lives. */
#include "check.h"
#include "groups.h"
#include "records.h"

#include <errno.h>
#include <string.h>

static struct proclife_tasks *tasks;
static struct proclife_latency *by[2][PROCLIFE_BYS]; /* of processes, of threads */
static struct who shell, init;

static int begin(void **state)
{
	(void)state;
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	for (int threads = 0; threads < 2; threads++) {
		for (unsigned int i = 0; i < PROCLIFE_BYS; i++) {
			struct proclife_latency **latency = &by[threads][i];

			assert_int_equal(proclife_latency_new(latency, tasks, threads), 0);
			assert_int_equal(proclife_latency_group_by(*latency, i), 0);
		}
	}
	init = process_of_pid(1, "init");
	shell = process_of_pid(100, "sh");
	return 0;
}

static int end(void **state)
{
	(void)state;
	proclife_tasks_free(tasks);
	for (unsigned int i = 0; i < 2 * PROCLIFE_BYS; i++)
		proclife_latency_free(by[i / PROCLIFE_BYS][i % PROCLIFE_BYS]);
	return 0;
}

static uint64_t named(const struct proclife_latency *latency, const char *name)
{
	const struct proclife_group *group = group_of(latency, true, name, 0);

	return group ? proclife_group_counts(group)->lives : 0;
}

static uint64_t numbered(const struct proclife_latency *latency, uint64_t number)
{
	const struct proclife_group *group = group_of(latency, true, "", number);

	return group ? proclife_group_counts(group)->lives : 0;
}

static uint64_t unknown(const struct proclife_latency *latency)
{
	const struct proclife_group *group = group_of(latency, false, "", 0);

	return group ? proclife_group_counts(group)->lives : 0;
}

static void test_names(void **state)
{
	static const char *const names[] = { "nothing", "comm", "parent", "reaper", "cgroup", "cpu",
					     "uid" };

	(void)state;
	for (unsigned int i = 0; i < PROCLIFE_BYS; i++)
		assert_string_equal(proclife_by_name(i), names[i]);
	assert_null(proclife_by_name(PROCLIFE_BYS));
	assert_null(proclife_by_name(-1));
}

/* Groups are set once, and before the first life. */
static void test_too_late(void **state)
{
	struct who a = process_of_pid(200, "a");
	struct proclife_latency *latency;

	(void)state;
	assert_int_equal(proclife_latency_new(&latency, tasks, false), 0);
	assert_int_equal(proclife_latency_group_by(latency, PROCLIFE_BYS), -EINVAL);
	assert_int_equal(proclife_latency_group_by(latency, -1), -EINVAL);
	assert_int_equal(proclife_latency_group_by(latency, PROCLIFE_BY_NOTHING), 0);
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_record(11, &a, 0, 0));
	assert_int_equal(proclife_latency_group_by(latency, PROCLIFE_BY_CPU), 0);
	assert_int_equal(proclife_latency_group_by(latency, PROCLIFE_BY_CPU), -EBUSY);
	assert_int_equal(proclife_latency_group_by(latency, PROCLIFE_BY_NOTHING), -EBUSY);
	feed(tasks, reap_record(12, &a, &shell));
	feed(tasks, free_record(13, &a));
	assert_int_equal(groups_of(latency), 1);
	assert_int_equal(proclife_latency_group_by(by[0][PROCLIFE_BY_NOTHING], PROCLIFE_BY_CPU),
			 -EBUSY);
	assert_null(proclife_latency_group(by[0][PROCLIFE_BY_NOTHING], 0));
	assert_null(proclife_latency_group(latency, SIZE_MAX));
	proclife_latency_free(latency);
}

/* Two processes that differ in everything; one of them has renamed itself. */
/* The CPU of an exit is known, even if the beginning is not. */
static void test_began_before(void **state)
{
	struct who a = process_of_pid(200, "a");
	struct proclife_record record = task_record(10, &a, &init);

	(void)state;
	trace_with_exiting(tasks);
	record.flags |= PROCLIFE_F_EXITING;
	feed(tasks, record);
	record = exit_record(20, &a, 0, 0);
	record.cpu = 3;
	feed(tasks, record);
	feed(tasks, reap_record(30, &a, &init));
	feed(tasks, free_record(40, &a));
	for (int threads = 0; threads < 2; threads++)
		assert_int_equal(numbered(by[threads][PROCLIFE_BY_CPU], 3), 1);
}

static void test_each_kind(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(300, "b");
	struct who guard = process_of_pid(101, "guard");
	struct proclife_record record;

	(void)state;
	feed(tasks, task_record(1, &init, &init));
	feed(tasks, task_record(2, &shell, &init));
	feed(tasks, task_record(3, &guard, &init));
	feed(tasks, fork_record(10, &a, &shell));
	record = fork_record(11, &b, &guard);
	record.fork.uid = 33;
	record.fork.cgroup = 5;
	feed(tasks, record);
	feed(tasks, rename_record(12, &a, "gcc"));
	feed(tasks, rename_record(13, &shell, "bash")); /* too late for its child */
	a.comm = "gcc";
	record = exit_record(20, &a, 0, 0);
	record.cpu = 3;
	feed(tasks, record);
	record = exit_record(30, &b, 0, 0);
	record.cpu = 0;
	feed(tasks, record);
	shell.comm = "bash";
	feed(tasks, reap_record(40, &a, &shell));
	record = reap_record(50, &b, &init);
	record.reap.cgroup = 6; /* it was moved */
	feed(tasks, record);
	record = free_record(60, &a);
	record.cpu = 7;
	feed(tasks, record);
	feed(tasks, free_record(70, &b));
	for (int threads = 0; threads < 2; threads++) {
		struct proclife_latency **of = by[threads];
		const struct proclife_group *group;

		for (unsigned int i = 1; i < PROCLIFE_BYS; i++) {
			assert_int_equal(groups_of(of[i]), 2);
			check_sum(of[i]);
		}
		assert_int_equal(named(of[PROCLIFE_BY_COMM], "gcc"), 1);
		assert_int_equal(named(of[PROCLIFE_BY_COMM], "b"), 1);
		assert_int_equal(named(of[PROCLIFE_BY_PARENT], "sh"), 1);
		assert_int_equal(named(of[PROCLIFE_BY_PARENT], "guard"), 1);
		assert_int_equal(named(of[PROCLIFE_BY_REAPER], "bash"), 1);
		assert_int_equal(named(of[PROCLIFE_BY_REAPER], "init"), 1);
		assert_int_equal(numbered(of[PROCLIFE_BY_CGROUP], 77), 1);
		assert_int_equal(numbered(of[PROCLIFE_BY_CGROUP], 6), 1);
		assert_int_equal(numbered(of[PROCLIFE_BY_CPU], 3), 1);
		assert_int_equal(numbered(of[PROCLIFE_BY_CPU], 0), 1);
		assert_int_equal(numbered(of[PROCLIFE_BY_UID], 1000), 1);
		assert_int_equal(numbered(of[PROCLIFE_BY_UID], 33), 1);
		group = group_of(of[PROCLIFE_BY_UID], true, "", 33);
		assert_int_equal(proclife_histogram_max(proclife_group_phase(group, PROCLIFE_LIFE)), 19);
		assert_int_equal(proclife_histogram_max(proclife_group_phase(group, PROCLIFE_ZOMBIE)), 20);
		assert_null(proclife_group_phase(group, PROCLIFE_TEARDOWN));
	}
}

/* No snapshot, and no mark that shows the group. */
static void test_unknown(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct proclife_record record;

	(void)state;
	feed(tasks, wait_record(10, &a)); /* nothing else is known of it */
	record = fork_record(11, &b, &shell);
	record.fork.cgroup = 0; /* a kernel without them */
	record.fork.uid = 0;
	feed(tasks, record);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	for (int threads = 0; threads < 2; threads++) {
		struct proclife_latency **of = by[threads];

		assert_int_equal(unknown(of[PROCLIFE_BY_COMM]), 0);
		assert_int_equal(named(of[PROCLIFE_BY_COMM], "a"), 1);
		assert_int_equal(unknown(of[PROCLIFE_BY_PARENT]), 2);
		assert_int_equal(unknown(of[PROCLIFE_BY_REAPER]), 2);
		assert_int_equal(unknown(of[PROCLIFE_BY_CGROUP]), 2);
		assert_int_equal(unknown(of[PROCLIFE_BY_CPU]), 2);
		assert_int_equal(unknown(of[PROCLIFE_BY_UID]), 1);
		assert_int_equal(numbered(of[PROCLIFE_BY_UID], 0), 1); /* root */
		for (unsigned int i = 1; i < PROCLIFE_BYS; i++)
			check_sum(of[i]);
	}
}

/* A gap can hide the thread that exits last: the CPU of the exit, and the status, are not known. */
static void test_unknown_cpu(void **state)
{
	struct who a = process_of_pid(200, "a");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed_gap(tasks, 3, 11, 22);
	feed(tasks, exit_record(20, &a, 1 << 8, 0));
	feed(tasks, reap_record(24, &a, &shell));
	feed(tasks, free_record(26, &a));
	assert_int_equal(unknown(by[0][PROCLIFE_BY_CPU]), 1);
	assert_int_equal(groups_of(by[0][PROCLIFE_BY_CPU]), 1);
	assert_int_equal(proclife_latency_counts(by[0][PROCLIFE_BY_NOTHING])->failed, 0);
}

/* The snapshot shows their users, and the user of init, which has no parent. */
static void test_uid_by_snapshot(void **state)
{
	struct who nobody = { .comm = "" };
	struct proclife_record record = task_record(1, &init, &nobody);

	(void)state;
	record.state.uid = 0;
	feed(tasks, record);
	feed(tasks, task_record(2, &shell, &init));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(unknown(by[0][PROCLIFE_BY_UID]), 0);
	assert_int_equal(numbered(by[0][PROCLIFE_BY_UID], 0), 1);
	assert_int_equal(numbered(by[0][PROCLIFE_BY_UID], 1000), 1);
}

static void test_threads(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct proclife_record record;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, rename_record(12, &t, "worker"));
	t.comm = "worker";
	record = exit_record(20, &t, 0, 1);
	record.cpu = 5;
	feed(tasks, record);
	feed(tasks, reap_record(21, &t, &t));
	record = exit_record(30, &a, 0, 0);
	record.cpu = 6;
	feed(tasks, record);
	feed(tasks, free_record(30, &t));
	/* Its parent ignores SIGCHLD. */
	feed(tasks, reap_record(31, &a, &a));
	feed(tasks, free_record(32, &a));
	assert_int_equal(named(by[0][PROCLIFE_BY_COMM], "app"), 1);
	assert_int_equal(groups_of(by[0][PROCLIFE_BY_COMM]), 1);
	assert_int_equal(named(by[1][PROCLIFE_BY_COMM], "app"), 1);
	assert_int_equal(named(by[1][PROCLIFE_BY_COMM], "worker"), 1);
	assert_int_equal(named(by[0][PROCLIFE_BY_REAPER], "(itself)"), 1);
	assert_int_equal(named(by[1][PROCLIFE_BY_REAPER], "(itself)"), 2);
	assert_int_equal(numbered(by[0][PROCLIFE_BY_CPU], 6), 1);
	assert_int_equal(groups_of(by[0][PROCLIFE_BY_CPU]), 1);
	assert_int_equal(numbered(by[1][PROCLIFE_BY_CPU], 5), 1);
	assert_int_equal(numbered(by[1][PROCLIFE_BY_CPU], 6), 1);
	/* Threads have the process's user. */
	assert_int_equal(numbered(by[1][PROCLIFE_BY_UID], 1000), 2);
	assert_int_equal(numbered(by[1][PROCLIFE_BY_CGROUP], 77), 2);
}

static void test_many_groups(void **state)
{
	(void)state;
	feed_random(tasks, 0, 1, 3000, 700);
	for (int threads = 0; threads < 2; threads++) {
		struct proclife_latency **of = by[threads];

		for (unsigned int i = 1; i < PROCLIFE_BYS; i++)
			check_sum(of[i]);
		assert_in_range(groups_of(of[PROCLIFE_BY_COMM]), 600, 701);
		assert_in_range(groups_of(of[PROCLIFE_BY_CGROUP]), 600, 701);
		assert_in_range(groups_of(of[PROCLIFE_BY_UID]), 600, 701);
		assert_in_range(groups_of(of[PROCLIFE_BY_CPU]), 600, 702);
		assert_int_equal(groups_of(of[PROCLIFE_BY_PARENT]), 2);
	}
}

/* These two have the same hash, as the library makes it today. */
static void test_same_hash(void **state)
{
	struct who a = process_of_pid(200, "zumghmmbAdPaara");
	struct who b = process_of_pid(201, "guuzwysr0Z3da84");

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		feed_life(tasks, 10 + 20 * i, &a, &shell);
		feed_life(tasks, 20 + 20 * i, &b, &shell);
	}
	assert_int_equal(named(by[0][PROCLIFE_BY_COMM], a.comm), 3);
	assert_int_equal(named(by[0][PROCLIFE_BY_COMM], b.comm), 3);
	assert_int_equal(groups_of(by[0][PROCLIFE_BY_COMM]), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names),
		TEST(test_too_late),
		TEST(test_each_kind),
		TEST(test_began_before),
		TEST(test_unknown),
		TEST(test_unknown_cpu),
		TEST(test_uid_by_snapshot),
		TEST(test_threads),
		TEST(test_many_groups),
		TEST(test_same_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
