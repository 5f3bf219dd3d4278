// SPDX-License-Identifier: LGPL-2.1-or-later
#include "source/merge.h"

#include <errno.h>
#include <stdlib.h>

/*
 * The last two values of a key are no times: `late` stands for a record that is too late for a key,
 * `late + 1` for a stream that is dry. This one, as a stream's next key, means: look at the stream.
 */
#define UNKNOWN UINT64_MAX
#define SOON 20 /* records in all streams together; it is enough for prefetch.c */

void proclife_merge_free(struct proclife_merge *merge)
{
	free(merge->streams);
	free(merge->tree);
	free(merge->next);
	*merge = (struct proclife_merge){ 0 };
}

static int enlarge(struct proclife_merge *merge)
{
	uint32_t capacity = merge->capacity ? 2 * merge->capacity : 8;
	void *streams, *tree, *next;

	streams = realloc(merge->streams, capacity * sizeof(*merge->streams));
	if (!streams)
		return -ENOMEM;
	merge->streams = streams;
	/* While the tree is built, the leaves are behind the inner nodes. */
	tree = realloc(merge->tree, 2 * (size_t)capacity * sizeof(*merge->tree));
	if (!tree)
		return -ENOMEM;
	merge->tree = tree;
	next = realloc(merge->next, capacity * sizeof(*merge->next));
	if (!next)
		return -ENOMEM;
	merge->next = next;
	merge->capacity = capacity;
	return 0;
}

int proclife_merge_add(struct proclife_merge *merge, struct proclife_stream *stream)
{
	uint32_t at = merge->count;

	if (merge->count == merge->capacity && enlarge(merge))
		return -ENOMEM;
	for (; at && merge->streams[at - 1]->order > stream->order; at--) {
		merge->streams[at] = merge->streams[at - 1];
		merge->streams[at]->rank = at;
	}
	merge->streams[at] = stream;
	stream->rank = at;
	merge->count++;
	merge->run = NULL;
	merge->bound = 0;
	merge->tree[0] = UINT64_MAX; /* until it is built */
	return 0;
}

static uint64_t time_of(const struct proclife_stream *stream)
{
	if (proclife_unlikely(proclife_gap_is(&stream->gap)))
		return stream->gap.from;
	return proclife_likely(stream->cur != stream->end) ? stream->cur->ts : UINT64_MAX;
}

static uint64_t key_of(const struct proclife_merge *merge, const struct proclife_stream *stream)
{
	uint64_t ts = time_of(stream), since = ts - merge->base;

	if (proclife_unlikely(since >= merge->late)) {
		if (ts == UINT64_MAX)
			since = merge->late + 1;
		else if (ts < merge->base) /* out of order: a damaged recording */
			since = 0;
		else
			since = merge->late;
	}
	return since << merge->rank_bits | stream->rank;
}

/*
 * Prepares the stream's next key, which follows the one in the tree. The tree has the key of the
 * stream's gap or of its first record.
 */
static inline void put_next(struct proclife_merge *merge, const struct proclife_stream *stream,
			    uint32_t rank)
{
	uint64_t next = UNKNOWN;

	if (proclife_likely(stream->end - stream->cur >= 2 && !proclife_gap_is(&stream->gap))) {
		uint64_t since = stream->cur[1].ts - merge->base;

		if (proclife_likely(since < merge->late))
			next = since << merge->rank_bits | rank;
	}
	merge->next[rank] = next;
}

static uint64_t ts_of(const struct proclife_merge *merge, uint64_t key)
{
	uint64_t since = key >> merge->rank_bits;

	return since > merge->late ? UINT64_MAX : merge->base + since;
}

static uint32_t rank_of(const struct proclife_merge *merge, uint64_t key)
{
	return (uint32_t)key & (merge->leaves - 1);
}

uint64_t proclife_merge_top(const struct proclife_merge *merge)
{
	return merge->count ? ts_of(merge, merge->tree[0]) : UINT64_MAX;
}

void proclife_merge_build(struct proclife_merge *merge)
{
	uint32_t count = merge->count;
	uint64_t *tree = merge->tree;

	merge->run = NULL;
	merge->bound = 0;
	if (!count)
		return;
	/* Measured, 1 to 1024: a stream's records come in runs, and 2 ahead are too few for a run. */
	merge->ahead = (4 + 20 / count) * sizeof(struct proclife_record);
	merge->soon = SOON / count;
	merge->rank_bits = count > 1 ? 32 - (uint32_t)__builtin_clz(count - 1) : 0;
	merge->leaves = 1u << merge->rank_bits;
	merge->late = (UINT64_MAX >> merge->rank_bits) - 1;
	merge->base = UINT64_MAX;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t ts = time_of(merge->streams[i]);

		if (merge->base > ts)
			merge->base = ts;
	}
	for (uint32_t i = 0; i < count; i++) {
		tree[merge->leaves + i] = key_of(merge, merge->streams[i]);
		put_next(merge, merge->streams[i], i);
	}
	for (uint32_t i = count; i < merge->leaves; i++)
		tree[merge->leaves + i] = UINT64_MAX;
	/* First every node gets its winner; then each keeps the loser of the two below it. */
	for (uint32_t node = merge->leaves - 1; node; node--) {
		uint64_t left = tree[2 * node], right = tree[2 * node + 1];

		tree[node] = left < right ? left : right;
	}
	tree[0] = tree[1]; /* with one stream, tree[1] is its leaf */
	for (uint32_t node = 1; node < merge->leaves; node++) {
		uint64_t left = tree[2 * node], right = tree[2 * node + 1];

		tree[node] = left < right ? right : left;
	}
}

/*
 * The last winner has a new key: plays its matches again, from its leaf to the root. Returns the
 * key of the new winner.
 */
static inline uint64_t replay(struct proclife_merge *merge, uint64_t key)
{
	uint64_t *tree = merge->tree;

	/* Without a branch: the next winner is as good as random, so no prediction would help. */
	for (uint32_t node = (merge->leaves + merge->rank) / 2; node; node /= 2) {
		uint64_t other = tree[node];

		tree[node] = other < key ? key : other;
		key = other < key ? other : key;
	}
	tree[0] = key;
	return key;
}

/*
 * The last winner wins again and again: up to which key? Up to the runner-up's. That has lost only
 * to the winner, so it is among the losers on the winner's path.
 */
static proclife_apart void set_bound(struct proclife_merge *merge)
{
	uint32_t rank = merge->rank;
	uint64_t second = UINT64_MAX, ts;

	for (uint32_t node = (merge->leaves + rank) / 2; node; node /= 2)
		second = merge->tree[node] < second ? merge->tree[node] : second;
	ts = ts_of(merge, second);
	if (ts != UINT64_MAX && rank < rank_of(merge, second))
		ts++;
	merge->bound = ts < merge->horizon ? ts : merge->horizon;
}

/* Finds the key of the stream that was yielded last: it was not prepared. 0 or a negative errno. */
static proclife_apart int find_key(struct proclife_merge *merge)
{
	struct proclife_stream *stream = merge->run;

	merge->bound = 0;
	merge->next[merge->rank] = UNKNOWN; /* if this fails and is tried again */
	if (stream->cur == stream->end && !proclife_gap_is(&stream->gap)) {
		int err = stream->refill(stream);

		if (proclife_unlikely(err))
			return err;
	}
	merge->next[merge->rank] = key_of(merge, stream);
	return 0;
}

/* The winner is not below the horizon, or its key is not a time. */
static proclife_apart int stop(struct proclife_merge *merge, struct proclife_event *event)
{
	if (merge->tree[0] >> merge->rank_bits == merge->late) {
		proclife_merge_build(merge);
		return proclife_merge_step(merge, event);
	}
	merge->run = NULL;
	merge->bound = 0;
	return 0;
}

static proclife_apart int yield_gap(struct proclife_stream *stream,
				    struct proclife_event *event)
{
	event->record = NULL;
	event->gap = stream->gap;
	stream->gap = (struct proclife_gap){ 0 };
	return 1;
}

int proclife_merge_step(struct proclife_merge *merge, struct proclife_event *event)
{
	struct proclife_stream *stream = merge->run;
	uint64_t key, since;
	uint32_t rank;

	if (proclife_likely(stream)) {
		/* After a run, the prepared key is the key of the run's second record. */
		if (proclife_unlikely(merge->next[merge->rank] == UNKNOWN || merge->bound)) {
			int err = find_key(merge);

			if (proclife_unlikely(err))
				return err;
		}
		key = merge->next[merge->rank];
		put_next(merge, stream, merge->rank);
		key = replay(merge, key);
	} else {
		if (proclife_unlikely(!merge->count))
			return 0;
		key = merge->tree[0];
	}
	since = key >> merge->rank_bits;
	if (proclife_unlikely(since >= merge->late || merge->base + since >= merge->horizon))
		return stop(merge, event);

	/* At random, one of even four streams rarely wins four times: so no branch per win. */
	rank = rank_of(merge, key);
	merge->streak = (merge->streak + 1) & -(uint32_t)(rank == merge->rank);
	stream = merge->streams[rank];
	merge->rank = rank;
	merge->run = stream;
	merge->yielded = merge->base + since;
	if (proclife_unlikely(merge->streak >= 3))
		set_bound(merge);
	if (proclife_unlikely(proclife_gap_is(&stream->gap)))
		return yield_gap(stream, event);
	event->record = stream->cur++;
	__builtin_prefetch((const char *)stream->cur + merge->ahead);
	__builtin_prefetch((const char *)stream->cur + merge->ahead + 64);
	return 1;
}
