// SPDX-License-Identifier: GPL-2.0-only
/* The device as a source, in many random runs whose truth is known, and with threads. */
#include "check.h"
#include "fixture_device.h"

#include <device/device.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

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
	m->last_cpu = 0; /* a gap is ordered among ties, too, but only within its CPU */
	for (uint64_t n = 0; n < gap->lost; n++, m->read[cpu]++) {
		assert_true(m->read[cpu] < m->written[cpu]);
		/* Records that are still there are not lost. */
		assert_true(m->read[cpu] + device->header->records_per_ring <
			    device->rings[cpu].page->ctl.reserve);
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
	begin_device(4, 1ULL << random_below(&m->random, 7));
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
	end_device(NULL);
}

static void test_model(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++)
		check_model(seed);
}

/* Writers in threads, on a clock that gives each record its own number. */
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

static void read_numbers(struct proclife_clock *clock, void *data)
{
	clock->now = __atomic_load_n((uint64_t *)data, __ATOMIC_SEQ_CST);
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
	begin_device(THREADS, 64);
	proclife_device_set_clock(source, read_numbers, &numbers);
	writing = THREADS;
	for (uint32_t i = 0; i < THREADS; i++) {
		cpus[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, write_many, &cpus[i]), 0);
	}
	/* No assertion before the threads are joined: errors are counted. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_model),
		TEST(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
