/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The marks of a death besides those of records.h. No two figures of a record are equal, so
 * that a mix-up of two of them shows.
 */
#ifndef TESTS_UNIT_MARKS_H
#define TESTS_UNIT_MARKS_H

#include "records.h"

/* @tracer: NULL for none. */
struct proclife_record exiting_record(uint64_t ts, const struct who *who, const struct who *parent,
				      const struct who *tracer, int32_t code);
/* The address space is @owner's. */
struct proclife_record mm_record(uint64_t ts, const struct who *who, uint32_t what,
				 const struct who *owner);
/* Times in ns. */
struct proclife_record times_record(uint64_t ts, const struct who *who, uint32_t what, uint64_t runtime, uint64_t delay,
				    uint64_t nvcsw);
struct proclife_record birth_record(uint64_t ts, const struct who *who, uint32_t what);
/* @limit is one of PROCLIFE_LIMIT_*, or 0. */
struct proclife_record failed_fork_record(uint64_t ts, const struct who *who, uint32_t error, uint32_t limit);
struct proclife_record failed_exec_record(uint64_t ts, const struct who *who, uint32_t error, const char *path);
struct proclife_record coredump_record(uint64_t ts, const struct who *who, int signo);
struct proclife_record oom_record(uint64_t ts, const struct who *victim,
				  const struct who *allocator);
/* A record without a task. */
struct proclife_record cgroup_record(uint64_t ts, uint64_t cgroup, bool populated);
/* The next piece of a text, of @size bytes; see struct proclife_path. Returns whether another one follows. */
bool path_record(struct proclife_record *record, const struct who *who, uint32_t what, const char *text, uint32_t size);
/* free_record(), with the task in which it ran. */
struct proclife_record freed_record(uint64_t ts, const struct who *who, const struct who *runner);
/* The CPU begins to suppress records of type @what, or stops: then @count were suppressed. */
struct proclife_record suppressed_record(uint32_t what, uint64_t since, uint64_t count);

#endif
