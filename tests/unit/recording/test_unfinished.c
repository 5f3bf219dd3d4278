// SPDX-License-Identifier: GPL-2.0-only
// WRAP: sched_yield mkdirat
/* Recorders that are killed, or whose disk is full: what was written can be read. */
#include "recorded.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child records until it is killed; returns what was replayed of it. */
static void kill_child(uint64_t seed)
{
	uint64_t random = seed;
	int status, pipes[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct fake_device *device = fake_device_new(2, 1024);
		struct proclife_run_info run = { .size = sizeof(run), .began = 1 };
		struct proclife_recorder *recorder;
		struct proclife_source *source;
		struct proclife_event event;

		fake_device_add_rings(device);
		source = fake_device_open(device);
		if (proclife_recorder_new(&recorder, source, folder.path, &run) ||
		    write(pipes[1], "", 1) != 1)
			_exit(1);
		for (;;) {
			for (uint64_t n = random_below(&random, 1000); n; n--)
				fake_device_write(device, random_below(&random, 2), device->now++);
			while (proclife_source_next(source, &event) == 1)
				;
			if (proclife_recorder_sync(recorder))
				_exit(1);
		}
	}
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	usleep(random_below(&random, 20000));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	close(pipes[0]);
	close(pipes[1]);
}

static void test_killed(void **state)
{
	uint64_t total = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		const struct proclife_run_info *info;
		struct proclife_source *source;
		struct proclife_event event;
		uint64_t next = 0, horizon;
		int ret;

		kill_child(seed);
		source = replay(folder.path);
		info = proclife_recording_info(source);
		assert_false(info->complete);
		horizon = info->synced;
		while ((ret = proclife_source_next(source, &event)) == 1) {
			assert_non_null(event.record);
			/* Each number is written once, so nothing may be missing up to there. */
			if (event.record->ts < horizon)
				assert_int_equal(event.record->ts, next);
			next = event.record->ts + 1;
			total++;
		}
		assert_int_equal(ret, -ENODATA);
		proclife_source_free(source);
		folder_remove(&folder);
		folder_make(&folder);
	}
	assert_true(total > 1000);
}

/* The disk is full after this many bytes of a file: what was written can be read. */
static void test_disk_full(void **state)
{
	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t limit = 0; limit < 200000; limit += limit < 20000 ? 1500 : 32123) {
		struct fake_device *device = fake_device_new(2, 2048);
		struct proclife_run_info run = {
			.size = sizeof(run), .began = 1, .ended = UINT64_MAX / 2,
		};
		struct proclife_recorder *recorder;
		struct rlimit old, small;
		struct proclife_source *source;
		struct proclife_fault fault;
		int ret = 0, created;

		fake_device_add_rings(device);
		source = fake_device_open(device);
		getrlimit(RLIMIT_FSIZE, &old);
		small = old;
		small.rlim_cur = limit;
		setrlimit(RLIMIT_FSIZE, &small);
		created = proclife_recorder_new(&recorder, source, folder.path, &run);
		for (int round = 0; !created && round < 100; round++) {
			for (int i = 0; i < 99; i++)
				fake_device_write(device, i % 2, ++device->now);
			device->now++;
			log_source(&live, source, UINT64_MAX);
			if (!ret)
				ret = proclife_recorder_sync(recorder);
		}
		if (created) {
			assert_int_equal(created, -EFBIG);
		} else {
			assert_int_equal(ret, -EFBIG);
			assert_int_equal(proclife_recorder_finish(recorder, &run), -EFBIG);
			proclife_recorder_free(recorder);
		}
		setrlimit(RLIMIT_FSIZE, &old);
		proclife_source_free(source);
		fake_device_free(device);
		if (!created) {
			assert_int_equal(try_replay(folder.path, &fault, &again), 0);
			assert_true(log_common(&live, &again) > 0 || limit < 8192);
		}
		live.count = 0;
		again.count = 0;
		folder_remove(&folder);
		folder_make(&folder);
	}
}

static bool no_room;

int __real_mkdirat(int dir, const char *path, mode_t mode);
int __wrap_mkdirat(int dir, const char *path, mode_t mode);

int __wrap_mkdirat(int dir, const char *path, mode_t mode)
{
	errno = ENOSPC;
	return no_room ? -1 : __real_mkdirat(dir, path, mode);
}

/* There is no room for the folder: the caller gets that error. */
static void test_no_folder(void **state)
{
	struct proclife_run_info run = { .size = sizeof(run), .began = 1 };
	struct fake_device *device = fake_device_new(1, 64);
	struct proclife_source *source = fake_device_open(device);
	struct proclife_recorder *recorder;

	(void)state;
	no_room = true;
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), -ENOSPC);
	no_room = false;
	proclife_source_free(source);
	fake_device_free(device);
}

static unsigned int yields, repair_at;

int __wrap_sched_yield(void);

/* The recorder gets the CPU, and writes the rest of its header. */
int __wrap_sched_yield(void)
{
	if (++yields == repair_at)
		file_flip(folder.path, "cpu_0", offsetof(struct proclife_packet, checksum), 1);
	return 0;
}

/* A half-written header is read again; if it stays half-written, it is damaged. */
static void test_header_half_written(void **state)
{
	struct proclife_run_info run = { .size = sizeof(run), .began = 1 };
	struct fake_device *device = fake_device_new(1, 64);
	struct proclife_recorder *recorder;
	struct proclife_source *source;
	struct proclife_fault fault;

	(void)state;
	fake_device_add_rings(device);
	source = fake_device_open(device);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), 0);
	while (device->now < 10)
		fake_device_write(device, 0, ++device->now);
	device->now++;
	log_source(&live, source, UINT64_MAX);
	assert_int_equal(proclife_recorder_sync(recorder), 0);
	file_flip(folder.path, "cpu_0", offsetof(struct proclife_packet, checksum), 1);
	assert_int_equal(try_replay(folder.path, &fault, &again), -EBADMSG);
	assert_non_null(strstr(fault.text, "the packet's header is damaged"));
	repair_at = yields + 3;
	again.count = 0;
	assert_int_equal(try_replay(folder.path, &fault, &again), 0);
	assert_int_equal(again.count, 10);
	assert_same_log(&live, &again);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	fake_device_free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDED(test_killed),
		RECORDED(test_disk_full),
		RECORDED(test_no_folder),
		RECORDED(test_header_half_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
