/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which lives of a recording go into a slice: those that are asked for, and those that change what is shown
 * of them. By their ids, which each reading of a recording counts in the same way.
 */
#ifndef READ_KEPT_H
#define READ_KEPT_H

#include <proclife.h>

/* Which other life a life needs. */
enum kept_why {
	KEPT_PARENT,   /* by birth */
	KEPT_CREATOR,  /* the caller of fork: --pid follows it */
	KEPT_NOTIFIED, /* of its end, as its parent */
	KEPT_TRACER,   /* which was notified before */
	KEPT_REAPER,
	KEPT_LAST_HOLDER, /* of its memory */
	KEPT_UNMAPPER,
	KEPT_EARLY, /* the task that took its memory early */
	KEPT_WHYS,
};

struct kept_life;
struct kept_taking;

struct kept {
	struct proclife_tasks *tasks;
	struct kept_life *lives; /* by id, from 1 on */
	uint64_t count;		 /* of ids that there is room for */
	uint64_t last;		 /* the highest id that was heard of */
	uint64_t asked_for; /* they match, or may */
	uint64_t matching;
	uint64_t needed; /* besides */
	struct kept_taking *takings; /* from 1 on */
	uint32_t taking_count;
	uint32_t taking_room;
	uint32_t settled; /* how many of them are of records before the one that is being fed */
	uint64_t handle;  /* the task of that record, or 0 */
};

/* With the tasks of the first reading, before all others that report to them. 0 or a negative errno. */
int kept_begin(struct kept *kept, struct proclife_tasks *tasks);
/* Each event of that reading, before it is fed. */
void kept_note(struct kept *kept, struct proclife_tasks *tasks, const struct proclife_event *event);
/* At its end: adds the lives that they need, and what those need. */
void kept_complete(struct kept *kept);
bool kept_has(const struct kept *kept, uint64_t id);
void kept_free(struct kept *kept);

#endif
