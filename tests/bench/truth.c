// SPDX-License-Identifier: GPL-2.0-only
/* The truth about each life, until it has been checked. */
#include "simulate.h"

#include <stdlib.h>
#include <string.h>

/* Written but never read, for traces without truth. */
static struct truth nothing;
static struct truth_task no_task;

void truth_new_task(struct trace *trace, struct sim_task *task)
{
	struct truth *truth = task->process->truth;
	struct truth_task *own = &no_task;

	task->truth = own;
	if (truth == &nothing)
		return;
	own = sim_alloc(NULL, sizeof(*own));
	*own = (struct truth_task){
		.next = truth->tasks,
		.handle = task->handle,
		.start = task->start,
		.began = trace->now,
		.born = trace->now,
		.pid = task->pid,
	};
	truth->tasks = own;
	truth->threads++;
	truth->live++;
	truth->open++;
	task->truth = own;
}

void truth_new(struct trace *trace, struct sim_process *process)
{
	const struct sim_task *parent = process->parent;
	struct truth *truth = &nothing;

	if (trace->plan.truth) {
		truth = sim_alloc(NULL, sizeof(*truth));
		*truth = (struct truth){
			.start = process->leader->start,
			.group = process->group,
			.began = trace->now,
			.born = trace->now,
			.parent = parent ? parent->process->truth->start : 0,
			.parent_tgid = parent ? parent->process->tgid : 0,
			.tgid = process->tgid,
			.uid = process->uid,
		};
		memcpy(truth->comm, process->leader->comm, sizeof(truth->comm));
		if (proclife_map_reserve(&trace->truth_by_start) ||
		    proclife_map_reserve(&trace->truth_by_tgid))
			abort();
		truth->next = proclife_map_get(&trace->truth_by_tgid, truth->tgid);
		proclife_map_put(&trace->truth_by_start, truth->start, truth);
		proclife_map_put(&trace->truth_by_tgid, truth->tgid, truth);
		trace->truths++;
	}
	process->truth = truth;
	truth_new_task(trace, process->leader);
}

void truth_free_task(struct sim_task *task, uint64_t now)
{
	struct truth *truth = task->process->truth;

	task->truth->freed = now;
	task->truth->runtime = task->runtime;
	if (task->truth->before && task->process->leader != task)
		return;
	truth->runtime += task->runtime;
	if (!--truth->open)
		truth->freed = now;
}

void truth_begin_task(struct sim_task *task, uint64_t now)
{
	struct truth_task *own = task->truth;

	if (own == &no_task)
		return;
	own->began = now;
	own->born = 0;
	own->exited = 0;
	own->reaped = 0;
	if (task->state != SIM_REAPED)
		return;
	own->before = true;
	if (task->process->leader == task) {
		task->process->truth->buried = true;
	} else {
		task->process->truth->threads--;
		task->process->truth->open--;
		task->process->truth->shadows++;
	}
}

void truth_begin(struct sim_process *process, uint64_t now)
{
	const struct sim_task *parent = process->parent;
	struct truth *truth = process->truth;
	struct truth_task **at = &truth->tasks;

	if (truth == &nothing)
		return;
	truth->began = now;
	truth->born = 0;
	truth->execed = 0;
	truth->exited = 0;
	truth->notified = 0;
	truth->reaped = 0;
	truth->execs = 0;
	truth->runtime = 0;
	truth->max_rss = 0;
	truth->creator = 0;
	truth->creator_tgid = 0;
	truth->reaper_tgid = 0;
	truth->path[0] = 0;
	truth->args_bytes = 0;
	truth->parent = parent ? parent->process->truth->start : 0;
	truth->parent_tgid = parent ? parent->process->tgid : 0;
	while (*at) {
		struct truth_task *own = *at;

		if (own->freed) {
			*at = own->next;
			free(own);
			truth->threads--;
		} else {
			at = &own->next;
		}
	}
}

struct truth *trace_truth(struct trace *trace, uint64_t start)
{
	return proclife_map_get(&trace->truth_by_start, start);
}

struct truth *trace_truth_by_tgid(struct trace *trace, uint32_t tgid)
{
	return proclife_map_get(&trace->truth_by_tgid, tgid);
}

struct truth *trace_truth_next(struct trace *trace, uint64_t *cursor)
{
	const struct proclife_map *map = &trace->truth_by_start;

	while (*cursor <= map->mask) {
		struct truth *truth = map->entries[(*cursor)++].value;

		if (truth)
			return truth;
	}
	return NULL;
}

static void free_truth(struct truth *truth)
{
	while (truth->tasks) {
		struct truth_task *next = truth->tasks->next;

		free(truth->tasks);
		truth->tasks = next;
	}
	free(truth);
}

void trace_truth_done(struct trace *trace, struct truth *truth)
{
	struct truth *first = proclife_map_get(&trace->truth_by_tgid, truth->tgid);

	if (first != truth) {
		while (first->next != truth)
			first = first->next;
		first->next = truth->next;
	} else if (truth->next) {
		proclife_map_put(&trace->truth_by_tgid, truth->tgid, truth->next);
	} else {
		proclife_map_del(&trace->truth_by_tgid, truth->tgid);
	}
	proclife_map_del(&trace->truth_by_start, truth->start);
	free_truth(truth);
	trace->truths--;
}

uint64_t trace_truths(const struct trace *trace)
{
	return trace->truths;
}

void truth_free(struct trace *trace)
{
	struct truth *truth;
	uint64_t cursor = 0;

	while ((truth = trace_truth_next(trace, &cursor)))
		free_truth(truth);
	proclife_map_free(&trace->truth_by_start);
	proclife_map_free(&trace->truth_by_tgid);
}
