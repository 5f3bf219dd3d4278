// SPDX-License-Identifier: GPL-2.0-only
/* A device whose rings hold what no writer writes. Reading it must end. */
#include "check.h"
#include "fake_device.h"

#include <device/device.h>
#include <errno.h>
#include <unistd.h>

static struct fake_device *device;
static struct proclife_source *source;

static int begin(void **state)
{
	(void)state;
	device = fake_device_new(2, 16);
	fake_device_add_rings(device);
	source = fake_device_open(device);
	device->now = 5000;
	alarm(20); /* a reader that never ends fails the test */
	return 0;
}

static int end(void **state)
{
	(void)state;
	alarm(0);
	proclife_source_free(source);
	fake_device_free(device);
	return 0;
}

/* Reads all there is; returns how many records of this CPU. */
static unsigned int records_of_cpu(uint32_t cpu, uint64_t *lost)
{
	struct proclife_event event;
	unsigned int count = 0;
	int ret;

	*lost = 0;
	while ((ret = proclife_source_next(source, &event)) == 1) {
		if (event.record)
			count += event.record->cpu == cpu;
		else if (event.gap.cpu == cpu)
			*lost += event.gap.lost;
	}
	assert_int_equal(ret, 0);
	return count;
}

static void write_many(uint32_t cpu, uint64_t ts, unsigned int count)
{
	while (count--)
		fake_device_write(device, cpu, ts++);
}

/* More is committed than reserved, and all of it is read: at most a ring. */
static void test_commit_ahead(void **state)
{
	uint64_t lost;

	(void)state;
	write_many(0, 100, 16);
	device->rings[0].page->ctl.commit = 1ULL << 62;
	assert_int_equal(records_of_cpu(0, &lost), 16);
	assert_int_equal(lost, (1ULL << 62) - 16);
}

/* The same if records before the beginning of a history are skipped. */
static void test_commit_ahead_of_history(void **state)
{
	uint64_t lost;

	(void)state;
	write_many(0, 100, 16);
	write_many(1, 1000, 40);
	device->rings[0].page->ctl.commit = 1ULL << 62;
	assert_int_equal(proclife_source_rewind(source), 0);
	assert_int_equal(records_of_cpu(1, &lost), 16);
	assert_int_equal(records_of_cpu(0, &lost), 0);
}

/* Half of all positions away from commit, reserve is neither ahead nor behind. */
static void test_reserve_far_away(void **state)
{
	uint64_t lost;

	(void)state;
	write_many(0, 100, 16);
	write_many(1, 1000, 40);
	device->rings[0].page->ctl.commit = (1ULL << 62) + 5;
	device->rings[0].page->ctl.reserve = (1ULL << 63) + (1ULL << 61);
	assert_int_equal(proclife_source_rewind(source), 0);
	assert_int_equal(records_of_cpu(1, &lost), 0); /* a write in flight may be older */
}

static void test_commit_goes_back(void **state)
{
	uint64_t lost;

	(void)state;
	write_many(0, 100, 10);
	assert_int_equal(records_of_cpu(0, &lost), 10);
	device->rings[0].page->ctl.commit = 3;
	assert_int_equal(records_of_cpu(0, &lost), 0);
	assert_int_equal(lost, 0);
	device->rings[0].page->ctl.commit = 10;
	fake_device_write(device, 0, 4000);
	device->now = 6000;
	assert_int_equal(records_of_cpu(0, &lost), 1);
	assert_int_equal(lost, 0);
}

/* The reader waits for a write that never ends no longer than it has to. */
static void test_reserved_for_ever(void **state)
{
	uint64_t lost;

	(void)state;
	write_many(0, 100, 3);
	write_many(1, 50, 3);
	fake_device_begin(device, 0);
	assert_int_equal(records_of_cpu(1, &lost), 3);
	write_many(1, 200, 3);
	assert_int_equal(records_of_cpu(1, &lost), 0); /* the one in flight may be older */
	assert_int_equal(lost, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_commit_ahead),
		TEST(test_commit_ahead_of_history),
		TEST(test_reserve_far_away),
		TEST(test_commit_goes_back),
		TEST(test_reserved_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
