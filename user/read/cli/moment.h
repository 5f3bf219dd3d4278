/* SPDX-License-Identifier: GPL-2.0-only */
/* A moment as people write it; what it comes to depends on what is looked at. */
#ifndef READ_MOMENT_H
#define READ_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

enum moment_kind {
	MOMENT_NONE,
	MOMENT_AFTER_BEGIN, /* "+10s" */
	MOMENT_BEFORE_END,  /* "-1m": of a recording, before its end; otherwise ago */
	MOMENT_MONOTONIC,   /* "1234.567": as --monotonic shows it */
	MOMENT_OF_DAY,	    /* "14:03", "14:03:22.5" */
	MOMENT_OF_DATE,	    /* "2026-11-22", "2026-11-22 14:03", "2026-11-22T14:03:22.5" */
};

struct moment {
	enum moment_kind kind;
	uint64_t ns; /* the time; of the day, for those that have one */
	int year;
	int month; /* from 1 on */
	int day;
	const char *text; /* as it was written */
};

/* False if it is none of these. */
bool moment_parse(const char *s, struct moment *moment);

#endif
