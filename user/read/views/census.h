/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is there now: processes that are not gone, by their state. */
#ifndef READ_CENSUS_H
#define READ_CENSUS_H

#include "views/views.h"

struct census {
	uint64_t states[PROCLIFE_STATES]; /* processes that are selected and match the filter */
};

/* It looks at each process that is not gone. */
struct census census_take(const struct run *run);

#endif
