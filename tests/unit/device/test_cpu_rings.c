// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several rings for each CPU, as BPF programs have them: the reader merges those of a CPU into one stream, and a
 * recorder sees no other one.
 */
#include "fake_rings.h"
#include "fixture_device.h"
#include "recorded.h"

#include <device/device.h>
#include <string.h>

static struct fake_rings *fake;

static void begin_rings(uint32_t cpus, uint32_t count, uint64_t size, uint64_t margin)
{
	uint64_t sizes[PROCLIFE_BPF_MOST_RINGS];

	for (uint32_t i = 0; i < count; i++)
		sizes[i] = size;
	fake = fake_rings_new(cpus, count, sizes);
	fake->now = 1000;
	fake->margin = margin;
	source = fake_rings_open(fake);
}

static int end_rings(void **state)
{
	(void)state;
	proclife_source_free(source);
	source = NULL;
	if (fake)
		fake_rings_free(fake);
	fake = NULL;
	return 0;
}

static int end_recorded(void **state)
{
	end_rings(state);
	return recorded_teardown(state);
}

#define RINGS(name) cmocka_unit_test_teardown(name, end_rings)
#define RECORDED_RINGS(name) cmocka_unit_test_setup_teardown(name, recorded_setup, end_recorded)

/* @pid is that of the ring. */
#define expect_from(source, on_cpu, ring, time)                               \
	do {                                                                  \
		struct proclife_event e;                                      \
									      \
		assert_int_equal(proclife_source_next((source), &e), 1);      \
		assert_non_null(e.record);                                    \
		assert_int_equal(e.record->ts, (time));                       \
		assert_int_equal(e.record->cpu, (on_cpu));                    \
		assert_int_equal(e.record->pid, (ring));                      \
	} while (0)

/* At the same time: by CPU, then by ring, then by position. */
static void test_order(void **state)
{
	(void)state;
	begin_rings(2, 3, 8, 0);
	for (uint32_t ring = 3; ring--;) {
		for (uint32_t cpu = 2; cpu--;) {
			fake_rings_write(fake, cpu, ring, 1000);
			fake_rings_write(fake, cpu, ring, 1000);
			fake_rings_write(fake, cpu, ring, 1001 + ring);
		}
	}
	fake->now = 2000;
	for (uint32_t cpu = 0; cpu < 2; cpu++)
		for (uint32_t i = 0; i < 6; i++)
			expect_from(source, cpu, i / 2, 1000);
	for (uint32_t i = 0; i < 6; i++)
		expect_from(source, i % 2, i / 2, 1001 + i / 2);
	expect_nothing(source);
}

/* More than a stream has room for at once. */
static void test_many(void **state)
{
	(void)state;
	begin_rings(1, 2, 2048, 0);
	for (uint64_t i = 0; i < 2000; i++)
		fake_rings_write(fake, 0, i % 3 == 0, 1000 + i);
	fake->now = 5000;
	for (uint64_t i = 0; i < 2000; i++)
		expect_from(source, 0, i % 3 == 0, 1000 + i);
	expect_nothing(source);
}

/* A program is preempted between W1 and W4, and others of its CPU go on. */
static void test_held(void **state)
{
	struct proclife_record *slot;

	(void)state;
	begin_rings(2, 3, 8, 0);
	fake_rings_write(fake, 0, 1, 1000);
	slot = fake_rings_begin(fake, 0, 1);
	for (uint64_t i = 0; i < 5; i++)
		fake_rings_write(fake, 0, 0, 1010 + i);
	fake_rings_write(fake, 1, 2, 1020);
	fake->now = 2000;
	expect_nothing(source);
	assert_int_equal(proclife_source_horizon(source), 1000);
	fake_rings_fill(fake, 0, 1, slot, 1012);
	expect_nothing(source);
	fake_rings_commit(fake, 0, 1);
	expect_from(source, 0, 1, 1000);
	for (uint64_t i = 0; i < 3; i++)
		expect_from(source, 0, 0, 1010 + i);
	expect_from(source, 0, 1, 1012);
	expect_from(source, 0, 0, 1013);
	expect_from(source, 0, 0, 1014);
	expect_from(source, 1, 2, 1020);
	expect_nothing(source);
	assert_int_equal(proclife_source_horizon(source), 2000);
}

/* What is below the last record of the ring that holds the horizon is yielded: its times never decrease. */
static void test_held_in_part(void **state)
{
	(void)state;
	begin_rings(1, 2, 8, 0);
	fake_rings_write(fake, 0, 0, 1005);
	fake_rings_write(fake, 0, 0, 1030);
	fake_rings_write(fake, 0, 1, 1010);
	fake_rings_write(fake, 0, 1, 1040);
	fake_rings_begin(fake, 0, 0);
	fake->now = 2000;
	expect_from(source, 0, 0, 1005);
	expect_from(source, 0, 1, 1010);
	expect_nothing(source);
	fake->now = 3000; /* as long as it takes */
	expect_nothing(source);
	assert_int_equal(proclife_source_horizon(source), 1030);
}

/* The overrun of one ring is a gap at its place, and costs the other rings of its CPU nothing. */
static void test_overrun_of_one(void **state)
{
	(void)state;
	begin_rings(2, 3, 8, 0);
	fake_rings_write(fake, 0, 0, 1000);
	fake_rings_write(fake, 0, 1, 1001);
	fake->now = 1010;
	expect_from(source, 0, 0, 1000);
	expect_from(source, 0, 1, 1001);
	expect_nothing(source);
	for (uint64_t i = 0; i < 11; i++)
		fake_rings_write(fake, 0, 1, 1020 + i);
	fake_rings_write(fake, 0, 0, 1015);
	fake_rings_write(fake, 0, 2, 1022);
	fake_rings_write(fake, 1, 2, 1010);
	fake->now = 1100;
	expect_gap(source, 0, 3, 1010, 1023);
	expect_from(source, 1, 2, 1010);
	expect_from(source, 0, 0, 1015);
	expect_from(source, 0, 2, 1022);
	for (uint64_t i = 3; i < 11; i++)
		expect_from(source, 0, 1, 1020 + i);
	expect_nothing(source);
	assert_int_equal(proclife_source_lost(source), 3);
}

/* Two rings of a CPU at once: two gaps, of which none is put into the other one's. */
static void test_overruns_at_once(void **state)
{
	(void)state;
	begin_rings(1, 3, 4, 0);
	for (uint32_t ring = 0; ring < 3; ring++)
		for (uint64_t i = 0; i < 5 + ring; i++)
			fake_rings_write(fake, 0, ring, 1000 + 10 * i + ring);
	fake->now = 1100;
	for (uint32_t ring = 0; ring < 3; ring++)
		expect_gap(source, 0, 1 + ring, 1000, 1000 + 10 * (1 + ring) + ring);
	for (uint64_t i = 1; i < 7; i++)
		for (uint32_t ring = 0; ring < 3; ring++)
			if (i > ring && i < 5 + ring)
				expect_from(source, 0, ring, 1000 + 10 * i + ring);
	expect_nothing(source);
	assert_int_equal(proclife_source_lost(source), 6);
}

/* A clock of the programs that is behind the reader's by less than the margin puts nothing out of order. */
static void test_margin(void **state)
{
	(void)state;
	begin_rings(2, 2, 8, 100);
	assert_int_equal(proclife_source_horizon(source), 0);
	fake_rings_write(fake, 0, 0, 1500);
	fake->now = 1600;
	expect_nothing(source);
	assert_int_equal(proclife_source_horizon(source), 1500);
	fake_rings_write(fake, 0, 1, 1501);
	fake_rings_write(fake, 1, 0, 1500);
	fake->now = 1601;
	expect_from(source, 0, 0, 1500);
	expect_from(source, 1, 0, 1500);
	expect_nothing(source);
	fake->now = 1602;
	expect_from(source, 0, 1, 1501);
	expect_nothing(source);
	assert_int_equal(proclife_source_horizon(source), 1502);
}

/* A reader that waits for records younger than the margin sleeps meanwhile. */
static void test_wait_for_the_margin(void **state)
{
	struct proclife_event event;
	unsigned int rounds = 0;

	(void)state;
	begin_rings(1, 2, 8, 20000000);
	fake->now = proclife_monotonic();
	fake_rings_write(fake, 0, 0, fake->now);
	while (!proclife_source_next(source, &event)) {
		assert_int_equal(proclife_source_wait(source, 1000), 1);
		assert_in_range(++rounds, 1, 10);
		fake->now = proclife_monotonic();
	}
	assert_non_null(event.record);
	assert_true(rounds > 0);
}

/* Near the beginning of time. */
static void test_margin_above_now(void **state)
{
	(void)state;
	begin_rings(1, 2, 8, 5000);
	fake_rings_write(fake, 0, 0, 10);
	expect_nothing(source);
	fake->now = 5010;
	expect_nothing(source);
	fake->now = 5011;
	expect_from(source, 0, 0, 10);
}

/* The ring of a CPU has the sums of its rings. */
static void test_sums(void **state)
{
	const struct proclife_ring_ctl *ctl;

	(void)state;
	begin_rings(2, 3, 4, 0);
	for (uint64_t i = 0; i < 6; i++)
		fake_rings_write(fake, 1, i % 3, 1001 + i);
	fake_rings_begin(fake, 1, 2);
	ctl = proclife_source_ring(source, 1);
	assert_non_null(ctl);
	assert_int_equal(ctl->commit, 6);
	assert_int_equal(ctl->reserve, 7);
	assert_int_equal(proclife_source_count(source, 1, PROCLIFE_FORK), 6);
	assert_int_equal(proclife_source_count(source, 0, PROCLIFE_FORK), 0);
	assert_int_equal(proclife_source_count(source, 1, PROCLIFE_TYPES), 0);
	assert_int_equal(proclife_source_suppressed(source, 1, PROCLIFE_FORK), 0);
	assert_null(proclife_source_ring(source, 2));
}

/*
 * What the kernel skipped
 */

static void test_skips(void **state)
{
	(void)state;
	begin_rings(2, 2, 8, 100);
	fake->now = 1200;
	expect_nothing(source); /* up to here, there was none */
	fake->skipped = 3;
	fake_rings_write(fake, 0, 0, 1150);
	fake->now = 1400;
	/* Since then or the horizon of then, which the count may come before. */
	fake_rings_write(fake, 1, 1, 1299);
	expect_gap(source, PROCLIFE_CPU_ALL, 3, 1100, 1400);
	expect_from(source, 0, 0, 1150);
	expect_from(source, 1, 1, 1299);
	expect_nothing(source);
	assert_int_equal(proclife_source_lost(source), 3);
}

/* As long as the horizon is held, they make up one gap. */
static void test_skips_while_held(void **state)
{
	struct proclife_record *slot;

	(void)state;
	begin_rings(1, 2, 8, 0);
	slot = fake_rings_begin(fake, 0, 0);
	fake->now = 1100;
	fake->skipped = 1;
	expect_nothing(source);
	fake->skipped = 3;
	fake->now = 1200;
	expect_nothing(source);
	fake_rings_fill(fake, 0, 0, slot, 1050);
	fake_rings_commit(fake, 0, 0);
	fake->now = 1300;
	expect_gap(source, PROCLIFE_CPU_ALL, 3, 1000, 1200);
	expect_from(source, 0, 0, 1050);
	expect_nothing(source);
	assert_int_equal(proclife_source_lost(source), 3);
}

/*
 * Recordings
 */

static void check_streams(const char *path, uint32_t cpus, bool skips)
{
	char name[32];

	for (uint32_t cpu = 0; cpu <= cpus; cpu++) {
		snprintf(name, sizeof(name), "cpu_%u", cpu);
		assert_int_equal(file_is(path, name), cpu < cpus);
	}
	assert_int_equal(file_is(path, "all_cpus"), skips);
	assert_false(file_is(path, "snapshot"));
}

/* One stream per CPU, and the replay yields what was yielded: in order, with all gaps. */
static void check_recording(uint64_t seed, bool handles)
{
	static const uint64_t sizes[] = { 4, 64, 0, 16 };
	struct proclife_run_info run = { .size = sizeof(run), .began = 1 };
	struct proclife_recorder *recorder;
	struct proclife_fault fault;
	uint64_t gaps = 0;

	fake = fake_rings_new(3, 4, sizes);
	fake->now = 1000;
	fake->margin = seed % 50;
	fake->with_handles = handles;
	source = fake_rings_open(fake);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), 0);
	for (int round = 0; round < 200; round++) {
		for (uint64_t n = random_below(&seed, 60); n; n--) {
			uint32_t ring = random_below(&seed, 4);

			fake->now += random_below(&seed, 3);
			if (sizes[ring])
				fake_rings_write(fake, random_below(&seed, 3), ring, fake->now);
		}
		if (random_below(&seed, 8) == 0)
			fake->skipped += random_below(&seed, 3);
		log_source(&live, source, random_below(&seed, 60));
		if (random_below(&seed, 16) == 0)
			assert_int_equal(proclife_recorder_sync(recorder), 0);
	}
	fake->now += 100;
	assert_int_equal(log_source(&live, source, UINT64_MAX), 0);
	run.ended = fake->now;
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	check_streams(folder.path, 3, true);
	assert_int_equal(try_replay(folder.path, &fault, &again), 0);
	assert_same_log(&live, &again);
	for (size_t i = 0; i < live.count; i++) {
		gaps += !live.records[i].type;
		/* Handles of positions: those of 0 stay 0. */
		if (live.records[i].type && handles)
			assert_true(!live.records[i].task || live.records[i].task > UINT16_MAX);
	}
	assert_true(gaps > 50);
}

static void test_recording(void **state)
{
	(void)state;
	check_recording(1, false);
}

static void test_recording_of_handles(void **state)
{
	(void)state;
	check_recording(2, true);
}

/* Two gaps of skips between two times that the recorder is asked to write. */
static void test_recording_of_skips(void **state)
{
	struct proclife_run_info run = { .size = sizeof(run), .began = 1 };
	struct proclife_recorder *recorder;
	struct proclife_fault fault;

	(void)state;
	begin_rings(1, 2, 8, 0);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), 0);
	for (uint64_t i = 1; i <= 4; i++) {
		fake->skipped += i;
		fake->now += 100;
		assert_int_equal(log_source(&live, source, UINT64_MAX), 0);
		assert_int_equal(live.count, i);
	}
	run.ended = fake->now;
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	check_streams(folder.path, 0, true);
	assert_int_equal(try_replay(folder.path, &fault, &again), 0);
	assert_same_log(&live, &again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RINGS(test_order),
		RINGS(test_many),
		RINGS(test_held),
		RINGS(test_held_in_part),
		RINGS(test_overrun_of_one),
		RINGS(test_overruns_at_once),
		RINGS(test_margin),
		RINGS(test_wait_for_the_margin),
		RINGS(test_margin_above_now),
		RINGS(test_sums),
		RINGS(test_skips),
		RINGS(test_skips_while_held),
		RECORDED_RINGS(test_recording),
		RECORDED_RINGS(test_recording_of_handles),
		RECORDED_RINGS(test_recording_of_skips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
