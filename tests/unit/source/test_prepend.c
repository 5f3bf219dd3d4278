// SPDX-License-Identifier: GPL-2.0-only
// WRAP: ioctl
/* Records that a program has kept for longer than the rings: each comes once, and is recorded. */
#include "recorded.h"
#include "given_ioctl.h"
#include "records.h"

#include <errno.h>
#include <string.h>

#define RING 16

static struct fake_device *device;
static struct proclife_source *source;
static struct who init, sh;

static int begin(void **state)
{
	recorded_setup(state);
	device = fake_device_new(3, RING);
	fake_device_add_rings(device);
	device->header->features = UINT64_MAX;
	device->now = 1000;
	init = process_of_pid(1, "init");
	sh = process_of_pid(100, "sh");
	return 0;
}

static int end(void **state)
{
	proclife_source_free(source);
	fake_device_free(device);
	source = NULL;
	return recorded_teardown(state);
}

#define PREPEND(name) cmocka_unit_test_setup_teardown(name, begin, end)

static void put(uint32_t cpu, struct proclife_record record)
{
	struct proclife_record *slot = fake_device_begin(device, cpu);

	record.ts = device->now++;
	record.cpu = cpu;
	*slot = record;
	proclife_ring_commit(&device->rings[cpu], record.type);
}

/* CPU 0's ring has wrapped, CPU 1's has not, and CPU 2's is empty. */
static void fill(void)
{
	for (uint64_t i = 0; i < RING + 4; i++)
		put(0, wait_record(0, &init));
	put(1, wait_record(0, &init));
	device->now = 2000;
}

static struct proclife_record at(uint64_t ts, uint16_t cpu, struct proclife_record record)
{
	record.ts = ts;
	record.cpu = cpu;
	return record;
}

static void test_once(void **state)
{
	struct proclife_record kept[] = {
		at(500, 1, task_record(0, &init, &init)), at(900, 0, fork_record(0, &sh, &init)),
		at(901, 2, exec_record(0, &sh, 100, "/bin/sh")), at(1003, 0, wait_record(0, &init)),
		at(1004, 0, wait_record(0, &init)), at(1005, 0, wait_record(0, &init)),
	};
	struct proclife_run_info run = { .size = sizeof(run), .began = 1 };
	struct proclife_source *recording;
	struct proclife_recorder *recorder;
	unsigned int records = 0;

	(void)state;
	fill();
	source = fake_device_open(device);
	assert_int_equal(proclife_source_rewind(source), 0);
	snapshot_tasks = 2;
	snapshot_at = 2000;
	assert_int_equal(proclife_source_snapshot(source), 0);
	assert_int_equal(proclife_source_prepend(source, kept, 6), 0);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), 0);
	put(2, wait_record(0, &init));
	device->now = 3000;
	assert_int_equal(log_source(&live, source, UINT64_MAX), 0);
	run.ended = device->now;
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	/* The beginning of CPU 0's history comes first. Records that its ring still has do not come twice. */
	assert_int_equal(live.records[0].type, 0);
	assert_memory_equal(&live.records[1], &kept[0], sizeof(kept[0]));
	assert_memory_equal(&live.records[2], &kept[1], sizeof(kept[0]));
	for (size_t i = 0; i < live.count; i++) {
		const struct proclife_record *r = &live.records[i];

		records += r->type != 0;
		assert_true(!i || r->ts >= live.records[i - 1].ts);
		/* CPU 2's ring has its whole history, without this record, so it cannot be true. */
		assert_false(r->type == PROCLIFE_EXEC);
	}
	assert_int_equal(records, 2 + 1 + RING + 1 + 1 + snapshot_tasks);
	assert_int_equal(live.records[3].ts, 1003);
	assert_int_equal(live.records[4].ts, 1004);
	assert_int_equal(live.records[5].ts, 1005);
	recording = replay(folder.path);
	assert_int_equal(log_source(&again, recording, UINT64_MAX), -ENODATA);
	proclife_source_free(recording);
	assert_same_log(&live, &again);
}

/* That stream has no other records. */
static void test_without_snapshot(void **state)
{
	struct proclife_record kept = at(900, 0, fork_record(0, &sh, &init));

	(void)state;
	fill();
	source = fake_device_open(device);
	assert_int_equal(proclife_source_rewind(source), 0);
	assert_int_equal(proclife_source_prepend(source, &kept, 1), 0);
	/* The last call counts. */
	kept.ts = 901;
	assert_int_equal(proclife_source_prepend(source, &kept, 1), 0);
	assert_int_equal(log_source(&live, source, UINT64_MAX), 0);
	assert_memory_equal(&live.records[1], &kept, sizeof(kept));
	assert_int_equal(live.count, 1 + 1 + RING + 1);
}

static void test_refused(void **state)
{
	struct proclife_record kept[] = {
		at(900, 0, fork_record(0, &sh, &init)), at(899, 1, exec_record(0, &sh, 100, "/bin/sh")),
		at(901, 3, wait_record(0, &init)),
	};

	(void)state;
	fill();
	source = fake_device_open(device);
	assert_int_equal(proclife_source_prepend(source, kept, 1), -ENOTSUP);
	assert_int_equal(proclife_source_rewind(source), 0);
	assert_int_equal(proclife_source_prepend(source, kept, 2), -EINVAL);
	assert_int_equal(proclife_source_prepend(source, &kept[2], 1), -EINVAL);
	assert_int_equal(proclife_source_prepend(source, kept, 0), 0);
	assert_int_equal(log_source(&live, source, UINT64_MAX), 0);
	assert_int_equal(proclife_source_prepend(source, kept, 1), -EBUSY);
}

static void test_recording(void **state)
{
	const struct run_options options = { .cpus = 2, .ring = 64, .rounds = 3, .seed = 1 };
	struct proclife_record kept = at(900, 0, fork_record(0, &sh, &init));
	struct proclife_source *recording;

	(void)state;
	record_run(&options, folder.path, &live);
	recording = replay(folder.path);
	assert_int_equal(proclife_source_prepend(recording, &kept, 1), -ENOTSUP);
	proclife_source_free(recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PREPEND(test_once), PREPEND(test_without_snapshot), PREPEND(test_refused),
		PREPEND(test_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
