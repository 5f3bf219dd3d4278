// SPDX-License-Identifier: GPL-2.0-only
/* What the snapshot, and a notice, show of an end whose records are missing. */
#include "check.h"
#include "reapers.h"

#include <flight/carry_lives.h>
#include <results/phase.h>
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

static struct proclife_record zombie_record(uint64_t ts, const struct who *who, const struct who *parent, int32_t code)
{
	struct proclife_record record = task_record(ts, who, parent);

	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	record.state.exit_code = code;
	return record;
}

/* The NOTIFY is lost: since when it is a zombie is not known, only when it was first seen as one. */
static void test_notice_in_a_gap(void **state)
{
	struct who a = process_of_pid(200, "a");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_below_record(20, &a, &shell));
	feed_gap(tasks, 5, 30, 40);
	feed(tasks, zombie_record(50, &a, &shell, 0));
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_ZOMBIE);
	assert_int_equal(proclife_process_zombie_since(known(&a)), 0);
	assert_int_equal(proclife_process_shown_zombie(known(&a)), 50);
	assert_int_equal(proclife_reapers_update(reapers), 0);
	assert_int_equal(reaper_of(reapers, 100).zombies, 1);
	assert_int_equal(reaper_of(reapers, 100).oldest, 0);
	/* The adopter has not known of it for longer. */
	feed(tasks, notify_record(60, &a, &init));
	assert_int_equal(proclife_process_zombie_since(known(&a)), 0);
	feed(tasks, reap_record(70, &a, &init));
	feed(tasks, free_record(80, &a));
	assert_true(LAST_GONE->notified_lost);
}

/* The trace has no REAPs: an exited process may have been reaped, unless the snapshot finds it a zombie after that. */
static void test_without_reaps(void **state)
{
	struct who a = process_of_pid(200, "a"), b = process_of_pid(201, "b");

	(void)state;
	tasks->without_reap = true;
	tasks->with_notify = false;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &shell));
	feed(tasks, exit_below_record(20, &a, &shell));
	feed(tasks, exit_below_record(21, &b, &shell));
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_UNFREED);
	feed(tasks, zombie_record(30, &a, &shell, 0));
	assert_int_equal(proclife_process_state(known(&a)), PROCLIFE_IS_ZOMBIE);
	assert_int_equal(proclife_task_state(proclife_tasks_find(tasks, a.task)), PROCLIFE_IS_ZOMBIE);
	assert_int_equal(proclife_process_state(known(&b)), PROCLIFE_IS_UNFREED);
	feed(tasks, free_record(40, &a));
	assert_int_equal(LAST_GONE->tgid, 200);
}

/* It is older than the trace. Its adoption shows that no earlier gap has hidden its REAP. */
static void test_inherited_behind_a_gap(void **state)
{
	struct who old = process_of_pid(60, "old"), next = process_of_pid(61, "next");

	(void)state;
	feed(tasks, zombie_record(5, &old, &shell, 1 << 8));
	feed_gap(tasks, 5, 30, 40);
	assert_int_equal(proclife_process_state(known(&old)), PROCLIFE_IS_UNKNOWN);
	feed(tasks, fork_record(50, &next, &init));
	feed(tasks, notify_record(60, &old, &next));
	assert_int_equal(proclife_process_state(known(&old)), PROCLIFE_IS_ZOMBIE);
	assert_int_equal(proclife_process_shown_zombie(known(&old)), 5);
	assert_true(proclife_process_ended_before(known(&old)));
	assert_ptr_equal(proclife_process_reaper(known(&old)), known(&next));
}

/* However often it is found, it ended before the trace. */
static void test_found_again(void **state)
{
	struct who old = process_of_pid(60, "old"), a = process_of_pid(200, "a");

	(void)state;
	feed(tasks, zombie_record(5, &old, &shell, 1 << 8));
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, zombie_record(50, &old, &shell, 1 << 8));
	feed(tasks, zombie_record(51, &a, &shell, 0));
	assert_true(proclife_process_ended_before(known(&old)));
	assert_int_equal(proclife_process_shown_zombie(known(&old)), 5);
	assert_false(proclife_process_ended_before(known(&a)));
}

static bool ended_before;
static struct proclife_process gone;

static void note_gone(void *data, struct proclife_process *process)
{
	(void)data;
	if (process->tgid != 60)
		return;
	gone = *process;
	ended_before = proclife_process_ended_before(process);
}

static const struct proclife_reports to_note = { .size = sizeof(to_note), .process_gone = note_gone };

/* Its other thread is still there: that thread's tracer lets the process end only now. */
static void held_thread(struct proclife_record all[8])
{
	struct who gdb = process_of_pid(150, "gdb"), old = process_of_pid(60, "old"), t = thread_of(&old, 61);

	all[0] = task_record(2, &shell, &init);
	all[1] = zombie_record(5, &old, &shell, 1 << 8);
	all[2] = zombie_record(6, &t, &shell, 1 << 8);
	all[3] = reap_record(20, &t, &gdb);
	all[4] = notify_record(21, &old, &shell);
	all[5] = free_record(30, &t);
	all[6] = reap_record(40, &old, &shell);
	all[7] = free_record(50, &old);
}

static void test_held_thread(void **state)
{
	static const enum proclife_life_state states[] = { [2] = PROCLIFE_IS_DYING, PROCLIFE_IS_DYING, PROCLIFE_IS_ZOMBIE,
							   PROCLIFE_IS_ZOMBIE, PROCLIFE_IS_UNFREED };
	struct proclife_record all[8];

	(void)state;
	held_thread(all);
	assert_int_equal(proclife_tasks_report(tasks, &to_note, NULL), 0);
	for (size_t i = 0; i < 8; i++) {
		feed(tasks, all[i]);
		if (i < 2 || i > 6)
			continue;
		assert_int_equal(proclife_process_state(proclife_tasks_find(tasks, all[1].task)->process), states[i]);
		assert_int_equal(proclife_process_shown_zombie(proclife_tasks_find(tasks, all[1].task)->process),
				 i < 4 ? 0 : 21);
	}
	assert_int_equal(gone.marks.notified, 21);
	assert_false(gone.notified_lost);
	assert_false(ended_before);
}

/* The same if the next part of a recording begins in between. */
static void test_carried(void **state)
{
	struct proclife_record all[8];

	(void)state;
	held_thread(all);
	for (size_t cut = 1; cut < 8; cut++) {
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
		assert_int_equal(proclife_tasks_report(second, &to_note, NULL), 0);
		gone = (struct proclife_process){ .id = 0 };
		for (size_t i = 0; i < carried.count; i++)
			feed(second, carried.records[i]);
		proclife_carry_free(carry);
		for (size_t i = cut; i < 8; i++)
			feed(second, all[i]);
		assert_int_equal(gone.tgid, 60);
		assert_int_equal(gone.marks.notified, 21);
		assert_int_equal(gone.threads, 2);
		assert_false(gone.notified_lost);
		assert_false(ended_before);
		proclife_tasks_free(second);
	}
}

/* A tracer holds its leader, which was not the last one to end: it need not have traced the process at its end. */
static void test_traced_leader(void **state)
{
	struct who old = process_of_pid(60, "old"), t = thread_of(&old, 61);
	struct proclife_record found = zombie_record(5, &old, &shell, 0);

	(void)state;
	found.state.tracer_tgid = 150;
	feed(tasks, found);
	feed(tasks, task_record(6, &t, &shell));
	feed(tasks, exit_below_record(20, &t, &shell));
	feed(tasks, reap_record(21, &t, &t));
	feed(tasks, notify_record(22, &old, &shell));
	assert_null(proclife_process_tracer(known(&old)));
	assert_int_equal(known(&old)->marks.notified, 22);
}

/* wait(2) returns the last thread's status, whose EXIT is lost, and not the leader's earlier one. */
static void test_code_of_the_last(void **state)
{
	struct who old = process_of_pid(60, "old"), a = process_of_pid(200, "a"), b = process_of_pid(201, "b");
	struct who s = thread_of(&old, 61), t = thread_of(&a, 203), u = thread_of(&b, 204);
	struct proclife_record found;

	(void)state;
	feed(tasks, zombie_record(5, &old, &shell, 1 << 8));
	feed(tasks, task_record(6, &s, &shell));
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, fork_record(12, &b, &shell));
	feed(tasks, clone_record(13, &u, &shell, &b));
	feed(tasks, exit_record(20, &a, 1 << 8, 1));
	feed(tasks, exit_record(21, &b, 1 << 8, 1));
	feed_gap(tasks, 5, 30, 40);
	feed(tasks, notify_record(50, &old, &shell));
	assert_int_equal(known(&old)->exit_code, -1);
	assert_true(proclife_process_has_ended(known(&old)));
	feed(tasks, reap_record(51, &a, &shell));
	assert_int_equal(known(&a)->exit_code, -1);
	assert_true(proclife_process_has_ended(known(&a)));
	/* The snapshot has the code of this process. */
	found = zombie_record(52, &b, &shell, 2 << 8);
	found.flags |= PROCLIFE_F_GROUP_EXIT;
	feed(tasks, found);
	feed(tasks, notify_record(53, &b, &init));
	feed(tasks, reap_record(54, &b, &init));
	assert_int_equal(known(&b)->exit_code, 2 << 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		NOTIFIED(test_notice_in_a_gap), NOTIFIED(test_inherited_behind_a_gap), NOTIFIED(test_found_again),
		NOTIFIED(test_held_thread),	NOTIFIED(test_carried),		       NOTIFIED(test_traced_leader),
		NOTIFIED(test_code_of_the_last),	NOTIFIED(test_without_reaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
