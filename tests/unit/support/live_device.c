// SPDX-License-Identifier: GPL-2.0-only
#include "live_device.h"
#include "fake_device.h"
#include "recorded.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

char live_path[64];

static struct fake_device *device;
static pthread_t thread;
static bool stop, writing;

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

void live_put(uint32_t cpu, struct proclife_record record)
{
	struct proclife_record *slot = fake_device_begin(device, cpu);

	record.ts = now();
	record.cpu = cpu;
	*slot = record;
	proclife_ring_commit(&device->rings[cpu], record.type);
}

void live_missed(uint64_t reaps, uint64_t marks)
{
	device->header->reap_missed += reaps;
	device->header->marks_missed += marks;
}

void live_story(uint32_t n)
{
	struct who init = process_of_pid(1, "init");
	struct who sh = process_of_pid(1000 + n * 4, "sh");
	struct who cc = process_of_pid(1001 + n * 4, "cc");
	struct who worker = thread_of(&cc, 1002 + n * 4);
	struct who daemon = process_of_pid(1003 + n * 4, "da\xc3\xa4mon");
	uint32_t cpu = n % 4;

	live_put(cpu, fork_record(0, &sh, &init));
	live_put(cpu, exec_record(0, &sh, sh.pid, "/bin/sh"));
	live_put(cpu, fork_record(0, &cc, &sh));
	live_put(1, exec_record(0, &cc, cc.pid, "/usr/lib/gcc/x86_64-linux-gnu/12/a/longer/path/cc1"));
	live_put(1, clone_record(0, &worker, &sh, &cc));
	live_put(2, fork_record(0, &daemon, &cc));
	live_put(2, rename_record(0, &daemon, "new name"));
	live_put(1, exit_record(0, &worker, 0, 1));
	live_put(1, free_record(0, &worker));
	live_put(1, exit_record(0, &cc, n % 3 << 8, 0));
	live_put(3, reap_record(0, &cc, &sh));
	live_put(3, free_record(0, &cc));
	live_put(cpu, exit_record(0, &sh, n % 5 ? 0 : 11, 0));
	live_put(3, reap_record(0, &sh, &init));
	live_put(3, free_record(0, &sh));
}

void live_open(uint64_t ring)
{
	device = fake_device_new(4, ring);
	fake_device_add_rings(device);
	device->header->features = WITHOUT_EXITING;
	device->header->reap_source = PROCLIFE_REAP_CGROUP_RELEASE;
	device->header->to_realtime = 1700000000123456789;
	device->header->reap_missed = 1;
	snprintf(live_path, sizeof(live_path), "/proc/%d/fd/%d", (int)getpid(), device->fd);
}

int live_setup(void **state)
{
	(void)state;
	folder_make(&folder);
	stop = false;
	return 0;
}

int live_teardown(void **state)
{
	(void)state;
	if (writing) {
		stop = true;
		pthread_join(thread, NULL);
		writing = false;
	}
	folder_remove(&folder);
	if (device)
		fake_device_free(device);
	device = NULL;
	return 0;
}

static void *write_bursts(void *data)
{
	uint32_t n = 0;

	(void)data;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		for (int i = 0; i < 60; i++)
			live_story(n++ % 8000);
		usleep(20000);
	}
	return NULL;
}

void live_bursts(void)
{
	writing = !pthread_create(&thread, NULL, write_bursts, NULL);
	assert_true(writing);
}
