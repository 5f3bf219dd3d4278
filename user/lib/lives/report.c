// SPDX-License-Identifier: LGPL-2.1-or-later
/* Calls the reports of lives that begin and end. */
#include "base/plain.h"
#include "lives/report.h"

#include <errno.h>
#include <stdlib.h>

/* The size of the structure in its first version. */
#define FIRST_REPORTS \
	(offsetof(struct proclife_reports, process_over) + sizeof(void (*)(void)))

int proclife_tasks_attach(struct proclife_tasks *tasks, const struct proclife_reports *reports,
			  void *data, void (*detach)(void *data))
{
	struct proclife_reporter *reporter;
	struct proclife_reports ours;
	int err = proclife_take_struct(&ours, sizeof(ours), reports, reports->size,
				       FIRST_REPORTS);

	if (err)
		return err;
	reporter = malloc(sizeof(*reporter));
	if (!reporter)
		return -ENOMEM;
	*reporter = (struct proclife_reporter){
		.reports = ours,
		.data = data,
		.detach = detach,
	};
	*tasks->reporters_end = reporter;
	tasks->reporters_end = &reporter->next;
	return 0;
}

int proclife_tasks_report(struct proclife_tasks *tasks, const struct proclife_reports *reports,
			  void *data)
{
	return proclife_tasks_attach(tasks, reports, data, NULL);
}

void proclife_tasks_closing(struct proclife_tasks *tasks, void (*closing)(void *data))
{
	proclife_container_of(tasks->reporters_end, struct proclife_reporter, next)->closing = closing;
}

void proclife_tasks_cgroups(struct proclife_tasks *tasks,
			    void (*changed)(void *data, const struct proclife_record *record))
{
	proclife_container_of(tasks->reporters_end, struct proclife_reporter, next)->cgroup_changed =
		changed;
}

void proclife_tasks_detach(struct proclife_tasks *tasks, void *data)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->data != data || !reporter->detach)
			continue;
		*reporter = (struct proclife_reporter){ .next = reporter->next };
		if (!tasks->error)
			tasks->error = PROCLIFE_DETACHED;
	}
}

static void free_detached(struct proclife_tasks *tasks)
{
	struct proclife_reporter **at = &tasks->reporters, *reporter;

	while ((reporter = *at)) {
		if (reporter->reports.size) {
			at = &reporter->next;
			continue;
		}
		*at = reporter->next;
		free(reporter);
	}
	tasks->reporters_end = at;
}

int proclife_take_error(struct proclife_tasks *tasks)
{
	int err = tasks->error;

	if (proclife_unlikely(err))
		free_detached(tasks);
	tasks->error = 0;
	return err == PROCLIFE_DETACHED ? 0 : err;
}

void proclife_reporters_free(struct proclife_tasks *tasks)
{
	struct proclife_reporter *next;

	for (struct proclife_reporter *reporter = tasks->reporters; reporter; reporter = next) {
		next = reporter->next;
		if (reporter->detach)
			reporter->detach(reporter->data);
		free(reporter);
	}
}

void proclife_report_closing(struct proclife_tasks *tasks)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->closing)
			reporter->closing(reporter->data);
	}
}

void proclife_report_cgroup(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->cgroup_changed)
			reporter->cgroup_changed(reporter->data, record);
	}
}
