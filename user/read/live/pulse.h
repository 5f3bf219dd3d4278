/* SPDX-License-Identifier: GPL-2.0-only */
/* What happened in each of the last seconds. */
#ifndef READ_PULSE_H
#define READ_PULSE_H

#include "views/views.h"

#define PULSE_SECONDS 60
#define PULSE_ROOM 64 /* of the ring: the second that runs is there, too */

enum pulse_kind {
	PULSE_FORKS,
	PULSE_DEATHS,
	PULSE_ZOMBIES,
	PULSE_LOST,
	PULSE_BUSY,
	PULSE_EXIT_FREE,
	PULSES,
};

struct pulse {
	struct run *run;
	uint64_t now;  /* the second that runs, by the clock of the records; 0: none has begun */
	uint64_t since; /* the first one */
	uint64_t lost; /* so far, of run->lost */
	struct proclife_histogram *exit_free; /* in this second */
	double values[PULSES][PULSE_ROOM]; /* by second */
};

/* Call it before the first event. Returns 0 or a negative errno. */
int pulse_begin(struct pulse *pulse, struct run *run);
void pulse_free(struct pulse *pulse);
/* The time comes to @ts: before an event then is fed, and from time to time. */
void pulse_advance(struct pulse *pulse, uint64_t ts);

/* Two lines each: what there is to see in the last minute, in this many columns. */
void pulse_print(const struct pulse *pulse, struct text *line, enum pulse_kind kind, unsigned int columns);

#endif
