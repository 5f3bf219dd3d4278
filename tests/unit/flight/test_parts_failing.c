// SPDX-License-Identifier: GPL-2.0-only
// WRAP: failing
/* A recorder that keeps the latest, and readers of it, when memory, system calls or space fail. */
#include "failing.h"
#include "parted.h"
#include "records.h"

#include <device/device.h>
#include <errno.h>
#include <recording/recorder.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool space; /* space fails, but earlier parts can be removed: that is no error */

static void keep_first(int *err, int ret)
{
	if (!*err && ret < 0)
		*err = ret;
}

static void read_clock(struct proclife_clock *clock, void *data)
{
	clock->now = ((struct fake_device *)data)->now;
}

/* The same process each time. */
static struct who life_of(uint32_t pid, const char *comm)
{
	return (struct who){ .task = pid, .group = pid, .start = pid, .pid = pid, .tgid = pid, .comm = comm };
}

static void write_lives(struct fake_device *device, uint64_t round)
{
	for (uint32_t i = 0; i < 6; i++) {
		struct who who = life_of((uint32_t)(100 * round + i), "life"), other = life_of(99, "other");
		const struct proclife_record records[] = {
			fork_record(device->now + 1, &who, &other), exec_record(device->now + 2, &who, who.pid, "/bin/life"),
			signal_record(device->now + 3, &who, 15, &other), exit_record(device->now + 4, &who, 15, 0),
			notify_record(device->now + 4, &who, &other), reap_record(device->now + 5, &who, &other),
			free_record(device->now + 6, &who),
		};
		size_t count = i % 2 ? 2 : sizeof(records) / sizeof(records[0]); /* the others stay */

		for (size_t at = 0; at < count; at++) {
			struct proclife_record *slot = fake_device_begin(device, i % 2);

			*slot = records[at];
			slot->cpu = i % 2;
			fake_device_commit(device, i % 2);
		}
		device->now += 10;
	}
}

static int drain(struct proclife_source *source)
{
	struct proclife_event event;
	int ret;

	do {
		ret = proclife_source_next(source, &event);
	} while (ret == 1);
	return ret;
}

/* Records a part for each of some rounds; returns the first error. */
static int record_parts(struct fake_device *device, unsigned int rounds, struct proclife_held *held)
{
	struct proclife_keep some = { .size = sizeof(some), .bytes = 64 << 20 };
	struct proclife_run_info info = { .size = sizeof(info), .began = device->now, .command_status = -1 };
	struct proclife_recorder *kept = NULL;
	struct proclife_source *source = NULL;
	int err = proclife_device_open(&source, device->path);

	if (!err) {
		proclife_device_set_clock(source, read_clock, device);
		keep_first(&err, proclife_recorder_keep(&kept, source, folder.path, &info, &some));
	}
	for (unsigned int round = 1; kept && round <= rounds; round++) {
		write_lives(device, round);
		kept->part_bytes = round % 2 ? UINT64_MAX : 0; /* then each is full at once */
		keep_first(&err, drain(source));
		keep_first(&err, proclife_recorder_sync(kept));
		keep_first(&err, proclife_recorder_error(kept));
		if (proclife_recorder_error(kept))
			break;
	}
	if (kept && !proclife_recorder_error(kept)) {
		info.ended = device->now;
		keep_first(&err, proclife_recorder_finish(kept, &info));
		*held = *proclife_recorder_held(kept);
	}
	proclife_recorder_free(kept);
	proclife_source_free(source);
	return err;
}

static uint64_t hash(uint64_t digest, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	while (size--)
		digest = (digest ^ *bytes++) * 0x100000001b3;
	return digest;
}

static struct fake_device *new_device(void)
{
	struct fake_device *device = fake_device_new(2, 1024);

	fake_device_add_rings(device);
	device->now = 1000;
	return device;
}

static int record_some(uint64_t *digest)
{
	struct fake_device *device;
	struct proclife_held held = { 0 };
	struct proclife_fault fault;
	int err, replayed;

	folder_make(&folder);
	if (space) {
		device = new_device();
		assert_int_equal(record_parts(device, 6, &held), 0);
		fake_device_free(device);
	}
	device = new_device();
	failing_library(true);
	err = record_parts(device, 3, &held);
	failing_library(false);
	replayed = try_replay(folder.path, &fault, &again);
	if (!err) {
		assert_int_equal(replayed, 0);
		assert_true(held.parts > 1);
		*digest = hash(*digest, again.records, again.count * sizeof(*again.records));
	} else {
		/* Either its records can be read, or nothing is there. */
		assert_true(!space && (!replayed || replayed == -ENOEXEC || replayed == -ENOENT));
	}
	log_free(&again);
	fake_device_free(device);
	folder_remove(&folder);
	return err;
}

static void test_recorder(void **state)
{
	(void)state;
	space = false;
	/* Where there is none for what makes it quicker (bygone.h), it is as before. */
	failing_run(FAIL_ALLOCATIONS, record_some, 100, 80);
	failing_run(FAIL_CALLS, record_some, 100, 600);
	failing_run(INTERRUPT_CALLS, record_some, 20, UINT64_MAX);
	failing_run(CUT_CALLS, record_some, 10, UINT64_MAX);
}

static void test_space(void **state)
{
	(void)state;
	space = true;
	failing_run(FAIL_SPACE, record_some, 30, UINT64_MAX);
}

static int read_parts(uint64_t *digest)
{
	struct proclife_source *source = NULL;
	struct proclife_fault fault = { .text = "" };
	struct proclife_event event;
	int err, ret;

	failing_library(true);
	err = proclife_recording_open(&source, folder.path, &fault);
	if (err) {
		failing_library(false);
		assert_int_not_equal(fault.text[0], 0);
		return err;
	}
	do {
		ret = proclife_source_next(source, &event);
		keep_first(&err, ret == -ENODATA ? 0 : ret);
		if (ret == 1 && event.record)
			*digest = hash(*digest, event.record, sizeof(*event.record));
	} while (ret == 1);
	if (proclife_recording_damage(source, 0))
		keep_first(&err, -EIO);
	proclife_source_free(source);
	failing_library(false);
	return err;
}

static void test_reader(void **state)
{
	struct fake_device *device = new_device();
	struct proclife_held held;

	(void)state;
	folder_make(&folder);
	assert_int_equal(record_parts(device, 4, &held), 0);
	fake_device_free(device);
	failing_run(FAIL_ALLOCATIONS, read_parts, 20, 0);
	failing_run(FAIL_CALLS, read_parts, 40, 120);
	failing_run(INTERRUPT_CALLS, read_parts, 1, UINT64_MAX);
	failing_run(CUT_CALLS, read_parts, 1, UINT64_MAX);
	folder_remove(&folder);
}

/* Whatever fails, the recording stays whole; what could not be done can be done again. */
static int compress_some(uint64_t *digest)
{
	struct proclife_fault fault = { .text = "" };
	uint64_t bytes = 0;
	int err, replayed;

	copy_recording();
	failing_library(true);
	err = proclife_recording_compress(other.path, NULL, NULL, &bytes, &fault);
	failing_library(false);
	assert_true(!err || err == -ENOMEM || fault.text[0]);
	again.count = 0;
	replayed = try_replay(other.path, &fault, &again);
	assert_int_equal(replayed, 0);
	assert_same_log(&live, &again);
	*digest = hash(0, again.records, again.count * sizeof(*again.records));
	for (size_t i = 1; i < RECORDED_FILES; i++) {
		char path[PATH_MAX + 64];

		snprintf(path, sizeof(path), "%s/%s.zst", other.path, recorded_files[i]);
		assert_true(!unlink(path) || err);
	}
	return err;
}

static void test_compressing(void **state)
{
	struct run_options options = { .cpus = 2, .ring = 512, .rounds = 10, .seed = 5, .snapshot = 600 };
	uint64_t bytes;

	(void)state;
	record_run(&options, folder.path, &live);
	failing_run(FAIL_ALLOCATIONS, compress_some, 3, 1); /* the bytes are not counted then */
	failing_run(FAIL_CALLS, compress_some, 30, 20);
	failing_run(FAIL_SPACE, compress_some, 3, 0);
	failing_run(INTERRUPT_CALLS, compress_some, 10, UINT64_MAX);
	failing_run(CUT_CALLS, compress_some, 3, UINT64_MAX);

	assert_int_equal(proclife_recording_compress(folder.path, NULL, NULL, &bytes, NULL), 0);
	failing_run(FAIL_ALLOCATIONS, read_parts, 10, 0);
	failing_run(FAIL_CALLS, read_parts, 20, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorder),
		cmocka_unit_test(test_space),
		cmocka_unit_test(test_reader),
		COPIED(test_compressing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
