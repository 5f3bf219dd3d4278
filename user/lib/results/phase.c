// SPDX-License-Identifier: LGPL-2.1-or-later
/* The phases of a life: times between those marks that were seen. */
#include "results/phase.h"

#include <stddef.h>

const char *proclife_phase_name(enum proclife_phase phase)
{
	static const char *const names[PROCLIFE_PHASES] = {
		[PROCLIFE_LIFE] = "life",
		[PROCLIFE_KILL] = "kill",
		[PROCLIFE_TEARDOWN] = "teardown",
		[PROCLIFE_HELD] = "held",
		[PROCLIFE_UNMAP] = "unmap",
		[PROCLIFE_TRACED] = "traced",
		[PROCLIFE_ZOMBIE] = "zombie",
		[PROCLIFE_RCU_FREE] = "rcu_free",
		[PROCLIFE_EXIT_FREE] = "exit_free",
	};

	return (unsigned int)phase < PROCLIFE_PHASES ? names[phase] : NULL;
}

uint64_t proclife_process_zombie_since(const struct proclife_process *process)
{
	if (proclife_process_is_held(process))
		return proclife_process_announced(process);
	return process->marks.notified ? process->marks.notified : process->marks.exited;
}

bool proclife_phase_of(const struct proclife_ends *ends, enum proclife_phase phase, uint64_t *ns)
{
	const struct proclife_marks *marks = ends->marks;
	const struct proclife_memory *memory = ends->memory;
	uint64_t from = 0, to = 0;

	switch (phase) {
	case PROCLIFE_LIFE:
		from = marks->born;
		to = marks->exited;
		break;
	case PROCLIFE_KILL:
		from = ends->killed;
		to = marks->exited;
		break;
	case PROCLIFE_TEARDOWN:
		from = ends->tracer_lost ? 0 : marks->exited;
		to = ends->traced ? ends->traced : marks->notified;
		break;
	case PROCLIFE_HELD:
		from = memory ? memory->left : 0;
		to = memory ? memory->teardown : 0;
		break;
	case PROCLIFE_UNMAP:
		from = memory ? memory->teardown : 0;
		to = memory ? memory->gone : 0;
		break;
	case PROCLIFE_TRACED:
		from = ends->traced;
		to = marks->notified;
		break;
	case PROCLIFE_ZOMBIE:
		from = marks->notified || ends->notified_lost ? marks->notified : marks->exited;
		to = marks->reaped;
		break;
	case PROCLIFE_RCU_FREE:
		from = marks->reaped;
		to = marks->freed;
		break;
	case PROCLIFE_EXIT_FREE:
		from = marks->exited;
		to = marks->freed;
		break;
	case PROCLIFE_PHASES:
		break;
	}
	if (!from || to < from)
		return false;
	*ns = to - from;
	return true;
}

bool proclife_marks_phase(const struct proclife_marks *marks, enum proclife_phase phase,
			  uint64_t *ns)
{
	return proclife_phase_of(&(struct proclife_ends){ .marks = marks }, phase, ns);
}

bool proclife_process_phase(const struct proclife_process *process, enum proclife_phase phase,
			    uint64_t *ns)
{
	const struct proclife_tracer *tracer = proclife_process_tracer(process);
	const struct proclife_ends ends = {
		.marks = &process->marks,
		.traced = tracer ? tracer->ts : 0,
		.memory = proclife_process_memory(process),
		.killed = phase == PROCLIFE_KILL ? proclife_process_killed(process) : 0,
		.notified_lost = process->notified_lost,
		.tracer_lost = process->tracer_lost,
	};

	return proclife_phase_of(&ends, phase, ns);
}

bool proclife_task_phase(const struct proclife_task *task, enum proclife_phase phase, uint64_t *ns)
{
	return proclife_marks_phase(&task->marks, phase, ns);
}
