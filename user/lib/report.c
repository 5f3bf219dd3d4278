// SPDX-License-Identifier: LGPL-2.1-or-later
/* Calls the reports of lives that begin and end. */
#include "plain.h"
#include "tasks.h"

#include <errno.h>
#include <stdlib.h>

/* The size of the structure in its first version. */
#define FIRST_REPORTS \
	(offsetof(struct proclife_reports, process_exited) + sizeof(void (*)(void)))

int proclife_tasks_attach(struct proclife_tasks *tasks, const struct proclife_reports *reports,
			  void *data, void (*detach)(void *data))
{
	size_t count = tasks->reporter_count;
	struct proclife_reporter *more;
	struct proclife_reports ours;
	int err = proclife_take_struct(&ours, sizeof(ours), reports, reports->size,
				       FIRST_REPORTS);

	if (err)
		return err;
	more = realloc(tasks->reporters, (count + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	more[count] = (struct proclife_reporter){
		.reports = ours,
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

void proclife_reporters_free(struct proclife_tasks *tasks)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->detach)
			reporter->detach(reporter->data);
	}
	free(tasks->reporters);
}

void proclife_report_closing(struct proclife_tasks *tasks)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->closing)
			reporter->closing(reporter->data);
	}
}
