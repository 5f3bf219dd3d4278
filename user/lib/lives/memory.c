// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The address spaces of processes that end: which task lets go of them last, and when they are unmapped.
 *
 * One is found by its handle, which is good until its GONE, and belongs to the process that names it in
 * its EXITING. It begins with the first record that shows that the process lets go of it.
 */
#include "lives/memory.h"
#include "lives/report.h"

#include <stdlib.h>

/* Nothing that follows is about it. */
static void unlist(struct proclife_tasks *tasks, struct proclife_priv_memory *own)
{
	if (own->memory.open)
		proclife_table_del(&tasks->by_mm, &own->by_mm);
	own->memory.open = false;
}

/* Its process has gone on since: it is unmapped. Where there was nothing to unmap, no GONE shows it. */
static bool is_over(const struct proclife_priv_memory *own)
{
	return own->memory.own &&
	       (proclife_process_announced(&own->process->process) ||
		own->process->process.marks.reaped);
}

struct proclife_priv_memory *proclife_memory_find(struct proclife_tasks *tasks, uint64_t mm)
{
	struct proclife_link *link = proclife_table_get(&tasks->by_mm, mm);
	struct proclife_priv_memory *own =
		link ? proclife_container_of(link, struct proclife_priv_memory, by_mm) : NULL;

	if (!own || !is_over(own))
		return own;
	unlist(tasks, own);
	return NULL;
}

static void destroy(struct proclife_tasks *tasks, struct proclife_priv_memory *own)
{
	unlist(tasks, own);
	if (own->process)
		own->process->memory = NULL;
	proclife_slab_put(&tasks->memory_slab, own);
}

static void free_process(struct proclife_tasks *tasks, struct proclife_priv_process *own)
{
	if (own->memory)
		destroy(tasks, own->memory);
	if (proclife_unlikely(own->args_text != NULL))
		free(own->args_text);
	if (proclife_unlikely(own->program != NULL))
		proclife_program_free(own);
	if (proclife_unlikely(own->fatal_signals != NULL))
		proclife_killers_free(&own->process);
	if (proclife_unlikely(own->tracer != NULL))
		free(own->tracer);
	proclife_failed_exec_forget(tasks, own->process.id);
	proclife_slab_put(&tasks->process_slab, own);
}

static void keep(struct proclife_tasks *tasks, struct proclife_priv_process *own)
{
	own->prev = NULL;
	own->next = tasks->kept;
	if (own->next)
		own->next->prev = own;
	tasks->kept = own;
}

/* One that was kept. */
static void report_and_drop(struct proclife_tasks *tasks, struct proclife_priv_process *own)
{
	proclife_report_over(tasks, &own->process);
	if (own->prev)
		own->prev->next = own->next;
	else
		tasks->kept = own->next;
	if (own->next)
		own->next->prev = own->prev;
	free_process(tasks, own);
}

void proclife_memory_forget(struct proclife_tasks *tasks, struct proclife_priv_memory *own)
{
	struct proclife_priv_process *process = own->process;

	destroy(tasks, own);
	if (process && process->kept)
		report_and_drop(tasks, process);
}

void proclife_memory_finish(struct proclife_tasks *tasks, struct proclife_priv_memory *own)
{
	unlist(tasks, own);
	if (own->process->kept)
		report_and_drop(tasks, own->process);
}

/* As long as it has not ended, a thread of it can be left that raises the peak. */
void proclife_memory_peaked(struct proclife_process *process)
{
	const struct proclife_priv_process *own = proclife_priv(process);

	if (!own->memory || own->peaked)
		return;
	if (!own->exited && !proclife_process_announced(process) && !process->notified_tgid &&
	    !process->marks.reaped && !own->leader_freed)
		return;
	if (process->max_rss < own->memory->peak)
		process->max_rss = own->memory->peak;
}

struct proclife_priv_memory *proclife_memory_begin(struct proclife_tasks *tasks, uint64_t mm)
{
	struct proclife_priv_memory *own;

	if (proclife_table_reserve(&tasks->by_mm) || proclife_slab_reserve(&tasks->memory_slab))
		return NULL;
	own = proclife_slab_get_zeroed(&tasks->memory_slab);
	own->tasks = tasks;
	own->memory.open = true;
	proclife_table_put(&tasks->by_mm, &own->by_mm, mm);
	return own;
}

bool proclife_memory_is_doubtful(const struct proclife_tasks *tasks,
				 const struct proclife_priv_memory *own)
{
	const struct proclife_memory *memory = &own->memory;
	uint64_t since = memory->teardown ? memory->teardown : memory->left;

	since = since ? since : memory->early;
	return !since || proclife_tasks_may_lack(tasks, PROCLIFE_MM, since);
}

/* Can an address space that no task has let go of be this process's? */
static bool fits(const struct proclife_tasks *tasks, const struct proclife_priv_memory *own,
		 const struct proclife_process *process)
{
	uint64_t since = own->memory.early;

	return process->marks.born <= since && process->execed <= since &&
	       !proclife_memory_is_doubtful(tasks, own);
}

/* A slice has what is said of a process that it leaves out, but not when that was gone. */
static void take_again(struct proclife_priv_memory *own)
{
	own->memory.early = own->again;
	own->memory.early_anon = own->again_anon;
	own->memory.early_by = own->again_by;
}

struct proclife_priv_memory *proclife_memory_begin_own(struct proclife_tasks *tasks,
						      struct proclife_process *process, uint64_t mm)
{
	struct proclife_priv_process *owner = proclife_priv(process);
	struct proclife_priv_memory *own = proclife_memory_find(tasks, mm);

	if (own && own->process == owner)
		return own;
	if (own && !own->process && !fits(tasks, own, process))
		take_again(own);
	if (own && (own->process || !fits(tasks, own, process))) {
		proclife_memory_forget(tasks, own);
		own = NULL;
	}
	if (owner->memory) /* the memory of a program before an exec */
		proclife_memory_forget(tasks, owner->memory);
	own = own ? own : proclife_memory_begin(tasks, mm);
	if (own) {
		own->process = owner;
		owner->memory = own;
	}
	return own;
}

/*
 * Was it the last thread of its process that let go of it, and will none tear it down? Others' records
 * can be lost.
 */
static bool is_left(const struct proclife_priv_memory *own)
{
	const struct proclife_process *process = &own->process->process;

	if (own->process->sole)
		return true;
	return own->memory.left > own->tasks->gap_to &&
	       (proclife_process_announced(process) || process->marks.reaped ||
		(!process->open && !process->outlives));
}

bool proclife_memory_follows(struct proclife_tasks *tasks, struct proclife_process *process)
{
	struct proclife_priv_memory *own = proclife_priv(process)->memory;

	if (!own || !own->memory.open)
		return false;
	if (tasks->closing) {
		if (is_over(own) || proclife_memory_is_doubtful(tasks, own))
			unlist(tasks, own);
		return false;
	}
	/* What it tears down itself is gone by now, unless there was nothing to unmap. */
	if (own->memory.own)
		unlist(tasks, own);
	else if (!own->memory.teardown && !is_left(own))
		proclife_memory_forget(tasks, own);
	return proclife_priv(process)->memory && own->memory.open;
}

void proclife_process_release(struct proclife_tasks *tasks, struct proclife_process *process)
{
	struct proclife_priv_process *own = proclife_priv(process);

	if (proclife_unlikely(own->kept))
		keep(tasks, own);
	else
		free_process(tasks, own);
}

void proclife_memory_close(struct proclife_tasks *tasks)
{
	while (tasks->kept) {
		struct proclife_priv_process *process = tasks->kept;

		if (proclife_memory_is_doubtful(tasks, process->memory))
			unlist(tasks, process->memory);
		report_and_drop(tasks, process);
	}
}

const struct proclife_memory *proclife_process_memory(const struct proclife_process *process)
{
	const struct proclife_priv_memory *own = proclife_priv(process)->memory;

	return own && (own->memory.teardown || is_left(own)) ? &own->memory : NULL;
}
