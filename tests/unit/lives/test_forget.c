// SPDX-License-Identifier: GPL-2.0-only
/* A program that runs for months forgets cgroups: which, and when. */
#include "check.h"
#include "reapers.h"

#include <recording/cgroups.h>
#include <requests.h>
#include <session/forget.h>

#define HOUR UINT64_C(3600000000000) /* ns */

static struct options options;
static struct run run = { .options = &options };

static int begin(void **state)
{
	begin_reapers_unknown(state);
	options = (struct options){ 0 };
	run = (struct run){ .options = &options, .tasks = tasks };
	assert_int_equal(proclife_cgroups_new(&run.cgroups, NULL, NULL), 0);
	return 0;
}

static int end(void **state)
{
	proclife_cgroups_free(run.cgroups);
	return end_reapers(state);
}

#define FORGET(name) cmocka_unit_test_setup_teardown(name, begin, end)

static void know(uint64_t id)
{
	assert_int_equal(proclife_cgroups_add(run.cgroups, id, "/some"), 0);
}

static bool is_known(uint64_t id)
{
	return proclife_cgroups_known(run.cgroups, id);
}

/* A process that lives from now on, in this cgroup. */
static struct who live_in(uint64_t id, uint32_t pid)
{
	struct who who = process_of_pid(pid, "a");
	struct proclife_record record = fork_record(pid, &who, &shell);

	record.fork.cgroup = id;
	feed(tasks, record);
	know(id);
	return who;
}

static void die(uint64_t id, const struct who *who, bool is_freed)
{
	struct proclife_record record = reap_record(1001, who, &shell);

	record.reap.cgroup = id;
	feed(tasks, exit_record(1000, who, 0, 0));
	feed(tasks, record);
	if (is_freed)
		feed(tasks, free_record(1002, who));
}

/* Cgroups in which a process lives, or dies, are kept, however many these are. */
static void test_gone(void **state)
{
	struct who who[9];

	(void)state;
	for (uint32_t i = 0; i < 9; i++)
		who[i] = live_in(100 + i, 200 + i);
	know(500);
	die(103, &who[3], true);
	die(108, &who[8], true);
	die(105, &who[5], false);
	forget_cgroups(&run, HOUR);
	for (uint32_t i = 0; i < 9; i++)
		assert_int_equal(is_known(100 + i), i != 3 && i != 8);
	assert_false(is_known(500));
}

static void test_hourly(void **state)
{
	(void)state;
	forget_cgroups(&run, 5);
	know(500);
	forget_cgroups(&run, HOUR);
	assert_true(is_known(500));
	forget_cgroups(&run, HOUR + 4);
	assert_true(is_known(500));
	forget_cgroups(&run, HOUR + 5);
	assert_false(is_known(500));
	know(500);
	forget_cgroups(&run, 2 * HOUR + 4);
	assert_true(is_known(500));
}

/* A recording has its paths from the beginning on; they could not be found again. */
static void test_recording(void **state)
{
	(void)state;
	know(500);
	options.inputs.count = 1;
	forget_cgroups(&run, HOUR);
	assert_true(is_known(500));
}

/* Only views that show paths at the end need them until then. */
static void test_views(void **state)
{
	(void)state;
	assert_true(forget_any_time(&options));
	options.views[0] = &view_lives;
	assert_true(forget_any_time(&options));
	options.json = true;
	assert_true(forget_any_time(&options));
	options.sort = SORT_CPU;
	options.given |= GIVEN(SORT);
	assert_false(forget_any_time(&options));
	options.json = false;
	assert_true(forget_any_time(&options));
	options.views[1] = &view_latency;
	assert_true(forget_any_time(&options));
	options.by = PROCLIFE_BY_CGROUP;
	assert_false(forget_any_time(&options));
	options = (struct options){ .views = { &view_tree } };
	assert_true(forget_any_time(&options));
	options.show = SHOW_CGROUP;
	assert_false(forget_any_time(&options));
	options = (struct options){ .views = { &view_export } };
	assert_true(view_shows_cgroups(&view_export, &options));
	assert_true(forget_any_time(&options));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORGET(test_gone), FORGET(test_hourly), FORGET(test_recording), FORGET(test_views),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
