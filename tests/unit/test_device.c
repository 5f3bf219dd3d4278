// SPDX-License-Identifier: GPL-2.0-only
/* The device as a source, on a file that is laid out as the device is. */
#include "check.h"
#include "fake_device.h"

#include <device.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define expect_record(source, on_cpu, time)                                   \
	do {                                                                  \
		struct proclife_event e;                                      \
									      \
		assert_int_equal(proclife_source_next((source), &e), 1);      \
		assert_non_null(e.record);                                    \
		assert_int_equal(e.record->ts, (time));                       \
		assert_int_equal(e.record->cpu, (on_cpu));                    \
		assert_int_equal(e.record->start, ~(uint64_t)(time));         \
	} while (0)

#define expect_gap(source, on_cpu, count, begin, end)                         \
	do {                                                                  \
		struct proclife_event e;                                      \
									      \
		assert_int_equal(proclife_source_next((source), &e), 1);      \
		assert_null(e.record);                                        \
		assert_int_equal(e.gap.cpu, (on_cpu));                        \
		assert_int_equal(e.gap.lost, (count));                        \
		assert_int_equal(e.gap.from, (begin));                        \
		assert_int_equal(e.gap.to, (end));                            \
	} while (0)

#define expect_nothing(source)                                                \
	do {                                                                  \
		struct proclife_event e;                                      \
									      \
		assert_int_equal(proclife_source_next((source), &e), 0);      \
	} while (0)

static struct fake_device *device;
static struct proclife_source *source;

static void begin(uint32_t cpus, uint64_t size)
{
	device = fake_device_new(cpus, size);
	fake_device_add_rings(device);
	source = fake_device_open(device);
}

static int end(void **state)
{
	(void)state;
	proclife_source_free(source);
	if (device)
		fake_device_free(device);
	source = NULL;
	device = NULL;
	return 0;
}

static void test_order(void **state)
{
	(void)state;
	begin(3, 16);
	expect_nothing(source);
	fake_device_write(device, 2, 10);
	fake_device_write(device, 0, 11);
	fake_device_write(device, 0, 12);
	fake_device_write(device, 1, 11);
	fake_device_write(device, 2, 12);
	device->now = 100;
	expect_record(source, 2, 10);
	expect_record(source, 0, 11);
	expect_record(source, 1, 11);
	expect_record(source, 0, 12);
	expect_record(source, 2, 12);
	expect_nothing(source);
	assert_int_equal(proclife_source_lost(source), 0);
}

static void test_ties(void **state)
{
	struct proclife_event event;

	(void)state;
	begin(4, 16);
	for (int position = 0; position < 3; position++)
		for (int cpu = 3; cpu >= 0; cpu--)
			fake_device_write(device, cpu, 50);
	device->now = 51;
	for (int cpu = 0; cpu < 4; cpu++) {
		for (int position = 0; position < 3; position++) {
			assert_int_equal(proclife_source_next(source, &event), 1);
			assert_int_equal(event.record->cpu, cpu);
			assert_int_equal(event.record->task, position);
		}
	}
	expect_nothing(source);
}

static void test_from_open_on(void **state)
{
	(void)state;
	device = fake_device_new(2, 16);
	fake_device_add_rings(device);
	fake_device_write(device, 0, 10);
	fake_device_write(device, 1, 20);
	source = fake_device_open(device);
	device->now = 100;
	expect_nothing(source);
	fake_device_write(device, 1, 110);
	device->now = 120;
	expect_record(source, 1, 110);
	expect_nothing(source);
}

/* Another CPU could still write something that comes before it. */
static void test_at_the_horizon(void **state)
{
	(void)state;
	begin(2, 16);
	fake_device_write(device, 1, 50);
	fake_device_write(device, 1, 51);
	device->now = 50;
	expect_nothing(source);
	fake_device_write(device, 0, 50);
	device->now = 51;
	expect_record(source, 0, 50);
	expect_record(source, 1, 50);
	expect_nothing(source);
	assert_int_equal(proclife_source_horizon(source), 51);
	device->now = 52;
	expect_record(source, 1, 51);
	expect_nothing(source);
	assert_int_equal(proclife_source_horizon(source), 52);
}

static void test_write_in_flight(void **state)
{
	struct proclife_record *slot;

	(void)state;
	begin(3, 16);
	fake_device_write(device, 0, 10);
	fake_device_write(device, 0, 20);
	fake_device_write(device, 1, 15);
	fake_device_write(device, 1, 25);
	slot = fake_device_begin(device, 0);
	device->now = 100;
	/* CPU 2 is idle and stalls nothing. CPU 0 has nothing older than 20 in hand. */
	expect_record(source, 0, 10);
	expect_record(source, 1, 15);
	expect_nothing(source);
	device->now = 110;
	fake_device_write(device, 2, 105);
	expect_nothing(source);
	fake_device_fill(device, 0, slot, 22);
	expect_nothing(source);
	fake_device_commit(device, 0);
	expect_record(source, 0, 20);
	expect_record(source, 0, 22);
	expect_record(source, 1, 25);
	expect_record(source, 2, 105);
	expect_nothing(source);
	assert_int_equal(proclife_source_horizon(source), 110);
}

/* What a CPU has in flight can be no older than the time up to which it was once settled. */
static void test_in_flight_after_silence(void **state)
{
	struct proclife_record *slot;

	(void)state;
	begin(2, 16);
	device->now = 1000;
	expect_nothing(source);
	slot = fake_device_begin(device, 0);
	fake_device_write(device, 1, 1010);
	device->now = 1100;
	expect_nothing(source);
	assert_true(proclife_source_horizon(source) >= 1000);
	assert_true(proclife_source_horizon(source) <= 1010);
	fake_device_fill(device, 0, slot, 1005);
	fake_device_commit(device, 0);
	expect_record(source, 0, 1005);
	expect_record(source, 1, 1010);
	expect_nothing(source);
}

static void write_at_clock(struct fake_device *fake)
{
	/* Both after the library's clock reading and so at or above it. */
	fake_device_write(fake, 0, fake->now + 2);
	fake_device_write(fake, 1, fake->now);
	fake->now += 10;
}

static void test_records_after_the_clock(void **state)
{
	struct proclife_event event;
	uint64_t last = 0;

	(void)state;
	begin(2, 16);
	device->now = 100;
	device->at_clock = write_at_clock;
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(proclife_source_next(source, &event), 1);
		assert_non_null(event.record);
		assert_true(event.record->ts > last);
		assert_true(event.record->ts < device->now);
		last = event.record->ts;
	}
}

static void test_overrun(void **state)
{
	(void)state;
	begin(2, 8);
	device->now = 10;
	expect_nothing(source);
	for (uint64_t ts = 20; ts < 40; ts++)
		fake_device_write(device, 0, ts);
	fake_device_write(device, 1, 15);
	fake_device_write(device, 1, 33);
	device->now = 100;
	/* Nothing is known of the lost ones but that they come after 10. */
	expect_gap(source, 0, 12, 10, 32);
	expect_record(source, 1, 15);
	expect_record(source, 0, 32);
	expect_record(source, 0, 33);
	expect_record(source, 1, 33);
	for (uint64_t ts = 34; ts < 40; ts++)
		expect_record(source, 0, ts);
	expect_nothing(source);
	assert_int_equal(proclife_source_lost(source), 12);
	/* And it goes on as if nothing had been. */
	fake_device_write(device, 0, 110);
	device->now = 120;
	expect_record(source, 0, 110);
	expect_nothing(source);
	assert_int_equal(proclife_source_lost(source), 12);
}

static void test_overrun_in_flight(void **state)
{
	struct proclife_record *slot;

	(void)state;
	begin(1, 8);
	device->now = 10;
	expect_nothing(source);
	for (uint64_t ts = 20; ts < 28; ts++)
		fake_device_write(device, 0, ts);
	slot = fake_device_begin(device, 0); /* it may be half over the first one */
	memset(slot, 0xff, 64);
	device->now = 100;
	expect_gap(source, 0, 1, 10, 21);
	for (uint64_t ts = 21; ts < 27; ts++)
		expect_record(source, 0, ts);
	expect_nothing(source);
	fake_device_fill(device, 0, slot, 28);
	fake_device_commit(device, 0);
	expect_record(source, 0, 27);
	expect_record(source, 0, 28);
	expect_nothing(source);
	assert_int_equal(proclife_source_lost(source), 1);
}

static void test_ring_of_one(void **state)
{
	struct proclife_record *slot;

	(void)state;
	begin(1, 1);
	device->now = 10;
	expect_nothing(source);
	fake_device_write(device, 0, 20);
	device->now = 30;
	expect_record(source, 0, 20);
	fake_device_write(device, 0, 31);
	fake_device_write(device, 0, 32);
	slot = fake_device_begin(device, 0);
	device->now = 40;
	/* Two are gone, and nothing is left to say when. */
	fake_device_fill(device, 0, slot, 33);
	fake_device_commit(device, 0);
	expect_gap(source, 0, 2, 30, 33);
	expect_record(source, 0, 33);
	expect_nothing(source);
}

/* More than the source copies at a time, from anywhere in the ring. */
static void test_large_ring(void **state)
{
	uint64_t ts = 10, settled;

	(void)state;
	begin(2, 1024);
	device->now = 5;
	expect_nothing(source);
	for (int round = 0; round < 10; round++) {
		uint64_t first = ts;

		for (int i = 0; i < 900; i++)
			fake_device_write(device, 1, ts++);
		device->now = ts;
		for (; first < ts; first++)
			expect_record(source, 1, first);
		expect_nothing(source);
	}
	for (int i = 0; i < 3000; i++)
		fake_device_write(device, 1, ts++);
	settled = device->now;
	device->now = ts;
	expect_gap(source, 1, 3000 - 1024, settled, ts - 1024);
	for (uint64_t t = ts - 1024; t < ts; t++)
		expect_record(source, 1, t);
	expect_nothing(source);
}

static void test_late_ring(void **state)
{
	(void)state;
	device = fake_device_new(130, 16);
	fake_device_add_ring(device, 1);
	source = fake_device_open(device);
	assert_null(proclife_source_ring(source, 0));
	assert_non_null(proclife_source_ring(source, 1));
	assert_null(proclife_source_ring(source, 129));
	assert_null(proclife_source_ring(source, 130));
	fake_device_write(device, 1, 10);
	device->now = 20;
	expect_record(source, 1, 10);
	expect_nothing(source);
	fake_device_add_ring(device, 129);
	fake_device_write(device, 129, 30);
	fake_device_write(device, 1, 30);
	fake_device_add_ring(device, 0);
	fake_device_write(device, 0, 31);
	device->now = 40;
	expect_record(source, 1, 30);
	expect_record(source, 129, 30);
	expect_record(source, 0, 31);
	expect_nothing(source);
	assert_int_equal(proclife_source_ring(source, 129)->commit, 1);
	assert_int_equal(proclife_source_lost(source), 0);
}

/* A ring that appeared and was overwritten before the source looked. */
static void test_late_ring_overrun(void **state)
{
	(void)state;
	device = fake_device_new(2, 8);
	fake_device_add_ring(device, 0);
	source = fake_device_open(device);
	device->now = 10;
	expect_nothing(source);
	fake_device_add_ring(device, 1);
	for (uint64_t ts = 20; ts < 30; ts++)
		fake_device_write(device, 1, ts);
	device->now = 40;
	expect_gap(source, 1, 2, 10, 22);
	for (uint64_t ts = 22; ts < 30; ts++)
		expect_record(source, 1, ts);
	expect_nothing(source);
}

static void test_rewind(void **state)
{
	(void)state;
	device = fake_device_new(3, 8);
	fake_device_add_rings(device);
	for (uint64_t ts = 10; ts < 15; ts++)
		fake_device_write(device, 0, ts);
	fake_device_write(device, 2, 12);
	source = fake_device_open(device);
	assert_int_equal(proclife_source_rewind(source), 0);
	fake_device_write(device, 1, 20);
	device->now = 30;
	expect_record(source, 0, 10);
	expect_record(source, 0, 11);
	expect_record(source, 0, 12);
	expect_record(source, 2, 12);
	expect_record(source, 0, 13);
	expect_record(source, 0, 14);
	expect_record(source, 1, 20);
	expect_nothing(source);
	assert_int_equal(proclife_source_lost(source), 0);
	assert_int_equal(proclife_source_rewind(source), -EBUSY);
	assert_int_equal(proclife_source_snapshot(source), -EBUSY);
}

/* From where no CPU is missing on. */
static void test_rewind_overwritten(void **state)
{
	(void)state;
	device = fake_device_new(4, 8);
	fake_device_add_rings(device);
	fake_device_write(device, 1, 5);
	fake_device_write(device, 3, 6);
	for (uint64_t ts = 10; ts < 20; ts++)
		fake_device_write(device, 0, ts); /* reaches back to 12 */
	for (uint64_t ts = 15; ts < 24; ts++)
		fake_device_write(device, 2, ts); /* and this one to 16 */
	fake_device_write(device, 1, 16);
	source = fake_device_open(device);
	assert_int_equal(proclife_source_rewind(source), 0);
	device->now = 30;
	expect_record(source, 0, 16);
	expect_record(source, 1, 16);
	expect_record(source, 2, 16);
	for (uint64_t ts = 17; ts < 20; ts++) {
		expect_record(source, 0, ts);
		expect_record(source, 2, ts);
	}
	for (uint64_t ts = 20; ts < 24; ts++)
		expect_record(source, 2, ts);
	expect_nothing(source);
	assert_int_equal(proclife_source_lost(source), 0);
	fake_device_write(device, 3, 31);
	device->now = 40;
	expect_record(source, 3, 31);
	expect_nothing(source);
}

static void test_wait(void **state)
{
	(void)state;
	begin(2, 16);
	expect_nothing(source);
	assert_int_equal(proclife_source_wait(source, 0), 0);
	assert_int_equal(proclife_source_wait(source, 5), 0);
	fake_device_write(device, 0, 10);
	assert_int_equal(proclife_source_wait(source, 0), 1);
	assert_int_equal(proclife_source_wait(source, -1), 1);
	assert_int_equal(proclife_source_set_watermark(source, 0), -EINVAL);
	assert_int_equal(proclife_source_set_watermark(source, 3), 0);
	assert_int_equal(proclife_source_wait(source, 2), 0);
	fake_device_write(device, 1, 11);
	assert_int_equal(proclife_source_wait(source, 2), 0);
	fake_device_write(device, 0, 12);
	assert_int_equal(proclife_source_wait(source, 2), 1);
	device->now = 20;
	expect_record(source, 0, 10);
	expect_record(source, 1, 11);
	expect_record(source, 0, 12);
	expect_nothing(source);
	assert_int_equal(proclife_source_wait(source, 2), 0);
}

static void test_snapshot_unsupported(void **state)
{
	(void)state;
	begin(2, 16);
	assert_int_equal(proclife_source_snapshot(source), -ENOTTY);
	/* No harm is done. */
	fake_device_write(device, 1, 10);
	device->now = 20;
	expect_record(source, 1, 10);
	expect_nothing(source);
}

static void test_header(void **state)
{
	const struct proclife_header *header;

	(void)state;
	begin(2, 16);
	header = proclife_source_header(source);
	assert_string_equal(header->release, "6.1.0-test");
	assert_int_equal(header->records_per_ring, 16);
	device->header->reap_missed = 7; /* it moves */
	assert_int_equal(proclife_source_header(source)->reap_missed, 7);
	assert_true(proclife_source_fd(source) >= 0);
	fake_device_write(device, 1, 10);
	assert_int_equal(proclife_source_ring(source, 1)->counts[PROCLIFE_FORK], 1);
}

/* Sizes that change after they were checked are not believed. */
static void test_header_changes(void **state)
{
	(void)state;
	begin(2, 16);
	device->header->records_per_ring = 1ULL << 40;
	device->header->ring_stride = 1ULL << 50;
	device->header->records_offset = 1ULL << 50;
	device->header->rings_offset = 1ULL << 50;
	device->header->cpu_map_offset = 1U << 31;
	device->header->cpus = 1U << 30;
	smp_store_release(&device->header->generation, 99);
	fake_device_write(device, 1, 10);
	memset(device->header->release, 'x', sizeof(device->header->release));
	device->header->magic = 0;
	assert_int_equal(proclife_source_header(source)->cpus, 2);
	assert_int_equal(proclife_source_header(source)->records_per_ring, 16);
	assert_string_equal(proclife_source_header(source)->release, "6.1.0-test");
	assert_int_equal(proclife_source_header(source)->generation, 99);
	device->now = 20;
	expect_record(source, 1, 10);
	expect_nothing(source);
	assert_null(proclife_source_ring(source, 2));
}

#define HEADER(name, field, value, error)                                          \
	static void name(struct proclife_header *h)                                \
	{                                                                          \
		h->field = (value);                                                \
	}
#define HEADERS                                                                    \
	HEADER(magic, magic, PROCLIFE_MAGIC + 1, -ENODEV)                          \
	HEADER(no_magic, magic, 0, -ENODEV)                                        \
	HEADER(later_abi, abi_compatible, PROCLIFE_ABI_VERSION + 1, -EPROTO)       \
	HEADER(no_header_bytes, header_bytes, 0, -EPROTO)                          \
	HEADER(short_header, header_bytes, sizeof(*h) - 8, -EPROTO)                \
	HEADER(long_header, header_bytes, h->cpu_map_offset + 8, -EPROTO)          \
	HEADER(huge_header, header_bytes, UINT32_MAX, -EPROTO)                     \
	HEADER(no_record_bytes, record_bytes, 0, -EPROTO)                          \
	HEADER(short_records, record_bytes, 64, -EPROTO)                           \
	HEADER(long_records, record_bytes, 256, -EPROTO)                           \
	HEADER(no_map_bytes, map_bytes, 0, -EPROTO)                                \
	HEADER(short_map, map_bytes, h->map_bytes - 4096, -EPROTO)                 \
	HEADER(long_map, map_bytes, h->map_bytes + 4096, -EPROTO)                  \
	HEADER(huge_map, map_bytes, UINT64_MAX, -EPROTO)                           \
	HEADER(no_rings_offset, rings_offset, 0, -EPROTO)                          \
	HEADER(odd_rings_offset, rings_offset, 4096 + 64, -EPROTO)                 \
	HEADER(late_rings, rings_offset, h->map_bytes, -EPROTO)                    \
	HEADER(huge_rings_offset, rings_offset, -4096ULL, -EPROTO)                 \
	HEADER(no_stride, ring_stride, 0, -EPROTO)                                 \
	HEADER(odd_stride, ring_stride, h->ring_stride - 8, -EPROTO)               \
	HEADER(short_stride, ring_stride, h->records_offset, -EPROTO)              \
	HEADER(huge_stride, ring_stride, 1ULL << 63, -EPROTO)                      \
	HEADER(no_records_offset, records_offset, 0, -EPROTO)                      \
	HEADER(odd_records_offset, records_offset, 4096 + 32, -EPROTO)             \
	HEADER(late_records, records_offset, h->ring_stride, -EPROTO)              \
	HEADER(huge_records_offset, records_offset, -4096ULL, -EPROTO)             \
	HEADER(no_records, records_per_ring, 0, -EPROTO)                           \
	HEADER(odd_records, records_per_ring, 12, -EPROTO)                         \
	HEADER(many_records, records_per_ring, 1ULL << 20, -EPROTO)                \
	HEADER(too_many_records, records_per_ring, 1ULL << 57, -EPROTO)            \
	HEADER(no_cpus, cpus, 0, -EPROTO)                                          \
	HEADER(more_cpus, cpus, h->cpus + 1, -EPROTO)                              \
	HEADER(too_many_cpus, cpus, UINT32_MAX, -EPROTO)                           \
	HEADER(no_cpu_map, cpu_map_offset, 0, -EPROTO)                             \
	HEADER(odd_cpu_map, cpu_map_offset, h->cpu_map_offset + 4, -EPROTO)        \
	HEADER(late_cpu_map, cpu_map_offset, h->rings_offset, -EPROTO)             \
	HEADER(huge_cpu_map_offset, cpu_map_offset, -8U, -EPROTO)

HEADERS

static void endless_release(struct proclife_header *h)
{
	memset(h->release, 'x', sizeof(h->release));
}

static void endless_version(struct proclife_header *h)
{
	memset(h->version, 'x', sizeof(h->version));
}

#undef HEADER
#define HEADER(name, field, value, error) { #name, name, error },

static const struct {
	const char *name;
	void (*spoil)(struct proclife_header *header);
	int error;
} bad_headers[] = {
	HEADERS
	{ "endless_release", endless_release, -EPROTO },
	{ "endless_version", endless_version, -EPROTO },
};

static void test_bad_headers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad_headers) / sizeof(*bad_headers); i++) {
		struct proclife_header good;
		int error;

		device = fake_device_new(3, 16);
		fake_device_add_rings(device);
		good = *device->header;
		bad_headers[i].spoil(device->header);
		error = proclife_device_open(&source, device->path);
		if (error != bad_headers[i].error)
			fail_msg("%s: %d, not %d", bad_headers[i].name, error,
				 bad_headers[i].error);
		/* It was that and nothing else. */
		*device->header = good;
		assert_int_equal(proclife_device_open(&source, device->path), 0);
		end(NULL);
	}
}

static void test_compatible_header(void **state)
{
	(void)state;
	device = fake_device_new(3, 16);
	fake_device_add_rings(device);
	device->header->abi_version = PROCLIFE_ABI_VERSION + 5;
	device->header->features = UINT64_MAX;
	source = fake_device_open(device);
	fake_device_write(device, 2, 10);
	device->now = 20;
	expect_record(source, 2, 10);
}

static void test_no_device(void **state)
{
	char path[] = "/tmp/proclife-test-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(proclife_device_open(&source, path), -ENODEV);
	assert_int_equal(ftruncate(fd, 100), 0);
	assert_int_equal(proclife_device_open(&source, path), -ENODEV);
	assert_int_equal(ftruncate(fd, 100000), 0);
	assert_int_equal(proclife_device_open(&source, path), -ENODEV);
	if (geteuid()) {
		assert_int_equal(fchmod(fd, 0), 0);
		assert_int_equal(proclife_device_open(&source, path), -EACCES);
	}
	close(fd);
	unlink(path);
	assert_int_equal(proclife_device_open(&source, path), -ENOENT);
	assert_int_equal(proclife_device_open(&source, "/dev/null"), -ENODEV);
	assert_int_equal(proclife_device_open(&source, "/tmp"), -ENODEV);
	assert_null(source);
	proclife_source_free(NULL);
}

/*
 * Writers, a reader that is sometimes quick and sometimes slow, and the whole truth in a table.
 */
struct model {
	struct proclife_record *slots[4]; /* in flight */
	uint64_t times[4][20000];
	uint64_t written[4]; /* committed */
	uint64_t read[4];    /* yielded or lost */
	uint64_t yielded, lost;
	uint64_t last_ts;
	uint32_t last_cpu;
	uint64_t random;
};

static struct model model;

static void model_step(struct model *m)
{
	uint32_t cpu = random_below(&m->random, 4);

	device->now += random_below(&m->random, 3);
	if (!m->slots[cpu]) {
		m->slots[cpu] = fake_device_begin(device, cpu);
		m->times[cpu][m->written[cpu]] = device->now;
		memset(m->slots[cpu], 0xff, sizeof(*m->slots[cpu]));
		if (random_below(&m->random, 4) == 0)
			return; /* in flight for a while */
	}
	fake_device_fill(device, cpu, m->slots[cpu], m->times[cpu][m->written[cpu]]);
	fake_device_commit(device, cpu);
	m->slots[cpu] = NULL;
	m->written[cpu]++;
}

static void model_at_clock(struct fake_device *fake)
{
	struct model *m = fake->data;

	for (uint64_t n = random_below(&m->random, 8); n; n--)
		model_step(m);
}

static void model_gap(struct model *m, const struct proclife_gap *gap)
{
	uint32_t cpu = gap->cpu;

	assert_true(gap->lost > 0);
	assert_true(gap->from <= gap->to);
	assert_true(gap->from >= m->last_ts);
	m->last_ts = gap->from;
	m->last_cpu = 0; /* a gap has its place among the ties, too, but it is the CPU's own */
	for (uint64_t n = 0; n < gap->lost; n++, m->read[cpu]++) {
		assert_true(m->read[cpu] < m->written[cpu]);
		/* Nothing is lost that is still there. */
		assert_true(m->read[cpu] + device->header->records_per_ring <
			    device->rings[cpu].ctl->reserve);
		assert_true(m->times[cpu][m->read[cpu]] >= gap->from);
		assert_true(m->times[cpu][m->read[cpu]] <= gap->to);
	}
	m->lost += gap->lost;
}

static void model_record(struct model *m, const struct proclife_record *record)
{
	uint32_t cpu = record->cpu;

	assert_true(cpu < 4);
	assert_int_equal(record->task, m->read[cpu]);
	assert_true(m->read[cpu] < m->written[cpu]);
	assert_int_equal(record->ts, m->times[cpu][m->read[cpu]]);
	assert_true(record->ts > m->last_ts ||
		    (record->ts == m->last_ts && cpu >= m->last_cpu));
	m->last_ts = record->ts;
	m->last_cpu = cpu;
	m->read[cpu]++;
	m->yielded++;
}

static void model_read(struct model *m, uint64_t most)
{
	struct proclife_event event;

	while (most--) {
		int ret = proclife_source_next(source, &event);

		if (!ret)
			break;
		assert_int_equal(ret, 1);
		if (event.record)
			model_record(m, event.record);
		else
			model_gap(m, &event.gap);
	}
	assert_int_equal(proclife_source_lost(source), m->lost);
}

static void check_model(uint64_t seed)
{
	struct model *m = &model;
	uint64_t committed;

	memset(m, 0, sizeof(*m));
	m->random = seed;
	begin(4, 1ULL << random_below(&m->random, 7));
	device->now = 1;
	device->data = m;
	if (seed % 2)
		device->at_clock = model_at_clock;
	for (int round = 0; round < 200; round++) {
		for (uint64_t n = random_below(&m->random, seed % 3 ? 20 : 200); n; n--)
			model_step(m);
		model_read(m, random_below(&m->random, 60));
	}
	device->at_clock = NULL;
	while (m->slots[0] || m->slots[1] || m->slots[2] || m->slots[3])
		model_step(m);
	committed = m->written[0] + m->written[1] + m->written[2] + m->written[3];
	device->now++;
	model_read(m, UINT64_MAX);
	assert_int_equal(m->yielded + m->lost, committed);
	end(NULL);
}

static void test_model(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++)
		check_model(seed);
}

/* Writers in threads, on a clock that gives each record a number of its own. */
#define THREADS 3
#define THREAD_RECORDS 20000

static uint64_t numbers;
static unsigned int writing;

static void *write_many(void *data)
{
	uint32_t cpu = *(uint32_t *)data;

	for (int i = 0; i < THREAD_RECORDS; i++) {
		struct proclife_record *slot = fake_device_begin(device, cpu);
		uint64_t number = __atomic_fetch_add(&numbers, 1, __ATOMIC_SEQ_CST);

		if (i % 1000 == 0)
			sched_yield();
		fake_device_fill(device, cpu, slot, number);
		fake_device_commit(device, cpu);
		if (i % 50 == 0)
			sched_yield();
	}
	__atomic_sub_fetch(&writing, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static uint64_t read_numbers(void *data)
{
	return __atomic_load_n((uint64_t *)data, __ATOMIC_SEQ_CST);
}

static void test_threads(void **state)
{
	uint64_t last = 0, last_gap = 0, yielded = 0, lost = 0, disorder = 0, torn = 0;
	uint64_t read[THREADS] = { 0 };
	uint32_t cpus[THREADS];
	pthread_t threads[THREADS];
	bool done = false;

	(void)state;
	numbers = 1;
	begin(THREADS, 64);
	proclife_device_set_clock(source, read_numbers, &numbers);
	writing = THREADS;
	for (uint32_t i = 0; i < THREADS; i++) {
		cpus[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, write_many, &cpus[i]), 0);
	}
	/* No assertion before the threads are joined: what is wrong is counted. */
	while (!done) {
		struct proclife_event event;
		bool ended = !__atomic_load_n(&writing, __ATOMIC_SEQ_CST);
		int ret = proclife_source_next(source, &event);

		if (ret <= 0) {
			done = ended || ret < 0;
		} else if (event.record) {
			const struct proclife_record *record = event.record;

			disorder += record->ts <= last || record->ts < last_gap;
			last = record->ts;
			torn += record->cpu >= THREADS || record->start != ~last ||
				record->task != read[record->cpu % THREADS];
			read[record->cpu % THREADS]++;
			yielded++;
		} else {
			disorder += event.gap.from < last || event.gap.from < last_gap;
			last_gap = event.gap.from;
			read[event.gap.cpu % THREADS] += event.gap.lost;
			lost += event.gap.lost;
		}
	}
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(disorder, 0);
	assert_int_equal(torn, 0);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(read[i], THREAD_RECORDS);
	assert_int_equal(yielded + lost, THREADS * THREAD_RECORDS);
	assert_int_equal(proclife_source_lost(source), lost);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_order),
		TEST(test_ties),
		TEST(test_from_open_on),
		TEST(test_at_the_horizon),
		TEST(test_write_in_flight),
		TEST(test_in_flight_after_silence),
		TEST(test_records_after_the_clock),
		TEST(test_overrun),
		TEST(test_overrun_in_flight),
		TEST(test_ring_of_one),
		TEST(test_large_ring),
		TEST(test_late_ring),
		TEST(test_late_ring_overrun),
		TEST(test_rewind),
		TEST(test_rewind_overwritten),
		TEST(test_wait),
		TEST(test_snapshot_unsupported),
		TEST(test_header),
		TEST(test_header_changes),
		TEST(test_bad_headers),
		TEST(test_compatible_header),
		TEST(test_no_device),
		TEST(test_model),
		TEST(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
