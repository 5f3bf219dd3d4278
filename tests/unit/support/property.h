/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace that is made up, what is read of it, and how that is held against the truth. */
#ifndef UNIT_PROPERTY_H
#define UNIT_PROPERTY_H

#include "check.h"

#include <bench/generate.h>

/* What is being tested. */
extern struct trace *trace;
extern bool snapshot;
extern struct truth **truth_of_id; /* NULL: only a piece of something */
extern size_t ids;
extern bool streaming; /* a truth is forgotten as soon as it has been checked */
extern uint64_t now; /* of the last event */
extern uint64_t seed;

/* For a debugger, and the log: which trace it was. */
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

/* Each phase that is reported is the true one, whatever was lost; it goes to the sums. */
void add_process_phases(const struct proclife_process *process, const struct truth *truth);
void add_task_phases(const struct proclife_task *task, const struct truth_task *own, bool certain);
/* Whether the figures are those of the sums. */
void check_latency(const struct proclife_latency *latency, const struct sums *sums);
void check_tree(struct proclife_tree *tree);

/* A gap and a life, both with their ends. */
bool touched(uint64_t began, uint64_t freed);

#endif
