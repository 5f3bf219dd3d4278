/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects that are found by a number, and listed in the order in which they came. */
#ifndef PROCLIFE_LISTED_H
#define PROCLIFE_LISTED_H

#include "base/map.h"

struct proclife_listed {
	struct proclife_map map;
	void **all;
	size_t count;
	size_t room;
};

/* Returns 0 or -ENOMEM. */
int proclife_listed_init(struct proclife_listed *listed);
/* The objects, too. */
void proclife_listed_free(struct proclife_listed *listed);

static inline void *proclife_listed_get(const struct proclife_listed *listed, uint64_t key)
{
	return proclife_map_get(&listed->map, key);
}

/* A new one, zeroed; none with this key may be there. NULL: there is no memory. */
void *proclife_listed_add(struct proclife_listed *listed, uint64_t key, size_t size);

#endif
