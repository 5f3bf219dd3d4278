/* SPDX-License-Identifier: GPL-2.0-only */
/* A moment as people write it. Its time depends on what is traced or replayed. */
#ifndef READ_MOMENT_H
#define READ_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

enum moment_kind {
	MOMENT_NONE,
	MOMENT_AFTER_BEGIN, /* "+10s" */
	MOMENT_BEFORE_END,  /* "-1m": before the end of a recording; otherwise before now */
	MOMENT_MONOTONIC,   /* "1234.567": as shown by --monotonic */
	MOMENT_OF_DAY,	    /* "14:03", "14:03:22.5" */
	MOMENT_OF_DATE,	    /* "2026-11-22", "2026-11-22 14:03", "2026-11-22T14:03:22.5" */
};

struct moment {
	enum moment_kind kind;
	uint64_t ns; /* the time, or the time of day */
	int year;
	int month; /* from 1 on */
	int day;
	const char *text; /* as it was written */
};

/* Returns false if it is none of these. */
bool moment_parse(const char *s, struct moment *moment);

#endif
