// SPDX-License-Identifier: GPL-2.0-only
/* Which processes fork and which reap, and whether they were waiting for that. */
#include "check.h"
#include "reapers.h"

#include <errno.h>
#include <signal.h>

static void test_awaited_and_belated(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c"), d = process_of_pid(203, "d");
	struct proclife_reaper reaper;

	(void)state;
	/* The WAIT is before it, at the same time, and between EXIT and SIGCHLD: it was waiting. */
	feed(tasks, wait_record(10, &shell));
	feed_zombie(tasks, 11, &a, &shell);
	feed(tasks, reap_record(15, &a, &shell));
	assert_int_equal(proclife_tasks_find(tasks, a.task)->process->reaper_waited, 10);
	assert_int_equal(proclife_tasks_find(tasks, a.task)->reaper_waited, 10);
	assert_int_equal(proclife_tasks_find(tasks, shell.task)->waited, 0);
	assert_int_equal(proclife_tasks_find(tasks, shell.task)->process->waited, 10);
	feed_zombie(tasks, 20, &b, &shell);
	feed(tasks, wait_record(22, &shell));
	feed(tasks, reap_record(24, &b, &shell));
	feed(tasks, fork_record(30, &c, &shell));
	feed(tasks, exit_below_record(31, &c, &shell));
	feed(tasks, wait_record(32, &shell));
	feed(tasks, notify_record(33, &c, &shell));
	feed(tasks, reap_record(36, &c, &shell));
	/* Two WAITs after it: the last one counts. */
	feed_zombie(tasks, 40, &d, &shell);
	feed(tasks, wait_record(43, &shell));
	feed(tasks, wait_record(53, &shell));
	feed(tasks, reap_record(62, &d, &shell));
	assert_int_equal(proclife_tasks_find(tasks, d.task)->process->reaper_waited, 53);
	assert_int_equal(number_of_reapers(reapers), 0);
	feed(tasks, free_record(63, &a));
	feed(tasks, free_record(64, &b));
	feed(tasks, free_record(65, &c));
	feed(tasks, free_record(66, &d));
	reaper = reaper_of(reapers, 100);
	assert_int_equal(number_of_reapers(reapers), 1);
	assert_int_equal(reaper.id, 2);
	assert_int_equal(reaper.reaped, 4);
	assert_int_equal(reaper.adopted, 0);
	assert_int_equal(reaper.awaited, 3);
	assert_int_equal(reaper.belated, 1);
	assert_int_equal(reaper.ignored, 0);
	assert_int_equal(reaper.zombies, 0);
	assert_false(reaper.init);
	assert_false(reaper.gone);
	assert_string_equal(reaper.comm, "sh");
	assert_int_equal(proclife_histogram_count(reaper.zombie), 4);
	assert_int_equal(proclife_histogram_min(reaper.zombie), 2);
	assert_int_equal(proclife_histogram_max(reaper.zombie), 20);
}

/* If NOTIFY is not recorded, the time from which they could be reaped is not known. */
static void test_without_notify(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, wait_record(20, &shell));
	feed(tasks, exit_below_record(20, &a, &shell));
	feed(tasks, reap_record(21, &a, &shell));
	feed(tasks, free_record(22, &a));
	feed(tasks, fork_record(30, &b, &shell));
	feed(tasks, exit_below_record(40, &b, &shell));
	feed(tasks, wait_record(41, &shell));
	feed(tasks, reap_record(42, &b, &shell));
	feed(tasks, free_record(43, &b));
	assert_int_equal(reaper_of(reapers, 100).awaited, 0);
	assert_int_equal(reaper_of(reapers, 100).belated, 0);
}

static void test_each_wait_reaps_one(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");

	(void)state;
	feed(tasks, wait_record(9, &shell));
	feed_zombie(tasks, 10, &a, &shell);
	feed_zombie(tasks, 20, &b, &shell);
	feed(tasks, reap_record(30, &a, &shell));
	/* The WAIT that reaped this one was not recorded, for example. */
	feed(tasks, reap_record(31, &b, &shell));
	assert_int_equal(proclife_tasks_find(tasks, b.task)->process->reaper_waited, 0);
	feed(tasks, free_record(40, &a));
	feed(tasks, free_record(41, &b));
	assert_int_equal(reaper_of(reapers, 100).reaped, 2);
	assert_int_equal(reaper_of(reapers, 100).awaited, 1);
	assert_int_equal(reaper_of(reapers, 100).belated, 0);
}

static void test_gap(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");

	(void)state;
	/* Another WAIT can be in the gap, and another REAP. */
	feed(tasks, wait_record(9, &shell));
	feed_zombie(tasks, 10, &a, &shell);
	feed_gap(tasks, 1, 13, 15);
	feed(tasks, reap_record(20, &a, &shell));
	feed(tasks, free_record(21, &a));
	assert_int_equal(reaper_of(reapers, 100).reaped, 1);
	assert_int_equal(reaper_of(reapers, 100).awaited + reaper_of(reapers, 100).belated, 0);
	/* This one is after the gap. */
	feed(tasks, wait_record(29, &shell));
	feed_zombie(tasks, 30, &b, &shell);
	feed(tasks, reap_record(40, &b, &shell));
	feed(tasks, free_record(41, &b));
	assert_int_equal(reaper_of(reapers, 100).awaited, 1);
}

/* Each thread calls wait(2) for itself, but all of them are one reaper, which has the leader's name. */
static void test_reaper_is_a_thread(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who app = process_of_pid(300, "app"), t = thread_of(&app, 301);

	(void)state;
	t.comm = "worker";
	feed(tasks, fork_record(3, &app, &shell));
	feed(tasks, clone_record(4, &t, &shell, &app));
	feed(tasks, wait_record(5, &app));
	feed_zombie(tasks, 10, &a, &app);
	feed(tasks, wait_record(15, &t));
	feed(tasks, reap_record(16, &a, &t));
	assert_int_equal(proclife_tasks_find(tasks, a.task)->process->reaper_pid, 301);
	assert_int_equal(proclife_tasks_find(tasks, a.task)->process->reaper_tgid, 300);
	feed(tasks, free_record(17, &a));
	assert_int_equal(reaper_of(reapers, 300).awaited, 0);
	assert_int_equal(reaper_of(reapers, 300).belated, 1);
	feed_zombie(tasks, 20, &b, &app);
	feed(tasks, reap_record(23, &b, &app));
	feed(tasks, free_record(24, &b));
	assert_int_equal(number_of_reapers(reapers), 1);
	assert_int_equal(reaper_of(reapers, 300).awaited, 1);
	assert_int_equal(reaper_of(reapers, 300).reaped, 2);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_string_equal(reaper_of(reapers, 300).comm, "app");
}

/* A thread that execs releases its leader: that is no reap, and its wait(2) has not reaped yet. */
static void test_exec_by_thread(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct who b = process_of_pid(202, "b");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, wait_record(12, &t));
	feed(tasks, exit_record(13, &a, SIGKILL, 1));
	t.pid = 200;
	t.start = a.start;
	a.pid = 201;
	feed(tasks, reap_record(14, &a, &t));
	feed(tasks, exec_record(15, &t, 201, "/bin/new"));
	assert_int_equal(proclife_tasks_find(tasks, a.task)->reaper_waited, 0);
	assert_int_equal(proclife_tasks_find(tasks, t.task)->waited, 12);
	assert_int_equal(proclife_tasks_find(tasks, t.task)->process->reaper_id, 0);
	feed(tasks, free_record(16, &a));
	assert_int_equal(number_of_reapers(reapers), 0);
	feed_zombie(tasks, 20, &b, &t);
	feed(tasks, wait_record(25, &t));
	feed(tasks, reap_record(26, &b, &t));
	feed(tasks, free_record(27, &b));
	feed(tasks, exit_below_record(30, &t, &shell));
	feed(tasks, reap_record(31, &t, &shell));
	feed(tasks, free_record(32, &t));
	assert_int_equal(reaper_of(reapers, 200).belated, 1);
	assert_int_equal(reaper_of(reapers, 200).ignored, 0);
	assert_int_equal(reaper_of(reapers, 100).reaped, 1);
}

/* A parent that exits can release its dead children, but is not in wait(2) then. */
static void test_released_by_a_dying_parent(void **state)
{
	struct who p = process_of_pid(200, "p"), a = process_of_pid(201, "a");

	(void)state;
	feed(tasks, fork_record(10, &p, &shell));
	feed_zombie(tasks, 11, &a, &p);
	feed(tasks, wait_record(14, &p)); /* for another one */
	feed(tasks, exit_below_record(15, &p, &shell));
	feed(tasks, reap_record(16, &a, &p));
	feed(tasks, free_record(17, &a));
	assert_int_equal(reaper_of(reapers, 200).reaped, 1);
	assert_int_equal(reaper_of(reapers, 200).awaited + reaper_of(reapers, 200).belated, 0);
}

/* The init of a pid namespace exits: the kernel kills the others, and lets them release themselves. */
static void test_namespace_ends(void **state)
{
	struct who first = process_of_pid(200, "pause"), a = process_of_pid(201, "a"), b = process_of_pid(202, "b");
	struct who c = process_of_pid(203, "c"), gdb = process_of_pid(150, "gdb");
	struct proclife_record record = fork_record(10, &first, &shell);

	(void)state;
	trace_with_exiting(tasks);
	record.fork.ns_pid = 1;
	feed(tasks, record);
	feed(tasks, fork_record(11, &a, &first));
	feed(tasks, fork_record(12, &b, &first));
	feed(tasks, fork_record(12, &c, &first));
	/* While the init lives, it can ignore SIGCHLD like others. */
	feed(tasks, exit_below_record(13, &a, &first));
	feed(tasks, reap_record(14, &a, &a));
	feed(tasks, free_record(15, &a));
	assert_int_equal(reaper_of(reapers, 200).ignored, 1);
	feed(tasks, record_of(16, PROCLIFE_EXITING, &first));
	feed(tasks, exit_below_record(17, &b, &first));
	feed(tasks, reap_record(18, &b, &b));
	feed(tasks, free_record(19, &b));
	assert_int_equal(reaper_of(reapers, 200).ignored, 1);
	assert_int_equal(reaper_of(reapers, 200).ended_with, 1);
	/* Its tracer releases one: the init did not have to reap it either. */
	feed(tasks, exit_below_record(20, &c, &first));
	feed(tasks, traced_record(21, &c, &gdb, &first));
	feed(tasks, ignored_record(22, &c, &first));
	feed(tasks, reap_record(23, &c, &gdb));
	assert_true(proclife_tasks_find(tasks, c.task)->process->ended_with_parent);
	feed(tasks, free_record(24, &c));
	assert_int_equal(reaper_of(reapers, 200).ended_with, 2);
	assert_int_equal(reaper_of(reapers, 200).ignored, 1);
}

/* The kernel releases a child at once if its parent has set SIGCHLD to SIG_IGN. */
static void test_ignored(void **state)
{
	struct who a = process_of_pid(200, "a"), t = thread_of(&a, 201);
	struct who b = process_of_pid(202, "b"), c = process_of_pid(203, "c");
	struct who d = process_of_pid(204, "d"), old = process_of_pid(205, "old");
	struct proclife_reaper reaper;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exit_record(12, &a, 0, 1));
	feed(tasks, exit_below_record(13, &t, &shell));
	feed(tasks, reap_record(14, &t, &t));
	feed(tasks, reap_record(14, &a, &t)); /* the last thread releases the leader, too */
	feed(tasks, free_record(15, &t));
	feed(tasks, free_record(16, &a));
	reaper = reaper_of(reapers, 100);
	assert_int_equal(number_of_reapers(reapers), 1);
	assert_int_equal(reaper.ignored, 1);
	assert_int_equal(reaper.reaped, 0);
	assert_int_equal(reaper.id, 2);
	assert_string_equal(reaper.comm, "sh");
	assert_null(reaper.zombie);
	/* Whichever process created it. */
	feed(tasks, clone_record(17, &d, &shell, &init));
	feed(tasks, exit_below_record(18, &d, &shell));
	feed(tasks, reap_record(18, &d, &d));
	feed(tasks, free_record(19, &d));
	assert_int_equal(reaper_of(reapers, 100).ignored, 2);
	/* Its creator, from before the trace, is not known. */
	feed(tasks, task_record(19, &old, &shell));
	feed(tasks, exit_below_record(19, &old, &shell));
	feed(tasks, reap_record(19, &old, &old));
	feed(tasks, free_record(19, &old));
	assert_int_equal(reaper_of(reapers, 100).ignored, 3);
	/* It was adopted: its original parent is not known. */
	feed(tasks, fork_record(20, &b, &shell));
	feed(tasks, exit_below_record(21, &b, &init));
	feed(tasks, reap_record(22, &b, &b));
	feed(tasks, free_record(23, &b));
	assert_int_equal(reaper_of(reapers, 100).ignored, 3);
	/* Nothing is known of this one's parent. */
	feed_gap(tasks, 1, 24, 25);
	feed(tasks, reap_record(26, &c, &c));
	feed(tasks, free_record(27, &c));
	assert_int_equal(number_of_reapers(reapers), 1);
}

/* Counts the children whose FORK names it as the parent, once each has ended. */
static void test_born(void **state)
{
	struct who p = process_of_pid(200, "p"), a = process_of_pid(201, "a");
	struct who b = process_of_pid(202, "b"), old = process_of_pid(203, "old");
	struct proclife_record record;

	(void)state;
	feed(tasks, fork_record(10, &p, &shell));
	feed(tasks, task_record(11, &old, &p));
	feed(tasks, fork_record(12, &a, &p));
	/* CLONE_PARENT: its parent is its creator's parent. */
	record = fork_record(13, &b, &p);
	record.fork.creator = a.task;
	record.fork.creator_tgid = a.tgid;
	feed(tasks, record);
	feed(tasks, exit_below_record(20, &p, &shell));
	assert_int_equal(number_of_reapers(reapers), 0);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(reaper_of(reapers, 200).born, 2);
	assert_int_equal(reaper_of(reapers, 200).reaped, 0);
	assert_int_equal(reaper_of(reapers, 200).since, 10);
	assert_int_equal(reaper_of(reapers, 200).until, 20);
	assert_string_equal(reaper_of(reapers, 200).comm, "p");
	assert_int_equal(reaper_of(reapers, 100).born, 1);
	assert_int_equal(reaper_of(reapers, 100).since, 0);
	assert_int_equal(reaper_of(reapers, 100).until, 0);
	assert_int_equal(reaper_of(reapers, 201).born, 0);
}

/* The signal for its end met a pending one; a signal to its next parent does not count. */
static void test_coalesced(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c");
	struct proclife_record pending;

	(void)state;
	feed_zombie(tasks, 10, &a, &shell);
	pending = notify_record(15, &a, &shell);
	pending.notify.result = PROCLIFE_SIGNAL_PENDING;
	feed(tasks, pending);
	feed(tasks, fork_record(20, &b, &shell));
	feed(tasks, exit_below_record(21, &b, &shell));
	pending = notify_record(22, &b, &shell);
	pending.notify.result = PROCLIFE_SIGNAL_PENDING;
	feed(tasks, pending);
	feed(tasks, fork_record(30, &c, &shell));
	feed(tasks, exit_below_record(31, &c, &shell));
	pending = notify_record(33, &c, &shell);
	pending.notify.result = PROCLIFE_SIGNAL_PENDING;
	feed(tasks, pending);
	feed(tasks, reap_record(40, &a, &shell));
	feed(tasks, free_record(41, &a));
	feed(tasks, reap_record(42, &b, &shell));
	feed(tasks, free_record(43, &b));
	assert_int_equal(reaper_of(reapers, 100).reaped, 2);
	assert_int_equal(reaper_of(reapers, 100).coalesced, 1);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(reaper_of(reapers, 100).zombies, 1);
	assert_int_equal(reaper_of(reapers, 100).coalesced, 2);
}

/* The children's own CPU time, with their threads, without their descendants'. */
static void test_runtime(void **state)
{
	struct who a = process_of_pid(200, "a"), t = thread_of(&a, 201);
	struct who b = process_of_pid(202, "b");
	uint64_t of_a;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed_life(tasks, 20, &b, &a);
	feed(tasks, exit_record(30, &t, 0, 1));
	feed(tasks, reap_record(31, &t, &t));
	feed(tasks, free_record(32, &t));
	feed(tasks, exit_below_record(33, &a, &shell));
	feed(tasks, reap_record(34, &a, &shell));
	of_a = free_record(35, &a).free.runtime + free_record(32, &t).free.runtime;
	feed(tasks, free_record(35, &a));
	assert_true(of_a > 0);
	assert_int_equal(reaper_of(reapers, 100).runtime, of_a);
	assert_int_equal(reaper_of(reapers, 200).runtime, free_record(1, &b).free.runtime);
}

static void test_selected_only(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c");

	(void)state;
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	feed_life(tasks, 10, &a, &shell);
	feed_life(tasks, 20, &b, &shell);
	feed_zombie(tasks, 30, &c, &shell);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(reaper_of(reapers, 100).born, 1);
	assert_int_equal(reaper_of(reapers, 100).reaped, 1);
	assert_int_equal(reaper_of(reapers, 100).zombies, 0);
	proclife_reapers_free(NULL);
}

/* The adopter of a counted child is gone before the child is freed. */
static void test_adopter_ends_first(void **state)
{
	struct who sub = process_of_pid(150, "subreaper"), p = process_of_pid(200, "p");
	struct who a = process_of_pid(201, "a");
	struct proclife_reaper reaper;

	(void)state;
	assert_int_equal(proclife_tasks_select_pid(tasks, 201), 0);
	feed(tasks, fork_record(10, &sub, &shell));
	feed(tasks, fork_record(11, &p, &sub));
	feed(tasks, fork_record(12, &a, &p));
	feed(tasks, exit_below_record(20, &p, &sub));
	feed(tasks, exit_below_record(21, &a, &sub));
	feed(tasks, reap_record(22, &a, &sub));
	feed(tasks, exit_below_record(30, &sub, &shell));
	feed(tasks, reap_record(31, &sub, &shell));
	feed(tasks, free_record(32, &sub));
	feed(tasks, free_record(33, &a));
	reaper = reaper_of(reapers, 150);
	assert_int_equal(reaper.reaped, 1);
	assert_string_equal(reaper.comm, "subreaper");
	assert_true(reaper.gone);
	assert_int_equal(reaper.since, 10);
	assert_int_equal(reaper.until, 30);
}

/* It is a zombie itself when the trace ends. */
static void test_reaper_is_zombie(void **state)
{
	struct who p = process_of_pid(200, "p"), a = process_of_pid(201, "a");
	struct proclife_reaper reaper;

	(void)state;
	feed(tasks, fork_record(10, &p, &shell));
	feed(tasks, fork_record(11, &a, &p));
	feed(tasks, exit_below_record(20, &a, &p));
	feed(tasks, reap_record(21, &a, &p));
	feed(tasks, free_record(22, &a));
	feed(tasks, exit_below_record(30, &p, &shell));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	reaper = reaper_of(reapers, 200);
	assert_int_equal(reaper.reaped, 1);
	assert_false(reaper.gone);
	assert_int_equal(reaper.until, 30);
}

/* The reapers are added when parent and child are there already: the parent's report is final even so. */
static void test_added_midway(void **state)
{
	struct who p = process_of_pid(200, "p"), a = process_of_pid(201, "a");
	struct proclife_tasks *own; /* with no other user of reapers */
	struct proclife_reapers *midway;
	struct proclife_reaper reaper;

	(void)state;
	assert_int_equal(proclife_tasks_new(&own, NULL), 0);
	feed(own, fork_record(10, &p, &shell));
	feed(own, fork_record(11, &a, &p));
	assert_int_equal(proclife_reapers_new(&midway, own), 0);
	feed(own, rename_record(12, &p, "renamed"));
	p.comm = "renamed";
	feed(own, exit_below_record(13, &a, &p));
	feed(own, reap_record(14, &a, &a));
	feed(own, exit_below_record(15, &p, &shell));
	feed(own, reap_record(16, &p, &shell));
	feed(own, free_record(17, &p));
	feed(own, free_record(18, &a));
	reaper = reaper_of(midway, 200);
	assert_int_equal(reaper.ignored, 1);
	assert_string_equal(reaper.comm, "renamed");
	assert_true(reaper.gone);
	assert_int_equal(reaper.since, 10);
	assert_int_equal(reaper.until, 15);
	proclife_reapers_free(midway);
	proclife_tasks_free(own);
}

/* Updates in the middle of a trace, any number of times, do not change the result. */
static void test_updated(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct proclife_record record = notify_record(14, &b, &shell);
	struct proclife_reaper reaper;

	(void)state;
	feed_zombie(tasks, 10, &a, &shell);
	feed(tasks, fork_record(13, &b, &shell));
	feed(tasks, exit_below_record(13, &b, &shell));
	record.notify.result = PROCLIFE_SIGNAL_PENDING;
	feed(tasks, record);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(proclife_reapers_update(reapers), 0);
		reaper = reaper_of(reapers, 100);
		assert_int_equal(reaper.zombies, 2);
		assert_int_equal(reaper.oldest, 12);
		assert_int_equal(reaper.coalesced, 1);
		assert_int_equal(reaper.born, 0); /* they are not gone */
		assert_string_equal(reaper.comm, "sh");
	}
	feed(tasks, rename_record(15, &shell, "bash"));
	feed(tasks, reap_record(16, &a, &shell));
	feed(tasks, free_record(17, &a));
	assert_int_equal(proclife_reapers_update(reapers), 0);
	reaper = reaper_of(reapers, 100);
	assert_int_equal(reaper.zombies, 1);
	assert_int_equal(reaper.oldest, 14);
	assert_int_equal(reaper.reaped, 1);
	assert_int_equal(reaper.born, 1);
	assert_string_equal(reaper.comm, "bash");
	assert_int_equal(proclife_tasks_close(tasks), 0);
	reaper = reaper_of(reapers, 100);
	assert_int_equal(reaper.zombies, 1);
	assert_int_equal(reaper.coalesced, 1);
	assert_int_equal(reaper.born, 2);
	proclife_tasks_free(tasks);
	tasks = NULL;
	assert_int_equal(proclife_reapers_update(reapers), -EINVAL);
}

/* Second reapers begin where the first end: a birth counts where it happens, and once. */
static void test_at_birth(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct proclife_reaper reaper;

	(void)state;
	assert_int_equal(proclife_reapers_at_birth(reapers), 0);
	feed_zombie(tasks, 10, &a, &shell);
	assert_int_equal(proclife_reapers_at_birth(reapers), -EBUSY);
	assert_int_equal(proclife_reapers_update(reapers), 0);
	assert_int_equal(reaper_of(reapers, 100).born, 1);
	proclife_reapers_free(reapers);
	assert_int_equal(proclife_reapers_new(&reapers, tasks), 0);
	assert_int_equal(proclife_reapers_at_birth(reapers), 0);
	feed(tasks, reap_record(16, &a, &shell));
	feed(tasks, free_record(17, &a));
	feed(tasks, fork_record(18, &b, &shell));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	reaper = reaper_of(reapers, 100);
	assert_int_equal(reaper.born, 1);
	assert_int_equal(reaper.reaped, 1);
	assert_int_equal(reaper.zombies, 0);
}

/* The snapshot shows the parent only after its child is born: its births are one row all the same. */
static void test_at_birth_of_a_parent_that_is_found_later(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b"), c = process_of_pid(202, "c");
	struct who father = process_of_pid(100, "father"), stranger = process_of_pid(300, "stranger");
	const struct proclife_reaper *reaper;
	size_t i;

	(void)state;
	father.start = 1; /* before its children */
	assert_int_equal(proclife_reapers_at_birth(reapers), 0);
	feed(tasks, fork_record(10, &a, &father));
	feed(tasks, fork_record(11, &b, &father));
	feed(tasks, fork_record(12, &c, &stranger));
	assert_int_equal(number_of_reapers(reapers), 2);
	assert_int_equal(reaper_of(reapers, 100).born, 2);
	assert_false(reaper_of(reapers, 100).named);
	feed(tasks, task_record(20, &father, &init));
	assert_int_equal(number_of_reapers(reapers), 2);
	for (i = 0; (reaper = proclife_reapers_get(reapers, i)); i++)
		assert_int_equal(reaper->born, reaper->tgid == 300 ? 1 : reaper->named ? 2 : 0);
	assert_string_equal(reaper_of(reapers, 100).comm, "father");
	/* What other reapers have counted is not moved. */
	feed(tasks, fork_record(30, &stranger, &init));
	proclife_reapers_free(reapers);
	assert_int_equal(proclife_reapers_new(&reapers, tasks), 0);
	assert_int_equal(proclife_reapers_at_birth(reapers), 0);
	feed(tasks, task_record(40, &init, &init));
	assert_int_equal(number_of_reapers(reapers), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REAPERS(test_awaited_and_belated),
		REAPERS(test_without_notify),
		REAPERS(test_each_wait_reaps_one),
		REAPERS(test_gap),
		REAPERS(test_reaper_is_a_thread),
		REAPERS(test_exec_by_thread),
		REAPERS(test_released_by_a_dying_parent),
		REAPERS(test_ignored),
		REAPERS(test_namespace_ends),
		REAPERS(test_added_midway),
		REAPERS(test_born),
		REAPERS(test_coalesced),
		REAPERS(test_runtime),
		REAPERS(test_selected_only),
		REAPERS(test_adopter_ends_first),
		REAPERS(test_reaper_is_zombie),
		REAPERS(test_updated),
		REAPERS(test_at_birth),
		cmocka_unit_test_setup_teardown(test_at_birth_of_a_parent_that_is_found_later, begin_reapers_unknown,
						end_reapers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
