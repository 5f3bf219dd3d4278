/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes that are dying. */
#ifndef READ_DYING_H
#define READ_DYING_H

#include "views/now/proc.h"
#include "views/views.h"

struct dying {
	const struct proclife_process *process;
	const struct proclife_killer *sigkill; /* or NULL */
	uint64_t since; /* the SIGKILL, or the first EXIT that counts; 0: that was not seen */
	struct proc_process proc;
};

struct dying_list {
	struct dying *all; /* the oldest first */
	size_t count;
};

/* @proc: "/proc" but for tests. */
struct dying_list dying_collect(const struct run *run, const char *proc);
void dying_free(struct dying_list *list);
/*
 * If the end of process 1 of a PID namespace has begun, it waits until no other process is left there: returns the
 * next one after @after (NULL: the first). Processes of namespaces inside are left out.
 */
const struct proclife_process *dying_waits_for(const struct run *run, const struct dying *dying,
					       const struct proclife_process *after);
/* The titles, and those that --top leaves. */
void dying_print(const struct run *run, const struct dying_list *list);

#define DYING_WHY 400

/* Does /proc have the processes of the records? 0, or a negative errno, and the reason. */
int dying_check(const struct run *run, char why[DYING_WHY]);

#endif
