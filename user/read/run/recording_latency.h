/* SPDX-License-Identifier: GPL-2.0-only */
/* The latencies of a whole recording, for --diff and adding up. */
#ifndef READ_RECORDING_LATENCY_H
#define READ_RECORDING_LATENCY_H

#include "views/diff.h"

/* The latencies of a run, and those of each program if an expectation is about one. */
int measure_begin(struct run *run, enum proclife_by by);
int measure_merge(struct run *into, const struct run *from);

/* Reads it from beginning to end. 0, or a negative errno after having said why. */
int recording_latency_read(struct recording_latency *measured, const struct options *options,
			   const char *dir, enum proclife_by by);
void recording_latency_free(struct recording_latency *measured);

#endif
