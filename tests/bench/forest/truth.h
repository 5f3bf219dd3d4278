/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The truth about a forest: a file that all its processes map, with a slot for each of them.
 *
 * A slot is filled by the processes that cannot be wrong: the creator knows the pid that fork(2)
 * returned, the times just before and after that call, and the name it is about to give; the
 * process itself knows that it has called exec; the one that waits for it, its status. A pid says little where pids
 * are reused, but only one process with this pid was born between the two times.
 */
#ifndef BENCH_FOREST_TRUTH_H
#define BENCH_FOREST_TRUTH_H

#include <stdint.h>

#define FOREST_MAGIC 0x32747365726f66ULL /* "forest2\0" in memory */
#define FOREST_NAME_LEN 16

struct forest_process {
	uint64_t after;	 /* CLOCK_MONOTONIC, ns */
	uint64_t before;
	uint32_t pid;
	uint32_t parent_pid;
	uint32_t parent; /* its slot; 0: the program that planted the forest */
	uint32_t reaper; /* pid of the process that waited for it */
	int32_t status;	 /* as wait(2) gives it */
	uint32_t execs;
	uint32_t orphan; /* its parent died before it did */
	uint32_t seed;	 /* an argument of its program: "NAME FD SLOT SEED", if it has executed one */
	char name[FOREST_NAME_LEN]; /* its last */
};

_Static_assert(sizeof(struct forest_process) == 64, "there is no padding");

struct forest {
	uint64_t magic;
	uint64_t room; /* slots there are */
	_Atomic uint64_t used; /* slots taken; the first one, 0, stands for no process */
	_Atomic uint64_t orphans; /* begun */
	_Atomic uint64_t orphans_ended;
	uint64_t began;
	uint64_t ended;
	uint64_t to_realtime; /* what to add to CLOCK_MONOTONIC */
	uint64_t complete; /* nothing is missing from the truth */
	uint64_t fd;	   /* an argument of all programs */
	struct forest_process process[];
};

#endif
