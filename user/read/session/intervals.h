/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --interval: the views are printed and start over again and again, by the time of the records. So a
 * replay shows what was shown live, and an interval is over once no record of it can come any more.
 */
#ifndef READ_INTERVALS_H
#define READ_INTERVALS_H

#include "stage.h"
#include "triggers/triggers.h"
#include "views/views.h"

/* The present one: what is later than `from`, up to `to`. */
struct intervals {
	struct run *run;
	void **states; /* of run->options->views */
	struct triggers *triggers;
	uint64_t from;
	uint64_t to; /* UINT64_MAX: it is the last one; 0: the first has not begun */
	uint64_t lost; /* what run->lost was when it began */
	uint64_t suppressed[PROCLIFE_TYPES]; /* what run->suppressed was then */
	uint64_t stopped; /* and run->stopped.times */
	uint64_t gap_to; /* of the gap that reaches farthest: what is up to there can be incomplete */
	uint64_t stopped_to; /* and where recording was stopped */
	uint64_t idle;	 /* how many before it had no record, in a row */
	uint64_t held_from; /* since when such ones were not printed; 0: all were */
	bool busy;	 /* there was a record in it */
	int64_t day;	 /* of the last time that was printed; see when_is_new_day() */
	bool printed;	 /* there was one */
	bool had_views;	 /* the last one had something in it */
};

/* Begins with the first event; what it points to is set. */
extern const struct stage intervals_stage;

#endif
