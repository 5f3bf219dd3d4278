/* SPDX-License-Identifier: GPL-2.0-only */
/* Which lane each process is in, as jobs are in slots: the lowest one that is free when it begins. */
#ifndef READ_LANES_H
#define READ_LANES_H

#include "views/share/id_table.h"
#include <stdbool.h>

struct lane {
	uint64_t id; /* of the process */
	uint32_t number;
	uint64_t uuid;	 /* of a track of its own */
	uint64_t parent; /* the uuid of the track above it; 0: there is none */
	uint64_t above;	 /* the process that has that track */
	uint32_t level;	 /* how many are above it */
	uint32_t below;	 /* how many there are that have it above them */
	bool living;
	bool shown;  /* that track */
	bool wanted; /* it is above one that is shown */
};

struct lanes {
	struct id_table places; /* of struct lane */
	bool *used;
	bool *seen; /* has it been shown? */
	bool *seen_lower;
	uint32_t size;
	uint32_t lowest; /* those below are used */
};

void lanes_init(struct lanes *lanes);
void lanes_free(struct lanes *lanes);
/* NULL if it has none. Valid until another one is added or removed. */
struct lane *lanes_get(const struct lanes *lanes, uint64_t id);
struct lane *lanes_add(struct lanes *lanes, uint64_t id);
void lanes_remove(struct lanes *lanes, struct lane *lane);
/* Is it the first time that this lane, or the track below it, is shown? */
bool lanes_is_new(struct lanes *lanes, uint32_t number, bool lower);

#endif
