/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROCLIFE_CHECKSUM_H
#define PROCLIFE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* It detects any change of a single word. */
static inline uint64_t proclife_checksum(const uint64_t *words, size_t count)
{
	uint64_t sum = 0xcbf29ce484222325;

	while (count--)
		sum = (sum ^ *words++) * 0x100000001b3;
	return sum;
}

#endif
