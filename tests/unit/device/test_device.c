// SPDX-License-Identifier: GPL-2.0-only
/* The device as a source, on a file in the device's layout. */
#include "check.h"
#include "fixture_device.h"

#include <errno.h>
#include <source/source.h>
#include <string.h>

static void test_order(void **state)
{
	(void)state;
	begin_device(3, 16);
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
	begin_device(4, 16);
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

/* Another CPU could still write an earlier record. */
static void test_at_the_horizon(void **state)
{
	(void)state;
	begin_device(2, 16);
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
	uint64_t before;

	(void)state;
	begin_device(3, 16);
	fake_device_write(device, 0, 10);
	fake_device_write(device, 0, 20);
	fake_device_write(device, 1, 15);
	fake_device_write(device, 1, 25);
	slot = fake_device_begin(device, 0);
	device->now = 100;
	/* CPU 2 is idle and stalls nothing. CPU 0 has nothing in flight that is older than 20. */
	expect_record(source, 0, 10);
	expect_record(source, 1, 15);
	expect_nothing(source);
	/* There is more, so the wait ends, but not so soon that it would be in vain. */
	before = proclife_monotonic();
	assert_int_equal(proclife_source_wait(source, 1), 1);
	assert_true(proclife_monotonic() - before >= 50000);
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

/* A record in flight holds up no older ones, even if they are more than the source copies at a time. */
static void test_many_before_one_in_flight(void **state)
{
	(void)state;
	begin_device(1, 1024);
	for (uint64_t ts = 10; ts < 910; ts++)
		fake_device_write(device, 0, ts);
	fake_device_begin(device, 0);
	device->now = 1000;
	for (uint64_t ts = 10; ts < 909; ts++)
		expect_record(source, 0, ts);
	expect_nothing(source);
}

/* What a CPU has in flight can be no older than the time up to which it was once settled. */
static void test_in_flight_after_silence(void **state)
{
	struct proclife_record *slot;

	(void)state;
	begin_device(2, 16);
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
	/* Both are written after the library's clock reading, and so at or above it. */
	fake_device_write(fake, 0, fake->now + 2);
	fake_device_write(fake, 1, fake->now);
	fake->now += 10;
}

static void test_records_after_the_clock(void **state)
{
	struct proclife_event event;
	uint64_t last = 0;

	(void)state;
	begin_device(2, 16);
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
	begin_device(2, 8);
	device->now = 10;
	expect_nothing(source);
	for (uint64_t ts = 20; ts < 40; ts++)
		fake_device_write(device, 0, ts);
	fake_device_write(device, 1, 15);
	fake_device_write(device, 1, 33);
	device->now = 100;
	/* The lost ones are only known to come after 10. */
	expect_gap(source, 0, 12, 10, 32);
	expect_record(source, 1, 15);
	expect_record(source, 0, 32);
	expect_record(source, 0, 33);
	expect_record(source, 1, 33);
	for (uint64_t ts = 34; ts < 40; ts++)
		expect_record(source, 0, ts);
	expect_nothing(source);
	assert_int_equal(proclife_source_lost(source), 12);
	/* Reading goes on normally. */
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
	begin_device(1, 8);
	device->now = 10;
	expect_nothing(source);
	for (uint64_t ts = 20; ts < 28; ts++)
		fake_device_write(device, 0, ts);
	slot = fake_device_begin(device, 0); /* it may have half overwritten the first one */
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
	begin_device(1, 1);
	device->now = 10;
	expect_nothing(source);
	fake_device_write(device, 0, 20);
	device->now = 30;
	expect_record(source, 0, 20);
	fake_device_write(device, 0, 31);
	fake_device_write(device, 0, 32);
	slot = fake_device_begin(device, 0);
	device->now = 40;
	/* Two are gone, and nothing shows when they were written. */
	fake_device_fill(device, 0, slot, 33);
	fake_device_commit(device, 0);
	expect_gap(source, 0, 2, 30, 33);
	expect_record(source, 0, 33);
	expect_nothing(source);
}

/* More records than the source copies at a time, from anywhere in the ring. */
static void test_large_ring(void **state)
{
	uint64_t ts = 10, settled;

	(void)state;
	begin_device(2, 1024);
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

/* A ring that appeared and was overrun before the source looked. */
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

/* Each CPU's history begins at its own time; if the beginning was overwritten, there is a gap. */
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
	expect_gap(source, 0, 0, 0, 12);
	expect_gap(source, 2, 0, 0, 16);
	expect_record(source, 1, 5);
	expect_record(source, 3, 6);
	for (uint64_t ts = 12; ts < 16; ts++)
		expect_record(source, 0, ts);
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
	begin_device(2, 16);
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
	begin_device(2, 16);
	assert_int_equal(proclife_source_snapshot(source), -ENOTTY);
	/* Reading still works. */
	fake_device_write(device, 1, 10);
	device->now = 20;
	expect_record(source, 1, 10);
	expect_nothing(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_order),
		TEST(test_ties),
		TEST(test_from_open_on),
		TEST(test_at_the_horizon),
		TEST(test_write_in_flight),
		TEST(test_many_before_one_in_flight),
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
