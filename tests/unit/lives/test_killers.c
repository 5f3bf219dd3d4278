// SPDX-License-Identifier: GPL-2.0-only
/* Which signal, of those that were on their way, killed a process, and which process sent it. */
#include "check.h"
#include "marks.h"
#include "records.h"

#include <signal.h>
#include <string.h>

static struct proclife_tasks *tasks;
static struct proclife_tree *tree;
static const struct who shell = { .task = 1, .group = 2, .start = 1, .pid = 100, .tgid = 100,
				  .comm = "sh" };
static const struct who guard = { .task = 3, .group = 4, .start = 2, .pid = 101, .tgid = 101,
				  .comm = "guard" };

static int setup(void **state)
{
	(void)state;
	return proclife_tasks_new(&tasks, NULL) || proclife_tree_new(&tree, tasks);
}

static int teardown(void **state)
{
	(void)state;
	proclife_tree_free(tree);
	proclife_tasks_free(tasks);
	return 0;
}

static const struct proclife_killer *killer_of(const struct who *who)
{
	return proclife_process_killer(proclife_tasks_find(tasks, who->task)->process);
}

static void test_the_one_whose_signal_it_was(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, signal_record(11, &a, SIGTERM, &shell)); /* blocked, say */
	feed(tasks, signal_record(12, &a, SIGKILL, &guard));
	assert_null(killer_of(&a)); /* it lives */
	feed(tasks, exit_record(13, &a, SIGKILL, 0));
	assert_non_null(killer_of(&a));
	assert_int_equal(killer_of(&a)->ts, 12);
	assert_int_equal(killer_of(&a)->signo, SIGKILL);
	assert_int_equal(killer_of(&a)->code, SI_USER);
	assert_int_equal(killer_of(&a)->task, guard.task);
	assert_int_equal(killer_of(&a)->pid, 101);
	assert_int_equal(killer_of(&a)->tgid, 101);
	assert_string_equal(killer_of(&a)->comm, "guard");
}

/* Some kernels queue another SIGKILL while the process is ending. */
static void test_the_first_sigkill(void **state)
{
	struct who a = process_of_pid(200, "app");
	const struct proclife_process *process;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	process = proclife_tasks_find(tasks, a.task)->process;
	feed(tasks, signal_record(11, &a, SIGTERM, &guard));
	assert_null(proclife_process_sigkill(process));
	feed(tasks, signal_record(12, &a, SIGKILL, &guard));
	feed(tasks, signal_record(13, &a, SIGKILL, &shell));
	assert_int_equal(proclife_process_sigkill(process)->ts, 12);
	feed(tasks, exit_record(14, &a, SIGKILL, 0));
	assert_int_equal(killer_of(&a)->ts, 12);
	assert_string_equal(killer_of(&a)->comm, "guard");
	assert_int_equal(proclife_process_sigkill(process)->ts, 12);
	assert_int_equal(proclife_process_killed(process), 12); /* no doubt: it is not held back */
}

/* Its leader has exited first: the process lives until its last thread has exited. */
static void test_not_while_a_thread_lives(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, signal_record(12, &a, SIGKILL, &guard));
	feed(tasks, exit_record(13, &a, SIGKILL, 1));
	assert_null(killer_of(&a));
	feed(tasks, exit_record(14, &t, SIGKILL, 0));
	assert_non_null(killer_of(&a));
	assert_string_equal(killer_of(&a)->comm, "guard");
}

static void test_the_latest_that_was_queued(void **state)
{
	struct who a = process_of_pid(200, "app");
	struct proclife_record late, taken = signal_record(11, &a, SIGTERM, &shell);

	(void)state;
	taken.signal.blocked = 1; /* sigwait() */
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, taken);
	feed(tasks, signal_record(12, &a, SIGTERM, &guard));
	late = signal_record(13, &a, SIGTERM, &shell);
	late.signal.result = PROCLIFE_SIGNAL_PENDING;
	feed(tasks, late);
	late.signal.result = PROCLIFE_SIGNAL_NO_ROOM;
	feed(tasks, late);
	feed(tasks, exit_record(14, &a, SIGTERM | 0x80, 0)); /* core dumped */
	assert_int_equal(killer_of(&a)->ts, 12);
	assert_string_equal(killer_of(&a)->comm, "guard");
	/* The first was taken without ending it. */
	assert_false(killer_of(&a)->again);
	assert_int_equal(proclife_process_killed(proclife_tasks_find(tasks, a.task)->process), 12);
}

/* One to a thread and one to all: the first one ends it, but not at once if a tracer holds it back. */
static void test_two_queues(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "core");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, signal_record(11, &a, SIGTERM, &shell));
	assert_false(proclife_process_sigkill(proclife_tasks_find(tasks, a.task)->process));
	feed(tasks, signal_record(12, &a, SIGTERM, &guard));
	feed(tasks, exit_record(14, &a, SIGTERM, 0));
	assert_int_equal(killer_of(&a)->ts, 11);
	assert_string_equal(killer_of(&a)->comm, "sh");
	assert_true(killer_of(&a)->again);
	assert_int_equal(proclife_process_killed(proclife_tasks_find(tasks, a.task)->process), 0);
	/* A signal that dumps core does so once it is taken: the latest was the killer. */
	feed(tasks, fork_record(20, &b, &shell));
	feed(tasks, signal_record(21, &b, SIGQUIT, &shell));
	feed(tasks, signal_record(22, &b, SIGQUIT, &guard));
	feed(tasks, exit_record(24, &b, SIGQUIT, 0));
	assert_int_equal(killer_of(&b)->ts, 22);
	assert_int_equal(proclife_process_killed(proclife_tasks_find(tasks, b.task)->process), 0);
}

/* If the first can have been held back, that stays possible, whether a later one is blocked or not. */
static void test_blocked_between(void **state)
{
	struct who a = process_of_pid(200, "app");
	struct proclife_record blocked = signal_record(12, &a, SIGQUIT, &shell);

	(void)state;
	blocked.signal.blocked = 1;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, signal_record(11, &a, SIGQUIT, &shell));
	feed(tasks, blocked);
	feed(tasks, signal_record(13, &a, SIGQUIT, &guard));
	feed(tasks, exit_record(14, &a, SIGQUIT, 0));
	assert_int_equal(killer_of(&a)->ts, 13);
	assert_int_equal(proclife_process_killed(proclife_tasks_find(tasks, a.task)->process), 0);
}

/* Once it is ending, a later signal is not the killer; but a SIGKILL is noted. */
static void test_too_late(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "core");
	const struct proclife_process *process;
	struct proclife_record r = record_of(20, PROCLIFE_EXITING, &a);

	(void)state;
	trace_with_exiting(tasks);
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(10, &b, &shell));
	feed(tasks, signal_record(11, &a, SIGTERM, &shell));
	feed(tasks, signal_record(12, &b, SIGSEGV, &shell));
	r.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	r.exiting.exit_code = SIGTERM;
	feed(tasks, r);
	r = record_of(20, PROCLIFE_COREDUMP, &b);
	r.coredump.signo = SIGSEGV;
	feed(tasks, r);
	feed(tasks, signal_record(21, &a, SIGTERM, &guard));
	feed(tasks, signal_record(22, &a, SIGKILL, &guard));
	feed(tasks, signal_record(23, &b, SIGSEGV, &guard));
	process = proclife_tasks_find(tasks, a.task)->process;
	assert_non_null(proclife_process_sigkill(process));
	assert_int_equal(proclife_process_sigkill(process)->ts, 22);
	feed(tasks, exit_record(30, &a, SIGTERM, 0));
	feed(tasks, exit_record(31, &b, SIGSEGV | 0x80, 0));
	assert_int_equal(killer_of(&a)->ts, 11);
	assert_int_equal(proclife_process_killed(process), 11);
	assert_int_equal(killer_of(&b)->ts, 12);
	assert_int_equal(proclife_process_killed(proclife_tasks_find(tasks, b.task)->process), 12);
}

/* It was ending when the snapshot found it: the later SIGKILL did not end it. */
static void test_ending_before(void **state)
{
	struct who a = process_of_pid(200, "app");
	struct proclife_record r = task_record(10, &a, &shell);
	const struct proclife_process *process;

	(void)state;
	trace_with_exiting(tasks);
	r.flags |= PROCLIFE_F_GROUP_EXIT;
	feed(tasks, r);
	feed(tasks, signal_record(11, &a, SIGKILL, &guard));
	r = record_of(20, PROCLIFE_EXITING, &a);
	r.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	r.exiting.exit_code = SIGKILL;
	feed(tasks, r);
	feed(tasks, exit_record(30, &a, SIGKILL, 0));
	process = proclife_tasks_find(tasks, a.task)->process;
	assert_int_equal(process->marks.exited, 20);
	assert_int_equal(proclife_process_killed(process), 0);
}

/* A signal from before the trace can be the killer, as long as nothing shows that the process lived on. */
static void test_older_and_not_shown_alive(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "app");

	(void)state;
	feed(tasks, signal_record(12, &a, SIGTERM, &guard));
	feed(tasks, exit_record(13, &a, SIGTERM, 0));
	assert_int_equal(killer_of(&a)->ts, 12);
	assert_int_equal(proclife_process_killed(proclife_tasks_find(tasks, a.task)->process), 0);
	feed(tasks, task_record(14, &b, &shell));
	feed(tasks, signal_record(15, &b, SIGTERM, &guard));
	feed(tasks, exit_record(16, &b, SIGTERM, 0));
	assert_int_equal(proclife_process_killed(proclife_tasks_find(tasks, b.task)->process), 15);
}

/* The kernel had no memory for the siginfo: the signal is pending all the same. */
static void test_without_info(void **state)
{
	struct who a = process_of_pid(200, "app");
	struct proclife_record record = signal_record(11, &a, SIGTERM, &guard);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	record.signal.result = PROCLIFE_SIGNAL_NO_INFO;
	feed(tasks, record);
	feed(tasks, exit_record(14, &a, SIGTERM, 0));
	assert_non_null(killer_of(&a));
	assert_int_equal(killer_of(&a)->ts, 11);
}

static void test_to_a_thread_for_all(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct proclife_record record;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	record = signal_record(12, &t, SIGSEGV, &t);
	record.signal.code = SEGV_MAPERR;
	record.signal.to_group = 0;
	feed(tasks, record);
	feed(tasks, exit_record(13, &t, SIGSEGV, 1));
	record = exit_record(14, &a, SIGSEGV, 0);
	record.flags |= PROCLIFE_F_GROUP_EXIT;
	feed(tasks, record);
	assert_int_equal(killer_of(&a)->task, t.task);
	assert_int_equal(killer_of(&a)->code, SEGV_MAPERR);
}

static void test_nobody(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "app");
	struct proclife_record odd;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, signal_record(11, &a, SIGTERM, &guard));
	feed(tasks, exit_record(12, &a, 1 << 8, 0)); /* it was quicker */
	assert_null(killer_of(&a));
	feed(tasks, fork_record(13, &b, &shell));
	feed(tasks, exit_record(14, &b, SIGKILL, 0)); /* the SIGNAL is not there */
	assert_null(killer_of(&b));
	/* A record that no module writes. */
	odd = signal_record(15, &b, 0, &guard);
	feed(tasks, odd);
	odd.signal.signo = 128;
	feed(tasks, odd);
	odd.signal.signo = -1;
	feed(tasks, odd);
	assert_null(killer_of(&b));
}

static void test_the_tree_keeps_it(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "app");
	const struct proclife_node *node;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &shell));
	feed(tasks, signal_record(12, &a, SIGKILL, &guard));
	feed(tasks, signal_record(13, &b, SIGKILL, &guard));
	feed(tasks, exit_record(14, &a, SIGKILL, 0));
	feed(tasks, exit_record(15, &b, SIGKILL, 0));
	feed(tasks, reap_record(16, &a, &shell));
	feed(tasks, reap_record(17, &b, &shell));
	feed(tasks, free_record(18, &a));
	feed(tasks, free_record(19, &b));
	node = proclife_tree_roots(tree);
	while (node && node->tgid != 200)
		node = node->next ? node->next : node->child;
	assert_non_null(node);
	assert_non_null(node->common->killer);
	assert_string_equal(node->common->killer->comm, "guard");
	assert_int_equal(node->common->killer->signo, SIGKILL);
	assert_int_equal(node->next->tgid, 201);
	assert_ptr_equal(node->next->common->killer, node->common->killer);
}

/* A thread sends it: its process has another name. */
static void test_by_a_thread(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(202, "app");
	struct who thread = thread_of(&guard, 102);
	struct proclife_record record;

	(void)state;
	thread.comm = "watchdog";
	feed(tasks, fork_record(10, &a, &shell));
	record = signal_record(11, &a, SIGKILL, &thread);
	strcpy(record.signal.sender_group_comm, "guard");
	feed(tasks, record);
	feed(tasks, exit_record(12, &a, SIGKILL, 0));
	assert_true(killer_of(&a)->named);
	assert_string_equal(killer_of(&a)->comm, "guard");
	assert_string_equal(killer_of(&a)->thread_comm, "watchdog");
	/* Its name is not known. */
	feed(tasks, fork_record(13, &b, &shell));
	feed(tasks, signal_record(14, &b, SIGKILL, &thread));
	feed(tasks, exit_record(15, &b, SIGKILL, 0));
	assert_false(killer_of(&b)->named);
	assert_string_equal(killer_of(&b)->comm, "watchdog");
}

/* A process that the OOM killer has chosen, for the guard; the SIGKILL has this sender and code. */
static const struct proclife_killer *chosen(uint64_t ts, uint32_t pid, const struct who *sender, int32_t code,
					    uint32_t scope)
{
	static struct who a;
	struct proclife_record record;

	a = process_of_pid(pid, "app");
	feed(tasks, fork_record(ts, &a, &shell));
	record = signal_record(ts + 1, &a, SIGKILL, sender);
	record.signal.code = code;
	feed(tasks, record);
	record = oom_record(ts + 2, &a, &guard);
	record.oom.scope = scope;
	record.oom.cgroup = 77;
	feed(tasks, record);
	feed(tasks, exit_record(ts + 3, &a, SIGKILL, 0));
	return killer_of(&a);
}

static void test_the_oom_killer(void **state)
{
	const struct proclife_killer *killer = chosen(10, 200, &guard, SI_KERNEL, PROCLIFE_OOM_CGROUP);

	(void)state;
	assert_int_equal(killer->cause, PROCLIFE_BY_OOM);
	assert_int_equal(killer->oom_scope, PROCLIFE_OOM_CGROUP);
	assert_int_equal(killer->oom_cgroup, 77);
	killer = chosen(20, 201, &guard, SI_KERNEL, PROCLIFE_OOM_GLOBAL);
	assert_int_equal(killer->cause, PROCLIFE_BY_OOM);
	assert_int_equal(killer->oom_cgroup, 0);
	/* It had been killed before, by kill(2), or by another process. */
	assert_int_equal(chosen(30, 202, &guard, SI_USER, PROCLIFE_OOM_CGROUP)->cause, PROCLIFE_BY_ITSELF);
	assert_int_equal(chosen(40, 203, &shell, SI_KERNEL, PROCLIFE_OOM_CGROUP)->cause, PROCLIFE_BY_ITSELF);
	/* From a later module. */
	killer = chosen(50, 204, &guard, SI_KERNEL, 99);
	assert_int_equal(killer->cause, PROCLIFE_BY_OOM);
	assert_int_equal(killer->oom_scope, 0);
}

static void test_causes(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "app");
	struct proclife_record record;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	record = signal_record(11, &a, SIGTERM, &guard);
	record.signal.cause = PROCLIFE_CAUSE_PARENT;
	record.signal.sender_flags = PROCLIFE_F_EXITING;
	feed(tasks, record);
	feed(tasks, exit_record(12, &a, SIGTERM, 0));
	assert_int_equal(killer_of(&a)->cause, PROCLIFE_BY_PARENT_END);
	assert_int_equal(killer_of(&a)->flags, PROCLIFE_F_EXITING);
	assert_string_equal(proclife_cause_name(PROCLIFE_BY_PARENT_END), "parent-end");
	feed(tasks, fork_record(13, &b, &shell));
	record = signal_record(14, &b, SIGTERM, &guard);
	record.signal.cause = 99;
	feed(tasks, record);
	feed(tasks, exit_record(15, &b, SIGTERM, 0));
	assert_int_equal(killer_of(&b)->cause, PROCLIFE_BY_ITSELF);
	assert_null(proclife_cause_name(PROCLIFE_BY_ITSELF));
	assert_null(proclife_cause_name(PROCLIFE_CAUSES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_the_one_whose_signal_it_was, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_first_sigkill, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_while_a_thread_lives, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_latest_that_was_queued, setup, teardown),
		cmocka_unit_test_setup_teardown(test_two_queues, setup, teardown),
		cmocka_unit_test_setup_teardown(test_blocked_between, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_late, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ending_before, setup, teardown),
		cmocka_unit_test_setup_teardown(test_older_and_not_shown_alive, setup, teardown),
		cmocka_unit_test_setup_teardown(test_without_info, setup, teardown),
		cmocka_unit_test_setup_teardown(test_to_a_thread_for_all, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nobody, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_tree_keeps_it, setup, teardown),
		cmocka_unit_test_setup_teardown(test_by_a_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_oom_killer, setup, teardown),
		cmocka_unit_test_setup_teardown(test_causes, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
