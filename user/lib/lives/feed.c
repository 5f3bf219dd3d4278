// SPDX-License-Identifier: LGPL-2.1-or-later
/* What each record means for the life of its task and process. */
#include "lives/feed.h"
#include "lives/report.h"
#include "source/source.h"

#include <errno.h>
#include <string.h>

/*
 * The parent or creator that a FORK or TASK names. A task with its handle that was reaped, or has
 * another tgid, is not the one: it is gone and its FREE was lost.
 */
static struct proclife_process *relative(struct proclife_tasks *tasks, uint64_t handle,
					 uint32_t tgid)
{
	struct proclife_task *task = handle ? proclife_task_get(tasks, handle) : NULL;

	return task && task->tgid == tgid && !task->marks.reaped ? task->process : NULL;
}

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
		/* It was seen before its FORK: in the snapshot, or as the target of a signal. */
		if (task->process->handle != fork->group)
			proclife_task_set_group(tasks, task, record, fork->group);
		process = task->process;
	} else {
		process = proclife_group_get(tasks, fork->group);
		if (record->pid != record->tgid) {
			process = proclife_process_of(tasks, record, fork->group, &fresh);
		} else {
			/* The first task of a group: a process with this handle is gone unseen. */
			if (process)
				proclife_process_end(tasks, process);
			process = proclife_process_begin(tasks, record, fork->group);
			fresh = true;
			/* So is one that had this pid and of which only threads were seen. */
			other = proclife_tgid_next(process);
			if (proclife_unlikely(other && !other->open))
				proclife_process_end(tasks, other);
		}
		task = proclife_task_begin(tasks, record, process);
	}
	task->marks.born = record->ts;
	task->seen = record->ts;
	if (proclife_unlikely(tasks->birth_marks))
		proclife_birth_forked(tasks, task, record);
	if (record->pid != record->tgid) {
		if (fresh)
			proclife_process_born(tasks, process, NULL, NULL);
		if (proclife_unlikely(tasks->orphans.used))
			proclife_adopt_orphans(tasks, task);
		return proclife_wanted(process);
	}

	proclife_priv(process)->shown_alive = true;
	proclife_priv(process)->shares = record->flags & PROCLIFE_F_SHARES;
	process->marks.born = record->ts;
	process->seen = record->ts;
	process->parent_tgid = fork->parent_tgid;
	process->creator_tgid = fork->creator_tgid;
	proclife_set_uid(process, fork->uid);
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
	return proclife_wanted(process);
}

/* It is a zombie, and that its parent was notified is not in the trace. */
static bool is_notice_lost(const struct proclife_tasks *tasks, const struct proclife_process *process)
{
	return tasks->with_notify && !process->marks.notified && proclife_priv(process)->exited && !process->live &&
	       proclife_process_found_zombie(process) && !proclife_process_is_held(process);
}

/* The kernel comes to the leader first. In another order, it is not looked at any number of threads. */
static bool has_thread_that_ends(const struct proclife_priv_process *own)
{
	const struct proclife_priv_task *each = own->tasks;

	for (unsigned int n = 0; each && n < 16; n++, each = each->next)
		if (!each->task.leader && each->found_ending)
			return true;
	return false;
}

/* The NOTIFY of a parent that inherits it can be the first record of it, and comes to the same. */
static enum proclife_found found_as(const struct proclife_priv_process *own, const struct proclife_record *record)
{
	uint64_t first = own->process.seen;

	if (!(record->flags & PROCLIFE_F_ZOMBIE) || has_thread_that_ends(own))
		return record->flags & PROCLIFE_F_EXITING ? PROCLIFE_FOUND_EXITING : PROCLIFE_FOUND_OTHERWISE;
	return own->found_as == PROCLIFE_FOUND_FIRST || first == record->ts || first == own->found ?
		PROCLIFE_FOUND_FIRST : PROCLIFE_FOUND_DEAD;
}

/* Returns 0 or -ENOMEM. */
static int found_leader(struct proclife_task *task, const struct proclife_record *record)
{
	struct proclife_process *process = task->process;
	struct proclife_priv_process *own = proclife_priv(process);
	const struct proclife_state *state = &record->state;

	own->found_as = found_as(own, record);
	own->found = record->ts;
	process->flags = task->flags;
	process->real_parent_tgid = state->parent_tgid;
	/* Whatever the leader's EXIT said. */
	if (record->flags & PROCLIFE_F_GROUP_EXIT && record->flags & PROCLIFE_F_ZOMBIE) {
		process->exit_code = state->exit_code;
		own->group_exit = true;
	}
	if (own->found_as >= PROCLIFE_FOUND_DEAD && own->tracer)
		own->tracer->released = own->tracer->tgid != state->tracer_tgid;
	if (!state->tracer_tgid || process->marks.notified)
		return 0;
	return proclife_tracer_note(process, 0, 0, state->tracer_tgid, NULL);
}

static proclife_apart int feed_snapshot(struct proclife_tasks *tasks,
					const struct proclife_record *record)
{
	const struct proclife_state *state = &record->state;
	struct proclife_process *process, *parent;
	struct proclife_priv_process *own;
	bool fresh;
	struct proclife_task *task = proclife_task_of(tasks, record, state->group, &fresh);

	if (!task)
		return -ENOMEM;
	tasks->snapshot = true;
	process = task->process;
	own = proclife_priv(process);
	task->flags |= record->flags & (PROCLIFE_F_KTHREAD | PROCLIFE_F_WORKER);
	proclife_priv_task(task)->found_ending = record->flags & (PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE);
	if (!proclife_priv_task(task)->exited) {
		task->runtime = state->runtime;
		task->utime = state->utime;
		task->stime = state->stime;
		if (record->flags & (PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE)) {
			/* The EXIT may still come, or may be past: do not wait for it. */
			task->flags |= record->flags & (PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE);
			task->exit_code = state->exit_code;
			proclife_task_dead(task);
			if (task->leader && !own->group_exit) /* its code is the code of all threads */
				process->exit_code = state->exit_code;
		}
	}
	/* An end that had begun at that time may have begun before the trace. */
	if (record->flags & PROCLIFE_F_GROUP_EXIT ||
	    (!task->exiting && record->flags & (PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE)))
		own->end_hidden = true;
	own->shown_alive |= !(record->flags & PROCLIFE_F_GROUP_EXIT);
	if (!task->leader)
		proclife_thread_outlived(own);
	else if (found_leader(task, record))
		return -ENOMEM;
	process->notified_lost = is_notice_lost(tasks, process);
	proclife_set_cgroup(task, state->cgroup);
	if (process->marks.born) { /* its FORK had all the rest, as it was at birth */
		proclife_filter(tasks, process);
		if (tasks->orphans.used)
			proclife_adopt_orphans(tasks, task);
		return proclife_wanted(process);
	}
	if (task->leader || !process->leader) { /* the leader's values win, in either order */
		proclife_priv(process)->uid_count = 0; /* another thread's can be there */
		proclife_set_uid(process, state->uid);
		process->cgroup = state->cgroup;
	}
	if (task->leader) {
		process->ns_pid = state->ns_pid;
		process->ns_inum = state->ns_inum;
	}
	if (!process->parent_tgid)
		process->parent_tgid = state->parent_tgid;
	proclife_filter(tasks, process); /* now that its user is known */
	parent = relative(tasks, state->parent, state->parent_tgid);
	if (fresh)
		proclife_process_born(tasks, process, parent, NULL);
	if (tasks->orphans.used)
		proclife_adopt_orphans(tasks, task);
	/* Another thread's TASK may have named a parent that has exited since: keep that one. */
	if (process->parent_id || process->parent_tgid != state->parent_tgid)
		return proclife_wanted(process);
	if (parent)
		proclife_process_link(tasks, process, parent);
	else
		proclife_process_await(tasks, process, state->parent);
	return proclife_wanted(process);
}

static proclife_apart int feed_rename(struct proclife_tasks *tasks,
				      const struct proclife_record *record)
{
	struct proclife_task *task = proclife_known_task(tasks, record, 0);

	if (proclife_unlikely(!task))
		return -ENOMEM;
	proclife_set_name(task, record->rename.name);
	proclife_set_cgroup(task, record->rename.cgroup);
	proclife_filter(tasks, task->process);
	return proclife_wanted(task->process);
}

/* What is left of records that the recording does not have any more. */
static proclife_apart int feed_past(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	const struct proclife_past *past = &record->past;
	struct proclife_task *task = proclife_known_task(tasks, record, 0);
	struct proclife_process *process;

	if (proclife_unlikely(!task))
		return -ENOMEM;
	process = task->process;
	proclife_sum(&process->runtime, past->runtime);
	proclife_sum(&process->utime, past->utime);
	proclife_sum(&process->stime, past->stime);
	proclife_sum(&process->min_flt, past->min_flt);
	proclife_sum(&process->maj_flt, past->maj_flt);
	proclife_sum(&process->nvcsw, past->nvcsw);
	proclife_sum(&process->nivcsw, past->nivcsw);
	process->threads += past->threads;
	process->execs += past->execs;
	process->incomplete |= !!(record->flags & PROCLIFE_F_TRUNCATED);
	if (process->waited < past->waited && past->waited <= PROCLIFE_TIME_MAX) {
		process->waited = past->waited;
		process->waited_what = 0;
		process->waited_for = 0;
	}
	return proclife_wanted(process);
}

/* It changes nothing, but it can be the first record of the task. */
static proclife_apart int feed_other(struct proclife_tasks *tasks,
				     const struct proclife_record *record)
{
	struct proclife_task *task = proclife_known_task(tasks, record, 0);

	return proclife_likely(task != NULL) ? proclife_wanted(task->process) : -ENOMEM;
}

static proclife_apart int feed_oom(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	struct proclife_task *task = proclife_known_task(tasks, record, 0);

	if (proclife_unlikely(!task))
		return -ENOMEM;
	proclife_killer_oom(task->process, record);
	return proclife_wanted(task->process);
}

/* A type of a later ABI: only the handle is used, nothing else in its head is trusted. */
static proclife_apart int feed_unknown(struct proclife_tasks *tasks,
				       const struct proclife_record *record)
{
	struct proclife_task *task = record->task ? proclife_task_get(tasks, record->task) : NULL;

	return task ? proclife_wanted(task->process) : !tasks->selecting && !tasks->filter;
}

/*
 * The type of the next record is as good as random to the branch predictor. So there is one branch
 * on it, here; most later branches go the same way for all records of a type.
 */
static inline int feed_record(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	switch (record->type) {
	case PROCLIFE_FORK:
		return feed_fork(tasks, record);
	case PROCLIFE_EXEC:
		return proclife_feed_exec(tasks, record);
	case PROCLIFE_ARGS:
		return proclife_feed_args(tasks, record);
	case PROCLIFE_RENAME:
		return feed_rename(tasks, record);
	case PROCLIFE_EXIT:
		return proclife_feed_exit(tasks, record);
	case PROCLIFE_NOTIFY:
		return proclife_feed_notify(tasks, record);
	case PROCLIFE_REAP:
		return proclife_feed_reap(tasks, record);
	case PROCLIFE_FREE:
		return proclife_feed_free(tasks, record);
	case PROCLIFE_TASK:
		return feed_snapshot(tasks, record);
	case PROCLIFE_WAIT:
		return proclife_feed_wait(tasks, record);
	case PROCLIFE_EXITING:
		return proclife_feed_exiting(tasks, record);
	case PROCLIFE_COREDUMP:
		return proclife_feed_coredump(tasks, record);
	case PROCLIFE_MM:
		return proclife_feed_mm(tasks, record);
	case PROCLIFE_HANG:
		return feed_other(tasks, record);
	case PROCLIFE_OOM:
		return feed_oom(tasks, record);
	case PROCLIFE_CGROUP: /* it is about no task */
		proclife_report_cgroup(tasks, record);
		return !tasks->selecting && !tasks->filter;
	case PROCLIFE_PAST:
		return feed_past(tasks, record);
	case PROCLIFE_SIGNAL:
		return proclife_feed_signal(tasks, record);
	case PROCLIFE_BIRTH:
		return proclife_feed_birth(tasks, record);
	case PROCLIFE_FAIL:
		return proclife_feed_fail(tasks, record);
	case PROCLIFE_PATH:
		return proclife_feed_path(tasks, record);
	case PROCLIFE_TIMES:
		return proclife_feed_times(tasks, record);
	case PROCLIFE_SUPPRESSED:
		return proclife_suppressed_feed(tasks, record);
	default:
		return feed_unknown(tasks, record);
	}
}

struct proclife_process *proclife_tasks_pass(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	switch (record->type) {
	case PROCLIFE_FORK:
		if (tasks->birth_marks)
			proclife_birth_passed(tasks, record);
		return relative(tasks, record->fork.parent, record->fork.parent_tgid);
	case PROCLIFE_REAP:
		proclife_reap_passed(tasks, record);
		break;
	case PROCLIFE_BIRTH:
		if (!proclife_birth_has_budget(record))
			break;
		/* fall through */
	case PROCLIFE_WAIT:
	case PROCLIFE_FAIL:
		proclife_suppressed_over(tasks, record);
		break;
	default:
		break;
	}
	return NULL;
}

/* Where a RENAME can be missing, any later record of the task has its name. */
static void note_name(struct proclife_tasks *tasks,
				     const struct proclife_record *record)
{
	struct proclife_task *task = proclife_task_get(tasks, record->task);

	if (!task || task->start != record->start || task->pid != record->pid ||
	    !strncmp(task->comm, record->comm, PROCLIFE_COMM_LEN - 1))
		return;
	proclife_set_name(task, record->comm);
	proclife_filter(tasks, task->process);
}

/* Kept out of the path that every record takes. */
static proclife_apart int feed_named(struct proclife_tasks *tasks,
				     const struct proclife_record *record)
{
	int ret, err;

	note_name(tasks, record);
	ret = feed_record(tasks, record);
	err = proclife_take_error(tasks);
	return err ? err : ret;
}

static void look_ahead(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	const struct proclife_record *ahead = proclife_merge_ahead(&tasks->source->merge, record);

	if (ahead)
		proclife_prefetch(tasks, ahead);
}

int proclife_tasks_feed(struct proclife_tasks *tasks, const struct proclife_event *event)
{
	int ret;

	if (proclife_unlikely(!event->record)) {
		if (event->gap.to > PROCLIFE_TIME_MAX)
			return -EINVAL;
		tasks->snapshot_gap |= event->gap.cpu == PROCLIFE_CPU_SNAPSHOT;
		/* The gap where a history begins touches nothing: nothing has been seen yet. */
		proclife_tasks_gap(tasks, event->gap.to, event->gap.lost || event->gap.from);
		return 1;
	}
	if (proclife_unlikely(event->record->ts > PROCLIFE_TIME_MAX))
		return -EINVAL;
	if (proclife_unlikely(tasks->by_handle.used > PROCLIFE_MANY_TASKS) && tasks->source)
		look_ahead(tasks, event->record);
	if (proclife_unlikely(tasks->renames_lack))
		return feed_named(tasks, event->record);
	ret = feed_record(tasks, event->record);
	if (proclife_unlikely(tasks->error)) {
		int err = proclife_take_error(tasks);

		return err ? err : ret;
	}
	return ret;
}
