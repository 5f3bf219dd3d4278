// SPDX-License-Identifier: GPL-2.0-only
#include "views/share/census.h"
#include "views/share/ended.h"

/* A zombie from before has been one at least since we began, others since they were seen as zombies. */
static void note_zombie(struct census *census, const struct run *run,
			const struct proclife_process *process)
{
	uint64_t since = proclife_process_zombie_since(process);

	if (!since)
		since = process_zombie_by(process);
	if (!since)
		since = run->began;
	if (!census->oldest || since < census->oldest)
		census->oldest = since;
}

struct census census_take(const struct run *run)
{
	const struct proclife_process *process = NULL;
	enum proclife_life_state state;
	struct census census = { 0 };

	while ((process = proclife_tasks_next(run->tasks, process))) {
		if (!filter_passes(process))
			continue;
		state = proclife_process_state(process);
		census.states[state]++;
		if (state == PROCLIFE_IS_ZOMBIE)
			note_zombie(&census, run, process);
	}
	return census;
}

struct census census_take_threads(const struct run *run)
{
	const struct proclife_process *process = NULL;
	const struct proclife_task *task;
	struct census census = { 0 };

	while ((process = proclife_tasks_next(run->tasks, process))) {
		if (!filter_passes(process))
			continue;
		for (task = NULL; (task = proclife_process_next_task(process, task));)
			census.states[proclife_task_state(task)]++;
	}
	return census;
}
