/* SPDX-License-Identifier: GPL-2.0-only */
/* --pid 42@NAMESPACE, and --pid 42@CGROUP: is a process the one that has this PID there? */
#ifndef READ_PID_WITHIN_H
#define READ_PID_WITHIN_H

#include "options.h"
#include <proclife.h>
#include <stdio.h>

/* The lowest of a number of PIDs. */
#define SOME_PIDS 8

struct some_pids {
	uint32_t all[SOME_PIDS];
	unsigned int count;
	bool more; /* there were others */
};

/* What was seen where a --pid asks for one. */
struct pids_there {
	uint32_t thread_of; /* of the machine: the process of a thread that had it; 0: there was none */
	bool met;
	uint32_t instead; /* the PID there of the process that has it on the machine; 0: it is not there */
	struct some_pids others;
};

struct run;

void pids_note(struct some_pids *pids, uint32_t pid);
/* "1, 7 and 9", after @before. */
void pids_put(FILE *file, const struct some_pids *pids, const char *before);
/* Is it this folder, or below it? Everything is below the root, whatever its path; NULL: it is not known. */
enum proclife_match path_is_below(const char *path, const char *folder);
/* Is the process in that PID namespace, as its own one, or in that cgroup? */
enum proclife_match pid_place_is_of(struct run *run, const struct pid_option *option,
				    const struct proclife_process *process);
/* Has it the PID of this option: there, or on the machine, if it asks for that? */
enum proclife_match pid_is_of(struct run *run, const struct pid_option *option,
			      const struct proclife_process *process);

#endif
