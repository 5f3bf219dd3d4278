// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several rings for each CPU, in many random runs whose truth is known: records of all rings come in the order (time,
 * CPU, ring, position), however long a writer is preempted in one of them, and each overrun of a ring is one gap.
 */
#include "check.h"
#include "fake_rings.h"

#include <string.h>

#define CPUS 3
#define MOST_RINGS 5
#define MOST 6000
#define MOST_GAPS 4

/* The truth of a ring, by position. */
struct ring {
	struct proclife_record *slot; /* in flight */
	uint64_t times[MOST];
	uint64_t written; /* committed */
	uint64_t read;	  /* yielded or lost */
};

struct model {
	struct ring rings[CPUS][MOST_RINGS];
	/* Gaps that were yielded, until the next record of a ring shows which of them was its. */
	struct proclife_gap gaps[CPUS][MOST_RINGS][MOST_GAPS];
	uint32_t gap_count[CPUS];
	uint64_t random, yielded, lost, written;
	struct proclife_record last; /* since the last gap */
	uint64_t last_ts;
	bool any;
};

static struct model model;
static struct fake_rings *fake;
static struct proclife_source *source;

static struct proclife_gap *gap_at(struct model *m, uint32_t cpu, uint32_t index)
{
	return &m->gaps[cpu][index / MOST_GAPS][index % MOST_GAPS];
}

/* A program's clock may be behind the reader's by less than the margin, but its times never decrease. */
static uint64_t take_time(struct model *m, const struct proclife_ring *ring)
{
	uint64_t ts = fake->now - (fake->margin ? random_below(&m->random, fake->margin) : 0);

	return ts < ring->page->ctl.last ? ring->page->ctl.last : ts;
}

static void model_step(struct model *m)
{
	uint32_t cpu = random_below(&m->random, CPUS), i = random_below(&m->random, fake->count);
	struct ring *ring = &m->rings[cpu][i];

	fake->now += random_below(&m->random, 3);
	if (!fake->header->ring[i].records || ring->written == MOST)
		return;
	if (!ring->slot) {
		ring->slot = fake_rings_begin(fake, cpu, i);
		ring->times[ring->written] = take_time(m, fake_ring(fake, cpu, i));
		memset(ring->slot, 0xff, sizeof(*ring->slot));
		if (random_below(&m->random, 4) == 0)
			return; /* preempted for a while */
	} else if (random_below(&m->random, 3)) {
		return; /* for longer */
	}
	fake_rings_fill(fake, cpu, i, ring->slot, ring->times[ring->written]);
	fake_rings_commit(fake, cpu, i);
	ring->slot = NULL;
	ring->written++;
	m->written++;
}

static void model_at_clock(struct fake_rings *rings)
{
	struct model *m = rings->data;

	for (uint64_t n = random_below(&m->random, 8); n; n--)
		model_step(m);
}

static void model_gap(struct model *m, const struct proclife_gap *gap)
{
	assert_true(gap->lost > 0);
	assert_true(gap->cpu < CPUS);
	assert_true(gap->from <= gap->to);
	assert_true(gap->from >= m->last_ts);
	assert_true(m->gap_count[gap->cpu] < MOST_RINGS * MOST_GAPS);
	*gap_at(m, gap->cpu, m->gap_count[gap->cpu]++) = *gap;
	m->last_ts = gap->from;
	m->any = false; /* a gap has no place among records of its time */
	m->lost += gap->lost;
}

/* Is it this ring's, whose next record is the one at @next? */
static bool is_gap_of(const struct ring *ring, uint64_t next, const struct proclife_gap *gap)
{
	return gap->lost == next - ring->read && (!ring->read || gap->from >= ring->times[ring->read - 1]) &&
	       gap->from <= ring->times[ring->read] &&
	       (next < ring->written ? gap->to == ring->times[next] : gap->to >= ring->times[next - 1]);
}

/* Each overrun of the ring is in one gap of its CPU, and records that were still there are not lost. */
static void take_gap(struct model *m, uint32_t cpu, uint32_t ring, uint64_t next)
{
	uint32_t i = 0, count = m->gap_count[cpu];

	while (i < count && !is_gap_of(&m->rings[cpu][ring], next, gap_at(m, cpu, i)))
		i++;
	assert_true(i < count);
	*gap_at(m, cpu, i) = *gap_at(m, cpu, count - 1);
	m->gap_count[cpu]--;
	assert_true(next + fake->header->ring[ring].records <= fake_ring(fake, cpu, ring)->page->ctl.reserve);
	m->rings[cpu][ring].read = next;
}

static bool is_after(const struct proclife_record *a, const struct proclife_record *b)
{
	if (a->ts != b->ts)
		return a->ts > b->ts;
	if (a->cpu != b->cpu)
		return a->cpu > b->cpu;
	return a->pid != b->pid ? a->pid > b->pid : a->task > b->task;
}

static void model_record(struct model *m, const struct proclife_record *record)
{
	struct ring *ring = &m->rings[record->cpu][record->pid];

	assert_true(record->cpu < CPUS && record->pid < fake->count);
	assert_true(record->task >= ring->read && record->task < ring->written);
	if (record->task != ring->read)
		take_gap(m, record->cpu, record->pid, record->task);
	assert_int_equal(record->ts, ring->times[ring->read]);
	assert_true(record->ts >= m->last_ts);
	assert_true(!m->any || is_after(record, &m->last));
	m->last = *record;
	m->last_ts = record->ts;
	m->any = true;
	ring->read++;
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

static void model_begin(struct model *m, uint64_t seed)
{
	uint64_t sizes[MOST_RINGS];
	uint32_t count = 2 + seed % (MOST_RINGS - 1);

	memset(m, 0, sizeof(*m));
	m->random = seed;
	/* One ring is overrun all the time, and another one never is. One of 1 can be given up twice before a record comes. */
	for (uint32_t i = 0; i < count; i++)
		sizes[i] = i && random_below(&m->random, 6) == 0 ? 0 : 2ULL << random_below(&m->random, 9);
	fake = fake_rings_new(CPUS, count, sizes);
	fake->now = 1000;
	fake->margin = seed % 5 == 0 ? 0 : random_below(&m->random, 20);
	source = fake_rings_open(fake);
	fake->data = m;
	if (seed % 2)
		fake->at_clock = model_at_clock;
}

static void model_end(struct model *m)
{
	fake->at_clock = NULL;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		for (uint32_t i = 0; i < fake->count; i++) {
			struct ring *ring = &m->rings[cpu][i];

			if (!ring->slot)
				continue;
			fake_rings_fill(fake, cpu, i, ring->slot, ring->times[ring->written++]);
			fake_rings_commit(fake, cpu, i);
			m->written++;
		}
	}
	fake->now += fake->margin + 1;
	model_read(m, UINT64_MAX);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		assert_int_equal(m->gap_count[cpu], 0);
		for (uint32_t i = 0; i < fake->count; i++)
			assert_int_equal(m->rings[cpu][i].read, m->rings[cpu][i].written);
	}
	assert_int_equal(m->yielded + m->lost, m->written);
	proclife_source_free(source);
	fake_rings_free(fake);
}

static void test_model(void **state)
{
	uint64_t lost = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		model_begin(&model, seed);
		for (int round = 0; round < 200; round++) {
			for (uint64_t n = random_below(&model.random, seed % 3 ? 20 : 300); n; n--)
				model_step(&model);
			model_read(&model, random_below(&model.random, 60));
		}
		model_end(&model);
		lost += model.lost;
	}
	assert_true(lost > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
