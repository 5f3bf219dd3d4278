/* SPDX-License-Identifier: GPL-2.0-only */
/* How old those are that are older than the trace. */
#ifndef READ_LIVED_H
#define READ_LIVED_H

#include "views/views.h"

/*
 * How long one that was not seen to be born had lived when it was first seen, by its start time: that is
 * CLOCK_BOOTTIME, so time for which the machine was suspended counts. 0: its birth was seen, or its start is
 * not known.
 */
static inline uint64_t lived_before(const struct run *run, uint64_t born, uint64_t seen, uint64_t start)
{
	uint64_t by_then = born || !start ? 0 : proclife_source_boottime(run->source, seen);

	return by_then > start && by_then < PROCLIFE_TIME_MAX ? by_then - start : 0;
}

#endif
