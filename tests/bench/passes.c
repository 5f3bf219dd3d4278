// SPDX-License-Identifier: GPL-2.0-only
#include "passes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct passes {
	struct trace *trace;
	uint32_t cpus;
	struct proclife_merge merge;
	struct proclife_tasks *tasks[PASSES];
	struct proclife_tree *tree[PASSES];
	struct proclife_latency *latency;
	char *copy;
	size_t copy_bytes;
};

static void need(int err)
{
	if (!err)
		return;
	fprintf(stderr, "reader: %s\n", strerror(-err));
	exit(1);
}

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/*
 * The only source of streams: the generator's, whose records lie in memory as
 * those of a mapped recording.
 */
static void add_streams(struct passes *passes)
{
	for (uint32_t cpu = 0; cpu < passes->cpus; cpu++)
		need(proclife_merge_add(&passes->merge, trace_stream(passes->trace, cpu)));
}

struct passes *passes_new(struct trace *trace, const struct trace_plan *plan, unsigned int mask)
{
	struct passes *passes = calloc(1, sizeof(*passes));

	if (!passes)
		need(-ENOMEM);
	passes->trace = trace;
	passes->cpus = plan->cpus;
	add_streams(passes);
	for (unsigned int pass = PASS_LIVES; pass < PASSES; pass++) {
		if (!(mask & 1u << pass))
			continue;
		need(proclife_tasks_new(&passes->tasks[pass], NULL));
		if (pass >= PASS_TREE)
			need(proclife_tree_new(&passes->tree[pass], passes->tasks[pass]));
		if (pass >= PASS_LATENCY)
			need(proclife_latency_new(&passes->latency, passes->tasks[pass], false));
	}
	return passes;
}

void passes_free(struct passes *passes)
{
	proclife_latency_free(passes->latency);
	for (unsigned int pass = 0; pass < PASSES; pass++) {
		proclife_tree_free(passes->tree[pass]);
		proclife_tasks_free(passes->tasks[pass]);
	}
	proclife_merge_free(&passes->merge);
	free(passes->copy);
	free(passes);
}

/*
 * Room for a copy of the round, its pages touched already: the pass copies, it does not allocate.
 * The copy is as large as what is copied, so it costs what copying those bytes costs; into a buffer
 * that stays in the cache it would be only the reading.
 */
static void make_room(struct passes *passes)
{
	size_t bytes = 0;

	for (uint32_t cpu = 0; cpu < passes->cpus; cpu++) {
		uint64_t count;

		trace_records(passes->trace, cpu, &count);
		bytes += count * sizeof(struct proclife_record);
	}
	if (bytes <= passes->copy_bytes)
		return;
	free(passes->copy);
	passes->copy = malloc(bytes);
	if (!passes->copy)
		need(-ENOMEM);
	memset(passes->copy, 1, bytes); /* not 0: that would make a calloc() of it */
	passes->copy_bytes = bytes;
}

static void copy_all(struct passes *passes)
{
	char *to = passes->copy;

	for (uint32_t cpu = 0; cpu < passes->cpus; cpu++) {
		uint64_t count;
		const struct proclife_record *from = trace_records(passes->trace, cpu, &count);

		memcpy(to, from, count * sizeof(*from));
		to += count * sizeof(*from);
		__asm__ __volatile__("" : : "r"(to) : "memory");
	}
}

static void merge_all(struct passes *passes)
{
	struct proclife_event event = { 0 };

	while (proclife_merge_next(&passes->merge, &event) == 1)
		__asm__ __volatile__("" : : "r"(event.record) : "memory");
}

static void feed_all(struct passes *passes, struct proclife_tasks *tasks)
{
	struct proclife_event event = { 0 };

	while (proclife_merge_next(&passes->merge, &event) == 1) {
		if (proclife_tasks_feed(tasks, &event) < 0)
			need(-ENOMEM);
	}
}

uint64_t passes_run(struct passes *passes, enum pass pass)
{
	uint64_t begin;

	trace_again(passes->trace);
	if (pass == PASS_MEMCPY)
		make_room(passes);
	passes->merge.horizon = trace_now(passes->trace);
	begin = clock_ns();
	if (pass == PASS_MEMCPY) {
		copy_all(passes);
	} else {
		proclife_merge_build(&passes->merge);
		if (pass == PASS_MERGE)
			merge_all(passes);
		else
			feed_all(passes, passes->tasks[pass]);
	}
	return clock_ns() - begin;
}

uint64_t passes_tree_size(const struct passes *passes)
{
	return passes->tree[PASS_TREE] ? proclife_tree_size(passes->tree[PASS_TREE]) : 0;
}
