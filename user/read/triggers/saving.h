/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --save: what the rings hold, and what comes for a while after it, goes to a recording of its own. A
 * second reader of the device writes it, a part at a time, so that the first one goes on meanwhile.
 */
#ifndef READ_SAVING_H
#define READ_SAVING_H

#include "triggers/alert.h"
#include "triggers/backlog.h"
#include <limits.h>

struct saving {
	const struct run *run;
	struct backlog backlog; /* where there is --save */
	struct proclife_source *source; /* NULL: nothing is being saved */
	struct proclife_recorder *recorder;
	char path[PATH_MAX]; /* of what is being saved, or was last */
	uint64_t first; /* the time of its first record; 0: there was none yet */
	uint64_t whole; /* since when no CPU's ring lacks anything; 0: they begin with the module */
	uint64_t until; /* what is later does not belong to it */
	bool behind;	/* there is more to read now */
	bool enough;	/* the folder holds as many as it may, and that was printed */
};

/* Makes the folder that they go into, if need be. 0, or -ESRCH after a message. */
int saving_prepare(struct saving *saving, const struct run *run);
/* Begins to save what this is about. False after a message, or if there were enough of them. */
bool saving_begin(struct saving *saving, const struct alert *alert);
/*
 * Goes on for a while. True: there is nothing being saved any more, and the path is the one of the last recording; it
 * is empty if that failed, after a message.
 */
bool saving_poll(struct saving *saving);
/* Completes it with what there is now. */
void saving_finish(struct saving *saving);
/* When it is complete; UINT64_MAX: nothing is being saved. */
uint64_t saving_due(const struct saving *saving);
void saving_free(struct saving *saving);

#endif
