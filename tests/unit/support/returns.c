// SPDX-License-Identifier: GPL-2.0-only
#include "check.h"
#include "exits.h"
#include "marks.h"
#include "returns.h"

#include <string.h>

struct proclife_latency *latency;

struct returned late, last;

static uint64_t phase_or_0(const struct proclife_process *process, enum proclife_phase phase)
{
	uint64_t ns;

	return proclife_process_phase(process, phase, &ns) ? ns : 0;
}

static void note(struct returned *returned, const struct proclife_process *process)
{
	const struct proclife_memory *memory = proclife_process_memory(process);

	*returned = (struct returned){
		.count = returned->count + 1, .tgid = process->tgid, .max_rss = process->max_rss,
	};
	returned->known = memory;
	if (memory)
		returned->memory = *memory;
	returned->held = phase_or_0(process, PROCLIFE_HELD);
	returned->unmap = phase_or_0(process, PROCLIFE_UNMAP);
}

static void note_gone(void *data, struct proclife_process *process)
{
	(void)data;
	note(&last, process);
	if (last.known && last.memory.open && !process->outlives)
		process->user = &late;
}

static void note_over(void *data, struct proclife_process *process)
{
	(void)data;
	if (process->user)
		note(&late, process);
}

int begin_memory(void **state)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_gone = note_gone,
		.process_over = note_over,
	};
	int ret = begin_exits(state);

	memset(&late, 0, sizeof(late));
	memset(&last, 0, sizeof(last));
	if (ret || proclife_tasks_report(tasks, &reports, NULL) ||
	    proclife_latency_new(&latency, tasks, false))
		return -1;
	return proclife_latency_group_by(latency, PROCLIFE_BY_COMM);
}

int end_memory(void **state)
{
	proclife_latency_free(latency);
	return end_tasks(state);
}

struct proclife_record exit_at(uint64_t ts, const struct who *who)
{
	struct proclife_record r = exiting_record(ts, who, &shell, NULL, 0);

	r.flags |= SOLE;
	return r;
}

struct proclife_record shares(struct proclife_record fork)
{
	fork.flags |= PROCLIFE_F_SHARES;
	return fork;
}

struct proclife_record of_exec(struct proclife_record mm)
{
	mm.flags |= PROCLIFE_F_EXECING;
	return mm;
}

struct proclife_record by_kernel(struct proclife_record mm)
{
	mm.flags |= PROCLIFE_F_KTHREAD;
	return mm;
}

void bury(uint64_t ts, const struct who *who)
{
	feed(tasks, ended(ts, who, 0, 0));
	feed(tasks, reap_record(ts + 1, who, &shell));
	feed(tasks, free_record(ts + 2, who));
}

void die_alone(const struct who *who)
{
	feed(tasks, exit_at(20, who));
	feed(tasks, mm_record(22, who, PROCLIFE_MM_TEARDOWN, who));
	feed(tasks, mm_record(29, who, PROCLIFE_MM_GONE, who));
	bury(30, who);
}

void die_sharing(const struct who *who, const struct who *other)
{
	struct who named = *who;

	named.group = other->group; /* handles of address spaces are made from it */
	feed(tasks, exit_at(12, &named));
	feed(tasks, mm_record(13, &named, PROCLIFE_MM_LEFT, other));
	bury(14, who);
}

void both_die(const struct who *who, const struct who *thread)
{
	struct proclife_record r = exit_at(20, who);

	feed(tasks, fork_record(10, who, &shell));
	feed(tasks, clone_record(11, thread, &shell, who));
	r.flags = WHOLE;
	feed(tasks, r);
	r = exiting_record(20, thread, &shell, NULL, 0);
	r.flags |= WHOLE;
	feed(tasks, r);
	feed(tasks, mm_record(21, thread, PROCLIFE_MM_LEFT, who));
}

void die_held(const struct who *who)
{
	feed(tasks, fork_record(10, who, &shell));
	feed(tasks, exit_at(20, who));
	feed(tasks, mm_record(21, who, PROCLIFE_MM_LEFT, who));
	bury(30, who);
}

uint64_t count_of(enum proclife_phase phase)
{
	return proclife_histogram_count(proclife_latency_phase(latency, phase));
}

void assert_forgotten(uint32_t tgid)
{
	assert_int_equal(late.count, 1);
	assert_int_equal(late.tgid, tgid);
	assert_false(late.known);
	assert_int_equal(count_of(PROCLIFE_HELD), 0);
	assert_int_equal(count_of(PROCLIFE_UNMAP), 0);
}
