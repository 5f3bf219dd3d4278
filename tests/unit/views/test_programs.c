// SPDX-License-Identifier: GPL-2.0-only
/* Lives are added to their programs, before and after these are sorted, as --live does at each draw. */
#include "check.h"
#include "fixture_tasks.h"

#include <views/summary/programs.h>
#include <string.h>

static struct programs programs;

static void gone(void *data, struct proclife_process *process)
{
	(void)data;
	programs_add(&programs, SUMMARY_BY_COMM, process, true);
}

/* A life with this name that used as much CPU time, in ns. */
static void life(uint64_t ts, uint32_t pid, const char *comm, uint64_t runtime)
{
	struct who who = process_of_pid(pid, comm);
	struct proclife_record last = exit_record(ts + 1, &who, 0, 0), freed = free_record(ts + 3, &who);

	last.exit.runtime = freed.free.runtime = runtime;
	feed(tasks, fork_record(ts, &who, &shell));
	feed(tasks, last);
	feed(tasks, reap_record(ts + 2, &who, &shell));
	feed(tasks, freed);
}

static void expect(size_t place, const char *name, uint64_t runs, uint64_t runtime)
{
	const struct program *program = programs.all[place];

	assert_string_equal(program->name, name);
	assert_int_equal(program->runs, runs);
	assert_int_equal(program->runtime, runtime);
}

static void test_sorted_in_between(void **state)
{
	static const struct proclife_reports reports = { .size = sizeof(reports), .process_gone = gone };

	(void)state;
	assert_int_equal(proclife_tasks_report(tasks, &reports, NULL), 0);
	life(10, 200, "a", 1);
	life(20, 201, "b", 2);
	life(30, 202, "c", 3);
	programs_sort(&programs);
	expect(0, "c", 1, 3);
	expect(2, "a", 1, 1);
	life(40, 203, "a", 9);
	life(50, 204, "d", 5);
	programs_sort(&programs);
	life(60, 205, "b", 1);
	assert_int_equal(programs.count, 4);
	expect(0, "a", 2, 10);
	expect(1, "d", 1, 5);
	expect(2, "c", 1, 3);
	expect(3, "b", 2, 3);
	programs_free(&programs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_sorted_in_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
