// SPDX-License-Identifier: GPL-2.0-only
/* Stories of tasks as kernels record them, and what the library makes of them. */
#include "check.h"
#include "fixture_tasks.h"

#include <signal.h>
#include <string.h>

static void test_simple_life(void **state)
{
	struct who a = process_of_pid(200, "sh");
	const struct proclife_process *process;
	const struct proclife_task *task;

	(void)state;
	assert_int_equal(reported.born_count, 1);
	feed(tasks, fork_record(10, &a, &shell));
	assert_int_equal(reported.born_count, 2);
	process = LAST_BORN;
	assert_int_equal(process->id, 2);
	assert_int_equal(process->handle, a.group);
	assert_int_equal(process->marks.born, 10);
	assert_int_equal(process->parent_tgid, 100);
	assert_int_equal(process->parent_id, 1);
	assert_int_equal(process->creator_tgid, 100);
	assert_int_equal(process->uid, 1000);
	assert_int_equal(process->cgroup, 77);
	assert_int_equal(process->ns_pid, 200);
	assert_int_equal(process->ns_inum, 0xeffffffc);
	assert_int_equal(process->start, a.start);
	assert_string_equal(process->comm, "sh");
	assert_int_equal(reported.parents[1], 1);
	assert_int_equal(reported.creators[1], 1);
	task = proclife_tasks_find(tasks, a.task);
	assert_non_null(task);
	assert_int_equal(task->process->live, 1);
	assert_int_equal(task->process->open, 1);

	feed(tasks, rename_record(20, &a, "make"));
	a.comm = "make";
	feed(tasks, exec_record(21, &a, 200, "/usr/bin/make"));
	assert_string_equal(task->process->path, "/usr/bin/make");
	feed(tasks, exit_record(30, &a, 2 << 8, 0));
	assert_int_equal(task->process->live, 0);
	assert_int_equal(task->process->open, 1);
	feed(tasks, reap_record(40, &a, &shell));
	assert_int_equal(reported.gone_count, 0);
	feed(tasks, free_record(50, &a));

	assert_null(proclife_tasks_find(tasks, a.task));
	assert_int_equal(reported.gone_count, 1);
	process = LAST_GONE;
	assert_int_equal(process->id, 2);
	assert_int_equal(process->marks.born, 10);
	assert_int_equal(process->seen, 10);
	assert_int_equal(process->execed, 21);
	assert_int_equal(process->marks.exited, 30);
	assert_int_equal(process->marks.reaped, 40);
	assert_int_equal(process->marks.freed, 50);
	assert_int_equal(process->exit_code, 2 << 8);
	assert_int_equal(process->runtime, 120); /* the final figure */
	assert_int_equal(process->utime, 40);
	assert_int_equal(process->stime, 20);
	assert_int_equal(process->min_flt, 5);
	assert_int_equal(process->maj_flt, 1);
	assert_int_equal(process->nvcsw, 3);
	assert_int_equal(process->nivcsw, 2);
	assert_int_equal(process->max_rss, 4096);
	assert_int_equal(process->threads, 1);
	assert_int_equal(process->execs, 1);
	assert_int_equal(process->reaper_tgid, 100);
	assert_string_equal(process->reaper_comm, "sh");
	assert_string_equal(process->comm, "make");
	assert_true(process->selected);
	assert_false(process->incomplete);
	assert_int_equal(reported.task_count, 1);
	task = LAST_TASK;
	assert_int_equal(task->marks.born, 10);
	assert_int_equal(task->marks.exited, 30);
	assert_int_equal(task->marks.reaped, 40);
	assert_int_equal(task->marks.freed, 50);
	assert_true(task->leader);
	assert_false(task->incomplete);
}

static void test_pid_reused_before_free(void **state)
{
	struct who a = process_of_pid(200, "first"), b = process_of_pid(200, "second");
	struct who c = process_of_pid(200, "third");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_record(11, &a, 0, 0));
	feed(tasks, reap_record(12, &a, &shell));
	feed(tasks, fork_record(13, &b, &shell));
	feed(tasks, exit_record(14, &b, 1 << 8, 0));
	feed(tasks, reap_record(15, &b, &shell));
	feed(tasks, fork_record(16, &c, &shell));
	feed(tasks, free_record(17, &b));
	feed(tasks, free_record(18, &a));
	assert_int_equal(reported.gone_count, 2);
	assert_string_equal(reported.gone[0].comm, "second");
	assert_int_equal(reported.gone[0].marks.born, 13);
	assert_int_equal(reported.gone[0].marks.freed, 17);
	assert_int_equal(reported.gone[0].exit_code, 1 << 8);
	assert_string_equal(reported.gone[1].comm, "first");
	assert_int_equal(reported.gone[1].marks.born, 10);
	assert_int_equal(reported.gone[1].marks.freed, 18);
	assert_non_null(proclife_tasks_find(tasks, c.task));
	assert_int_equal(proclife_tasks_find(tasks, c.task)->process->open, 1);
}

static void test_handle_reused(void **state)
{
	struct who a = process_of_pid(200, "first"), b = process_of_pid(300, "second");

	(void)state;
	b.task = a.task;
	b.group = a.group;
	for (int i = 0; i < 10; i++) {
		feed_life(tasks, 10 + 20 * i, &a, &shell);
		feed_life(tasks, 20 + 20 * i, &b, &shell);
		a.start += 1000;
		b.start += 1000;
	}
	assert_int_equal(reported.gone_count, 20);
	assert_int_equal(LAST_GONE->marks.born, 200);
	assert_false(LAST_GONE->incomplete);
}

static void test_fork_after_task(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, task_record(10, &a, &shell));
	feed(tasks, task_record(11, &t, &shell));
	assert_int_equal(reported.born_count, 2);
	assert_int_equal(LAST_BORN->marks.born, 0);
	assert_int_equal(LAST_BORN->seen, 10);
	/* Same start: it is the same life. */
	feed(tasks, fork_record(12, &a, &shell));
	feed(tasks, clone_record(13, &t, &shell, &a));
	assert_int_equal(reported.born_count, 2);
	assert_int_equal(reported.gone_count, 0);
	feed(tasks, exit_record(14, &t, 0, 1));
	feed(tasks, exit_record(15, &a, 0, 0));
	feed(tasks, reap_record(16, &t, &t));
	feed(tasks, reap_record(17, &a, &shell));
	feed(tasks, free_record(18, &t));
	feed(tasks, free_record(19, &a));
	assert_int_equal(reported.gone_count, 1);
	assert_int_equal(reported.task_count, 2);
	assert_int_equal(LAST_GONE->marks.born, 12);
	assert_int_equal(LAST_GONE->threads, 2);
	assert_int_equal(LAST_GONE->parent_tgid, 100);
	assert_int_equal(LAST_GONE->marks.exited, 15);
}

/* The snapshot comes after the FORK of some, and after the EXIT of others. */
static void test_task_after_fork(void **state)
{
	struct who a = process_of_pid(200, "app"), z = process_of_pid(201, "app");
	struct proclife_record record;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &z, &shell));
	feed(tasks, exit_record(12, &z, 7 << 8, 0));
	feed(tasks, task_record(20, &a, &shell));
	record = task_record(21, &z, &shell);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	record.state.exit_code = 7 << 8;
	feed(tasks, record);
	assert_int_equal(reported.born_count, 3);
	feed(tasks, reap_record(30, &z, &shell));
	feed(tasks, free_record(31, &z));
	assert_int_equal(LAST_GONE->marks.born, 11);
	assert_int_equal(LAST_GONE->marks.exited, 12);
	assert_int_equal(LAST_GONE->exit_code, 7 << 8);
	feed(tasks, exit_record(32, &a, 0, 0));
	feed(tasks, reap_record(33, &a, &shell));
	feed(tasks, free_record(34, &a));
	assert_int_equal(LAST_GONE->marks.born, 10);
	assert_int_equal(LAST_GONE->marks.exited, 32);
	assert_int_equal(reported.gone_count, 2);
}

static void test_zombie_in_snapshot(void **state)
{
	struct who z = process_of_pid(200, "zombie");
	struct proclife_record record = task_record(10, &z, &shell);

	(void)state;
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	record.state.exit_code = SIGTERM;
	feed(tasks, record);
	assert_int_equal(proclife_tasks_find(tasks, z.task)->process->live, 0);
	feed(tasks, reap_record(20, &z, &shell));
	feed(tasks, free_record(21, &z));
	assert_int_equal(reported.gone_count, 1);
	assert_int_equal(LAST_GONE->marks.born, 0);
	assert_int_equal(LAST_GONE->seen, 10);
	assert_int_equal(LAST_GONE->marks.exited, 0); /* it was not seen */
	assert_int_equal(LAST_GONE->exit_code, SIGTERM);
	assert_int_equal(LAST_GONE->marks.reaped, 20);
	assert_int_equal(LAST_GONE->marks.freed, 21);
	assert_int_equal(LAST_GONE->runtime, 120);
}

/* In a snapshot, children can come before their parents, which are linked later. */
static void test_snapshot_backwards(void **state)
{
	struct who parent = process_of_pid(200, "parent"), child = process_of_pid(201, "child");

	(void)state;
	parent.start = child.start - 5;
	feed(tasks, task_record(10, &child, &parent));
	assert_int_equal(LAST_BORN->parent_id, 0);
	feed(tasks, task_record(11, &parent, &shell));
	assert_int_equal(LAST_BORN->parent_id, 1);
	assert_int_equal(reported.linked_count, 1);
	assert_int_equal(reported.linked[0], 2);
	assert_int_equal(reported.linked_to[0], 3);
	assert_int_equal(proclife_tasks_find(tasks, child.task)->process->parent_id, 3);
}

static void test_clone_parent(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "sibling");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &b, &shell, &a));
	assert_int_equal(LAST_BORN->parent_tgid, 100);
	assert_int_equal(LAST_BORN->parent_id, 1);
	assert_int_equal(LAST_BORN->creator_tgid, 200);
	assert_int_equal(reported.parents[2], 1);
	assert_int_equal(reported.creators[2], 2);
}

static void test_reparenting(void **state)
{
	struct who init = process_of_pid(1, "init"), a = process_of_pid(200, "app");
	struct who b = process_of_pid(201, "daemon");
	struct proclife_record record;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &a));
	feed(tasks, exit_record(12, &a, 0, 0));
	feed(tasks, reap_record(13, &a, &shell));
	feed(tasks, free_record(14, &a));
	record = exit_record(20, &b, 0, 0);
	record.exit.parent_tgid = 1;
	feed(tasks, record);
	feed(tasks, reap_record(21, &b, &init));
	feed(tasks, free_record(22, &b));
	assert_int_equal(LAST_GONE->parent_tgid, 200); /* by birth */
	assert_int_equal(LAST_GONE->parent_id, 2);
	assert_int_equal(LAST_GONE->reaper_tgid, 1);
	assert_string_equal(LAST_GONE->reaper_comm, "init");
	/* The reaper is no process that was seen living. */
	assert_int_equal(reported.born_count, 3);
}

static void test_io_worker(void **state)
{
	struct who a = process_of_pid(200, "app"), w = thread_of(&a, 201);

	(void)state;
	w.flags |= PROCLIFE_F_WORKER;
	w.comm = "iou-wrk-200";
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &w, &shell, &a));
	assert_int_equal(reported.born_count, 2);
	assert_int_equal(proclife_tasks_find(tasks, w.task)->process->threads, 2);
	assert_false(proclife_tasks_find(tasks, w.task)->process->flags & PROCLIFE_F_WORKER);
	feed(tasks, exit_record(20, &a, 0, 1));
	feed(tasks, exit_record(21, &w, 0, 0));
	feed(tasks, reap_record(22, &w, &w));
	feed(tasks, reap_record(23, &a, &shell));
	feed(tasks, free_record(24, &a));
	feed(tasks, free_record(25, &w));
	assert_true(LAST_TASK->flags & PROCLIFE_F_WORKER);
	assert_int_equal(reported.gone_count, 1);
	assert_int_equal(LAST_GONE->marks.exited, 21);
}

static void test_kernel_thread(void **state)
{
	struct who kthreadd = process_of_pid(2, "kthreadd"), k = process_of_pid(200, "kworker/0:1");

	(void)state;
	kthreadd.flags = k.flags = PROCLIFE_F_KTHREAD;
	feed(tasks, task_record(5, &kthreadd, &shell));
	feed_life(tasks, 10, &k, &kthreadd);
	assert_true(LAST_GONE->flags & PROCLIFE_F_KTHREAD);
	assert_int_equal(LAST_GONE->parent_tgid, 2);
}

static void test_free_of_unknown(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, free_record(10, &a));
	assert_int_equal(reported.gone_count, 1);
	assert_int_equal(LAST_GONE->tgid, 200);
	assert_int_equal(LAST_GONE->seen, 10);
	assert_int_equal(LAST_GONE->marks.born, 0);
	assert_int_equal(LAST_GONE->marks.exited, 0);
	assert_int_equal(LAST_GONE->marks.freed, 10);
}

/* A module without the REAP source. */
static void test_without_reap(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_record(11, &a, 0, 0));
	feed(tasks, free_record(12, &a));
	assert_int_equal(reported.gone_count, 1);
	assert_int_equal(LAST_GONE->marks.reaped, 0);
	assert_int_equal(LAST_GONE->marks.freed, 12);
	assert_false(LAST_GONE->incomplete);
}

/* A task that has a mark of a death is known from then on, but has not exited with that. */
static void test_marks_of_a_death(void **state)
{
	(void)state;
	for (enum proclife_type type = PROCLIFE_EXITING; type < PROCLIFE_CGROUP; type++) {
		struct who a = process_of_pid(200 + type, "app");
		const struct proclife_task *task;

		feed(tasks, record_of(10, type, &a));
		task = proclife_tasks_find(tasks, a.task);
		assert_non_null(task);
		assert_int_equal(task->pid, a.pid);
		assert_string_equal(task->comm, "app");
		assert_int_equal(task->marks.exited, 0);
	}
}

static void test_records_after_exit(void **state)
{
	struct who a = process_of_pid(200, "app"), other = process_of_pid(300, "other");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_record(11, &a, 0, 0));
	feed(tasks, record_of(12, PROCLIFE_SIGNAL, &a));
	feed(tasks, record_of(13, PROCLIFE_WAIT, &a));
	feed(tasks, record_of(14, PROCLIFE_HANG, &a));
	assert_int_equal(reported.born_count, 2);
	/* A type from a later ABI. */
	feed(tasks, record_of(15, (enum proclife_type)24, &other));
	assert_int_equal(reported.born_count, 2);
	feed(tasks, reap_record(16, &a, &shell));
	feed(tasks, free_record(17, &a));
	assert_int_equal(reported.gone_count, 1);
	assert_int_equal(LAST_GONE->marks.exited, 11);
}

/* A task younger than the child is not its parent: the handle is in use again. */
static void test_younger_parent(void **state)
{
	struct who c = process_of_pid(202, "c"), b = process_of_pid(201, "b");

	(void)state;
	feed(tasks, task_record(5, &c, &b));
	feed(tasks, task_record(6, &b, &shell));
	assert_int_equal(proclife_tasks_select_pid(tasks, 201), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 1);
	assert_int_equal(reported.linked_count, 1); /* b's own selection */
	assert_int_equal(proclife_tasks_find(tasks, c.task)->process->parent_id, 0);
}

/* A name ends, even in a damaged record. */
static void test_name_without_end(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(300, "b"), t = thread_of(&b, 301);
	struct proclife_record record = fork_record(10, &a, &shell);

	(void)state;
	memset(record.comm, 'x', sizeof(record.comm));
	feed(tasks, record);
	assert_string_equal(LAST_BORN->comm, "xxxxxxxxxxxxxxx");
	/* Until its leader is seen, a process has the name of its thread. */
	record = task_record(11, &t, &shell);
	memset(record.comm, 'y', sizeof(record.comm));
	feed(tasks, record);
	assert_string_equal(LAST_BORN->comm, "yyyyyyyyyyyyyyy");
}

static void test_close(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who t = thread_of(&b, 202);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &shell));
	feed(tasks, clone_record(12, &t, &shell, &b));
	feed(tasks, exit_record(13, &a, 0, 0));
	feed(tasks, exit_record(14, &t, 0, 1));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(reported.gone_count, 3);
	assert_int_equal(reported.task_count, 4);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(reported.gone[i].id, i + 1);
	assert_int_equal(reported.gone[1].marks.exited, 13);
	assert_int_equal(reported.gone[1].marks.reaped, 0);
	assert_int_equal(reported.gone[1].marks.freed, 0);
	assert_false(reported.gone[1].incomplete);
	assert_int_equal(reported.gone[2].marks.exited, 0);
	assert_int_equal(proclife_tasks_selected_open(tasks), 0);
	assert_int_equal(proclife_tasks_selected(tasks), 3);
	assert_null(proclife_tasks_find(tasks, b.task));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(reported.gone_count, 3);
}

static int order_of_reports[8];
static int reports_made;

static void first_report(void *data, struct proclife_process *process)
{
	(void)process;
	order_of_reports[reports_made++] = *(int *)data;
}

static void test_reports_in_order(void **state)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports), .process_gone = first_report,
	};
	struct who a = process_of_pid(200, "a");
	int one = 1, two = 2, three = 3;

	(void)state;
	reports_made = 0;
	assert_int_equal(proclife_tasks_report(tasks, &reports, &two), 0);
	assert_int_equal(proclife_tasks_report(tasks, &reports, &one), 0);
	assert_int_equal(proclife_tasks_report(tasks, &reports, &three), 0);
	feed_life(tasks, 10, &a, &shell);
	assert_int_equal(reports_made, 3);
	assert_int_equal(order_of_reports[0], 2);
	assert_int_equal(order_of_reports[1], 1);
	assert_int_equal(order_of_reports[2], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_simple_life),
		TEST(test_pid_reused_before_free),
		TEST(test_handle_reused),
		TEST(test_fork_after_task),
		TEST(test_task_after_fork),
		TEST(test_zombie_in_snapshot),
		TEST(test_snapshot_backwards),
		TEST(test_clone_parent),
		TEST(test_reparenting),
		TEST(test_io_worker),
		TEST(test_kernel_thread),
		TEST(test_free_of_unknown),
		TEST(test_without_reap),
		TEST(test_marks_of_a_death),
		TEST(test_records_after_exit),
		TEST(test_younger_parent),
		TEST(test_name_without_end),
		TEST(test_close),
		TEST(test_reports_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
