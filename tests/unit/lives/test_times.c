// SPDX-License-Identifier: GPL-2.0-only
/* How a task spent its phases, from what it had used at their ends: whatever lies in between, and never more than that. */
#include "check.h"
#include "exits.h"
#include "marks.h"

#include <signal.h>

static struct who a;

static int begin(void **state)
{
	int ret = begin_exits(state);

	trace_with_births(tasks);
	a = process_of_pid(200, "app");
	return ret;
}

static void used(uint64_t ts, uint32_t what, uint64_t runtime, uint64_t delay, uint64_t nvcsw)
{
	feed(tasks, times_record(ts, &a, what, runtime, delay, nvcsw));
}

static void expect_split(enum proclife_phase phase, uint64_t on_cpu, uint64_t waiting, uint64_t blocked, bool exact)
{
	const struct proclife_split *split = proclife_process_split(process_of(&a), phase);

	assert_non_null(split);
	assert_int_equal(split->on_cpu, on_cpu);
	assert_int_equal(split->waiting, waiting);
	assert_int_equal(split->blocked, blocked);
	assert_int_equal(split->exact, exact);
}

static void exits(uint64_t ts, uint64_t runtime, uint64_t delay, uint64_t nvcsw)
{
	struct proclife_record record = exiting_record(ts, &a, &shell, NULL, 0);

	record.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	feed(tasks, record);
	used(ts + 1, PROCLIFE_TIMES_EXITING, runtime, delay, nvcsw);
	feed(tasks, exit_record(ts + 2, &a, 0, 0));
}

static void notified(uint64_t ts, uint64_t runtime, uint64_t delay, uint64_t nvcsw)
{
	feed(tasks, notify_record(ts, &a, &shell));
	used(ts + 1, PROCLIFE_TIMES_NOTIFY, runtime, delay, nvcsw);
}

/* Without a switch, what is not waiting is on the CPU, however much CPU time lags. */
static void test_exact(void **state)
{
	(void)state;
	feed(tasks, fork_record(1000, &a, &shell));
	exits(2000, 0, 300, 0);
	notified(3000, 0, 800, 0);
	expect_split(PROCLIFE_LIFE, 700, 300, 0, true);
	expect_split(PROCLIFE_TEARDOWN, 500, 500, 0, true);
	assert_null(proclife_process_split(process_of(&a), PROCLIFE_ZOMBIE));
	used(3002, PROCLIFE_TIMES_EXITING, 0, 900, 0); /* after a fault of its own, on old kernels */
	assert_int_equal(proclife_process_used(process_of(&a))->waiting, 300);
	assert_int_equal(proclife_process_io(process_of(&a))->read_bytes, 200000);
	assert_int_equal(proclife_process_io(process_of(&a))->write_bytes, 2000);
}

static void test_blocked(void **state)
{
	(void)state;
	feed(tasks, fork_record(1000, &a, &shell));
	exits(2000, 400, 300, 7);
	notified(3000, 500, 300, 9);
	expect_split(PROCLIFE_LIFE, 400, 300, 300, false);
	expect_split(PROCLIFE_TEARDOWN, 100, 0, 900, false);
}

/* The parts are never more than the whole: the records are a moment later than their marks. */
static void test_bounds(void **state)
{
	(void)state;
	feed(tasks, fork_record(1000, &a, &shell));
	exits(2000, 5000, 900, 7);
	expect_split(PROCLIFE_LIFE, 100, 900, 0, false);
	notified(3000, 5000, 9000, 8);
	expect_split(PROCLIFE_TEARDOWN, 0, 1000, 0, false);
}

/* Any program can have written a recording. */
static void test_backwards(void **state)
{
	(void)state;
	feed(tasks, fork_record(1000, &a, &shell));
	exits(2000, 500, 300, 7);
	notified(3000, 500, 299, 7);
	assert_null(proclife_process_split(process_of(&a), PROCLIFE_TEARDOWN));
	used(3002, PROCLIFE_TIMES_NOTIFY, 499, 300, 7);
	assert_null(proclife_process_split(process_of(&a), PROCLIFE_TEARDOWN));
	used(3003, PROCLIFE_TIMES_NOTIFY, 500, 300, 6);
	assert_null(proclife_process_split(process_of(&a), PROCLIFE_TEARDOWN));
	used(3004, PROCLIFE_TIMES_NOTIFY, 500, 300, 7);
	expect_split(PROCLIFE_TEARDOWN, 1000, 0, 0, true);
}

static void test_exec(void **state)
{
	(void)state;
	feed(tasks, fork_record(1000, &a, &shell));
	feed(tasks, birth_record(1100, &a, PROCLIFE_BIRTH_EXECING));
	used(1101, PROCLIFE_TIMES_EXECING, 10, 20, 0);
	feed(tasks, exec_record(1500, &a, a.pid, "/bin/app"));
	used(1501, PROCLIFE_TIMES_EXEC, 10, 120, 0);
	expect_split(PROCLIFE_PHASE_EXEC, 300, 100, 0, true);
	/* A later one changes nothing. */
	feed(tasks, birth_record(1600, &a, PROCLIFE_BIRTH_EXECING));
	used(1601, PROCLIFE_TIMES_EXECING, 10, 120, 0);
	feed(tasks, exec_record(1700, &a, a.pid, "/bin/app"));
	used(1701, PROCLIFE_TIMES_EXEC, 50, 120, 0);
	expect_split(PROCLIFE_PHASE_EXEC, 300, 100, 0, true);
}

/* It is the creator's time; another fork, or one that fails, in between has its own. */
static void test_fork(void **state)
{
	struct who thread = thread_of(&a, 201);

	(void)state;
	feed(tasks, birth_record(900, &shell, PROCLIFE_BIRTH_FORKING)); /* in vain */
	feed(tasks, times_record(901, &shell, PROCLIFE_TIMES_FORKING, 50, 20, 1));
	feed(tasks, birth_record(1000, &shell, PROCLIFE_BIRTH_FORKING));
	feed(tasks, times_record(1001, &shell, PROCLIFE_TIMES_FORKING, 100, 20, 1));
	feed(tasks, fork_record(1500, &a, &shell));
	feed(tasks, times_record(1501, &shell, PROCLIFE_TIMES_FORK, 300, 70, 2));
	expect_split(PROCLIFE_PHASE_FORK, 200, 50, 250, false);
	/* Its next one is a thread's, or another process's. */
	feed(tasks, birth_record(1600, &shell, PROCLIFE_BIRTH_FORKING));
	feed(tasks, times_record(1601, &shell, PROCLIFE_TIMES_FORKING, 300, 70, 2));
	feed(tasks, times_record(1701, &shell, PROCLIFE_TIMES_FORK, 900, 70, 2));
	expect_split(PROCLIFE_PHASE_FORK, 200, 50, 250, false);
	/* That of a thread of it is not its own. */
	feed(tasks, birth_record(1800, &a, PROCLIFE_BIRTH_FORKING));
	used(1801, PROCLIFE_TIMES_FORKING, 0, 0, 0);
	feed(tasks, clone_record(1900, &thread, &shell, &a));
	used(1901, PROCLIFE_TIMES_FORK, 60, 0, 0);
	expect_split(PROCLIFE_PHASE_FORK, 200, 50, 250, false);
}

/* The TIMES of FORKING, or of FORK, is missing, or it is a thread that is born. */
static void test_no_fork(void **state)
{
	struct who thread = thread_of(&a, 201);

	(void)state;
	feed(tasks, birth_record(900, &shell, PROCLIFE_BIRTH_FORKING)); /* in vain */
	feed(tasks, times_record(901, &shell, PROCLIFE_TIMES_FORKING, 100, 20, 1));
	feed(tasks, birth_record(1000, &shell, PROCLIFE_BIRTH_FORKING));
	feed(tasks, fork_record(1500, &a, &shell));
	feed(tasks, times_record(1501, &shell, PROCLIFE_TIMES_FORK, 300, 70, 2));
	assert_null(proclife_process_split(process_of(&a), PROCLIFE_PHASE_FORK));
	feed(tasks, birth_record(1600, &a, PROCLIFE_BIRTH_FORKING));
	feed(tasks, times_record(1601, &a, PROCLIFE_TIMES_FORKING, 0, 0, 0));
	feed(tasks, clone_record(1700, &thread, &shell, &a));
	feed(tasks, times_record(1701, &a, PROCLIFE_TIMES_FORK, 50, 0, 0));
	assert_null(proclife_process_split(process_of(&a), PROCLIFE_PHASE_FORK));
}

/* What threads waited is added up; their lives overlap, so the process's is not split. */
static void test_threads(void **state)
{
	struct who thread = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(1000, &a, &shell));
	feed(tasks, clone_record(1100, &thread, &shell, &a));
	feed(tasks, exiting_record(1900, &thread, &shell, NULL, 0));
	feed(tasks, times_record(1901, &thread, PROCLIFE_TIMES_EXITING, 50, 60, 0));
	feed(tasks, exit_record(1902, &thread, 0, 1));
	assert_null(proclife_process_used(process_of(&a)));
	exits(2000, 400, 300, 7);
	assert_int_equal(proclife_process_used(process_of(&a))->waiting, 360);
	assert_null(proclife_process_split(process_of(&a), PROCLIFE_LIFE));
}

/* The figures of a thread are lost: then the sum is not known. */
static void test_lost(void **state)
{
	struct who thread = thread_of(&a, 201);
	uint64_t ns;

	(void)state;
	feed(tasks, fork_record(1000, &a, &shell));
	feed(tasks, clone_record(1100, &thread, &shell, &a));
	feed(tasks, exiting_record(1900, &thread, &shell, NULL, 0));
	feed(tasks, exit_record(1902, &thread, 0, 1));
	exits(2000, 400, 300, 7);
	assert_null(proclife_process_used(process_of(&a)));
	assert_false(proclife_process_phase(process_of(&a), PROCLIFE_PHASE_WAIT, &ns));
}

/* The exit of a process that dumps core begins with that, but its account of it is later: neither part is divided. */
static void test_core(void **state)
{
	(void)state;
	feed(tasks, fork_record(1000, &a, &shell));
	feed(tasks, coredump_record(1200, &a, SIGSEGV));
	exits(2000, 400, 300, 7);
	notified(3000, 500, 300, 9);
	assert_int_equal(process_of(&a)->marks.exited, 1200);
	assert_null(proclife_process_split(process_of(&a), PROCLIFE_LIFE));
	assert_null(proclife_process_split(process_of(&a), PROCLIFE_TEARDOWN));
}

/* Bytes are in each FREE, whatever TIMES says: of a thread each. */
static void frees_with(uint64_t ts, const struct who *who, uint64_t read_bytes, uint64_t write_bytes)
{
	struct proclife_record record = free_record(ts, who);

	record.flags |= PROCLIFE_F_IO;
	record.free.read_bytes = read_bytes;
	record.free.write_bytes = write_bytes;
	feed(tasks, record);
}

static void io_gone(void *data, struct proclife_process *process)
{
	const struct proclife_io *io = proclife_process_io(process);

	*(struct proclife_io *)data = io ? *io : (struct proclife_io){ UINT64_MAX, UINT64_MAX };
}

/* The process has two threads. @io: whether the thread's FREE has the bytes. */
static struct proclife_io of_two(bool io)
{
	const struct proclife_reports reports = { .size = sizeof(reports), .process_gone = io_gone };
	struct who thread = thread_of(&a, 201);
	struct proclife_io found = { 0, 0 };

	assert_int_equal(proclife_tasks_report(tasks, &reports, &found), 0);
	feed(tasks, fork_record(1000, &a, &shell));
	feed(tasks, clone_record(1100, &thread, &shell, &a));
	feed(tasks, exec_record(1200, &a, a.pid, "/bin/a")); /* changes nothing */
	feed(tasks, exit_record(1300, &thread, 0, 1));
	assert_null(proclife_process_io(process_of(&a)));
	if (io)
		frees_with(1400, &thread, 4096, 1);
	else
		feed(tasks, free_record(1400, &thread));
	feed(tasks, exit_record(1500, &a, 0, 0));
	assert_null(proclife_process_io(process_of(&a)));
	frees_with(1600, &a, 100, UINT64_MAX);
	return found;
}

static void test_bytes_at_free(void **state)
{
	(void)state;
	assert_int_equal(of_two(true).read_bytes, 4196);
}

static void test_bytes_at_most(void **state)
{
	(void)state;
	assert_int_equal(of_two(true).write_bytes, UINT64_MAX); /* and no less, by an overflow */
}

static void test_bytes_missing(void **state)
{
	(void)state;
	assert_int_equal(of_two(false).read_bytes, UINT64_MAX);
}

int main(void)
{
#define TIMES(name) cmocka_unit_test_setup_teardown(name, begin, end_tasks)
	const struct CMUnitTest tests[] = {
		TIMES(test_exact),
		TIMES(test_blocked),
		TIMES(test_bounds),
		TIMES(test_backwards),
		TIMES(test_fork),
		TIMES(test_no_fork),
		TIMES(test_exec),
		TIMES(test_threads),
		TIMES(test_lost),
		TIMES(test_core),
		TIMES(test_bytes_at_free),
		TIMES(test_bytes_at_most),
		TIMES(test_bytes_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
