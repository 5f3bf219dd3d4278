// SPDX-License-Identifier: GPL-2.0-only
/*
 * The records that the rings still hold when a reader opens: all are yielded, each CPU's from its own
 * beginning on; older ones are not lost, but the lives that they belong to are incomplete.
 */
#include "check.h"
#include "fixture_device.h"
#include "records.h"

#include <string.h>

#define CPUS 4
#define MOST 1000

/* The truth of each ring, by position. */
struct ring {
	uint64_t times[MOST];
	uint64_t written;
	uint64_t next; /* the position that is to come */
	uint64_t old;  /* those below it are history */
	bool begun;
	bool silent; /* the beginning was reported, and no record has come yet */
	uint64_t told; /* where it begins */
};

static struct ring rings[CPUS];
static uint64_t seed, lost, last;

static void write_some(uint64_t most)
{
	for (uint64_t n = random_below(&seed, most + 1); n; n--) {
		uint32_t cpu = random_below(&seed, CPUS);
		struct ring *ring = &rings[cpu];

		if (ring->written == MOST)
			continue;
		device->now += random_below(&seed, 3);
		ring->times[ring->written++] = device->now;
		fake_device_write(device, cpu, device->now);
	}
}

static void write_meanwhile(struct fake_device *fake)
{
	(void)fake;
	write_some(20);
}

static void check_gap(const struct proclife_gap *gap)
{
	struct ring *ring = &rings[gap->cpu];
	uint64_t fresh = 0;

	if (!gap->from && !gap->lost) { /* before all else of this CPU */
		assert_int_equal(last, 0);
		assert_false(ring->begun);
		ring->begun = true;
		ring->silent = true;
		ring->told = gap->to;
		return;
	}
	assert_true(gap->from >= last && gap->from <= gap->to);
	last = gap->from;
	/* All below gap->to, except those of exactly that time that are still to come. */
	do {
		assert_true(ring->next < ring->written);
		assert_in_range(ring->times[ring->next], gap->from, gap->to);
		fresh += ring->next >= ring->old;
		ring->next++;
	} while (fresh < gap->lost || (ring->next < ring->old && !gap->lost &&
				       ring->times[ring->next] < gap->to));
	assert_int_equal(fresh, gap->lost);
	lost += gap->lost;
}

static void check_record(const struct proclife_record *record)
{
	struct ring *ring = &rings[record->cpu];

	assert_true(record->ts >= last);
	last = record->ts;
	if (ring->silent) { /* from the first that was left */
		assert_int_equal(record->ts, ring->told);
		assert_true(record->task > 0);
		ring->next = record->task;
		ring->silent = false;
	}
	/* A hole of the history can hold more records of the same time. */
	while (ring->next < record->task && ring->next < ring->old)
		ring->next++;
	assert_int_equal(record->task, ring->next);
	assert_int_equal(record->ts, ring->times[ring->next]);
	ring->next++;
}

static void check_history(bool meanwhile)
{
	struct proclife_event event;
	uint64_t size = 1ULL << random_below(&seed, 7), committed[CPUS];

	memset(rings, 0, sizeof(rings));
	lost = last = 0;
	device = fake_device_new(CPUS, size);
	fake_device_add_rings(device);
	device->now = 1000;
	write_some(60);
	source = fake_device_open(device);
	assert_int_equal(proclife_source_rewind(source), 0);
	/* Very different numbers: none, one, as many as the ring has, many times that. */
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		for (uint64_t n = random_below(&seed, 1 + 3 * size); n; n--) {
			device->now += random_below(&seed, 3);
			rings[cpu].times[rings[cpu].written++] = device->now;
			fake_device_write(device, cpu, device->now);
		}
		write_some(3);
	}
	device->now++;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		committed[cpu] = rings[cpu].old = rings[cpu].written;
	device->at_clock = meanwhile ? write_meanwhile : NULL;
	for (int ret, round = 0;; round++) {
		ret = proclife_source_next(source, &event);
		if (round == 0 && meanwhile) { /* history is what there was when it began */
			for (uint32_t cpu = 0; cpu < CPUS; cpu++)
				rings[cpu].old = rings[cpu].written;
		}
		if (ret != 1)
			break;
		if (event.record)
			check_record(event.record);
		else
			check_gap(&event.gap);
		if (meanwhile && round < 300)
			write_some(4);
	}
	for (uint32_t cpu = 0; cpu < CPUS && !meanwhile; cpu++) {
		/* Every record of a ring was yielded. */
		assert_int_equal(rings[cpu].next, committed[cpu]);
		assert_int_equal(rings[cpu].begun, committed[cpu] > size);
		if (rings[cpu].begun)
			assert_int_equal(rings[cpu].told, rings[cpu].times[committed[cpu] - size]);
	}
	assert_int_equal(proclife_source_lost(source), lost);
	if (!meanwhile)
		assert_int_equal(lost, 0);
	end_device(NULL);
}

static void test_all_that_is_there(void **state)
{
	(void)state;
	seed = 1;
	for (int i = 0; i < 300; i++)
		check_history(false);
}

static void test_while_it_is_overwritten(void **state)
{
	(void)state;
	seed = 2;
	for (int i = 0; i < 300; i++)
		check_history(true);
}

/* History that is overwritten after the first batch, before it is read, is not lost. */
static void test_a_hole_is_no_loss(void **state)
{
	(void)state;
	device = fake_device_new(2, 1024);
	fake_device_add_rings(device);
	fake_device_write(device, 1, 5);
	for (uint64_t n = 0; n < 2000; n++)
		fake_device_write(device, 0, 100 + n);
	source = fake_device_open(device);
	assert_int_equal(proclife_source_rewind(source), 0);
	device->now = 5000;
	expect_gap(source, 0, 0, 0, 100 + 2000 - 1024);
	expect_record(source, 1, 5);
	for (uint64_t n = 0; n < 400; n++) /* the oldest of them overwrite what has been copied */
		fake_device_write(device, 0, 6000 + n);
	for (uint64_t n = 0; n < 256; n++)
		expect_record(source, 0, 100 + 2000 - 1024 + n);
	expect_gap(source, 0, 0, 100 + 2000 - 1024 + 255, 100 + 2000 - 1024 + 400);
	for (uint64_t n = 400; n < 1024; n++)
		expect_record(source, 0, 100 + 2000 - 1024 + n);
	expect_nothing(source);
	assert_int_equal(proclife_source_lost(source), 0);
	/* From here on, overwritten records are lost. */
	for (uint64_t n = 0; n < 1025; n++)
		fake_device_write(device, 0, 7000 + n);
	device->now = 9000;
	for (uint64_t n = 0; n < 256; n++) /* copied before that */
		expect_record(source, 0, 6000 + n);
	expect_gap(source, 0, 401 - 256, 6000 + 255, 7001);
	assert_int_equal(proclife_source_lost(source), 401 - 256);
}

/* Lives with records anywhere, some of them overwritten: none of these counts as complete. */
static void check_lives(void)
{
	enum { LIVES = 60, RECORDS = 4 };
	uint32_t cpus[LIVES][RECORDS];
	uint64_t positions[LIVES][RECORDS], written[CPUS] = { 0 }, gone = 0, complete = 0;
	struct who parent = process_of_pid(1, "init");
	struct proclife_tasks *tasks;
	struct proclife_event event;
	uint64_t ts = 1000;

	device = fake_device_new(CPUS, 32);
	fake_device_add_rings(device);
	for (uint32_t life = 0; life < LIVES; life++) {
		struct who who = process_of_pid(1000 + life, "app");
		const struct proclife_record records[RECORDS] = {
			fork_record(ts, &who, &parent), exit_record(ts + 1, &who, 0, 0),
			reap_record(ts + 2, &who, &parent), free_record(ts + 3, &who),
		};

		for (int i = 0; i < RECORDS; i++, ts++) {
			uint32_t cpu = random_below(&seed, 3) ? random_below(&seed, CPUS) : 0;
			struct proclife_record *slot = fake_device_begin(device, cpu);

			*slot = records[i];
			slot->cpu = cpu;
			fake_device_commit(device, cpu);
			cpus[life][i] = cpu;
			positions[life][i] = written[cpu]++;
		}
	}
	source = fake_device_open(device);
	device->now = ts;
	assert_int_equal(proclife_source_rewind(source), 0);
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	memset(&reported, 0, sizeof(reported));
	report_to(tasks);
	while (proclife_source_next(source, &event) == 1)
		assert_true(proclife_tasks_feed(tasks, &event) >= 0);
	assert_int_equal(proclife_source_lost(source), 0);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	for (size_t n = 0; n < reported.gone_count; n++) {
		const struct proclife_process *process = &reported.gone[n];
		uint32_t life = process->tgid - 1000;
		bool whole = true;

		if (process->tgid < 1000)
			continue;
		gone++;
		for (int i = 0; i < RECORDS; i++)
			whole &= positions[life][i] + 32 >= written[cpus[life][i]];
		if (!whole) /* its birth is missing, or it is marked incomplete */
			assert_true(!process->marks.born || process->incomplete);
		complete += !process->incomplete && process->marks.born;
	}
	assert_true(gone > 0 && complete > 0 && complete < gone);
	proclife_tasks_free(tasks);
	end_device(NULL);
}

static void test_lives_that_it_touches(void **state)
{
	(void)state;
	seed = 3;
	for (int i = 0; i < 100; i++)
		check_lives();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all_that_is_there),
		TEST(test_while_it_is_overwritten),
		TEST(test_a_hole_is_no_loss),
		TEST(test_lives_that_it_touches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
