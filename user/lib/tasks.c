// SPDX-License-Identifier: LGPL-2.1-or-later
/* The table of lives, as programs see it. */
#include "tasks.h"

#include <errno.h>
#include <stdlib.h>

int proclife_tasks_close(struct proclife_tasks *tasks, uint64_t now)
{
	(void)now; /* for marks that the end of a trace may need one day */
	for (size_t i = 0; i < tasks->reporter_count; i++) {
		if (tasks->reporters[i].closing)
			tasks->reporters[i].closing(tasks->reporters[i].data);
	}
	tasks->closing = true;
	while (tasks->first)
		proclife_process_end(tasks, tasks->first);
	tasks->closing = false;
	return proclife_take_error(tasks);
}

struct proclife_task *proclife_tasks_find(struct proclife_tasks *tasks, uint64_t handle)
{
	return proclife_task_get(tasks, handle);
}

struct proclife_process *proclife_tasks_holder(const struct proclife_tasks *tasks, uint32_t tgid)
{
	struct proclife_process *process = proclife_tgid_get(tasks, tgid);

	/* One before the latest cannot have it: if it is not reaped, its REAP was lost. */
	return process && !process->marks.reaped ? process : NULL;
}

struct proclife_process *proclife_tasks_reaper(const struct proclife_tasks *tasks,
					       const struct proclife_process *zombie)
{
	struct proclife_process *reaper = proclife_tasks_holder(tasks, zombie->real_parent_tgid);
	uint64_t by_then = zombie->marks.exited ? zombie->marks.exited : zombie->seen;

	if (!reaper || proclife_process_state(tasks, reaper) == PROCLIFE_IS_ZOMBIE)
		return NULL;
	return reaper->marks.born <= by_then ? reaper : NULL;
}

struct proclife_process *proclife_tasks_next(const struct proclife_tasks *tasks,
					     const struct proclife_process *process)
{
	return process ? process->next : tasks->first;
}

bool proclife_process_has_uid(const struct proclife_process *process)
{
	/* A FORK, a TASK (init has no parent) or an EXEC has told. */
	return process->parent_tgid || process->ns_inum || process->execed;
}

int proclife_tasks_attach(struct proclife_tasks *tasks, const struct proclife_reports *reports,
			  void *data, void (*detach)(void *data))
{
	size_t count = tasks->reporter_count;
	struct proclife_reporter *more;

	more = realloc(tasks->reporters, (count + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	more[count] = (struct proclife_reporter){
		.reports = *reports,
		.data = data,
		.detach = detach,
	};
	tasks->reporters = more;
	tasks->reporter_count++;
	return 0;
}

int proclife_tasks_report(struct proclife_tasks *tasks, const struct proclife_reports *reports,
			  void *data)
{
	return proclife_tasks_attach(tasks, reports, data, NULL);
}

void proclife_tasks_closing(struct proclife_tasks *tasks, void (*closing)(void *data))
{
	tasks->reporters[tasks->reporter_count - 1].closing = closing;
}

void proclife_tasks_detach(struct proclife_tasks *tasks, void *data)
{
	size_t kept = 0;

	for (size_t i = 0; i < tasks->reporter_count; i++) {
		if (tasks->reporters[i].data != data || !tasks->reporters[i].detach)
			tasks->reporters[kept++] = tasks->reporters[i];
	}
	tasks->reporter_count = kept;
}

int proclife_tasks_new(struct proclife_tasks **result)
{
	struct proclife_tasks *tasks = calloc(1, sizeof(*tasks));

	if (!tasks)
		return -ENOMEM;
	tasks->ahead = &tasks->nobody;
	proclife_slab_init(&tasks->task_slab, sizeof(struct proclife_task));
	proclife_slab_init(&tasks->process_slab, sizeof(struct proclife_process));
	if (proclife_table_init(&tasks->by_handle) || proclife_table_init(&tasks->by_group) ||
	    proclife_table_init(&tasks->by_tgid) || proclife_table_init(&tasks->orphans)) {
		proclife_tasks_free(tasks);
		return -ENOMEM;
	}
	*result = tasks;
	return 0;
}

void proclife_tasks_free(struct proclife_tasks *tasks)
{
	if (!tasks)
		return;
	for (size_t i = 0; i < tasks->reporter_count; i++) {
		if (tasks->reporters[i].detach)
			tasks->reporters[i].detach(tasks->reporters[i].data);
	}
	for (struct proclife_process *process = tasks->first; process; process = process->next) {
		free(process->args_text);
		proclife_killers_free(process);
	}
	proclife_table_free(&tasks->by_handle);
	proclife_table_free(&tasks->by_group);
	proclife_table_free(&tasks->by_tgid);
	proclife_table_free(&tasks->orphans);
	proclife_slab_free(&tasks->task_slab);
	proclife_slab_free(&tasks->process_slab);
	proclife_suppressed_free(tasks);
	free(tasks->reporters);
	free(tasks->pending);
	free(tasks);
}
