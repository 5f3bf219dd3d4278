// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exits of which a part can have been before the trace, or in a gap: their beginning is reported only if
 * it is certain that no part was earlier.
 */
#include "check.h"
#include "exits.h"

#include <signal.h>

/* Evidence that a process was not ending as a whole yet. */
static void test_older(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct who b = process_of_pid(210, "unknown"), c = process_of_pid(220, "sole");
	struct who d = process_of_pid(230, "exec"), e = process_of_pid(240, "ending");

	(void)state;
	/* The snapshot found all of its threads alive. */
	feed(tasks, found(10, &a, 0));
	feed(tasks, found(11, &t, 0));
	feed(tasks, exiting(20, &t, WHOLE, SIGKILL));
	assert_int_equal(process_of(&a)->exiting, 20);
	/* Nothing is known of this one: others can have begun before, and be gone. */
	feed(tasks, record_of(12, PROCLIFE_HANG, &b));
	feed(tasks, exiting(21, &b, WHOLE, SIGKILL));
	assert_int_equal(process_of(&b)->exiting, 0);
	/* This one has no others. */
	feed(tasks, record_of(13, PROCLIFE_HANG, &c));
	feed(tasks, exiting(22, &c, PROCLIFE_F_SOLE, 0));
	assert_int_equal(process_of(&c)->exiting, 22);
	/* A process that is ending does not exec. */
	feed(tasks, exec_record(14, &d, 230, "/bin/exec"));
	feed(tasks, exiting(23, &d, WHOLE, SIGKILL));
	assert_int_equal(process_of(&d)->exiting, 23);
	/* The snapshot found the process ending, but not this thread of it. */
	feed(tasks, found(15, &e, WHOLE));
	feed(tasks, exiting(24, &e, WHOLE, SIGKILL));
	assert_int_equal(process_of(&e)->exiting, 0);
	assert_int_equal(reported.exiting_count, 5); /* each of them ends all the same */
}

/* A leader is found that had exited before: the group's code is the code of the thread that ended it. */
static void test_code_of_a_found_leader(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201), u = thread_of(&a, 202);
	struct proclife_record leader = found(14, &a, PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE);
	struct proclife_record ends = exit_record(13, &t, 3 << 8, 1);

	(void)state;
	feed(tasks, found(10, &u, 0));
	ends.flags |= PROCLIFE_F_GROUP_EXIT;
	feed(tasks, ends);
	leader.state.exit_code = 7 << 8;
	feed(tasks, leader);
	assert_int_equal(process_of(&a)->exit_code, 3 << 8);
}

/* A thread that the snapshot found exiting was first, unless the trace has the beginning of its exit. */
static void test_found_on_the_way(void **state)
{
	struct who a = process_of_pid(200, "zombie"), t = thread_of(&a, 201);
	struct who b = process_of_pid(210, "seen"), u = thread_of(&b, 211);

	(void)state;
	feed(tasks, found(10, &a, PROCLIFE_F_ZOMBIE));
	feed(tasks, found(11, &t, 0));
	feed(tasks, exiting(20, &t, WHOLE, SIGKILL));
	assert_int_equal(process_of(&a)->exiting, 0);
	feed(tasks, exiting(12, &u, 0, 0));
	feed(tasks, found(13, &u, PROCLIFE_F_EXITING));
	feed(tasks, found(14, &b, 0));
	feed(tasks, exiting(21, &b, WHOLE, SIGKILL));
	assert_int_equal(process_of(&b)->exiting, 21);
}

/* A core is dumped before the EXITING, and the COREDUMP of an older process can be before the trace. */
static void test_core(void **state)
{
	struct who a = process_of_pid(200, "older"), b = process_of_pid(201, "born");
	struct who c = process_of_pid(202, "dumps");
	struct proclife_record dump = record_of(15, PROCLIFE_COREDUMP, &c);

	(void)state;
	feed(tasks, found(10, &a, 0));
	feed(tasks, fork_record(11, &b, &shell));
	feed(tasks, found(12, &c, 0));
	feed(tasks, exiting(20, &a, SOLE, SIGSEGV | 0x80));
	assert_int_equal(process_of(&a)->exiting, 0);
	/* Its whole life is in the trace, without a COREDUMP: it may not dump core. */
	feed(tasks, exiting(21, &b, SOLE, SIGSEGV));
	assert_int_equal(process_of(&b)->exiting, 21);
	dump.coredump.signo = SIGSEGV;
	feed(tasks, dump);
	assert_int_equal(process_of(&c)->exiting, 15);
	feed(tasks, exiting(22, &c, SOLE, SIGSEGV | 0x80));
	assert_int_equal(process_of(&c)->exiting, 15);
}

/* Threads exit one by one and overtake each other: the last to begin counts, not the last to end. */
static void test_overtaken(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exiting(20, &a, 0, 0));
	feed(tasks, exiting(30, &t, 0, 0));
	feed(tasks, ended(35, &t, 0, 1));
	feed(tasks, ended(40, &a, 0, 0));
	assert_int_equal(process_of(&a)->marks.exited, 30);
	assert_int_equal(process_of(&a)->exiting, 0);
}

/* One by one: a gap after the last EXITING can hide a later one. */
static void test_one_by_one_with_a_gap(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exiting(20, &a, 0, 0));
	feed_gap(tasks, 1, 22, 25);
	feed(tasks, ended(30, &t, 0, 1));
	feed(tasks, ended(31, &a, 0, 0));
	assert_true(proclife_process_has_exited(process_of(&a)));
	assert_int_equal(process_of(&a)->marks.exited, 0);
}

/* A task's start is not the beginning of its exit, in whatever order they are found. */
static void test_no_beginning(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct who b = process_of_pid(210, "late"), u = thread_of(&b, 211);
	struct who c = process_of_pid(220, "hidden"), v = thread_of(&c, 221);

	(void)state;
	feed(tasks, found(10, &a, PROCLIFE_F_EXITING));
	feed(tasks, found(11, &t, PROCLIFE_F_EXITING));
	feed(tasks, ended(12, &t, 0, 1));
	feed(tasks, ended(13, &a, 0, 0));
	assert_true(proclife_process_has_exited(process_of(&a)));
	assert_int_equal(process_of(&a)->marks.exited, 0);
	feed(tasks, ended(14, &u, 0, 1));
	feed(tasks, ended(15, &b, 0, 0));
	assert_ptr_equal(process_of(&u), process_of(&b));
	assert_true(proclife_process_has_exited(process_of(&b)));
	assert_int_equal(process_of(&b)->marks.exited, 0);
	/* Its leader is not even found. */
	feed(tasks, ended(16, &v, 0, 0));
	assert_int_equal(process_of(&v)->marks.exited, 0);
}

/* A thread begins to exit before its leader is known, which is older all the same. */
static void test_thread_first(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, exiting(10, &t, 0, 0));
	feed(tasks, exiting(20, &a, 0, 0));
	assert_ptr_equal(process_of(&t), process_of(&a));
	feed(tasks, ended(30, &t, 0, 1));
	feed(tasks, ended(31, &a, 0, 0));
	assert_int_equal(process_of(&a)->marks.exited, 20);
	assert_int_equal(reported.born_count, 1);
}

/* It is a zombie, though the beginning of its exit is not known; it is no longer dying, as it was when found. */
static void test_states(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, found(10, &a, PROCLIFE_F_EXITING));
	feed(tasks, found(11, &t, PROCLIFE_F_EXITING));
	assert_int_equal(proclife_process_state(process_of(&a)), PROCLIFE_IS_DYING);
	feed(tasks, ended(20, &t, 0, 1));
	assert_int_equal(proclife_task_state(proclife_tasks_find(tasks, t.task)),
			 PROCLIFE_IS_ZOMBIE);
	feed(tasks, ended(21, &a, 3 << 8, 0));
	assert_int_equal(process_of(&a)->marks.exited, 0);
	assert_int_equal(proclife_process_state(process_of(&a)), PROCLIFE_IS_ZOMBIE);
	/* Its parent is notified, so it is a zombie for certain. */
	feed(tasks, notify_record(22, &a, &shell));
	assert_int_equal(process_of(&a)->marks.notified, 22);
}

/* A NOTIFY names the process that ended, so a gap before it hides nothing. */
static void test_notified_behind_a_gap(void **state)
{
	struct who a = process_of_pid(200, "app");
	struct proclife_record record;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed_gap(tasks, 1, 12, 15);
	record = ended(20, &a, 0, 0);
	record.exit.parent_tgid = shell.tgid;
	feed(tasks, record);
	assert_int_equal(process_of(&a)->marks.exited, 0);
	feed(tasks, notify_record(22, &a, &shell));
	assert_int_equal(process_of(&a)->marks.notified, 22);
}

/* What the snapshot finds after the EXIT happened before it. */
static void test_listed_after_exit(void **state)
{
	struct who a = process_of_pid(200, "app");
	struct proclife_record late = found(20, &a, PROCLIFE_F_ZOMBIE);
	struct proclife_usage usage;

	(void)state;
	late.state.runtime = 1;
	feed(tasks, ended(10, &a, 3 << 8, 0));
	feed(tasks, late);
	proclife_process_usage(process_of(&a), &usage);
	assert_int_equal(usage.runtime, 100);
}

/* After its EXIT a task does not begin to exit, whatever a damaged trace has. */
static void test_exited_before(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, found(10, &a, 0));
	feed(tasks, found(11, &t, PROCLIFE_F_EXITING));
	feed(tasks, exiting(20, &a, 0, 0));
	feed(tasks, ended(21, &a, 0, 0));
	assert_int_equal(reported.exited_count, 1);
	feed(tasks, exiting(22, &t, WHOLE, 0));
	assert_int_equal(reported.exiting_count, 0);
	assert_int_equal(process_of(&a)->exiting, 0);
}

/* A process without other threads has none that a later gap can hide. */
static void test_sole_before_a_gap(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "several");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(10, &b, &shell));
	feed_gap(tasks, 1, 11, 15);
	feed(tasks, exiting(20, &a, SOLE, SIGKILL));
	feed(tasks, exiting(21, &b, 0, 0));
	feed(tasks, ended(30, &a, SIGKILL, 0));
	feed(tasks, ended(31, &b, 0, 0));
	feed_gap(tasks, 1, 32, 35);
	feed(tasks, reap_record(40, &a, &shell));
	feed(tasks, reap_record(41, &b, &shell));
	assert_int_equal(process_of(&a)->marks.exited, 20);
	assert_int_equal(process_of(&b)->marks.exited, 0);
}

/* A thread execs: the old leader's exit is not the new one's. */
static void test_exec_by_a_thread(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201), old = a;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exiting(20, &a, 0, SIGKILL));
	assert_int_equal(process_of(&a)->leader_exited, 20);
	feed(tasks, ended(21, &a, SIGKILL, 1));
	assert_int_equal(process_of(&a)->leader_exited, 20);
	old.pid = 201;
	old.flags = PROCLIFE_F_THREAD;
	t.pid = 200;
	t.start = a.start;
	t.flags = 0;
	feed(tasks, exec_record(22, &t, 201, "/bin/new"));
	assert_ptr_equal(process_of(&t), process_of(&a));
	assert_int_equal(process_of(&t)->leader_exited, 0);
	assert_false(proclife_process_has_exited(process_of(&t)));
	feed(tasks, reap_record(23, &old, &t));
	feed(tasks, free_record(24, &old));
	feed(tasks, exiting(30, &t, SOLE, 0));
	feed(tasks, ended(40, &t, 0, 0));
	assert_int_equal(process_of(&t)->leader_exited, 30);
	assert_int_equal(process_of(&t)->marks.exited, 30);
}

/* A CGROUP belongs to no process: with a selection, it is not selected. */
static void test_cgroup_is_nobodys(void **state)
{
	struct proclife_record r = { .ts = 10, .type = PROCLIFE_CGROUP, .cgroup.cgroup = 7 };

	(void)state;
	assert_int_equal(feed(tasks, r), 1);
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	assert_int_equal(feed(tasks, r), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EXITS(test_older),
		EXITS(test_found_on_the_way),
		EXITS(test_code_of_a_found_leader),
		EXITS(test_core),
		EXITS(test_overtaken),
		EXITS(test_one_by_one_with_a_gap),
		EXITS(test_no_beginning),
		EXITS(test_thread_first),
		EXITS(test_states),
		EXITS(test_notified_behind_a_gap),
		EXITS(test_listed_after_exit),
		EXITS(test_exited_before),
		EXITS(test_sole_before_a_gap),
		EXITS(test_exec_by_a_thread),
		EXITS(test_cgroup_is_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
