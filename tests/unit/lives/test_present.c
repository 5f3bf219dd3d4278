// SPDX-License-Identifier: GPL-2.0-only
/* Present processes: by pid, in turn, as zombies. */
#include "check.h"
#include "reapers.h"

static struct proclife_latency *latency;

static int begin(void **state)
{
	begin_reapers_unknown(state);
	assert_int_equal(proclife_latency_new(&latency, tasks, false), 0);
	return 0;
}

static int end(void **state)
{
	proclife_latency_free(latency);
	return end_reapers(state);
}

static void test_holder_of_a_pid(void **state)
{
	struct who a = process_of_pid(200, "a"), t = thread_of(&a, 201);
	struct who b = process_of_pid(200, "b"), c = process_of_pid(200, "c");

	(void)state;
	assert_null(proclife_tasks_holder(tasks, 200));
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	assert_ptr_equal(proclife_tasks_holder(tasks, 200),
			 proclife_tasks_find(tasks, a.task)->process);
	assert_null(proclife_tasks_holder(tasks, 201)); /* a thread's */
	feed(tasks, exit_record(12, &t, 0, 1));
	feed(tasks, reap_record(13, &t, &t));
	assert_non_null(proclife_tasks_holder(tasks, 200));
	feed(tasks, exit_record(14, &a, 0, 0));
	assert_non_null(proclife_tasks_holder(tasks, 200)); /* a zombie has it still */
	feed(tasks, reap_record(15, &a, &shell));
	assert_null(proclife_tasks_holder(tasks, 200)); /* though it is not freed */
	feed(tasks, fork_record(20, &b, &shell));
	assert_string_equal(proclife_tasks_holder(tasks, 200)->comm, "b");
	feed(tasks, exit_record(21, &b, 0, 0));
	feed(tasks, reap_record(22, &b, &shell));
	feed(tasks, fork_record(23, &c, &shell));
	feed(tasks, free_record(24, &a));
	assert_string_equal(proclife_tasks_holder(tasks, 200)->comm, "c");
	feed(tasks, exit_record(25, &c, 0, 0));
	feed(tasks, reap_record(26, &c, &shell));
	assert_null(proclife_tasks_holder(tasks, 200));
	feed(tasks, free_record(27, &c));
	assert_null(proclife_tasks_holder(tasks, 200));
}

/* A pid that was given out again does not go back to the process that lost it unseen. */
static void test_reap_lost(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(200, "b");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed_gap(tasks, 2, 11, 12);
	feed(tasks, fork_record(20, &b, &shell));
	assert_string_equal(proclife_tasks_holder(tasks, 200)->comm, "b");
	feed(tasks, exit_record(21, &b, 0, 0));
	feed(tasks, reap_record(22, &b, &shell));
	assert_null(proclife_tasks_holder(tasks, 200));
	/* That process is not selected, either. */
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 0);
}

static void test_next(void **state)
{
	struct who all[5];
	struct proclife_process *process = NULL;

	(void)state;
	assert_null(proclife_tasks_next(tasks, NULL));
	for (uint32_t i = 0; i < 5; i++) {
		all[i] = process_of_pid(205 - i, "a");
		feed(tasks, fork_record(10 + i, &all[i], &shell));
	}
	/* The first, the middle and the last one go. */
	for (uint64_t i = 0; i < 5; i += 2) {
		feed(tasks, exit_record(20 + 5 * i, &all[i], 0, 0));
		feed(tasks, reap_record(21 + 5 * i, &all[i], &shell));
		feed(tasks, free_record(22 + 5 * i, &all[i]));
	}
	process = proclife_tasks_next(tasks, process);
	assert_int_equal(process->tgid, 204);
	process = proclife_tasks_next(tasks, process);
	assert_int_equal(process->tgid, 202);
	assert_null(proclife_tasks_next(tasks, process));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_null(proclife_tasks_next(tasks, NULL));
}

static void test_next_task(void **state)
{
	struct who a = process_of_pid(200, "a"), threads[3];
	struct proclife_task *task = NULL;
	uint32_t seen = 0, count = 0;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	for (uint32_t i = 0; i < 3; i++) {
		threads[i] = thread_of(&a, 201 + i);
		feed(tasks, clone_record(11 + i, &threads[i], &shell, &a));
	}
	feed(tasks, exit_record(20, &threads[1], 0, 3));
	feed(tasks, reap_record(21, &threads[1], &threads[1]));
	feed(tasks, free_record(22, &threads[1]));
	while ((task = proclife_process_next_task(proclife_tasks_next(tasks, NULL), task))) {
		seen |= 1U << (task->pid - 200);
		count++;
	}
	assert_int_equal(count, 3);
	assert_int_equal(seen, 1 << 0 | 1 << 1 | 1 << 3);
}

static bool is_zombie(const struct who *who)
{
	return proclife_process_state(proclife_tasks_find(tasks, who->task)->process) ==
	       PROCLIFE_IS_ZOMBIE;
}

static void test_zombies(void **state)
{
	struct who a = process_of_pid(200, "a"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	assert_false(is_zombie(&a));
	feed(tasks, exit_record(20, &a, 0, 1));
	assert_int_equal(proclife_tasks_find(tasks, a.task)->process->leader_exited, 20);
	assert_false(is_zombie(&a)); /* its thread goes on */
	feed(tasks, exit_record(21, &t, 0, 0));
	assert_int_equal(proclife_tasks_find(tasks, a.task)->process->leader_exited, 20);
	assert_true(is_zombie(&a));
	feed(tasks, reap_record(22, &t, &t));
	assert_true(is_zombie(&a));
	feed(tasks, reap_record(23, &a, &shell));
	assert_false(is_zombie(&a));
}

static struct proclife_record zombie_record(uint64_t ts, const struct who *who)
{
	struct proclife_record record = task_record(ts, who, &shell);

	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	return record;
}

/* What the snapshot finds: a zombie, and a leader that has exited before its threads. */
static void test_zombies_of_the_snapshot(void **state)
{
	struct who z = process_of_pid(200, "z");
	struct who a = process_of_pid(201, "a"), t = thread_of(&a, 202);
	struct who b = process_of_pid(203, "b"), u = thread_of(&b, 204);
	struct who c = process_of_pid(205, "c");
	struct proclife_latency_counts counts;
	struct proclife_record record;

	(void)state;
	feed(tasks, task_record(5, &shell, &init));
	feed(tasks, zombie_record(10, &z));
	assert_true(is_zombie(&z));
	feed(tasks, zombie_record(11, &a));
	feed(tasks, task_record(12, &t, &shell));
	assert_false(is_zombie(&a));
	feed(tasks, exit_below_record(13, &t, &shell));
	assert_true(is_zombie(&a));
	feed(tasks, zombie_record(14, &b));
	feed(tasks, task_record(15, &u, &shell));
	assert_false(is_zombie(&b));
	feed(tasks, reap_record(20, &z, &shell));
	assert_false(is_zombie(&z));
	record = task_record(21, &c, &shell);
	record.flags |= PROCLIFE_F_EXITING; /* it is exiting */
	feed(tasks, record);
	assert_false(is_zombie(&c));
	/* The counts at the end agree with that. */
	assert_int_equal(proclife_tasks_close(tasks), 0);
	counts = *proclife_latency_counts(latency);
	assert_int_equal(counts.lives, 5);
	assert_int_equal(counts.unreaped, 1); /* a */
	assert_int_equal(counts.alive, 2);    /* b, sh */
	assert_int_equal(counts.dying, 1);    /* c */
	assert_int_equal(counts.unfreed, 1);  /* z */
	assert_int_equal(reaper_of(reapers, 100).zombies, 1);
}

#define PRESENT(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PRESENT(test_holder_of_a_pid),
		PRESENT(test_reap_lost),
		PRESENT(test_next),
		PRESENT(test_next_task),
		PRESENT(test_zombies),
		PRESENT(test_zombies_of_the_snapshot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
