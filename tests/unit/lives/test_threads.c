// SPDX-License-Identifier: GPL-2.0-only
/* Stories of thread groups: which thread ends them, decides their code, or execs. */
#include "check.h"
#include "fixture_tasks.h"

#include <signal.h>

static void test_threads(void **state)
{
	struct who a = process_of_pid(200, "app"), t1 = thread_of(&a, 201), t2 = thread_of(&a, 202);
	const struct proclife_process *process;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t1, &shell, &a));
	feed(tasks, clone_record(12, &t2, &shell, &t1));
	assert_int_equal(reported.born_count, 2); /* one process */
	process = proclife_tasks_find(tasks, a.task)->process;
	assert_ptr_equal(process, proclife_tasks_find(tasks, t1.task)->process);
	assert_ptr_equal(process, proclife_tasks_find(tasks, t2.task)->process);
	assert_int_equal(process->threads, 3);
	assert_int_equal(process->live, 3);
	/* A thread reaps itself, and its name is its own. */
	feed(tasks, rename_record(13, &t1, "worker"));
	t1.comm = "worker";
	assert_string_equal(process->comm, "app");
	feed(tasks, exit_record(20, &t1, 0, 2));
	feed(tasks, reap_record(21, &t1, &t1));
	feed(tasks, free_record(22, &t1));
	assert_int_equal(reported.gone_count, 0);
	assert_int_equal(reported.task_count, 1);
	assert_string_equal(LAST_TASK->comm, "worker");
	assert_false(LAST_TASK->leader);
	assert_int_equal(process->live, 2);
	assert_int_equal(process->marks.exited, 0);
	assert_int_equal(process->marks.reaped, 0);
	feed(tasks, exit_record(30, &t2, 0, 1));
	feed(tasks, exit_record(31, &a, 3 << 8, 0));
	assert_int_equal(process->marks.exited, 31);
	feed(tasks, reap_record(32, &t2, &t2));
	feed(tasks, reap_record(33, &a, &shell));
	/* Even the leader can be freed before a thread. */
	feed(tasks, free_record(40, &a));
	assert_int_equal(reported.gone_count, 0);
	feed(tasks, free_record(41, &t2));
	assert_int_equal(reported.gone_count, 1);
	process = LAST_GONE;
	assert_int_equal(process->marks.exited, 31);
	assert_int_equal(process->marks.reaped, 33);
	assert_int_equal(process->marks.freed, 41);
	assert_int_equal(process->threads, 3);
	assert_int_equal(process->runtime, 3 * 120);
	assert_int_equal(process->min_flt, 3 * 5);
	assert_int_equal(process->exit_code, 3 << 8);
	assert_string_equal(process->comm, "app");
	assert_false(process->incomplete);
}

static void test_leader_exits_first(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	const struct proclife_process *process;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exit_record(20, &a, 0, 1));
	process = proclife_tasks_find(tasks, a.task)->process;
	assert_int_equal(process->marks.exited, 0);
	assert_int_equal(process->live, 1);
	feed(tasks, exit_record(30, &t, 0, 0));
	assert_int_equal(process->marks.exited, 30);
	/* release_task() of the thread reaps the leader if no process waits for it. */
	feed(tasks, reap_record(31, &t, &t));
	feed(tasks, reap_record(40, &a, &shell));
	feed(tasks, free_record(50, &t));
	feed(tasks, free_record(51, &a));
	process = LAST_GONE;
	assert_int_equal(process->marks.exited, 30);
	assert_int_equal(process->marks.reaped, 40);
	assert_int_equal(process->marks.freed, 51);
	assert_int_equal(process->max_rss, 4096);
	assert_string_equal(process->comm, "app");
	assert_int_equal(reported.tasks[1].marks.exited, 20);
}

static struct proclife_record group_exit_record(uint64_t ts, const struct who *who, int32_t code)
{
	struct proclife_record record = exit_record(ts, who, code, 0);

	record.flags |= PROCLIFE_F_GROUP_EXIT;
	return record;
}

/* The leader was exiting with status 7 when the others were killed, and came last. */
static void test_group_exit_decides_the_code(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, group_exit_record(20, &t, SIGKILL));
	feed(tasks, exit_record(21, &a, 7 << 8, 0));
	feed(tasks, reap_record(30, &t, &t));
	feed(tasks, reap_record(31, &a, &shell));
	feed(tasks, free_record(40, &t));
	feed(tasks, free_record(41, &a));
	assert_int_equal(LAST_GONE->exit_code, SIGKILL);
	assert_int_equal(LAST_GONE->marks.exited, 21);
}

/* The snapshot lists a leader that was a zombie before: its own code does not count any more. */
static void test_group_exit_before_the_leader_is_found(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct proclife_record zombie = task_record(30, &a, &shell);

	(void)state;
	zombie.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	zombie.state.exit_code = 7 << 8;
	feed(tasks, group_exit_record(20, &t, SIGKILL));
	feed(tasks, zombie);
	feed(tasks, reap_record(31, &a, &shell));
	feed(tasks, free_record(40, &t));
	feed(tasks, free_record(41, &a));
	assert_int_equal(LAST_GONE->exit_code, SIGKILL);
}

/* Before Linux 5.18, threads that exit one by one make no group exit: the leader's code counts. */
static void test_without_group_exit_the_leader_decides(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exit_record(20, &a, 7 << 8, 1));
	feed(tasks, exit_record(21, &t, 3 << 8, 0));
	feed(tasks, reap_record(30, &t, &t));
	feed(tasks, reap_record(31, &a, &shell));
	feed(tasks, free_record(40, &t));
	feed(tasks, free_record(41, &a));
	assert_int_equal(LAST_GONE->exit_code, 7 << 8);
}

/* Up to Linux 6.12, two threads can both see that none is left. */
static void test_group_dead_twice(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exit_record(20, &a, 1 << 8, 0));
	feed(tasks, exit_record(21, &t, 1 << 8, 0));
	feed(tasks, reap_record(30, &t, &t));
	feed(tasks, reap_record(31, &a, &shell));
	feed(tasks, free_record(40, &t));
	feed(tasks, free_record(41, &a));
	assert_int_equal(reported.gone_count, 1);
	assert_int_equal(LAST_GONE->marks.exited, 21);
	assert_int_equal(LAST_GONE->live, 0);
	assert_int_equal(LAST_GONE->exit_code, 1 << 8);
	assert_false(LAST_GONE->incomplete);
}

/* Only the tracer is notified of the end of a thread, or of a leader whose threads go on. */
static void test_notify_of_threads(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct proclife_record of_one;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exit_record(20, &a, 0, 1));
	of_one = notify_record(20, &a, &shell);
	of_one.flags &= ~PROCLIFE_F_GROUP_DEAD;
	feed(tasks, of_one);
	feed(tasks, exit_record(21, &t, 0, 0));
	of_one = notify_record(22, &t, &shell);
	of_one.flags &= ~PROCLIFE_F_GROUP_DEAD;
	feed(tasks, of_one);
	assert_int_equal(proclife_tasks_find(tasks, a.task)->process->marks.notified, 0);
	feed(tasks, reap_record(23, &t, &shell));
	feed(tasks, notify_record(24, &a, &shell));
	feed(tasks, reap_record(25, &a, &shell));
	feed(tasks, free_record(26, &t));
	feed(tasks, free_record(27, &a));
	assert_int_equal(LAST_GONE->marks.notified, 24);
}

/* The kernel's changes to the tasks when @t, which is not the thread group leader, execs. */
static void take_over(struct who *t, struct who *leader)
{
	uint32_t tid = t->pid;

	t->pid = leader->pid;
	t->start = leader->start;
	leader->pid = tid;
}

static void check_exec_by_thread(bool rename_first)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201), u = thread_of(&a, 202);
	const struct proclife_process *process;
	const struct proclife_task *task;
	uint64_t before = reported.gone_count;

	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, clone_record(12, &u, &shell, &a));
	process = proclife_tasks_find(tasks, a.task)->process;
	/* The other threads are killed, the leader too. */
	feed(tasks, exit_record(20, &u, SIGKILL, 2));
	feed(tasks, reap_record(21, &u, &u));
	feed(tasks, exit_record(22, &a, SIGKILL, 1));
	assert_int_equal(process->marks.exited, 0);
	take_over(&t, &a);
	if (rename_first) {
		feed(tasks, rename_record(23, &t, "new"));
		feed(tasks, reap_record(24, &a, &t));
	} else {
		feed(tasks, reap_record(23, &a, &t));
		feed(tasks, rename_record(24, &t, "new"));
	}
	t.comm = "new";
	feed(tasks, exec_record(25, &t, 201, "/bin/new"));
	feed(tasks, free_record(30, &u));
	feed(tasks, free_record(31, &a));

	assert_int_equal(reported.gone_count, before);
	task = proclife_tasks_find(tasks, t.task);
	assert_non_null(task);
	assert_ptr_equal(task->process, process);
	assert_int_equal(process->open, 1);
	assert_int_equal(process->live, 1);
	assert_true(task->leader);
	assert_int_equal(task->pid, 200);
	assert_int_equal(task->marks.born, 11); /* its own, whatever its start time says */
	assert_int_equal(process->marks.born, 10);
	assert_int_equal(process->marks.reaped, 0);
	assert_int_equal(process->reaper_tgid, 0);
	assert_string_equal(process->comm, "new");
	assert_string_equal(process->path, "/bin/new");
	/* The old leader's life, under the tid that it ended with. */
	assert_int_equal(LAST_TASK->handle, a.task);
	assert_int_equal(LAST_TASK->marks.born, 10);
	assert_int_equal(LAST_TASK->marks.exited, 22);
	assert_int_equal(LAST_TASK->marks.freed, 31);
	assert_int_equal(LAST_TASK->pid, 201);
	assert_false(LAST_TASK->leader);
	assert_string_equal(LAST_TASK->comm, "app");

	feed(tasks, exit_record(40, &t, 5 << 8, 0));
	feed(tasks, reap_record(50, &t, &shell));
	feed(tasks, free_record(60, &t));
	assert_int_equal(reported.gone_count, before + 1);
	process = LAST_GONE;
	assert_int_equal(process->marks.born, 10);
	assert_int_equal(process->marks.exited, 40);
	assert_int_equal(process->marks.reaped, 50);
	assert_int_equal(process->marks.freed, 60);
	assert_int_equal(process->exit_code, 5 << 8);
	assert_int_equal(process->threads, 3);
	assert_int_equal(process->reaper_tgid, 100);
	assert_int_equal(process->parent_tgid, 100);
	assert_string_equal(process->comm, "new");
	assert_false(process->incomplete);
	assert_true(LAST_TASK->leader);
	assert_false(LAST_TASK->flags & PROCLIFE_F_THREAD);
}

static void test_exec_by_thread(void **state)
{
	(void)state;
	check_exec_by_thread(false);
	check_exec_by_thread(true);
	assert_int_equal(reported.born_count, 3);
}

/* The new leader lives on and the old one's FREE comes after its death. */
static void test_exec_by_thread_late_free(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exit_record(20, &a, SIGKILL, 1));
	take_over(&t, &a);
	feed(tasks, reap_record(21, &a, &t));
	feed(tasks, exec_record(22, &t, 201, "/bin/new"));
	feed(tasks, exit_record(30, &t, 0, 0));
	feed(tasks, reap_record(31, &t, &shell));
	feed(tasks, free_record(40, &t));
	assert_int_equal(reported.gone_count, 0);
	feed(tasks, free_record(50, &a));
	assert_int_equal(reported.gone_count, 1);
	assert_int_equal(LAST_GONE->marks.exited, 30);
	assert_int_equal(LAST_GONE->marks.reaped, 31);
	assert_int_equal(LAST_GONE->marks.freed, 50);
	assert_int_equal(LAST_GONE->exit_code, 0);
}

/* A thread that the snapshot found before its exec, whose leader comes next in it. */
static void test_exec_by_known_thread(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, task_record(5, &t, &shell));
	feed(tasks, task_record(6, &a, &shell));
	feed(tasks, exit_record(20, &a, SIGKILL, 1));
	take_over(&t, &a);
	feed(tasks, reap_record(21, &a, &t));
	feed(tasks, exec_record(22, &t, 201, "/bin/new"));
	/* The status was the old leader's. */
	assert_int_equal(proclife_tasks_holder(tasks, 200)->exit_code, -1);
	feed(tasks, free_record(30, &a));
	assert_int_equal(reported.born_count, 2);
	assert_int_equal(reported.gone_count, 0);
	feed(tasks, exit_record(40, &t, 0, 0));
	feed(tasks, reap_record(41, &t, &shell));
	feed(tasks, free_record(42, &t));
	assert_int_equal(reported.gone_count, 1);
	assert_int_equal(LAST_GONE->marks.born, 0);
	assert_int_equal(LAST_GONE->marks.exited, 40);
	assert_int_equal(LAST_GONE->marks.reaped, 41);
}

/* A thread that forks is not the parent: its process is. */
static void test_fork_by_thread(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct who b = process_of_pid(202, "child");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, fork_record(12, &b, &t));
	assert_int_equal(LAST_BORN->parent_tgid, 200);
	assert_int_equal(LAST_BORN->parent_id, 2);
}

/* The snapshot takes time: a thread can be gone before it comes to the leader. */
static void test_freed_before_the_leader_is_found(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct who b = process_of_pid(200, "other"), c = process_of_pid(300, "unseen");
	const struct proclife_process *process;

	(void)state;
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	assert_int_equal(feed(tasks, exit_record(10, &t, 0, 1)), 1);
	feed(tasks, reap_record(11, &t, &t));
	assert_int_equal(feed(tasks, free_record(12, &t)), 1);
	assert_int_equal(reported.task_count, 1);
	assert_int_equal(reported.gone_count, 0);
	assert_int_equal(proclife_tasks_selected_open(tasks), 1);
	process = proclife_tasks_holder(tasks, 200);
	assert_non_null(process);
	assert_int_equal(proclife_process_state(process), PROCLIFE_IS_UNKNOWN);
	assert_int_equal(feed(tasks, task_record(13, &a, &shell)), 1);
	assert_ptr_equal(proclife_tasks_find(tasks, a.task)->process, process);
	assert_int_equal(process->threads, 2);
	assert_int_equal(proclife_process_state(process), PROCLIFE_IS_ALIVE);
	feed(tasks, exit_record(20, &a, 0, 0));
	feed(tasks, reap_record(21, &a, &shell));
	feed(tasks, free_record(22, &a));
	assert_int_equal(reported.gone_count, 1);
	assert_int_equal(LAST_GONE->seen, 10);
	assert_int_equal(LAST_GONE->marks.exited, 20);
	assert_int_equal(LAST_GONE->marks.freed, 22);
	assert_int_equal(proclife_tasks_selected_open(tasks), 0);

	/* If it is never found, another one with its pid or the end of the trace shows that. */
	t = thread_of(&b, 202);
	feed(tasks, exit_record(30, &t, 0, 1));
	feed(tasks, free_record(31, &t));
	assert_int_equal(reported.gone_count, 1);
	feed(tasks, fork_record(40, &a, &shell));
	assert_int_equal(reported.gone_count, 2);
	assert_int_equal(LAST_GONE->seen, 30);
	assert_int_equal(reported.left_in[1], PROCLIFE_IS_UNKNOWN);
	t = thread_of(&c, 301);
	feed(tasks, exit_record(41, &t, 0, 1));
	feed(tasks, free_record(42, &t));
	assert_int_equal(reported.gone_count, 2);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(reported.gone_count, 5);
	assert_int_equal(LAST_GONE->seen, 41);
	assert_int_equal(LAST_GONE->marks.freed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_threads),
		TEST(test_freed_before_the_leader_is_found),
		TEST(test_leader_exits_first),
		TEST(test_group_exit_decides_the_code),
		TEST(test_group_exit_before_the_leader_is_found),
		TEST(test_without_group_exit_the_leader_decides),
		TEST(test_group_dead_twice),
		TEST(test_notify_of_threads),
		TEST(test_exec_by_thread),
		TEST(test_exec_by_thread_late_free),
		TEST(test_exec_by_known_thread),
		TEST(test_fork_by_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
