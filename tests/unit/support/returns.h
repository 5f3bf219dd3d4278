/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes whose memory comes back, and what the library reports of that. */
#ifndef TESTS_UNIT_RETURNS_H
#define TESTS_UNIT_RETURNS_H

#include "exits.h"
#include "marks.h"

extern struct proclife_latency *latency; /* by comm */

/* The reports of a process: `late` is a process_over that comes later, `last` the last process_gone. */
struct returned {
	unsigned int count;
	bool known;
	uint32_t tgid;
	struct proclife_memory memory;
	uint64_t held; /* 0: not known */
	uint64_t unmap;
	uint64_t max_rss;
};

extern struct returned late, last;

int begin_memory(void **state);
int end_memory(void **state);

#define MEMORY(name) cmocka_unit_test_setup_teardown(name, begin_memory, end_memory)

/* All its threads begin to exit at once; it has an address space. */
struct proclife_record exit_at(uint64_t ts, const struct who *who);
struct proclife_record shares(struct proclife_record fork);
struct proclife_record of_exec(struct proclife_record mm);
struct proclife_record by_kernel(struct proclife_record mm);
/* Its EXIT, REAP and FREE, one apart. */
void bury(uint64_t ts, const struct who *who);
/* From 20 on: it unmaps its memory itself, from 22 to 29. */
void die_alone(const struct who *who);
/* From 12 on: it drops a memory that is also the other process's. */
void die_sharing(const struct who *who, const struct who *other);
/* It and its thread begin to exit at 20, and the thread drops the memory at 21. */
void both_die(const struct who *who, const struct who *thread);
/* Another process holds its memory when it drops it, at 21; it is gone at 32. */
void die_held(const struct who *who);

uint64_t count_of(enum proclife_phase phase);
/* Asserts the report that the fate of this process's memory is not known. */
void assert_forgotten(uint32_t tgid);

#endif
