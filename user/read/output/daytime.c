// SPDX-License-Identifier: GPL-2.0-only
#include "output/daytime.h"
#include "output/digits.h"
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000
#define DAY 86400
#define BLOCK 900 /* seconds: a time zone's offset changes only where a block begins */

/* What the next time probably shares with the last one: so few ask for the time zone. */
struct block {
	bool known;
	bool utc;
	int64_t number;
	int64_t day;	 /* since 1970, at its beginning */
	int64_t seconds; /* of the day, then */
	struct tm date;
};

static int64_t floor_of(int64_t value, int64_t unit)
{
	return value / unit - (value % unit < 0);
}

static const struct block *block_of(int64_t seconds, bool utc)
{
	static struct block block;
	int64_t number = floor_of(seconds, BLOCK);
	time_t begin = number * BLOCK;

	if (block.known && block.utc == utc && block.number == number)
		return &block;
	if (utc)
		gmtime_r(&begin, &block.date);
	else
		localtime_r(&begin, &block.date);
	block.known = true;
	block.utc = utc;
	block.number = number;
	block.seconds = block.date.tm_hour * 3600 + block.date.tm_min * 60 + block.date.tm_sec;
	block.day = floor_of(begin + block.date.tm_gmtoff, DAY);
	return &block;
}

/* Returns the seconds of the day, and sets *@day to the day. */
static int64_t split(uint64_t realtime, bool utc, int64_t *day)
{
	int64_t seconds = floor_of((int64_t)realtime, SECOND);
	const struct block *block = block_of(seconds, utc);
	int64_t of_day = block->seconds + seconds - block->number * BLOCK;

	*day = block->day + (of_day >= DAY);
	return of_day % DAY;
}

void text_daytime(struct text *text, uint64_t realtime, bool utc, unsigned int decimals)
{
	uint64_t rest = (uint64_t)((int64_t)realtime - floor_of((int64_t)realtime, SECOND) * SECOND);
	char digits[24], *to = digits;
	unsigned int i;
	int64_t day;
	uint64_t seconds = (uint64_t)split(realtime, utc, &day);

	to = put_padded(to, seconds / 3600, 2);
	*to++ = ':';
	to = put_padded(to, seconds / 60 % 60, 2);
	*to++ = ':';
	to = put_padded(to, seconds % 60, 2);
	if (decimals)
		*to++ = '.';
	for (i = decimals; i < 9; i++)
		rest /= 10;
	to = put_padded(to, rest, decimals);
	text_bytes(text, digits, (size_t)(to - digits), (unsigned int)(to - digits));
}

int64_t daytime_day(uint64_t realtime, bool utc)
{
	int64_t day;

	split(realtime, utc, &day);
	return day;
}

void text_date(struct text *text, uint64_t realtime, bool utc)
{
	time_t noon = daytime_day(realtime, utc) * DAY + DAY / 2;
	struct tm date;

	gmtime_r(&noon, &date);
	text_printf(text, "%04d-%02d-%02d", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
}
