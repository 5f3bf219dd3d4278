// SPDX-License-Identifier: GPL-2.0-only
#include "views/share/ended.h"
#include "triggers/judge.h"
#include <string.h>

bool judge_concerns(const struct judged *judged, const struct condition *condition)
{
	const char *comm = judged->process->comm;

	return filter_passes(judged->process) &&
	       (!condition->program || (strlen(comm) == condition->program &&
					!strncmp(comm, condition->text, condition->program)));
}

static bool is_recorded(const struct run *run, enum proclife_type type)
{
	const struct proclife_header *header = proclife_source_header(run->source);

	return header && header->features & PROCLIFE_HAS(type);
}

static bool phase_holds(const struct judged *judged, const struct condition *c, uint64_t *value)
{
	const struct proclife_process *process = judged->process;

	if (!condition_grows(c) && !judged->over)
		return false;
	return proclife_process_phase(process, c->phase, value) &&
	       relation_holds(c->relation, *value, c->bound);
}

bool judge_holds(const struct judged *judged, const struct condition *c, uint64_t *value)
{
	const struct proclife_process *process = judged->process;
	uint64_t signal, status;

	if (!judge_concerns(judged, c))
		return false;
	if (c->what == CONDITION_PHASE)
		return phase_holds(judged, c, value);
	if (!proclife_process_has_exited(process) && !judged->over)
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

/* Processes that were zombies before they were seen have been zombies for longer. */
static uint64_t zombie_since(const struct judged *judged, bool *at_least)
{
	const struct proclife_process *process = judged->process;

	if (proclife_process_state(process) != PROCLIFE_IS_ZOMBIE)
		return 0;
	if (process->marks.notified)
		return process->marks.notified;
	if (proclife_process_is_held(process))
		return 0;
	if (!process->notified_lost && process->marks.exited) /* NOTIFY is not recorded */
		return process->marks.exited;
	*at_least = true;
	return proclife_process_shown_zombie(process);
}

static uint64_t traced_since(const struct judged *judged, bool *at_least)
{
	const struct proclife_process *process = judged->process;
	uint64_t since;

	if (!proclife_process_is_held(process))
		return 0;
	since = proclife_process_tracer(process)->ts;
	*at_least = !since;
	return since ? since : proclife_process_shown_zombie(process);
}

/* EXIT can come long after the exit has begun. */
static uint64_t exit_since(const struct proclife_process *process)
{
	return proclife_process_has_exited(process) ? process->marks.exited : process->exiting;
}

static uint64_t teardown_since(const struct judged *judged)
{
	const struct proclife_process *process = judged->process;

	if (proclife_process_announced(process) || process->marks.reaped ||
	    !is_recorded(judged->run, PROCLIFE_NOTIFY))
		return 0;
	return exit_since(process);
}

/* Does a thread of it go on? One that has begun to exit does not, whatever the others do. */
static bool lives(const struct judged *judged)
{
	const struct proclife_process *process = judged->process;

	return process->going && !judged->ends && !proclife_process_has_exited(process) &&
	       !process->marks.reaped;
}

/* Where there is nothing to unmap, no record may show that it is over. A notice of its own exit does. */
static uint64_t unmap_since(const struct proclife_process *process, const struct proclife_memory *memory)
{
	if (!(memory->rss_anon | memory->rss_file | memory->rss_shmem | memory->swap) ||
	    (memory->own &&
	     (proclife_process_announced(process) || process->marks.reaped || !process->open)))
		return 0;
	return memory->teardown;
}

static uint64_t since(const struct judged *judged, enum proclife_phase phase, bool *at_least)
{
	const struct proclife_process *process = judged->process;
	const struct proclife_memory *memory = proclife_process_memory(process);
	const struct proclife_killer *killer;

	switch (phase) {
	case PROCLIFE_LIFE:
		return process->marks.born && lives(judged) ? process->marks.born : 0;
	case PROCLIFE_KILL:
		killer = proclife_process_sigkill(process);
		return killer && lives(judged) ? killer->ts : 0;
	case PROCLIFE_TEARDOWN:
		return teardown_since(judged);
	case PROCLIFE_HELD:
		return memory && memory->open && !memory->teardown ? memory->left : 0;
	case PROCLIFE_UNMAP:
		return memory && memory->open && !memory->gone ? unmap_since(process, memory) : 0;
	case PROCLIFE_TRACED:
		return traced_since(judged, at_least);
	case PROCLIFE_ZOMBIE:
		return zombie_since(judged, at_least);
	case PROCLIFE_RCU_FREE:
		return process->open ? process->marks.reaped : 0;
	case PROCLIFE_EXIT_FREE:
		return process->open ? exit_since(process) : 0;
	case PROCLIFE_PHASES:
		break;
	}
	return 0;
}

/* What goes on since before a gap: can that have hidden the end? A snapshot may have shown it again. */
static bool can_be_over(const struct judged *judged, enum proclife_phase phase)
{
	if (phase != PROCLIFE_LIFE && phase != PROCLIFE_KILL && phase != PROCLIFE_TRACED &&
	    phase != PROCLIFE_ZOMBIE && phase != PROCLIFE_EXIT_FREE)
		return true;
	return proclife_process_state(judged->process) == PROCLIFE_IS_UNKNOWN;
}

uint64_t judge_since(const struct judged *judged, const struct condition *c, bool *at_least)
{
	uint64_t from;

	*at_least = false;
	if (c->what != CONDITION_PHASE || !condition_grows(c))
		return 0;
	from = since(judged, c->phase, at_least);
	return from > judged->gap_to || !can_be_over(judged, c->phase) ? from : 0;
}

uint64_t judge_due(const struct judged *judged, const struct condition *c)
{
	bool at_least;
	uint64_t from = judge_since(judged, c, &at_least), due;

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
