// SPDX-License-Identifier: GPL-2.0-only
/* Compares the merge with qsort(), by seed. */
#include "check.h"

#include <errno.h>
#include <source/merge.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* An item of a stream: a record or a gap. */
struct item {
	uint64_t ts;
	uint32_t order; /* of its stream */
	uint32_t index; /* in it */
	uint64_t lost;	/* a gap, if not 0 */
};

struct supply {
	struct proclife_stream stream;
	struct proclife_record *records;
	const struct item *items;
	uint64_t count;
	uint64_t next;
	uint64_t *random;
	uint64_t *limit;	/* nothing at or above it is there yet */
	unsigned int trouble;	/* in percent, how often refill fails */
	unsigned int chunk;
};

struct setup {
	struct proclife_merge merge;
	struct supply *supplies;
	struct proclife_record *records;
	struct item *items; /* by stream */
	uint64_t count;
	uint32_t streams;
	uint64_t random;
	uint64_t limit;
};

static int refill(struct proclife_stream *stream)
{
	struct supply *supply = (struct supply *)stream;
	uint64_t most = 1 + random_below(supply->random, supply->chunk), begin;

	assert_ptr_equal(stream->cur, stream->end);
	assert_int_equal(stream->gap.lost, 0);
	if (random_below(supply->random, 100) < supply->trouble)
		return -EIO;
	if (supply->next < supply->count && supply->items[supply->next].lost &&
	    supply->items[supply->next].ts < *supply->limit) {
		const struct item *item = &supply->items[supply->next++];

		stream->gap.lost = item->lost;
		stream->gap.from = item->ts;
		stream->gap.cpu = item->order;
	}
	begin = supply->next;
	while (supply->next < supply->count && most-- && !supply->items[supply->next].lost &&
	       supply->items[supply->next].ts < *supply->limit)
		supply->next++;
	stream->cur = &supply->records[begin];
	stream->end = &supply->records[supply->next];
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void begin(struct setup *s, uint64_t seed, uint32_t streams, uint64_t most, bool gaps)
{
	uint64_t at = 0, spread;
	uint32_t *orders = calloc(streams, sizeof(*orders));

	memset(s, 0, sizeof(*s));
	s->random = seed;
	s->streams = streams;
	s->limit = UINT64_MAX;
	s->supplies = calloc(streams, sizeof(*s->supplies));
	s->items = calloc(streams * most + 1, sizeof(*s->items));
	s->records = calloc(streams * most + 1, sizeof(*s->records));
	assert_non_null(orders);
	assert_non_null(s->supplies);
	assert_non_null(s->items);
	assert_non_null(s->records);
	/* Orders with holes, added in no order. */
	for (uint32_t i = 0; i < streams; i++)
		orders[i] = 3 * i + 1;
	for (uint32_t i = streams; i > 1; i--) {
		uint32_t j = random_below(&s->random, i), swap = orders[i - 1];

		orders[i - 1] = orders[j];
		orders[j] = swap;
	}
	spread = 1ULL << random_below(&s->random, 12); /* 1: all ties */
	for (uint32_t i = 0; i < streams; i++) {
		struct supply *supply = &s->supplies[i];
		uint64_t n = random_below(&s->random, 4) ? random_below(&s->random, most + 1) : 0;
		uint64_t ts = random_below(&s->random, spread);

		supply->stream.refill = refill;
		supply->stream.order = orders[i];
		supply->random = &s->random;
		supply->limit = &s->limit;
		supply->chunk = 1 + random_below(&s->random, 20);
		supply->items = &s->items[at];
		supply->records = &s->records[at];
		supply->count = n;
		for (uint64_t k = 0; k < n; k++, at++) {
			struct item *item = &s->items[at];

			*item = (struct item){ .ts = ts, .order = orders[i], .index = k };
			if (gaps && random_below(&s->random, 10) == 0)
				item->lost = 1 + random_below(&s->random, 1000);
			s->records[at].ts = ts;
			s->records[at].cpu = orders[i];
			s->records[at].task = k;
			ts += random_below(&s->random, spread);
		}
		assert_int_equal(proclife_merge_add(&s->merge, &supply->stream), 0);
	}
	s->count = at;
	free(orders);
}

static void end(struct setup *s)
{
	proclife_merge_free(&s->merge);
	free(s->supplies);
	free(s->items);
	free(s->records);
}

static void refill_dry(struct setup *s)
{
	for (uint32_t i = 0; i < s->streams; i++) {
		struct proclife_stream *stream = &s->supplies[i].stream;

		if (stream->cur == stream->end && !stream->gap.lost)
			while (refill(stream))
				;
	}
}

/* Its stream has @left records left in memory. */
static void expect_item(const struct proclife_merge *merge, const struct proclife_event *event,
			const struct item *item, uint64_t left)
{
	const struct proclife_record *ahead;

	if (item->lost) {
		assert_null(event->record);
		assert_int_equal(event->gap.lost, item->lost);
		assert_int_equal(event->gap.from, item->ts);
		assert_int_equal(event->gap.cpu, item->order);
		return;
	}
	assert_non_null(event->record);
	assert_int_equal(event->record->ts, item->ts);
	assert_int_equal(event->record->cpu, item->order);
	assert_int_equal(event->record->task, item->index);
	ahead = proclife_merge_ahead(merge, event->record);
	if (ahead)
		assert_in_range(ahead - event->record, 1, left);
	assert_null(proclife_merge_ahead(merge, event->record - 1));
}

static uint64_t left_at_hand(const struct setup *s, uint32_t order)
{
	for (uint32_t i = 0; i < s->streams; i++)
		if (s->supplies[i].stream.order == order)
			return (uint64_t)(s->supplies[i].stream.end - s->supplies[i].stream.cur);
	return 0;
}

/* One merge of all streams; the horizon rises @rounds times on the way. */
static void check_merge(uint64_t seed, uint32_t streams, uint64_t most, unsigned int rounds,
			bool gaps, unsigned int trouble)
{
	struct setup s;
	struct item *sorted;
	uint64_t at = 0, last = 0;

	begin(&s, seed, streams, most, gaps);
	sorted = calloc(s.count + 1, sizeof(*sorted));
	assert_non_null(sorted);
	memcpy(sorted, s.items, s.count * sizeof(*sorted));
	qsort(sorted, s.count, sizeof(*sorted), compare);
	if (s.count)
		last = sorted[s.count - 1].ts;
	for (uint32_t i = 0; i < streams; i++)
		s.supplies[i].trouble = trouble;

	for (unsigned int round = 1; round <= rounds; round++) {
		struct proclife_event event;

		s.limit = round == rounds ? UINT64_MAX : last * round / rounds;
		/* A ring may show more than the merge may yield yet. */
		s.merge.horizon = s.limit;
		if (s.limit != UINT64_MAX && random_below(&s.random, 2))
			s.limit += random_below(&s.random, 50);
		refill_dry(&s);
		proclife_merge_build(&s.merge);
		for (;;) {
			int ret = proclife_merge_next(&s.merge, &event);

			if (ret == -EIO && trouble)
				continue;
			if (!ret)
				break;
			assert_int_equal(ret, 1);
			assert_true(at < s.count);
			assert_true(sorted[at].ts < s.merge.horizon);
			expect_item(&s.merge, &event, &sorted[at], left_at_hand(&s, sorted[at].order));
			assert_int_equal(s.merge.yielded, sorted[at].ts);
			at++;
		}
		if (at < s.count)
			assert_true(sorted[at].ts >= s.merge.horizon);
		/* The error is final. */
		while (proclife_merge_next(&s.merge, &event))
			assert_true(trouble);
		assert_true(proclife_merge_top(&s.merge) >= s.merge.horizon);
	}
	assert_int_equal(at, s.count);
	free(sorted);
	end(&s);
}

static const uint32_t counts[] = { 1, 2, 3, 4, 5, 7, 8, 9, 64 };

static void test_all_at_once(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++)
		for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
			check_merge(seed, counts[i], 200 / counts[i] + 5, 1, false, 0);
}

static void test_dry_and_back(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++)
		for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
			check_merge(seed, counts[i], 200 / counts[i] + 5, 2 + seed % 20, false, 0);
}

static void test_gaps(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++)
		for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
			check_merge(seed, counts[i], 200 / counts[i] + 5, 1 + seed % 20, true, 0);
}

static void test_refill_fails(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++)
		for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
			check_merge(seed, counts[i], 200 / counts[i] + 5, 1 + seed % 5, true, 20);
}

static void test_many_streams(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 10; seed++) {
		check_merge(seed, 1000, 30, 1, false, 0);
		check_merge(seed, 1000, 30, 7, true, 0);
		check_merge(seed, 1001, 3, 3, true, 5);
	}
}

static void test_one_long_stream(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 10; seed++)
		check_merge(seed, 1, 20000, 5, true, 0);
}

static void test_no_streams(void **state)
{
	struct proclife_merge merge = { .horizon = UINT64_MAX };
	struct proclife_event event;

	(void)state;
	proclife_merge_build(&merge);
	assert_int_equal(proclife_merge_next(&merge, &event), 0);
	assert_int_equal(proclife_merge_top(&merge), UINT64_MAX);
	proclife_merge_free(&merge);
}

static void test_empty_streams(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		check_merge(i, counts[i], 0, 3, false, 0);
}

/* Streams that are added between rounds take part from the next build on. */
static void test_added_later(void **state)
{
	struct proclife_record a[] = { { .ts = 1, .cpu = 5 }, { .ts = 4, .cpu = 5 },
				       { .ts = 6, .cpu = 5 } };
	struct proclife_record b[] = { { .ts = 4, .cpu = 2 }, { .ts = 5, .cpu = 2 } };
	static const uint32_t expected[] = { 5, 2, 5, 2, 5 };
	struct item none;
	uint64_t random = 1, limit = UINT64_MAX;
	struct supply first = { .stream = { .cur = a, .end = a + 3, .refill = refill, .order = 5 },
				.items = &none, .random = &random, .limit = &limit, .chunk = 1 };
	struct supply second = first;
	struct proclife_merge merge = { .horizon = 4 };
	struct proclife_event event;

	(void)state;
	second.stream = (struct proclife_stream){ .cur = b, .end = b + 2, .refill = refill,
						  .order = 2 };
	assert_int_equal(proclife_merge_add(&merge, &first.stream), 0);
	proclife_merge_build(&merge);
	assert_int_equal(proclife_merge_next(&merge, &event), 1);
	assert_int_equal(event.record->cpu, expected[0]);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(proclife_merge_next(&merge, &event), 0);
		assert_int_equal(proclife_merge_top(&merge), 4);
	}
	assert_int_equal(proclife_merge_add(&merge, &second.stream), 0);
	merge.horizon = UINT64_MAX;
	proclife_merge_build(&merge);
	for (int i = 1; i < 5; i++) {
		assert_int_equal(proclife_merge_next(&merge, &event), 1);
		assert_int_equal(event.record->cpu, expected[i]);
	}
	assert_int_equal(proclife_merge_next(&merge, &event), 0);
	proclife_merge_free(&merge);
}

/* The records of two streams come in this order. */
static void expect_order(struct proclife_record *a, size_t in_a, struct proclife_record *b,
			 size_t in_b, const uint64_t *expected)
{
	uint64_t random = 1, limit = UINT64_MAX;
	struct item none;
	struct supply first = { .stream = { .cur = a, .end = a + in_a, .refill = refill },
				.items = &none, .random = &random, .limit = &limit, .chunk = 1 };
	struct supply second = first;
	struct proclife_merge merge = { .horizon = UINT64_MAX };
	struct proclife_event event;

	second.stream.cur = b;
	second.stream.end = b + in_b;
	second.stream.order = 1;
	assert_int_equal(proclife_merge_add(&merge, &first.stream), 0);
	assert_int_equal(proclife_merge_add(&merge, &second.stream), 0);
	proclife_merge_build(&merge);
	for (size_t i = 0; i < in_a + in_b; i++) {
		assert_int_equal(proclife_merge_next(&merge, &event), 1);
		assert_true(event.record->ts == expected[i]);
	}
	assert_int_equal(proclife_merge_next(&merge, &event), 0);
	proclife_merge_free(&merge);
}

#define LATE (1ULL << 63)

/* Times that differ by more than a key can hold. */
static void test_far_apart(void **state)
{
	struct proclife_record a[] = { { .ts = 1 }, { .ts = 2 }, { .ts = LATE }, { .ts = LATE + 2 } };
	struct proclife_record b[] = { { .ts = 3 }, { .ts = LATE + 1 } };
	static const uint64_t expected[] = { 1, 2, 3, LATE, LATE + 1, LATE + 2 };

	(void)state;
	expect_order(a, 4, b, 2, expected);
}

/* A record out of order in its stream holds up no other stream, however late it is. */
static void test_out_of_order(void **state)
{
	struct proclife_record a[] = { { .ts = LATE + 10 }, { .ts = LATE + 5 }, { .ts = LATE + 20 } };
	struct proclife_record b[] = { { .ts = LATE + 15 } };
	static const uint64_t expected[] = { LATE + 10, LATE + 5, LATE + 15, LATE + 20 };

	(void)state;
	expect_order(a, 3, b, 1, expected);
}

/* A stream that wins again and again is read without the tree, up to the other one or the horizon. */
static void test_bound(void **state)
{
	struct proclife_record a[12], b[] = { { .ts = 100 } };
	uint64_t random = 1, limit = UINT64_MAX;
	struct item none;
	struct supply first = { .stream = { .cur = a, .end = a + 12, .refill = refill },
				.items = &none, .random = &random, .limit = &limit, .chunk = 1 };
	struct supply second = first;
	struct proclife_merge merge = { .horizon = UINT64_MAX };
	struct proclife_event event;

	(void)state;
	for (uint64_t i = 0; i < 12; i++)
		a[i] = (struct proclife_record){ .ts = 1 + i };
	second.stream = (struct proclife_stream){ .cur = b, .end = b + 1, .refill = refill, .order = 1 };
	assert_int_equal(proclife_merge_add(&merge, &first.stream), 0);
	assert_int_equal(proclife_merge_add(&merge, &second.stream), 0);
	proclife_merge_build(&merge);
	for (int i = 0; i < 6; i++)
		assert_int_equal(proclife_merge_next(&merge, &event), 1);
	assert_int_equal(merge.bound, 101); /* at the same time, the first one comes first */
	merge.horizon = 12;
	proclife_merge_build(&merge);
	for (int i = 6; i < 11; i++)
		assert_int_equal(proclife_merge_next(&merge, &event), 1);
	assert_int_equal(merge.bound, 12);
	assert_int_equal(proclife_merge_next(&merge, &event), 0);
	proclife_merge_free(&merge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_streams),
		cmocka_unit_test(test_far_apart),
		cmocka_unit_test(test_out_of_order),
		cmocka_unit_test(test_empty_streams),
		cmocka_unit_test(test_added_later),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_all_at_once),
		cmocka_unit_test(test_dry_and_back),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_refill_fails),
		cmocka_unit_test(test_many_streams),
		cmocka_unit_test(test_one_long_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
