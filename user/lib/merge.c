// SPDX-License-Identifier: LGPL-2.1-or-later
#include "merge.h"

#include <errno.h>
#include <stdlib.h>

void proclife_merge_free(struct proclife_merge *merge)
{
	free(merge->streams);
	free(merge->tree);
	free(merge->winners);
	*merge = (struct proclife_merge){ 0 };
}

int proclife_merge_add(struct proclife_merge *merge, struct proclife_stream *stream)
{
	uint32_t at = merge->count;

	if (merge->count == merge->capacity) {
		uint32_t capacity = merge->capacity ? 2 * merge->capacity : 8;
		void *streams = realloc(merge->streams, capacity * sizeof(*merge->streams));
		void *tree, *winners;

		if (!streams)
			return -ENOMEM;
		merge->streams = streams;
		tree = realloc(merge->tree, capacity * sizeof(*merge->tree));
		if (!tree)
			return -ENOMEM;
		merge->tree = tree;
		winners = realloc(merge->winners, 2 * (size_t)capacity * sizeof(*merge->winners));
		if (!winners)
			return -ENOMEM;
		merge->winners = winners;
		merge->capacity = capacity;
	}
	for (; at && merge->streams[at - 1]->order > stream->order; at--) {
		merge->streams[at] = merge->streams[at - 1];
		merge->streams[at]->rank = at;
	}
	merge->streams[at] = stream;
	stream->rank = at;
	merge->count++;
	merge->run = NULL;
	merge->tree[0] = UINT64_MAX; /* until it is built */
	return 0;
}

static uint64_t time_of(const struct proclife_stream *stream)
{
	if (proclife_unlikely(stream->gap.lost))
		return stream->gap.from;
	return proclife_likely(stream->cur != stream->end) ? stream->cur->ts : UINT64_MAX;
}

/* The last two times of a key: what comes too late for one, and never. */
static uint64_t key_never(const struct proclife_merge *merge)
{
	return UINT64_MAX >> merge->rank_bits;
}

static bool is_late(const struct proclife_merge *merge, uint64_t key)
{
	return key >> merge->rank_bits == key_never(merge) - 1;
}

static uint64_t key_of(const struct proclife_merge *merge, const struct proclife_stream *stream)
{
	uint64_t ts = time_of(stream), since = ts - merge->base;

	if (proclife_unlikely(since >= key_never(merge) - 1)) {
		if (ts == UINT64_MAX)
			since = key_never(merge);
		else if (ts < merge->base) /* out of order: a broken recording */
			since = 0;
		else
			since = key_never(merge) - 1;
	}
	return since << merge->rank_bits | stream->rank;
}

static uint32_t rank_of(const struct proclife_merge *merge, uint64_t key)
{
	return (uint32_t)key & ((1u << merge->rank_bits) - 1);
}

void proclife_merge_build(struct proclife_merge *merge)
{
	uint64_t *winners = merge->winners;
	uint32_t count = merge->count;

	merge->run = NULL;
	merge->bound = 0;
	if (!count)
		return;
	merge->ahead = 2 + 80 / count; /* measured, from 1 to 1024 streams */
	merge->rank_bits = count > 1 ? 32 - (uint32_t)__builtin_clz(count - 1) : 0;
	merge->base = UINT64_MAX;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t ts = time_of(merge->streams[i]);

		if (merge->base > ts)
			merge->base = ts;
	}
	for (uint32_t i = 0; i < count; i++)
		winners[count + i] = key_of(merge, merge->streams[i]);
	for (uint32_t node = count - 1; node; node--) {
		uint64_t left = winners[2 * node], right = winners[2 * node + 1];

		winners[node] = left < right ? left : right;
		merge->tree[node] = left < right ? right : left;
	}
	merge->tree[0] = winners[1]; /* with one stream, that is its leaf */
}

/* This stream has a new key: play its matches again, from its leaf to the root. */
static void replay(struct proclife_merge *merge, const struct proclife_stream *stream)
{
	uint64_t *tree = merge->tree, key = key_of(merge, stream);

	/* Without a branch: which stream is next is as good as random. */
	for (uint32_t node = (merge->count + stream->rank) / 2; node; node /= 2) {
		uint64_t other = tree[node];

		tree[node] = other < key ? key : other;
		key = other < key ? other : key;
	}
	tree[0] = key;
	if (proclife_unlikely(is_late(merge, key)))
		proclife_merge_build(merge);
}

/*
 * One stream wins again and again: up to where? The runner-up has lost to nobody but the winner, so
 * it is among the losers on the winner's path.
 */
static uint64_t run_bound(const struct proclife_merge *merge)
{
	uint32_t rank = rank_of(merge, merge->tree[0]);
	uint64_t second = UINT64_MAX, ts;

	for (uint32_t node = (merge->count + rank) / 2; node; node /= 2)
		second = merge->tree[node] < second ? merge->tree[node] : second;
	ts = proclife_merge_ts(merge, second);
	if (ts != UINT64_MAX && rank < rank_of(merge, second))
		ts++;
	return ts < merge->horizon ? ts : merge->horizon;
}

int proclife_merge_slow(struct proclife_merge *merge, struct proclife_event *event)
{
	struct proclife_stream *stream = merge->run;
	uint64_t ts, other;

	if (proclife_unlikely(!merge->count))
		return 0;
	if (stream) {
		if (stream->cur == stream->end && !stream->gap.lost) {
			int err = stream->refill(stream);

			if (proclife_unlikely(err)) {
				merge->bound = 0;
				return err;
			}
		}
		merge->run = NULL;
		replay(merge, stream);
		/* At random, even of four streams one rarely wins four times. */
		other = (merge->tree[0] ^ stream->rank) & ((1u << merge->rank_bits) - 1);
		merge->streak = (merge->streak + 1) & -(uint32_t)!other;
		merge->bound = proclife_unlikely(merge->streak >= 3) ? run_bound(merge) : 0;
	}
	ts = proclife_merge_ts(merge, merge->tree[0]);
	if (ts >= merge->horizon)
		return 0;
	stream = merge->streams[rank_of(merge, merge->tree[0])];
	merge->run = stream;
	merge->yielded = ts;
	if (proclife_unlikely(stream->gap.lost)) {
		event->record = NULL;
		event->ahead = NULL;
		event->gap = stream->gap;
		stream->gap.lost = 0;
		return 1;
	}
	event->record = stream->cur++;
	event->ahead = stream->cur != stream->end ? stream->cur : NULL;
	__builtin_prefetch((const char *)stream->cur + merge->ahead * sizeof(*stream->cur));
	return 1;
}
