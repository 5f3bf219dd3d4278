// SPDX-License-Identifier: GPL-2.0-only
#include "views/census.h"

struct census census_take(const struct run *run)
{
	const struct proclife_process *process = NULL;
	struct census census = { 0 };

	while ((process = proclife_tasks_next(run->tasks, process)))
		if (process->selected && process->matches)
			census.states[proclife_process_state(run->tasks, process)]++;
	return census;
}
