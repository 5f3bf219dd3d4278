// SPDX-License-Identifier: LGPL-2.1-or-later
/* From a recording to lives: all its events. */
#include "source/source.h"
#include "lives/tasks.h"

#include <errno.h>

int proclife_tasks_replay(struct proclife_tasks *tasks,
			  int (*each)(void *data, const struct proclife_event *event), void *data)
{
	struct proclife_source *source = tasks->source;
	const struct proclife_run_info *run = source ? proclife_recording_info(source) : NULL;
	struct proclife_event event;
	int ret;

	if (!run)
		return -EINVAL;
	if (source->started || tasks->processes || tasks->gaps)
		return -EBUSY;
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
