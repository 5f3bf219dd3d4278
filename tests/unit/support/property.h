/* SPDX-License-Identifier: GPL-2.0-only */
/* A made-up trace, what is read of it, and checks of that against the truth. */
#ifndef UNIT_PROPERTY_H
#define UNIT_PROPERTY_H

#include "check.h"

#include <bench/generate.h>

/* What is being tested. */
extern struct trace *trace;
extern bool snapshot;
extern struct truth **truth_of_id; /* NULL: only part of a life */
extern size_t ids;
extern bool streaming; /* each truth is freed once it has been checked */
extern uint64_t now; /* of the last event */
extern uint64_t seed;

/* Names the trace for a debugger and the log. */
#define check(condition)                                                                  \
	do {                                                                              \
		if (!(condition))                                                         \
			fail_msg("seed %llu at %llu: %s", (unsigned long long)seed,       \
				 (unsigned long long)now, #condition);                    \
	} while (0)

struct sums {
	uint64_t count[PROCLIFE_PHASES];
	uint64_t sum[PROCLIFE_PHASES];
};

extern struct sums process_sums, task_sums;

/* Checks that each reported phase is true, whatever was lost, and adds it to the sums. */
void add_process_phases(const struct proclife_process *process, const struct truth *truth);
void add_task_phases(const struct proclife_task *task, const struct truth_task *own, bool certain);
/* Checks the figures against the sums. */
void check_latency(const struct proclife_latency *latency, const struct sums *sums);
void check_tree(struct proclife_tree *tree);

/* Does a gap touch this life, ends included? */
bool touched(uint64_t began, uint64_t freed);

#endif
