// SPDX-License-Identifier: GPL-2.0-only
/* How the memory of a process comes back: which processes held it, which dropped it last, and when it was unmapped. */
#include "check.h"
#include "returns.h"

#include <signal.h>
#include <string.h>

static void test_by_itself(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_at(20, &a));
	assert_null(proclife_process_memory(process_of(&a)));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	assert_true(proclife_process_memory(process_of(&a))->open);
	feed(tasks, mm_record(29, &a, PROCLIFE_MM_GONE, &a));
	bury(30, &a);
	assert_true(last.known && last.memory.own && !last.memory.async && !last.memory.open);
	assert_int_equal(last.memory.left, 0);
	assert_int_equal(last.memory.teardown, 22);
	assert_int_equal(last.memory.gone, 29);
	assert_int_equal(last.memory.rss_anon, 101 * 200);
	assert_int_equal(last.memory.rss_file, 11 * 200);
	assert_int_equal(last.memory.rss_shmem, 6 * 200);
	assert_int_equal(last.memory.swap, 3 * 200);
	assert_int_equal(last.memory.last.tgid, 200);
	assert_int_equal(last.held, 0);
	assert_int_equal(last.unmap, 7);
	assert_int_equal(late.count, 0);
	assert_int_equal(count_of(PROCLIFE_HELD), 0);
	assert_int_equal(count_of(PROCLIFE_UNMAP), 1);
}

/* A thread of another process reads the memory until long after its owner is freed. */
static void test_held(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat"), reader = thread_of(&cat, 301);
	const struct proclife_group *group;

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	feed(tasks, clone_record(6, &reader, &shell, &cat));
	die_held(&a);
	assert_true(last.known && last.memory.open);
	assert_int_equal(last.memory.left, 21);
	assert_int_equal(last.memory.holders, 1);
	assert_int_equal(last.held, 0);
	assert_int_equal(count_of(PROCLIFE_LIFE), 1); /* all phases but this are counted */
	assert_int_equal(count_of(PROCLIFE_HELD), 0);
	feed(tasks, mm_record(1021, &reader, PROCLIFE_MM_TEARDOWN, &a));
	assert_int_equal(late.count, 0);
	feed(tasks, mm_record(1100, &reader, PROCLIFE_MM_GONE, &a));
	assert_int_equal(late.count, 1);
	assert_int_equal(late.tgid, 200);
	assert_false(late.memory.own || late.memory.open);
	assert_string_equal(late.memory.last.comm, "cat");
	assert_string_equal(late.memory.by.comm, "cat");
	assert_int_equal(late.memory.last.pid, 301);
	assert_int_equal(late.memory.last.tgid, 300);
	assert_int_equal(late.held, 1000);
	assert_int_equal(late.unmap, 79);
	assert_int_equal(count_of(PROCLIFE_LIFE), 1);
	assert_int_equal(count_of(PROCLIFE_HELD), 1);
	assert_int_equal(count_of(PROCLIFE_UNMAP), 1);
	group = proclife_latency_group(latency, 0);
	assert_string_equal(group->name, "app");
	assert_int_equal(proclife_histogram_max(proclife_group_phase(group, PROCLIFE_HELD)), 1000);
	assert_int_equal(proclife_histogram_max(proclife_group_phase(group, PROCLIFE_UNMAP)), 79);
	assert_null(proclife_latency_group(latency, 1));
}

/* A process dies, and another one drops its memory three ns after it. */
static void is_held_for_a_moment(const struct who *who, const struct who *holder)
{
	feed(tasks, fork_record(5, holder, &shell));
	feed(tasks, fork_record(10, who, &shell));
	feed(tasks, exit_at(20, who));
	feed(tasks, mm_record(21, who, PROCLIFE_MM_LEFT, who));
	feed(tasks, mm_record(24, holder, PROCLIFE_MM_TEARDOWN, who));
}

/* The holder drops it before the process is reaped: all of it is part of the life. */
static void test_held_for_a_moment(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");

	(void)state;
	is_held_for_a_moment(&a, &cat);
	feed(tasks, mm_record(26, &cat, PROCLIFE_MM_GONE, &a));
	bury(30, &a);
	assert_int_equal(last.held, 3);
	assert_int_equal(last.unmap, 2);
	assert_int_equal(late.count, 0);
	assert_int_equal(count_of(PROCLIFE_HELD), 1);
	assert_int_equal(count_of(PROCLIFE_UNMAP), 1);
}

/* The holder drops it before the process is gone, and unmaps until after that: both count once. */
static void test_unmapped_after_the_end(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");

	(void)state;
	is_held_for_a_moment(&a, &cat);
	bury(30, &a);
	feed(tasks, mm_record(40, &cat, PROCLIFE_MM_GONE, &a));
	assert_int_equal(late.held, 3);
	assert_int_equal(late.unmap, 16);
	assert_int_equal(count_of(PROCLIFE_HELD), 1);
	assert_int_equal(count_of(PROCLIFE_UNMAP), 1);
}

/* The last holder may leave the work to a kernel worker. */
static void test_by_a_worker(void **state)
{
	struct who a = process_of_pid(200, "app"), ps = process_of_pid(300, "ps");
	struct who worker = process_of_pid(40, "kworker/0:1");

	(void)state;
	worker.flags = PROCLIFE_F_KTHREAD;
	die_held(&a);
	feed(tasks, mm_record(40, &ps, PROCLIFE_MM_ASYNC, &a));
	feed(tasks, by_kernel(mm_record(45, &worker, PROCLIFE_MM_TEARDOWN, &a)));
	feed(tasks, by_kernel(mm_record(50, &worker, PROCLIFE_MM_GONE, &a)));
	assert_true(late.memory.async);
	assert_string_equal(late.memory.last.comm, "ps");
	assert_string_equal(late.memory.by.comm, "kworker/0:1");
	assert_int_equal(late.held, 24);
	assert_int_equal(late.unmap, 5);
	/* Another process took a reference at that moment. */
	a = process_of_pid(201, "app");
	die_held(&a);
	feed(tasks, mm_record(40, &ps, PROCLIFE_MM_ASYNC, &a));
	feed(tasks, mm_record(45, &shell, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(50, &shell, PROCLIFE_MM_GONE, &a));
	assert_false(late.memory.async);
	assert_string_equal(late.memory.last.comm, "sh");
}

/* All threads drop it, one after the other: the last one tears it down. */
static void test_threads(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	both_die(&a, &t);
	feed(tasks, mm_record(25, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(28, &a, PROCLIFE_MM_GONE, &a));
	feed(tasks, ended(29, &t, 0, 1));
	feed(tasks, reap_record(29, &t, &t));
	feed(tasks, free_record(29, &t));
	bury(30, &a);
	assert_true(last.memory.own);
	assert_int_equal(last.memory.left, 0);
	assert_int_equal(last.memory.holders, 0);
	assert_int_equal(last.unmap, 3);
	assert_int_equal(late.count, 0);
}

/* Its parent ignores SIGCHLD, so it is not notified; the trace ends before it is freed. */
static void test_of_one_that_nobody_reaps(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	both_die(&a, &t);
	feed(tasks, ended(29, &t, 0, 1));
	feed(tasks, reap_record(29, &t, &t));
	feed(tasks, free_record(29, &t));
	feed(tasks, ended(30, &a, 0, 0));
	feed(tasks, reap_record(31, &a, &a));
	assert_true(proclife_process_memory(process_of(&a)));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(last.tgid, 200);
	assert_true(last.known);
	assert_int_equal(last.memory.left, 21);
	assert_int_equal(last.memory.holders, 2);
}

/* The OOM reaper comes before the victim can exit, and again. */
static void test_early(void **state)
{
	struct who a = process_of_pid(200, "hog"), b = process_of_pid(210, "other");
	struct who reaper = process_of_pid(61, "oom_reaper");
	struct proclife_record again = mm_record(19, &reaper, PROCLIFE_MM_EARLY, &a);

	(void)state;
	again.mm.rss_anon = 1;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, mm_record(15, &reaper, PROCLIFE_MM_EARLY, &a));
	feed(tasks, again);
	die_alone(&a);
	assert_int_equal(last.memory.early, 15);
	assert_int_equal(last.memory.early_anon, 101 * 200);
	assert_string_equal(last.memory.early_by.comm, "oom_reaper");
	assert_int_equal(last.unmap, 7);
	/* While it is torn down, too. */
	feed(tasks, fork_record(110, &b, &shell));
	feed(tasks, exit_at(120, &b));
	feed(tasks, mm_record(122, &b, PROCLIFE_MM_TEARDOWN, &b));
	feed(tasks, mm_record(124, &reaper, PROCLIFE_MM_EARLY, &b));
	feed(tasks, mm_record(129, &b, PROCLIFE_MM_GONE, &b));
	bury(130, &b);
	assert_int_equal(last.memory.early, 124);
	assert_int_equal(last.unmap, 7);
}

/* A vfork child has no memory of its own, whichever of the two lives longer. */
static void test_shared(void **state)
{
	struct who a = process_of_pid(200, "make"), child = process_of_pid(201, "make");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, shares(fork_record(11, &child, &a)));
	die_sharing(&child, &a);
	assert_false(last.known);
	die_alone(&a);
	assert_int_equal(last.unmap, 7);
	assert_int_equal(late.count, 0);
}

/* It is killed while its vfork child has yet to exec: the child holds its memory. */
static void test_held_by_a_child(void **state)
{
	struct who a = process_of_pid(200, "make"), child = process_of_pid(201, "make");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, shares(fork_record(11, &child, &a)));
	feed(tasks, exit_at(20, &a));
	feed(tasks, mm_record(21, &a, PROCLIFE_MM_LEFT, &a));
	bury(30, &a);
	feed(tasks, of_exec(mm_record(41, &child, PROCLIFE_MM_TEARDOWN, &a)));
	feed(tasks, of_exec(mm_record(44, &child, PROCLIFE_MM_GONE, &a)));
	assert_int_equal(late.held, 20);
	assert_int_equal(late.unmap, 3);
	feed(tasks, exec_record(45, &child, 201, "/bin/cc"));
	/* From here on the child has its own. */
	feed(tasks, exit_at(50, &child));
	feed(tasks, mm_record(52, &child, PROCLIFE_MM_TEARDOWN, &child));
	feed(tasks, mm_record(58, &child, PROCLIFE_MM_GONE, &child));
	bury(60, &child);
	assert_true(last.memory.own);
	assert_int_equal(last.unmap, 6);
}

/* An exiting task can also drop another process's memory last. */
static void test_another_that_exits(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	die_held(&a);
	feed(tasks, exit_at(40, &cat));
	feed(tasks, mm_record(41, &cat, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(42, &cat, PROCLIFE_MM_GONE, &a));
	assert_int_equal(late.tgid, 200);
	assert_int_equal(late.held, 20);
	assert_null(proclife_process_memory(process_of(&cat)));
}

/* KiB of the EXIT in records.h: the kernel's peak over all address spaces of the process. */
#define KERNELS 4096

static uint64_t rss_of(const struct who *who)
{
	return process_of(who)->max_rss;
}

/* An EXIT up to Linux 6.15, where the address space is gone already. */
static struct proclife_record late_exit(uint64_t ts, const struct who *who)
{
	struct proclife_record r = ended(ts, who, 0, 0);

	r.flags &= ~PROCLIFE_F_PEAK;
	return r;
}

/* The kernel's figure is right if the process had only one address space. */
static void test_peak_without_exec(void **state)
{
	struct who a = process_of_pid(200, "app"), child = process_of_pid(201, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_at(20, &a));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, late_exit(30, &a));
	assert_int_equal(rss_of(&a), KERNELS);
	feed(tasks, shares(fork_record(40, &child, &shell)));
	feed(tasks, exit_at(41, &child));
	feed(tasks, late_exit(42, &child));
	assert_int_equal(rss_of(&child), KERNELS);
}

/* After an exec, the last address space counts, whichever comes first, the EXIT or its teardown. */
static void test_peak_after_exec(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "app"), c = process_of_pid(202, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exec_record(11, &a, 200, "/bin/a"));
	feed(tasks, exit_at(20, &a));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, late_exit(30, &a));
	assert_int_equal(rss_of(&a), 200 * 200);

	feed(tasks, fork_record(40, &b, &shell));
	feed(tasks, exec_record(41, &b, 201, "/bin/b"));
	feed(tasks, exit_at(42, &b));
	feed(tasks, late_exit(43, &b));
	assert_int_equal(rss_of(&b), 0);
	feed(tasks, mm_record(44, &b, PROCLIFE_MM_TEARDOWN, &b));
	assert_int_equal(rss_of(&b), 200 * 201);

	/* A reader of /proc outlives it. */
	feed(tasks, fork_record(50, &c, &shell));
	feed(tasks, exec_record(51, &c, 202, "/bin/c"));
	feed(tasks, exit_at(52, &c));
	feed(tasks, mm_record(53, &c, PROCLIFE_MM_LEFT, &c));
	feed(tasks, late_exit(54, &c));
	assert_int_equal(rss_of(&c), 200 * 202);
}

/* From Linux 6.16 on, the address space is still there when the EXIT is recorded. */
static void test_peak_with_exit(void **state)
{
	struct who a = process_of_pid(200, "app");
	struct proclife_record exit = exit_record(21, &a, 0, 0);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exec_record(11, &a, 200, "/bin/a"));
	feed(tasks, exit_at(20, &a));
	feed(tasks, exit);
	assert_int_equal(rss_of(&a), KERNELS);
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	assert_int_equal(rss_of(&a), KERNELS);
}

/* The peak before an exec does not count, nor one if an exec may have been before the trace. */
static void test_peak_unknown(void **state)
{
	struct who a = process_of_pid(200, "app"), old = process_of_pid(201, "old");
	struct who t = thread_of(&a, 202);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exiting_record(12, &t, &shell, NULL, 0));
	feed(tasks, mm_record(13, &t, PROCLIFE_MM_LEFT, &a));
	feed(tasks, exec_record(14, &a, 200, "/bin/a"));
	assert_int_equal(rss_of(&a), 0);
	feed(tasks, late_exit(15, &a));
	assert_int_equal(rss_of(&a), 0);

	feed(tasks, task_record(20, &old, &shell));
	feed(tasks, exit_at(21, &old));
	feed(tasks, late_exit(22, &old));
	assert_int_equal(rss_of(&old), 0);
	feed(tasks, mm_record(23, &old, PROCLIFE_MM_TEARDOWN, &old));
	assert_int_equal(rss_of(&old), 200 * 201);
}

/* While a thread still has the address space, its peak is not known: the last thread to leave reports it. */
static void test_peak_of_the_last(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct proclife_record first = mm_record(23, &a, PROCLIFE_MM_LEFT, &a);
	struct proclife_record second = mm_record(25, &t, PROCLIFE_MM_LEFT, &a);

	(void)state;
	second.mm.peak += 4;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exec_record(11, &a, 200, "/bin/a"));
	feed(tasks, clone_record(12, &t, &shell, &a));
	feed(tasks, exit_at(20, &a));
	feed(tasks, exit_at(21, &t));
	feed(tasks, first);
	feed(tasks, ended(24, &a, 0, 1));
	assert_int_equal(rss_of(&a), 0);
	feed(tasks, second);
	assert_int_equal(rss_of(&a), 0);
	feed(tasks, late_exit(26, &t));
	assert_int_equal(rss_of(&a), 200 * 200 + 4);
}

/* If its EXIT was lost, any later record shows that it has ended. */
static void test_peak_without_exit(void **state)
{
	struct who debugger = process_of_pid(199, "gdb");

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct who a = process_of_pid(200 + i, "app");
		struct proclife_record ends[] = {
			notify_record(30, &a, &shell),
			traced_record(30, &a, &debugger, &shell),
			reap_record(30, &a, &shell),
			free_record(30, &a),
		};

		feed(tasks, fork_record(20, &a, &shell));
		feed(tasks, exec_record(21, &a, a.pid, "/bin/a"));
		feed(tasks, exit_at(22, &a));
		feed(tasks, mm_record(23, &a, PROCLIFE_MM_LEFT, &a));
		assert_int_equal(rss_of(&a), 0);
		feed(tasks, ends[i]);
		assert_int_equal(i < 3 ? rss_of(&a) : last.max_rss, 200 * a.pid);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MEMORY(test_peak_without_exec),
		MEMORY(test_peak_after_exec),
		MEMORY(test_peak_with_exit),
		MEMORY(test_peak_unknown),
		MEMORY(test_peak_of_the_last),
		MEMORY(test_peak_without_exit),
		MEMORY(test_by_itself),
		MEMORY(test_held),
		MEMORY(test_held_for_a_moment),
		MEMORY(test_unmapped_after_the_end),
		MEMORY(test_by_a_worker),
		MEMORY(test_threads),
		MEMORY(test_of_one_that_nobody_reaps),
		MEMORY(test_early),
		MEMORY(test_shared),
		MEMORY(test_held_by_a_child),
		MEMORY(test_another_that_exits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
