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

static bool is_recorded(const struct run *run, enum proclife_type type)
{
	const struct proclife_header *header = proclife_source_header(run->source);

	return header && header->features & PROCLIFE_HAS(type);
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
	enum proclife_type type;
	uint64_t needs;

	if (c->what != CONDITION_PHASE)
		return PROCLIFE_NONE;
	needs = proclife_phase_info(c->phase)->needs;
	for (type = 1; type < PROCLIFE_TYPES; type++)
		if (needs & PROCLIFE_HAS(type) && !is_recorded(run, type))
			return type;
	return PROCLIFE_NONE;
}
