/* SPDX-License-Identifier: GPL-2.0-only */
/* --metrics: a file that is kept up to date, for node_exporter. */
#ifndef READ_METRICS_H
#define READ_METRICS_H

#include "metrics/tally.h"
#include "stage.h"
#include <sys/stat.h>

struct metrics {
	const char *path;
	struct tally tally;
	uint64_t every; /* ns */
	uint64_t next;	/* when it is due; UINT64_MAX: at the end, as a replay is over soon */
	struct stat written; /* what we wrote last; st_ino is 0: nothing */
	bool shared;	/* another program writes it as well, which has been said */
	int error;	/* of the last try; it has been said */
};

/* Begins to count, and writes the file. Returns 0, or a negative errno; -ESRCH has been said. */
int metrics_begin(struct metrics *metrics, const struct run *run, uint64_t now);

extern const struct stage metrics_stage;

#endif
