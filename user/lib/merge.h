/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The k-way merge: a loser tree over streams of records, each of them in order by itself.
 *
 * A stream shows a span of records that lie in memory and, when that is used up, is asked for the
 * next one. Nothing is copied here: what a source yields points into the span. A stream whose span
 * stays empty is dry: it does not hold the others up, and comes back with proclife_merge_build().
 *
 * The order is (ts, rank): streams are kept sorted by their `order`, which is the CPU for a ring,
 * and a stream's rank is its index in that. As long as one stream wins again and again, its records
 * below the runner-up's key (the bound) are yielded without touching the tree.
 *
 * What bounds the speed is not the work but its latency: which record is next decides which stream
 * is asked, and that which record comes after it. So the key that a stream will have once its
 * present record is yielded lies ready beside the tree, and no step waits for a record's memory.
 */
#ifndef PROCLIFE_MERGE_H
#define PROCLIFE_MERGE_H

#include "proclife.h"

#define proclife_likely(x) __builtin_expect(!!(x), 1)
#define proclife_unlikely(x) __builtin_expect(!!(x), 0)
#define proclife_apart __attribute__((noinline)) /* so that the callers need no room for it */

/* Whether there is one: its `lost` can be 0, its `to` is not. */
static inline bool proclife_gap_is(const struct proclife_gap *gap)
{
	return gap->lost | gap->to;
}

struct proclife_stream {
	const struct proclife_record *cur; /* [cur, end) is next */
	const struct proclife_record *end;
	struct proclife_gap gap; /* comes before the span, at gap.from, if there is one */
	/*
	 * The span is used up, and the records in it are no longer looked at: set the next one,
	 * with a gap before it if there is one, or leave it empty. 0 or a negative errno, which
	 * proclife_merge_next() passes on; it asks again when it is called again.
	 */
	int (*refill)(struct proclife_stream *stream);
	/* What a recorder has not been told of yet: the gap, if it is yielded, and [told, cur). */
	const struct proclife_record *told;
	struct proclife_gap told_gap;
	uint32_t order; /* among records of the same ts; no two streams have the same */
	uint32_t rank;	/* the merge's */
};

struct proclife_merge {
	struct proclife_stream *run; /* yielded last: its key in the tree is out of date */
	uint64_t bound;	  /* its records with a ts below this precede all others; 0: not known */
	uint64_t horizon; /* only what has a ts below this is yielded */
	uint64_t yielded; /* ts of the last event */
	struct proclife_stream **streams;
	/*
	 * Keys: [0] is the winner, [n] the loser of inner node n; rank r's leaf is node leaves + r.
	 * A key is one word, so that a match is a minimum and a maximum: the time since base above
	 * the rank. What does not fit waits as the latest key there is, until base is moved on.
	 */
	uint64_t *tree;
	uint64_t *next; /* by rank: the key that comes after the one in the tree, if it is known */
	uint64_t base;
	uint64_t late;	  /* from here on, keys do not tell a time; see merge.c */
	uint32_t rank;	  /* of run */
	uint32_t streak;  /* times that the same stream has won again */
	uint32_t ahead;	  /* bytes to prefetch ahead in each stream: fewer of more streams */
	uint32_t leaves;  /* a power of two, so that the way from each to the root is as long */
	uint32_t rank_bits;
	uint32_t count;
	uint32_t capacity;
};

void proclife_merge_free(struct proclife_merge *merge);

/* Adds a stream, which the caller owns; proclife_merge_build() comes next. 0 or -ENOMEM. */
int proclife_merge_add(struct proclife_merge *merge, struct proclife_stream *stream);

/* Takes all streams as they are now. Asks none of them to refill. */
void proclife_merge_build(struct proclife_merge *merge);

/* The time of what comes next, UINT64_MAX if all are dry; right after build and a next of 0. */
uint64_t proclife_merge_top(const struct proclife_merge *merge);

int proclife_merge_step(struct proclife_merge *merge, struct proclife_event *event);

/* Return: 1 and the next event; 0 if there is none below the horizon; a negative errno. */
static inline int proclife_merge_next(struct proclife_merge *merge, struct proclife_event *event)
{
	struct proclife_stream *stream = merge->run;

	if (merge->bound && stream->cur != stream->end && stream->cur->ts < merge->bound) {
		merge->yielded = stream->cur->ts;
		event->record = stream->cur++;
		event->ahead = stream->cur != stream->end ? stream->cur : NULL;
		return 1;
	}
	return proclife_merge_step(merge, event);
}

#endif
