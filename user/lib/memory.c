// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The address spaces of processes that end: who lets go of them last, and when they are unmapped.
 *
 * One is found by its handle, which is good until its GONE, and belongs to the process that names it in
 * its EXITING. It begins with the first record that shows that the process lets go of it.
 */
#include "feed.h"

#include <errno.h>

/* Nothing that follows is about it. */
static void unlist(struct proclife_tasks *tasks, struct proclife_own_memory *own)
{
	if (own->memory.open)
		proclife_table_del(&tasks->by_mm, &own->by_mm);
	own->memory.open = false;
}

/* Its process has gone on since: it is unmapped. Where there was nothing to unmap, no GONE shows it. */
static bool is_over(const struct proclife_own_memory *own)
{
	return own->memory.own &&
	       (own->process->process.marks.notified || own->process->process.marks.reaped);
}

static struct proclife_own_memory *find(struct proclife_tasks *tasks, uint64_t mm)
{
	struct proclife_link *link = proclife_table_get(&tasks->by_mm, mm);
	struct proclife_own_memory *own =
		link ? proclife_container_of(link, struct proclife_own_memory, by_mm) : NULL;

	if (!own || !is_over(own))
		return own;
	unlist(tasks, own);
	return NULL;
}

static void destroy(struct proclife_tasks *tasks, struct proclife_own_memory *own)
{
	unlist(tasks, own);
	if (own->process)
		own->process->memory = NULL;
	proclife_slab_put(&tasks->memory_slab, own);
}

static void report_and_drop(struct proclife_tasks *tasks, struct proclife_own_process *process)
{
	proclife_report_memory(tasks, &process->process);
	proclife_process_drop(tasks, &process->process);
}

/* Nothing more is known of it: another one has its handle, or others use it as their own. */
static void forget(struct proclife_tasks *tasks, struct proclife_own_memory *own)
{
	struct proclife_own_process *process = own->process;

	destroy(tasks, own);
	if (process && process->kept)
		report_and_drop(tasks, process);
}

/* All that there is to know of it is known. */
static void finish(struct proclife_tasks *tasks, struct proclife_own_memory *own)
{
	unlist(tasks, own);
	if (own->process->kept)
		report_and_drop(tasks, own->process);
}

static struct proclife_own_memory *begin(struct proclife_tasks *tasks, uint64_t mm)
{
	struct proclife_own_memory *own;

	if (proclife_table_reserve(&tasks->by_mm) || proclife_slab_reserve(&tasks->memory_slab))
		return NULL;
	own = proclife_slab_get_zeroed(&tasks->memory_slab);
	own->tasks = tasks;
	own->memory.open = true;
	proclife_table_put(&tasks->by_mm, &own->by_mm, mm);
	return own;
}

/*
 * Can a record of another task be about another address space with the same handle? A gap can hide a
 * GONE, one that has begun before, too. So can a budget: whoever holds the memory of a process that has
 * ended need not end.
 */
static bool is_doubtful(const struct proclife_tasks *tasks, const struct proclife_own_memory *own)
{
	const struct proclife_memory *memory = &own->memory;
	uint64_t since = memory->teardown ? memory->teardown : memory->left;

	since = since ? since : memory->early;
	return since <= tasks->gap_to || proclife_tasks_may_lack(tasks, PROCLIFE_MM, since);
}

/* Of one that nobody has let go of: can it be that of this process? */
static bool fits(const struct proclife_tasks *tasks, const struct proclife_own_memory *own,
		 const struct proclife_process *process)
{
	uint64_t since = own->memory.early;

	return process->marks.born <= since && process->execed <= since && !is_doubtful(tasks, own);
}

/* The memory of a process that is letting go of it; NULL: there is no memory for that. */
static struct proclife_own_memory *begin_own(struct proclife_tasks *tasks,
					     struct proclife_process *process, uint64_t mm)
{
	struct proclife_own_process *owner = proclife_own(process);
	struct proclife_own_memory *own = find(tasks, mm);

	if (own && own->process == owner)
		return own;
	if (own && (own->process || !fits(tasks, own, process))) {
		forget(tasks, own);
		own = NULL;
	}
	if (owner->memory) /* that of a program before an exec */
		forget(tasks, owner->memory);
	own = own ? own : begin(tasks, mm);
	if (own) {
		own->process = owner;
		owner->memory = own;
	}
	return own;
}

static void set_actor(struct proclife_actor *actor, const struct proclife_task *task,
		      const struct proclife_record *record)
{
	actor->id = task->process->id;
	actor->pid = record->pid;
	actor->tgid = record->tgid;
	proclife_copy_name(actor->comm, record->comm);
}

static void feed_async(struct proclife_tasks *tasks, const struct proclife_task *task,
		       const struct proclife_record *record)
{
	struct proclife_own_memory *own = find(tasks, record->mm.mm);

	if (!own)
		return;
	if (is_doubtful(tasks, own) || own->memory.teardown) {
		forget(tasks, own);
		return;
	}
	own->memory.async = true;
	set_actor(&own->memory.last, task, record);
}

static void set_teardown(struct proclife_own_memory *own, const struct proclife_task *task,
			 const struct proclife_record *record)
{
	struct proclife_memory *memory = &own->memory;

	own->by = record->task;
	memory->teardown = record->ts;
	memory->rss_anon = record->mm.rss_anon;
	memory->rss_file = record->mm.rss_file;
	memory->rss_shmem = record->mm.rss_shmem;
	memory->swap = record->mm.swap;
	set_actor(&memory->by, task, record);
	/*
	 * An ASYNC can be missing: so of a kernel thread it is not known whether it held it, or works for
	 * somebody else. Or no teardown followed the ASYNC, as others came in between.
	 */
	if (!(record->flags & PROCLIFE_F_KTHREAD)) {
		memory->last = memory->by;
		memory->async = false;
	}
}

/* By somebody else, who held it after the process's last thread had let go. */
static void feed_teardown(struct proclife_tasks *tasks, const struct proclife_task *task,
			  const struct proclife_record *record)
{
	struct proclife_own_memory *own = find(tasks, record->mm.mm);
	bool execs = record->flags & PROCLIFE_F_EXECING;

	if (!own)
		return;
	/* An exec drops what its process had, unless that was its creator's. */
	if (!own->process || is_doubtful(tasks, own) || own->memory.teardown ||
	    (execs && !proclife_own(task->process)->shares)) {
		forget(tasks, own);
		return;
	}
	set_teardown(own, task, record);
	/* There is nothing to unmap, and perhaps no GONE. */
	if (!(record->mm.rss_anon | record->mm.rss_file | record->mm.rss_shmem | record->mm.swap |
	      record->mm.tables))
		finish(tasks, own);
}

static int feed_own(struct proclife_tasks *tasks, struct proclife_task *task,
		    const struct proclife_record *record)
{
	struct proclife_own_memory *own = begin_own(tasks, task->process, record->mm.mm);

	if (!own)
		return -ENOMEM;
	if (record->mm.what == PROCLIFE_MM_LEFT) {
		if (own->memory.teardown) { /* it cannot be */
			forget(tasks, own);
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
	struct proclife_own_memory *own = find(tasks, record->mm.mm);

	if (own && is_doubtful(tasks, own)) {
		if (own->process)
			return 0;
		forget(tasks, own);
		own = NULL;
	}
	own = own ? own : begin(tasks, record->mm.mm);
	if (!own)
		return -ENOMEM;
	/* Of a victim of the OOM killer, old kernels take it so in the teardown itself. */
	if (own->memory.early || (own->memory.teardown && own->by == record->task))
		return 0;
	own->memory.early = record->ts;
	own->memory.early_anon = record->mm.rss_anon;
	set_actor(&own->memory.early_by, task, record);
	return 0;
}

static void feed_gone(struct proclife_tasks *tasks, const struct proclife_task *task,
		      const struct proclife_record *record)
{
	struct proclife_own_memory *own = find(tasks, record->mm.mm);
	struct proclife_memory *memory;

	if (!own)
		return;
	memory = &own->memory;
	/* Whoever has begun a teardown ends it; a thread that exits has no other one. */
	if (!memory->teardown || own->by != task->handle ||
	    (!memory->own && is_doubtful(tasks, own))) {
		forget(tasks, own);
		return;
	}
	memory->gone = record->ts;
	finish(tasks, own);
}

/* Is it the task's own address space, of which it lets go as it exits? */
static bool is_own(struct proclife_tasks *tasks, const struct proclife_task *task,
		   const struct proclife_record *record)
{
	const struct proclife_own_process *process = proclife_own(task->process);
	const struct proclife_own_memory *own;

	if (process->mm != record->mm.mm || process->shares)
		return false;
	if (task->exiting || record->mm.what == PROCLIFE_MM_LEFT)
		return true;
	/* Its EXITING was before the trace, or lost. A LEFT shows that all its threads exit. */
	own = find(tasks, record->mm.mm);
	return own && own->process == process && !is_doubtful(tasks, own);
}

int proclife_feed_mm(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	struct proclife_task *task = proclife_known_task(tasks, record, 0);
	int wanted, err = 0;

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

/*
 * Was it the last thread of its process that let go of it, and will none tear it down? Others' records
 * can be lost.
 */
static bool is_left(const struct proclife_own_memory *own)
{
	const struct proclife_process *process = &own->process->process;

	if (own->process->sole)
		return true;
	return own->memory.left > own->tasks->gap_to &&
	       (process->marks.notified || process->marks.reaped ||
		(!process->open && !process->outlives));
}

bool proclife_memory_follows(struct proclife_tasks *tasks, struct proclife_process *process)
{
	struct proclife_own_memory *own = proclife_own(process)->memory;

	if (!own || !own->memory.open)
		return false;
	if (tasks->closing) {
		if (is_over(own) || is_doubtful(tasks, own))
			unlist(tasks, own);
		return false;
	}
	/* What it tears down itself is gone by now, unless there was nothing to unmap. */
	if (own->memory.own)
		unlist(tasks, own);
	else if (!own->memory.teardown && !is_left(own))
		forget(tasks, own);
	return proclife_own(process)->memory && own->memory.open;
}

void proclife_memory_close(struct proclife_tasks *tasks)
{
	while (tasks->kept) {
		struct proclife_own_process *process = tasks->kept;

		if (is_doubtful(tasks, process->memory))
			unlist(tasks, process->memory);
		report_and_drop(tasks, process);
	}
}

void proclife_memory_gone(struct proclife_tasks *tasks, struct proclife_process *process)
{
	destroy(tasks, proclife_own(process)->memory);
}

const struct proclife_memory *proclife_process_memory(const struct proclife_process *process)
{
	const struct proclife_own_memory *own = proclife_own(process)->memory;

	return own && (own->memory.teardown || is_left(own)) ? &own->memory : NULL;
}
