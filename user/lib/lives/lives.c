// SPDX-License-Identifier: LGPL-2.1-or-later
/* The objects behind the lives: how tasks and processes begin, are found and end. */
#include "lives/report.h"

#include <string.h>

int proclife_lives_reserve(struct proclife_tasks *tasks)
{
	int err = proclife_table_reserve(&tasks->by_handle);

	if (!err)
		err = proclife_table_reserve(&tasks->by_group);
	if (!err)
		err = proclife_table_reserve(&tasks->by_tgid);
	if (!err)
		err = proclife_table_reserve(&tasks->orphans);
	if (!err)
		err = proclife_slab_reserve(&tasks->task_slab);
	if (!err)
		err = proclife_slab_reserve(&tasks->process_slab);
	return err;
}

bool proclife_process_leads(const struct proclife_process *process,
			    const struct proclife_record *record)
{
	uint64_t oldest;

	if (process->start)
		return record->start == process->start;
	oldest = proclife_priv(process)->oldest;
	if (process->live && (record->type == PROCLIFE_REAP || record->type == PROCLIFE_FREE))
		return false;
	return !oldest || oldest >= record->start;
}

/*
 * A process whose birth was seen, without a gap since, has no unknown tasks. Any other can have
 * some. Pids are reused: the leader's start time distinguishes processes with the same tgid.
 */
static bool may_own(const struct proclife_tasks *tasks, const struct proclife_process *process,
		    const struct proclife_record *record)
{
	const struct proclife_priv_process *own = proclife_priv(process);

	if (proclife_process_whole(tasks, process))
		return false;
	if (process->marks.born && own->counted && record->pid != record->tgid)
		return false;
	if (record->pid == record->tgid)
		return proclife_process_leads(process, record);
	if (record->start < process->start)
		return false;
	/* All other threads are released before the leader is, and exit before that. */
	if (process->marks.reaped)
		return record->type == PROCLIFE_FREE;
	return !own->group_dead || record->type == PROCLIFE_FREE ||
	       record->type == PROCLIFE_REAP || record->type == PROCLIFE_TASK ||
	       (record->type == PROCLIFE_EXIT && record->flags & PROCLIFE_F_GROUP_DEAD);
}

/*
 * How many processes with the same tgid are looked at, from the latest one. On a real machine, the
 * older ones only wait for their FREE; a forged recording can have any number of them.
 */
#define MOST_OF_TGID 16

struct proclife_process *proclife_process_by_tgid(struct proclife_tasks *tasks,
						  const struct proclife_record *record)
{
	struct proclife_process *process = proclife_tgid_get(tasks, record->tgid);

	for (unsigned int n = 0; process && n < MOST_OF_TGID; n++) {
		if (may_own(tasks, process, record))
			return process;
		process = proclife_tgid_next(process);
	}
	return NULL;
}

/*
 * May something have been lost already of a life that begins with this record? If its FORK was not
 * seen, any gap so far can have swallowed it.
 */
static bool touched(const struct proclife_tasks *tasks, const struct proclife_record *record,
		    bool forked)
{
	if (record->ts <= tasks->gap_to)
		return true;
	if (record->type == PROCLIFE_TASK)
		return tasks->snapshot_gap; /* it can have swallowed the TASKs of other threads */
	return tasks->gaps && !forked;
}

struct proclife_process *proclife_process_begin(struct proclife_tasks *tasks,
						const struct proclife_record *record,
						uint64_t handle)
{
	struct proclife_priv_process *own = proclife_slab_get_zeroed(&tasks->process_slab);
	struct proclife_process *process = &own->process;

	process->id = ++tasks->processes;
	process->matches = true;
	process->seen = record->ts;
	process->tgid = record->tgid;
	process->flags = record->flags & (PROCLIFE_F_KTHREAD | PROCLIFE_F_WORKER);
	process->exit_code = -1;
	if (proclife_unlikely(tasks->birth_marks || tasks->with_times))
		*proclife_extra_of_process(process) = (struct proclife_priv_extra){ 0 };
	own->all = tasks;
	tasks->unborn = process;
	own->gaps = tasks->gaps;
	own->leader_freed = record->type == PROCLIFE_FREE;
	process->incomplete = touched(tasks, record, record->type == PROCLIFE_FORK &&
						     record->pid == record->tgid);
	memcpy(process->comm, record->comm, sizeof(process->comm));
	process->comm[sizeof(process->comm) - 1] = 0;
	if (handle)
		proclife_process_set_handle(tasks, process, handle);
	proclife_table_put_twin(&tasks->by_tgid, &own->by_tgid, process->tgid);
	if (proclife_unlikely(tasks->selecting))
		proclife_select_begin(own);
	own->prev = tasks->last;
	if (tasks->last)
		tasks->last->next = own;
	else
		tasks->first = own;
	tasks->last = own;
	return process;
}

void proclife_process_set_handle(struct proclife_tasks *tasks, struct proclife_process *process,
				 uint64_t handle)
{
	process->handle = handle;
	proclife_table_put(&tasks->by_group, &proclife_priv(process)->by_group, handle);
}

static void set_parent(const struct proclife_tasks *tasks, struct proclife_process *process,
		       struct proclife_process *parent)
{
	if (tasks->selecting)
		proclife_select_above(process, parent);
	process->parent_id = parent->id;
	memcpy(process->parent_comm, parent->comm, sizeof(process->parent_comm));
}

void proclife_process_born(struct proclife_tasks *tasks, struct proclife_process *process,
			   struct proclife_process *parent, struct proclife_process *creator)
{
	if (parent)
		set_parent(tasks, process, parent);
	proclife_filter(tasks, process);
	tasks->unborn = NULL;
	proclife_select_new(tasks, process, creator ? creator : parent);
	proclife_report_born(tasks, process, parent, creator);
}

void proclife_process_await(struct proclife_tasks *tasks, struct proclife_process *process,
			    uint64_t parent)
{
	struct proclife_priv_process *own = proclife_priv(process);

	if (!parent || own->awaits)
		return;
	own->awaits = true;
	proclife_table_put_twin(&tasks->orphans, &own->by_parent, parent);
}

static void stop_awaiting(struct proclife_tasks *tasks, struct proclife_process *process)
{
	struct proclife_priv_process *own = proclife_priv(process);

	if (proclife_likely(!own->awaits))
		return;
	proclife_table_del_twin(&tasks->orphans, &own->by_parent);
	own->awaits = false;
}

void proclife_process_link(struct proclife_tasks *tasks, struct proclife_process *process,
			   struct proclife_process *parent)
{
	stop_awaiting(tasks, process);
	if (process->parent_id == parent->id || process == parent)
		return;
	set_parent(tasks, process, parent);
	if (parent->selected && !process->selected && proclife_select_follows(process, parent))
		proclife_select_now(tasks, process, parent);
	else
		proclife_report_linked(tasks, process, parent);
}

/*
 * The parent must have the tgid that the child names, and its process must be older than the child.
 * Otherwise it is gone unseen, and another task has its handle. The parent thread itself can be
 * younger: a child whose parent thread has exited is reparented to another thread of that process.
 */
static bool can_be_parent(const struct proclife_task *task, const struct proclife_process *child)
{
	const struct proclife_process *process = task->process;

	if (child->parent_tgid != task->tgid)
		return false;
	return !process->start || !child->start || process->start <= child->start;
}

void proclife_adopt_orphans(struct proclife_tasks *tasks, const struct proclife_task *task)
{
	struct proclife_link *link = proclife_table_get(&tasks->orphans, task->handle);
	struct proclife_twin *twin = (struct proclife_twin *)link, *next;

	for (; twin; twin = next) {
		struct proclife_priv_process *own;
		struct proclife_process *process;

		own = proclife_container_of(twin, struct proclife_priv_process, by_parent);
		process = &own->process;
		next = twin->older;
		if (can_be_parent(task, process))
			proclife_process_link(tasks, process, task->process);
		else
			stop_awaiting(tasks, process);
	}
}

static void attach(struct proclife_task *task, struct proclife_process *process)
{
	struct proclife_priv_process *group = proclife_priv(process);
	struct proclife_priv_task *own = proclife_priv_task(task);

	task->process = process;
	own->prev = NULL;
	own->next = group->tasks;
	if (own->next)
		own->next->prev = own;
	group->tasks = own;
	process->threads++;
	process->open++;
	process->live += !own->dead;
	process->going += !own->ending;
	if (!process->start && (!group->oldest || task->start < group->oldest))
		group->oldest = task->start;
	if (task->leader) {
		process->leader = task;
		proclife_set_start(process, task->start);
		process->flags = task->flags;
		memcpy(process->comm, task->comm, sizeof(process->comm));
	}
}

static void detach(struct proclife_task *task)
{
	struct proclife_process *process = task->process;
	struct proclife_priv_task *own = proclife_priv_task(task);

	if (own->prev)
		own->prev->next = own->next;
	else
		proclife_priv(process)->tasks = own->next;
	if (own->next)
		own->next->prev = own->prev;
	if (process->leader == task)
		process->leader = NULL;
	process->open--;
}

struct proclife_task *proclife_task_begin(struct proclife_tasks *tasks,
					  const struct proclife_record *record,
					  struct proclife_process *process)
{
	struct proclife_priv_task *own = proclife_slab_get_zeroed(&tasks->task_slab);
	struct proclife_task *task = &own->task;

	task->handle = record->task;
	task->start = record->start;
	task->seen = record->ts;
	task->pid = record->pid;
	task->tgid = record->tgid;
	task->flags = record->flags & ~PROCLIFE_F_TRUNCATED;
	task->exit_code = -1;
	task->leader = record->pid == record->tgid;
	own->gaps = tasks->gaps;
	task->incomplete = touched(tasks, record, record->type == PROCLIFE_FORK);
	memcpy(task->comm, record->comm, sizeof(task->comm));
	task->comm[sizeof(task->comm) - 1] = 0;
	attach(task, process);
	proclife_table_put(&tasks->by_handle, &own->by_handle, task->handle);
	return task;
}

static void clear_exited(struct proclife_process *process)
{
	process->marks.exited = 0;
	proclife_priv(process)->exited = false;
}

void proclife_process_sure(const struct proclife_tasks *tasks, struct proclife_process *process)
{
	struct proclife_priv_process *own = proclife_priv(process);

	/* If gaps hid a thread and its EXIT, that thread can have been the last one. */
	if (own->unsure && tasks->gap_to > process->marks.exited)
		clear_exited(process);
	own->unsure = false;
	own->mixed = false; /* it had its pid all the time */
}

/* All its tasks are gone. Unless that is because the trace has ended: can there be another task? */
static enum proclife_life_state last_state_of(const struct proclife_tasks *tasks,
					      const struct proclife_process *process)
{
	const struct proclife_priv_process *own = proclife_priv(process);

	if (tasks->closing)
		return proclife_process_state_now(process);
	if (own->unfreed || own->mixed)
		return PROCLIFE_IS_UNKNOWN;
	/* By an exec, a thread that was never seen can have become the leader, and live on. */
	return process->marks.reaped || own->leader_freed ? PROCLIFE_IS_FREED :
							    PROCLIFE_IS_UNKNOWN;
}

void proclife_process_forget(struct proclife_tasks *tasks, struct proclife_process *process)
{
	struct proclife_priv_process *own = proclife_priv(process);

	stop_awaiting(tasks, process);
	if (tasks->selecting)
		proclife_select_gone(process);
	if (process->handle)
		proclife_table_del(&tasks->by_group, &own->by_group);
	proclife_table_del_twin(&tasks->by_tgid, &own->by_tgid);
	if (own->prev)
		own->prev->next = own->next;
	else
		tasks->first = own->next;
	if (own->next)
		own->next->prev = own->prev;
	else
		tasks->last = own->prev;
}

static void process_gone(struct proclife_tasks *tasks, struct proclife_process *process)
{
	struct proclife_priv_process *own = proclife_priv(process);

	own->last_state = (uint8_t)last_state_of(tasks, process);
	/* A thread that a gap hid can have been freed later. */
	if (own->unfreed || !(own->counted || proclife_process_ungapped(tasks, process)))
		process->marks.freed = 0;
	/* A leader that was never seen can be alive; in a dead group, it is a zombie. */
	if (own->mixed || !(process->start || own->group_dead))
		clear_exited(process);
	if (own->mixed || !process->start)
		process->marks.freed = 0;
	proclife_process_sure(tasks, process);
	if (own->gaps != tasks->gaps)
		process->incomplete = true;
	process->outlives = tasks->closing;
	proclife_filter(tasks, process);

	if (!tasks->closing)
		proclife_process_forget(tasks, process);
	tasks->selected_open -= process->selected;

	own->kept = proclife_memory_follows(tasks, process);
	proclife_report_gone(tasks, process);
	if (!own->kept)
		proclife_report_over(tasks, process);
	if (tasks->closing) /* others can still find it, but not what a report has freed */
		process->user = NULL;
	else
		proclife_process_release(tasks, process);
}

void proclife_task_move(struct proclife_tasks *tasks, struct proclife_task *task,
			struct proclife_process *process)
{
	struct proclife_process *old = task->process;
	struct proclife_priv_task *own = proclife_priv_task(task);
	bool dead = own->dead, ending = own->ending;

	proclife_task_dead(task);
	detach(task);
	old->threads--;
	/* If no other task is left, the old process was part of the new one all along. */
	proclife_priv(old)->unfreed = true;
	own->dead = dead;
	own->ending = ending;
	attach(task, process);
	if (!old->open)
		process_gone(tasks, old);
}

/*
 * Only threads of it have been seen: they were freed before the snapshot came to the leader. The
 * leader still exists: there was no gap, so its end would have been seen.
 */
static bool awaits_leader(const struct proclife_tasks *tasks,
			  const struct proclife_process *process)
{
	return !process->start && !proclife_priv(process)->unfreed && !tasks->closing &&
	       proclife_process_ungapped(tasks, process);
}

void proclife_task_end(struct proclife_tasks *tasks, struct proclife_task *task)
{
	struct proclife_priv_task *own = proclife_priv_task(task);
	struct proclife_process *process = task->process;
	struct proclife_priv_process *group = proclife_priv(process);

	if (own->gaps != tasks->gaps)
		task->incomplete = true;
	proclife_sum(&process->runtime, task->runtime);
	proclife_sum(&process->utime, task->utime);
	proclife_sum(&process->stime, task->stime);
	proclife_sum(&process->min_flt, task->min_flt);
	proclife_sum(&process->maj_flt, task->maj_flt);
	proclife_sum(&process->nvcsw, task->nvcsw);
	proclife_sum(&process->nivcsw, task->nivcsw);
	process->marks.freed = task->marks.freed;
	group->unfreed |= !task->marks.freed;
	if (!tasks->closing) {
		own->lost = !task->marks.freed;
		proclife_task_dead(task);
	}
	detach(task);
	proclife_table_del(&tasks->by_handle, &own->by_handle);
	proclife_report_task_gone(tasks, task);
	proclife_slab_put(&tasks->task_slab, own);
	if (process->open)
		return;
	if (awaits_leader(tasks, process))
		group->last_state = PROCLIFE_IS_UNKNOWN;
	else
		process_gone(tasks, process);
}

void proclife_process_end(struct proclife_tasks *tasks, struct proclife_process *process)
{
	struct proclife_priv_task *own = proclife_priv(process)->tasks;

	if (!own)
		process_gone(tasks, process);
	/* Ending the last one ends the process: it is not looked at after that. */
	while (own) {
		struct proclife_priv_task *next = own->next;

		proclife_task_end(tasks, &own->task);
		own = next;
	}
}
