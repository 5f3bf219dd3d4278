// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds the life that a record belongs to. */
#include "lives/tasks.h"

#include <string.h>

/* A thread that execs becomes the leader of its group in place of the old one. */
static void take_over(struct proclife_task *task)
{
	struct proclife_process *process = task->process;

	if (process->leader)
		process->leader->leader = false;
	process->leader = task;
	proclife_set_start(process, task->start);
	task->leader = true;
	task->flags &= ~PROCLIFE_F_THREAD;
	process->flags = task->flags;
	if (!proclife_priv(process)->group_dead)
		process->exit_code = -1; /* it was the old leader's */
	process->leader_exited = task->exiting; /* the old leader's, too */
	memcpy(process->comm, task->comm, sizeof(process->comm));
}

/* The former leader, which now has the pid that the new leader had. */
static void step_down(struct proclife_task *task)
{
	if (task->process->leader == task)
		task->process->leader = NULL;
	task->leader = false;
	task->flags |= PROCLIFE_F_THREAD;
}

/*
 * The pid or the start time have changed: is it still the same life? They change in one case: a
 * thread that does not lead its group execs. It gets its leader's pid and start time; the old
 * leader gets the thread's pid and keeps its own start time. A record from that very moment can
 * have one of the two changed and the other not.
 */
static bool same_life(const struct proclife_tasks *tasks, struct proclife_task *task,
		      const struct proclife_record *record)
{
	const struct proclife_process *process = task->process;

	if (task->start != record->start) {
		/* After a gap, it can be a later thread of the same process with this handle. */
		if (task->tgid != record->tgid || proclife_priv_task(task)->exited ||
		    proclife_priv_task(task)->gaps != tasks->gaps)
			return false;
		if (process->start ? record->start != process->start :
				     task->leader || record->pid != record->tgid)
			return false;
		task->start = record->start;
	}
	if (task->pid != record->pid) {
		task->pid = record->pid;
		if (record->pid != record->tgid)
			step_down(task);
		else if (!task->leader)
			take_over(task);
	}
	return true;
}

/* Is this the record's group, or an older one with the same handle, and perhaps the same pid? */
static bool same_group(const struct proclife_process *process, const struct proclife_record *record)
{
	if (process->tgid != record->tgid)
		return false;
	if (proclife_priv(process)->group_dead && record->type == PROCLIFE_FORK)
		return false;
	return record->pid == record->tgid ? proclife_process_leads(process, record) :
					     record->start >= process->start;
}

struct proclife_process *proclife_process_of(struct proclife_tasks *tasks,
					     const struct proclife_record *record, uint64_t group,
					     bool *fresh)
{
	struct proclife_process *process = NULL;
	struct proclife_priv_process *own;

	*fresh = false;
	if (group) {
		process = proclife_group_get(tasks, group);
		if (process && !same_group(process, record)) {
			/* Another group has this handle now: the FREEs of the old one were lost. */
			proclife_process_end(tasks, process);
			process = NULL;
		}
	}
	if (!process) {
		process = proclife_process_by_tgid(tasks, record);
		if (process && group && process->handle)
			process = NULL;
		if (process && group)
			proclife_process_set_handle(tasks, process, group);
	}
	if (process) {
		own = proclife_priv(process);
		/* Unless it was seen to be reaped, another can have got its pid and handle. */
		if (record->pid != record->tgid && !process->marks.reaped &&
		    (process->incomplete || own->gaps != tasks->gaps))
			own->mixed = true;
		own->counted &= !own->mixed;
		return process;
	}
	*fresh = true;
	return proclife_process_begin(tasks, record, group);
}

void proclife_task_set_group(struct proclife_tasks *tasks, struct proclife_task *task,
			     const struct proclife_record *record, uint64_t group)
{
	struct proclife_process *process = task->process, *other;
	bool fresh;

	if (process->handle == group)
		return;
	other = proclife_group_get(tasks, group);
	if (!process->handle && !other) {
		proclife_process_set_handle(tasks, process, group);
		return;
	}
	if (!other || !same_group(other, record)) {
		if (other)
			proclife_process_end(tasks, other);
		other = proclife_process_begin(tasks, record, group);
		fresh = true;
	} else {
		fresh = false;
	}
	proclife_task_move(tasks, task, other);
	if (fresh)
		proclife_process_born(tasks, other, NULL, NULL);
	else
		proclife_filter(tasks, other);
}

struct proclife_task *proclife_task_known(struct proclife_tasks *tasks,
					  const struct proclife_record *record)
{
	struct proclife_task *task = proclife_task_get(tasks, record->task);

	if (!task || proclife_likely(task->start == record->start && task->pid == record->pid))
		return task;
	if (same_life(tasks, task, record)) {
		proclife_filter(tasks, task->process); /* it may have another leader */
		return task;
	}
	task->incomplete = true; /* its FREE was lost */
	proclife_task_end(tasks, task);
	return NULL;
}

struct proclife_task *proclife_task_of(struct proclife_tasks *tasks,
				       const struct proclife_record *record, uint64_t group,
				       bool *fresh)
{
	struct proclife_task *task = proclife_task_known(tasks, record);
	struct proclife_process *process;
	bool begun;

	if (fresh)
		*fresh = false;
	if (proclife_likely(task != NULL))
		goto known;
	if (proclife_lives_reserve(tasks))
		return NULL;
	process = proclife_process_of(tasks, record, group, &begun);
	task = proclife_task_begin(tasks, record, process);
	if (fresh) {
		*fresh = begun;
		return task;
	}
	if (begun)
		proclife_process_born(tasks, process, NULL, NULL);
	else
		proclife_filter(tasks, process); /* now that its leader's name is known */
	if (proclife_unlikely(tasks->orphans.used))
		proclife_adopt_orphans(tasks, task);
	return task;
known:
	if (proclife_unlikely(group && task->process->handle != group)) {
		if (proclife_lives_reserve(tasks))
			return NULL;
		proclife_task_set_group(tasks, task, record, group);
	}
	return task;
}
