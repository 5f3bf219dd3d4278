// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lookups of lives, and queries about them. */
#include "lives/tasks.h"

struct proclife_task *proclife_tasks_find(struct proclife_tasks *tasks, uint64_t handle)
{
	return proclife_task_get(tasks, handle);
}

struct proclife_process *proclife_tasks_holder(const struct proclife_tasks *tasks, uint32_t tgid)
{
	struct proclife_process *process = proclife_tgid_get(tasks, tgid);

	/* Only the latest can have it: if an older one seems unreaped, its REAP was lost. */
	return process && !process->marks.reaped ? process : NULL;
}

bool proclife_process_is_held(const struct proclife_process *process)
{
	const struct proclife_tracer *tracer = proclife_priv(process)->tracer;

	return tracer && !tracer->released && !process->notified_tgid && !process->marks.reaped &&
	       (tracer->ts || (!process->live && proclife_process_found_zombie(process)));
}

uint32_t proclife_process_awaits(const struct proclife_process *zombie)
{
	if (proclife_process_is_held(zombie))
		return proclife_priv(zombie)->tracer->tgid;
	return proclife_last_parent(zombie);
}

/* When it was last known to be there. A younger process has reused the PID of the one that had to wait for it. */
static uint64_t last_known(const struct proclife_process *zombie)
{
	uint64_t shown = proclife_later(zombie->marks.notified, proclife_priv(zombie)->found);

	return proclife_later(proclife_later(zombie->marks.exited, zombie->seen), shown);
}

struct proclife_process *proclife_process_reaper(const struct proclife_process *zombie)
{
	struct proclife_process *reaper =
		proclife_tasks_holder(proclife_priv(zombie)->all, proclife_process_awaits(zombie));

	if (!reaper || proclife_process_state(reaper) == PROCLIFE_IS_ZOMBIE)
		return NULL;
	return reaper->marks.born <= last_known(zombie) ? reaper : NULL;
}

struct proclife_process *proclife_tasks_next(const struct proclife_tasks *tasks,
					     const struct proclife_process *process)
{
	struct proclife_priv_process *own = process ? proclife_priv(process)->next : tasks->first;

	return own ? &own->process : NULL;
}

struct proclife_task *proclife_process_next_task(const struct proclife_process *process,
						const struct proclife_task *task)
{
	struct proclife_priv_task *own = task ? proclife_priv_task(task)->next : proclife_priv(process)->tasks;

	return own ? &own->task : NULL;
}

bool proclife_process_has_parent(const struct proclife_process *process)
{
	/* A FORK or a TASK had it; init has no parent. */
	return process->parent_tgid || process->ns_inum;
}

bool proclife_process_has_uid(const struct proclife_process *process)
{
	/* As the parent, or an EXEC or a REAP had it. */
	return proclife_process_has_parent(process) || process->execed || proclife_priv(process)->uid_count;
}

const uint32_t *proclife_process_uids(const struct proclife_process *process, unsigned int *count)
{
	*count = proclife_priv(process)->uid_count;
	return proclife_priv(process)->uids;
}

void proclife_set_uid(struct proclife_process *process, uint32_t uid)
{
	struct proclife_priv_process *own = proclife_priv(process);

	process->uid = uid;
	for (unsigned int i = 0; i < own->uid_count; i++)
		if (own->uids[i] == uid)
			return;
	own->uid_count = own->uid_count + (own->uid_count < PROCLIFE_UIDS);
	own->uids[own->uid_count - 1] = uid;
}

bool proclife_process_complete(const struct proclife_process *process)
{
	return process->marks.born && process->marks.freed && !process->open && !process->incomplete;
}

void proclife_process_usage(const struct proclife_process *process, struct proclife_usage *usage)
{
	const struct proclife_priv_task *own;

	*usage = (struct proclife_usage){
		.runtime = process->runtime, .utime = process->utime, .stime = process->stime,
		.min_flt = process->min_flt, .maj_flt = process->maj_flt,
		.nvcsw = process->nvcsw,     .nivcsw = process->nivcsw,
	};
	for (own = proclife_priv(process)->tasks; own; own = own->next) {
		const struct proclife_task *task = &own->task;

		proclife_sum(&usage->runtime, task->runtime);
		proclife_sum(&usage->utime, task->utime);
		proclife_sum(&usage->stime, task->stime);
		proclife_sum(&usage->min_flt, task->min_flt);
		proclife_sum(&usage->maj_flt, task->maj_flt);
		proclife_sum(&usage->nvcsw, task->nvcsw);
		proclife_sum(&usage->nivcsw, task->nivcsw);
	}
}

bool proclife_process_has_cpu(const struct proclife_process *process)
{
	enum proclife_life_state state = proclife_process_state(process);
	bool is_part = process->incomplete && (state == PROCLIFE_IS_UNFREED ||
					       (state == PROCLIFE_IS_ZOMBIE && !proclife_process_found_zombie(process)));
	struct proclife_usage usage;

	if (!proclife_process_has_exited(process) && state != PROCLIFE_IS_FREED)
		return process->runtime && !is_part;
	/* At the EXIT of one that ran for less than a tick, in one go, the scheduler has not counted any of it. */
	proclife_process_usage(process, &usage);
	return usage.runtime;
}
