// SPDX-License-Identifier: LGPL-2.1-or-later
/* The phases of a life, between the marks that were seen. */
#include "phase.h"

#include <stddef.h>

const char *proclife_phase_name(enum proclife_phase phase)
{
	static const char *const names[PROCLIFE_PHASES] = {
		[PROCLIFE_LIFE] = "life",
		[PROCLIFE_TEARDOWN] = "teardown",
		[PROCLIFE_ZOMBIE] = "zombie",
		[PROCLIFE_RCU_FREE] = "rcu_free",
		[PROCLIFE_EXIT_FREE] = "exit_free",
	};

	return (unsigned int)phase < PROCLIFE_PHASES ? names[phase] : NULL;
}

bool proclife_phase_of(const struct proclife_marks *marks, enum proclife_phase phase, uint64_t *ns)
{
	uint64_t from = 0, to = 0;

	switch (phase) {
	case PROCLIFE_LIFE:
		from = marks->born;
		to = marks->exited;
		break;
	case PROCLIFE_TEARDOWN:
		from = marks->exited;
		to = marks->notified;
		break;
	case PROCLIFE_ZOMBIE:
		from = marks->zombie;
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

struct proclife_marks proclife_process_marks(const struct proclife_process *process)
{
	uint64_t zombie = process->notified ? process->notified : process->exited;

	return (struct proclife_marks){ process->born, process->exited, process->notified,
					process->notified_lost ? 0 : zombie, process->reaped,
					process->freed };
}

struct proclife_marks proclife_task_marks(const struct proclife_task *task)
{
	return (struct proclife_marks){ task->born,	 task->exited, 0,
					task->exited,	 task->reaped, task->freed };
}

bool proclife_process_phase(const struct proclife_process *process, enum proclife_phase phase,
			    uint64_t *ns)
{
	struct proclife_marks marks = proclife_process_marks(process);

	return proclife_phase_of(&marks, phase, ns);
}

bool proclife_task_phase(const struct proclife_task *task, enum proclife_phase phase, uint64_t *ns)
{
	struct proclife_marks marks = proclife_task_marks(task);

	return proclife_phase_of(&marks, phase, ns);
}
