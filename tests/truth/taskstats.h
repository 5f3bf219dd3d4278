/* SPDX-License-Identifier: GPL-2.0-only */
/* taskstats: what the kernel reports of each thread as it exits, in a file of its own structures. */
#ifndef TRUTH_TASKSTATS_H
#define TRUTH_TASKSTATS_H

#include <linux/taskstats.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * False at the end. One without a pid stands for a socket that was full: the kernel does not count what that
 * cost.
 */
static inline bool taskstats_next(FILE *in, struct taskstats *stats)
{
	return fread(stats, sizeof(*stats), 1, in) == 1;
}

#endif
