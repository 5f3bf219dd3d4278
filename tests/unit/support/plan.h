/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A story that is planned in any order, and fed in the order of time. Times are milliseconds from
 * its beginning; processes are known by their pids.
 */
#ifndef UNIT_PLAN_H
#define UNIT_PLAN_H

#include "story.h"

extern struct who plan_whos[]; /* by pid */
extern unsigned int plan_cpus;	     /* on which they exit, by pid; 0: all on the first */
extern bool plan_without_reaps; /* those that are planned are not recorded */

/* With init, which is there. */
void plan_begin(void);

/* Runs a line, such as "/bin/cc -c a.c", from its fork on. */
void plan_fork(uint32_t parent, uint32_t pid, const char *line, double at);
/* A child of @parent that @creator forks; it runs nothing. */
void plan_clone(uint32_t parent, uint32_t pid, uint32_t creator, double at);
void plan_exec(uint32_t pid, const char *line, double at);
/* @cpu: the time that it has taken, in milliseconds */
void plan_exit(uint32_t parent, uint32_t pid, double at, double cpu);
/* And freed soon after. */
void plan_reap(uint32_t reaper, uint32_t pid, double at);
/* All of it; it is reaped at once, and takes a tenth of its life as CPU time. */
void plan_life(uint32_t parent, uint32_t pid, const char *line, double from, double to);

/* What has been planned happens... */
void plan_tell_so_far(void);
/* ... and with it the story ends. */
void plan_tell(void);

#endif
