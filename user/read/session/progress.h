/* SPDX-License-Identifier: GPL-2.0-only */
/* A line on the terminal that shows the progress of a long replay, or of a trace. */
#ifndef READ_PROGRESS_H
#define READ_PROGRESS_H

#include "output/format.h"
#include "stage.h"
#include <stdbool.h>

struct run;

struct progress {
	const struct run *run; /* whose processes and losses are shown; NULL: none are */
	bool on;
	struct screen screen;
	struct text line;
	uint64_t total;	  /* records to come; 0: not known */
	uint64_t records;
	uint64_t next;	  /* when to show it again */
	uint64_t rate_at; /* the rate counts from here */
	uint64_t rate_from;
	uint64_t rate;	  /* records per second */
};

void progress_begin(struct progress *progress, const struct run *run, uint64_t now, uint64_t total);

/* Shows the line when that is due; for --slice, which counts the records itself. */
void progress_advance(void *progress, struct tick *tick);
/* Removes the line. */
void progress_end(void *progress);

extern const struct stage progress_stage;

#endif
