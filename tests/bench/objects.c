// SPDX-License-Identifier: GPL-2.0-only
/* The tasks, processes, handles and pids of the machine, and the parent of each. */
#include "simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *sim_alloc(void *old, size_t bytes)
{
	void *new = realloc(old, bytes);

	if (!new) {
		perror("generate");
		exit(1);
	}
	return new;
}

static void sim_list_add(struct trace *trace, struct sim_task *task, enum sim_state state)
{
	struct sim_list *list = &trace->lists[state];

	if (list->count == list->room) {
		list->room = list->room ? 2 * list->room : 64;
		list->tasks = sim_alloc(list->tasks, list->room * sizeof(*list->tasks));
	}
	task->state = state;
	task->index = list->count;
	list->tasks[list->count++] = task;
}

void sim_list_del(struct trace *trace, struct sim_task *task)
{
	struct sim_list *list = &trace->lists[task->state];
	struct sim_task *last = list->tasks[--list->count];

	list->tasks[task->index] = last;
	last->index = task->index;
}

void sim_set_state(struct trace *trace, struct sim_task *task, enum sim_state state)
{
	sim_list_del(trace, task);
	sim_list_add(trace, task, state);
}

static uint64_t sim_slot_get(struct sim_slots *slots)
{
	return slots->count ? slots->free[--slots->count] : ++slots->fresh;
}

void sim_slot_put(struct sim_slots *slots, uint64_t slot)
{
	if (slots->count == slots->room) {
		slots->room = slots->room ? 2 * slots->room : 64;
		slots->free = sim_alloc(slots->free, slots->room * sizeof(*slots->free));
	}
	slots->free[slots->count++] = slot;
}

/* A bijection, as the module has one. */
static uint64_t handle_of(const struct sim_slots *slots, uint64_t slot)
{
	uint64_t x = (slot << 6 ^ slots->key) * 0x9e3779b97f4a7c15;

	return (x ^ x >> 32) * 0xd6e8feb86659fd93;
}

bool sim_pids_left(const struct trace *trace)
{
	return trace->pids_used + 1 < trace->plan.pids;
}

uint32_t sim_pid_get(struct trace *trace)
{
	while (trace->pid_used[trace->next_pid])
		trace->next_pid = (trace->next_pid + 1) % trace->plan.pids;
	trace->pid_used[trace->next_pid] = 1;
	trace->pids_used++;
	return FIRST_PID + trace->next_pid;
}

void sim_pid_put(struct trace *trace, uint32_t pid)
{
	if (pid < FIRST_PID)
		return;
	trace->pid_used[pid - FIRST_PID] = 0;
	trace->pids_used--;
}

struct sim_task *sim_new_task(struct trace *trace, struct sim_process *process, uint32_t pid)
{
	struct sim_task *task;

	if (proclife_slab_reserve(&trace->task_slab))
		abort();
	task = proclife_slab_get(&trace->task_slab);
	memset(task, 0, sizeof(*task));
	task->process = process;
	task->pid = pid;
	task->slot = sim_slot_get(&trace->task_slots);
	task->handle = handle_of(&trace->task_slots, task->slot);
	/* Taken a little before the FORK, by another clock. */
	task->start = trace->now + 1000000007;
	if (task->start <= trace->last_start)
		task->start = trace->last_start + 1;
	trace->last_start = task->start;
	task->cpu = (uint16_t)sim_below(trace, trace->plan.cpus);
	task->next = process->tasks;
	process->tasks = task;
	process->live++;
	process->unfreed++;
	sim_list_add(trace, task, SIM_RUNNING);
	return task;
}

void sim_add_child(struct sim_process *process, struct sim_task *parent)
{
	struct sim_process *above = parent->process;

	process->parent = parent;
	process->prev = NULL;
	process->next = above->children;
	if (process->next)
		process->next->prev = process;
	above->children = process;
}

void sim_del_child(struct sim_process *process)
{
	if (!process->parent)
		return;
	if (process->prev)
		process->prev->next = process->next;
	else
		process->parent->process->children = process->next;
	if (process->next)
		process->next->prev = process->prev;
	process->parent = NULL;
}

struct sim_process *sim_new_process(struct trace *trace, struct sim_task *parent, uint32_t pid)
{
	struct sim_process *process;

	if (proclife_slab_reserve(&trace->process_slab))
		abort();
	process = proclife_slab_get(&trace->process_slab);
	memset(process, 0, sizeof(*process));
	process->slot = sim_slot_get(&trace->group_slots);
	process->group = handle_of(&trace->group_slots, process->slot);
	process->tgid = pid;
	process->leader = sim_new_task(trace, process, pid);
	process->hoards = sim_percent(trace, trace->plan.hoarders);
	process->ignores = sim_percent(trace, trace->plan.hoarders / 2);
	if (parent) {
		process->uid = parent->process->uid;
		sim_add_child(process, parent);
	}
	trace->alive++;
	return process;
}

void sim_boot(struct trace *trace)
{
	proclife_slab_init(&trace->task_slab, sizeof(struct sim_task));
	proclife_slab_init(&trace->process_slab, sizeof(struct sim_process));
	trace->task_slots.key = sim_random(trace);
	trace->group_slots.key = sim_random(trace);
	trace->pid_used = sim_alloc(NULL, trace->plan.pids);
	memset(trace->pid_used, 0, trace->plan.pids);
	trace->init = sim_new_process(trace, NULL, 1);
	strcpy(trace->init->leader->comm, "init");
	trace->init->hoards = false;
	trace->init->ignores = false;
	truth_new(trace, trace->init);
}

void sim_halt(struct trace *trace)
{
	for (unsigned int i = 0; i < SIM_LISTS; i++)
		free(trace->lists[i].tasks);
	free(trace->task_slots.free);
	free(trace->group_slots.free);
	proclife_slab_free(&trace->task_slab);
	proclife_slab_free(&trace->process_slab);
	free(trace->pid_used);
}
