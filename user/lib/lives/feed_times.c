// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What TIMES means. Its figures are sums since the fork of a task: so whatever records are missing between two of them,
 * their difference is what the task used in between.
 */
#include "lives/feed.h"

#include <errno.h>

/* Threads of one that is older than the trace can have ended before. */
static bool has_no_others(const struct proclife_process *process)
{
	return proclife_priv(process)->sole || (process->marks.born && !process->incomplete);
}

const struct proclife_used *proclife_process_used(const struct proclife_process *process)
{
	const struct proclife_priv_process *own = proclife_priv(process);
	const struct proclife_priv_extra *extra = proclife_extra_of_process(process);

	if (!own->all->with_times || extra->used_by != process->threads)
		return NULL;
	return has_no_others(process) ? &extra->used : NULL;
}

void proclife_io_add(struct proclife_io *to, uint64_t read_bytes, uint64_t write_bytes)
{
	proclife_sum(&to->read_bytes, read_bytes);
	proclife_sum(&to->write_bytes, write_bytes);
}

const struct proclife_io *proclife_process_io(const struct proclife_process *process)
{
	const struct proclife_priv_process *own = proclife_priv(process);

	if (own->io_of == process->threads && has_no_others(process))
		return &own->io;
	return proclife_process_used(process) ? &proclife_extra_of_process(process)->io : NULL;
}

static struct proclife_times_at at_of(const struct proclife_times *times)
{
	return (struct proclife_times_at){ times->runtime, times->delay, times->nvcsw, true };
}

/* Any program can have written a recording. */
static void set_split(struct proclife_split *split, const struct proclife_times_at *from,
		      const struct proclife_times_at *to, uint64_t elapsed)
{
	uint64_t waiting = to->delay - from->delay, ran = to->runtime - from->runtime, rest;

	*split = (struct proclife_split){ 0 };
	if (to->delay < from->delay || to->runtime < from->runtime || to->nvcsw < from->nvcsw)
		return;
	split->waiting = waiting < elapsed ? waiting : elapsed;
	rest = elapsed - split->waiting;
	split->exact = to->nvcsw == from->nvcsw;
	split->on_cpu = split->exact || ran > rest ? rest : ran;
	split->blocked = rest - split->on_cpu;
	split->known = true;
}

/* The threads of a process begin to exit one by one; then it has used what they have. */
static void note_exiting(struct proclife_task *task, const struct proclife_times *times)
{
	static const struct proclife_times_at born = { .known = true };
	struct proclife_process *process = task->process;
	struct proclife_priv_extra *extra = proclife_extra_of_process(process);
	struct proclife_times_at at = at_of(times);

	if (!task->exiting || proclife_extra_of(task)->at_exiting.known)
		return;
	proclife_extra_of(task)->at_exiting = at;
	proclife_sum(&extra->used.waiting, times->delay);
	proclife_io_add(&extra->io, times->read_bytes, times->write_bytes);
	extra->used_by++;
	if (process->threads == 1 && process->marks.born && task->marks.born == process->marks.born &&
	    task->exiting >= process->marks.born)
		set_split(proclife_split_of(process, PROCLIFE_LIFE), &born, &at, task->exiting - process->marks.born);
}

/* A thread that begins to exit after the others can end the process: then the leader's exit is not the process's. */
static void note_notify(const struct proclife_task *task, const struct proclife_times *times)
{
	const struct proclife_times_at *from = &proclife_extra_of(task)->at_exiting;
	struct proclife_process *process = task->process;
	struct proclife_times_at at = at_of(times);
	uint64_t announced = proclife_process_announced(process);

	if (from->known && task->exiting == process->marks.exited && announced >= task->exiting)
		set_split(proclife_split_of(process, PROCLIFE_TEARDOWN), from, &at, announced - task->exiting);
}

/* The phase is of the first exec. */
static void note_exec(struct proclife_task *task, const struct proclife_times *times)
{
	struct proclife_times_at *from = &proclife_extra_of(task)->at_execing, at = at_of(times);
	const struct proclife_births *births = proclife_process_births(task->process);

	if (from->known && births && births->execing && births->execed == task->process->execed)
		set_split(proclife_split_of(task->process, PROCLIFE_PHASE_EXEC), from, &at, births->execed - births->execing);
	from->known = false;
}

/* The time of a fork is its creator's, and the phase is of the first task of a process. */
static void note_fork(const struct proclife_tasks *tasks, struct proclife_task *creator, const struct proclife_times *times)
{
	struct proclife_priv_extra *own = proclife_extra_of(creator);
	const struct proclife_times_at at = at_of(times);
	struct proclife_task *task = own->forked ? proclife_task_get(tasks, own->forked) : NULL;
	const struct proclife_births *births = task ? proclife_process_births(task->process) : NULL;

	if (own->at_forking.known && births && births->forking && task->marks.born == task->process->marks.born)
		set_split(proclife_split_of(task->process, PROCLIFE_PHASE_FORK), &own->at_forking, &at,
			  task->marks.born - births->forking);
	own->at_forking.known = false;
	own->forked = 0;
}

/* Threads that a PAST counts. */
static void note_past(struct proclife_process *process, const struct proclife_times *times)
{
	struct proclife_priv_process *own = proclife_priv(process);

	proclife_io_add(&own->io, times->read_bytes, times->write_bytes);
	own->io_of += times->threads;
}

int proclife_feed_times(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	const struct proclife_times *times = &record->times;
	struct proclife_task *task = proclife_known_task(tasks, record, 0);

	if (proclife_unlikely(!task))
		return -ENOMEM;
	if (proclife_unlikely(times->what == PROCLIFE_TIMES_PAST))
		note_past(task->process, times);
	if (proclife_unlikely(!tasks->with_times))
		return proclife_wanted(task->process);
	switch (times->what) {
	case PROCLIFE_TIMES_FORKING:
		proclife_extra_of(task)->at_forking = at_of(times);
		break;
	case PROCLIFE_TIMES_FORK:
		note_fork(tasks, task, times);
		break;
	case PROCLIFE_TIMES_EXECING:
		proclife_extra_of(task)->at_execing = at_of(times);
		break;
	case PROCLIFE_TIMES_EXEC:
		note_exec(task, times);
		break;
	case PROCLIFE_TIMES_EXITING:
		note_exiting(task, times);
		break;
	case PROCLIFE_TIMES_NOTIFY:
		note_notify(task, times);
		break;
	default: /* of a later ABI */
		break;
	}
	return proclife_wanted(task->process);
}
