// SPDX-License-Identifier: LGPL-2.1-or-later
#include "source/daytime.h"
#include "source/source.h"

#include <errno.h>
#include <stdlib.h>

uint64_t proclife_daytime_latest(const struct proclife_daytime *daytime)
{
	return daytime->count ? daytime->changes[daytime->count - 1].to_realtime :
				daytime->to_realtime;
}

int proclife_daytime_change(struct proclife_daytime *daytime, uint64_t since, uint64_t to_realtime)
{
	struct proclife_daytime_change *changes = daytime->changes, *last;
	uint32_t count = daytime->count;

	if (!count || (changes[count - 1].since < since && count < PROCLIFE_DAYTIME_CHANGES)) {
		if (!(count & (count - 1))) {
			changes = realloc(changes, (count ? 2 * count : 1) * sizeof(*changes));
			if (!changes)
				return -ENOMEM;
			daytime->changes = changes;
		}
		changes[daytime->count++].since = since;
	}
	last = &changes[daytime->count - 1];
	last->to_realtime = to_realtime;
	daytime->version++;
	return 0;
}

/* A clock that was set to a time far away does not wrap: what it shows then is the last there is. */
static uint64_t sum_of(uint64_t ts, uint64_t to_realtime)
{
	int64_t sum;

	if (ts > PROCLIFE_TIME_MAX || __builtin_add_overflow((int64_t)ts, (int64_t)to_realtime, &sum))
		return PROCLIFE_TIME_MAX;
	return (uint64_t)sum;
}

uint64_t proclife_daytime_of(const struct proclife_daytime *daytime, uint64_t ts)
{
	uint32_t low = 0, high = daytime->count;

	if (!high || ts >= daytime->changes[high - 1].since)
		return sum_of(ts, proclife_daytime_latest(daytime));
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (daytime->changes[middle].since <= ts)
			low = middle + 1;
		else
			high = middle;
	}
	return sum_of(ts, low ? daytime->changes[low - 1].to_realtime : daytime->to_realtime);
}

uint64_t proclife_daytime_first(const struct proclife_daytime *daytime, uint64_t realtime)
{
	uint64_t since = 0, to_realtime = daytime->to_realtime;

	for (uint32_t i = 0;; i++) {
		uint64_t end = i < daytime->count ? daytime->changes[i].since : UINT64_MAX;
		int64_t ts = (int64_t)(realtime - to_realtime);

		if (ts < (int64_t)since)
			return since;
		if ((uint64_t)ts < end || i == daytime->count)
			return (uint64_t)ts;
		since = end;
		to_realtime = daytime->changes[i].to_realtime;
	}
}

void proclife_daytime_free(struct proclife_daytime *daytime)
{
	free(daytime->changes);
}

uint64_t proclife_source_realtime(const struct proclife_source *source, uint64_t ts)
{
	return proclife_daytime_of(&source->daytime, ts);
}

uint64_t proclife_source_boottime(const struct proclife_source *source, uint64_t ts)
{
	return proclife_daytime_of(&source->boottime, ts);
}

bool proclife_source_clock_step(const struct proclife_source *source, size_t index,
				uint64_t *since, int64_t *by)
{
	const struct proclife_daytime *daytime = &source->daytime;
	uint64_t before;

	if (index >= daytime->count)
		return false;
	before = index ? daytime->changes[index - 1].to_realtime : daytime->to_realtime;
	*since = daytime->changes[index].since;
	*by = (int64_t)(daytime->changes[index].to_realtime - before);
	return true;
}

uint64_t proclife_source_monotonic(const struct proclife_source *source, uint64_t realtime)
{
	return proclife_daytime_first(&source->daytime, realtime);
}
