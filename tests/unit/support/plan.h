/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A story that is planned in any order, and fed in the order of time. Times are milliseconds from
 * its beginning; processes are known by their pids.
 */
#ifndef UNIT_PLAN_H
#define UNIT_PLAN_H

#include "story.h"

extern struct who plan_whos[]; /* by pid */
extern unsigned int plan_cpus;	     /* processes exit on CPU pid % plan_cpus; 0: all on the first */
extern bool plan_without_reaps; /* planned reaps are not recorded */

/* Begins a plan with init, which is there from the start. */
void plan_begin(void);

/* Runs a line, such as "/bin/cc -c a.c", from its fork on. */
void plan_fork(uint32_t parent, uint32_t pid, const char *line, double at);
/* A child of @parent that @creator forks; it runs nothing. */
void plan_clone(uint32_t parent, uint32_t pid, uint32_t creator, double at);
void plan_exec(uint32_t pid, const char *line, double at);
/* @cpu: the time that it has taken, in milliseconds */
void plan_exit(uint32_t parent, uint32_t pid, double at, double cpu);
/* The process is freed soon after. */
void plan_reap(uint32_t reaper, uint32_t pid, double at);
/* A whole life, reaped at once, with a tenth of it as CPU time. */
void plan_life(uint32_t parent, uint32_t pid, const char *line, double from, double to);

/* Feeds all that has been planned... */
void plan_tell_so_far(void);
/* ... and ends the story. */
void plan_tell(void);

#endif
