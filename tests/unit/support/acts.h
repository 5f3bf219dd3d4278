/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What processes of a story do, in microseconds after its beginning. Acts are planned in any order and
 * happen in the order of time. The numbers that a process uses differ from member to member, and from
 * process to process.
 */
#ifndef TESTS_UNIT_ACTS_H
#define TESTS_UNIT_ACTS_H

#include "records.h"

/* The CPU of the acts planned from now on. */
extern uint32_t cpu;

void at(uint64_t us, struct proclife_record record);
/* Performs all planned acts; acts of the same time in the order of planning. */
void happen(void);
void happen_and_sync(void);

/* The process is there before, by the snapshot. */
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
/* Its parent is notified later by its pid, in microseconds. */
void exits(uint64_t us, const struct who *who, const struct who *parent, int32_t code);
void reaped(uint64_t us, const struct who *who, const struct who *reaper);
void freed(uint64_t us, const struct who *who);
/* exits(), reaped() and freed(). */
void dies(uint64_t us, const struct who *who, const struct who *parent, int32_t code,
	  uint64_t zombie, uint64_t rcu);

#endif
