// SPDX-License-Identifier: GPL-2.0-only
#include "output/daytime.h"
#include "output/digits.h"
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000
#define DAY 86400
#define BLOCK 900 /* seconds: a time zone's offset changes only where a block begins */

/* What the next time probably shares with the last one: few times ask for the time zone. */
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

/* And most are in the same second: of that, all but the fraction is known. */
struct second {
	bool known;
	bool utc;
	int64_t begin; /* ns since 1970 */
	int64_t day;
	char text[8]; /* "14:03:22" */
};

static const struct second *second_of(uint64_t realtime, bool utc)
{
	static struct second second;
	const struct block *block;
	int64_t seconds, of_day;

	if (second.known && second.utc == utc && realtime - (uint64_t)second.begin < SECOND)
		return &second;
	seconds = floor_of((int64_t)realtime, SECOND);
	block = block_of(seconds, utc);
	of_day = block->seconds + seconds - block->number * BLOCK;
	second.known = true;
	second.utc = utc;
	second.begin = seconds * SECOND;
	second.day = block->day + (of_day >= DAY);
	of_day %= DAY;
	put_padded(second.text, (uint64_t)of_day / 3600, 2);
	second.text[2] = ':';
	put_padded(second.text + 3, (uint64_t)of_day / 60 % 60, 2);
	second.text[5] = ':';
	put_padded(second.text + 6, (uint64_t)of_day % 60, 2);
	return &second;
}

void text_daytime(struct text *text, uint64_t realtime, bool utc, unsigned int decimals)
{
	const struct second *second = second_of(realtime, utc);
	uint64_t rest = realtime - (uint64_t)second->begin;
	char *to = text_room(text, 24);
	unsigned int i;

	memcpy(to, second->text, sizeof(second->text));
	to += sizeof(second->text);
	if (decimals)
		*to++ = '.';
	for (i = decimals; i < 9; i++)
		rest /= 10;
	to = put_padded(to, rest, decimals);
	text_wrote(text, to);
}

int64_t daytime_day(uint64_t realtime, bool utc)
{
	return second_of(realtime, utc)->day;
}

void text_date(struct text *text, uint64_t realtime, bool utc)
{
	time_t noon = daytime_day(realtime, utc) * DAY + DAY / 2;
	struct tm date;

	gmtime_r(&noon, &date);
	text_printf(text, "%04d-%02d-%02d", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
}

void text_moment(struct text *text, uint64_t realtime, unsigned int decimals)
{
	text_date(text, realtime, true);
	text_string(text, "T");
	text_daytime(text, realtime, true, decimals);
	text_string(text, "Z");
}
