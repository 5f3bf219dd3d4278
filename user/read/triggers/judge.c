// SPDX-License-Identifier: GPL-2.0-only
#include "views/share/ended.h"
#include "triggers/judge.h"
#include <string.h>

bool judge_concerns(const struct proclife_process *process, const struct condition *condition)
{
	const char *comm = process->comm;

	return filter_passes(process) &&
	       (!condition->program || (strlen(comm) == condition->program &&
					!strncmp(comm, condition->text, condition->program)));
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
	*value = signal ? 128 + signal : status;
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
	if (c->what != CONDITION_PHASE)
		return PROCLIFE_NONE;
	return proclife_phase_lacks(c->phase, proclife_source_header(run->source));
}
