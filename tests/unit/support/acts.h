/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What processes of a story do, so many microseconds after its beginning. Acts are planned in any
 * order and happen in that of time. What a process uses is another number in each member, and in
 * each process.
 */
#ifndef TESTS_UNIT_ACTS_H
#define TESTS_UNIT_ACTS_H

#include "records.h"

/* Where what is planned from now on happens. */
extern uint32_t cpu;

void at(uint64_t us, struct proclife_record record);
/* What is planned happens; those of one time in the order of planning. */
void happen(void);
void happen_and_sync(void);

/* It is there before, as the snapshot has it. */
void exists(const struct who *who, const struct who *parent, uint32_t uid, uint64_t cgroup);
struct who born(uint64_t us, uint32_t pid, const struct who *parent, uint32_t uid, uint64_t cgroup);
/* @line: its arguments, with a space at the end of each but the last; "": none are recorded. */
void execs(uint64_t us, struct who *who, const char *comm, const char *path, const char *line);
void execs_as(uint64_t us, struct who *who, uint32_t uid, const char *comm, const char *path,
	      const char *line);
void waits(uint64_t us, const struct who *who, uint32_t wanted);
void signals(uint64_t us, const struct who *target, int signo, const struct who *sender,
	     int32_t result);
struct proclife_record exit_of(const struct who *who, const struct who *parent, int32_t code,
			       uint32_t live);
/* Its parent is notified as many microseconds later as its pid is. */
void exits(uint64_t us, const struct who *who, const struct who *parent, int32_t code);
void reaped(uint64_t us, const struct who *who, const struct who *reaper);
void freed(uint64_t us, const struct who *who);
/* The last three. */
void dies(uint64_t us, const struct who *who, const struct who *parent, int32_t code,
	  uint64_t zombie, uint64_t rcu);

#endif
