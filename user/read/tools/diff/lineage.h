/* SPDX-License-Identifier: GPL-2.0-only */
/* How long the processes of each name lived alone, and what started them. */
#ifndef READ_LINEAGE_H
#define READ_LINEAGE_H

#include "views/views.h"

/* Processes of one name, started by processes of another. */
struct lineage_link {
	char parent[PROCLIFE_COMM_LEN];
	char child[PROCLIFE_COMM_LEN];
};

struct lineage;

/* Knows of all processes from now on; those that match count. 0 or a negative errno. */
int lineage_new(struct lineage **lineage, struct proclife_tasks *tasks, const struct proclife_source *source);
void lineage_free(struct lineage *lineage);

/* The times alone of the processes of this name; NULL if there are none. */
const struct proclife_histogram *lineage_alone(const struct lineage *lineage, const char *comm);

/* Each of them once, in any order; NULL from a number on. */
const struct lineage_link *lineage_link(const struct lineage *lineage, size_t number);

#endif
