// SPDX-License-Identifier: GPL-2.0-only
/* Where memory is used up at the first record of a life, of whatever type, the caller is told so. */
#include "failing.h"
#include "records.h"

#include <string.h>

static void keep_first(int *err, int ret)
{
	if (!*err && ret < 0)
		*err = ret;
}

static struct proclife_record first_record(enum proclife_type type)
{
	struct who unseen = process_of_pid(200, "unseen");
	struct proclife_record record = record_of(10, type, &unseen);

	if (type == PROCLIFE_CGROUP)
		record.cgroup.cgroup = record.cgroup.populated = 1;
	return record;
}

/* An empty trace, but for this one. */
static int feed_first(enum proclife_type type, uint64_t *processes)
{
	struct proclife_record record = first_record(type);
	struct proclife_event event = { .record = &record };
	struct proclife_cgroup_ends *ends = NULL;
	struct proclife_tasks *tasks = NULL;
	int err;

	failing_library(true);
	err = proclife_tasks_new(&tasks);
	if (!err)
		err = proclife_cgroup_ends_new(&ends, tasks);
	if (!err) {
		keep_first(&err, proclife_tasks_feed(tasks, &event));
		*processes += proclife_tasks_selected(tasks);
		keep_first(&err, proclife_tasks_close(tasks));
	}
	proclife_cgroup_ends_free(ends);
	proclife_tasks_free(tasks);
	failing_library(false);
	return err;
}

static int feed_each(uint64_t *processes)
{
	int err = 0;

	for (enum proclife_type type = PROCLIFE_FORK; type <= PROCLIFE_CGROUP; type++)
		keep_first(&err, feed_first(type, processes));
	return err;
}

static void test_first_records(void **state)
{
	(void)state;
	failing_run(FAIL_ALLOCATIONS, feed_each, PROCLIFE_CGROUP * 5, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
