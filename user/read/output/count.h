/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts: sums that do not wrap, and the words that go with them. */
#ifndef READ_COUNT_H
#define READ_COUNT_H

#include <stdint.h>

/* Any program can have written a recording, and any counts: a sum stays at its maximum. */
static inline void add_count(uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
}

/* The word that goes with this number, where the number is printed otherwise than by text_plural(). */
static inline const char *plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

#endif
