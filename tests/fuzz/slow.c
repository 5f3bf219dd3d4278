// SPDX-License-Identifier: GPL-2.0-only
/*
 * A look for slowness: an input is a program that makes thousands of records out of a few bytes, and
 * no record may cost more than ten times an ordinary one. So each input has to be done in ten times
 * the CPU time of as many ordinary records; what is not is tried again, as the machine can be busy.
 *
 * Behind two bytes that say how many runs there are, and whether one process is selected or records
 * are lost, each 8 bytes of an input make a run of records of one type, whose handles, start times and pids
 * each stay, count up, count down, or are those of a few tasks in turn. A run can go over the same
 * tasks as the one before it: forks, and then frees from the first or from the last one on.
 *
 * Compiled by clang with -fsanitize=fuzzer, or with standalone.c to replay files.
 */
#include <proclife.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RECORDS 8192
#define RUNS 16
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

/* How a number goes on within a run. */
static uint32_t step(unsigned int how, uint32_t i, uint32_t of)
{
	switch (how & 3) {
	case 0:
		return 1;
	case 1:
		return 1 + i;
	case 2:
		return of - i;
	default:
		return 1 + i % 7;
	}
}

static void fill(struct proclife_record *record, const uint8_t run[8], uint32_t i, uint32_t of)
{
	uint32_t task = step(run[2], i, of), pid = step(run[2] >> 2, i, of);
	uint32_t start = step(run[2] >> 4, i, of), other = step(run[2] >> 6, i, of);
	uint64_t base = (uint64_t)(run[3] & 3) << 32; /* handles of another kind */

	record->task = base + task;
	record->start = 1000000 + start;
	record->tgid = 100 + (run[3] & 4 ? 0 : pid);
	record->pid = run[3] & 8 ? 1000000 + pid : record->tgid;
	snprintf(record->comm, sizeof(record->comm), "%u", run[3] & 16 ? pid : 1);
	switch (record->type) {
	case PROCLIFE_FORK:
		record->fork.parent = ((uint64_t)(run[4] & 3) << 32) + other;
		record->fork.parent_tgid = 100 + (run[4] & 4 ? 0 : other);
		record->fork.group = run[4] & 8 ? task : record->tgid;
		record->fork.creator = run[4] & 16 ? task + 1 : record->fork.parent;
		record->fork.creator_tgid = run[4] & 16 ? pid + 101 : record->fork.parent_tgid;
		break;
	case PROCLIFE_TASK:
		record->state.parent = ((uint64_t)(run[4] & 3) << 32) + other;
		record->state.parent_tgid = 100 + (run[4] & 4 ? 0 : other);
		record->state.group = run[4] & 8 ? task : record->tgid;
		record->flags = run[4] & 16 ? PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE : 0;
		break;
	case PROCLIFE_EXIT:
		record->exit.live = run[4] & 1;
		record->flags = run[4] & 1 ? 0 : PROCLIFE_F_GROUP_DEAD;
		record->exit.parent_tgid = 100 + other;
		record->exit.exit_code = (int32_t)(run[4] & 2 ? other : 0);
		break;
	case PROCLIFE_REAP:
		record->reap.reaper = other;
		record->reap.reaper_tgid = 100 + (run[4] & 4 ? 0 : other);
		break;
	case PROCLIFE_SIGNAL:
		record->signal.signo = 1 + other % 64;
		record->signal.code = run[4] & 1 ? CLD_EXITED : (int32_t)i;
		record->signal.sender = other;
		record->signal.sender_tgid = 100 + pid;
		break;
	case PROCLIFE_ARGS:
		record->args.len = 1 + (run[4] & 31);
		record->args.offset = (uint16_t)(i * record->args.len);
		record->args.total = 60000;
		break;
	case PROCLIFE_EXEC:
		record->exec.group = run[4] & 8 ? task : record->tgid;
		snprintf(record->exec.path, sizeof(record->exec.path), "/%u", other);
		break;
	}
}

/* What the input is too short for is made up from what there is: short ones tell of many runs, too. */
static void complete(uint8_t runs[8 * RUNS], const uint8_t *data, size_t size)
{
	uint64_t random = size;

	for (size_t i = 0; i < 8 * RUNS; i++) {
		random = (random ^ (i < size ? data[i] : 0)) * 0xd6e8feb86659fd93ULL;
		random ^= random >> 32;
		runs[i] = i < size ? data[i] : (uint8_t)(random >> 24);
	}
}

static void make(const uint8_t *from, size_t size)
{
	uint8_t all[8 * RUNS], *data = all;
	size_t runs = 1 + from[0] % RUNS;

	complete(all, from + 1, size - 1);
	memset(records, 0, sizeof(records));
	count = 0;
	for (size_t n = 0; n < runs; n++, data += 8) {
		uint32_t of = RECORDS / (uint32_t)runs;

		for (uint32_t i = 0; i < of; i++) {
			struct proclife_record *record = &records[count++];

			record->type = (uint16_t)(PROCLIFE_FORK + data[0] % 11);
			fill(record, data, i, of);
		}
	}
}

/* Lives of four records, of which a hundred are open at a time. */
static void make_ordinary(void)
{
	static const uint16_t types[] = { PROCLIFE_FORK, PROCLIFE_EXIT, PROCLIFE_REAP, PROCLIFE_FREE };

	memset(records, 0, sizeof(records));
	for (count = 0; count < RECORDS; count++) {
		struct proclife_record *record = &records[count];
		uint32_t life = (uint32_t)(count / 400 * 100 + count % 100);

		record->type = types[count / 100 % 4];
		record->task = 1 + life;
		record->start = 1 + life;
		record->pid = record->tgid = 100 + life % 30000;
		snprintf(record->comm, sizeof(record->comm), "comm-%u", life % 20);
		if (record->type == PROCLIFE_FORK) {
			record->fork.group = 1 + life;
			record->fork.parent = 1;
			record->fork.parent_tgid = 100;
		} else if (record->type == PROCLIFE_EXIT) {
			record->flags = PROCLIFE_F_GROUP_DEAD;
		}
	}
}

static void need(int err)
{
	if (err < 0)
		abort();
}

/* All results there are of them, for all or for what descends from one; in CPU time. */
static uint64_t time_records(bool selecting, uint32_t gap_at)
{
	struct proclife_latency *latency, *threads;
	struct proclife_reapers *reapers;
	struct proclife_tasks *tasks;
	struct proclife_tree *tree;
	uint64_t began = cpu_ns();

	need(proclife_tasks_new(&tasks));
	need(proclife_tree_new(&tree, tasks));
	need(proclife_latency_new(&latency, tasks, false));
	need(proclife_latency_new(&threads, tasks, true));
	need(proclife_latency_group_by(latency, PROCLIFE_BY_COMM));
	need(proclife_reapers_new(&reapers, tasks));
	if (selecting)
		need(proclife_tasks_select_pid(tasks, 101));
	for (size_t i = 0; i < count; i++) {
		struct proclife_event event = { .record = &records[i] };

		records[i].ts = 1000 + i;
		if (i == gap_at)
			need(proclife_tasks_feed(tasks, &(struct proclife_event){
							.gap = { 1, 999 + i, 1000 + i, 0 } }));
		need(proclife_tasks_feed(tasks, &event));
	}
	need(proclife_tasks_close(tasks));
	(void)proclife_tree_roots(tree);
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
		make_ordinary();
		ordinary = time_records(false, UINT32_MAX);
	}
	for (int try = 0; try < TRIES; try++) {
		make(data + 1, size - 1);
		took = time_records(data[0] & 1, data[0] & 2 ? (uint32_t)count / 2 : UINT32_MAX);
		if (took <= FACTOR * ordinary)
			return 0;
		make_ordinary();
		ordinary = time_records(false, UINT32_MAX);
	}
	fprintf(stderr, "slow: %zu records take %llu us, as many ordinary ones %llu us\n", count,
		(unsigned long long)took / 1000, (unsigned long long)ordinary / 1000);
	abort();
}
