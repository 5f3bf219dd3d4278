/* SPDX-License-Identifier: GPL-2.0-only */
/* Reapers, and the processes that they should reap. */
#ifndef UNIT_REAPERS_H
#define UNIT_REAPERS_H

#include "fixture_tasks.h"

/* A library that knows init and the shell, and its reapers. */
extern struct proclife_reapers *reapers;
extern struct who init;

int begin_reapers(void **state);
int begin_reapers_unknown(void **state); /* it knows no task */
int end_reapers(void **state);

#define REAPERS(name) cmocka_unit_test_setup_teardown(name, begin_reapers, end_reapers)

/* How many reapers have a count that is not 0. */
size_t number_of_reapers(const struct proclife_reapers *reapers);
/* All zeros if there is none; fails if two have reaped. A reaper comes before a parent that does not reap. */
struct proclife_reaper reaper_of(const struct proclife_reapers *reapers, uint32_t tgid);

/* The last thread's EXIT, with its parent at that moment. */
struct proclife_record exit_below_record(uint64_t ts, const struct who *who,
					 const struct who *parent);

/* fork, exit and SIGCHLD in one go: a zombie since @ts + 2. */
void feed_zombie(struct proclife_tasks *tasks, uint64_t ts, const struct who *who,
		 const struct who *parent);

#endif
