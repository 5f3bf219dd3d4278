/* SPDX-License-Identifier: GPL-2.0-only */
/* The lives that the module reports while a guest test makes them. */
#ifndef TESTS_GUEST_LIVES_H
#define TESTS_GUEST_LIVES_H

#include <proclife.h>
#include <sys/types.h>

struct life {
	struct proclife_process process; /* as reported gone */
	struct proclife_killer killer;
	bool killed;
};

#define MOST_LIVES 64

extern struct proclife_source *lives_source;
extern struct proclife_tasks *lives_tasks;
extern struct proclife_reapers *lives_reapers;
extern struct life lives[MOST_LIVES]; /* those that are gone, in that order */
extern unsigned int lives_count;

/* For cmocka: load the module and follow it, from before the snapshot on; and end that. */
int lives_begin(void **state);
int lives_end(void **state);

pid_t must_fork(void);
/*
 * Follows until a process is gone for which @is holds. The order in which processes are freed is not
 * certain: RCU callbacks of several CPUs run in any order.
 */
const struct life *life_that(bool (*is)(const struct life *life, pid_t pid), pid_t pid);
/* Follows until this process is gone. */
const struct life *life_of(pid_t pid);
/* Follows all events until now. */
void follow_until_now(void);
/* Reaps the process, which ended by @signo unless that is 0, and follows until it is gone. */
const struct life *must_end(pid_t pid, int signo);

#endif
