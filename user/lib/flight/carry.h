/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the next part of a recording begins with: the records of all lives that are open where the part
 * before it ends. With them, the next part alone shows a life as the whole recording does.
 * For a process that lives for months few records are kept: the last EXEC of each task, the last WAIT. For
 * threads that are freed only sums are kept, in a PROCLIFE_PAST.
 *
 * A part begins with such records itself, so what it ends with follows from it alone: nothing has to be
 * kept in memory between two parts. While it is written, only which of its lives are over is noted.
 */
#ifndef PROCLIFE_CARRY_H
#define PROCLIFE_CARRY_H

#include "flight/bygone.h"

#define PROCLIFE_CARRY_GAPS 16

struct proclife_carry;

/*
 * @bygone: lives of the part that are not followed, unless one is found to be needed; NULL: all are. It stays the
 * caller's, and has to be there until all is taken. What is carried is the same. 0 or -ENOMEM.
 */
int proclife_carry_new(struct proclife_carry **carry, struct proclife_bygone *bygone);
void proclife_carry_free(struct proclife_carry *carry);

/* Takes a whole part: a recording of which nothing was yielded yet. 0, or a negative errno. */
int proclife_carry_read(struct proclife_carry *carry, struct proclife_source *part);

/* The next event of a part. 0, or a negative errno. */
int proclife_carry_take(struct proclife_carry *carry, const struct proclife_event *event);

struct proclife_carried {
	struct proclife_record *records; /* in the order of their times, for one stream */
	size_t count;
	/* They touch the lives, and have lost nothing that was not counted before. By CPU, then time. */
	struct proclife_gap gaps[PROCLIFE_CARRY_GAPS];
	size_t gap_count;
	uint64_t left_out; /* records for which there was no room */
};

/*
 * What is carried, at most @most records. Where there is no room for all, the lives of the most records have
 * only the first piece of their arguments, or none. If that is not enough, lives are left out: those that take
 * a large share alone, then the processes that came last. @carried->left_out counts their records.
 * Owned by the carry. 0 or -ENOMEM.
 */
int proclife_carry_choose(struct proclife_carry *carry, size_t most, struct proclife_carried *carried);

#endif
