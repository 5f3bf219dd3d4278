// SPDX-License-Identifier: GPL-2.0-only
/* Which process is notified of an end: the parent, a tracer, or an adopter. */
#include "check.h"
#include "marks.h"
#include "reapers.h"

#include <flight/carry_lives.h>
#include <results/phase.h>
#include <signal.h>
#include <string.h>

static int begin_notified(void **state)
{
	begin_reapers(state);
	trace_with_notify(tasks);
	return 0;
}

#define NOTIFIED(name) cmocka_unit_test_setup_teardown(name, begin_notified, end_reapers)

static const struct proclife_process *known(const struct who *who)
{
	return proclife_tasks_find(tasks, who->task)->process;
}

/* UINT64_MAX: not known, or there is none. */
static uint64_t phase_of(const struct proclife_process *process, enum proclife_phase phase)
{
	uint64_t ns;

	return proclife_process_phase(process, phase, &ns) ? ns : UINT64_MAX;
}

#define NONE UINT64_MAX

/* A debugger holds it, and waits late; its parent reaps it at once, and is not to blame. */
static void test_traced(void **state)
{
	struct who gdb = process_of_pid(150, "gdb"), a = process_of_pid(200, "a");
	const struct proclife_process *process;
	bool at_least;

	(void)state;
	feed(tasks, task_record(3, &gdb, &init));
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, wait_record(11, &shell));
	feed(tasks, exit_below_record(20, &a, &shell));
	process = known(&a);
	assert_int_equal(proclife_process_state(process), PROCLIFE_IS_DYING);
	assert_false(proclife_process_is_held(process));
	feed(tasks, traced_record(23, &a, &gdb, &shell));
	assert_int_equal(proclife_process_state(process), PROCLIFE_IS_ZOMBIE);
	assert_true(proclife_process_is_held(process));
	assert_int_equal(proclife_process_awaits(process), 150);
	assert_ptr_equal(proclife_process_reaper(process), known(&gdb));
	assert_int_equal(proclife_process_zombie_since(process), 23);
	assert_int_equal(proclife_reapers_update(reapers), 0);
	assert_int_equal(reaper_of(reapers, 150).zombies, 1);
	assert_int_equal(reaper_of(reapers, 100).zombies, 0);
	assert_int_equal(proclife_process_phase_since(process, PROCLIFE_TRACED, &at_least), 23);
	/* Another tracer lets go of its zombies: not known of which. */
	feed(tasks, suppressed_record(PROCLIFE_NOTIFY, 24, 0));
	assert_int_equal(proclife_process_phase_since(process, PROCLIFE_TRACED, &at_least), 0);
	feed(tasks, wait_record(6500, &gdb));
	feed(tasks, notify_record(6523, &a, &shell));
	assert_false(proclife_process_is_held(process));
	assert_int_equal(proclife_process_awaits(process), 100);
	assert_int_equal(proclife_process_zombie_since(process), 6523);
	feed(tasks, reap_record(6524, &a, &shell));
	feed(tasks, free_record(6530, &a));
	assert_int_equal(LAST_GONE->marks.notified, 6523);
	assert_int_equal(phase_of(LAST_GONE, PROCLIFE_ZOMBIE), 1);
	assert_int_equal(reaper_of(reapers, 100).awaited, 1);
	assert_int_equal(proclife_histogram_max(reaper_of(reapers, 100).zombie), 1);
}

static struct proclife_tracer last_tracer;
static uint64_t last_phases[PROCLIFE_PHASES];

/* While the process exists: a copy of it has no tracer. */
static void note_gone(void *data, struct proclife_process *process)
{
	const struct proclife_tracer *tracer = proclife_process_tracer(process);

	(void)data;
	last_tracer = tracer ? *tracer : (struct proclife_tracer){ 0 };
	for (unsigned int phase = 0; phase < PROCLIFE_PHASES; phase++)
		last_phases[phase] = phase_of(process, phase);
}

static void test_phases(void **state)
{
	static const struct proclife_reports reports = { .size = sizeof(reports), .process_gone = note_gone };
	struct who gdb = process_of_pid(150, "gdb"), a = process_of_pid(200, "a");

	(void)state;
	assert_int_equal(proclife_tasks_report(tasks, &reports, NULL), 0);
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_below_record(20, &a, &shell));
	feed(tasks, traced_record(23, &a, &gdb, &shell));
	feed(tasks, notify_record(623, &a, &shell));
	feed(tasks, reap_record(630, &a, &shell));
	feed(tasks, free_record(641, &a));
	assert_int_equal(last_phases[PROCLIFE_TEARDOWN], 3);
	assert_int_equal(last_phases[PROCLIFE_TRACED], 600);
	assert_int_equal(last_phases[PROCLIFE_ZOMBIE], 7);
	assert_int_equal(last_phases[PROCLIFE_RCU_FREE], 11);
	assert_int_equal(last_phases[PROCLIFE_EXIT_FREE], 621);
	assert_int_equal(last_tracer.ts, 23);
	assert_int_equal(last_tracer.tgid, 150);
	assert_string_equal(last_tracer.comm, "gdb");
}

/* strace, or a shell under set -m: the tracer is the parent, which is notified at once. */
static void test_traced_by_the_parent(void **state)
{
	struct who a = process_of_pid(200, "a");

	(void)state;
	feed_zombie(tasks, 10, &a, &shell);
	assert_false(proclife_process_is_held(known(&a)));
	assert_null(proclife_process_tracer(known(&a)));
	feed(tasks, reap_record(20, &a, &shell));
	feed(tasks, free_record(21, &a));
	assert_int_equal(LAST_GONE->marks.notified, 12);
	assert_int_equal(phase_of(LAST_GONE, PROCLIFE_ZOMBIE), 8);
}

/* It was a zombie before its parent ended: the first notice counts, and the last parent has to reap it. */
static void test_inherited(void **state)
{
	struct who parent = process_of_pid(150, "parent"), a = process_of_pid(200, "a");

	(void)state;
	feed(tasks, fork_record(5, &parent, &shell));
	feed_zombie(tasks, 10, &a, &parent);
	feed(tasks, exit_below_record(30, &parent, &shell));
	assert_int_equal(proclife_process_awaits(known(&a)), 150);
	feed(tasks, notify_record(31, &a, &init));
	feed(tasks, notify_record(32, &parent, &shell));
	assert_int_equal(known(&a)->marks.notified, 12);
	assert_int_equal(known(&a)->notified_tgid, 1);
	assert_int_equal(known(&a)->notified_id, known(&init)->id);
	assert_int_equal(proclife_process_awaits(known(&a)), 1);
	/* The parent's own notice is not taken for its child's, nor the other way round. */
	assert_int_equal(known(&parent)->marks.notified, 32);
	feed(tasks, reap_record(40, &a, &init));
	feed(tasks, free_record(41, &a));
	assert_int_equal(phase_of(LAST_GONE, PROCLIFE_ZOMBIE), 28);
}

/* Found as a zombie: the notice that is seen is the adopter's, and since when it was one is not known. */
static void test_inherited_of_before(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct proclife_record found = task_record(5, &a, &shell);

	(void)state;
	found.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	feed(tasks, found);
	feed(tasks, notify_record(31, &a, &init));
	assert_int_equal(known(&a)->marks.notified, 0);
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_ZOMBIE);
	assert_int_equal(proclife_process_awaits(known(&a)), 1);
	assert_int_equal(proclife_process_shown_zombie(known(&a)), 5);
	/* A tracer that held it then detaches: this notice is the first. */
	found = task_record(6, &b, &shell);
	found.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	found.state.tracer_tgid = 150;
	feed(tasks, found);
	assert_true(proclife_process_is_held(known(&b)));
	assert_int_equal(proclife_process_awaits(known(&b)), 150);
	assert_string_equal(proclife_process_tracer(known(&b))->comm, "");
	feed(tasks, notify_record(32, &b, &shell));
	assert_int_equal(known(&b)->marks.notified, 32);
	assert_false(proclife_process_is_held(known(&b)));
}

/* A tracer's notice of a thread, or of a leader that others outlive, is not the end of the process. */
static void test_threads(void **state)
{
	struct who gdb = process_of_pid(150, "gdb"), a = process_of_pid(200, "a"), t = thread_of(&a, 201);
	struct proclife_record notice;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exit_record(20, &a, 0, 1));
	notice = traced_record(21, &a, &gdb, &shell);
	notice.flags &= ~PROCLIFE_F_GROUP_DEAD;
	feed(tasks, notice);
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_ALIVE);
	assert_false(proclife_process_is_held(known(&a)));
	feed(tasks, exit_record(30, &t, 0, 0));
	notice = traced_record(31, &t, &gdb, &shell);
	notice.flags &= ~PROCLIFE_F_GROUP_DEAD;
	feed(tasks, notice);
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_DYING);
	assert_null(proclife_process_tracer(known(&a)));
	/* The tracer waits for the thread, and releases it: then the leader is the last one. */
	feed(tasks, reap_record(40, &t, &gdb));
	feed(tasks, traced_record(41, &a, &gdb, &shell));
	assert_int_equal(proclife_process_tracer(known(&a))->ts, 41);
	assert_true(proclife_process_is_held(known(&a)));
}

/* Its leader was found as a zombie, beside a thread: the process is alive, and no tracer has been notified. */
static void test_found_leader(void **state)
{
	struct who a = process_of_pid(200, "a"), t = thread_of(&a, 201);
	struct proclife_record found = task_record(5, &a, &shell), thread = task_record(6, &t, &shell);

	(void)state;
	found.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	found.state.tracer_tgid = 150;
	feed(tasks, found);
	feed(tasks, thread);
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_ALIVE);
	assert_false(proclife_process_is_held(known(&a)));
	assert_int_equal(proclife_process_shown_zombie(known(&a)), 0);
	thread.flags |= PROCLIFE_F_EXITING;
	thread.ts = 7;
	feed(tasks, thread);
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_DYING);
	assert_false(proclife_process_is_held(known(&a)));
	feed(tasks, exit_record(20, &t, 0, 0));
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_DYING);
	feed(tasks, notify_record(21, &a, &shell));
	assert_int_equal(known(&a)->marks.notified, 21);
}

static enum proclife_life_state left_in;
static uint64_t left_shown;

static void note_left(void *user, struct proclife_process *process)
{
	(void)user;
	if (process->tgid != 200)
		return;
	left_in = proclife_process_state(process);
	left_shown = proclife_process_shown_zombie(process);
}

/*
 * A debugger traces one thread, which has ended, and has not waited for it: so the parent was not notified of the
 * leader, found as a zombie, whether the ends of both were seen before (@seen) or not; nor until the end.
 */
static void thread_is_held(bool seen)
{
	static const struct proclife_reports reports = { .size = sizeof(reports), .process_gone = note_left };
	struct who gdb = process_of_pid(150, "gdb"), a = process_of_pid(200, "a"), t = thread_of(&a, 201);
	struct proclife_record found = task_record(40, &a, &shell), thread = task_record(39, &t, &shell);
	const struct proclife_process *process;

	thread.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	thread.state.tracer_tgid = 150;
	found.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	if (seen) {
		feed(tasks, fork_record(10, &a, &shell));
		feed(tasks, clone_record(11, &t, &shell, &a));
		feed(tasks, exit_record(20, &t, 0, 1));
		feed(tasks, traced_record(21, &t, &gdb, &shell));
		feed(tasks, exit_record(22, &a, 0, 0));
	}
	feed(tasks, thread);
	feed(tasks, found);
	process = known(&a);
	assert_int_equal(proclife_process_state(process), PROCLIFE_IS_DYING);
	assert_int_equal(proclife_tasks_report(tasks, &reports, NULL), 0);
	left_in = PROCLIFE_STATES;
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(left_in, PROCLIFE_IS_DYING);
	assert_int_equal(left_shown, 0);
}

static void test_held_by_a_thread(void **state)
{
	(void)state;
	thread_is_held(false);
}

static void test_held_by_a_thread_seen(void **state)
{
	(void)state;
	thread_is_held(true);
}

/* No process has to wait: it counts for the parent that asked for this, whichever process released it. */
static void test_autoreaped(void **state)
{
	struct who gdb = process_of_pid(150, "gdb"), a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct proclife_record notice;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_below_record(20, &a, &shell));
	feed(tasks, ignored_record(22, &a, &shell));
	feed(tasks, reap_record(23, &a, &a));
	feed(tasks, free_record(24, &a));
	assert_int_equal(LAST_GONE->autoreaped, PROCLIFE_AUTOREAP_IGNORED);
	assert_int_equal(LAST_GONE->marks.notified, 22);
	/* SA_NOCLDWAIT: the signal is sent; and a tracer released it. */
	feed(tasks, fork_record(30, &b, &shell));
	feed(tasks, exit_below_record(40, &b, &shell));
	feed(tasks, traced_record(42, &b, &gdb, &shell));
	notice = notify_record(52, &b, &shell);
	notice.flags |= PROCLIFE_F_AUTOREAP;
	notice.notify.autoreap = PROCLIFE_AUTOREAP_NOCLDWAIT;
	notice.notify.result = PROCLIFE_SIGNAL_QUEUED;
	feed(tasks, notice);
	feed(tasks, reap_record(53, &b, &gdb));
	feed(tasks, free_record(54, &b));
	assert_int_equal(LAST_GONE->autoreaped, PROCLIFE_AUTOREAP_NOCLDWAIT);
	assert_int_equal(reaper_of(reapers, 100).ignored, 2);
	assert_int_equal(reaper_of(reapers, 100).reaped, 0);
	assert_int_equal(reaper_of(reapers, 150).reaped, 0);
}

/* The adopter of the zombie ignores SIGCHLD, or is an init that is ending: the exiting parent releases it. */
static void test_inherited_by_who_ignores(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b"), parent = process_of_pid(202, "parent");
	struct who first = process_of_pid(203, "pause"), other = process_of_pid(204, "other");
	struct proclife_record record = fork_record(8, &first, &shell);

	(void)state;
	trace_with_exiting(tasks);
	record.fork.ns_pid = 1;
	feed(tasks, record);
	feed(tasks, fork_record(9, &other, &first));
	feed(tasks, fork_record(10, &parent, &shell));
	feed_zombie(tasks, 20, &a, &parent);
	assert_int_equal(known(&a)->autoreaped, 0);
	feed(tasks, exit_below_record(30, &parent, &shell));
	feed(tasks, ignored_record(31, &a, &shell));
	assert_int_equal(known(&a)->autoreaped, PROCLIFE_AUTOREAP_IGNORED);
	feed(tasks, reap_record(33, &a, &parent));
	feed(tasks, free_record(34, &a));
	assert_int_equal(LAST_GONE->marks.notified, 22);
	assert_false(LAST_GONE->ended_with_parent);
	assert_int_equal(reaper_of(reapers, 100).ignored, 1);
	feed_zombie(tasks, 40, &b, &other);
	feed(tasks, record_of(50, PROCLIFE_EXITING, &first));
	feed(tasks, exit_below_record(51, &other, &first));
	feed(tasks, ignored_record(52, &b, &first));
	feed(tasks, reap_record(53, &b, &other));
	assert_true(known(&b)->ended_with_parent);
	feed(tasks, free_record(54, &b));
	assert_int_equal(reaper_of(reapers, 203).ended_with, 1);
	assert_int_equal(reaper_of(reapers, 100).ignored, 1);
	for (size_t i = 0; i < number_of_reapers(reapers); i++)
		assert_int_equal(proclife_reapers_get(reapers, i)->reaped, 0);
}

/* After a gap, a notice to the parent at the exit is the first one; another one need not be. */
static void test_gap(void **state)
{
	struct who parent = process_of_pid(150, "parent"), a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c");

	(void)state;
	feed(tasks, fork_record(5, &parent, &shell));
	feed(tasks, fork_record(6, &a, &parent));
	feed(tasks, fork_record(7, &b, &parent));
	feed(tasks, fork_record(8, &c, &parent));
	feed(tasks, exit_below_record(20, &a, &parent));
	feed(tasks, exit_below_record(21, &b, &parent));
	feed_gap(tasks, 3, 22, 30);
	feed(tasks, notify_record(31, &a, &init));
	feed(tasks, notify_record(32, &b, &parent));
	assert_int_equal(known(&a)->marks.notified, 0);
	assert_int_equal(known(&a)->notified_tgid, 1);
	assert_int_equal(known(&b)->marks.notified, 32);
	/* A tracer can have been notified before. */
	assert_int_equal(phase_of(known(&b), PROCLIFE_TEARDOWN), NONE);
	feed(tasks, reap_record(40, &b, &parent));
	feed(tasks, free_record(40, &b));
	assert_int_equal(phase_of(LAST_GONE, PROCLIFE_ZOMBIE), 8);
	assert_true(LAST_GONE->tracer_lost);
	feed(tasks, reap_record(41, &a, &init));
	feed(tasks, free_record(42, &a));
	assert_true(LAST_GONE->notified_lost);
	assert_int_equal(phase_of(LAST_GONE, PROCLIFE_ZOMBIE), NONE);
	/* Its exit is after the gap, and its parent ended before any process was notified. */
	feed(tasks, exit_below_record(50, &c, &parent));
	feed(tasks, notify_record(51, &c, &init));
	assert_int_equal(known(&c)->marks.notified, 51);
}

/*
 * An EXIT is lost, of a process or of a thread: a notice to its tracer shows that all of it has ended. The
 * tracer is younger than the last record before.
 */
static void test_traced_in_a_gap(void **state)
{
	struct who gdb = process_of_pid(150, "gdb"), a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who t = thread_of(&b, 202);
	const struct who *const both[] = { &a, &b };

	(void)state;
	feed(tasks, task_record(3, &a, &shell));
	feed(tasks, fork_record(10, &b, &shell));
	feed(tasks, clone_record(11, &t, &shell, &b));
	feed(tasks, fork_record(12, &gdb, &shell));
	feed(tasks, exit_record(20, &b, 0, 1));
	feed_gap(tasks, 2, 21, 30);
	for (unsigned int i = 0; i < 2; i++) {
		const struct proclife_process *process = known(both[i]);

		feed(tasks, traced_record(31 + i, both[i], &gdb, &shell));
		assert_int_equal(proclife_process_state(process), PROCLIFE_IS_ZOMBIE);
		assert_true(proclife_process_is_held(process));
		assert_int_equal(proclife_process_awaits(process), 150);
		assert_ptr_equal(proclife_process_reaper(process), known(&gdb));
		assert_int_equal(process->real_parent_tgid, 100);
		assert_int_equal(proclife_process_zombie_since(process), 31 + i);
		assert_int_equal(proclife_process_shown_zombie(process), 31 + i);
	}
}

/* Its EXIT is lost: each notice shows that it was a zombie then, and the latest one is after all gaps. */
static void test_notified_in_a_gap(void **state)
{
	struct who parent = process_of_pid(150, "parent"), a = process_of_pid(200, "a");

	(void)state;
	feed(tasks, fork_record(5, &parent, &shell));
	feed(tasks, fork_record(6, &a, &parent));
	feed_gap(tasks, 1, 20, 30);
	assert_int_equal(proclife_process_shown_zombie(known(&a)), 0);
	feed(tasks, notify_record(31, &a, &parent));
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_ZOMBIE);
	assert_int_equal(proclife_process_shown_zombie(known(&a)), 31);
	assert_int_equal(known(&a)->real_parent_tgid, 150);
	feed_gap(tasks, 1, 40, 50);
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_UNKNOWN);
	feed(tasks, notify_record(51, &a, &init));
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_ZOMBIE);
	assert_int_equal(known(&a)->real_parent_tgid, 150);
}

/* A tracer's notice is seen before a gap: after it, only a notice to the same parent is the parent's first one. */
static void test_gap_behind_a_tracer(void **state)
{
	struct who gdb = process_of_pid(150, "gdb"), a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c");

	(void)state;
	feed(tasks, fork_record(5, &gdb, &shell));
	feed(tasks, fork_record(6, &a, &shell));
	feed(tasks, fork_record(7, &b, &shell));
	feed(tasks, fork_record(8, &c, &shell));
	feed(tasks, traced_record(20, &a, &gdb, &shell));
	feed(tasks, traced_record(21, &b, &gdb, &shell));
	feed_gap(tasks, 5, 10, 30); /* their EXITs, too */
	feed(tasks, traced_record(31, &c, &gdb, &shell));
	feed(tasks, notify_record(41, &a, &init));
	feed(tasks, notify_record(42, &b, &shell));
	feed(tasks, notify_record(43, &c, &init));
	assert_int_equal(known(&a)->marks.notified, 0);
	assert_int_equal(phase_of(known(&a), PROCLIFE_TRACED), NONE);
	assert_int_equal(phase_of(known(&b), PROCLIFE_TRACED), 21);
	assert_int_equal(phase_of(known(&c), PROCLIFE_TRACED), 12);
	assert_false(known(&b)->tracer_lost);
}

/* The snapshot after a gap finds no tracer: its parent has to wait for it, but not known since when. */
static void test_released_in_a_gap(void **state)
{
	struct who gdb = process_of_pid(150, "gdb"), a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who c = process_of_pid(202, "c");
	const struct who *const both[] = { &a, &b };
	struct proclife_record found;

	(void)state;
	feed(tasks, fork_record(5, &gdb, &shell));
	feed(tasks, fork_record(8, &c, &shell));
	feed(tasks, exit_below_record(9, &c, &shell));
	for (int i = 0; i < 2; i++) {
		feed(tasks, fork_record(6 + i, both[i], &shell));
		feed(tasks, exit_below_record(20 + i, both[i], &shell));
		feed(tasks, traced_record(22 + i, both[i], &gdb, &shell));
	}
	feed_gap(tasks, 5, 30, 40);
	for (int i = 0; i < 2; i++) {
		found = task_record(50 + i, both[i], &shell);
		found.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
		found.state.tracer_tgid = i ? gdb.tgid : 0;
		feed(tasks, found);
	}
	assert_false(proclife_process_is_held(known(&a)));
	assert_int_equal(proclife_process_awaits(known(&a)), shell.tgid);
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_ZOMBIE);
	assert_int_equal(known(&a)->marks.notified, 0);
	assert_true(proclife_process_is_held(known(&b)));
	assert_int_equal(proclife_process_awaits(known(&b)), gdb.tgid);
	/* Its notice was in the gap, too. */
	found = task_record(52, &c, &shell);
	found.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	feed(tasks, found);
	assert_int_equal(proclife_process_state(known(&c)), PROCLIFE_IS_ZOMBIE);
	/* It is not the first notice, although it is for the same parent. */
	feed(tasks, notify_record(60, &a, &shell));
	assert_int_equal(known(&a)->marks.notified, 0);
	assert_int_equal(phase_of(known(&a), PROCLIFE_TRACED), NONE);
}

/* Carried from one part of a recording to the next: cut anywhere, the result equals the whole's. */
static void test_carried(void **state)
{
	static const struct proclife_reports reports = { .size = sizeof(reports), .process_gone = note_gone };
	struct who gdb = process_of_pid(150, "gdb"), parent = process_of_pid(151, "parent");
	struct who next = process_of_pid(152, "next"), a = process_of_pid(200, "a");
	struct proclife_record all[] = {
		task_record(1, &init, &init),		 task_record(2, &shell, &init),
		task_record(3, &gdb, &init),		 fork_record(10, &next, &shell),
		fork_record(11, &parent, &next),	 fork_record(12, &a, &parent),
		exit_below_record(20, &a, &parent),	 traced_record(21, &a, &gdb, &parent),
		notify_record(40, &a, &parent),		 exit_below_record(50, &parent, &next),
		notify_record(51, &a, &next),		 notify_record(52, &parent, &next),
		exit_below_record(60, &next, &shell),	 notify_record(61, &a, &shell),
		notify_record(62, &next, &shell),	 reap_record(70, &a, &shell),
		free_record(80, &a),
	};
	const size_t count = sizeof(all) / sizeof(*all);

	(void)state;
	for (size_t cut = 1; cut < count; cut++) {
		struct proclife_carried carried;
		struct proclife_carry *carry;
		struct proclife_tasks *second;

		assert_int_equal(proclife_carry_new(&carry, NULL), 0);
		trace_with_notify(carry->tasks);
		for (size_t i = 0; i < cut; i++)
			assert_int_equal(proclife_carry_take(carry, &(struct proclife_event){ .record = &all[i] }), 0);
		assert_int_equal(proclife_carry_choose(carry, SIZE_MAX, &carried), 0);
		assert_int_equal(proclife_tasks_new(&second, NULL), 0);
		trace_with_notify(second);
		assert_int_equal(proclife_tasks_report(second, &reports, NULL), 0);
		report_to(second);
		last_tracer.ts = 0;
		for (size_t i = 0; i < carried.count; i++)
			feed(second, carried.records[i]);
		proclife_carry_free(carry);
		for (size_t i = cut; i < count; i++)
			feed(second, all[i]);
		assert_int_equal(LAST_GONE->tgid, 200);
		assert_int_equal(LAST_GONE->marks.notified, 40);
		assert_int_equal(LAST_GONE->notified_tgid, 100);
		assert_int_equal(LAST_GONE->reaper_tgid, 100);
		assert_false(LAST_GONE->notified_lost);
		assert_int_equal(last_tracer.ts, 21);
		assert_string_equal(last_tracer.comm, "gdb");
		assert_int_equal(last_phases[PROCLIFE_TRACED], 19);
		assert_int_equal(last_phases[PROCLIFE_ZOMBIE], 30);
		proclife_tasks_free(second);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		NOTIFIED(test_traced),
		NOTIFIED(test_phases),
		NOTIFIED(test_traced_by_the_parent),
		NOTIFIED(test_inherited),
		NOTIFIED(test_inherited_of_before),
		NOTIFIED(test_threads),
		NOTIFIED(test_found_leader),
		NOTIFIED(test_held_by_a_thread),
		NOTIFIED(test_held_by_a_thread_seen),
		NOTIFIED(test_autoreaped), NOTIFIED(test_inherited_by_who_ignores),
		NOTIFIED(test_gap),
		NOTIFIED(test_traced_in_a_gap),
		NOTIFIED(test_notified_in_a_gap),
		NOTIFIED(test_gap_behind_a_tracer),
		NOTIFIED(test_released_in_a_gap),
		NOTIFIED(test_carried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
