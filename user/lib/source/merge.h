/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The k-way merge: a loser tree over streams of records, each of which is in order.
 *
 * A stream has a span of records in memory. When it is used up, the stream is asked for the next
 * span. Nothing is copied here: the records that a source yields lie in the span. A stream whose
 * span stays empty is dry: it does not hold up the others, and takes part again after the next
 * proclife_merge_build().
 *
 * The order is (ts, rank). Streams are sorted by their `order`, which is the CPU for a ring; a
 * stream's rank is its index among them. As long as one stream wins again and again, its records
 * below the runner-up's key (the bound) are yielded without touching the tree.
 *
 * Latency, not work, limits the speed: each record decides which stream is asked next, and that
 * decides which record comes next. So each stream's next key, which it gets once its present record
 * is yielded, is prepared beside the tree, and no step waits for a record's memory.
 */
#ifndef PROCLIFE_MERGE_H
#define PROCLIFE_MERGE_H

#include "proclife.h"

#define proclife_likely(x) __builtin_expect(!!(x), 1)
#define proclife_unlikely(x) __builtin_expect(!!(x), 0)
#define proclife_apart __attribute__((noinline)) /* so that it costs its callers no registers */

/* Whether there is a gap: its `lost` can be 0, its `to` cannot. */
static inline bool proclife_gap_is(const struct proclife_gap *gap)
{
	return gap->lost | gap->to;
}

struct proclife_stream {
	const struct proclife_record *cur; /* [cur, end) is next */
	const struct proclife_record *end;
	struct proclife_gap gap; /* if there is one: before the span, at gap.from */
	/*
	 * The span is used up, and its records are not looked at any more. Sets the next span, and
	 * the gap before it if there is one, or leaves it empty. Returns 0 or a negative errno,
	 * which proclife_merge_next() returns; its next call asks again.
	 */
	int (*refill)(struct proclife_stream *stream);
	/* Not passed to a recorder yet: the gap, once it is yielded, and [told, cur). */
	const struct proclife_record *told;
	struct proclife_gap told_gap;
	uint32_t order; /* among records of the same ts; no two streams have the same */
	uint32_t rank;	/* the merge's */
};

struct proclife_merge {
	struct proclife_stream *run; /* yielded last: its key in the tree is out of date */
	uint64_t bound;	  /* run's records with a ts below this precede all others; 0: not known */
	uint64_t horizon; /* only records with a ts below this are yielded */
	uint64_t yielded; /* ts of the last event */
	struct proclife_stream **streams;
	/*
	 * Keys: [0] is the winner, [n] the loser of inner node n; rank r's leaf is node leaves + r.
	 * A key is one word: the time since base in the high bits, the rank in the low ones. So a
	 * match is a minimum and a maximum. A time that does not fit is the latest possible key
	 * until base is advanced.
	 */
	uint64_t *tree;
	uint64_t *next; /* by rank: the key that comes after the one in the tree, if it is known */
	uint64_t base;
	uint64_t late;	  /* keys from here on are no times; see merge.c */
	uint32_t rank;	  /* of run */
	uint32_t streak;  /* how often the same stream has won again */
	uint32_t ahead;	  /* bytes to prefetch ahead in each stream: the fewer, the more streams */
	uint32_t soon;	  /* records of a stream up to the one that is shown ahead: the fewer, the more streams */
	uint32_t leaves;  /* a power of two, so that all paths to the root have the same length */
	uint32_t rank_bits;
	uint32_t count;
	uint32_t capacity;
};

void proclife_merge_free(struct proclife_merge *merge);

/* Adds a stream, which the caller owns. Call proclife_merge_build() next. Returns 0 or -ENOMEM. */
int proclife_merge_add(struct proclife_merge *merge, struct proclife_stream *stream);

/* Builds the tree from all streams as they are now. Asks none of them to refill. */
void proclife_merge_build(struct proclife_merge *merge);

/* The time of the next event; UINT64_MAX: all are dry. Valid after build, and after a next of 0. */
uint64_t proclife_merge_top(const struct proclife_merge *merge);

int proclife_merge_step(struct proclife_merge *merge, struct proclife_event *event);

/* A record that comes soon after this one, which has just been yielded; NULL: none is in memory. */
static inline const struct proclife_record *proclife_merge_ahead(const struct proclife_merge *merge,
								 const struct proclife_record *record)
{
	const struct proclife_stream *stream = merge->run;

	if (!stream || stream->cur - 1 != record || stream->end - stream->cur <= (ptrdiff_t)merge->soon)
		return NULL;
	return stream->cur + merge->soon;
}

/* Returns 1 and the next event; 0 if there is none below the horizon; or a negative errno. */
static inline int proclife_merge_next(struct proclife_merge *merge, struct proclife_event *event)
{
	struct proclife_stream *stream = merge->run;

	if (merge->bound && stream->cur != stream->end && stream->cur->ts < merge->bound) {
		merge->yielded = stream->cur->ts;
		event->record = stream->cur++;
		return 1;
	}
	return proclife_merge_step(merge, event);
}

#endif
