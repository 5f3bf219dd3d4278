// SPDX-License-Identifier: LGPL-2.1-or-later
/* From a source to lives: its facts about the whole trace, and all events of a recording. */
#include "ctf.h"
#include "source.h"
#include "tasks.h"

#include <errno.h>

/* Without one of these, an address space is never gone, and what has its handle next is taken for it. */
#define MM_MARKS (PROCLIFE_HAS_MM(PROCLIFE_MM_TEARDOWN) | PROCLIFE_HAS_MM(PROCLIFE_MM_GONE))

int proclife_tasks_begin(struct proclife_tasks *tasks, struct proclife_source *source)
{
	const struct proclife_header *header = proclife_source_header(source);
	const struct proclife_run_info *run = proclife_recording_info(source);

	if (header && !(header->features & PROCLIFE_HAS(PROCLIFE_REAP)))
		proclife_tasks_without_reap(tasks);
	if (header && header->features & PROCLIFE_HAS(PROCLIFE_EXITING))
		proclife_tasks_with_exiting(tasks);
	tasks->with_cgroup = header && header->features & PROCLIFE_HAS(PROCLIFE_CGROUP);
	tasks->is_slice = run && proclife_is_slice(run);
	tasks->without_memory = header && (header->mm_marks & MM_MARKS) != MM_MARKS;
	if (!run || !run->command || tasks->selecting)
		return 0;
	return proclife_tasks_select_child(tasks, run->command, run->command_creator);
}

int proclife_tasks_replay(struct proclife_tasks *tasks, struct proclife_source *source,
			  int (*each)(void *data, const struct proclife_event *event), void *data)
{
	const struct proclife_run_info *run = proclife_recording_info(source);
	struct proclife_event event;
	int ret;

	if (!run)
		return -EINVAL;
	if (source->started || tasks->processes || tasks->gaps)
		return -EBUSY;
	ret = proclife_tasks_begin(tasks, source);
	if (ret)
		return ret;
	while ((ret = proclife_source_next(source, &event)) >= 0) {
		if (!ret) /* it is still looking for readable data in a damaged stream */
			continue;
		ret = each ? each(data, &event) : 0;
		if (ret)
			return ret < 0 ? ret : -EINVAL;
		ret = proclife_tasks_feed(tasks, &event);
		if (ret < 0)
			return ret;
	}
	if (ret != -ENODATA)
		return ret;
	ret = proclife_tasks_close(tasks);
	return ret ? ret : !run->complete;
}
