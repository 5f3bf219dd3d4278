// SPDX-License-Identifier: GPL-2.0-only
/* ring.h, one step at a time; tests/stress/ring.c has the threads. */
#include "check.h"

#include <proclife/ring.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZE 64

static struct proclife_ring_page page;
static struct proclife_record slots[MAX_SIZE];
static struct proclife_ring ring;

static void begin(uint64_t size)
{
	memset(&page, 0, sizeof(page));
	memset(slots, 0, sizeof(slots));
	ring = (struct proclife_ring){
		.page = &page,
		.records = slots,
		.mask = size - 1,
		.wake_at = PROCLIFE_RING_NEVER,
	};
}

static int write_record(uint64_t ts)
{
	struct proclife_record *slot = proclife_ring_reserve(&ring);

	slot->ts = ts;
	slot->type = PROCLIFE_FORK;
	return proclife_ring_commit(&ring, PROCLIFE_FORK);
}

static void write_records(uint64_t n)
{
	while (n--)
		write_record(ring.pos);
}

static void test_positions(void **state)
{
	struct proclife_record *slot;

	(void)state;
	begin(8);
	assert_int_equal(proclife_ring_committed(&page.ctl), 0);
	assert_int_equal(proclife_ring_oldest(&page.ctl, 8), 0);
	slot = proclife_ring_reserve(&ring);
	assert_ptr_equal(slot, &slots[0]);
	assert_int_equal(page.ctl.reserve, 1);
	assert_int_equal(page.ctl.commit, 0);
	proclife_ring_commit(&ring, PROCLIFE_FORK);
	assert_int_equal(page.ctl.reserve, 1);
	assert_int_equal(page.ctl.commit, 1);
	assert_int_equal(proclife_ring_committed(&page.ctl), 1);
	assert_int_equal(ring.pos, 1);
}

static void test_wrap(void **state)
{
	(void)state;
	for (uint64_t size = 1; size <= MAX_SIZE; size *= 2) {
		begin(size);
		for (uint64_t pos = 0; pos < 5 * size + 3; pos++) {
			struct proclife_record *slot = proclife_ring_reserve(&ring);
			uint64_t oldest = proclife_ring_oldest(&page.ctl, size);

			assert_ptr_equal(slot, &slots[pos % size]);
			/* The slot that is being written is not whole, the next one is. */
			assert_int_equal(oldest, pos + 1 > size ? pos + 1 - size : 0);
			slot->ts = pos;
			proclife_ring_commit(&ring, PROCLIFE_EXIT);
			for (uint64_t p = oldest; p <= pos; p++)
				assert_int_equal(slots[p % size].ts, p);
		}
	}
}

static void test_overwritten(void **state)
{
	(void)state;
	begin(4);
	write_records(4);
	assert_int_equal(proclife_ring_oldest(&page.ctl, 4), 0);
	proclife_ring_reserve(&ring); /* position 4 goes where 0 was */
	assert_int_equal(proclife_ring_oldest(&page.ctl, 4), 1);
	proclife_ring_commit(&ring, PROCLIFE_FORK);
	assert_int_equal(proclife_ring_oldest(&page.ctl, 4), 1);
	write_records(10);
	assert_int_equal(proclife_ring_oldest(&page.ctl, 4), 11);
}

static void test_settled(void **state)
{
	__u64 commit = 99;

	(void)state;
	begin(4);
	assert_true(proclife_ring_settled(&page.ctl, &commit));
	assert_int_equal(commit, 0);
	proclife_ring_reserve(&ring);
	assert_false(proclife_ring_settled(&page.ctl, &commit));
	assert_int_equal(commit, 0);
	proclife_ring_commit(&ring, PROCLIFE_FORK);
	assert_true(proclife_ring_settled(&page.ctl, &commit));
	assert_int_equal(commit, 1);
	write_records(9);
	proclife_ring_reserve(&ring);
	assert_false(proclife_ring_settled(&page.ctl, &commit));
	assert_int_equal(commit, 10);
}

static void test_counts(void **state)
{
	uint64_t counts[PROCLIFE_TYPES] = { 0 };
	uint64_t random = 1;

	(void)state;
	begin(2);
	for (int i = 0; i < 1000; i++) {
		unsigned int type = random_below(&random, PROCLIFE_TYPES);

		proclife_ring_reserve(&ring);
		assert_memory_equal(page.counts, counts, sizeof(counts));
		proclife_ring_commit(&ring, type);
		counts[type]++;
		assert_memory_equal(page.counts, counts, sizeof(counts));
	}
}

static void test_nobody_waits(void **state)
{
	(void)state;
	begin(2);
	for (int i = 0; i < 1000; i++)
		assert_false(write_record(i));
}

static void test_arm(void **state)
{
	(void)state;
	begin(4);
	write_records(3);
	assert_int_equal(proclife_ring_arm(&ring, 5), 3); /* not there yet: sleep */
	assert_false(write_record(0));
	assert_true(write_record(0));
	/* The wake-up is reported until the poller disarms it. */
	assert_true(write_record(0));
	proclife_ring_disarm(&ring);
	for (int i = 0; i < 100; i++)
		assert_false(write_record(0));
}

static void test_arm_late(void **state)
{
	(void)state;
	begin(4);
	write_records(3);
	assert_int_equal(proclife_ring_arm(&ring, 3), 3); /* there already */
	assert_int_equal(proclife_ring_arm(&ring, 2), 3);
	begin(4);
	write_records(3);
	proclife_ring_reserve(&ring); /* seen by the poller: no wake-up need come */
	assert_int_equal(proclife_ring_arm(&ring, 4), 4);
}

static void test_arm_during_write(void **state)
{
	(void)state;
	begin(4);
	assert_int_equal(proclife_ring_arm(&ring, 2), 0);
	proclife_ring_reserve(&ring);
	assert_int_equal(proclife_ring_arm(&ring, 1), 1);
	assert_true(proclife_ring_commit(&ring, PROCLIFE_FORK));
}

static void test_two_pollers(void **state)
{
	(void)state;
	begin(4);
	proclife_ring_arm(&ring, 2);
	proclife_ring_arm(&ring, 50); /* does not put off the first one */
	assert_int_equal(ring.wake_at, 2);
	assert_false(write_record(0));
	assert_true(write_record(0));
	proclife_ring_disarm(&ring);
	/* Both are woken; the second one finds that it has to go on waiting. */
	assert_int_equal(proclife_ring_arm(&ring, 50), 2);
	proclife_ring_arm(&ring, 4); /* and another one is sooner */
	assert_int_equal(ring.wake_at, 4);
	assert_false(write_record(0));
	assert_true(write_record(0));
}

#define MAX_RINGS 5

/* Several rings, as they are watched together. */
static struct {
	struct proclife_ring_page pages[MAX_RINGS];
	struct proclife_record slots[MAX_RINGS][MAX_SIZE];
	struct proclife_ring ring[MAX_RINGS];
	struct proclife_watched watched[MAX_RINGS];
	unsigned int count;
	unsigned int calls; /* as the module makes them: once disarmed */
} all;

static void begin_all(unsigned int count)
{
	memset(&all, 0, sizeof(all));
	all.count = count;
	for (unsigned int i = 0; i < count; i++) {
		all.ring[i] = (struct proclife_ring){
			.page = &all.pages[i],
			.records = all.slots[i],
			.mask = MAX_SIZE - 1,
			.wake_at = PROCLIFE_RING_NEVER,
		};
		all.watched[i].ring = &all.ring[i];
	}
}

static void write_to(unsigned int i)
{
	proclife_ring_reserve(&all.ring[i]);
	if (proclife_ring_commit(&all.ring[i], PROCLIFE_FORK)) {
		proclife_ring_disarm(&all.ring[i]);
		all.calls++;
	}
}

static uint64_t committed_by_all(void)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < all.count; i++)
		sum += all.pages[i].ctl.commit;
	return sum;
}

/* Records are committed between the count and the arming, which does not know of them. */
static void test_records_between_count_and_arm(void **state)
{
	(void)state;
	for (unsigned int between = 0; between <= 9; between++) {
		uint64_t sum;

		begin_all(2);
		sum = proclife_ring_sum(all.watched, all.count);
		assert_int_equal(sum, 0);
		for (unsigned int i = 0; i < between; i++)
			write_to(0);
		if (!proclife_ring_arm_all(all.watched, all.count, 10 - sum)) {
			assert_true(between >= 5); /* the share of the first */
			continue;
		}
		assert_true(between < 5);
		all.calls = 0;
		for (unsigned int i = 0; !all.calls; i++) {
			write_to(i % 2);
			assert_true(committed_by_all() <= 10);
		}
	}
}

/* Any number of rings, a long way to go, and records on any of them before and after the arming. */
static void test_nobody_waits_for_more(void **state)
{
	unsigned int early = 0, again = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20000; seed++) {
		uint64_t random = seed, target, sum;

		begin_all(1 + random_below(&random, MAX_RINGS));
		for (unsigned int n = random_below(&random, 20); n; n--)
			write_to(random_below(&random, all.count));
		target = committed_by_all() + 1 + random_below(&random, 40);
		while ((sum = proclife_ring_sum(all.watched, all.count)) < target) {
			for (unsigned int n = random_below(&random, 12); n; n--)
				write_to(random_below(&random, all.count));
			all.calls = 0;
			if (!proclife_ring_arm_all(all.watched, all.count, target - sum)) {
				again++;
				continue;
			}
			while (!all.calls) {
				assert_true(committed_by_all() < target);
				write_to(random_below(&random, all.count));
			}
			early += committed_by_all() < target;
		}
	}
	assert_true(early > 100);
	assert_true(again > 100);
}

/* The writer of a write in flight may not have seen the poller, which must not sleep. */
static void test_a_write_in_flight_is_not_waited_for(void **state)
{
	(void)state;
	begin_all(3);
	proclife_ring_reserve(&all.ring[1]);
	assert_int_equal(proclife_ring_sum(all.watched, all.count), 0);
	assert_false(proclife_ring_arm_all(all.watched, all.count, 3));
	assert_true(proclife_ring_arm_all(all.watched, all.count, 4));
}

/* A disarmed ring stays disarmed, however far it gets, and arming still works there. */
static void test_far_positions(void **state)
{
	static const uint64_t starts[] = {
		PROCLIFE_RING_NEVER - 3,
		2 * PROCLIFE_RING_NEVER - 3,
		3 * PROCLIFE_RING_NEVER - 3,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		__u64 commit;

		begin(4);
		ring.pos = starts[i];
		page.ctl.reserve = starts[i];
		page.ctl.commit = starts[i];
		proclife_ring_disarm(&ring);
		for (int n = 0; n < 10; n++)
			assert_false(write_record(n));
		assert_int_equal(proclife_ring_oldest(&page.ctl, 4), starts[i] + 6);
		assert_true(proclife_ring_settled(&page.ctl, &commit));
		assert_int_equal(commit, starts[i] + 10);
		proclife_ring_arm(&ring, ring.pos + 2);
		assert_false(write_record(0));
		assert_true(write_record(0));
	}
}

/* A reader that follows the contract, against a writer that does any number of steps in between. */
static void test_reader(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		uint64_t random = seed, mine = 0, seen = 0, lost = 0;
		uint64_t size = 1ULL << random_below(&random, 5);

		begin(size);
		for (int round = 0; round < 100; round++) {
			struct proclife_record copies[MAX_SIZE];
			uint64_t commit, oldest, n;
			unsigned int inside = random_below(&random, 2 * size + 2);

			write_records(random_below(&random, 2 * size + 1));
			commit = proclife_ring_committed(&page.ctl);
			if (commit - mine > size) {
				lost += commit - size - mine;
				mine = commit - size;
			}
			n = commit - mine;
			for (uint64_t i = 0; i < n; i++) {
				if (i == inside)
					write_records(1 + random_below(&random, 2 * size));
				copies[i] = slots[(mine + i) % size];
			}
			oldest = proclife_ring_oldest(&page.ctl, size);
			for (uint64_t i = 0; i < n; i++, mine++) {
				if (mine < oldest) {
					lost++;
					continue;
				}
				assert_int_equal(copies[i].ts, mine);
				seen++;
			}
		}
		assert_int_equal(seen + lost, mine);
		assert_true(seen > 0);
	}
}

/* User space and the kernel must agree on these. */
static void test_layout(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct proclife_record), 128);
	assert_int_equal(offsetof(struct proclife_record, ts), 0);
	assert_int_equal(offsetof(struct proclife_record, type), 8);
	assert_int_equal(offsetof(struct proclife_record, cpu), 10);
	assert_int_equal(offsetof(struct proclife_record, flags), 12);
	assert_int_equal(offsetof(struct proclife_record, task), 16);
	assert_int_equal(offsetof(struct proclife_record, start), 24);
	assert_int_equal(offsetof(struct proclife_record, pid), 32);
	assert_int_equal(offsetof(struct proclife_record, tgid), 36);
	assert_int_equal(offsetof(struct proclife_record, comm), 40);
	assert_int_equal(offsetof(struct proclife_record, words), 56);
	/* All payloads but the snapshot's have room for just the 72 bytes. */
	assert_int_equal(sizeof(struct proclife_fork), 72);
	assert_int_equal(sizeof(struct proclife_exec), 72);
	assert_int_equal(sizeof(struct proclife_args), 72);
	assert_int_equal(sizeof(struct proclife_rename), 72);
	assert_int_equal(sizeof(struct proclife_exit), 72);
	assert_int_equal(sizeof(struct proclife_reap), 72);
	assert_int_equal(sizeof(struct proclife_free), 72);
	assert_int_equal(sizeof(struct proclife_wait), 72);
	assert_int_equal(sizeof(struct proclife_signal), 72);
	assert_int_equal(sizeof(struct proclife_state), 72);
	assert_int_equal(sizeof(struct proclife_suppressed), 72);
	assert_int_equal(sizeof(struct proclife_exiting), 72);
	assert_int_equal(sizeof(struct proclife_mm), 72);
	assert_int_equal(sizeof(struct proclife_coredump), 72);
	assert_int_equal(sizeof(struct proclife_oom), 72);
	assert_int_equal(sizeof(struct proclife_cgroup), 72);
	assert_int_equal(offsetof(struct proclife_ring_ctl, commit), 8);
	assert_int_equal(sizeof(struct proclife_ring_ctl), 64);
	assert_int_equal(offsetof(struct proclife_ring_page, ctl), 0);
	assert_int_equal(offsetof(struct proclife_ring_page, counts), 64);
	assert_int_equal(sizeof(struct proclife_header) % 8, 0);
	assert_int_equal(offsetof(struct proclife_header, map_bytes), 24);
	assert_int_equal(offsetof(struct proclife_header, features), 80);
	assert_memory_equal(&(uint64_t){ PROCLIFE_MAGIC }, "prclife", 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_positions),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_overwritten),
		cmocka_unit_test(test_settled),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_nobody_waits),
		cmocka_unit_test(test_arm),
		cmocka_unit_test(test_arm_late),
		cmocka_unit_test(test_arm_during_write),
		cmocka_unit_test(test_two_pollers),
		cmocka_unit_test(test_records_between_count_and_arm),
		cmocka_unit_test(test_nobody_waits_for_more),
		cmocka_unit_test(test_a_write_in_flight_is_not_waited_for),
		cmocka_unit_test(test_far_positions),
		cmocka_unit_test(test_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
