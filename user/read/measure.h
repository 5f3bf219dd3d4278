/* SPDX-License-Identifier: GPL-2.0-only */
/* The latencies of a whole recording, for --diff and for adding up several. */
#ifndef READ_MEASURE_H
#define READ_MEASURE_H

#include "view.h"

struct measured {
	const char *dir;
	struct run run; /* its source, and what was measured: run.latency */
	const struct proclife_recorded *info;
	bool cut; /* the recording breaks off */
};

/* Reads it from beginning to end. 0, or a negative errno after having said why. */
int measure(struct measured *measured, const struct options *options, const char *dir,
	    enum proclife_by by);
void measured_free(struct measured *measured);

#endif
