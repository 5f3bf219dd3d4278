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

/*
 * Where the process ends as a whole, its threads' EXITINGs say that before their EXITs come. So without its EXITING,
 * it is not known of a thread.
 */
bool judge_thread(const struct proclife_task *task, uint32_t live, const struct condition *c)
{
	return c->what == CONDITION_THREAD_EXIT && filter_passes(task->process) && is_about(c, task->comm) &&
	       (!c->bound || task->pid == c->bound) && live && task->exiting &&
	       proclife_process_state(task->process) == PROCLIFE_IS_ALIVE;
}

/* As shells have it. */
static uint64_t status_of(int32_t exit_code)
{
	unsigned int signal = (unsigned int)exit_code & 0x7f;

	return signal ? 128 + signal : (unsigned int)exit_code >> 8 & 0xff;
}

uint64_t judge_thread_status(const struct proclife_task *task)
{
	return status_of(task->exit_code);
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
