/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The library's own reader with delays between its steps: rings.c and merge.c are compiled here. RINGS and MERGE can name
 * other sources, which tests/stress/run has broken.
 */
#ifndef STRESS_LIBRARY_H
#define STRESS_LIBRARY_H

#include "setup.h"

#include "device/device.h"

#ifndef RINGS
#define RINGS "../../user/lib/device/rings.c"
#endif
#ifndef MERGE
#define MERGE "../../user/lib/source/merge.c"
#endif

/* Copies word by word, with delays, so that a writer can come in between. */
static inline void copy_slowly(void *to, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(struct proclife_record); i++)
		copy((uint64_t *)((struct proclife_record *)to + i),
		     (const struct proclife_record *)from + i);
}

/* Single reads delay, too. */
#undef proclife_read_once
#define proclife_read_once(x)                                          \
	({                                                             \
		__typeof__(x) seen = __atomic_load_n(&(x), __ATOMIC_RELAXED); \
									       \
		step();                                                \
		seen;                                                  \
	})

#define copy_records library_copy_records
#define take_horizon library_take_horizon
#define memcpy copy_slowly
#include RINGS /* NOLINT(bugprone-suspicious-include) */
#undef memcpy
#undef take_horizon
#undef copy_records
#include MERGE /* NOLINT(bugprone-suspicious-include) */

static void read_clock(struct proclife_clock *clock, void *data)
{
	(void)data;
	clock->now = __atomic_load_n(&now, __ATOMIC_RELAXED);
}

#endif
