/* SPDX-License-Identifier: GPL-2.0-only */
/* What a source is measured by; the latencies of a whole recording, for --diff and adding up. */
#ifndef READ_RECORDING_LATENCY_H
#define READ_RECORDING_LATENCY_H

#include "views/view.h"

struct recording_latency {
	const char *dir;
	struct run run; /* its source, and what was measured: run.latency */
	const struct proclife_run_info *info;
	bool cut; /* the recording breaks off, or something of it was lost */
};

/* Are REAPs recorded, by this kernel and module? */
bool run_has_reap(const struct run *run);
/* The lives of the run's source. 0 or a negative errno. */
int run_tasks_new(struct run *run);

/* Reads it from beginning to end. 0, or a negative errno after having said why. */
int recording_latency_read(struct recording_latency *measured, const struct options *options,
			   const char *dir, enum proclife_by by);
void recording_latency_free(struct recording_latency *measured);

#endif
