// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a source says about its whole trace. */
#include "recording/ctf.h"
#include "source/source.h"
#include "lives/tasks.h"

#include <stddef.h>

/* Without one of these, an address space is never gone, and what has its handle next is taken for it. */
#define MM_MARKS (PROCLIFE_HAS_MM(PROCLIFE_MM_TEARDOWN) | PROCLIFE_HAS_MM(PROCLIFE_MM_GONE))

void proclife_tasks_make_room(struct proclife_tasks *tasks)
{
	size_t extra = tasks->birth_marks || tasks->with_times ? sizeof(struct proclife_priv_extra) : 0;

	proclife_slab_init(&tasks->task_slab, sizeof(struct proclife_priv_task) + extra);
	proclife_slab_init(&tasks->process_slab, sizeof(struct proclife_priv_process) + extra);
	tasks->process_slab.zeroed = offsetof(struct proclife_priv_process, path_text);
}

int proclife_tasks_take_facts(struct proclife_tasks *tasks, struct proclife_source *source)
{
	const struct proclife_header *header = proclife_source_header(source);
	const struct proclife_run_info *run = proclife_recording_info(source);

	tasks->source = source;
	tasks->without_reap = header && !(header->features & PROCLIFE_HAS(PROCLIFE_REAP));
	tasks->with_exiting = header && header->features & PROCLIFE_HAS(PROCLIFE_EXITING);
	tasks->with_notify = header && header->features & PROCLIFE_HAS(PROCLIFE_NOTIFY);
	if (!tasks->processes) { /* those that are there have room for as much as was known before */
		tasks->birth_marks = header ? header->birth_marks : 0;
		tasks->with_times = header && header->features & PROCLIFE_HAS(PROCLIFE_TIMES);
		proclife_tasks_make_room(tasks);
	}
	tasks->with_cgroup = header && header->features & PROCLIFE_HAS(PROCLIFE_CGROUP);
	tasks->is_slice = run && proclife_is_slice(run);
	tasks->without_memory = header && (header->mm_marks & MM_MARKS) != MM_MARKS;
	return run && run->command ? proclife_select_command(tasks, run) : 0;
}
