/* SPDX-License-Identifier: GPL-2.0-only */
/* Times of day from nanoseconds since 1970; local ones, or UTC. */
#ifndef READ_DAYTIME_H
#define READ_DAYTIME_H

#include "output/format.h"
#include <time.h>

/* "14:03:22.123", with this many decimals, at most 9. */
void text_daytime(struct text *text, uint64_t realtime, bool utc, unsigned int decimals);
/* "2026-11-22" */
void text_date(struct text *text, uint64_t realtime, bool utc);
/* "2026-11-22T14:03:22.123Z" */
void text_moment(struct text *text, uint64_t realtime, unsigned int decimals);

/* A number for the day: times on the same day have the same. */
int64_t daytime_day(uint64_t realtime, bool utc);

#endif
