// SPDX-License-Identifier: LGPL-2.1-or-later
/* MM: what each record says of an address space that a process lets go of. */
#include "lives/feed.h"
#include "lives/memory.h"

#include <errno.h>

/* An MM names the thread alone. Its process is named if it leads that, or if the memory is its process's own. */
static void set_actor(struct proclife_actor *actor, const struct proclife_priv_memory *own,
		      const struct proclife_task *task, const struct proclife_record *record)
{
	const struct proclife_process *process = task->process;
	bool leads = record->pid == record->tgid;

	actor->id = process->id;
	actor->pid = record->pid;
	actor->tgid = record->tgid;
	proclife_copy_name(actor->thread_comm, record->comm);
	actor->named = leads || (own->process == proclife_priv(process) && process->start);
	proclife_copy_name(actor->comm, actor->named && !leads ? process->comm : record->comm);
}

/* @task: NULL if an interrupt lets go of it. */
static void feed_async(struct proclife_tasks *tasks, const struct proclife_task *task,
		       const struct proclife_record *record)
{
	struct proclife_priv_memory *own = proclife_memory_find(tasks, record->mm.mm);

	if (!own)
		return;
	if (proclife_memory_is_doubtful(tasks, own) || own->memory.teardown) {
		proclife_memory_forget(tasks, own);
		return;
	}
	own->memory.async = true;
	if (task)
		set_actor(&own->memory.last, own, task, record);
	else
		own->memory.last = (struct proclife_actor){ .id = 0 };
}

/* A record that names no task belongs to the process whose address space it is, if that is known. */
static int feed_of_interrupt(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	const struct proclife_priv_memory *own = proclife_memory_find(tasks, record->mm.mm);
	int wanted = own && own->process ? proclife_wanted(&own->process->process) :
					   !tasks->selecting && !tasks->filter;

	if (record->mm.what == PROCLIFE_MM_ASYNC && !tasks->without_memory)
		feed_async(tasks, NULL, record);
	return wanted;
}

static void set_teardown(struct proclife_priv_memory *own, const struct proclife_task *task,
			 const struct proclife_record *record)
{
	struct proclife_memory *memory = &own->memory;

	own->by = record->task;
	memory->teardown = record->ts;
	memory->rss_anon = record->mm.rss_anon;
	memory->rss_file = record->mm.rss_file;
	memory->rss_shmem = record->mm.rss_shmem;
	memory->swap = record->mm.swap;
	set_actor(&memory->by, own, task, record);
	/*
	 * An ASYNC can be missing: so it is not known whether a kernel thread held it, or works for
	 * another task. Or no teardown followed the ASYNC, as others came in between.
	 */
	if (!(record->flags & PROCLIFE_F_KTHREAD)) {
		memory->last = memory->by;
		memory->async = false;
	}
}

/* By another task, which held it after the process's last thread had let go. */
static void feed_teardown(struct proclife_tasks *tasks, const struct proclife_task *task,
			  const struct proclife_record *record)
{
	struct proclife_priv_memory *own = proclife_memory_find(tasks, record->mm.mm);
	bool execs = record->flags & PROCLIFE_F_EXECING;

	if (!own)
		return;
	/* An exec drops what its process had, unless that was its creator's. */
	if (!own->process || proclife_memory_is_doubtful(tasks, own) || own->memory.teardown ||
	    (execs && !proclife_priv(task->process)->shares)) {
		proclife_memory_forget(tasks, own);
		return;
	}
	set_teardown(own, task, record);
	/* There is nothing to unmap, and perhaps no GONE. */
	if (!(record->mm.rss_anon | record->mm.rss_file | record->mm.rss_shmem | record->mm.swap |
	      record->mm.tables))
		proclife_memory_finish(tasks, own);
}

static int feed_own(struct proclife_tasks *tasks, struct proclife_task *task,
		    const struct proclife_record *record)
{
	struct proclife_priv_memory *own = proclife_memory_begin_own(tasks, task->process, record->mm.mm);

	if (!own)
		return -ENOMEM;
	/* Several threads can let go of it, one after the other: the last one has seen the peak. */
	if (own->peak < record->mm.peak)
		own->peak = record->mm.peak;
	proclife_memory_peaked(task->process);
	if (record->mm.what == PROCLIFE_MM_LEFT) {
		if (own->memory.teardown) { /* it cannot be */
			proclife_memory_forget(tasks, own);
			return 0;
		}
		own->memory.left = record->ts;
		own->memory.holders = record->mm.users;
		return 0;
	}
	own->memory.own = true;
	own->memory.left = 0; /* that was of another thread of it */
	own->memory.holders = 0;
	set_teardown(own, task, record);
	return 0;
}

/* This can be before the process has begun to exit: then it is not known whose memory it is. */
static int feed_early(struct proclife_tasks *tasks, const struct proclife_task *task,
		      const struct proclife_record *record)
{
	struct proclife_priv_memory *own = proclife_memory_find(tasks, record->mm.mm);

	if (own && proclife_memory_is_doubtful(tasks, own)) {
		if (own->process)
			return 0;
		proclife_memory_forget(tasks, own);
		own = NULL;
	}
	own = own ? own : proclife_memory_begin(tasks, record->mm.mm);
	if (!own)
		return -ENOMEM;
	if (own->memory.early && !own->process) {
		own->again = record->ts;
		own->again_anon = record->mm.rss_anon;
		set_actor(&own->again_by, own, task, record);
	}
	/* Old kernels take the memory of an OOM victim like this in the teardown itself. */
	if (own->memory.early || (own->memory.teardown && own->by == record->task))
		return 0;
	own->memory.early = record->ts;
	own->memory.early_anon = record->mm.rss_anon;
	set_actor(&own->memory.early_by, own, task, record);
	return 0;
}

static void feed_gone(struct proclife_tasks *tasks, const struct proclife_task *task,
		      const struct proclife_record *record)
{
	struct proclife_priv_memory *own = proclife_memory_find(tasks, record->mm.mm);
	struct proclife_memory *memory;

	if (!own)
		return;
	memory = &own->memory;
	/* The task that has begun a teardown ends it; a thread that exits has no other one. */
	if (!memory->teardown || own->by != task->handle ||
	    (!memory->own && proclife_memory_is_doubtful(tasks, own))) {
		proclife_memory_forget(tasks, own);
		return;
	}
	memory->gone = record->ts;
	proclife_memory_finish(tasks, own);
}

/* Is it the task's own address space, of which it lets go as it exits? */
static bool is_own(struct proclife_tasks *tasks, const struct proclife_task *task,
		   const struct proclife_record *record)
{
	const struct proclife_priv_process *process = proclife_priv(task->process);
	const struct proclife_priv_memory *own;

	if (process->mm != record->mm.mm || process->shares)
		return false;
	if (task->exiting || record->mm.what == PROCLIFE_MM_LEFT)
		return true;
	/* Its EXITING was before the trace, or lost. A LEFT shows that all its threads exit. */
	own = proclife_memory_find(tasks, record->mm.mm);
	return own && own->process == process && !proclife_memory_is_doubtful(tasks, own);
}

int proclife_feed_mm(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	struct proclife_task *task;
	int wanted, err = 0;

	if (proclife_unlikely(!record->task))
		return feed_of_interrupt(tasks, record);
	task = proclife_known_task(tasks, record, 0);
	if (proclife_unlikely(!task))
		return -ENOMEM;
	/* This can end what a report shows of the task's process, but not that process itself. */
	wanted = proclife_wanted(task->process);
	if (tasks->without_memory)
		return wanted;
	switch (record->mm.what) {
	case PROCLIFE_MM_LEFT:
		if (is_own(tasks, task, record))
			err = feed_own(tasks, task, record);
		break;
	case PROCLIFE_MM_TEARDOWN:
		if (is_own(tasks, task, record))
			err = feed_own(tasks, task, record);
		else
			feed_teardown(tasks, task, record);
		break;
	case PROCLIFE_MM_ASYNC:
		feed_async(tasks, task, record);
		break;
	case PROCLIFE_MM_EARLY:
		err = feed_early(tasks, task, record);
		break;
	case PROCLIFE_MM_GONE:
		feed_gone(tasks, task, record);
		break;
	default: /* of a later ABI */
		break;
	}
	return err ? err : wanted;
}
