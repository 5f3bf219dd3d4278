// SPDX-License-Identifier: GPL-2.0-only
#include "output/array.h"
#include "output/message.h"
#include "session/forget.h"
#include <stdlib.h>

#define HOUR 3600000000000 /* ns */

bool forget_any_time(const struct options *options)
{
	const struct view *const *view;

	for (view = options->views; *view; view++)
		if (view_shows_cgroups(*view, options) && !((*view)->streams && (*view)->streams(options)))
			return false;
	return true;
}

void forget_cgroups(struct run *run, uint64_t now)
{
	const struct proclife_process *process = NULL;
	uint64_t *ids = NULL;
	size_t count = 0, room = 0;

	/* A recording has a list of them, which does not grow. */
	if (run->options->inputs.count || now < run->forget_at)
		return;
	run->forget_at = now + HOUR;
	while ((process = proclife_tasks_next(run->tasks, process))) {
		ARRAY_GROW(ids, count, room);
		ids[count++] = process->cgroup;
	}
	if (proclife_cgroups_keep(run->cgroups, ids, count))
		die_no_memory();
	free(ids);
}
