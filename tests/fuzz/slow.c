// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks for slow inputs: each makes thousands of records out of a few bytes, and
 * no record may cost more than ten times an ordinary one, in any result or in what carries lives over to the
 * next part of a recording. So each input has ten times the CPU time of as many ordinary
 * records; an input that exceeds it is tried again, as the machine can be busy.
 *
 * The first byte of an input says whether one process is selected or records are lost; the others make
 * the records, see runs.h.
 */
#include "runs.h"

#include <flight/carry.h>
#include <proclife.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RECORDS 8192
#define FACTOR 10
#define TRIES 5

static struct proclife_record records[RECORDS];
static size_t count;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void need(int err)
{
	if (err < 0)
		abort();
}

/* The CPU time of all results, for all processes or for the descendants of one. */
static uint64_t time_records(bool selecting, uint32_t gap_at)
{
	struct proclife_latency *latency, *threads;
	struct proclife_carried carried;
	struct proclife_carry *carry;
	struct proclife_reapers *reapers;
	struct proclife_cgroup_ends *ends;
	struct proclife_tasks *tasks;
	struct proclife_tree *tree;
	uint64_t began = cpu_ns();

	need(proclife_carry_new(&carry, NULL));
	need(proclife_tasks_new(&tasks, NULL));
	need(proclife_tree_new(&tree, tasks));
	need(proclife_latency_new(&latency, tasks, false));
	need(proclife_latency_new(&threads, tasks, true));
	need(proclife_latency_group_by(latency, PROCLIFE_BY_COMM));
	need(proclife_reapers_new(&reapers, tasks));
	need(proclife_cgroup_ends_new(&ends, tasks));
	if (selecting)
		need(proclife_tasks_select_pid(tasks, 101));
	for (size_t i = 0; i < count; i++) {
		struct proclife_event event = { .record = &records[i] };

		records[i].ts = 1000 + i;
		if (i == gap_at)
			need(proclife_tasks_feed(tasks, &(struct proclife_event){
							.gap = { 1, 999 + i, 1000 + i, 0 } }));
		need(proclife_tasks_feed(tasks, &event));
		need(proclife_carry_take(carry, &event));
	}
	need(proclife_carry_choose(carry, RECORDS, &carried));
	proclife_carry_free(carry);
	need(proclife_tasks_close(tasks));
	(void)proclife_tree_roots(tree);
	proclife_cgroup_ends_free(ends);
	proclife_reapers_free(reapers);
	proclife_latency_free(threads);
	proclife_latency_free(latency);
	proclife_tree_free(tree);
	proclife_tasks_free(tasks);
	return cpu_ns() - began;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t ordinary;
	uint64_t took = 0;

	if (size < 3)
		return 0;
	if (!ordinary) {
		count = RECORDS;
		runs_make_ordinary(records, RECORDS);
		ordinary = time_records(false, UINT32_MAX);
	}
	for (int try = 0; try < TRIES; try++) {
		count = runs_make(records, RECORDS, data + 1, size - 1);
		took = time_records(data[0] & 1, data[0] & 2 ? (uint32_t)count / 2 : UINT32_MAX);
		if (took <= FACTOR * ordinary)
			return 0;
		count = RECORDS;
		runs_make_ordinary(records, RECORDS);
		ordinary = time_records(false, UINT32_MAX);
	}
	fprintf(stderr, "slow: %zu records take %llu us, as many ordinary ones %llu us\n", count,
		(unsigned long long)took / 1000, (unsigned long long)ordinary / 1000);
	abort();
}
