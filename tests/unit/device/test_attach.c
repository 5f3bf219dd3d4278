// SPDX-License-Identifier: GPL-2.0-only
/* Reading begins with a history that is longer than what is copied at a time, and a snapshot. */
#include "check.h"
#include "fake_device.h"

#include <device/device.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

static struct fake_device *device;
static struct proclife_source *source;

static void begin(uint64_t size)
{
	device = fake_device_new(2, size);
	fake_device_add_rings(device);
	source = fake_device_open(device);
}

static int end(void **state)
{
	(void)state;
	proclife_source_free(source);
	fake_device_free(device);
	return 0;
}

/*
 * The history of each CPU begins with its own ring, in several batches; if it has wrapped, a gap
 * gives the time of its beginning.
 */
static void test_long_history(void **state)
{
	const uint64_t size = 4 * PROCLIFE_BATCH, written = size + 100;
	const uint64_t old = 3 * PROCLIFE_BATCH + 20;
	uint64_t first = 10000 + written - size, before = 0, count[2] = { 0 };
	struct proclife_event event;
	int ret;

	(void)state;
	begin(size);
	for (uint64_t n = 0; n < old; n++)
		fake_device_write(device, 0, n + 1);
	for (uint64_t n = 0; n < written; n++)
		fake_device_write(device, 1, 10000 + n);
	for (uint64_t n = 0; n < 50; n++)
		fake_device_write(device, 0, first - 20 + n);
	device->now = 20000;
	assert_int_equal(proclife_source_rewind(source), 0);
	assert_int_equal(proclife_source_next(source, &event), 1);
	assert_null(event.record);
	assert_int_equal(event.gap.cpu, 1);
	assert_int_equal(event.gap.lost, 0);
	assert_int_equal(event.gap.from, 0);
	assert_int_equal(event.gap.to, first);
	while ((ret = proclife_source_next(source, &event)) == 1) {
		assert_non_null(event.record);
		assert_true(event.record->ts >= before);
		before = event.record->ts;
		count[event.record->cpu]++;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(count[0], old + 50);
	assert_int_equal(count[1], size);
	assert_int_equal(proclife_source_lost(source), 0);
}

static void suppress(uint32_t cpu, uint64_t types)
{
	device->rings[cpu].page->ctl.suppressing = types;
}

static void write_suppressed(uint32_t cpu, uint64_t ts, enum proclife_type what, bool ended)
{
	struct proclife_record *slot = fake_device_begin(device, cpu);

	fake_device_fill(device, cpu, slot, ts);
	slot->type = PROCLIFE_SUPPRESSED;
	slot->suppressed = (struct proclife_suppressed){ .what = what, .ended = ended, .since = 1 };
	fake_device_commit(device, cpu);
}

/* The next record is made by the library: this type has been suppressed before. */
static void expect_suppressed_since(uint32_t cpu, enum proclife_type what, uint64_t ts, uint64_t since)
{
	struct proclife_event event;

	assert_int_equal(proclife_source_next(source, &event), 1);
	assert_non_null(event.record);
	assert_int_equal(event.record->type, PROCLIFE_SUPPRESSED);
	assert_int_equal(event.record->cpu, cpu);
	assert_int_equal(event.record->ts, ts);
	assert_int_equal(event.record->suppressed.what, what);
	assert_int_equal(event.record->suppressed.ended, 0);
	assert_int_equal(event.record->suppressed.since, since);
	assert_int_equal(event.record->suppressed.count, 0);
}

static void expect_suppressed(uint32_t cpu, enum proclife_type what, uint64_t ts)
{
	expect_suppressed_since(cpu, what, ts, 0);
}

static void expect_type(uint64_t ts, enum proclife_type type)
{
	struct proclife_event event;

	assert_int_equal(proclife_source_next(source, &event), 1);
	assert_non_null(event.record);
	assert_int_equal(event.record->ts, ts);
	assert_int_equal(event.record->type, type);
}

/* A reader that opens while something is suppressed gets one record at once. */
static void test_suppressed(void **state)
{
	struct proclife_event event;

	(void)state;
	device = fake_device_new(2, 64);
	fake_device_add_rings(device);
	suppress(0, PROCLIFE_HAS(PROCLIFE_SIGNAL) | PROCLIFE_HAS(PROCLIFE_WAIT));
	fake_device_write(device, 0, 5);
	source = fake_device_open(device);
	device->now = 100;
	expect_suppressed(0, PROCLIFE_WAIT, 0);
	expect_suppressed(0, PROCLIFE_SIGNAL, 0);
	assert_int_equal(proclife_source_next(source, &event), 0);
	write_suppressed(0, 110, PROCLIFE_WAIT, true);
	suppress(0, PROCLIFE_HAS(PROCLIFE_SIGNAL));
	fake_device_write(device, 1, 120);
	device->now = 200;
	expect_type(110, PROCLIFE_SUPPRESSED);
	expect_type(120, PROCLIFE_FORK);
	assert_int_equal(proclife_source_next(source, &event), 0);
}

/* A history that begins meanwhile gets it, too, from a later record. */
static void test_suppressed_history(void **state)
{
	struct proclife_event event;

	(void)state;
	begin(64);
	for (uint64_t ts = 101; ts <= 180; ts++) {
		if (ts == 140)
			write_suppressed(0, ts, PROCLIFE_WAIT, true);
		else if (ts == 150)
			write_suppressed(0, ts, PROCLIFE_RENAME, false);
		else if (ts == 160)
			write_suppressed(0, ts, PROCLIFE_WAIT, false);
		else
			fake_device_write(device, 0, ts);
	}
	suppress(0, PROCLIFE_HAS(PROCLIFE_RENAME) | PROCLIFE_HAS(PROCLIFE_WAIT) |
			    PROCLIFE_HAS(PROCLIFE_SIGNAL));
	device->now = 200;
	assert_int_equal(proclife_source_rewind(source), 0);
	assert_int_equal(proclife_source_next(source, &event), 1);
	assert_null(event.record);
	assert_int_equal(event.gap.to, 117);
	expect_suppressed(0, PROCLIFE_WAIT, 117);
	expect_suppressed(0, PROCLIFE_SIGNAL, 117);
	for (uint64_t ts = 117; ts <= 180; ts++)
		expect_type(ts, ts == 140 || ts == 150 || ts == 160 ? PROCLIFE_SUPPRESSED :
								      PROCLIFE_FORK);
	assert_int_equal(proclife_source_next(source, &event), 0);
}

/* Recording was stopped where a history begins: the header says since when, if that is not a later stop. */
static void test_stopped_history(void **state)
{
	struct proclife_event event;

	for (uint64_t stopped = 117; stopped <= 118; stopped++) {
		if (stopped > 117)
			end(state);
		begin(64);
		for (uint64_t ts = 101; ts <= 180; ts++)
			fake_device_write(device, 0, ts);
		suppress(0, PROCLIFE_HAS(PROCLIFE_NONE));
		device->header->stopped = stopped;
		device->now = 200;
		assert_int_equal(proclife_source_rewind(source), 0);
		assert_int_equal(proclife_source_next(source, &event), 1);
		assert_null(event.record);
		assert_int_equal(event.gap.to, 117);
		expect_suppressed_since(0, PROCLIFE_NONE, 117, stopped == 117 ? 117 : 0);
		expect_type(117, PROCLIFE_FORK);
	}
}

/* The results of the next SNAPSHOT ioctls, in order. */
static struct answer {
	int error;	/* 0: success */
	uint32_t count; /* the count that it returns */
} answers[8];
static unsigned int asked;
static uint32_t capacities[8];

static bool is_device; /* the file looks like one, which has a clock */
static uint64_t device_clock;

/* Replaces the C library's. */
int fstat(int fd, struct stat *st)
{
	int ret = fstatat(fd, "", st, AT_EMPTY_PATH);

	if (is_device)
		st->st_mode = S_IFCHR | 0400;
	return ret;
}

/* Replaces the C library's: a plain file has no ioctls. */
int ioctl(int fd, unsigned long request, ...)
{
	const struct answer *answer = &answers[asked];
	struct proclife_snapshot *snapshot;
	struct proclife_record *records;
	va_list args;

	(void)fd;
	va_start(args, request);
	snapshot = va_arg(args, struct proclife_snapshot *);
	va_end(args);
	if (request == PROCLIFE_IOC_CLOCK && is_device) {
		*(struct proclife_clock *)snapshot = (struct proclife_clock){ .now = device_clock };
		return 0;
	}
	assert_int_equal(request, PROCLIFE_IOC_SNAPSHOT);
	assert_true(asked < 8);
	capacities[asked++] = snapshot->capacity;
	snapshot->count = answer->count;
	errno = answer->error;
	if (answer->error)
		return -1;
	records = (void *)(uintptr_t)snapshot->records;
	for (uint32_t i = 0; i < snapshot->count && i < snapshot->capacity; i++) {
		memset(&records[i], 0, sizeof(*records));
		records[i].ts = i + 1;
		records[i].type = PROCLIFE_TASK;
	}
	return 0;
}

static int snapshot_with(const struct answer *script, size_t count)
{
	memset(answers, 0, sizeof(answers));
	memcpy(answers, script, count * sizeof(*script));
	asked = 0;
	begin(16);
	device->now = UINT64_MAX / 2;
	return proclife_source_snapshot(source);
}

static unsigned int tasks_read(void)
{
	struct proclife_event event;
	unsigned int count = 0;

	while (proclife_source_next(source, &event) == 1)
		count += event.record && event.record->type == PROCLIFE_TASK;
	return count;
}

/* More tasks than there is room for, twice, and a signal in between. */
static void test_snapshot_grows(void **state)
{
	const struct answer script[] = { { ENOSPC, 5000 }, { EINTR, 0 }, { ENOSPC, 6000 }, { 0, 6100 } };

	(void)state;
	assert_int_equal(snapshot_with(script, 4), 0);
	assert_int_equal(asked, 4);
	assert_true(capacities[1] > 5000);
	assert_int_equal(capacities[2], capacities[1]);
	assert_true(capacities[3] > 6000);
	assert_int_equal(tasks_read(), 6100);
}

/* The ioctl always reports that there is no room. */
static void test_snapshot_always_full(void **state)
{
	const struct answer script[] = { { ENOSPC, 10 }, { ENOSPC, 10 }, { 0, 10 } };

	(void)state;
	assert_int_equal(snapshot_with(script, 3), 0);
	assert_true(capacities[1] > capacities[0] && capacities[2] > capacities[1]);
	assert_int_equal(tasks_read(), 10);
}

static void test_snapshot_fails(void **state)
{
	const struct answer script[] = { { EACCES, 0 } };

	(void)state;
	assert_int_equal(snapshot_with(script, 1), -EACCES);
	assert_int_equal(tasks_read(), 0);
}

static void test_snapshot_too_many(void **state)
{
	const struct answer script[] = { { ENOSPC, UINT32_MAX } };

	(void)state;
	assert_int_equal(snapshot_with(script, 1), -ENOSPC);
}

/* The ioctl reports more tasks than there was room for. */
static void test_snapshot_beyond_its_end(void **state)
{
	const struct answer script[] = { { 0, 100000 } };

	(void)state;
	assert_int_equal(snapshot_with(script, 1), -EPROTO);
	assert_int_equal(tasks_read(), 0);
}

static void test_snapshot_again(void **state)
{
	const struct answer script[] = { { 0, 5 }, { 0, 7 } };

	(void)state;
	assert_int_equal(snapshot_with(script, 2), 0);
	assert_int_equal(proclife_source_snapshot(source), 0);
	assert_int_equal(tasks_read(), 7);
}

/* The horizon is on the writers' clock. */
static void test_clock_of_the_device(void **state)
{
	struct proclife_event event;

	(void)state;
	is_device = true;
	device_clock = 40;
	device = fake_device_new(1, 16);
	fake_device_add_rings(device);
	assert_int_equal(proclife_device_open(&source, device->path), 0);
	fake_device_write(device, 0, 50);
	device_clock = 50;
	assert_int_equal(proclife_source_next(source, &event), 0);
	device_clock = 51;
	assert_int_equal(proclife_source_next(source, &event), 1);
	assert_int_equal(event.record->ts, 50);
	is_device = false;
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_long_history),
		TEST(test_suppressed),
		TEST(test_suppressed_history),
		TEST(test_stopped_history),
		TEST(test_snapshot_grows),
		TEST(test_snapshot_always_full),
		TEST(test_snapshot_fails),
		TEST(test_snapshot_too_many),
		TEST(test_snapshot_beyond_its_end),
		TEST(test_snapshot_again),
		TEST(test_clock_of_the_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
