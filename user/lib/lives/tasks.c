// SPDX-License-Identifier: LGPL-2.1-or-later
/* The table of lives: how it is made and closed. */
#include "lives/report.h"

#include <errno.h>
#include <stdlib.h>

/* A report can look at all of them: at a parent, for one, that is reported before its child. */
static void end_all(struct proclife_tasks *tasks)
{
	struct proclife_priv_process *own;

	for (own = tasks->first; own; own = own->next)
		proclife_process_end(tasks, &own->process);
	while ((own = tasks->first)) {
		proclife_process_forget(tasks, &own->process);
		proclife_process_release(tasks, &own->process);
	}
}

int proclife_tasks_close(struct proclife_tasks *tasks)
{
	proclife_report_closing(tasks);
	tasks->closing = true;
	end_all(tasks);
	proclife_memory_close(tasks);
	tasks->closing = false;
	return proclife_take_error(tasks);
}

/* On a machine with many lives, cache lines are the cost. */
_Static_assert(sizeof(void *) != 8 || (sizeof(struct proclife_priv_task) <= 4 * 64 &&
				       sizeof(struct proclife_priv_process) <= 11 * 64),
	       "a task or process has more cache lines than it had");

int proclife_tasks_new(struct proclife_tasks **result, struct proclife_source *source)
{
	struct proclife_tasks *tasks = calloc(1, sizeof(*tasks));

	if (!tasks)
		return -ENOMEM;
	tasks->reporters_end = &tasks->reporters;
	proclife_prefetch_init(tasks);
	proclife_tasks_make_room(tasks);
	proclife_slab_init(&tasks->memory_slab, sizeof(struct proclife_priv_memory));
	if (proclife_table_init(&tasks->by_handle) || proclife_table_init(&tasks->by_group) ||
	    proclife_table_init(&tasks->by_tgid) || proclife_table_init(&tasks->orphans) ||
	    proclife_table_init(&tasks->by_mm) || (source && proclife_tasks_take_facts(tasks, source))) {
		proclife_tasks_free(tasks);
		return -ENOMEM;
	}
	*result = tasks;
	return 0;
}

static void free_texts(struct proclife_priv_process *own)
{
	for (; own; own = own->next) {
		free(own->args_text);
		proclife_program_free(own);
		proclife_killers_free(&own->process);
		free(own->tracer);
	}
}

void proclife_tasks_free(struct proclife_tasks *tasks)
{
	if (!tasks)
		return;
	proclife_reporters_free(tasks);
	free_texts(tasks->first);
	free_texts(tasks->kept);
	proclife_table_free(&tasks->by_handle);
	proclife_table_free(&tasks->by_group);
	proclife_table_free(&tasks->by_tgid);
	proclife_table_free(&tasks->orphans);
	proclife_table_free(&tasks->by_mm);
	proclife_slab_free(&tasks->task_slab);
	proclife_slab_free(&tasks->process_slab);
	proclife_slab_free(&tasks->memory_slab);
	proclife_suppressed_free(tasks);
	proclife_failed_execs_free(tasks);
	free(tasks->pending);
	free(tasks);
}
