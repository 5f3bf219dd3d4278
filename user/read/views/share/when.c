// SPDX-License-Identifier: GPL-2.0-only
#include "output/daytime.h"
#include "views/share/when.h"
#include <stdio.h>

static bool is_utc(const struct run *run)
{
	return run->options->times == TIMES_UTC;
}

void text_when(struct text *text, const struct run *run, uint64_t ts, unsigned int decimals)
{
	if (run->options->times == TIMES_MONOTONIC)
		text_stamp(text, ts);
	else
		text_daytime(text, proclife_source_realtime(run->source, ts), is_utc(run), decimals);
}

unsigned int when_columns(const struct run *run, unsigned int decimals)
{
	return run->options->times == TIMES_MONOTONIC ? 15 : 9 + decimals;
}

void text_when_title(struct text *text, const struct run *run, uint64_t ts)
{
	if (run->options->times == TIMES_MONOTONIC) {
		text_string(text, "TIME");
		return;
	}
	text_date(text, proclife_source_realtime(run->source, ts), is_utc(run));
	if (is_utc(run))
		text_string(text, "Z");
}

bool when_is_new_day(const struct run *run, uint64_t ts, int64_t *day)
{
	int64_t before = *day;

	if (run->options->times == TIMES_MONOTONIC)
		return false;
	/* Odd, so that none is 0. */
	*day = daytime_day(proclife_source_realtime(run->source, ts), is_utc(run)) * 2 + 1;
	return before != *day;
}

void text_when_alone(struct text *text, const struct run *run, uint64_t ts, unsigned int decimals)
{
	struct text when;

	text_init(&when, run->screen);
	text_when(&when, run, ts, decimals);
	text_string(text, when.s + strspn(when.s, " "));
	text_free(&when);
}

void text_when_dated(struct text *text, const struct run *run, uint64_t ts, int64_t *day)
{
	if (when_is_new_day(run, ts, day)) {
		text_when_title(text, run, ts);
		text_string(text, " ");
	}
	text_when_alone(text, run, ts, 3);
}

const char *when_text(const struct run *run, uint64_t ts, char buffer[WHEN_SIZE])
{
	struct text text;

	text_init(&text, run->screen);
	if (run->options->times != TIMES_MONOTONIC) {
		text_when_title(&text, run, ts);
		text_string(&text, " ");
	}
	text_when(&text, run, ts, 6);
	snprintf(buffer, WHEN_SIZE, "%s", text.s + strspn(text.s, " "));
	text_free(&text);
	return buffer;
}
