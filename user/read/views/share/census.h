/* SPDX-License-Identifier: GPL-2.0-only */
/* What is there now: processes that are not gone, by their state. */
#ifndef READ_CENSUS_H
#define READ_CENSUS_H

#include "views/views.h"

/* The states of processes that are selected and match the filter. */
struct census {
	uint64_t states[PROCLIFE_STATES];
	uint64_t oldest; /* since when the oldest zombie is one; 0: there is none */
};

/* It looks at each process that is not gone. */
struct census census_take(const struct run *run);
/* Only the states of their threads, leaders among them. */
struct census census_take_threads(const struct run *run);

#endif
