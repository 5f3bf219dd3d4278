/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The marks of a death besides those of records.h. No two figures of one record are the same, so
 * that what is told in the place of another thing is seen.
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
struct proclife_record coredump_record(uint64_t ts, const struct who *who, int signo);
struct proclife_record oom_record(uint64_t ts, const struct who *victim,
				  const struct who *allocator);
/* Of no task. */
struct proclife_record cgroup_record(uint64_t ts, uint64_t cgroup, bool populated);
/* The same as free_record(), and in which task it ran. */
struct proclife_record freed_record(uint64_t ts, const struct who *who, const struct who *runner);
/* The CPU begins to suppress these, or has ended that: then @count were. */
struct proclife_record suppressed_record(uint32_t what, uint64_t since, uint64_t count);

#endif
