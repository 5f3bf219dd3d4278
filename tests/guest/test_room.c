// SPDX-License-Identifier: GPL-2.0-only
/* The room that a snapshot gets, and its memory, which is charged to the caller. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife/abi.h>

#include "module.h"

#define CAPACITY 4096
#define UNTOUCHED 0xa5
/* Tasks that the module looks at without a break. */
#define CHUNK 64

static struct proclife_record records[CAPACITY + 1];
static int device;

static bool untouched(const struct proclife_record *record)
{
	const unsigned char *byte = (const void *)record;
	size_t i;

	for (i = 0; i < sizeof(*record); i++)
		if (byte[i] != UNTOUCHED)
			return false;
	return true;
}

/*
 * Takes a snapshot with room for @capacity. It fails for lack of room only if there are more tasks than
 * room; what fits is written, and nothing behind it. Returns how many tasks there are.
 */
static uint32_t tasks_with_room(uint32_t capacity)
{
	struct proclife_snapshot s = {
		.records = (uintptr_t)records,
		.capacity = capacity,
		.record_bytes = sizeof(*records),
	};
	uint32_t i, written;
	int ret;

	assert_true(capacity <= CAPACITY);
	memset(records, UNTOUCHED, (capacity + 1) * sizeof(*records));
	ret = ioctl(device, PROCLIFE_IOC_SNAPSHOT, &s) ? errno : 0;
	assert_int_equal(ret, s.count > capacity ? ENOSPC : 0);
	written = s.count < capacity ? s.count : capacity;
	for (i = 0; i < written; i++) {
		assert_int_equal(records[i].type, PROCLIFE_TASK);
		assert_true(!i || records[i - 1].ts <= records[i].ts);
	}
	assert_true(untouched(&records[written]));
	return s.count;
}

/* Sleepers do nothing, so that the number of tasks is known but for the kernel's own threads. */
static void start_sleepers(int *sleepers, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		sleepers[i] = fork();
		assert_true(sleepers[i] >= 0);
		if (sleepers[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail */
		for (;;)
			pause();
	}
}

static void stop_sleepers(const int *sleepers, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		kill(sleepers[i], SIGKILL);
	for (i = 0; i < count; i++)
		waitpid(sleepers[i], NULL, 0);
}

/* Room for exactly all tasks is enough, and room for one less is not, however many chunks they fill. */
static void check_exact_room(void)
{
	unsigned int i;
	uint32_t all;

	/* A kernel thread may come or go between two snapshots, but not each time. */
	for (i = 0; i < 50; i++) {
		all = tasks_with_room(0);
		if (tasks_with_room(all) == all && tasks_with_room(all - 1) == all &&
		    tasks_with_room(all + 1) == all && tasks_with_room(CAPACITY) == all)
			return;
		usleep(20000);
	}
	fail_msg("never the same number of tasks five times in a row; %u at last", all);
}

static void test_exact_room(void **state)
{
	static int sleepers[3 * CHUNK];
	unsigned int count;
	uint32_t before;

	(void)state;
	for (count = 0; count <= 3 * CHUNK; count += CHUNK / 2) {
		before = tasks_with_room(CAPACITY);
		start_sleepers(sleepers, count);
		check_exact_room();
		assert_true(tasks_with_room(CAPACITY) + 16 > before + count);
		stop_sleepers(sleepers, count);
	}
}

/* While tasks come and go, the room that it reports is still right. */
static void test_room_in_a_storm(void **state)
{
	static const int around[] = { -2, -1, 0, 1, 2, CHUNK };
	struct storm *storm = storm_start(4);
	unsigned int i, enough = 0, short_of = 0;
	uint32_t all = tasks_with_room(CAPACITY);

	(void)state;
	for (i = 0; i < 600; i++) {
		uint32_t room = all + around[i % 6];

		all = tasks_with_room(room);
		enough += all <= room;
		short_of += all > room;
	}
	storm_stop(storm);
	assert_true(enough > 50 && short_of > 50);
}

enum { STARTING, READY, GO };

/* Shared by the caller in its cgroup and the test. */
struct shared {
	int state;
	int before, without_memory, after; /* errno, or 0 */
};

static int try_snapshot(void)
{
	struct proclife_snapshot s = {
		.records = (uintptr_t)records,
		.capacity = CAPACITY,
		.record_bytes = sizeof(*records),
	};

	return ioctl(device, PROCLIFE_IOC_SNAPSHOT, &s) ? errno : 0;
}

/* Returns false if the state is not reached within a minute. */
static bool wait_for(const struct shared *shared, int state)
{
	unsigned int i;

	for (i = 0; i < 60000; i++) {
		if (__atomic_load_n(&shared->state, __ATOMIC_ACQUIRE) == state)
			return true;
		usleep(1000);
	}
	return false;
}

static void set_state(struct shared *shared, int state)
{
	__atomic_store_n(&shared->state, state, __ATOMIC_RELEASE);
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

#define ROOT "/sys/fs/cgroup"
#define GROUP ROOT "/proclife-room"

/* The caller needs no more memory, and is not killed: only the module's allocations can fail. */
static void be_caller(struct shared *shared)
{
	if (write_file("/proc/self/oom_score_adj", "-1000") || mlockall(MCL_CURRENT))
		_exit(1);
	shared->before = try_snapshot();
	if (write_file(GROUP "/cgroup.procs", "0"))
		_exit(2);
	set_state(shared, READY);
	if (!wait_for(shared, GO))
		_exit(3);
	shared->without_memory = try_snapshot();
	set_state(shared, READY);
	if (!wait_for(shared, GO))
		_exit(3);
	shared->after = try_snapshot();
	_exit(0);
}

/* Makes a cgroup that may have no memory; false if this kernel does not limit it. */
static bool make_group(void)
{
	write_file(ROOT "/cgroup.subtree_control", "+memory");
	if (mkdir(GROUP, 0755))
		return false;
	if (!access(GROUP "/memory.max", F_OK))
		return true;
	rmdir(GROUP);
	return false;
}

/* A cgroup's limit applies to its snapshots, and to no others. */
static void test_memory_is_the_callers(void **state)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int pid, status, left = 0;
	unsigned int i;

	(void)state;
	if (!make_group()) {
		print_message("skipped: the memory of cgroups has no limit here\n");
		skip();
	}
	assert_true(shared != MAP_FAILED);
	memset(shared, 0, sizeof(*shared));
	pid = fork();
	if (!pid)
		be_caller(shared);
	assert_true(wait_for(shared, READY));
	assert_int_equal(write_file(GROUP "/memory.max", "0"), 0);
	set_state(shared, GO);
	assert_true(wait_for(shared, READY));
	assert_int_equal(try_snapshot(), 0);
	assert_int_equal(write_file(GROUP "/memory.max", "max"), 0);
	set_state(shared, GO);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	for (i = 0; i < 100 && (left = rmdir(GROUP)); i++)
		usleep(10000);
	assert_int_equal(left, 0);
	assert_int_equal(status, 0);
	assert_int_equal(shared->before, 0);
	assert_int_equal(shared->without_memory, ENOMEM);
	assert_int_equal(shared->after, 0);
}

static int begin(void **state)
{
	int ret = load_fixture(state);

	if (!ret)
		device = open(PROCLIFE_DEVICE, O_RDONLY | O_CLOEXEC);
	return ret ? ret : device < 0 ? -errno : 0;
}

static int end(void **state)
{
	close(device);
	return unload_fixture(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_room),
		cmocka_unit_test(test_room_in_a_storm),
		cmocka_unit_test(test_memory_is_the_callers),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
