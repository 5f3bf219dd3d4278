// SPDX-License-Identifier: GPL-2.0-only
// WRAP: getrandom ioctl
/* What is recorded is what is replayed. */
#include "recorded.h"
#include "given_ioctl.h"

#include <recording/ctf.h>
#include <recording/fields.h>
#include <errno.h>
#include <base/map.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_run(const struct run_options *options)
{
	struct proclife_fault fault;
	uint64_t gaps = 0, tasks = 0;

	record_run(options, folder.path, &live);
	assert_int_equal(try_replay(folder.path, &fault, &again), 0);
	assert_same_log(&live, &again);
	for (size_t i = 0; i < live.count; i++) {
		gaps += !live.records[i].type;
		tasks += live.records[i].type == PROCLIFE_TASK;
	}
	if (options->ring < 64 && live.count > 1000)
		assert_true(gaps > 0);
	if (live.count > 10000)
		assert_int_equal(tasks, options->snapshot);
}

static void test_same(void **state)
{
	(void)state;
	check_run(&(struct run_options){ .cpus = 4, .ring = 4096, .rounds = 40, .seed = 1 });
}

static void test_same_with_gaps(void **state)
{
	(void)state;
	check_run(&(struct run_options){ .cpus = 4, .ring = 32, .rounds = 100, .seed = 2 });
}

static void test_same_with_snapshot(void **state)
{
	(void)state;
	check_run(&(struct run_options){ .cpus = 2, .ring = 512, .rounds = 20, .seed = 3,
					 .snapshot = 1500, .sync = true });
}

static void test_late_cpu(void **state)
{
	(void)state;
	check_run(&(struct run_options){ .cpus = 3, .ring = 1024, .rounds = 20, .seed = 4,
					 .sync = true, .late = true });
}

static void test_empty(void **state)
{
	(void)state;
	check_run(&(struct run_options){ .cpus = 3, .ring = 1024, .sync = true });
	assert_int_equal(again.count, 0);
}

static void test_many(void **state)
{
	(void)state;
	for (uint64_t seed = 10; seed < 60; seed++) {
		struct run_options options = {
			.cpus = 2 + seed % 5,
			.ring = 1ULL << seed % 11,
			.rounds = 30,
			.seed = seed,
			.snapshot = seed % 3 ? 0 : 10 * seed,
			.sync = seed % 2,
			.late = seed % 4 == 0,
			.abandon = seed % 7 == 0,
		};

		check_run(&options);
		recorded_teardown(NULL);
		recorded_setup(NULL);
	}
}

/* The clock determines the end; later records that the merge has yielded are not part of it. */
static void test_end(void **state)
{
	struct fake_device *device = fake_device_new(2, 64);
	struct proclife_run_info run = {
		.size = sizeof(run), .began = 5, .command = 77, .command_creator = 76,
	};
	struct proclife_recorder_counts counts;
	struct proclife_recorder *recorder;
	const struct proclife_run_info *info;
	struct proclife_source *source;

	(void)state;
	fake_device_add_rings(device);
	device->header->hz = 250;
	device->header->mm_marks = 0x80000015;
	device->header->cgroup_leave = PROCLIFE_CGROUP_LEAVE_SWITCH;
	device->header->rss_error = (1ULL << 40) + 1;
	device->header->features = UINT64_MAX;
	device->header->to_realtime = 1700000000123456789;
	strcpy(device->header->release, "6.1 \"\\ \303\244;\n};");
	source = fake_device_open(device);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), 0);
	fake_device_write(device, 1, 10);
	fake_device_write(device, 0, 20);
	fake_device_write(device, 1, 21);
	device->now = 100;
	log_source(&live, source, 3);
	assert_int_equal(live.count, 3);
	device->header->reap_missed = 7;
	device->header->marks_missed = 8;
	run.ended = 20;
	run.command_status = 3;
	strcpy(run.reason, "duration");
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	counts = *proclife_recorder_counts(recorder);
	assert_int_equal(counts.records, 2);
	assert_int_equal(counts.lost, 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);

	source = replay(folder.path);
	info = proclife_recording_info(source);
	assert_int_equal(info->began, 5);
	assert_int_equal(info->ended, 20);
	assert_int_equal(info->command, 77);
	assert_int_equal(info->command_creator, 76);
	assert_int_equal(info->command_status, 3);
	assert_string_equal(info->reason, "duration");
	assert_true(info->complete);
	assert_int_equal(info->records, 2);
	assert_string_equal(proclife_source_header(source)->release, "6.1 \"\\ \303\244;\n};");
	assert_int_equal(proclife_source_header(source)->hz, 250);
	assert_int_equal(proclife_source_header(source)->features, UINT64_MAX);
	assert_int_equal(proclife_source_header(source)->reap_missed, 7);
	assert_int_equal(proclife_source_header(source)->marks_missed, 8);
	assert_int_equal(proclife_source_header(source)->mm_marks, 0x80000015);
	assert_int_equal(proclife_source_header(source)->cgroup_leave,
			 PROCLIFE_CGROUP_LEAVE_SWITCH);
	assert_true(proclife_source_header(source)->rss_error == (1ULL << 40) + 1);
	assert_int_equal(proclife_source_header(source)->to_realtime, 1700000000123456789);
	assert_int_equal(log_source(&again, source, UINT64_MAX), -ENODATA);
	assert_int_equal(again.count, 2);
	assert_int_equal(proclife_source_horizon(source), 20);
	assert_int_equal(log_source(&again, source, 1), -ENODATA);
	assert_int_equal(proclife_source_lost(source), 0);
	assert_int_equal(proclife_source_wait(source, -1), 1);
	assert_true(proclife_source_fd(source) < 0);
	assert_null(proclife_source_ring(source, 0));
	proclife_source_free(source);
	fake_device_free(device);
}

/* The @n-th record of its time: all flags are set, and all bytes of its payload differ. */
static struct proclife_record full_record(uint16_t type, uint32_t n)
{
	struct proclife_record record = {
		.ts = 10 + n, .type = type, .flags = UINT32_MAX - n, .task = 0xa000 + n,
		.start = 0xb000 + n, .pid = 0xc000 + n, .tgid = 0xd000 + n, .comm = "full",
	};

	for (size_t i = 0; i < sizeof(record.words); i++)
		((unsigned char *)record.words)[i] = (unsigned char)(1 + i + n);
	return record;
}

/* All fields of each type, and the reserved bytes, which a later module may use. */
static void test_each_type(void **state)
{
	struct fake_device *device = fake_device_new(1, 64);
	struct proclife_run_info run = { .size = sizeof(run), .ended = 100 };
	struct proclife_recorder *recorder;
	const struct proclife_layout *layout;
	struct proclife_source *source;
	uint64_t types = 0;
	uint32_t n;

	(void)state;
	fake_device_add_rings(device);
	source = fake_device_open(device);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), 0);
	for (n = 0; (layout = proclife_layout(n)); n++) {
		*fake_device_begin(device, 0) = full_record(layout->type, n);
		proclife_ring_commit(&device->rings[0], layout->type);
		types |= PROCLIFE_HAS(layout->type);
	}
	assert_int_equal(types, PROCLIFE_KNOWN_TYPES);
	device->now = 100;
	assert_int_equal(log_source(&live, source, UINT64_MAX), 0);
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	source = replay(folder.path);
	assert_int_equal(log_source(&again, source, UINT64_MAX), -ENODATA);
	assert_int_equal(again.count, n);
	for (n = 0; (layout = proclife_layout(n)); n++) {
		struct proclife_record expected = full_record(layout->type, n);

		assert_memory_equal(&again.records[n], &expected, sizeof(expected));
	}
	proclife_source_free(source);
	fake_device_free(device);
}

static void test_refused(void **state)
{
	struct fake_device *device = fake_device_new(1, 64);
	struct proclife_recorder *recorder, *other;
	struct proclife_run_info run = { .size = sizeof(run) };
	struct proclife_source *source;
	struct proclife_event event;
	char path[PATH_MAX + 20];

	(void)state;
	fake_device_add_rings(device);
	source = fake_device_open(device);
	/* An empty folder is accepted. */
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.base, &run), 0);
	assert_int_equal(proclife_recorder_new(&other, source, folder.path, &run), -EBUSY);
	proclife_recorder_free(recorder);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.base, &run), -ENOTEMPTY);
	snprintf(path, sizeof(path), "%s/metadata", folder.base);
	assert_int_equal(proclife_recorder_new(&recorder, source, path, &run), -ENOTDIR);
	snprintf(path, sizeof(path), "%s/missing/recording", folder.base);
	assert_int_equal(proclife_recorder_new(&recorder, source, path, &run), -ENOENT);
	proclife_source_next(source, &event);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), -EBUSY);
	proclife_source_free(source);
	assert_int_equal(access(folder.path, F_OK), -1);

	source = replay(folder.base);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), -ENOTSUP);
	proclife_source_free(source);
	fake_device_free(device);
}

/* A recording that cannot be opened would be worse than an error. */
static void test_end_before_what_is_written(void **state)
{
	struct fake_device *device = fake_device_new(1, 64);
	struct proclife_run_info run = { .size = sizeof(run) };
	struct proclife_recorder *recorder;
	struct proclife_source *source;

	(void)state;
	fake_device_add_rings(device);
	source = fake_device_open(device);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), 0);
	fake_device_write(device, 0, 10);
	device->now = 100;
	log_source(&live, source, 1);
	assert_int_equal(proclife_recorder_sync(recorder), 0);
	assert_int_equal(proclife_recorder_finish(recorder, &run), -EINVAL);
	run.ended = 9;
	assert_int_equal(proclife_recorder_finish(recorder, &run), -EINVAL);
	assert_int_equal(proclife_recorder_error(recorder), 0);
	fake_device_write(device, 0, 101);
	device->now = 200;
	log_source(&live, source, 1);
	run.ended = 10;
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	source = replay(folder.path);
	assert_true(proclife_recording_info(source)->complete);
	assert_int_equal(log_source(&again, source, UINT64_MAX), -ENODATA);
	assert_int_equal(again.count, 1);
	proclife_source_free(source);
	fake_device_free(device);
}

static void test_nothing_after_the_end(void **state)
{
	struct fake_device *device = fake_device_new(1, 64);
	struct proclife_run_info run = { .size = sizeof(run), .ended = 1 };
	struct proclife_recorder *recorder;
	struct proclife_source *source;

	(void)state;
	fake_device_add_rings(device);
	source = fake_device_open(device);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), 0);
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	assert_int_equal(proclife_recorder_finish(recorder, &run), -EINVAL);
	assert_int_equal(proclife_recorder_sync(recorder), -EINVAL);
	assert_int_equal(proclife_recorder_error(recorder), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	proclife_source_free(replay(folder.path));
	fake_device_free(device);
}

/* Texts that a recorder accepts can be read again, to the last byte. */
static void test_texts_of_a_run(void **state)
{
	struct fake_device *device = fake_device_new(1, 64);
	struct proclife_run_info run = { .size = sizeof(run), .ended = 1 }, wrong;
	struct proclife_recorder *recorder;
	struct proclife_source *source;
	char host[PROCLIFE_HOST_LEN] = "";

	(void)state;
	memset(run.reason, 'x', sizeof(run.reason) - 1);
	memset(run.rcu, 'y', sizeof(run.rcu) - 1);
	fake_device_add_rings(device);
	source = fake_device_open(device);
	wrong = run;
	wrong.reason[sizeof(run.reason) - 1] = 'x';
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &wrong), -EINVAL);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), 0);
	assert_int_equal(proclife_recorder_finish(recorder, &wrong), -EINVAL);
	wrong = run;
	wrong.rcu[sizeof(run.rcu) - 1] = 'y';
	assert_int_equal(proclife_recorder_finish(recorder, &wrong), -EINVAL);
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	source = replay(folder.path);
	assert_string_equal(proclife_recording_info(source)->reason, run.reason);
	assert_string_equal(proclife_recording_info(source)->rcu, run.rcu);
	assert_int_equal(gethostname(host, sizeof(host) - 1), 0);
	assert_string_equal(proclife_recording_info(source)->hostname, host);
	proclife_source_free(source);
	fake_device_free(device);
}

static bool too_early; /* for random numbers */

ssize_t __real_getrandom(void *buffer, size_t size, unsigned int flags);
ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned int flags);

ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned int flags)
{
	errno = EAGAIN;
	return too_early ? -1 : __real_getrandom(buffer, size, flags);
}

/* Then recordings differ by their times, and tables by when they were made. */
static void test_without_random_numbers(void **state)
{
	const uint64_t times[2] = { 0, 1 }; /* the offset of its clock to the time of day, and its beginning */
	struct proclife_source *source;

	(void)state;
	too_early = true;
	assert_int_not_equal(proclife_seed(), proclife_seed());
	record_run(&(struct run_options){ .cpus = 1, .ring = 64, .rounds = 1 }, folder.path, &live);
	too_early = false;
	source = replay(folder.path);
	assert_memory_equal(proclife_recording_info(source)->uuid, times, sizeof(times));
	proclife_source_free(source);
}

/* Memory for 2 million records is not taken, and all of them are read again. */
static void test_big(void **state)
{
	struct fake_device *device = fake_device_new(4, 1 << 14);
	struct proclife_run_info run = { .size = sizeof(run), .ended = UINT64_MAX / 2 };
	struct proclife_recorder *recorder;
	struct proclife_source *source;
	struct proclife_event event;
	uint64_t records = 0, sum = 0, random = 9;

	(void)state;
	fake_device_add_rings(device);
	source = fake_device_open(device);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), 0);
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 10000; i++)
			fake_device_write(device, random_below(&random, 4), ++device->now);
		device->now++;
		while (proclife_source_next(source, &event) == 1) {
			assert_non_null(event.record);
			records++;
			sum = sum * 31 + event.record->ts * event.record->cpu;
		}
	}
	assert_int_equal(records, 1000000);
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	source = replay(folder.path);
	while (proclife_source_next(source, &event) == 1) {
		records--;
		again.count = again.count * 31 + event.record->ts * event.record->cpu;
	}
	assert_int_equal(records, 0);
	assert_true(again.count == sum);
	again.count = 0;
	proclife_source_free(source);
	fake_device_free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDED(test_same),
		RECORDED(test_same_with_gaps),
		RECORDED(test_same_with_snapshot),
		RECORDED(test_late_cpu),
		RECORDED(test_empty),
		RECORDED(test_many),
		RECORDED(test_end),
		RECORDED(test_each_type),
		RECORDED(test_refused),
		RECORDED(test_end_before_what_is_written),
		RECORDED(test_nothing_after_the_end),
		RECORDED(test_texts_of_a_run),
		RECORDED(test_without_random_numbers),
		RECORDED(test_big),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
