/* SPDX-License-Identifier: GPL-2.0-only */
/* Times of day, of nanoseconds since 1970; local ones, or UTC. */
#ifndef READ_DAYTIME_H
#define READ_DAYTIME_H

#include "output/format.h"
#include <time.h>

/* "14:03:22.123", with so many decimals, at most 9. */
void text_daytime(struct text *text, uint64_t realtime, bool utc, unsigned int decimals);
/* "2026-11-22" */
void text_date(struct text *text, uint64_t realtime, bool utc);

/* Which day it is: days of the same number are the same. */
int64_t daytime_day(uint64_t realtime, bool utc);

#endif
