// SPDX-License-Identifier: GPL-2.0-only
/* The ends of cgroups: what is reported of which processes, and when nothing is, or nothing certain. */
#include "check.h"
#include "exits.h"
#include "marks.h"

#include <signal.h>
#include <string.h>
#include <lives/tasks.h>

#define CONTAINER 40

static struct proclife_cgroup_ends *ends;
static struct who a, b, c;

/* All tasks are known, and a shell lives in another cgroup. */
static int begin(void **state)
{
	assert_int_equal(begin_exits(state), 0);
	assert_int_equal(proclife_cgroup_ends_new(&ends, tasks), 0);
	feed(tasks, task_record(1, &shell, &shell));
	a = process_of_pid(201, "a");
	b = process_of_pid(202, "b");
	c = process_of_pid(203, "c");
	return 0;
}

/* The trace has CGROUPs, too. */
static int begin_recorded(void **state)
{
	int ret = begin(state);

	tasks->with_cgroup = true;
	return ret;
}

static int end(void **state)
{
	proclife_cgroup_ends_free(ends);
	return end_tasks(state);
}

#define ENDS(name) cmocka_unit_test_setup_teardown(name, begin, end)
#define RECORDED(name) cmocka_unit_test_setup_teardown(name, begin_recorded, end)

static void begins(uint64_t ts, const struct who *who, uint64_t cgroup)
{
	struct proclife_record record = fork_record(ts, who, &shell);

	record.fork.cgroup = cgroup;
	feed(tasks, record);
}

static void exits(uint64_t begun, uint64_t over, const struct who *who)
{
	struct proclife_record record = ended(over - 1, who, SIGKILL, 0);

	feed(tasks, exiting(begun, who, SOLE, SIGKILL));
	record.exit.parent_tgid = shell.tgid;
	feed(tasks, record);
	feed(tasks, notify_record(over, who, &shell));
}

static void reaped(uint64_t ts, const struct who *who, const struct who *by, uint64_t cgroup)
{
	struct proclife_record record = reap_record(ts, who, by);

	record.reap.cgroup = cgroup;
	feed(tasks, record);
}

/* Killed at @ts, exits and reaped in the next nanoseconds, freed in the tenth. */
static void dies(uint64_t ts, const struct who *who)
{
	feed(tasks, signal_record(ts, who, SIGKILL, &shell));
	exits(ts + 1, ts + 3, who);
	reaped(ts + 4, who, &shell, CONTAINER);
	feed(tasks, free_record(ts + 10, who));
}

static void populated(uint64_t ts, bool populated)
{
	feed(tasks, cgroup_record(ts, CONTAINER, populated));
}

static void suppressed(uint64_t ts, uint32_t what)
{
	struct proclife_record record = suppressed_record(what, ts, 5);

	record.ts = ts;
	feed(tasks, record);
}

/* Ends the trace; returns the report of the cgroup, or NULL. */
static const struct proclife_cgroup_end *told(void)
{
	assert_int_equal(proclife_tasks_close(tasks), 0);
	return proclife_cgroup_ends_get(ends, CONTAINER);
}

static const struct proclife_cgroup_end *told_end(void)
{
	const struct proclife_cgroup_end *end = told();

	assert_non_null(end);
	return end;
}

static void expect_who(const struct proclife_who *who, const struct who *wanted)
{
	assert_int_equal(who->tgid, wanted->tgid);
	assert_string_equal(who->comm, wanted->comm);
}

/* Each fact belongs to another process. The order of their FREEs does not matter. */
static void test_whole(void **state)
{
	struct who t = thread_of(&b, 205);
	const struct proclife_cgroup_end *end;

	(void)state;
	populated(9, true);
	begins(10, &a, CONTAINER);
	begins(11, &b, CONTAINER);
	begins(12, &c, CONTAINER);
	feed(tasks, signal_record(20, &b, SIGKILL, &shell));
	feed(tasks, signal_record(21, &c, SIGTERM, &shell));
	feed(tasks, signal_record(22, &c, SIGKILL, &a));
	exits(30, 33, &b);
	exits(31, 60, &a); /* began before the next one, and is over after it */
	exits(40, 43, &c);
	populated(61, false);
	reaped(70, &a, &shell, CONTAINER);
	reaped(71, &b, &shell, CONTAINER);
	reaped(72, &c, &t, CONTAINER);
	feed(tasks, free_record(80, &c));
	feed(tasks, free_record(81, &b));
	feed(tasks, free_record(82, &a));
	end = told_end();
	assert_int_equal(end->cgroup, CONTAINER);
	assert_int_equal(end->processes, 3);
	assert_int_equal(end->killer->ts, 20);
	assert_int_equal(end->killer->tgid, shell.tgid);
	expect_who(&end->killed, &b);
	expect_who(&end->last, &a);
	assert_int_equal(end->exited, 31);
	assert_int_equal(end->notified, 60);
	assert_int_equal(end->reaped, 72);
	expect_who(&end->last_reaped, &c);
	expect_who(&end->reaper, &b);
	assert_int_equal(end->empty, 61);
	assert_true(end->ended);
	assert_false(end->incomplete);
	assert_null(proclife_cgroup_ends_get(ends, 77)); /* the shell lives */
	assert_null(proclife_cgroup_ends_get(ends, 41));
}

/* Without CGROUPs, all tasks have to be known. No process was killed, and one released itself. */
static void test_unrecorded(void **state)
{
	const struct proclife_cgroup_end *end;
	struct proclife_record record;

	(void)state;
	begins(10, &a, CONTAINER);
	begins(11, &b, CONTAINER);
	feed(tasks, exiting(20, &a, SOLE, 0));
	exits(21, 25, &b);
	reaped(26, &b, &shell, CONTAINER);
	record = ended(30, &a, 0, 0);
	feed(tasks, record);
	reaped(31, &a, &a, CONTAINER);
	end = told_end();
	assert_int_equal(end->processes, 2);
	assert_null(end->killer);
	expect_who(&end->last, &a); /* it was in the cgroup until its release */
	assert_int_equal(end->exited, 20);
	assert_int_equal(end->notified, 0);
	assert_int_equal(end->reaped, 31);
	expect_who(&end->reaper, &a);
	assert_int_equal(end->empty, 0);
	assert_false(end->incomplete);
}

static void test_without_snapshot(void **state)
{
	(void)state;
	tasks->snapshot = false;
	begins(10, &a, CONTAINER);
	dies(20, &a);
	assert_null(told());
}

static void test_slice(void **state)
{
	(void)state;
	tasks->is_slice = true;
	begins(10, &a, CONTAINER);
	dies(20, &a);
	assert_null(told());
}

/* A CGROUP shows that it is empty even if not all tasks are known. */
static void test_empty_without_snapshot(void **state)
{
	const struct proclife_cgroup_end *end;

	(void)state;
	tasks->snapshot = false;
	begins(10, &a, CONTAINER);
	dies(20, &a);
	populated(23, false);
	end = told_end();
	assert_int_equal(end->empty, 23);
	assert_false(end->incomplete);
}

static void test_one_lives(void **state)
{
	(void)state;
	begins(10, &a, CONTAINER);
	begins(11, &b, CONTAINER);
	dies(20, &a);
	assert_null(told());
}

/* A process is in it that has moved there since its last record. */
static void test_not_empty(void **state)
{
	(void)state;
	populated(9, true);
	begins(10, &a, CONTAINER);
	dies(20, &a);
	assert_null(told());
}

/* A process recorded in it was moved away, and dies elsewhere later: it is not the last. */
static void test_moved_away(void **state)
{
	const struct proclife_cgroup_end *end;

	(void)state;
	populated(9, true);
	begins(10, &a, CONTAINER);
	begins(11, &b, CONTAINER);
	begins(12, &c, CONTAINER);
	dies(20, &a);
	populated(40, false);
	feed(tasks, signal_record(41, &b, SIGKILL, &shell));
	exits(50, 53, &b);
	end = told_end();
	assert_int_equal(end->processes, 1);
	expect_who(&end->last, &a);
	assert_int_equal(end->killer->ts, 20);
}

/* The cgroup is used again: what was before does not count, nor do processes that are freed only now. */
static void test_again(void **state)
{
	const struct proclife_cgroup_end *end;

	(void)state;
	populated(9, true);
	begins(10, &a, CONTAINER);
	begins(11, &b, CONTAINER);
	dies(20, &a);
	feed(tasks, signal_record(31, &b, SIGKILL, &shell));
	exits(40, 43, &b);
	populated(44, false);
	populated(50, true);
	reaped(51, &b, &shell, CONTAINER);
	feed(tasks, free_record(52, &b));
	begins(60, &c, CONTAINER);
	dies(70, &c);
	populated(90, false);
	end = told_end();
	assert_int_equal(end->processes, 1);
	assert_int_equal(end->killer->ts, 70);
	expect_who(&end->killed, &c);
	assert_int_equal(end->reaped, 74);
	assert_int_equal(end->empty, 90);
}

static void test_used_again(void **state)
{
	(void)state;
	begins(10, &a, CONTAINER);
	dies(20, &a);
	populated(40, false);
	populated(50, true);
	assert_null(told());
}

/* While there is a zombie, the last reap is not known yet. */
static void test_zombie(void **state)
{
	const struct proclife_cgroup_end *end;

	(void)state;
	begins(10, &a, CONTAINER);
	begins(11, &b, CONTAINER);
	begins(12, &c, CONTAINER);
	dies(20, &a);
	exits(30, 33, &c);
	reaped(34, &c, &shell, CONTAINER);
	exits(40, 43, &b);
	end = told_end();
	expect_who(&end->last, &b);
	assert_int_equal(end->reaped, 0);
}

/* No parent was notified of the last one: it has left the cgroup, and is still to be reaped. */
static void test_dying(void **state)
{
	const struct proclife_cgroup_end *end;

	(void)state;
	tasks->with_notify = true;
	begins(10, &a, CONTAINER);
	begins(11, &b, CONTAINER);
	dies(20, &a);
	feed(tasks, exiting(30, &b, SOLE, 0));
	feed(tasks, ended(31, &b, 0, 0));
	end = told_end();
	assert_int_equal(end->processes, 2);
	expect_who(&end->last, &b);
	assert_int_equal(end->exited, 30);
	assert_int_equal(end->notified, 0);
	assert_int_equal(end->reaped, 0);
}

/* An exit is over once the tracer is notified, however long the tracer withholds it from the parent. */
static void test_held_by_a_tracer(void **state)
{
	struct proclife_record record;

	(void)state;
	tasks->with_notify = true;
	begins(10, &a, CONTAINER);
	begins(11, &b, CONTAINER);
	feed(tasks, exiting(20, &a, SOLE, 0));
	feed(tasks, ended(21, &a, 0, 0));
	record = notify_record(22, &a, &shell);
	record.flags |= PROCLIFE_F_TRACER;
	feed(tasks, record);
	dies(30, &b);
	feed(tasks, notify_record(50, &a, &shell));
	expect_who(&told_end()->last, &b);
}

/* A process began to exit, and has not left the cgroup: the cgroup has not ended. */
static void test_exit_not_over(void **state)
{
	(void)state;
	tasks->with_notify = true;
	begins(10, &a, CONTAINER);
	begins(11, &b, CONTAINER);
	dies(20, &a);
	feed(tasks, exiting(30, &b, SOLE, 0));
	assert_null(told());
}

/* Two have the same time: the same one is always reported. */
static void test_same_time(void **state)
{
	const struct proclife_cgroup_end *end;

	(void)state;
	begins(10, &a, CONTAINER);
	begins(11, &b, CONTAINER);
	feed(tasks, signal_record(20, &a, SIGKILL, &shell));
	feed(tasks, signal_record(20, &b, SIGKILL, &shell));
	exits(30, 33, &b);
	exits(30, 33, &a);
	reaped(40, &b, &shell, CONTAINER);
	reaped(40, &a, &shell, CONTAINER);
	feed(tasks, free_record(50, &b));
	feed(tasks, free_record(51, &a));
	end = told_end();
	expect_who(&end->killed, &a);
	expect_who(&end->last, &b);
	expect_who(&end->last_reaped, &b);
}

/* It began to exit before the trace: only the end of the exit is known. */
static void test_began_before(void **state)
{
	const struct proclife_cgroup_end *end;
	struct proclife_record record = task_record(2, &a, &shell);

	(void)state;
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_GROUP_EXIT;
	record.state.cgroup = CONTAINER;
	feed(tasks, record);
	record = ended(20, &a, 0, 0);
	record.exit.parent_tgid = shell.tgid;
	feed(tasks, record);
	feed(tasks, notify_record(21, &a, &shell));
	reaped(22, &a, &shell, CONTAINER);
	end = told_end();
	assert_int_equal(end->exited, 0);
	assert_int_equal(end->notified, 21);
}

/* A lost record can be an earlier SIGKILL, or a later exit... */
static void test_gap(void **state)
{
	(void)state;
	begins(10, &a, CONTAINER);
	feed_gap(tasks, 3, 12, 15);
	dies(20, &a);
	populated(30, false);
	assert_true(told_end()->incomplete);
}

/* ... unless it was before the cgroup had tasks. */
static void test_gap_before(void **state)
{
	(void)state;
	feed_gap(tasks, 3, 5, 8);
	populated(9, true);
	begins(10, &a, CONTAINER);
	dies(20, &a);
	populated(30, false);
	assert_false(told_end()->incomplete);
}

/* The CGROUP can be among what is lost: then the known tasks decide. */
static void test_empty_lost(void **state)
{
	const struct proclife_cgroup_end *end;

	(void)state;
	populated(9, true);
	begins(10, &a, CONTAINER);
	dies(20, &a);
	feed_gap(tasks, 3, 30, 35);
	end = told_end();
	assert_int_equal(end->empty, 0);
	assert_true(end->incomplete);
}

/* A CGROUP that begins another use can be lost, too. */
static void test_use_lost(void **state)
{
	(void)state;
	populated(9, true);
	begins(10, &a, CONTAINER);
	dies(20, &a);
	populated(31, false);
	feed_gap(tasks, 3, 32, 35);
	begins(40, &b, CONTAINER);
	assert_null(told());
}

/* Empty twice: processes that came in between are reported, earlier ones are not. */
static void test_use_lost_then_empty(void **state)
{
	(void)state;
	populated(9, true);
	begins(10, &a, CONTAINER);
	dies(20, &a);
	populated(31, false);
	feed_gap(tasks, 3, 32, 35);
	begins(40, &b, CONTAINER);
	exits(51, 53, &b);
	populated(54, false);
	assert_int_equal(told_end()->empty, 54);
	assert_true(told_end()->incomplete);
	assert_int_equal(told_end()->last.tgid, b.tgid);
}

/* A process that was gone before it was empty again is reported, too. */
static void test_use_lost_then_gone(void **state)
{
	(void)state;
	populated(9, true);
	begins(10, &a, CONTAINER);
	dies(20, &a);
	populated(31, false);
	feed_gap(tasks, 3, 32, 35);
	begins(40, &b, CONTAINER);
	begins(41, &c, CONTAINER);
	dies(50, &b);
	exits(61, 63, &c);
	populated(64, false);
	assert_int_equal(told_end()->processes, 2);
	assert_int_equal(told_end()->killed.tgid, b.tgid);
	assert_int_equal(told_end()->killer->ts, 50);
	assert_int_equal(told_end()->last.tgid, c.tgid);
}

static void expect_suppressed(uint32_t what, uint64_t ts, bool incomplete)
{
	populated(9, true);
	begins(10, &a, CONTAINER);
	suppressed(ts, what);
	dies(20, &a);
	populated(31, false);
	assert_int_equal(told_end()->incomplete, incomplete);
}

#define SUPPRESSED(name, ...) \
	static void name(void **state) { (void)state; expect_suppressed(__VA_ARGS__); }

SUPPRESSED(test_signals_suppressed, PROCLIFE_SIGNAL, 11, true)
SUPPRESSED(test_cgroups_suppressed, PROCLIFE_CGROUP, 11, true)
SUPPRESSED(test_suppressed_before, PROCLIFE_SIGNAL, 8, false)
SUPPRESSED(test_others_suppressed, PROCLIFE_WAIT, 11, false)

/* The results stay readable after the tasks are freed. */
static void test_tasks_freed(void **state)
{
	const struct proclife_cgroup_end *end;

	(void)state;
	begins(10, &a, CONTAINER);
	dies(20, &a);
	feed_gap(tasks, 3, 40, 45);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	proclife_tasks_free(tasks);
	tasks = NULL;
	end = proclife_cgroup_ends_get(ends, CONTAINER);
	assert_non_null(end);
	assert_int_equal(end->killer->ts, 20);
	assert_true(end->incomplete);
}

static void test_many(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		struct who who = process_of_pid(1000 + i, "x");

		begins(100 + i * 10, &who, 1000 + i);
		exits(101 + i * 10, 103 + i * 10, &who);
		reaped(104 + i * 10, &who, &shell, 1000 + i);
		feed(tasks, free_record(105 + i * 10, &who));
	}
	assert_int_equal(proclife_tasks_close(tasks), 0);
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(proclife_cgroup_ends_get(ends, 1000 + i)->last.tgid, 1000 + i);
}

/* An unknown cgroup is no cgroup. */
static void test_unknown(void **state)
{
	(void)state;
	begins(10, &a, 0);
	exits(20, 23, &a);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_null(proclife_cgroup_ends_get(ends, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDED(test_whole), ENDS(test_unrecorded), ENDS(test_without_snapshot),
		ENDS(test_slice), RECORDED(test_empty_without_snapshot), ENDS(test_one_lives),
		RECORDED(test_not_empty), RECORDED(test_moved_away), RECORDED(test_again),
		RECORDED(test_used_again), ENDS(test_zombie),
		ENDS(test_dying), ENDS(test_held_by_a_tracer), ENDS(test_exit_not_over), ENDS(test_same_time),
		ENDS(test_began_before), RECORDED(test_gap), RECORDED(test_gap_before),
		RECORDED(test_empty_lost), RECORDED(test_use_lost), RECORDED(test_use_lost_then_empty),
		RECORDED(test_use_lost_then_gone),
		RECORDED(test_signals_suppressed), RECORDED(test_cgroups_suppressed), RECORDED(test_suppressed_before),
		RECORDED(test_others_suppressed),
		ENDS(test_tasks_freed), ENDS(test_many), ENDS(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
