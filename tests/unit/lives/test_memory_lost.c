// SPDX-License-Identifier: GPL-2.0-only
/* When a process's memory is not reported: records were lost, or are about another address space. */
#include "check.h"
#include "returns.h"

#include <signal.h>
#include <string.h>

/* A gap can hide that the handle was reused. */
static void test_early_before_a_gap(void **state)
{
	struct who a = process_of_pid(200, "hog"), reaper = process_of_pid(61, "oom_reaper");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, mm_record(15, &reaper, PROCLIFE_MM_EARLY, &a));
	feed_gap(tasks, 5, 16, 18);
	die_alone(&a);
	assert_int_equal(last.memory.early, 0);
	assert_int_equal(last.unmap, 7);
}

/* Memory that is taken after the gap belongs to the address space that has the handle then. */
static void test_early_again_after_a_gap(void **state)
{
	struct who a = process_of_pid(200, "hog"), reaper = process_of_pid(61, "oom_reaper");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, mm_record(15, &reaper, PROCLIFE_MM_EARLY, &a));
	feed_gap(tasks, 5, 16, 18);
	feed(tasks, mm_record(19, &reaper, PROCLIFE_MM_EARLY, &a));
	die_alone(&a);
	assert_int_equal(last.memory.early, 19);
}

/* Whether an older process shares its memory is not known: others may use the same. */
static void test_shared_unseen(void **state)
{
	struct who a = process_of_pid(200, "make"), child = process_of_pid(201, "make");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, found(11, &child, 0));
	die_sharing(&child, &a);
	assert_int_equal(late.count, 0);
	feed(tasks, exit_at(20, &a));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	assert_forgotten(201);
	feed(tasks, mm_record(29, &a, PROCLIFE_MM_GONE, &a));
	bury(30, &a);
	assert_int_equal(last.unmap, 7);
}

static void test_exec_drops_it(void **state)
{
	struct who a = process_of_pid(200, "make"), child = process_of_pid(201, "make");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, found(11, &child, 0));
	die_sharing(&child, &a);
	feed(tasks, of_exec(mm_record(20, &a, PROCLIFE_MM_TEARDOWN, &a)));
	assert_forgotten(201);
}

/* A gap while it is held: the teardown can be another address space's with the same handle. */
static void test_gap(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	die_held(&a);
	feed_gap(tasks, 3, 33, 34);
	feed(tasks, mm_record(40, &cat, PROCLIFE_MM_TEARDOWN, &a));
	assert_forgotten(200);
	feed(tasks, mm_record(41, &cat, PROCLIFE_MM_GONE, &a));
	assert_int_equal(late.count, 1);
}

static void test_gap_while_unmapped(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	die_held(&a);
	feed(tasks, mm_record(40, &cat, PROCLIFE_MM_TEARDOWN, &a));
	feed_gap(tasks, 3, 41, 42);
	feed(tasks, mm_record(43, &cat, PROCLIFE_MM_GONE, &a));
	assert_forgotten(200);
}

/* What a task does in its own exit is certain, whatever else was lost. */
static void test_own_gap(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_at(20, &a));
	feed_gap(tasks, 3, 21, 21);
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed_gap(tasks, 3, 24, 25);
	feed(tasks, mm_record(29, &a, PROCLIFE_MM_GONE, &a));
	bury(30, &a);
	assert_int_equal(last.unmap, 7);
}

/* A holder need not end, so its records can be suppressed. */
static void test_suppressed(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");
	struct proclife_record r = suppressed_record(PROCLIFE_MM, 35, 7);

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	die_held(&a);
	feed(tasks, suppressed_record(PROCLIFE_MM, 35, 0));
	r.ts = 36;
	feed(tasks, r);
	feed(tasks, mm_record(40, &cat, PROCLIFE_MM_TEARDOWN, &a));
	assert_forgotten(200);
}

/* If there is nothing to unmap, there is no GONE; the handle is reused then. */
static void test_nothing_to_unmap(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "next");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_at(20, &a));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	bury(30, &a);
	assert_int_equal(last.memory.teardown, 22);
	assert_false(last.memory.open);
	assert_int_equal(last.unmap, 0);
	assert_int_equal(late.count, 0);
	b.group = a.group; /* the same address */
	feed(tasks, fork_record(40, &b, &shell));
	feed(tasks, exit_at(41, &b));
	feed(tasks, mm_record(42, &b, PROCLIFE_MM_TEARDOWN, &b));
	feed(tasks, mm_record(43, &b, PROCLIFE_MM_GONE, &b));
	bury(50, &b);
	assert_int_equal(last.unmap, 1);
	assert_int_equal(late.count, 0);
}

/* Another task's GONE, or a second TEARDOWN, is about another address space. */
static void test_not_its_own(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	die_held(&a);
	feed(tasks, mm_record(40, &cat, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(41, &shell, PROCLIFE_MM_GONE, &a));
	assert_forgotten(200);
	memset(&late, 0, sizeof(late));
	a = process_of_pid(201, "app");
	die_held(&a);
	feed(tasks, mm_record(40, &cat, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(41, &shell, PROCLIFE_MM_TEARDOWN, &a));
	assert_forgotten(201);
	memset(&late, 0, sizeof(late));
	a = process_of_pid(202, "app");
	die_held(&a);
	feed(tasks, mm_record(40, &cat, PROCLIFE_MM_GONE, &a));
	assert_forgotten(202);
}

static void test_end_of_trace(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "app");

	(void)state;
	die_held(&a);
	feed(tasks, fork_record(40, &b, &shell));
	feed(tasks, exit_at(41, &b));
	feed(tasks, mm_record(42, &b, PROCLIFE_MM_LEFT, &b));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(late.count, 1); /* the other one was reported with its process, which outlives it */
	assert_int_equal(late.tgid, 200);
	assert_int_equal(late.memory.left, 21);
	assert_int_equal(late.memory.gone, 0);
	assert_true(last.memory.open);
	assert_int_equal(last.memory.left, 42);
}

/* Without EXITING, the owner of the memory is not known. */
static void test_without_exiting(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(29, &a, PROCLIFE_MM_GONE, &a));
	bury(30, &a);
	assert_false(last.known);
}

/* Memory that is held when the tasks are freed is not leaked. */
static void test_freed_while_held(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exec_record(11, &a, 200, "/bin/app"));
	feed(tasks, signal_record(12, &a, SIGKILL, &shell));
	feed(tasks, exit_at(20, &a));
	feed(tasks, mm_record(21, &a, PROCLIFE_MM_LEFT, &a));
	bury(30, &a);
	assert_int_equal(late.count, 0);
}

/* A gap that began before the memory was dropped can hide the GONE, too, and the next user of the handle. */
static void test_gap_begun_before(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	feed(tasks, fork_record(10, &a, &shell));
	feed_gap(tasks, 3, 15, 35);
	feed(tasks, exit_at(20, &a));
	feed(tasks, mm_record(21, &a, PROCLIFE_MM_LEFT, &a));
	bury(30, &a);
	feed(tasks, mm_record(40, &cat, PROCLIFE_MM_TEARDOWN, &a));
	assert_forgotten(200);
}

/* It has the address of an earlier one, of which a part had been taken. */
static void test_early_of_another(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "next");
	struct who reaper = process_of_pid(61, "oom_reaper");

	(void)state;
	feed(tasks, fork_record(5, &b, &shell));
	feed(tasks, mm_record(15, &reaper, PROCLIFE_MM_EARLY, &a));
	feed(tasks, fork_record(20, &a, &shell)); /* since then */
	feed(tasks, exit_at(30, &a));
	feed(tasks, mm_record(31, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(32, &a, PROCLIFE_MM_GONE, &a));
	bury(35, &a);
	assert_int_equal(last.memory.teardown, 31);
	assert_int_equal(last.memory.early, 0);
	feed(tasks, mm_record(40, &reaper, PROCLIFE_MM_EARLY, &b));
	feed(tasks, exec_record(41, &b, 201, "/bin/next"));
	feed(tasks, exit_at(50, &b));
	feed(tasks, mm_record(51, &b, PROCLIFE_MM_TEARDOWN, &b));
	assert_int_equal(proclife_process_memory(process_of(&b))->early, 0);
}

/* The same after a time in which its GONE can have been suppressed. */
static void test_early_then_suppressed(void **state)
{
	struct who a = process_of_pid(200, "app"), reaper = process_of_pid(61, "oom_reaper");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, mm_record(15, &reaper, PROCLIFE_MM_EARLY, &a));
	feed(tasks, suppressed_record(PROCLIFE_MM, 16, 0));
	feed(tasks, exit_at(30, &a));
	feed(tasks, mm_record(31, &a, PROCLIFE_MM_TEARDOWN, &a));
	assert_int_equal(proclife_process_memory(process_of(&a))->teardown, 31);
	assert_int_equal(proclife_process_memory(process_of(&a))->early, 0);
}

/* Old kernels take a victim's memory early in the teardown itself. */
static void test_early_by_itself(void **state)
{
	struct who a = process_of_pid(200, "hog");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_at(20, &a));
	feed(tasks, mm_record(21, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_EARLY, &a));
	feed(tasks, mm_record(23, &a, PROCLIFE_MM_GONE, &a));
	bury(30, &a);
	assert_int_equal(last.memory.gone, 23);
	assert_int_equal(last.memory.early, 0);
}

/* Its last thread had begun to exit before the trace: no other process held it. */
static void test_thread_exiting_before(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct proclife_record r;

	(void)state;
	feed(tasks, found(5, &a, 0));
	feed(tasks, found(6, &t, PROCLIFE_F_EXITING));
	r = exit_at(20, &a);
	r.flags = WHOLE;
	feed(tasks, r);
	feed(tasks, mm_record(21, &a, PROCLIFE_MM_LEFT, &a));
	assert_null(proclife_process_memory(process_of(&a))); /* the other one can follow */
	feed(tasks, mm_record(25, &t, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(28, &t, PROCLIFE_MM_GONE, &a));
	assert_true(proclife_process_memory(process_of(&a))->own);
	assert_int_equal(proclife_process_memory(process_of(&a))->left, 0);
	assert_int_equal(proclife_process_memory(process_of(&a))->gone, 28);
}

static void test_thread_left_before(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct who cat = process_of_pid(300, "cat");
	struct proclife_record r;

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	feed(tasks, found(5, &a, 0));
	feed(tasks, found(6, &t, PROCLIFE_F_EXITING));
	r = exit_at(20, &a);
	r.flags = WHOLE;
	feed(tasks, r);
	feed(tasks, mm_record(21, &a, PROCLIFE_MM_LEFT, &a));
	feed(tasks, mm_record(25, &t, PROCLIFE_MM_LEFT, &a));
	feed(tasks, mm_record(28, &cat, PROCLIFE_MM_TEARDOWN, &a));
	assert_int_equal(proclife_process_memory(process_of(&a))->left, 25);
}

/* The LEFT of the last thread can be lost. */
static void test_left_before_a_gap(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	both_die(&a, &t);
	feed_gap(tasks, 3, 22, 24);
	feed(tasks, ended(29, &t, 0, 1));
	feed(tasks, reap_record(29, &t, &t));
	feed(tasks, free_record(29, &t));
	bury(30, &a);
	assert_false(last.known);
	assert_int_equal(late.count, 0);
}

/* The ASYNC can be missing; and after an ASYNC, another process can be the last holder after all. */
static void test_last_not_known(void **state)
{
	struct who a = process_of_pid(200, "app"), ps = process_of_pid(300, "ps");
	struct who worker = process_of_pid(40, "kworker/0:1");

	(void)state;
	die_held(&a);
	feed(tasks, by_kernel(mm_record(45, &worker, PROCLIFE_MM_TEARDOWN, &a)));
	feed(tasks, by_kernel(mm_record(50, &worker, PROCLIFE_MM_GONE, &a)));
	assert_int_equal(late.memory.last.pid, 0);
	assert_int_equal(late.memory.by.pid, 40);
	a = process_of_pid(201, "app");
	die_held(&a);
	feed(tasks, mm_record(40, &ps, PROCLIFE_MM_ASYNC, &a));
	feed(tasks, mm_record(45, &shell, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(50, &shell, PROCLIFE_MM_GONE, &a));
	assert_int_equal(late.memory.last.pid, shell.pid);
	assert_false(late.memory.async);
}

/* Nothing of it is mapped any more, so there is no GONE to wait for. */
static void test_held_empty(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");
	struct proclife_record r = mm_record(50, &cat, PROCLIFE_MM_TEARDOWN, &a);

	(void)state;
	r.mm.rss_anon = r.mm.rss_file = r.mm.rss_shmem = r.mm.swap = r.mm.tables = 0;
	feed(tasks, fork_record(5, &cat, &shell));
	die_held(&a);
	feed(tasks, r);
	assert_int_equal(late.count, 1);
	assert_int_equal(late.held, 29);
	assert_int_equal(count_of(PROCLIFE_HELD), 1);
}

/* A zombie has unmapped its memory, though no GONE says so. */
static void test_zombie_without_gone(void **state)
{
	struct who a = process_of_pid(200, "app"), reaper = process_of_pid(61, "oom_reaper");

	(void)state;
	feed(tasks, found(4, &shell, 0));
	feed(tasks, fork_record(5, &reaper, &shell));
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_at(20, &a));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, ended(30, &a, 0, 0));
	feed(tasks, notify_record(31, &a, &shell));
	feed(tasks, mm_record(40, &reaper, PROCLIFE_MM_EARLY, &a)); /* another process's */
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(last.memory.teardown, 22);
	assert_int_equal(last.memory.early, 0);
	assert_false(last.memory.open);
}

static void test_end_of_zombie(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, found(4, &shell, 0));
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_at(20, &a));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, ended(30, &a, 0, 0));
	feed(tasks, notify_record(31, &a, &shell));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(last.memory.teardown, 22);
	assert_false(last.memory.open);
}

/* It is not reported as still held if its end can have been lost. */
static void test_end_after_a_gap(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "app");

	(void)state;
	die_held(&a);
	feed(tasks, fork_record(40, &b, &shell));
	feed(tasks, exit_at(41, &b));
	feed(tasks, mm_record(42, &b, PROCLIFE_MM_LEFT, &b));
	feed_gap(tasks, 3, 50, 51);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(late.memory.left, 21);
	assert_false(late.memory.open);
	assert_int_equal(last.memory.left, 42);
	assert_false(last.memory.open);
}

/* It drops what is torn down already: the trace is forged. */
static void test_left_after_teardown(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_at(20, &a));
	feed(tasks, mm_record(21, &a, PROCLIFE_MM_LEFT, &a));
	feed(tasks, mm_record(22, &cat, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(23, &a, PROCLIFE_MM_LEFT, &a));
	assert_null(proclife_process_memory(process_of(&a)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MEMORY(test_early_before_a_gap),
		MEMORY(test_early_again_after_a_gap),
		MEMORY(test_shared_unseen),
		MEMORY(test_exec_drops_it),
		MEMORY(test_gap),
		MEMORY(test_gap_while_unmapped),
		MEMORY(test_own_gap),
		MEMORY(test_suppressed),
		MEMORY(test_nothing_to_unmap),
		MEMORY(test_not_its_own),
		MEMORY(test_end_of_trace),
		MEMORY(test_without_exiting),
		MEMORY(test_freed_while_held),
		MEMORY(test_gap_begun_before),
		MEMORY(test_early_of_another),
		MEMORY(test_early_then_suppressed),
		MEMORY(test_early_by_itself),
		MEMORY(test_thread_exiting_before),
		MEMORY(test_thread_left_before),
		MEMORY(test_left_before_a_gap),
		MEMORY(test_last_not_known),
		MEMORY(test_held_empty),
		MEMORY(test_zombie_without_gone),
		MEMORY(test_end_of_zombie),
		MEMORY(test_end_after_a_gap),
		MEMORY(test_left_after_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
