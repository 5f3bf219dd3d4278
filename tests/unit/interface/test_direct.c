// SPDX-License-Identifier: GPL-2.0-only
/* Functions that proclife-read calls deep inside, called as a program would call them. */
#include "check.h"
#include "fake_device.h"
#include "fixture_tasks.h"

static void test_phases_of_marks(void **state)
{
	static const uint64_t all[PROCLIFE_PHASES] = {
		[PROCLIFE_LIFE] = 9, [PROCLIFE_TEARDOWN] = 20, [PROCLIFE_ZOMBIE] = 30,
		[PROCLIFE_RCU_FREE] = 40, [PROCLIFE_EXIT_FREE] = 90,
	};
	struct proclife_marks marks = {
		.born = 1, .exited = 10, .notified = 30, .reaped = 60, .freed = 100,
	};
	uint64_t ns = 7;

	(void)state;
	for (int phase = 0; phase < PROCLIFE_PHASES; phase++) {
		if (!proclife_marks_phase(&marks, (enum proclife_phase)phase, &ns))
			ns = 0; /* marks have no PROCLIFE_KILL */
		assert_int_equal(ns, all[phase]);
	}
	marks.notified = 0;
	assert_false(proclife_marks_phase(&marks, PROCLIFE_TEARDOWN, &ns));
	assert_true(proclife_marks_phase(&marks, PROCLIFE_ZOMBIE, &ns));
	assert_int_equal(ns, 50);
	assert_false(proclife_marks_phase(&marks, PROCLIFE_PHASES, &ns));
	marks.exited = 0;
	for (int phase = 0; phase < PROCLIFE_PHASES; phase++)
		assert_int_equal(proclife_marks_phase(&marks, (enum proclife_phase)phase, &ns),
				 phase == PROCLIFE_RCU_FREE);
}

static enum proclife_life_state state_of(const struct who *who)
{
	return proclife_task_state(proclife_tasks_find(tasks, who->task));
}

static void test_states_of_a_thread(void **state)
{
	struct who a = process_of_pid(200, "a"), thread = thread_of(&a, 201);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &thread, &shell, &a));
	assert_int_equal(state_of(&thread), PROCLIFE_IS_ALIVE);
	feed(tasks, exit_record(12, &thread, 0, 1));
	assert_int_equal(state_of(&thread), PROCLIFE_IS_ZOMBIE);
	feed_gap(tasks, 1, 12, 13);
	assert_int_equal(state_of(&thread), PROCLIFE_IS_UNKNOWN);
	feed(tasks, reap_record(14, &thread, &thread));
	assert_int_equal(state_of(&thread), PROCLIFE_IS_UNFREED);
}

/* An exited process may have been reaped; a zombie in the snapshot was not. */
static void test_states_without_reap(void **state)
{
	struct who a = process_of_pid(200, "a"), old = process_of_pid(201, "old");

	(void)state;
	trace_without_reap(tasks);
	old.flags = PROCLIFE_F_ZOMBIE;
	feed(tasks, task_record(2, &old, &shell));
	assert_int_equal(state_of(&old), PROCLIFE_IS_ZOMBIE);
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_record(11, &a, 0, 0));
	assert_int_equal(state_of(&a), PROCLIFE_IS_UNFREED);
	assert_int_equal(proclife_process_state(proclife_tasks_holder(tasks, 200)),
			 PROCLIFE_IS_UNFREED);
}

/* It was a zombie when a signal showed it first, as the snapshot shows later. */
static void test_state_of_one_found_late(void **state)
{
	struct who old = process_of_pid(200, "old");

	(void)state;
	feed(tasks, signal_record(2, &old, 15, &shell));
	assert_int_equal(state_of(&old), PROCLIFE_IS_ALIVE);
	old.flags = PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	feed(tasks, task_record(3, &old, &shell));
	assert_int_equal(state_of(&old), PROCLIFE_IS_ZOMBIE);
	assert_int_equal(proclife_tasks_find(tasks, old.task)->flags, old.flags);
}

/* A signal does not have the group's start; the FORK that comes later does. */
static void test_group_of_one_found_late(void **state)
{
	struct who a = process_of_pid(200, "a");

	(void)state;
	feed(tasks, signal_record(9, &a, 15, &shell));
	assert_int_equal(proclife_tasks_holder(tasks, 200)->handle, 0);
	feed(tasks, fork_record(10, &a, &shell));
	assert_int_equal(proclife_tasks_holder(tasks, 200)->handle, a.group);
}

static struct proclife_process *reaper_of(uint32_t tgid)
{
	return proclife_process_reaper(proclife_tasks_holder(tasks, tgid));
}

static void test_reaper(void **state)
{
	struct who parent = process_of_pid(200, "parent"), child = process_of_pid(201, "child");
	struct who heir = process_of_pid(200, "heir");
	struct proclife_record exits = exit_record(12, &child, 0, 0);

	(void)state;
	exits.exit.parent_tgid = 200;
	feed(tasks, fork_record(10, &parent, &shell));
	feed(tasks, fork_record(11, &child, &parent));
	feed(tasks, exits);
	assert_ptr_equal(reaper_of(201), proclife_tasks_holder(tasks, 200));
	feed(tasks, exit_record(13, &parent, 0, 0));
	assert_null(reaper_of(201));
	feed(tasks, reap_record(14, &parent, &shell));
	feed(tasks, fork_record(15, &heir, &shell));
	assert_non_null(proclife_tasks_holder(tasks, 200));
	assert_null(reaper_of(201)); /* another one has its pid */
	/* It has been a zombie since before it was found, when its parent was already there. */
	child = process_of_pid(202, "found");
	child.flags = PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	feed(tasks, task_record(16, &child, &heir));
	assert_ptr_equal(reaper_of(202), proclife_tasks_holder(tasks, 200));
}

/* The source's facts of the whole trace. */
static void test_facts(void **state)
{
	struct fake_device *device = fake_device_new(1, 64);
	struct proclife_source *source;

	for (int reaps = 0; reaps < 2; reaps++) {
		struct who a = process_of_pid(200, "a");

		shell = process_of_pid(100, "sh");
		fake_device_add_rings(device);
		device->header->features = reaps ? UINT64_MAX : ~PROCLIFE_HAS(PROCLIFE_REAP);
		source = fake_device_open(device);
		assert_int_equal(proclife_tasks_new(&tasks, source), 0);
		feed(tasks, fork_record(10, &a, &shell));
		feed(tasks, exit_record(11, &a, 0, 0));
		assert_int_equal(state_of(&a), reaps ? PROCLIFE_IS_ZOMBIE : PROCLIFE_IS_UNFREED);
		end_tasks(state);
		proclife_source_free(source);
	}
	fake_device_free(device);
}

static void test_names_of_types(void **state)
{
	(void)state;
	assert_string_equal(proclife_type_name(PROCLIFE_FORK), "fork");
	assert_string_equal(proclife_type_name(PROCLIFE_SUPPRESSED), "suppressed");
	assert_null(proclife_type_name(PROCLIFE_NONE));
	assert_null(proclife_type_name(PROCLIFE_TYPES));
	assert_null(proclife_type_name(UINT32_MAX));
	assert_string_equal(proclife_type_name(PROCLIFE_EXITING), "exiting");
	assert_string_equal(proclife_type_name(PROCLIFE_MM), "mm");
	assert_string_equal(proclife_type_name(PROCLIFE_COREDUMP), "coredump");
	assert_string_equal(proclife_type_name(PROCLIFE_OOM), "oom");
	assert_string_equal(proclife_type_name(PROCLIFE_CGROUP), "cgroup");
	assert_string_equal(proclife_type_name(PROCLIFE_PAST), "past");
	assert_string_equal(proclife_type_name(PROCLIFE_NOTIFY), "notify");
	assert_string_equal(proclife_type_name(PROCLIFE_BIRTH), "birth");
	assert_string_equal(proclife_type_name(PROCLIFE_FAIL), "fail");
	assert_string_equal(proclife_type_name(PROCLIFE_TIMES), "times");
	assert_string_equal(proclife_type_name(PROCLIFE_PATH), "path");
	assert_null(proclife_type_name(PROCLIFE_PATH + 1));
	for (uint32_t type = PROCLIFE_FORK; type <= PROCLIFE_PATH; type++)
		assert_non_null(proclife_type_name(type));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phases_of_marks),
		TEST(test_states_of_a_thread),
		TEST(test_states_without_reap),
		TEST(test_state_of_one_found_late),
		TEST(test_group_of_one_found_late),
		TEST(test_reaper),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_names_of_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
