// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/quoted.h"
#include "session/range.h"
#include "views/share/when.h"
#include <errno.h>
#include <time.h>

#define SECOND 1000000000ULL

/* What is needed to resolve a moment. */
struct around {
	const struct proclife_source *source;
	bool utc;
	bool back;	/* a time of day is the last one, not the next */
	uint64_t begin; /* of the trace */
	uint64_t end;
};

static uint64_t at_date(const struct around *around, struct tm *date, uint64_t ns)
{
	uint64_t seconds = ns / SECOND;
	time_t time;

	date->tm_hour = (int)(seconds / 3600);
	date->tm_min = (int)(seconds / 60 % 60);
	date->tm_sec = (int)(seconds % 60);
	date->tm_isdst = -1;
	time = around->utc ? timegm(date) : mktime(date);
	return proclife_source_monotonic(around->source, (uint64_t)time * SECOND + ns % SECOND);
}

/* This time of day, @days days after the day of @ts. */
static uint64_t on_day(const struct around *around, uint64_t ts, int days, uint64_t ns)
{
	int64_t realtime = (int64_t)proclife_source_realtime(around->source, ts);
	time_t time = realtime / (int64_t)SECOND - (realtime % (int64_t)SECOND < 0);
	struct tm date;

	if (around->utc)
		gmtime_r(&time, &date);
	else
		localtime_r(&time, &date);
	date.tm_mday += days;
	return at_date(around, &date, ns);
}

/* The first such time of day from @begin on; if it is after the end, the one of the same day. */
static uint64_t of_day(const struct around *around, uint64_t begin, uint64_t ns)
{
	uint64_t same = on_day(around, begin, 0, ns);
	uint64_t next = same >= begin ? same : on_day(around, begin, 1, ns);

	return next <= around->end ? next : same;
}

static uint64_t resolve(const struct around *around, const struct moment *moment, uint64_t begin)
{
	struct tm date = {
		.tm_year = moment->year - 1900, .tm_mon = moment->month - 1, .tm_mday = moment->day,
	};

	switch (moment->kind) {
	case MOMENT_AFTER_BEGIN:
		return around->begin + moment->ns;
	case MOMENT_BEFORE_END:
		return around->end > moment->ns ? around->end - moment->ns : 0;
	case MOMENT_OF_DAY:
		if (!around->back)
			return of_day(around, begin, moment->ns);
		return on_day(around, begin, -(on_day(around, begin, 0, moment->ns) > begin),
			      moment->ns);
	case MOMENT_OF_DATE:
		return at_date(around, &date, moment->ns);
	default:
		return moment->ns;
	}
}

uint64_t range_moment(const struct run *run, const struct proclife_run_info *replay,
		      const struct moment *moment)
{
	uint64_t now = proclife_source_now(run->source);
	struct around around = {
		.source = run->source,
		.utc = run->options->times == TIMES_UTC,
		.begin = replay ? replay->began : run->began,
		.end = !replay ? now : replay->complete ? replay->ended : replay->synced,
	};

	return resolve(&around, moment, around.begin);
}

int range_resolve(struct run *run, const struct proclife_run_info *replay)
{
	const struct options *options = run->options;
	uint64_t now = proclife_source_now(run->source);
	struct around around = {
		.source = run->source,
		.utc = options->times == TIMES_UTC,
		.back = !replay && options->history,
		.begin = replay ? replay->began : now,
		.end = !replay ? now : replay->complete ? replay->ended : replay->synced,
	};
	char from[WHEN_SIZE], to[WHEN_SIZE];

	run->from = 0;
	run->to = UINT64_MAX;
	if (options->from.kind)
		run->from = resolve(&around, &options->from, around.begin);
	if (!replay) /* the next one, however far away */
		around.end = options->to.kind == MOMENT_OF_DAY ? UINT64_MAX : now;
	around.back &= !options->from.kind;
	if (options->to.kind)
		run->to = resolve(&around, &options->to,
				  run->from > around.begin || (!replay && options->from.kind) ?
					  run->from : around.begin);
	if (run->from <= run->to)
		return 0;
	message("--from %s, --to %s: the first is %s, which is after the other, %s",
		quoted(options->from.text), quoted(options->to.text),
		when_text(run, run->from, from), when_text(run, run->to, to));
	return -ESRCH;
}
