/* SPDX-License-Identifier: GPL-2.0-only */
/* A whole recording, for --diff and behind the first of several. */
#ifndef READ_RECORDING_LATENCY_H
#define READ_RECORDING_LATENCY_H

#include "views/diff.h"

/*
 * The latencies of a run, and those of each program if an expectation is about one; nothing if neither
 * a view nor an expectation wants them.
 */
int measure_begin(struct run *run, enum proclife_by by);
int measure_merge(struct run *into, const struct run *from);

/* 0, or a negative errno after having said why. What @like prints with, it prints with. */
int recording_latency_open(struct recording_latency *measured, const struct run *like,
			   const char *dir);
/*
 * Reads it from beginning to end. @states: of the views, for those that want to see all of it; or NULL.
 * 0, or a negative errno after having said why; it is freed then.
 */
int recording_latency_read(struct recording_latency *measured, enum proclife_by by, void **states);
void recording_latency_free(struct recording_latency *measured);

#endif
