// SPDX-License-Identifier: GPL-2.0-only
// WRAP: failing
/* If memory is used up at the first record of a life, or for prepended records, the caller gets an error. */
#include "failing.h"
#include "fake_device.h"
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

/* A trace with only this record. */
static int feed_first(enum proclife_type type, uint64_t *processes)
{
	struct proclife_record record = first_record(type);
	struct proclife_event event = { .record = &record };
	struct proclife_cgroup_ends *ends = NULL;
	struct proclife_tasks *tasks = NULL;
	int err;

	failing_library(true);
	err = proclife_tasks_new(&tasks, NULL);
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

/* A record that the ring does not hold any more comes before what it holds. */
static int prepend(uint64_t *digest)
{
	struct fake_device *device = fake_device_new(1, 16);
	struct who who = process_of_pid(200, "kept");
	struct proclife_record kept = record_of(10, PROCLIFE_FORK, &who);
	struct proclife_source *source = NULL;
	struct proclife_event event;
	int err, ret;

	fake_device_add_rings(device);
	for (uint64_t i = 0; i < 20; i++)
		fake_device_write(device, 0, 100 + i);
	failing_library(true);
	err = proclife_device_open(&source, device->path);
	if (!err)
		err = proclife_source_rewind(source);
	if (!err)
		err = proclife_source_prepend(source, &kept, 1);
	while (!err && (ret = proclife_source_next(source, &event))) {
		keep_first(&err, ret);
		if (ret == 1)
			*digest = *digest * 31 + (event.record ? event.record->ts : 1);
	}
	proclife_source_free(source);
	failing_library(false);
	fake_device_free(device);
	return err;
}

static void test_prepend(void **state)
{
	(void)state;
	failing_run(FAIL_ALLOCATIONS, prepend, 8, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_records),
		cmocka_unit_test(test_prepend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
