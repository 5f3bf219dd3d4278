// SPDX-License-Identifier: LGPL-2.1-or-later
/* What EXIT, NOTIFY, SIGNAL, WAIT, REAP and FREE mean: how a life ends, and which tasks were there. */
#include "lives/feed.h"
#include "lives/memory.h"
#include "lives/report.h"

#include <errno.h>
#include <stdlib.h>

#define WAITED_FOR ((1u << 22) - 1)

static void tell_exited(struct proclife_tasks *tasks, struct proclife_process *process)
{
	struct proclife_priv_process *own = proclife_priv(process);
	bool again = own->exit_reported;

	/* The filter asks for this. */
	own->exit_reported = true;
	if (!again)
		process->incomplete |= !proclife_process_ungapped(tasks, process);
	proclife_filter(tasks, process);
	if (!again)
		proclife_report_exited(tasks, process);
}

/* Can nothing of its end have been before this? */
static bool is_first_of_end(const struct proclife_tasks *tasks, const struct proclife_process *process,
			    const struct proclife_record *record)
{
	const struct proclife_priv_process *own = proclife_priv(process);
	bool core = record->type == PROCLIFE_EXITING && proclife_dumps_core(record->exiting.exit_code & 0x7f);

	if (own->sole && !core)
		return true;
	/*
	 * If a process is older than the trace, others can have begun before, and exited, too, unless it
	 * was shown otherwise since. A COREDUMP that is not in the trace was before it.
	 */
	return proclife_process_ungapped(tasks, process) && !own->end_hidden &&
	       (own->sole || own->shown_alive) && (process->marks.born || !core);
}

/* The process ends as a whole. */
static void note_end(struct proclife_tasks *tasks, struct proclife_process *process,
		     const struct proclife_record *record)
{
	struct proclife_priv_process *own = proclife_priv(process);

	if (own->ends || own->exit_reported) /* no thread was left: this one was not known */
		return;
	own->ends = true;
	if (is_first_of_end(tasks, process, record))
		process->exiting = record->ts;
	proclife_report_exiting(tasks, process);
}

int proclife_feed_exiting(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	struct proclife_task *task = proclife_known_task(tasks, record, 0);
	struct proclife_process *process;

	if (proclife_unlikely(!task))
		return -ENOMEM;
	process = task->process;
	if (task->exiting) /* after a fault of its own, on old kernels */
		return proclife_wanted(process);
	task->exiting = record->ts;
	proclife_task_ending(task);
	proclife_priv(process)->mm = record->exiting.mm;
	proclife_set_cgroup(task, record->exiting.cgroup); /* it can have been moved since its last exec */
	proclife_filter(tasks, process);
	if (process->start)
		proclife_priv(process)->last_exiting = record->ts;
	if (task->leader)
		process->leader_exited = record->ts;
	if (record->flags & PROCLIFE_F_SOLE)
		proclife_priv(process)->sole = true;
	if (record->flags & (PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE))
		note_end(tasks, process, record);
	return proclife_wanted(process);
}

int proclife_feed_coredump(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	struct proclife_task *task = proclife_known_task(tasks, record, 0);

	if (proclife_unlikely(!task))
		return -ENOMEM;
	note_end(tasks, task->process, record);
	return proclife_wanted(task->process);
}

/* The last EXIT of a process has been seen: when did the exit begin? */
static uint64_t end_of(const struct proclife_tasks *tasks, const struct proclife_process *process,
		       uint64_t exit)
{
	const struct proclife_priv_process *own = proclife_priv(process);
	uint64_t last = process->start ? own->last_exiting : 0;

	if (!tasks->with_exiting)
		return exit;
	if (own->ends)
		return process->exiting;
	/* One by one: a thread that exits quickly can begin later than the one that is the last. */
	return proclife_process_ungapped(tasks, process) || last > tasks->gap_to ? last : 0;
}

/*
 * The kernel's own figure is the largest of all address spaces that the process had. So it counts only if
 * that was one; otherwise feed_mm.c may know the peak.
 */
static void note_max_rss(const struct proclife_tasks *tasks, struct proclife_process *process,
			 const struct proclife_record *record)
{
	bool only = !process->execs && proclife_process_whole(tasks, process);

	if (!only && !(record->flags & PROCLIFE_F_PEAK))
		return;
	process->max_rss = record->exit.max_rss;
	proclife_priv(process)->peaked = true;
}

int proclife_feed_exit(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	const struct proclife_exit *exit = &record->exit;
	struct proclife_task *task = proclife_known_task(tasks, record, 0);
	struct proclife_process *process;
	struct proclife_priv_process *own;

	if (proclife_unlikely(!task))
		return -ENOMEM;
	process = task->process;
	own = proclife_priv(process);
	proclife_priv_task(task)->exited = true;
	proclife_thread_outlived(own);
	task->marks.exited = tasks->with_exiting ? task->exiting : record->ts;
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
	/* A kprobe missed its EXITING, which can have been the first one. */
	if (tasks->with_exiting && !task->exiting && !own->end_hidden &&
	    proclife_process_ungapped(tasks, process))
		process->exiting = 0;
	proclife_task_dead(task);
	if (task->leader) {
		proclife_copy_name(process->comm, record->comm);
		process->flags = task->flags;
		own->leader_ended = true;
		process->leader_exited = task->exiting ? task->exiting : record->ts;
		proclife_filter(tasks, process);
	}
	process->real_parent_tgid = exit->parent_tgid;
	proclife_copy_name(task->comm, record->comm);
	/* wait(2) gives the group's code if the group ended as a whole, otherwise the leader's. */
	if (record->flags & PROCLIFE_F_GROUP_EXIT) {
		process->exit_code = exit->exit_code;
		own->group_exit = true;
	} else if (task->leader && !own->group_exit) {
		process->exit_code = exit->exit_code;
	}
	if (record->flags & PROCLIFE_F_GROUP_DEAD) {
		own->group_dead = true;
		note_max_rss(tasks, process, record);
	}
	/*
	 * Before Linux 6.16, the EXITs of two threads can both have the flag of the last one. The
	 * later one is right: as long as a thread is not known to be dead, its EXIT can still come.
	 * A thread of which the recording has nothing but a PAST can be alive, too.
	 */
	if (!process->live && (own->group_dead || (!exit->live && proclife_process_whole(tasks, process)))) {
		own->exited = true;
		process->marks.exited = end_of(tasks, process, record->ts);
		own->unsure = !own->sole && !proclife_process_whole(tasks, process);
		own->counted = proclife_process_ungapped(tasks, process);
		proclife_memory_peaked(process);
		tell_exited(tasks, process);
	}
	return proclife_wanted(process);
}

/*
 * Since when the reaper has been in the wait(2) that reaps this task. Each wait(2) reaps one task.
 * 0 if there was no wait(2): the task reaped itself, or was released by the exec of another thread
 * or by the exit of its parent. Also 0 after a gap, or where WAITs are suppressed: there may have
 * been a later WAIT than the last one seen.
 */
static uint64_t waiting_since(const struct proclife_tasks *tasks, struct proclife_task *reaper,
			      const struct proclife_task *task)
{
	uint64_t since = reaper->waited;

	if (reaper->process == task->process || proclife_priv_task(reaper)->exited)
		return 0;
	reaper->waited = 0;
	return proclife_tasks_may_lack(tasks, PROCLIFE_WAIT, since) ? 0 : since;
}

uint32_t proclife_due_to(const struct proclife_process *process, uint64_t *id)
{
	uint32_t last = proclife_last_parent(process);
	bool by_birth = last == process->parent_tgid;

	*id = process->notified_id || !by_birth ? process->notified_id : process->parent_id;
	return process->notified_tgid || by_birth ? last : 0;
}

/* The process whose `reaps` this reap sets: its reaper, or the parent that ignores it. */
static struct proclife_process *due_to(const struct proclife_tasks *tasks,
				       const struct proclife_process *process,
				       const struct proclife_task *reaper)
{
	struct proclife_process *parent;
	uint64_t id;

	if (!process->autoreaped)
		return reaper ? reaper->process : NULL;
	parent = proclife_tasks_holder(tasks, proclife_due_to(process, &id));
	return parent && parent->id == id ? parent : NULL;
}

/* The kernel lets the init of a pid namespace ignore SIGCHLD when it exits, and kills all of the others. */
static bool ended_with_parent(const struct proclife_tasks *tasks, const struct proclife_process *process)
{
	uint32_t tgid = proclife_last_parent(process);
	const struct proclife_process *parent;

	if (!process->autoreaped || tgid <= 1)
		return false;
	parent = proclife_tasks_holder(tasks, tgid);
	return parent && parent->ns_pid == 1 && (parent->exiting || parent->leader_exited);
}

/*
 * Before its end is noted: wait(2) gives the code of the group, if that ended as a whole. If the last EXIT was not
 * seen, another thread can have seen to that after the leader's.
 */
static void note_code(struct proclife_process *process)
{
	const struct proclife_priv_process *own = proclife_priv(process);
	bool leads = process->leader && !proclife_priv_task(process->leader)->dead;

	if (!own->exited && !own->group_dead && !own->group_exit && (process->live > leads || own->leader_ended))
		process->exit_code = -1;
}

/* NULL: it is not known. */
static struct proclife_task *reaper_of(struct proclife_tasks *tasks, const struct proclife_reap *reap)
{
	struct proclife_task *reaper = proclife_task_get(tasks, reap->reaper);

	return reaper && reaper->tgid == reap->reaper_tgid ? reaper : NULL;
}

void proclife_reap_passed(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	struct proclife_task *reaper = reaper_of(tasks, &record->reap);

	if (reaper && !proclife_priv_task(reaper)->exited)
		reaper->waited = 0; /* as in waiting_since() */
}

int proclife_feed_reap(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	const struct proclife_reap *reap = &record->reap;
	struct proclife_task *task = proclife_known_task(tasks, record, 0), *reaper;
	struct proclife_process *process, *due;

	if (proclife_unlikely(!task))
		return -ENOMEM;
	process = task->process;
	reaper = reaper_of(tasks, reap);
	task->reaper_waited = reaper ? waiting_since(tasks, reaper, task) : 0;
	if (task->leader)
		note_code(process);
	proclife_task_dead(task); /* even if its EXIT was lost */
	task->marks.reaped = record->ts;
	task->reaper_pid = reap->reaper_pid;
	task->reaper_tgid = reap->reaper_tgid;
	task->reaper_named = proclife_copy_who(task->reaper_comm, reap->reaper_group_comm, reap->reaper_comm,
					       reap->reaper_pid == reap->reaper_tgid);
	if (!task->leader) {
		proclife_thread_outlived(proclife_priv(process));
		proclife_priv_task(task)->found_ending = false;
		return proclife_wanted(process);
	}
	proclife_process_sure(tasks, process);
	process->marks.reaped = record->ts;
	proclife_memory_peaked(process);
	/* There is one before each REAP of a process. */
	process->notified_lost = !process->marks.notified && tasks->with_notify;
	/* If that is not there, this shows it, unless a tracer has released it. */
	if (reap->reaper_tgid == process->tgid)
		process->autoreaped = process->autoreaped ? process->autoreaped : PROCLIFE_AUTOREAP_UNKNOWN;
	process->reaper_pid = reap->reaper_pid;
	process->reaper_tgid = reap->reaper_tgid;
	proclife_copy_name(process->reaper_comm, task->reaper_comm);
	process->reaper_named = task->reaper_named;
	process->ended_with_parent = ended_with_parent(tasks, process);
	process->reaper_id = reaper ? reaper->process->id : 0;
	process->reaper_waited = task->reaper_waited;
	proclife_set_cgroup(task, reap->cgroup);
	if (proclife_likely(record->flags & PROCLIFE_F_USER))
		proclife_set_uid(process, reap->uid);
	proclife_filter(tasks, process);
	if (!proclife_wanted(process))
		return 0;
	due = due_to(tasks, process, reaper);
	if (due)
		proclife_priv(due)->reaps = true;
	return 1;
}

int proclife_feed_free(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	struct proclife_task *task = proclife_task_known(tasks, record);
	bool selected;

	/* Nothing begins with the FREE of an unknown thread: its process may be long gone. */
	if (proclife_unlikely(!task && record->pid != record->tgid))
		return !tasks->selecting && !tasks->filter;
	if (proclife_unlikely(!task))
		task = proclife_task_of(tasks, record, 0, NULL);
	if (proclife_unlikely(!task))
		return -ENOMEM;
	selected = proclife_wanted(task->process);
	task->marks.freed = record->ts;
	task->free_cpu = record->cpu;
	task->process->free_cpu = record->cpu;
	proclife_priv(task->process)->leader_freed |= task->leader;
	proclife_memory_peaked(task->process);
	task->runtime = record->free.runtime;
	task->utime = record->free.utime;
	task->stime = record->free.stime;
	if (proclife_likely(record->flags & PROCLIFE_F_IO)) {
		proclife_io_add(&proclife_priv(task->process)->io, record->free.read_bytes, record->free.write_bytes);
		proclife_priv(task->process)->io_of++;
	}
	proclife_task_end(tasks, task);
	return selected;
}

const char *proclife_autoreap_name(uint32_t why)
{
	static const char *const names[] = {
		[PROCLIFE_AUTOREAP_IGNORED] = "ignored", [PROCLIFE_AUTOREAP_NOCLDWAIT] = "nocldwait",
		[PROCLIFE_AUTOREAP_CLONE] = "clone",
	};

	return why < sizeof(names) / sizeof(names[0]) ? names[why] : NULL;
}

const char *proclife_wait_name(uint32_t what)
{
	static const char *const names[] = {
		[PROCLIFE_WAIT_ANY] = "any", [PROCLIFE_WAIT_PID] = "pid", [PROCLIFE_WAIT_GROUP] = "group",
	};

	return what < sizeof(names) / sizeof(names[0]) ? names[what] : NULL;
}

/* No pid of Linux has more bits than waited_for, but a recording can. */
static void note_wanted(struct proclife_process *process, const struct proclife_wait *wait)
{
	bool fits = wait->wanted <= WAITED_FOR;

	process->waited_for = fits ? wait->wanted & WAITED_FOR : 0;
	process->waited_what = fits && proclife_wait_name(wait->what) ? wait->what & 3 : 0;
}

int proclife_feed_wait(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	struct proclife_task *task = proclife_known_task(tasks, record, 0);

	if (proclife_unlikely(!task))
		return -ENOMEM;
	if (proclife_unlikely(tasks->suppressed[PROCLIFE_WAIT] != NULL))
		proclife_suppressed_over(tasks, record);
	task->waited = record->ts;
	if (proclife_likely(task->process->waited < record->ts)) { /* a PAST can be ahead */
		task->process->waited = record->ts;
		note_wanted(task->process, &record->wait);
	}
	return proclife_wanted(task->process);
}

int proclife_tracer_note(struct proclife_process *process, uint64_t ts, uint64_t id, uint32_t tgid,
			 const char comm[PROCLIFE_COMM_LEN])
{
	struct proclife_priv_process *own = proclife_priv(process);

	if (own->tracer && own->tracer->ts)
		return 0;
	if (!own->tracer)
		own->tracer = malloc(sizeof(*own->tracer));
	if (!own->tracer)
		return -ENOMEM;
	*own->tracer = (struct proclife_tracer){ .ts = ts, .id = id, .tgid = tgid };
	if (comm)
		proclife_copy_name(own->tracer->comm, comm);
	return 0;
}

void proclife_thread_outlived(struct proclife_priv_process *process)
{
	if (process->found_as < PROCLIFE_FOUND_DEAD)
		return;
	process->found_as = PROCLIFE_FOUND_EXITING;
	/* So the tracer of that leader was not notified of the end. */
	if (process->tracer && !process->tracer->ts) {
		free(process->tracer);
		process->tracer = NULL;
	}
}

/* Can no NOTIFY of its end have been before the first thing that was seen of that, or in a gap since? */
static bool is_all_seen(const struct proclife_tasks *tasks, const struct proclife_process *process)
{
	const struct proclife_priv_process *own = proclife_priv(process);
	uint64_t seen = own->exited ? process->marks.exited : own->found;

	return (own->exited || own->found_as == PROCLIFE_FOUND_EXITING || own->tracer) &&
	       (proclife_process_ungapped(tasks, process) || seen > tasks->gap_to);
}

/*
 * Is it, or can the first one have been before the trace, or in a gap? That was for the parent at the EXIT, or
 * at the tracer's notice. A process that was found as a zombie was announced before, unless a tracer held it then.
 */
static bool is_first_notice(const struct proclife_process *process, const struct proclife_notify *notify,
			    bool all_seen)
{
	const struct proclife_priv_process *own = proclife_priv(process);

	if (own->tracer && own->tracer->released)
		return false;
	return all_seen || ((own->exited || own->tracer) && notify->parent_tgid == process->real_parent_tgid);
}

static uint8_t autoreap_of(const struct proclife_notify *notify)
{
	return proclife_autoreap_name(notify->autoreap) ? notify->autoreap & 3 : PROCLIFE_AUTOREAP_UNKNOWN;
}

static uint64_t receiver_id(struct proclife_tasks *tasks, const struct proclife_notify *notify)
{
	const struct proclife_process *receiver = proclife_group_get(tasks, notify->receiver_group);

	return receiver && receiver->tgid == notify->receiver_tgid && !receiver->marks.reaped ? receiver->id : 0;
}

/* It is a zombie: no thread of it is left, and if its EXIT was lost, this has the parent that it had. */
static void note_dead(struct proclife_process *process, const struct proclife_record *record)
{
	struct proclife_priv_process *own = proclife_priv(process);
	struct proclife_priv_task *each;

	if (!proclife_process_shown_zombie(process)) {
		proclife_thread_outlived(own);
		if (!own->exited)
			process->real_parent_tgid = record->notify.parent_tgid;
	}
	note_code(process);
	/* Those that began last come first. */
	for (each = own->tasks; each && process->live; each = each->next)
		proclife_task_dead(&each->task);
	own->found = record->ts;
}

/* How the end of a process becomes known. A thread's end is announced only to a tracer, and is not waited for. */
int proclife_feed_notify(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	const struct proclife_notify *notify = &record->notify;
	struct proclife_task *task = proclife_known_task(tasks, record, 0);
	struct proclife_process *process;
	bool first, all_seen;

	if (proclife_unlikely(!task))
		return -ENOMEM;
	process = task->process;
	if (!(record->flags & PROCLIFE_F_GROUP_DEAD) || !task->leader || process->marks.reaped)
		return proclife_wanted(process);
	all_seen = is_all_seen(tasks, process);
	first = is_first_notice(process, notify, all_seen);
	note_dead(process, record);
	if (record->flags & PROCLIFE_F_TRACER) {
		char comm[PROCLIFE_COMM_LEN];
		int err;

		proclife_copy_who(comm, notify->receiver_group_comm, notify->receiver_comm, true);
		err = proclife_tracer_note(process, record->ts, receiver_id(tasks, notify),
					   notify->receiver_tgid, comm);
		proclife_memory_peaked(process);
		proclife_filter(tasks, process);
		return err ? err : proclife_wanted(process);
	}
	/* Those after the first one are for parents that inherit it. */
	if (!process->notified_tgid && first) {
		process->tracer_lost = !all_seen && !proclife_process_announced(process);
		process->marks.notified = record->ts;
		proclife_priv(process)->coalesced = notify->signo && notify->result == PROCLIFE_SIGNAL_PENDING;
	}
	process->notified_lost = !process->marks.notified;
	/* The process that inherits it can ignore it, too. */
	process->autoreaped = record->flags & PROCLIFE_F_AUTOREAP ? autoreap_of(notify) : 0;
	process->notified_tgid = notify->receiver_tgid;
	proclife_memory_peaked(process);
	process->notified_id = receiver_id(tasks, notify);
	proclife_filter(tasks, process);
	return proclife_wanted(process);
}

int proclife_feed_signal(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	struct proclife_task *task = proclife_known_task(tasks, record, 0);

	if (proclife_unlikely(!task))
		return -ENOMEM;
	return proclife_killer_note(task->process, record) ?: proclife_wanted(task->process);
}
