// SPDX-License-Identifier: GPL-2.0-only
/* The time of day of records, whose clock can be set: live, and in a recording. */
#include "check.h"
#include "fixture_device.h"
#include "recorded.h"

#include <recording/ctf.h>
#include <device/device.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ULL
#define SECOND (1000 * MS)
#define DAY (86400 * SECOND)

static uint64_t at_open; /* what was to be added to get the time of day */

static void begin(uint64_t to_realtime)
{
	at_open = to_realtime;
	device = fake_device_new(2, 16);
	fake_device_add_rings(device);
	device->header->to_realtime = to_realtime;
	device->header->to_boottime = 3 * SECOND;
	device->now = 10 * SECOND;
	source = fake_device_open(device);
}

/* Sets the time of day: what is to be added from now on. */
static void set_to(uint64_t to_realtime)
{
	device->set = to_realtime - at_open - device->slept;
}

/* Yields a record of this time, and what follows it. */
static void record_at(uint64_t ts)
{
	fake_device_write(device, ts / MS % 2, ts);
	device->now = ts + 1;
	expect_record(source, ts / MS % 2, ts);
	expect_nothing(source);
}

static void test_never_set(void **state)
{
	(void)state;
	begin(DAY);
	record_at(11 * SECOND);
	record_at(12 * SECOND);
	assert_int_equal(source->daytime.count, 0);
	assert_int_equal(proclife_source_realtime(source, 12 * SECOND), DAY + 12 * SECOND);
	assert_int_equal(proclife_source_monotonic(source, DAY + 12 * SECOND), 12 * SECOND);
	assert_int_equal(proclife_source_monotonic(source, DAY - SECOND), 0);
}

/* A record has the time of day at which it was made, whatever the clock was set to later. */
static void test_set(void **state)
{
	(void)state;
	begin(DAY);
	record_at(11 * SECOND);
	set_to(2 * DAY);
	record_at(12 * SECOND);
	set_to(DAY + 5 * SECOND);
	record_at(13 * SECOND);
	assert_int_equal(source->daytime.count, 2);
	assert_int_equal(proclife_source_realtime(source, 1), DAY + 1);
	assert_int_equal(proclife_source_realtime(source, 11 * SECOND), DAY + 11 * SECOND);
	assert_int_equal(proclife_source_realtime(source, 12 * SECOND), 2 * DAY + 12 * SECOND);
	assert_int_equal(proclife_source_realtime(source, 13 * SECOND), DAY + 18 * SECOND);
	assert_int_equal(proclife_source_monotonic(source, DAY + 11 * SECOND), 11 * SECOND);
	/* A time of day that was skipped stands for the first one after it. */
	assert_int_equal(proclife_source_monotonic(source, 2 * DAY), 11 * SECOND + 1);
	assert_int_equal(proclife_source_monotonic(source, 2 * DAY + 12 * SECOND), 12 * SECOND);
	assert_int_equal(proclife_source_monotonic(source, 3 * DAY), 2 * DAY - 5 * SECOND);
}

/* A change of a nanosecond is one: all three times are of one moment, so nothing explains a difference. */
static void test_exact(void **state)
{
	(void)state;
	begin(DAY);
	record_at(11 * SECOND);
	set_to(DAY - 1);
	expect_nothing(source);
	assert_int_equal(source->daytime.count, 1);
	assert_int_equal(source->daytime.version, 1);
	record_at(12 * SECOND);
	assert_int_equal(proclife_source_realtime(source, 11 * SECOND), DAY + 11 * SECOND);
	assert_int_equal(proclife_source_realtime(source, 12 * SECOND), DAY + 12 * SECOND - 1);
	assert_int_equal(source->boottime.count, 0);
	assert_int_equal(proclife_source_boottime(source, 12 * SECOND), 15 * SECOND);
}

/* The records' clock stands still while the machine is suspended, and both others go on. */
static void test_suspended(void **state)
{
	(void)state;
	begin(DAY);
	record_at(11 * SECOND);
	device->slept = 3600 * SECOND;
	record_at(12 * SECOND);
	set_to(5 * DAY);
	record_at(13 * SECOND);
	assert_int_equal(proclife_source_boottime(source, 11 * SECOND), 14 * SECOND);
	assert_int_equal(proclife_source_boottime(source, 12 * SECOND), 3615 * SECOND);
	assert_int_equal(proclife_source_boottime(source, 13 * SECOND), 3616 * SECOND);
	assert_int_equal(proclife_source_realtime(source, 11 * SECOND), DAY + 11 * SECOND);
	assert_int_equal(proclife_source_realtime(source, 12 * SECOND), DAY + 3612 * SECOND);
	assert_int_equal(proclife_source_realtime(source, 13 * SECOND), 5 * DAY + 13 * SECOND);
	assert_int_equal(source->boottime.count, 1);
	/* The header's are those of the beginning, also if another process has opened the device since. */
	device->header->to_boottime = 7;
	device->header->to_realtime = 7;
	assert_int_equal(proclife_source_header(source)->to_boottime, 3 * SECOND);
	assert_int_equal(proclife_source_header(source)->to_realtime, DAY);
}

/* If the clock is set again and again, memory does not grow without limit. */
static void test_bound(void **state)
{
	uint64_t at = 11 * SECOND;

	(void)state;
	begin(DAY);
	for (int i = 0; i < PROCLIFE_DAYTIME_CHANGES + 10; i++, at += MS) {
		device->set += DAY;
		record_at(at);
	}
	assert_int_equal(source->daytime.count, PROCLIFE_DAYTIME_CHANGES);
	assert_int_equal(proclife_source_realtime(source, at), at + DAY + device->set);
	assert_int_equal(proclife_source_realtime(source, 11 * SECOND + MS), 3 * DAY + 11 * SECOND + MS);
}

static const uint64_t moments[] = { 1, 10 * SECOND, 11 * SECOND, 12 * SECOND - 1, 12 * SECOND,
				    13 * SECOND, DAY };

#define MOMENTS (sizeof(moments) / sizeof(*moments))

/* Steps one after the other; there and back are two. */
static void assert_same_steps(const struct proclife_source *read)
{
	uint64_t since, other;
	int64_t by, other_by;
	size_t i;

	for (i = 0; proclife_source_clock_step(source, i, &since, &by); i++) {
		assert_int_equal(by, i == 2 ? -(int64_t)(DAY / 2) : (int64_t)(i ? DAY : DAY + 5 * SECOND));
		assert_int_equal(since, (11 + i) * SECOND + 1);
		assert_true(proclife_source_clock_step(read, i, &other, &other_by));
		assert_int_equal(other, since);
		assert_int_equal(other_by, by);
	}
	assert_int_equal(i, 3);
	assert_false(proclife_source_clock_step(read, i, &since, &by));
}

static void assert_same_times(const uint64_t *expected)
{
	struct proclife_source *read = replay(folder.path);

	for (size_t i = 0; i < MOMENTS; i++)
		assert_int_equal(proclife_source_realtime(read, moments[i]), expected[i]);
	assert_int_equal(proclife_source_header(read)->to_boottime, 3 * SECOND);
	assert_int_equal(proclife_source_boottime(read, 11 * SECOND), 14 * SECOND);
	assert_int_equal(proclife_source_boottime(read, 12 * SECOND), 16 * SECOND);
	assert_same_steps(read);
	proclife_source_free(read);
}

/* A recording has the same times, also while it is made, or cut off. */
static void test_recorded(void **state)
{
	struct proclife_run_info run = { .size = sizeof(run), .began = 10 * SECOND };
	struct proclife_recorder *recorder;
	uint64_t expected[MOMENTS];

	(void)state;
	begin(-5 * SECOND); /* a clock that was never set */
	/* Another process has opened the device after the clock was set. */
	device->header->to_realtime = DAY;
	device->header->to_boottime = DAY;
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), 0);
	record_at(11 * SECOND);
	device->slept = SECOND;
	set_to(DAY);
	record_at(12 * SECOND);
	set_to(2 * DAY);
	record_at(13 * SECOND);
	set_to(3 * DAY / 2);
	record_at(14 * SECOND);
	for (size_t i = 0; i < MOMENTS; i++)
		expected[i] = proclife_source_realtime(source, moments[i]);
	assert_int_equal(expected[1], 5 * SECOND);
	assert_int_equal(expected[4], DAY + 12 * SECOND);
	assert_int_equal(expected[5], 2 * DAY + 13 * SECOND);
	assert_int_equal(expected[6], 3 * DAY / 2 + DAY);
	assert_int_equal(proclife_recorder_sync(recorder), 0);
	assert_same_times(expected);
	run.ended = 15 * SECOND;
	strcpy(run.reason, "end");
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	assert_same_times(expected);
	proclife_recorder_free(recorder);
}

static void expect_damage(const char *steps, int ret)
{
	static char text[PROCLIFE_CTF_METADATA_MAX];
	struct proclife_fault fault;
	struct proclife_source *read = NULL;
	FILE *file = open_metadata("r");
	char *at;
	int got;

	memset(text, 0, sizeof(text));
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	at = strstr(text, "\tclock_step_1");
	assert_non_null(at);
	file = open_metadata("w");
	fprintf(file, "%.*s%s%s", (int)(at - text), text, steps, strchr(at, '\n') + 1);
	fclose(file);
	got = proclife_recording_open(&read, folder.path, &fault);
	if (got != ret || (ret && !strstr(fault.text, "a step of the clock is not valid")))
		fail_msg("%s: %d '%s'", steps, got, ret ? fault.text : "");
	if (!got)
		proclife_source_free(read);
	file = open_metadata("w");
	fputs(text, file);
	fclose(file);
}

static void test_damaged(void **state)
{
	struct proclife_run_info run = { .size = sizeof(run), .began = SECOND, .ended = 14 * SECOND };
	struct proclife_recorder *recorder;

	(void)state;
	begin(DAY);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), 0);
	set_to(2 * DAY);
	record_at(12 * SECOND);
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	expect_damage("\tclock_step_1 = \"5 6\";\n\tclock_step_2 = \"6 6\";\n", 0);
	expect_damage("", 0);
	expect_damage("\tclock_step_1 = \"5 6\";\n\tclock_step_2 = \"5 6\";\n", -EBADMSG);
	expect_damage("\tclock_step_2 = \"5 6\";\n", -EBADMSG);
	expect_damage("\tclock_step_1 = \"5\";\n", -EBADMSG);
	expect_damage("\tclock_step_1 = \"5 6 7\";\n", -EBADMSG);
	expect_damage("\tclock_step_1 = \"5 99999999999999999999\";\n", -EBADMSG);
	expect_damage("\tclock_step_1 = 5;\n", -EBADMSG);
	expect_damage("\tclock_step_ = \"5 6\";\n", -EBADMSG);
	expect_damage("\tclock_step_1x = \"5 6\";\n", -EBADMSG);
	expect_damage("\tboot_step_1 = \"5 6\";\n\tboot_step_2 = \"6 6\";\n", 0);
	expect_damage("\tboot_step_2 = \"5 6\";\n", -EBADMSG);
	expect_damage("\tboot_step_1 = \"5 6\";\n\tboot_step_2 = \"5 6\";\n", -EBADMSG);
}

static int setup(void **state)
{
	folder_make(&folder);
	(void)state;
	return 0;
}

static int teardown(void **state)
{
	folder_remove(&folder);
	return end_device(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_never_set, end_device),
		cmocka_unit_test_teardown(test_set, end_device),
		cmocka_unit_test_teardown(test_exact, end_device),
		cmocka_unit_test_teardown(test_suspended, end_device),
		cmocka_unit_test_teardown(test_bound, end_device),
		cmocka_unit_test_setup_teardown(test_recorded, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
