// SPDX-License-Identifier: GPL-2.0-only
#include "views/share/ended.h"
#include "triggers/judge.h"
#include <string.h>

/* Is it the name that the condition begins with, if it does with one? */
static bool is_about(const struct condition *condition, const char *comm)
{
	return !condition->program || (strnlen(comm, PROCLIFE_COMM_LEN) == condition->program &&
				       !strncmp(comm, condition->text, condition->program));
}

bool judge_concerns(const struct proclife_process *process, const struct condition *condition)
{
	return filter_passes(process) && is_about(condition, process->comm);
}

/* As shells have it. */
static uint64_t status_of(int32_t exit_code)
{
	unsigned int signal = (unsigned int)exit_code & 0x7f;

	return signal ? 128 + signal : (unsigned int)exit_code >> 8 & 0xff;
}

/*
 * Others go on when it begins to exit. What was lost since its process began can be that they do not; then the kernel's
 * count at the EXIT is asked, but what it counts can have begun to exit, too.
 */
static bool ends_alone(const struct proclife_tasks *tasks, const struct proclife_task *task,
		       const struct proclife_record *record, uint32_t *live)
{
	bool unsure = proclife_tasks_may_lack(tasks, PROCLIFE_EXITING, task->process->seen);

	/* Where the process ends as a whole, its EXITINGs have said that. */
	if (!task->exiting || proclife_process_state(task->process) != PROCLIFE_IS_ALIVE)
		return false;
	if (record->type == PROCLIFE_EXITING) {
		*live = task->process->going;
		return !unsure && task->exiting == record->ts && *live;
	}
	*live = record->exit.live;
	return unsure && !proclife_tasks_may_lack(tasks, PROCLIFE_EXITING, task->exiting) && *live;
}

bool judge_thread(const struct proclife_tasks *tasks, const struct proclife_task *task,
		  const struct proclife_record *record, struct thread_end *end)
{
	if (record->type != PROCLIFE_EXITING && record->type != PROCLIFE_EXIT)
		return false;
	end->task = task;
	end->exit_code = record->type == PROCLIFE_EXITING ? record->exiting.exit_code : record->exit.exit_code;
	end->status = status_of(end->exit_code);
	return ends_alone(tasks, task, record, &end->live);
}

bool judge_thread_concerns(const struct proclife_task *task, const struct condition *c)
{
	return c->what == CONDITION_THREAD_EXIT && filter_passes(task->process) && is_about(c, task->comm) &&
	       (!c->bound || task->pid == c->bound);
}

static bool phase_holds(const struct proclife_process *process, bool over, const struct condition *c,
			uint64_t *value)
{
	if (!condition_grows(c) && !over)
		return false;
	return proclife_process_phase(process, c->phase, value) &&
	       relation_holds(c->relation, *value, c->bound);
}

bool judge_holds(const struct proclife_process *process, bool over, const struct condition *c, uint64_t *value)
{
	uint64_t signal, status;

	if (!judge_concerns(process, c))
		return false;
	if (c->what == CONDITION_PHASE)
		return phase_holds(process, over, c, value);
	if (!proclife_process_has_exited(process) && !over)
		return false;
	if (!condition_is_of_life(c) || !process_has_ended(process) || proclife_process_ended_before(process))
		return false;
	signal = (unsigned int)process->exit_code & 0x7f;
	status = (unsigned int)process->exit_code >> 8 & 0xff;
	*value = status_of(process->exit_code);
	switch (c->what) {
	case CONDITION_FAILED:
		return signal || status;
	case CONDITION_SIGNAL:
		return signal && (!c->bound || signal == c->bound);
	default:
		return !signal && relation_holds(c->relation, status, c->bound);
	}
}

uint64_t judge_since(const struct proclife_process *process, const struct condition *c, bool *at_least)
{
	*at_least = false;
	if (c->what != CONDITION_PHASE || !condition_grows(c))
		return 0;
	return proclife_process_phase_since(process, c->phase, at_least);
}

uint64_t judge_due(const struct proclife_process *process, const struct condition *c)
{
	bool at_least;
	uint64_t from = judge_since(process, c, &at_least), due;

	if (!from || __builtin_add_overflow(from, condition_least(c), &due))
		return NEVER;
	return due;
}

enum proclife_type judge_lacks(const struct run *run, const struct condition *c)
{
	if (c->what == CONDITION_THREAD_EXIT)
		return run_has_exiting(run) ? PROCLIFE_NONE : PROCLIFE_EXITING;
	if (c->what != CONDITION_PHASE)
		return PROCLIFE_NONE;
	return proclife_phase_lacks(c->phase, proclife_source_header(run->source));
}
