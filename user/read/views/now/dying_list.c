// SPDX-License-Identifier: GPL-2.0-only
/*
 * What should be gone, and is not yet even a zombie. Records say what got SIGKILL and what has exited; /proc says
 * which of these are still there, and has processes that the records are too young for. The parent, or a tracer, is
 * notified as the last thread becomes a zombie in /proc, whatever its signal, unless another thread is still a zombie there.
 */
#include "output/array.h"
#include "output/message.h"
#include "views/now/dying.h"
#include <stdlib.h>
#include <string.h>

/* If the beginnings are not known, the one whose task is older comes first. */
static int compare(const void *a, const void *b)
{
	const struct dying *x = a, *y = b;

	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return x->process->start < y->process->start ? -1 : x->process->start > y->process->start;
}

static uint64_t first_of(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

static bool has_exited(const struct proclife_process *process)
{
	return process->leader_exited || process->exiting || proclife_process_has_exited(process);
}

/* Has each of its threads that is left to end? */
static bool all_end(const struct proc_process *proc)
{
	size_t i;

	for (i = 0; i < proc->count; i++)
		if (!proc->threads[i].killed && !proc->threads[i].exiting)
			return false;
	return proc->count;
}

static bool is_dying(const struct dying *dying)
{
	const struct proc_process *proc = &dying->proc;
	const struct proclife_process *process = dying->process;
	bool ends = dying->sigkill || has_exited(process);

	switch (proc->found) {
	case PROC_GONE:
		return false;
	case PROC_REFUSED:
		return ends && !proclife_process_announced(process) && !proclife_process_shown_zombie(process);
	case PROC_THERE:
		if (!proc->count) /* a zombie, and a tracer or the parent knows of it */
			return proc->held;
		return ends || proc->killed || proc->leader_ended || all_end(proc);
	}
	return false;
}

static bool may_be(const struct proclife_process *process, const char *proc)
{
	if (!process->selected || !process->matches || process->marks.reaped ||
	    process->flags & PROCLIFE_F_KTHREAD)
		return false;
	return proclife_process_sigkill(process) || has_exited(process) ||
	       (process->start && proc_may_end(proc, process->tgid));
}

/* The caller frees dying->proc if it is one. */
static bool look_at(struct dying *dying, const struct proclife_process *process, const char *proc)
{
	if (!may_be(process, proc))
		return false;
	dying->process = process;
	dying->sigkill = proclife_process_sigkill(process);
	dying->since = first_of(process->leader_exited,
				first_of(process->exiting, process->marks.exited));
	if (dying->sigkill)
		dying->since = first_of(dying->since, dying->sigkill->ts);
	if (proc_read(&dying->proc, proc, process->tgid, process->start))
		die_no_memory();
	if (is_dying(dying))
		return true;
	proc_free(&dying->proc);
	return false;
}

struct dying_list dying_collect(const struct run *run, const char *proc)
{
	const struct proclife_process *process = NULL;
	struct dying_list list = { 0 };
	struct dying dying;
	size_t room = 0;

	while ((process = proclife_tasks_next(run->tasks, process))) {
		if (!look_at(&dying, process, proc))
			continue;
		ARRAY_GROW(list.all, list.count, room);
		list.all[list.count++] = dying;
	}
	if (list.count)
		qsort(list.all, list.count, sizeof(list.all[0]), compare);
	return list;
}

/* Process 1 of a PID namespace does not end before all others there are reaped. */
static bool is_ending_init(const struct dying *dying)
{
	const struct proclife_process *process = dying->process;
	size_t i;

	if (process->ns_pid != 1 || process->tgid == 1)
		return false;
	for (i = 0; i < dying->proc.count; i++)
		if (!strcmp(dying->proc.threads[i].wchan, "zap_pid_ns_processes"))
			return true;
	return proclife_process_has_exited(process);
}

const struct proclife_process *dying_waits_for(const struct run *run, const struct dying *dying,
					       const struct proclife_process *after)
{
	const struct proclife_process *process = after;

	if (!is_ending_init(dying))
		return NULL;
	while ((process = proclife_tasks_next(run->tasks, process))) {
		enum proclife_life_state state = proclife_process_state(process);

		if (process->ns_inum == dying->process->ns_inum && process != dying->process &&
		    state <= PROCLIFE_IS_ZOMBIE)
			return process;
	}
	return NULL;
}

void dying_free(struct dying_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		proc_free(&list->all[i].proc);
	free(list->all);
}
