// SPDX-License-Identifier: GPL-2.0-only
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

struct proclife_source *open_source(void)
{
	struct proclife_source *source;

	assert_int_equal(proclife_device_open(&source, NULL), 0);
	return source;
}

uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

bool next_until(struct proclife_source *source, uint64_t end, struct proclife_event *event)
{
	for (;;) {
		int ret = proclife_source_next(source, event);

		assert_true(ret >= 0);
		if (ret)
			return !event->record || event->record->ts < end;
		if (proclife_source_horizon(source) >= end)
			return false;
		proclife_source_wait(source, 50);
	}
}
