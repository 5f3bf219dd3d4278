/* SPDX-License-Identifier: GPL-2.0-only */
/* Measuring a whole recording: for --diff, and for the second and later ones of several. */
#ifndef READ_RECORDING_LATENCY_H
#define READ_RECORDING_LATENCY_H

#include "views/views.h"

/* What was measured of a whole recording. */
struct recording_latency {
	const char *dir;
	struct run run; /* its source, and what was measured: run.latency */
	const struct proclife_run_info *info;
	bool cut; /* the recording breaks off, or something of it was lost */
};

/*
 * Begins to measure the latencies of a run, and the latencies of each program if an expectation is about
 * one. Does nothing if neither a view nor an expectation needs them.
 */
int measure_begin(struct run *run, enum proclife_by by);
/* Forgets what was measured so far, but not what expectations are about. */
int measure_again(struct run *run, enum proclife_by by);
int measure_merge(struct run *into, const struct run *from);

/* It prints like @like. Returns 0, or a negative errno after a message. */
int recording_latency_open(struct recording_latency *measured, const struct run *like,
			   const char *dir);
/*
 * Begins to measure it, and then reads it from beginning to end. @states: of the views, for those that want to see
 * all of it; or NULL. They return 0, or a negative errno after a message; then it is freed.
 */
int recording_latency_begin(struct recording_latency *measured, enum proclife_by by, void **states);
int recording_latency_read(struct recording_latency *measured, void **states);
void recording_latency_free(struct recording_latency *measured);

#endif
