/* SPDX-License-Identifier: GPL-2.0-only */
/* What has changed between recordings of two sides. */
#ifndef READ_DIFF_H
#define READ_DIFF_H

#include "session/recording_latency.h"
#include "tools/diff/lineage.h"

/* The recordings before, or those after. */
struct side {
	struct recording_latency *runs;
	struct lineage **lineages; /* of each, if they are compared by name; or NULL */
	size_t count; /* not 0 */
};

struct diff;

/* Judges what has changed from @sides[0] to @sides[1]; both have to outlive it. */
struct diff *diff_new(const struct options *options, const struct screen *screen,
		      const struct side sides[2], enum proclife_by by);
/*
 * Prints it, once the runs of each side are added up in its first one. Return: the exit status as
 * far as it is of this.
 */
int diff_print(struct diff *diff);
/* For what else there is to say in lines of the same file. */
struct json *diff_json(struct diff *diff);
void diff_free(struct diff *diff);

#endif
