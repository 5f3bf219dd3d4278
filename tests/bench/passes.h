/* SPDX-License-Identifier: GPL-2.0-only */
/* What is measured: passes over the same records, each doing more than the one before. */
#ifndef BENCH_PASSES_H
#define BENCH_PASSES_H

#include "generate.h"

enum pass {
	PASS_MEMCPY, /* the same bytes, CPU by CPU */
	PASS_MERGE,
	PASS_LIVES,
	PASS_TREE,    /* lives as well */
	PASS_LATENCY, /* lives and tree as well */
	PASSES,
};

struct passes;

/* The passes in @mask, each with its own state. */
struct passes *passes_new(struct trace *trace, const struct trace_plan *plan, unsigned int mask);
void passes_free(struct passes *passes);

/* One pass over the trace's present round. Return: ns. */
uint64_t passes_run(struct passes *passes, enum pass pass);

/* Nodes in the tree. */
uint64_t passes_tree_size(const struct passes *passes);

#endif
