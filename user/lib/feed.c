// SPDX-License-Identifier: LGPL-2.1-or-later
/* What each record means for the life of its task and process. */
#include "tasks.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void copy_name(char *to, const char *from)
{
	memcpy(to, from, PROCLIFE_COMM_LEN);
	to[PROCLIFE_COMM_LEN - 1] = 0;
}

static void set_name(struct proclife_task *task, const char *name)
{
	copy_name(task->comm, name);
	if (task->leader)
		copy_name(task->process->comm, name);
}

static inline bool wanted(const struct proclife_process *process)
{
	return process->selected && process->matches;
}

static void set_cgroup(struct proclife_task *task, uint64_t cgroup)
{
	if (cgroup && task->leader)
		task->process->cgroup = cgroup;
}

/*
 * The parent or creator that a FORK or TASK names. Another one with this handle is long gone, its
 * FREE lost: it was reaped or has another tgid.
 */
static struct proclife_process *relative(struct proclife_tasks *tasks, uint64_t handle,
					 uint32_t tgid)
{
	struct proclife_task *task = handle ? proclife_task_get(tasks, handle) : NULL;

	return task && task->tgid == tgid && !task->marks.reaped ? task->process : NULL;
}

/* As proclife_task_of(), for the one case that counts: it is known, and what it was. */
static inline struct proclife_task *task_of(struct proclife_tasks *tasks,
					    const struct proclife_record *record, uint64_t group)
{
	struct proclife_task *task = proclife_task_get(tasks, record->task);

	if (proclife_likely(task && task->start == record->start && task->pid == record->pid &&
			    (!group || task->process->handle == group)))
		return task;
	return proclife_task_of(tasks, record, group, NULL);
}

/*
 * What follows feeds a record of one type each. Return: whether it is of a selected process, or
 * -ENOMEM.
 */

static proclife_apart int feed_fork(struct proclife_tasks *tasks,
				    const struct proclife_record *record)
{
	const struct proclife_fork *fork = &record->fork;
	struct proclife_task *task = proclife_task_get(tasks, record->task);
	struct proclife_process *process, *other, *parent, *creator;
	bool fresh = false;

	if (proclife_lives_reserve(tasks))
		return -ENOMEM;
	if (task && task->start != record->start) {
		proclife_task_end(tasks, task);
		task = NULL;
	}
	if (task) {
		/* Seen before its FORK: in the snapshot, or as the target of a signal. */
		if (task->process->handle != fork->group)
			proclife_task_set_group(tasks, task, record, fork->group);
		process = task->process;
	} else {
		process = proclife_group_get(tasks, fork->group);
		if (record->pid != record->tgid) {
			process = proclife_process_of(tasks, record, fork->group, &fresh);
		} else {
			/* The first task of a group: who else had this handle is gone unseen. */
			if (process)
				proclife_process_end(tasks, process);
			process = proclife_process_begin(tasks, record, fork->group);
			fresh = true;
			/* So is who had this pid, and still awaited its leader. */
			other = proclife_tgid_next(process);
			if (proclife_unlikely(other && !other->open))
				proclife_process_end(tasks, other);
		}
		task = proclife_task_begin(tasks, record, process);
	}
	task->marks.born = record->ts;
	task->seen = record->ts;
	if (record->pid != record->tgid) {
		if (fresh)
			proclife_process_born(tasks, process, NULL, NULL);
		if (proclife_unlikely(tasks->orphans.used))
			proclife_adopt_orphans(tasks, task);
		return wanted(process);
	}

	process->marks.born = record->ts;
	process->seen = record->ts;
	process->parent_tgid = fork->parent_tgid;
	process->creator_tgid = fork->creator_tgid;
	process->uid = fork->uid;
	process->ns_pid = fork->ns_pid;
	process->ns_inum = fork->ns_inum;
	process->cgroup = fork->cgroup;
	proclife_filter(tasks, process);
	parent = relative(tasks, fork->parent, fork->parent_tgid);
	creator = fork->creator == fork->parent ?
			  parent :
			  relative(tasks, fork->creator, fork->creator_tgid);
	if (fresh)
		proclife_process_born(tasks, process, parent, creator);
	if (proclife_unlikely(tasks->orphans.used))
		proclife_adopt_orphans(tasks, task);
	if (!parent)
		proclife_process_await(tasks, process, fork->parent);
	else if (!fresh)
		proclife_process_link(tasks, process, parent);
	if (!fresh && !process->selected && creator && creator->selected)
		proclife_select_now(tasks, process, parent);
	return wanted(process);
}

static proclife_apart int feed_snapshot(struct proclife_tasks *tasks,
					const struct proclife_record *record)
{
	const struct proclife_state *state = &record->state;
	struct proclife_process *process, *parent;
	bool fresh;
	struct proclife_task *task = proclife_task_of(tasks, record, state->group, &fresh);

	if (!task)
		return -ENOMEM;
	process = task->process;
	task->flags |= record->flags & (PROCLIFE_F_KTHREAD | PROCLIFE_F_WORKER);
	if (!task->marks.exited) {
		task->runtime = state->runtime;
		task->utime = state->utime;
		task->stime = state->stime;
		if (record->flags & (PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE)) {
			/* The EXIT may still come, or be past: it is not waited for. */
			task->flags |= record->flags & (PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE);
			task->exit_code = state->exit_code;
			proclife_task_dead(task);
			if (task->leader) {
				process->exit_code = state->exit_code;
				process->found_dead = record->flags & PROCLIFE_F_ZOMBIE;
				process->found_exiting = !process->found_dead;
			}
		}
	}
	if (task->leader) {
		process->flags = task->flags;
		process->real_parent_tgid = state->parent_tgid;
	}
	set_cgroup(task, state->cgroup);
	if (process->marks.born) { /* its FORK told all the rest, and by birth */
		proclife_filter(tasks, process);
		if (tasks->orphans.used)
			proclife_adopt_orphans(tasks, task);
		return wanted(process);
	}
	if (task->leader || !process->leader) { /* whichever comes first, the leader's count */
		process->uid = state->uid;
		process->cgroup = state->cgroup;
	}
	if (task->leader) {
		process->ns_pid = state->ns_pid;
		process->ns_inum = state->ns_inum;
	}
	if (!process->parent_tgid)
		process->parent_tgid = state->parent_tgid;
	proclife_filter(tasks, process); /* by its user, which is known by now */
	parent = relative(tasks, state->parent, state->parent_tgid);
	if (fresh)
		proclife_process_born(tasks, process, parent, NULL);
	if (tasks->orphans.used)
		proclife_adopt_orphans(tasks, task);
	/* Another thread's TASK may have told of a parent that has exited since: that one is nearer. */
	if (process->parent_id || process->parent_tgid != state->parent_tgid)
		return wanted(process);
	if (parent)
		proclife_process_link(tasks, process, parent);
	else
		proclife_process_await(tasks, process, state->parent);
	return wanted(process);
}

static void begin_args(const struct proclife_tasks *tasks, struct proclife_process *process)
{
	process->args = NULL;
	process->args_bytes = 0;
	process->args_cut = false;
	process->args_gaps = (uint32_t)tasks->gaps;
}

static proclife_apart int feed_exec(struct proclife_tasks *tasks,
				    const struct proclife_record *record)
{
	const struct proclife_exec *exec = &record->exec;
	struct proclife_task *task = task_of(tasks, record, exec->group);
	struct proclife_process *process;
	char *to;

	if (proclife_unlikely(!task))
		return -ENOMEM;
	process = task->process;
	to = process->path_text;
	set_name(task, record->comm);
	process->execed = record->ts;
	process->execs++;
	process->uid = exec->uid;
	proclife_filter(tasks, process);
	if (record->flags & PROCLIFE_F_TRUNCATED) {
		memcpy(to, "...", 3);
		to += 3;
	}
	memcpy(to, exec->path, PROCLIFE_PATH_LEN);
	to[PROCLIFE_PATH_LEN] = 0;
	process->path = process->path_text;
	begin_args(tasks, process);
	return wanted(process);
}

/*
 * The pieces follow their EXEC in order, with others' records between them. If one was lost, so is the
 * rest; and behind a gap, what fits can be of another EXEC.
 */
static proclife_apart int feed_args(struct proclife_tasks *tasks,
				    const struct proclife_record *record)
{
	const struct proclife_args *args = &record->args;
	struct proclife_task *task = task_of(tasks, record, 0);
	uint32_t end = (uint32_t)args->offset + args->len;
	struct proclife_process *process;

	if (proclife_unlikely(!task))
		return -ENOMEM;
	process = task->process;
	if (!args->offset)
		begin_args(tasks, process);
	process->args_cut = true;
	if (args->len > PROCLIFE_ARGS_LEN || end > args->total || end > UINT16_MAX ||
	    args->offset != process->args_bytes || process->args_gaps != (uint32_t)tasks->gaps)
		return wanted(process);
	if (process->args_room <= end) {
		uint32_t room = process->args_room * 2 > end ? process->args_room * 2 : end + 1;
		char *text = realloc(process->args_text, room);

		if (!text)
			return -ENOMEM;
		process->args_text = text;
		process->args_room = room;
	}
	memcpy(process->args_text + args->offset, args->text, args->len);
	process->args_text[end] = 0;
	process->args = process->args_text;
	process->args_bytes = end;
	process->args_cut = end < args->total;
	return wanted(process);
}

static proclife_apart int feed_rename(struct proclife_tasks *tasks,
				      const struct proclife_record *record)
{
	struct proclife_task *task = task_of(tasks, record, 0);

	if (proclife_unlikely(!task))
		return -ENOMEM;
	set_name(task, record->rename.name);
	set_cgroup(task, record->rename.cgroup);
	proclife_filter(tasks, task->process);
	return wanted(task->process);
}

static proclife_apart int feed_exit(struct proclife_tasks *tasks,
				    const struct proclife_record *record)
{
	const struct proclife_exit *exit = &record->exit;
	struct proclife_task *task = task_of(tasks, record, 0);
	struct proclife_process *process;

	if (proclife_unlikely(!task))
		return -ENOMEM;
	process = task->process;
	task->marks.exited = record->ts;
	task->exit_cpu = record->cpu;
	process->exit_cpu = record->cpu;
	task->exit_code = exit->exit_code;
	task->flags |= record->flags & ~PROCLIFE_F_TRUNCATED;
	task->runtime = exit->runtime;
	task->utime = exit->utime;
	task->stime = exit->stime;
	task->min_flt = exit->min_flt;
	task->maj_flt = exit->maj_flt;
	task->nvcsw = exit->nvcsw;
	task->nivcsw = exit->nivcsw;
	proclife_task_dead(task);
	if (task->leader) {
		copy_name(process->comm, record->comm);
		process->flags = task->flags;
		process->leader_exited = record->ts;
		proclife_filter(tasks, process);
	}
	process->real_parent_tgid = exit->parent_tgid;
	copy_name(task->comm, record->comm);
	/* wait(2) gives the group's code if the group ended as a whole, otherwise the leader's. */
	if (record->flags & PROCLIFE_F_GROUP_EXIT) {
		process->exit_code = exit->exit_code;
		process->group_exit = true;
	} else if (task->leader && !process->group_exit) {
		process->exit_code = exit->exit_code;
	}
	if (record->flags & PROCLIFE_F_GROUP_DEAD) {
		process->group_dead = true;
		process->max_rss = exit->max_rss;
	}
	/*
	 * Before Linux 6.16 two threads can say that they were the last. The later one was: while a
	 * thread is not known to be dead, its EXIT can still come, or be lost.
	 */
	if (!process->live && (process->group_dead || proclife_process_whole(tasks, process))) {
		process->marks.exited = record->ts;
		process->unsure = !proclife_process_whole(tasks, process);
		process->counted = proclife_process_ungapped(tasks, process);
	}
	return wanted(process);
}

/*
 * Since when the reaper has been in the wait(2) that reaps this task. Each wait(2) reaps one. It is
 * none if the task reaps itself, or is released by the exec of another thread or by the exit of its
 * parent; and behind a gap, or where WAITs are suppressed, it may be another one than what was seen.
 */
static uint64_t waiting_since(const struct proclife_tasks *tasks, struct proclife_task *reaper,
			      const struct proclife_task *task)
{
	uint64_t since = reaper->waited;

	if (reaper->process == task->process || reaper->marks.exited)
		return 0;
	reaper->waited = 0;
	if (since <= tasks->gap_to || proclife_tasks_may_lack(tasks, PROCLIFE_WAIT, since))
		return 0;
	return since;
}

/* Who is to be told of this reap: its reaper; the parent, if it released itself. */
static struct proclife_process *due_to(const struct proclife_tasks *tasks,
				       const struct proclife_process *process,
				       const struct proclife_task *reaper)
{
	struct proclife_process *parent;

	if (process->reaper_tgid != process->tgid)
		return reaper ? reaper->process : NULL;
	if (process->real_parent_tgid != process->parent_tgid)
		return NULL;
	parent = proclife_tasks_holder(tasks, process->parent_tgid);
	return parent && parent->id == process->parent_id ? parent : NULL;
}

static proclife_apart int feed_reap(struct proclife_tasks *tasks,
				    const struct proclife_record *record)
{
	const struct proclife_reap *reap = &record->reap;
	struct proclife_task *task = task_of(tasks, record, 0), *reaper;
	struct proclife_process *process, *due;

	if (proclife_unlikely(!task))
		return -ENOMEM;
	process = task->process;
	reaper = proclife_task_get(tasks, reap->reaper);
	if (reaper && reaper->tgid != reap->reaper_tgid)
		reaper = NULL;
	task->reaper_waited = reaper ? waiting_since(tasks, reaper, task) : 0;
	proclife_task_dead(task); /* even if its EXIT was lost */
	task->marks.reaped = record->ts;
	task->reaper_pid = reap->reaper_pid;
	task->reaper_tgid = reap->reaper_tgid;
	copy_name(task->reaper_comm, reap->reaper_comm);
	if (!task->leader)
		return wanted(process);
	proclife_process_sure(tasks, process);
	process->marks.reaped = record->ts;
	if (process->notified_other && reap->reaper_tgid == process->tgid)
		process->marks.notified = 0; /* its parent ignores it: that was for a child's end */
	/* Where a gap can hide the SIGCHLD, the zombie has no beginning. */
	process->notified_lost = !process->marks.notified && tasks->gap_to &&
				 tasks->gap_to >= process->marks.exited;
	process->reaper_pid = reap->reaper_pid;
	process->reaper_tgid = reap->reaper_tgid;
	copy_name(process->reaper_comm, reap->reaper_comm);
	process->reaper_id = reaper ? reaper->process->id : 0;
	process->reaper_waited = task->reaper_waited;
	set_cgroup(task, reap->cgroup);
	proclife_filter(tasks, process);
	if (!wanted(process))
		return 0;
	due = due_to(tasks, process, reaper);
	if (due)
		due->reaps = true;
	return 1;
}

static proclife_apart int feed_free(struct proclife_tasks *tasks,
				    const struct proclife_record *record)
{
	struct proclife_task *task = proclife_task_known(tasks, record);
	bool selected;

	/* Of a thread that was not heard of before, nothing begins: its process may be long gone. */
	if (proclife_unlikely(!task && record->pid != record->tgid))
		return !tasks->selecting && !tasks->filter;
	if (proclife_unlikely(!task))
		task = proclife_task_of(tasks, record, 0, NULL);
	if (proclife_unlikely(!task))
		return -ENOMEM;
	selected = wanted(task->process);
	task->marks.freed = record->ts;
	task->free_cpu = record->cpu;
	task->process->free_cpu = record->cpu;
	task->process->leader_freed |= task->leader;
	task->runtime = record->free.runtime;
	task->utime = record->free.utime;
	task->stime = record->free.stime;
	proclife_task_end(tasks, task);
	return selected;
}

static proclife_apart int feed_wait(struct proclife_tasks *tasks,
				    const struct proclife_record *record)
{
	struct proclife_task *task = task_of(tasks, record, 0);

	if (proclife_unlikely(!task))
		return -ENOMEM;
	if (proclife_unlikely(tasks->suppressed[PROCLIFE_WAIT] != NULL))
		proclife_suppressed_over(tasks, record);
	task->waited = record->ts;
	task->process->waited = record->ts;
	return wanted(task->process);
}

/* It changes nothing, but can be the first that is heard of the task. */
static proclife_apart int feed_other(struct proclife_tasks *tasks,
				     const struct proclife_record *record)
{
	struct proclife_task *task = task_of(tasks, record, 0);

	return proclife_likely(task != NULL) ? wanted(task->process) : -ENOMEM;
}

/*
 * A process that has exited hands its children on, and sends their new parent a SIGCHLD for each that
 * is a zombie; then its own parent, or tracer, one for itself, and none any more. So the last one
 * counts, and one to its parent more than one to somebody else, which can be for a child alone.
 */
static void note_notified(struct proclife_process *process, const struct proclife_process *whom,
			  uint64_t ts)
{
	bool other = whom->tgid != process->real_parent_tgid;

	if (other && process->marks.notified && !process->notified_other)
		return;
	process->notified_other = other;
	process->marks.notified = ts;
}

static proclife_apart int feed_signal(struct proclife_tasks *tasks,
				      const struct proclife_record *record)
{
	const struct proclife_signal *signal = &record->signal;
	struct proclife_task *task = task_of(tasks, record, 0), *sender;

	if (proclife_unlikely(!task))
		return -ENOMEM;
	if (signal->signo != SIGCHLD)
		return proclife_killer_note(task->process, record) ?: wanted(task->process);
	if (signal->code != CLD_EXITED && signal->code != CLD_KILLED && signal->code != CLD_DUMPED)
		return wanted(task->process); /* it has only been stopped, say */
	/* Of a sender that has exited behind all gaps: only then is it certain to be this one. */
	sender = proclife_task_get(tasks, signal->sender);
	if (sender && sender->process->tgid == signal->sender_tgid &&
	    sender->process->marks.exited > tasks->gap_to)
		note_notified(sender->process, task->process, record->ts);
	return wanted(task->process);
}

/* Of a later ABI: who knows what its head is. */
static proclife_apart int feed_unknown(struct proclife_tasks *tasks,
				       const struct proclife_record *record)
{
	struct proclife_task *task = record->task ? proclife_task_get(tasks, record->task) : NULL;

	return task ? wanted(task->process) : !tasks->selecting && !tasks->filter;
}

/*
 * The type of the next record is as good as random. So it is the one thing that is asked first, and
 * once; the rest of what is asked mostly has the same answer for the same type.
 */
static inline int feed_record(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	switch (record->type) {
	case PROCLIFE_FORK:
		return feed_fork(tasks, record);
	case PROCLIFE_EXEC:
		return feed_exec(tasks, record);
	case PROCLIFE_ARGS:
		return feed_args(tasks, record);
	case PROCLIFE_RENAME:
		return feed_rename(tasks, record);
	case PROCLIFE_EXIT:
		return feed_exit(tasks, record);
	case PROCLIFE_REAP:
		return feed_reap(tasks, record);
	case PROCLIFE_FREE:
		return feed_free(tasks, record);
	case PROCLIFE_TASK:
		return feed_snapshot(tasks, record);
	case PROCLIFE_WAIT:
		return feed_wait(tasks, record);
	case PROCLIFE_HANG:
		return feed_other(tasks, record);
	case PROCLIFE_SIGNAL:
		return feed_signal(tasks, record);
	case PROCLIFE_SUPPRESSED:
		return proclife_suppressed_feed(tasks, record);
	default:
		return feed_unknown(tasks, record);
	}
}

static inline void fetch(const void *lines)
{
	for (uintptr_t at = 0; at < 3 * 64; at += 64)
		__builtin_prefetch((const void *)((uintptr_t)lines + at)); /* NULL will do */
}

/*
 * With many lives, each record would wait for the memory of its slot, then of its task, then of its
 * process. So each of them is fetched a few records ahead, one after the other. What is fetched can
 * be gone or another's when its time comes: slabs keep their memory, so that does no harm. Nor does
 * it if there is nothing to fetch, and that is no branch.
 */
static inline void look_ahead(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	const struct proclife_table *table = &tasks->by_handle;
	struct proclife_link *link = *proclife_table_slot(table, tasks->ahead_handle);

	fetch(tasks->ahead->process);
	link = link ? link : &tasks->nobody.by_handle;
	tasks->ahead = proclife_of_link(link, struct proclife_task, by_handle);
	fetch(tasks->ahead);
	tasks->ahead_handle = record->task;
	__builtin_prefetch(proclife_table_slot(table, record->task));
}

int proclife_tasks_feed(struct proclife_tasks *tasks, const struct proclife_event *event)
{
	int ret;

	if (proclife_unlikely(!event->record)) {
		/* Where a history begins, nothing has been seen that the gap could touch. */
		if (event->gap.lost || event->gap.from)
			tasks->gaps++;
		tasks->snapshot_gap |= event->gap.cpu == UINT32_MAX;
		if (tasks->gap_to < event->gap.to)
			tasks->gap_to = event->gap.to;
		return 1;
	}
	if (event->ahead)
		look_ahead(tasks, event->ahead);
	ret = feed_record(tasks, event->record);
	if (proclife_unlikely(tasks->error))
		return proclife_take_error(tasks);
	return ret;
}
