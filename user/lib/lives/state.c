// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The states of lives: the one place that decides them. A state that a later gap can have changed
 * is unknown. If a mark is later than all gaps, no later mark is missing.
 */
#include "lives/tasks.h"

#include <stddef.h>

const char *proclife_state_name(enum proclife_life_state state)
{
	static const char *const names[PROCLIFE_STATES] = {
		[PROCLIFE_IS_ALIVE] = "alive",	   [PROCLIFE_IS_DYING] = "dying",
		[PROCLIFE_IS_ZOMBIE] = "zombie",   [PROCLIFE_IS_UNFREED] = "unfreed",
		[PROCLIFE_IS_FREED] = "freed",	   [PROCLIFE_IS_UNKNOWN] = "unknown",
	};

	return (unsigned int)state < PROCLIFE_STATES ? names[state] : NULL;
}

static enum proclife_life_state since(const struct proclife_tasks *tasks, uint64_t mark,
				 enum proclife_life_state state)
{
	return tasks->gap_to && mark <= tasks->gap_to ? PROCLIFE_IS_UNKNOWN : state;
}

/* A process that the snapshot finds unreaped is unreaped, whatever was missing before. */
static enum proclife_life_state unreaped(const struct proclife_tasks *tasks,
					 const struct proclife_process *process, uint64_t mark,
					 enum proclife_life_state state)
{
	uint64_t found = proclife_priv(process)->found;

	return since(tasks, proclife_later(found, mark), state);
}

/* When a record last showed that it had not ended: it begins to exit, or is killed. */
static uint64_t shown_alive(const struct proclife_process *process)
{
	const struct proclife_killer *killer = proclife_process_sigkill(process);
	uint64_t exiting = process->start ? proclife_priv(process)->last_exiting : 0;

	return proclife_later(process->seen, proclife_later(exiting, killer ? killer->ts : 0));
}

/* Without REAPs, a process that exits may have been reaped. A zombie in the snapshot was not. */
static enum proclife_life_state exited(const struct proclife_tasks *tasks, bool found_zombie)
{
	return tasks->without_reap && !found_zombie ? PROCLIFE_IS_UNFREED : PROCLIFE_IS_ZOMBIE;
}

/* Was a NOTIFY of its end seen? */
static bool is_noticed(const struct proclife_process *process)
{
	const struct proclife_tracer *tracer = proclife_process_tracer(process);

	return process->notified_tgid || (tracer && tracer->ts);
}

enum proclife_life_state proclife_process_state_now(const struct proclife_process *process)
{
	const struct proclife_priv_process *own = proclife_priv(process);
	const struct proclife_tasks *tasks = own->all;
	bool found_zombie = proclife_process_found_zombie(process);

	/* Only threads are left open, and their FREEs can have been lost long ago. */
	if (own->leader_freed && !proclife_process_ungapped(tasks, process))
		return PROCLIFE_IS_UNKNOWN;
	if (process->marks.reaped)
		return since(tasks, process->marks.reaped, PROCLIFE_IS_UNFREED);
	if (is_noticed(process))
		return unreaped(tasks, process, process->marks.notified, exited(tasks, found_zombie));
	if (process->live)
		return unreaped(tasks, process, shown_alive(process),
				own->ends ? PROCLIFE_IS_DYING : PROCLIFE_IS_ALIVE);
	/* A zombie in the snapshot was announced before that. */
	if (own->exited)
		return unreaped(tasks, process, process->marks.exited,
				tasks->with_notify && !found_zombie ? PROCLIFE_IS_DYING : exited(tasks, found_zombie));
	if (own->found_as == PROCLIFE_FOUND_EXITING)
		return unreaped(tasks, process, process->seen, PROCLIFE_IS_DYING);
	if (found_zombie)
		return unreaped(tasks, process, process->seen, PROCLIFE_IS_ZOMBIE);
	/* Its leader's EXIT was not the last one, even if a thread had begun to exit before the trace. */
	if (own->leader_ended && !own->group_dead)
		return since(tasks, process->leader_exited, PROCLIFE_IS_ALIVE);
	return PROCLIFE_IS_UNKNOWN; /* of the process, only a thread's end was seen */
}

const struct proclife_tracer *proclife_process_tracer(const struct proclife_process *process)
{
	return proclife_priv(process)->tracer;
}

uint64_t proclife_process_announced(const struct proclife_process *process)
{
	const struct proclife_tracer *tracer = proclife_process_tracer(process);

	return tracer && tracer->ts ? tracer->ts : process->marks.notified;
}

uint64_t proclife_process_shown_zombie(const struct proclife_process *process)
{
	if (!is_noticed(process) && (process->live || !proclife_process_found_zombie(process)))
		return 0;
	/* That was the first; of several others, this has the latest. */
	return proclife_process_ended_before(process) ? process->seen : proclife_priv(process)->found;
}

bool proclife_process_has_exited(const struct proclife_process *process)
{
	return proclife_priv(process)->exit_reported;
}

bool proclife_process_has_ended(const struct proclife_process *process)
{
	bool exited = proclife_process_has_exited(process);

	if (process->marks.exited || proclife_process_shown_zombie(process))
		return true;
	/* Behind a gap, another EXIT can have been lost. */
	return process->marks.reaped || (exited && (process->exit_code < 0 || !process->incomplete));
}

bool proclife_process_ended_before(const struct proclife_process *process)
{
	const struct proclife_priv_process *own = proclife_priv(process);

	return own->found_as == PROCLIFE_FOUND_FIRST && !process->live;
}

enum proclife_life_state proclife_process_state(const struct proclife_process *process)
{
	return process->open ? proclife_process_state_now(process) :
			       (enum proclife_life_state)proclife_priv(process)->last_state;
}

enum proclife_life_state proclife_task_state(const struct proclife_task *task)
{
	const struct proclife_tasks *tasks = proclife_priv(task->process)->all;

	if (task->marks.freed)
		return PROCLIFE_IS_FREED;
	if (proclife_priv_task(task)->lost)
		return PROCLIFE_IS_UNKNOWN;
	if (task->marks.reaped)
		return since(tasks, task->marks.reaped, PROCLIFE_IS_UNFREED);
	if (proclife_priv_task(task)->exited)
		return since(tasks, task->marks.exited,
			     exited(tasks, task->leader && proclife_process_found_zombie(task->process)));
	if (task->flags & PROCLIFE_F_ZOMBIE)
		return since(tasks, task->seen, PROCLIFE_IS_ZOMBIE);
	return since(tasks, task->seen, PROCLIFE_IS_ALIVE);
}
