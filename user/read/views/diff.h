/* SPDX-License-Identifier: GPL-2.0-only */
/* What has changed between two recordings. */
#ifndef READ_DIFF_H
#define READ_DIFF_H

#include "views/views.h"

/* What was measured of a whole recording. */
struct recording_latency {
	const char *dir;
	struct run run; /* its source, and what was measured: run.latency */
	const struct proclife_run_info *info;
	bool cut; /* the recording breaks off, or something of it was lost */
};

/* Prints what has changed from @sides[0] to @sides[1]. Return: the exit status. */
int diff_print(const struct options *options, const struct screen *screen,
	       const struct recording_latency *sides, enum proclife_by by);

/* A percentile that has changed. */
struct change {
	double percent;
	uint64_t a; /* ns */
	uint64_t b;
};

/*
 * Whether the times in @b are others than those in @a: the lowest percentile that has become
 * @factor times as long or as short, and not by chance.
 *
 * A percentile counts if ten lives of each run lie beyond it. Chance is judged where it matters:
 * half-way between the two values (as a ratio), the shares of both runs that lie above it must be
 * more than five standard errors apart, which chance alone makes of one comparison in two million.
 */
bool histograms_differ(const struct proclife_histogram *a, const struct proclife_histogram *b,
		       double factor, struct change *change);

#endif
