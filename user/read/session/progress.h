/* SPDX-License-Identifier: GPL-2.0-only */
/* A line on the terminal that shows the progress of a long replay, or of a trace. */
#ifndef READ_PROGRESS_H
#define READ_PROGRESS_H

#include "output/format.h"
#include <stdbool.h>

struct progress {
	bool on;
	struct screen screen;
	struct text line;
	uint64_t total;	  /* records to come; 0: not known */
	uint64_t records; /* counted by the caller, like those that were lost */
	uint64_t lost;
	uint64_t next;	  /* when to show it again */
	uint64_t rate_at; /* the rate counts from here */
	uint64_t rate_from;
	uint64_t rate;	  /* records per second */
};

void progress_begin(struct progress *progress, uint64_t now, uint64_t total);
/* Call it from time to time: it shows the line when that is due. @processes: so far. */
void progress_poll(struct progress *progress, uint64_t now, uint64_t processes);
/* Removes the line. */
void progress_end(struct progress *progress);

#endif
