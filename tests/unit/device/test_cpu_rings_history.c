// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several rings for each CPU, read from their oldest records on: the history of a CPU begins where the last of its
 * rings' does, and what the others hold from before that is yielded, too.
 */
#include "fake_rings.h"
#include "fixture_device.h"
#include "records.h"

#include <string.h>

#define CPUS 3
#define RINGS 4
#define MOST 2000

static const uint64_t sizes[RINGS] = { 512, 8, 0, 64 };

struct ring {
	uint64_t times[MOST];
	uint64_t written;
	uint64_t next; /* the position that is to come */
};

static struct fake_rings *fake;
static struct ring rings[CPUS][RINGS];

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

static void write_one(uint32_t cpu, uint32_t i)
{
	struct ring *ring = &rings[cpu][i];

	if (!sizes[i] || ring->written == MOST)
		return;
	ring->times[ring->written++] = fake->now;
	fake_rings_write(fake, cpu, i, fake->now);
}

/* Where the rings of a CPU begin; 0: none has wrapped. */
static uint64_t begin_of(uint32_t cpu)
{
	uint64_t latest = 0;

	for (uint32_t i = 0; i < RINGS; i++) {
		struct ring *ring = &rings[cpu][i];

		ring->next = ring->written > sizes[i] ? ring->written - sizes[i] : 0;
		if (ring->next && ring->times[ring->next] > latest)
			latest = ring->times[ring->next];
	}
	return latest;
}

static void check_history(uint64_t seed)
{
	uint64_t begin[CPUS], last = 0;
	struct proclife_event event;
	bool any[CPUS] = { false };

	memset(rings, 0, sizeof(rings));
	fake = fake_rings_new(CPUS, RINGS, sizes);
	fake->now = 1000;
	fake->margin = seed % 3;
	source = fake_rings_open(fake);
	assert_int_equal(proclife_source_rewind(source), 0);
	for (uint64_t n = random_below(&seed, 4000); n; n--) {
		fake->now += random_below(&seed, 3);
		write_one(random_below(&seed, CPUS), random_below(&seed, RINGS));
	}
	fake->now += 10;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		begin[cpu] = begin_of(cpu);
	while (proclife_source_next(source, &event) == 1) {
		const struct proclife_record *record = event.record;
		struct ring *ring;

		if (!record) {
			assert_int_equal(last, 0);
			assert_int_equal(event.gap.lost, 0);
			assert_int_equal(event.gap.from, 0);
			assert_false(any[event.gap.cpu]);
			assert_true(begin[event.gap.cpu] > 0);
			assert_int_equal(event.gap.to, begin[event.gap.cpu]);
			begin[event.gap.cpu] = 0; /* there is no other one */
			continue;
		}
		assert_true(record->ts >= last);
		last = record->ts;
		any[record->cpu] = true;
		ring = &rings[record->cpu][record->pid];
		assert_int_equal(record->task, ring->next);
		assert_int_equal(record->ts, ring->times[ring->next++]);
	}
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		assert_int_equal(begin[cpu], 0);
		for (uint32_t i = 0; i < RINGS; i++)
			assert_int_equal(rings[cpu][i].next, rings[cpu][i].written);
	}
	assert_int_equal(proclife_source_lost(source), 0);
	end_rings(NULL);
}

static void test_all_that_is_there(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++)
		check_history(seed);
}

static void write_many(uint32_t ring, uint64_t ts, uint64_t count)
{
	while (count--)
		fake_rings_write(fake, 0, ring, ts++);
}

static void begin_history(void)
{
	fake = fake_rings_new(1, RINGS, sizes);
	fake->now = 5000;
	source = fake_rings_open(fake);
	assert_int_equal(proclife_source_rewind(source), 0);
}

/* History that is overwritten before it is read leaves a hole in its ring, and is not lost. */
static void test_a_hole_is_no_loss(void **state)
{
	(void)state;
	begin_history();
	write_many(0, 1000, 600);
	write_many(3, 1300, 10);
	expect_gap(source, 0, 0, 0, 1088);
	expect_record(source, 0, 1088);
	write_many(0, 6000, 300); /* up to 1387, of which 255 have been copied */
	for (uint64_t ts = 1089; ts < 1300; ts++)
		expect_record(source, 0, ts);
	for (uint64_t ts = 1300; ts < 1310; ts++) {
		expect_record(source, 0, ts);
		expect_record(source, 0, ts);
	}
	for (uint64_t ts = 1310; ts < 1344; ts++)
		expect_record(source, 0, ts);
	expect_gap(source, 0, 0, 1343, 1388);
	for (uint64_t ts = 1388; ts < 1600; ts++)
		expect_record(source, 0, ts);
	expect_nothing(source);
	assert_int_equal(proclife_source_lost(source), 0);
}

/*
 * What a program has kept for longer comes once, if a ring holds it, too. Of the kept ones, each but the first is still
 * in the ring of its program, although the history of the CPU begins later.
 */
static void test_kept_records_come_once(void **state)
{
	struct who init = process_of_pid(1, "init"), sh = process_of_pid(100, "sh");
	struct proclife_record kept[] = {
		exec_record(900, &sh, 100, "/bin/sh"), fork_record(1001, &sh, &init), wait_record(1001, &sh),
		rename_record(1400, &sh, "name"), exec_record(1401, &sh, 100, "/bin/sh"),
	};
	uint64_t ts[4] = { 0 };

	(void)state;
	begin_history();
	fake_rings_put(fake, 0, 1, 900, kept[0]);
	fake_rings_put(fake, 0, 0, 1001, kept[1]);
	for (uint64_t i = 0; i < 390; i++) /* more than are copied at once */
		fake_rings_put(fake, 0, 0, 1002 + i, fork_record(0, &init, &init));
	fake_rings_put(fake, 0, 0, 1400, kept[3]);
	for (uint64_t i = 0; i < 8; i++)
		fake_rings_put(fake, 0, 1, 1401 + i, kept[4]);
	assert_int_equal(proclife_source_prepend(source, kept, 5), 0);
	expect_gap(source, 0, 0, 0, 1401);
	for (struct proclife_event event; proclife_source_next(source, &event) == 1;) {
		assert_non_null(event.record);
		ts[0] += event.record->ts == 900;
		ts[1] += event.record->ts == 1001;
		ts[2] += event.record->ts == 1400;
		ts[3] += event.record->ts == 1401;
	}
	assert_int_equal(ts[0], 1);
	assert_int_equal(ts[1], 2); /* the fork, and the wait that no ring holds */
	assert_int_equal(ts[2], 1);
	assert_int_equal(ts[3], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_all_that_is_there, end_rings),
		cmocka_unit_test_teardown(test_a_hole_is_no_loss, end_rings),
		cmocka_unit_test_teardown(test_kept_records_come_once, end_rings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
