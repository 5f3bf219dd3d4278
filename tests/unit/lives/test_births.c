// SPDX-License-Identifier: GPL-2.0-only
/* Where a fork and an exec began: of those that succeed, and only if no record can be missing in between. */
#include "check.h"
#include "exits.h"
#include "marks.h"

#include <errno.h>
#include <string.h>

static struct who a, b;

static int begin(void **state)
{
	int ret = begin_exits(state);

	trace_with_births(tasks);
	a = process_of_pid(200, "app");
	b = process_of_pid(201, "app");
	return ret;
}

static uint64_t phase(const struct who *who, enum proclife_phase phase)
{
	uint64_t ns;

	return proclife_process_phase(process_of(who), phase, &ns) ? ns : UINT64_MAX;
}

#define UNKNOWN UINT64_MAX

static void birth(uint64_t ts, const struct who *who, uint32_t what)
{
	feed(tasks, birth_record(ts, who, what));
}

static void begins_to_fork(uint64_t ts)
{
	birth(ts, &shell, PROCLIFE_BIRTH_FORKING);
}

static void suppress(uint64_t ts, bool ended)
{
	struct proclife_record record = suppressed_record(PROCLIFE_BIRTH, ts - 1, ended);

	record.ts = ts;
	record.suppressed.ended = ended;
	feed(tasks, record);
}

static void test_phases(void **state)
{
	(void)state;
	begins_to_fork(10);
	feed(tasks, fork_record(15, &a, &shell));
	birth(18, &a, PROCLIFE_BIRTH_STARTED);
	birth(20, &a, PROCLIFE_BIRTH_EXECING); /* as PATH is searched */
	birth(30, &a, PROCLIFE_BIRTH_EXECING);
	feed(tasks, exec_record(37, &a, a.pid, "/bin/app"));
	assert_int_equal(phase(&a, PROCLIFE_PHASE_FORK), 5);
	assert_int_equal(phase(&a, PROCLIFE_PHASE_FIRST_RUN), 3);
	assert_int_equal(phase(&a, PROCLIFE_PHASE_EXEC), 7);
	assert_int_equal(phase(&a, PROCLIFE_PHASE_SPAWN), 27);
	/* The first exec counts. */
	birth(50, &a, PROCLIFE_BIRTH_EXECING);
	feed(tasks, exec_record(51, &a, a.pid, "/bin/app"));
	assert_int_equal(phase(&a, PROCLIFE_PHASE_EXEC), 7);
	/* What failed is nothing of a later one, and one FORKING is of one FORK. */
	begins_to_fork(60);
	begins_to_fork(70);
	feed(tasks, fork_record(71, &b, &shell));
	assert_int_equal(phase(&b, PROCLIFE_PHASE_FORK), 1);
	feed(tasks, exec_record(80, &b, b.pid, "/bin/app"));
	assert_int_equal(phase(&b, PROCLIFE_PHASE_EXEC), UNKNOWN);
	assert_int_equal(phase(&b, PROCLIFE_PHASE_SPAWN), 10);
	a = process_of_pid(202, "app");
	feed(tasks, fork_record(90, &a, &shell));
	assert_int_equal(phase(&a, PROCLIFE_PHASE_FORK), UNKNOWN);
}

static void test_gap(void **state)
{
	(void)state;
	begins_to_fork(10);
	feed_gap(tasks, 1, 12, 14);
	feed(tasks, fork_record(15, &a, &shell));
	assert_int_equal(phase(&a, PROCLIFE_PHASE_FORK), UNKNOWN);
	begins_to_fork(20);
	feed(tasks, fork_record(21, &b, &shell));
	birth(30, &b, PROCLIFE_BIRTH_EXECING);
	feed_gap(tasks, 1, 31, 32);
	feed(tasks, exec_record(40, &b, b.pid, "/bin/app"));
	assert_int_equal(phase(&b, PROCLIFE_PHASE_FORK), 1);
	/* It can have had another one before. */
	assert_int_equal(phase(&b, PROCLIFE_PHASE_EXEC), UNKNOWN);
	assert_int_equal(phase(&b, PROCLIFE_PHASE_SPAWN), UNKNOWN);
}

static void test_suppressed(void **state)
{
	(void)state;
	begins_to_fork(10);
	suppress(11, false);
	feed(tasks, fork_record(15, &a, &shell));
	assert_int_equal(phase(&a, PROCLIFE_PHASE_FORK), UNKNOWN);
	birth(16, &a, PROCLIFE_BIRTH_STARTED); /* is never suppressed */
	assert_int_equal(phase(&a, PROCLIFE_PHASE_FIRST_RUN), 1);
	birth(17, &a, PROCLIFE_BIRTH_EXECING); /* shows that it is over on this CPU */
	feed(tasks, exec_record(20, &a, a.pid, "/bin/app"));
	assert_int_equal(phase(&a, PROCLIFE_PHASE_EXEC), UNKNOWN);
	begins_to_fork(30);
	feed(tasks, fork_record(31, &b, &shell));
	assert_int_equal(phase(&b, PROCLIFE_PHASE_FORK), 1);
}

/* The creator counts, and not the parent; a thread has the first two. */
static void test_creator(void **state)
{
	struct who thread = thread_of(&a, 203), late = process_of_pid(204, "late");
	struct proclife_record fork = fork_record(9, &late, &shell);
	const struct proclife_births *births;
	uint64_t ns;

	(void)state;
	/* In a recording that keeps the latest, the shell's leader stands for a thread that is gone. */
	begins_to_fork(8);
	fork.fork.creator_pid++;
	feed(tasks, fork);
	assert_int_equal(phase(&late, PROCLIFE_PHASE_FORK), UNKNOWN);
	feed(tasks, failed_fork_record(9, &shell, EAGAIN, 0));
	feed(tasks, fork_record(10, &a, &shell));
	begins_to_fork(11);
	birth(12, &a, PROCLIFE_BIRTH_FORKING);
	feed(tasks, clone_record(20, &b, &shell, &a)); /* CLONE_PARENT */
	assert_int_equal(phase(&b, PROCLIFE_PHASE_FORK), 8);
	birth(30, &a, PROCLIFE_BIRTH_FORKING);
	feed(tasks, clone_record(33, &thread, &shell, &a));
	birth(40, &thread, PROCLIFE_BIRTH_STARTED);
	births = proclife_task_births(proclife_tasks_find(tasks, thread.task));
	assert_int_equal(births->forking, 30);
	assert_true(proclife_task_phase(proclife_tasks_find(tasks, thread.task), PROCLIFE_PHASE_FIRST_RUN, &ns));
	assert_int_equal(ns, 7);
	assert_int_equal(phase(&a, PROCLIFE_PHASE_FORK), UNKNOWN);
	/* It takes its leader's place. */
	birth(50, &thread, PROCLIFE_BIRTH_EXECING);
	thread.pid = a.pid;
	thread.start = a.start;
	thread.flags = 0;
	feed(tasks, exec_record(54, &thread, 203, "/bin/app"));
	assert_int_equal(phase(&a, PROCLIFE_PHASE_EXEC), 4);
	assert_int_equal(phase(&a, PROCLIFE_PHASE_FIRST_RUN), UNKNOWN);
}

static void test_goes_on(void **state)
{
	bool at_least;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	assert_int_equal(proclife_process_phase_since(process_of(&a), PROCLIFE_PHASE_FIRST_RUN, &at_least), 10);
	assert_int_equal(proclife_process_phase_since(process_of(&a), PROCLIFE_PHASE_FORK, &at_least), 0);
	birth(12, &a, PROCLIFE_BIRTH_STARTED);
	assert_int_equal(proclife_process_phase_since(process_of(&a), PROCLIFE_PHASE_FIRST_RUN, &at_least), 0);
	feed(tasks, fork_record(20, &b, &shell));
	feed_gap(tasks, 1, 21, 22);
	assert_int_equal(proclife_process_phase_since(process_of(&b), PROCLIFE_PHASE_FIRST_RUN, &at_least), 0);
}

/* The hook for the first run can be missed: what a process does shows that it has run. */
static void test_start_missed(void **state)
{
	struct who child = process_of_pid(210, "child"), c = process_of_pid(211, "c"), d = process_of_pid(212, "d");
	struct who all[] = { a, b, c, d, child };
	bool at_least;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &shell));
	feed(tasks, fork_record(12, &c, &shell));
	assert_int_equal(proclife_process_phase_since(process_of(&c), PROCLIFE_PHASE_FIRST_RUN, &at_least), 12);
	birth(20, &a, PROCLIFE_BIRTH_EXECING);
	feed(tasks, wait_record(21, &b));
	feed(tasks, fork_record(22, &child, &c));
	birth(23, &child, PROCLIFE_BIRTH_FORKING);
	feed(tasks, fork_record(24, &d, &shell));
	feed(tasks, failed_exec_record(25, &d, ENOENT, "/bin/app"));
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_int_equal(proclife_process_phase_since(process_of(&all[i]), PROCLIFE_PHASE_FIRST_RUN, &at_least), 0);
}

/* What has failed is over: what succeeds after it began later, even if the record of that is missing. */
static void test_failed(void **state)
{
	struct proclife_record last = failed_exec_record(50, &b, ENOENT, "/bin/app");

	(void)state;
	begins_to_fork(10);
	feed(tasks, failed_exec_record(11, &shell, ENOENT, "/bin/app"));
	feed(tasks, fork_record(15, &a, &shell));
	assert_int_equal(phase(&a, PROCLIFE_PHASE_FORK), 5);
	begins_to_fork(20);
	feed(tasks, failed_fork_record(21, &shell, EAGAIN, 0));
	feed(tasks, fork_record(25, &b, &shell));
	assert_int_equal(phase(&b, PROCLIFE_PHASE_FORK), UNKNOWN);
	birth(30, &a, PROCLIFE_BIRTH_EXECING);
	feed(tasks, failed_exec_record(31, &a, ENOENT, "/bin/app"));
	feed(tasks, exec_record(35, &a, a.pid, "/usr/bin/app"));
	assert_int_equal(phase(&a, PROCLIFE_PHASE_EXEC), UNKNOWN);
	birth(40, &b, PROCLIFE_BIRTH_EXECING);
	feed(tasks, failed_fork_record(41, &b, EAGAIN, 0));
	feed(tasks, exec_record(45, &b, b.pid, "/usr/bin/app"));
	assert_int_equal(phase(&b, PROCLIFE_PHASE_EXEC), 5);
	last.flags |= PROCLIFE_F_BY_FD;
	feed(tasks, last);
	feed(tasks, exit_record(51, &b, 127 << 8, 0));
	assert_int_equal(proclife_process_failed_exec(process_of(&b))->error, ENOENT);
	assert_true(proclife_process_failed_exec(process_of(&b))->by_fd);
}

/* A trace without births has none, whatever records say. */
static void test_without(void **state)
{
	(void)state;
	proclife_tasks_free(tasks);
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	report_to(tasks);
	begins_to_fork(10);
	feed(tasks, fork_record(11, &a, &shell));
	assert_null(proclife_process_births(process_of(&a)));
	assert_int_equal(phase(&a, PROCLIFE_PHASE_FORK), UNKNOWN);
}

/* What a part of a recording says of records that it lacks. */
static void test_past(void **state)
{
	struct proclife_record past;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	past = birth_record(11, &a, PROCLIFE_BIRTH_PAST);
	past.birth.forking = 4;
	past.birth.started = 12;
	past.birth.execing = 20;
	past.birth.execed = 21;
	feed(tasks, past);
	feed(tasks, exec_record(60, &a, a.pid, "/bin/app")); /* a later one */
	assert_int_equal(phase(&a, PROCLIFE_PHASE_FORK), 6);
	assert_int_equal(phase(&a, PROCLIFE_PHASE_FIRST_RUN), 2);
	assert_int_equal(phase(&a, PROCLIFE_PHASE_EXEC), 1);
	assert_int_equal(phase(&a, PROCLIFE_PHASE_SPAWN), 17);
	past.birth.started = UINT64_MAX;
	past.birth.forking = 5;
	feed(tasks, past);
	assert_int_equal(phase(&a, PROCLIFE_PHASE_FORK), 6);
	/* It has execed, and when is not known. */
	feed(tasks, fork_record(70, &b, &shell));
	past = record_of(71, PROCLIFE_PAST, &b);
	past.past.execs = 1;
	feed(tasks, past);
	birth(80, &b, PROCLIFE_BIRTH_EXECING);
	feed(tasks, exec_record(81, &b, b.pid, "/bin/app"));
	assert_int_equal(phase(&b, PROCLIFE_PHASE_EXEC), UNKNOWN);
}

static void expect_lacks(uint32_t without, enum proclife_type fork, enum proclife_type first_run, enum proclife_type exec)
{
	struct proclife_header header = {
		.features = PROCLIFE_HAS(PROCLIFE_BIRTH),
		.birth_marks = PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_FORKING) | PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_STARTED) |
			       PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_EXECING),
	};

	header.birth_marks &= ~PROCLIFE_HAS_BIRTH(without);
	assert_int_equal(proclife_phase_lacks(PROCLIFE_PHASE_FORK, &header), fork);
	assert_int_equal(proclife_phase_lacks(PROCLIFE_PHASE_FIRST_RUN, &header), first_run);
	assert_int_equal(proclife_phase_lacks(PROCLIFE_PHASE_EXEC, &header), exec);
	assert_int_equal(proclife_phase_lacks(PROCLIFE_PHASE_SPAWN, &header), fork);
	assert_int_equal(proclife_phase_lacks(PROCLIFE_PHASE_SPAWN, NULL), PROCLIFE_BIRTH);
}

/* Each hook can be missing alone. */
static void test_lacks(void **state)
{
	(void)state;
	expect_lacks(0, PROCLIFE_NONE, PROCLIFE_NONE, PROCLIFE_NONE);
	expect_lacks(PROCLIFE_BIRTH_FORKING, PROCLIFE_BIRTH, PROCLIFE_NONE, PROCLIFE_NONE);
	expect_lacks(PROCLIFE_BIRTH_STARTED, PROCLIFE_NONE, PROCLIFE_BIRTH, PROCLIFE_NONE);
	expect_lacks(PROCLIFE_BIRTH_EXECING, PROCLIFE_NONE, PROCLIFE_NONE, PROCLIFE_BIRTH);
}

int main(void)
{
#define BIRTHS(name) cmocka_unit_test_setup_teardown(name, begin, end_tasks)
	const struct CMUnitTest tests[] = {
		BIRTHS(test_phases),
		BIRTHS(test_gap),
		BIRTHS(test_suppressed),
		BIRTHS(test_creator),
		BIRTHS(test_goes_on),
		BIRTHS(test_start_missed),
		BIRTHS(test_failed),
		BIRTHS(test_without),
		BIRTHS(test_past),
		cmocka_unit_test(test_lacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
