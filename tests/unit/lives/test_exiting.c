// SPDX-License-Identifier: GPL-2.0-only
/* An exit begins at the first EXITING of an end, whatever comes between that and EXIT. */
#include "check.h"
#include "exits.h"

#include <signal.h>

static uint64_t phase(const struct proclife_process *process, enum proclife_phase phase)
{
	uint64_t ns;

	if (!proclife_process_phase(process, phase, &ns))
		fail_msg("%s is not known", proclife_phase_info(phase)->name);
	return ns;
}

static void test_phases_begin_there(void **state)
{
	struct who a = process_of_pid(200, "app");
	const struct proclife_process *gone = &reported.gone[0];

	(void)state;
	trace_with_notify(tasks);
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exiting(20, &a, SOLE, 0));
	assert_int_equal(process_of(&a)->exiting, 20);
	assert_int_equal(process_of(&a)->marks.exited, 0); /* it is on its way */
	assert_int_equal(process_of(&a)->leader_exited, 20);
	assert_false(proclife_process_has_exited(process_of(&a)));
	assert_int_equal(proclife_process_state(process_of(&a)), PROCLIFE_IS_DYING);
	feed(tasks, ended(50, &a, 0, 0));
	assert_int_equal(process_of(&a)->marks.exited, 20);
	assert_int_equal(proclife_process_state(process_of(&a)), PROCLIFE_IS_DYING);
	feed(tasks, notify_record(60, &a, &shell));
	assert_int_equal(proclife_process_state(process_of(&a)), PROCLIFE_IS_ZOMBIE);
	feed(tasks, reap_record(70, &a, &shell));
	feed(tasks, free_record(90, &a));
	assert_int_equal(reported.gone_count, 1);
	assert_int_equal(phase(gone, PROCLIFE_LIFE), 10);
	assert_int_equal(phase(gone, PROCLIFE_TEARDOWN), 40);
	assert_int_equal(phase(gone, PROCLIFE_ZOMBIE), 10);
	assert_int_equal(phase(gone, PROCLIFE_RCU_FREE), 20);
	assert_int_equal(phase(gone, PROCLIFE_EXIT_FREE), 70);
	assert_int_equal(reported.tasks[0].marks.exited, 20);
}

/* Exits begin at EXIT if the trace has no EXITING. */
static void test_without(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	proclife_tasks_free(tasks);
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	report_to(tasks);
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, ended(50, &a, 0, 0));
	assert_int_equal(process_of(&a)->marks.exited, 50);
	assert_int_equal(phase(process_of(&a), PROCLIFE_LIFE), 40);
}

/* All threads are killed at once: the first one counts, whichever is the last. */
static void test_whole_group(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &a, &a));
	feed(tasks, exiting(20, &t, WHOLE, SIGKILL));
	feed(tasks, exiting(25, &a, WHOLE, SIGKILL));
	feed(tasks, ended(30, &t, SIGKILL, 1));
	assert_int_equal(process_of(&a)->marks.exited, 0);
	feed(tasks, ended(40, &a, SIGKILL, 0));
	assert_int_equal(process_of(&a)->marks.exited, 20);
	assert_int_equal(proclife_tasks_find(tasks, a.task)->marks.exited, 25);
	assert_int_equal(proclife_tasks_find(tasks, t.task)->marks.exited, 20);
	assert_int_equal(reported.exiting_count, 1);
	assert_int_equal(reported.exiting[0].exiting, 20);
}

/* Each thread ends by itself: the process ends with the last one. */
static void test_one_by_one(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &a, &a));
	feed(tasks, exiting(20, &a, 0, 0));
	feed(tasks, ended(25, &a, 0, 1));
	feed(tasks, exiting(30, &t, 0, 0));
	feed(tasks, ended(40, &t, 0, 0));
	assert_int_equal(process_of(&a)->marks.exited, 30);
	assert_int_equal(process_of(&a)->exiting, 0);
	assert_int_equal(process_of(&a)->leader_exited, 20);
	assert_int_equal(reported.exiting_count, 0);
	assert_int_equal(reported.exited_count, 1);
}

/* The core is dumped first. */
static void test_core_dump(void **state)
{
	struct who a = process_of_pid(200, "app");
	struct proclife_record dump = record_of(15, PROCLIFE_COREDUMP, &a);

	(void)state;
	dump.coredump.signo = SIGSEGV;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, dump);
	feed(tasks, exiting(20, &a, SOLE, SIGSEGV | 0x80));
	feed(tasks, ended(40, &a, SIGSEGV | 0x80, 0));
	assert_int_equal(process_of(&a)->marks.exited, 15);
}

/* A gap in its life can hide the EXITING of another thread, and the COREDUMP. */
static void test_gap_before(void **state)
{
	static const struct {
		uint32_t flags;
		int32_t code;
		uint64_t exited;
	} cases[] = {
		{ WHOLE, SIGKILL, 0 }, { SOLE, SIGKILL, 20 }, { SOLE, 3 << 8, 20 }, { 0, 3 << 8, 20 },
		{ SOLE, SIGQUIT, 0 }, { SOLE, SIGILL, 0 }, { SOLE, SIGTRAP, 0 }, { SOLE, SIGABRT, 0 },
		{ SOLE, SIGBUS, 0 }, { SOLE, SIGFPE, 0 }, { SOLE, SIGSEGV, 0 }, { SOLE, SIGXCPU, 0 },
		{ SOLE, SIGXFSZ, 0 }, { SOLE, SIGSYS, 0 }, { SOLE, SIGTERM, 20 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct who a = process_of_pid(200, "app");

		feed(tasks, fork_record(10, &a, &shell));
		feed_gap(tasks, 3, 11, 15);
		feed(tasks, exiting(20, &a, cases[i].flags, cases[i].code));
		feed(tasks, ended(40, &a, cases[i].code, 0));
		assert_int_equal(process_of(&a)->marks.exited, cases[i].exited);
		assert_true(proclife_process_has_exited(process_of(&a)));
		feed(tasks, reap_record(50, &a, &shell));
		feed(tasks, free_record(60, &a));
	}
}

/* The EXITING itself is lost: the process has exited, but the beginning of its exit is not known. */
static void test_gap_between(void **state)
{
	struct who a = process_of_pid(200, "app");
	uint64_t ns;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed_gap(tasks, 1, 15, 30);
	feed(tasks, ended(40, &a, 0, 0));
	assert_true(proclife_process_has_exited(process_of(&a)));
	assert_int_equal(process_of(&a)->marks.exited, 0);
	feed(tasks, reap_record(50, &a, &shell));
	feed(tasks, free_record(60, &a));
	assert_false(proclife_process_phase(&reported.gone[0], PROCLIFE_EXIT_FREE, &ns));
	assert_false(proclife_process_phase(&reported.gone[0], PROCLIFE_LIFE, &ns));
	assert_true(reported.gone[0].incomplete);
}

/* Without a gap, the EXITING was missed: it can have been the first one of the end. */
static void test_missed(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &a, &a));
	feed(tasks, exiting(20, &a, WHOLE, SIGKILL));
	feed(tasks, ended(30, &t, SIGKILL, 1));
	feed(tasks, ended(40, &a, SIGKILL, 0));
	assert_true(proclife_process_has_exited(process_of(&a)));
	assert_int_equal(process_of(&a)->marks.exited, 0);
	assert_int_equal(proclife_tasks_find(tasks, a.task)->marks.exited, 20);
}

/* At the snapshot, one of its threads had begun to exit already. */
static void test_found_exiting(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);

	(void)state;
	feed(tasks, found(10, &a, PROCLIFE_F_EXITING));
	feed(tasks, task_record(11, &t, &a));
	feed(tasks, exiting(20, &t, WHOLE, SIGKILL));
	feed(tasks, ended(30, &a, SIGKILL, 1));
	feed(tasks, ended(40, &t, SIGKILL, 0));
	assert_int_equal(process_of(&a)->marks.exited, 0);
	assert_int_equal(proclife_tasks_find(tasks, t.task)->marks.exited, 20);
	assert_int_equal(proclife_tasks_find(tasks, a.task)->marks.exited, 0);
}

static void test_killed(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "deaf"),
		   c = process_of_pid(202, "far");
	struct proclife_record blocked = signal_record(12, &b, SIGTERM, &shell);
	uint64_t ns;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(10, &b, &shell));
	feed(tasks, fork_record(10, &c, &shell));
	feed(tasks, signal_record(11, &a, SIGTERM, &shell));
	assert_int_equal(proclife_process_killed(process_of(&a)), 0); /* it lives */
	blocked.signal.blocked = 1;
	feed(tasks, blocked);
	feed(tasks, exiting(31, &a, SOLE, SIGTERM));
	feed(tasks, exiting(32, &b, SOLE, SIGTERM));
	feed(tasks, ended(41, &a, SIGTERM, 0));
	feed(tasks, ended(42, &b, SIGTERM, 0));
	assert_int_equal(proclife_process_killed(process_of(&a)), 11);
	assert_int_equal(phase(process_of(&a), PROCLIFE_KILL), 20);
	assert_true(proclife_process_killer(process_of(&b))->blocked);
	assert_false(proclife_process_killer(process_of(&a))->blocked);
	assert_int_equal(proclife_process_killed(process_of(&b)), 0);
	assert_false(proclife_process_phase(process_of(&b), PROCLIFE_KILL, &ns));
	/* A gap can hide an earlier SIGKILL. */
	feed_gap(tasks, 1, 43, 44);
	feed(tasks, signal_record(45, &c, SIGKILL, &shell));
	feed(tasks, exiting(46, &c, SOLE, SIGKILL));
	feed(tasks, ended(47, &c, SIGKILL, 0));
	assert_non_null(proclife_process_killer(process_of(&c)));
	assert_false(proclife_process_phase(process_of(&c), PROCLIFE_KILL, &ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EXITS(test_phases_begin_there), EXITS(test_without),     EXITS(test_whole_group),
		EXITS(test_one_by_one),	  EXITS(test_core_dump),   EXITS(test_gap_before),
		EXITS(test_gap_between),	  EXITS(test_missed),	  EXITS(test_found_exiting), EXITS(test_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
