/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lives of a part that nothing needs once it is over: freed in it, of one thread each, with no child that is left,
 * and no address space that others let go of. To follow such a life costs much more than to know of it, and most lives
 * are like this. A life is needed if it may be, such as one that began before records were lost.
 *
 * A part's records are noted first, in any order. Then proclife_bygone_settle() decides.
 */
#ifndef PROCLIFE_BYGONE_H
#define PROCLIFE_BYGONE_H

#include "base/map.h"
#include "proclife.h"

struct proclife_bygone_life {
	struct proclife_bygone_life *all;  /* the one before, of all */
	struct proclife_bygone_life *same; /* the one before that has had its handle; see proclife_bygone_settle() */
	uint64_t handle;
	uint64_t parent; /* handles, of its FORK */
	uint64_t creator;
	uint64_t born; /* ts of its FORK; 0: that is not in the part */
	uint32_t tgid;
	bool begun; /* its FORK or TASK is in the part */
	bool freed;
	bool needed;
};

/* It has let go of this address space. */
struct proclife_bygone_use {
	uint64_t mm;
	struct proclife_bygone_life *life;
};

struct proclife_bygone {
	struct proclife_map lives; /* struct proclife_bygone_life; see proclife_bygone_key() */
	struct proclife_slab slab;
	struct proclife_bygone_life *all;
	struct proclife_map threads; /* tgids of processes that have had more than one */
	struct proclife_map shared;  /* handles of address spaces */
	struct proclife_map named;   /* handles of the parents of tasks that were there before */
	struct proclife_bygone_use *uses;
	size_t use_count;
	size_t uses_size;
	uint64_t gap_to; /* what began before can have other records, too; 0: there is no gap */
	bool unsure; /* all are needed */
	bool settled;
};

int proclife_bygone_init(struct proclife_bygone *bygone);
void proclife_bygone_free(struct proclife_bygone *bygone);

/* Where there is no memory for these two, all are needed. */
void proclife_bygone_note(struct proclife_bygone *bygone, const struct proclife_event *event);
void proclife_bygone_settle(struct proclife_bygone *bygone);

/* In proclife_bygone.lives. Two with the same key differ in their handles, which is noticed: then all are needed. */
static inline uint64_t proclife_bygone_key(uint64_t handle, uint64_t start)
{
	return handle ^ start * 0x9e3779b97f4a7c15ULL;
}

/* The life of which this is a record; NULL: it is needed. */
static inline struct proclife_bygone_life *proclife_bygone_of(struct proclife_bygone *bygone,
							      const struct proclife_record *record)
{
	struct proclife_bygone_life *life;

	if (!bygone->settled || bygone->unsure)
		return NULL;
	life = proclife_map_get(&bygone->lives, proclife_bygone_key(record->task, record->start));
	return life && !life->needed && life->handle == record->task ? life : NULL;
}

#endif
