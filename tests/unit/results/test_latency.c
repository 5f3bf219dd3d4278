// SPDX-License-Identifier: GPL-2.0-only
/* The phases between exit and free, and what is still open at the end. */
#include "check.h"
#include "records.h"

#include <signal.h>
#include <string.h>

static struct proclife_tasks *tasks;
static struct proclife_latency *latency;
static struct proclife_latency *of_threads;
static struct proclife_latency_counts counts;
static struct who shell;

static int begin(void **state)
{
	(void)state;
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	assert_int_equal(proclife_latency_new(&latency, tasks, false), 0);
	assert_int_equal(proclife_latency_new(&of_threads, tasks, true), 0);
	shell = process_of_pid(100, "sh");
	return 0;
}

static int end(void **state)
{
	(void)state;
	proclife_latency_free(latency);
	proclife_tasks_free(tasks);
	/* The latency may outlive the tasks that it is made from. */
	counts = *proclife_latency_counts(of_threads);
	proclife_latency_free(of_threads);
	return 0;
}

static uint64_t count_of(enum proclife_phase phase)
{
	return proclife_histogram_count(proclife_latency_phase(latency, phase));
}

static uint64_t only(enum proclife_phase phase)
{
	const struct proclife_histogram *histogram = proclife_latency_phase(latency, phase);

	assert_int_equal(proclife_histogram_count(histogram), 1);
	assert_int_equal(proclife_histogram_min(histogram), proclife_histogram_max(histogram));
	return proclife_histogram_max(histogram);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(proclife_phase_info(PROCLIFE_LIFE)->name, "life");
	assert_string_equal(proclife_phase_info(PROCLIFE_TEARDOWN)->name, "teardown");
	assert_string_equal(proclife_phase_info(PROCLIFE_ZOMBIE)->name, "zombie");
	assert_string_equal(proclife_phase_info(PROCLIFE_RCU_FREE)->name, "rcu_free");
	assert_string_equal(proclife_phase_info(PROCLIFE_EXIT_FREE)->name, "exit_free");
	assert_null(proclife_phase_info(PROCLIFE_PHASES));
	assert_null(proclife_latency_phase(latency, PROCLIFE_PHASES));
	proclife_latency_free(NULL);
}

static void test_phases(void **state)
{
	struct who a = process_of_pid(200, "a");

	(void)state;
	feed(tasks, fork_record(1000, &a, &shell));
	feed(tasks, exit_record(1100, &a, 0, 0));
	feed(tasks, reap_record(1103, &a, &shell));
	feed(tasks, free_record(1120, &a));
	assert_int_equal(only(PROCLIFE_LIFE), 100);
	assert_int_equal(only(PROCLIFE_ZOMBIE), 3);
	assert_int_equal(only(PROCLIFE_RCU_FREE), 17);
	assert_int_equal(only(PROCLIFE_EXIT_FREE), 20);
	counts = *proclife_latency_counts(latency);
	assert_int_equal(counts.lives, 1);
	assert_int_equal(counts.alive + counts.unreaped + counts.unfreed + counts.incomplete +
				 counts.partial + counts.failed,
			 0);
}

/* At the same instant: the phase took no time, and that is known. */
static void test_no_time(void **state)
{
	struct who a = process_of_pid(200, "a");

	(void)state;
	feed(tasks, fork_record(1000, &a, &shell));
	feed(tasks, exit_record(1100, &a, 0, 0));
	feed(tasks, reap_record(1100, &a, &shell));
	feed(tasks, free_record(1100, &a));
	assert_int_equal(only(PROCLIFE_ZOMBIE), 0);
	assert_int_equal(only(PROCLIFE_RCU_FREE), 0);
	assert_int_equal(only(PROCLIFE_EXIT_FREE), 0);
}

static double sum_of(const struct proclife_latency *of, enum proclife_phase phase)
{
	const struct proclife_histogram *histogram = proclife_latency_phase(of, phase);

	return proclife_histogram_mean(histogram) * proclife_histogram_count(histogram);
}

/* zombie + rcu_free == exit_free, also for processes of several threads. */
static void test_sum(void **state)
{
	uint64_t random = 1, ts = 10;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct who a = process_of_pid(200, "a"), t = thread_of(&a, 201);
		bool leader_first = random_below(&random, 2);

		feed(tasks, fork_record(ts += 1 + random_below(&random, 99), &a, &shell));
		feed(tasks, clone_record(ts += 1 + random_below(&random, 99), &t, &shell, &a));
		ts += 1 + random_below(&random, 99);
		feed(tasks, exit_record(ts, leader_first ? &a : &t, 0, 1));
		ts += 1 + random_below(&random, 99);
		feed(tasks, exit_record(ts, leader_first ? &t : &a, 0, 0));
		feed(tasks, reap_record(ts += 1 + random_below(&random, 99), &t, &t));
		feed(tasks, reap_record(ts += 1 + random_below(&random, 99), &a, &shell));
		leader_first = random_below(&random, 2);
		ts += 1 + random_below(&random, 99);
		feed(tasks, free_record(ts, leader_first ? &a : &t));
		ts += 1 + random_below(&random, 99);
		feed(tasks, free_record(ts, leader_first ? &t : &a));
	}
	assert_int_equal(count_of(PROCLIFE_ZOMBIE), 1000);
	assert_int_equal(count_of(PROCLIFE_LIFE), 1000);
	assert_float_equal(sum_of(latency, PROCLIFE_ZOMBIE) + sum_of(latency, PROCLIFE_RCU_FREE),
			   sum_of(latency, PROCLIFE_EXIT_FREE), 1e-3);
	assert_float_equal(sum_of(of_threads, PROCLIFE_ZOMBIE) +
				   sum_of(of_threads, PROCLIFE_RCU_FREE),
			   sum_of(of_threads, PROCLIFE_EXIT_FREE), 1e-3);
	counts = *proclife_latency_counts(of_threads);
	assert_int_equal(counts.lives, 2000);
	counts = *proclife_latency_counts(latency);
	assert_int_equal(counts.lives, 1000);
}

static void test_open_at_the_end(void **state)
{
	struct who a = process_of_pid(200, "alive"), b = process_of_pid(201, "zombie");
	struct who c = process_of_pid(202, "reaped"), d = process_of_pid(203, "gone");
	struct who z = process_of_pid(204, "old zombie");
	struct proclife_record record;

	(void)state;
	record = task_record(5, &z, &shell);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	feed(tasks, record);
	feed(tasks, task_record(6, &shell, &shell));
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &shell));
	feed(tasks, fork_record(12, &c, &shell));
	feed_life(tasks, 13, &d, &shell);
	feed(tasks, exit_record(20, &b, 1 << 8, 0));
	feed(tasks, exit_record(21, &c, 9, 0));
	feed(tasks, reap_record(22, &c, &shell));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	counts = *proclife_latency_counts(latency);
	assert_int_equal(counts.lives, 6);
	assert_int_equal(counts.alive, 2);
	assert_int_equal(counts.unreaped, 2);
	assert_int_equal(counts.unfreed, 1);
	assert_int_equal(counts.incomplete, 0);
	assert_int_equal(counts.partial, 2);
	assert_int_equal(counts.failed, 2);
	assert_int_equal(count_of(PROCLIFE_LIFE), 3);
	assert_int_equal(count_of(PROCLIFE_ZOMBIE), 2);
	assert_int_equal(count_of(PROCLIFE_RCU_FREE), 1);
	assert_int_equal(count_of(PROCLIFE_EXIT_FREE), 1);
}

static void test_gaps(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed_gap(tasks, 3, 10, 15); /* a's EXIT is in it */
	feed(tasks, reap_record(20, &a, &shell));
	feed(tasks, free_record(25, &a));
	assert_int_equal(count_of(PROCLIFE_LIFE), 0);
	assert_int_equal(count_of(PROCLIFE_ZOMBIE), 0);
	assert_int_equal(count_of(PROCLIFE_EXIT_FREE), 0);
	/* The leader's free is known, but a thread in the gap can be freed later. */
	assert_int_equal(count_of(PROCLIFE_RCU_FREE), 0);
	assert_int_equal(proclife_histogram_max(
				 proclife_latency_phase(of_threads, PROCLIFE_RCU_FREE)), 5);
	counts = *proclife_latency_counts(latency);
	assert_int_equal(counts.lives, 1);
	assert_int_equal(counts.incomplete, 1);
	feed_life(tasks, 30, &b, &shell);
	counts = *proclife_latency_counts(latency);
	assert_int_equal(counts.lives, 2);
	assert_int_equal(counts.incomplete, 1);
}

/* Its FREE is lost: the life is not open, and has no exit_free. */
static void test_free_lost(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");

	(void)state;
	b.task = a.task;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_record(11, &a, 0, 0));
	feed(tasks, reap_record(12, &a, &shell));
	feed_gap(tasks, 1, 13, 14);
	feed_life(tasks, 20, &b, &shell);
	proclife_tasks_close(tasks);
	counts = *proclife_latency_counts(latency);
	assert_int_equal(counts.lives, 2);
	assert_int_equal(counts.unfreed, 0);
	assert_int_equal(counts.incomplete, 1);
	assert_int_equal(count_of(PROCLIFE_ZOMBIE), 2);
	assert_int_equal(only(PROCLIFE_EXIT_FREE), 2);
}

static void test_without_reap(void **state)
{
	struct who a = process_of_pid(200, "a");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_record(11, &a, 0, 0));
	feed(tasks, free_record(20, &a));
	assert_int_equal(count_of(PROCLIFE_ZOMBIE), 0);
	assert_int_equal(count_of(PROCLIFE_RCU_FREE), 0);
	assert_int_equal(only(PROCLIFE_EXIT_FREE), 9);
}

/* An older process had begun to exit: its status is known, the beginning of its exit is not. */
static void test_began_before(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct proclife_record r = task_record(10, &a, &shell);

	(void)state;
	trace_with_exiting(tasks);
	r.flags |= PROCLIFE_F_EXITING;
	feed(tasks, r);
	feed(tasks, exit_record(20, &a, 1 << 8, 0));
	feed(tasks, reap_record(22, &a, &shell));
	feed(tasks, free_record(24, &a));
	assert_int_equal(proclife_latency_counts(latency)->failed, 1);
	assert_int_equal(proclife_latency_counts(of_threads)->failed, 1);
	assert_int_equal(count_of(PROCLIFE_EXIT_FREE), 0);
	assert_int_equal(only(PROCLIFE_RCU_FREE), 2);
	/* The kill phase of a process whose SIGKILL was seen. */
	feed(tasks, fork_record(30, &b, &shell));
	feed(tasks, signal_record(31, &b, SIGTERM, &shell));
	r = record_of(38, PROCLIFE_EXITING, &b);
	r.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	r.exiting.exit_code = SIGTERM;
	feed(tasks, r);
	feed(tasks, exit_record(40, &b, SIGTERM, 0));
	feed(tasks, reap_record(41, &b, &shell));
	feed(tasks, free_record(42, &b));
	assert_int_equal(only(PROCLIFE_KILL), 7);
	assert_int_equal(only(PROCLIFE_LIFE), 8);
}

static void test_selected_only(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");

	(void)state;
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	feed_life(tasks, 10, &a, &shell);
	feed_life(tasks, 20, &b, &shell);
	counts = *proclife_latency_counts(latency);
	assert_int_equal(counts.lives, 1);
	counts = *proclife_latency_counts(of_threads);
	assert_int_equal(counts.lives, 1);
}

/* The parent is notified once the last thread is released. */
static void test_teardown(void **state)
{
	struct who a = process_of_pid(200, "a"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(1000, &a, &shell));
	feed(tasks, clone_record(1001, &t, &shell, &a));
	feed(tasks, exit_record(1010, &a, 0, 1));
	feed(tasks, exit_record(1100, &t, 0, 0));
	feed(tasks, reap_record(1150, &t, &t));
	feed(tasks, notify_record(1170, &a, &shell));
	feed(tasks, reap_record(1200, &a, &shell));
	feed(tasks, free_record(1220, &t));
	feed(tasks, free_record(1300, &a));
	assert_int_equal(only(PROCLIFE_TEARDOWN), 70);
	assert_int_equal(only(PROCLIFE_ZOMBIE), 30);
	assert_int_equal(only(PROCLIFE_RCU_FREE), 100);
	assert_int_equal(only(PROCLIFE_EXIT_FREE), 200);
	assert_int_equal(proclife_histogram_count(
				 proclife_latency_phase(of_threads, PROCLIFE_TEARDOWN)), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names),
		TEST(test_phases),
		TEST(test_no_time),
		TEST(test_sum),
		TEST(test_teardown),
		TEST(test_open_at_the_end),
		TEST(test_gaps),
		TEST(test_free_lost),
		TEST(test_without_reap),
		TEST(test_selected_only),
		TEST(test_began_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
