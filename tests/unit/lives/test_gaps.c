// SPDX-License-Identifier: GPL-2.0-only
/* Stories with lost records: what the library still reports, and what it does not. */
#include "check.h"
#include "fixture_tasks.h"

#include <signal.h>

/* The FREE is lost, and the handle in use again. */
static void check_handle_reused_unseen(uint64_t at, bool same_task, bool same_group)
{
	struct who a = process_of_pid(200, "first"), b = process_of_pid(300, "second");
	uint64_t before = reported.gone_count;

	if (same_task)
		b.task = a.task;
	if (same_group)
		b.group = a.group;
	feed(tasks, fork_record(at, &a, &shell));
	feed(tasks, exit_record(at + 1, &a, 0, 0));
	feed(tasks, reap_record(at + 2, &a, &shell));
	feed_gap(tasks, 1, at + 3, at + 4);
	feed(tasks, fork_record(at + 10, &b, &shell));
	assert_int_equal(reported.gone_count, before + 1);
	assert_string_equal(LAST_GONE->comm, "first");
	assert_int_equal(LAST_GONE->marks.exited, at + 1);
	assert_int_equal(LAST_GONE->marks.reaped, at + 2);
	assert_int_equal(LAST_GONE->marks.freed, 0);
	assert_true(LAST_GONE->incomplete);
	assert_int_equal(LAST_TASK->marks.freed, 0);
	assert_true(LAST_TASK->incomplete);
	feed(tasks, exit_record(at + 11, &b, 0, 0));
	feed(tasks, reap_record(at + 12, &b, &shell));
	feed(tasks, free_record(at + 13, &b));
	assert_int_equal(reported.gone_count, before + 2);
	assert_string_equal(LAST_GONE->comm, "second");
	assert_int_equal(LAST_GONE->marks.born, at + 10);
	assert_int_equal(LAST_GONE->marks.freed, at + 13);
	assert_false(LAST_GONE->incomplete);
}

static void test_handle_reused_unseen(void **state)
{
	(void)state;
	check_handle_reused_unseen(10, true, false);
	check_handle_reused_unseen(30, false, true);
	check_handle_reused_unseen(50, true, true);
}

/* The gap ends with the FORK: another CPU can have lost something of the same time. */
static void test_begins_with_gap_end(void **state)
{
	struct who a = process_of_pid(200, "first"), b = process_of_pid(300, "second");

	(void)state;
	feed_gap(tasks, 1, 8, 10);
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &shell));
	assert_true(proclife_tasks_find(tasks, a.task)->process->incomplete);
	assert_false(proclife_tasks_find(tasks, b.task)->process->incomplete);
}

/* The FREE and the next FORK are lost: an EXIT of another task on the same handle. */
static void test_life_changes_in_gap(void **state)
{
	struct who a = process_of_pid(200, "first"), b = process_of_pid(300, "second");

	(void)state;
	b.task = a.task;
	feed(tasks, fork_record(10, &a, &shell));
	feed_gap(tasks, 5, 11, 14);
	feed(tasks, exit_record(20, &b, 0, 0));
	assert_int_equal(reported.gone_count, 1);
	assert_string_equal(LAST_GONE->comm, "first");
	assert_int_equal(LAST_GONE->marks.exited, 0);
	feed(tasks, reap_record(21, &b, &shell));
	feed(tasks, free_record(22, &b));
	assert_int_equal(reported.gone_count, 2);
	assert_int_equal(LAST_GONE->marks.born, 0);
	assert_int_equal(LAST_GONE->seen, 20);
	assert_int_equal(LAST_GONE->tgid, 300);
	assert_int_equal(LAST_GONE->marks.exited, 20);
	assert_int_equal(LAST_GONE->marks.reaped, 21);
	/* A thread that the gap hid can be freed later. */
	assert_int_equal(LAST_GONE->marks.freed, 0);
	assert_int_equal(LAST_TASK->marks.freed, 22);
}

static void test_gap_before_life(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed_gap(tasks, 10, 2, 9);
	feed_life(tasks, 10, &a, &shell);
	assert_int_equal(reported.gone_count, 1);
	assert_false(LAST_GONE->incomplete);
	assert_false(LAST_TASK->incomplete);
}

/* The history of a CPU begins at 9: only lives that had begun before are affected. */
static void test_history_begins(void **state)
{
	struct who early = process_of_pid(200, "early"), late = process_of_pid(300, "late");
	struct who older = process_of_pid(400, "older"), unnotified = process_of_pid(500, "unnotified");
	uint64_t ns;

	(void)state;
	trace_with_notify(tasks);
	feed_gap(tasks, 0, 0, 9);
	feed(tasks, fork_record(8, &early, &shell));
	feed(tasks, fork_record(8, &unnotified, &shell));
	feed(tasks, exit_record(9, &unnotified, 0, 0));
	feed_life(tasks, 10, &late, &shell);
	assert_false(LAST_GONE->incomplete);
	feed(tasks, exit_record(20, &early, 0, 0));
	feed(tasks, reap_record(21, &early, &shell));
	feed(tasks, free_record(22, &early));
	assert_int_equal(LAST_GONE->marks.born, 8);
	assert_true(LAST_GONE->incomplete);
	assert_int_equal(LAST_GONE->marks.exited, 20);
	/* Its NOTIFY was overwritten: the time as a zombie is not known. */
	feed(tasks, reap_record(23, &unnotified, &shell));
	feed(tasks, free_record(24, &unnotified));
	assert_false(proclife_process_phase(LAST_GONE, PROCLIFE_ZOMBIE, &ns));
	/* It is taken to be from before the trace. */
	feed(tasks, exit_record(30, &older, 0, 0));
	feed(tasks, reap_record(31, &older, &shell));
	feed(tasks, free_record(32, &older));
	assert_int_equal(LAST_GONE->marks.born, 0);
	assert_false(LAST_GONE->incomplete);
}

/* A gap is ordered by its beginning; a record within it can be the first one of a life or not. */
static void test_gap_around_birth(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed_gap(tasks, 10, 2, 11);
	feed_life(tasks, 10, &a, &shell);
	assert_int_equal(reported.gone_count, 1);
	assert_true(LAST_GONE->incomplete);
	assert_int_equal(LAST_GONE->marks.exited, 11);
}

static void test_gap_inside_life(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed_gap(tasks, 1, 10, 12);
	feed(tasks, exit_record(15, &a, 0, 0));
	feed(tasks, reap_record(16, &a, &shell));
	feed(tasks, free_record(17, &a));
	assert_true(LAST_GONE->incomplete);
	assert_true(LAST_TASK->incomplete);
	assert_int_equal(LAST_GONE->marks.exited, 15);
}

static void test_gap_after_life(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed_life(tasks, 10, &a, &shell);
	feed_gap(tasks, 10, 13, 20);
	assert_int_equal(reported.gone_count, 1);
	assert_false(LAST_GONE->incomplete);
	assert_false(LAST_TASK->incomplete);
}

/* The last thread's EXIT is lost, so the time of the process's exit is not known. */
static void test_gap_over_exit(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed_gap(tasks, 1, 10, 12); /* the FORK of a thread */
	feed(tasks, exit_record(15, &a, 0, 1));
	assert_int_equal(proclife_tasks_find(tasks, a.task)->process->marks.exited, 0);
	feed_gap(tasks, 1, 15, 18); /* and its EXIT */
	feed(tasks, reap_record(20, &t, &t));
	assert_int_equal(reported.born_count, 2);
	assert_ptr_equal(proclife_tasks_find(tasks, a.task)->process,
			 proclife_tasks_find(tasks, t.task)->process);
	feed(tasks, reap_record(21, &a, &shell));
	feed(tasks, free_record(22, &t));
	feed(tasks, free_record(23, &a));
	assert_int_equal(reported.gone_count, 1);
	assert_int_equal(LAST_GONE->marks.exited, 0);
	assert_int_equal(LAST_GONE->marks.freed, 0); /* there can be another thread */
	assert_int_equal(LAST_TASK->marks.freed, 23);
	assert_true(LAST_GONE->incomplete);
}

/* The FREE of one thread is lost, so the time of the last one is not known. */
static void test_gap_over_free(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct who b = process_of_pid(300, "other");

	(void)state;
	b.task = t.task;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exit_record(12, &t, 0, 1));
	feed(tasks, exit_record(13, &a, 0, 0));
	feed(tasks, reap_record(14, &t, &t));
	feed(tasks, reap_record(15, &a, &shell));
	feed_gap(tasks, 1, 15, 17);
	feed(tasks, fork_record(20, &b, &shell));
	assert_int_equal(reported.task_count, 1);
	assert_int_equal(reported.gone_count, 0);
	feed(tasks, free_record(21, &a));
	assert_int_equal(reported.gone_count, 1);
	assert_int_equal(LAST_TASK->marks.freed, 21);
	assert_int_equal(LAST_GONE->marks.freed, 0);
	assert_int_equal(LAST_GONE->marks.exited, 13);
	assert_true(LAST_GONE->incomplete);
	assert_int_equal(reported.left_in[0], PROCLIFE_IS_UNKNOWN);
}

/* A life without a FORK may have lost it, and more, if there was a gap before. */
static void test_gap_over_fork(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed_gap(tasks, 1, 5, 8);
	feed(tasks, exit_record(10, &a, 0, 0));
	feed(tasks, reap_record(11, &a, &shell));
	feed(tasks, free_record(12, &a));
	assert_int_equal(LAST_GONE->marks.born, 0);
	assert_int_equal(LAST_GONE->marks.exited, 10);
	assert_true(LAST_GONE->incomplete);
	assert_true(LAST_TASK->incomplete);
}

/* Two threads find the group dead, and the EXIT of the one that was the last is lost. */
static void test_gap_over_second_death(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exit_record(20, &a, 0, 0));
	feed_gap(tasks, 1, 20, 22);
	feed(tasks, reap_record(23, &t, &t));
	feed(tasks, reap_record(24, &a, &shell));
	feed(tasks, free_record(25, &t));
	feed(tasks, free_record(26, &a));
	assert_int_equal(LAST_GONE->marks.exited, 0);
	assert_int_equal(LAST_GONE->marks.reaped, 24);
	assert_true(LAST_GONE->incomplete);
}

/* The same, with a thread whose FORK was lost too. */
static void test_gap_over_hidden_thread(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(300, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &shell));
	feed_gap(tasks, 3, 11, 22);
	feed(tasks, exit_record(20, &a, 0, 0));
	feed(tasks, reap_record(24, &a, &shell));
	feed(tasks, free_record(26, &a));
	assert_int_equal(LAST_GONE->marks.exited, 0);
	/* Nothing after the gap is hidden. */
	feed(tasks, exit_record(30, &b, 0, 0));
	feed(tasks, reap_record(31, &b, &shell));
	feed(tasks, free_record(32, &b));
	assert_int_equal(LAST_GONE->marks.exited, 30);
}

/* The parent's handle was another task's, whose FREE is lost. */
static void test_gap_before_parent(void **state)
{
	struct who old = process_of_pid(200, "old"), parent = process_of_pid(300, "parent");
	struct who child = process_of_pid(301, "child");

	(void)state;
	parent.task = old.task;
	feed(tasks, fork_record(10, &old, &shell));
	feed_gap(tasks, 4, 11, 19);
	feed(tasks, fork_record(20, &child, &parent));
	assert_int_equal(LAST_BORN->tgid, 301);
	assert_int_equal(LAST_BORN->parent_tgid, 300);
	assert_int_equal(LAST_BORN->parent_id, 0);
	/* The parent appears, and is older than its child. */
	feed(tasks, rename_record(21, &parent, "new"));
	assert_int_equal(reported.linked_count, 1);
	assert_int_equal(reported.linked_to[0], LAST_BORN->id);
}

/* Both the pid and the group handle are in use again: only the start differs. */
static void test_gap_before_same_pid(void **state)
{
	struct who old = process_of_pid(200, "old"), again = process_of_pid(200, "again");

	(void)state;
	again.group = old.group;
	feed(tasks, fork_record(10, &old, &shell));
	feed_gap(tasks, 4, 11, 19);
	feed(tasks, exec_record(20, &again, 200, "/bin/again"));
	assert_int_equal(reported.gone_count, 1);
	assert_int_equal(LAST_GONE->marks.born, 10);
	assert_int_equal(LAST_GONE->execs, 0);
	feed(tasks, exit_record(30, &again, 0, 0));
	feed(tasks, reap_record(31, &again, &shell));
	feed(tasks, free_record(32, &again));
	assert_int_equal(LAST_GONE->marks.born, 0);
	assert_int_equal(LAST_GONE->marks.exited, 30);
	assert_true(LAST_GONE->incomplete);
}

/* A thread that appears can belong to another process with this pid, unless the leader is reaped. */
static void test_gap_before_thread(void **state)
{
	(void)state;
	for (unsigned int reaped = 0; reaped < 2; reaped++) {
		struct who a = process_of_pid(200 + reaped, "app"), t = thread_of(&a, 210);
		uint64_t at = 10 + 50 * reaped;

		feed(tasks, fork_record(at, &a, &shell));
		feed_gap(tasks, 4, at + 1, at + 9);
		feed(tasks, exit_record(at + 10, &t, 0, 0));
		feed(tasks, reap_record(at + 11, &t, &t));
		feed(tasks, free_record(at + 12, &t));
		if (reaped)
			feed(tasks, reap_record(at + 13, &a, &shell));
		feed(tasks, free_record(at + 14, &a));
		assert_int_equal(LAST_GONE->marks.freed, 0);
		assert_int_equal(LAST_TASK->marks.freed, at + 14);
		assert_int_equal(LAST_GONE->marks.reaped, reaped ? at + 13 : 0);
		/* The leader's EXIT can be the later. */
		assert_int_equal(LAST_GONE->marks.exited, 0);
	}
}

/* All threads seemed known when it exited. If one appears after a gap, others can be left. */
static void test_gap_before_hidden_thread(void **state)
{
	(void)state;
	for (unsigned int hidden = 0; hidden < 2; hidden++) {
		struct who a = process_of_pid(200 + hidden, "app"), t = thread_of(&a, 210);
		uint64_t at = 10 + 50 * hidden;

		feed(tasks, task_record(at, &a, &shell));
		feed(tasks, exit_record(at + 1, &a, 0, 0));
		feed_gap(tasks, 4, at + 2, at + 9);
		if (hidden)
			feed(tasks, reap_record(at + 10, &t, &t));
		feed(tasks, reap_record(at + 11, &a, &shell));
		if (hidden)
			feed(tasks, free_record(at + 12, &t));
		feed(tasks, free_record(at + 12, &a));
		assert_int_equal(LAST_GONE->tgid, 200 + hidden);
		assert_int_equal(LAST_GONE->marks.freed, hidden ? 0 : at + 12);
	}
}

/*
 * The free of a process whose leader is never seen is not known. Its exit is known from
 * its last thread's EXIT alone, and the state agrees.
 */
static void test_leader_never_seen(void **state)
{
	(void)state;
	for (unsigned int live = 0; live < 2; live++) {
		struct who a = process_of_pid(200 + 10 * live, "app"), t = thread_of(&a, 201 + 10 * live);
		uint64_t at = 20 + 10 * live;

		feed(tasks, exit_record(at, &t, 0, live));
		feed(tasks, reap_record(at + 1, &t, &t));
		feed(tasks, free_record(at + 2, &t));
		assert_int_equal(LAST_TASK->marks.freed, at + 2);
	}
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(reported.gone_count, 3); /* and the shell */
	for (unsigned int live = 0; live < 2; live++) {
		const struct proclife_process *process = &reported.gone[1 + live];

		assert_int_equal(process->tgid, 200 + 10 * live);
		assert_int_equal(process->marks.exited, live ? 0 : 20);
		assert_int_equal(process->marks.freed, 0);
		assert_int_equal(reported.left_in[1 + live], live ? PROCLIFE_IS_UNKNOWN : PROCLIFE_IS_ZOMBIE);
		assert_false(process->incomplete);
	}
}

/* The trace ends before the snapshot has listed a leader whose last thread has notified the parent. */
static void test_leader_not_listed_yet(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, exit_record(20, &t, 0, 0));
	feed(tasks, reap_record(21, &t, &t));
	feed(tasks, notify_record(22, &a, &shell));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(LAST_GONE->tgid, 200);
	assert_int_equal(LAST_GONE->marks.exited, 20);
	assert_int_equal(LAST_GONE->marks.notified, 22);
	assert_int_equal(reported.left_in[reported.gone_count - 1], PROCLIFE_IS_ZOMBIE);
}

/* A damaged snapshot can lack other threads of a process, or its leader. */
static void test_gap_in_the_snapshot(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct who later = process_of_pid(300, "later");
	struct proclife_event gap = { .gap = { .lost = 1, .from = 3, .to = 4, .cpu = UINT32_MAX } };

	(void)state;
	assert_int_equal(proclife_tasks_feed(tasks, &gap), 1);
	feed(tasks, task_record(5, &t, &shell));
	feed_life(tasks, 10, &later, &shell);
	assert_false(LAST_GONE->incomplete);
	feed(tasks, exit_record(20, &t, 0, 0));
	feed(tasks, reap_record(21, &t, &t));
	feed(tasks, reap_record(22, &a, &shell));
	feed(tasks, free_record(23, &t));
	feed(tasks, free_record(24, &a));
	assert_int_equal(reported.gone_count, 2);
	assert_int_equal(LAST_GONE->threads, 2);
	assert_true(LAST_GONE->incomplete);
}

static enum proclife_life_state state_of(const struct who *who)
{
	const struct proclife_task *task = proclife_tasks_find(tasks, who->task);

	assert_non_null(task);
	return proclife_process_state(task->process);
}

/* What was recorded after the first of a stop's records is true, but not all that there was, until the last one. */
static void test_records_in_a_stop(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(300, "b"), c = process_of_pid(400, "c");
	struct who d = process_of_pid(500, "d");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed_stop(tasks, 11, 11, false);
	feed(tasks, fork_record(12, &b, &shell)); /* the sources go one after the other */
	assert_true(proclife_tasks_may_lack(tasks, PROCLIFE_WAIT, 12));
	feed_stop(tasks, 13, 11, false);
	assert_int_equal(state_of(&a), PROCLIFE_IS_UNKNOWN);
	assert_int_equal(state_of(&b), PROCLIFE_IS_UNKNOWN);
	/* A snapshot that is taken meanwhile shows what there is. */
	feed(tasks, task_record(15, &c, &shell));
	assert_int_equal(state_of(&c), PROCLIFE_IS_ALIVE);
	feed_stop(tasks, 20, 11, true);
	assert_int_equal(state_of(&c), PROCLIFE_IS_UNKNOWN);
	assert_false(proclife_tasks_may_lack(tasks, PROCLIFE_WAIT, 21));
	feed(tasks, exit_record(21, &b, 0, 0));
	feed(tasks, reap_record(22, &b, &shell));
	feed(tasks, free_record(23, &b));
	assert_string_equal(LAST_GONE->comm, "b");
	assert_true(LAST_GONE->incomplete);
	feed_life(tasks, 30, &d, &shell);
	assert_string_equal(LAST_GONE->comm, "d");
	assert_false(LAST_GONE->incomplete);
}

static int begin_stops(void **state)
{
	gaps_are_stops = true;
	return begin_tasks(state);
}

static int end_stops(void **state)
{
	gaps_are_stops = false;
	return end_tasks(state);
}

#define STOP(name) cmocka_unit_test_setup_teardown(name, begin_stops, end_stops)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_handle_reused_unseen),
		TEST(test_begins_with_gap_end),
		TEST(test_life_changes_in_gap),
		TEST(test_gap_before_life),
		TEST(test_history_begins),
		TEST(test_gap_around_birth),
		TEST(test_gap_inside_life),
		TEST(test_gap_after_life),
		TEST(test_gap_over_exit),
		TEST(test_gap_over_free),
		TEST(test_gap_over_fork),
		TEST(test_gap_over_second_death),
		TEST(test_gap_over_hidden_thread),
		TEST(test_gap_before_parent),
		TEST(test_gap_before_same_pid),
		TEST(test_gap_before_thread),
		TEST(test_gap_before_hidden_thread),
		TEST(test_leader_never_seen),
		TEST(test_leader_not_listed_yet),
		TEST(test_gap_in_the_snapshot),
		TEST(test_records_in_a_stop),
		/* A stop of the recording hides as much as lost records do. */
		STOP(test_handle_reused_unseen),
		STOP(test_life_changes_in_gap),
		STOP(test_gap_before_life),
		STOP(test_gap_around_birth),
		STOP(test_gap_inside_life),
		STOP(test_gap_after_life),
		STOP(test_gap_over_exit),
		STOP(test_gap_over_free),
		STOP(test_gap_over_fork),
		STOP(test_gap_over_second_death),
		STOP(test_gap_over_hidden_thread),
		STOP(test_gap_before_parent),
		STOP(test_gap_before_same_pid),
		STOP(test_gap_before_thread),
		STOP(test_gap_before_hidden_thread),
		STOP(test_leader_never_seen),
		STOP(test_leader_not_listed_yet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
