/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reports about lives, and the calls. */
#ifndef PROCLIFE_REPORT_H
#define PROCLIFE_REPORT_H

#include "lives/tasks.h"

/* Like proclife_tasks_report(); @detach is called if the tasks are freed first. */
int proclife_tasks_attach(struct proclife_tasks *tasks, const struct proclife_reports *reports,
			  void *data, void (*detach)(void *data));
/* Sets `closing` of the reporter that was attached last. */
void proclife_tasks_closing(struct proclife_tasks *tasks, void (*closing)(void *data));
/* Sets `cgroup_changed` of it. */
void proclife_tasks_cgroups(struct proclife_tasks *tasks,
			    void (*changed)(void *data, const struct proclife_record *record));
void proclife_tasks_detach(struct proclife_tasks *tasks, void *data);
/* What reports have left in `error`, when none of them is being called. */
int proclife_take_error(struct proclife_tasks *tasks);
void proclife_reporters_free(struct proclife_tasks *tasks);

void proclife_report_closing(struct proclife_tasks *tasks);
void proclife_report_cgroup(struct proclife_tasks *tasks, const struct proclife_record *record);

#define proclife_for_each_reporter(tasks, reporter) \
	for (struct proclife_reporter *reporter = (tasks)->reporters; reporter; \
	     reporter = reporter->next)

/* These are inline because they run for every life. */
static inline void proclife_report_born(struct proclife_tasks *tasks,
					struct proclife_process *process,
					struct proclife_process *parent,
					struct proclife_process *creator)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->reports.process_born)
			reporter->reports.process_born(reporter->data, process, parent, creator);
	}
}

static inline void proclife_report_linked(struct proclife_tasks *tasks,
					  struct proclife_process *process,
					  struct proclife_process *parent)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->reports.process_linked)
			reporter->reports.process_linked(reporter->data, process, parent);
	}
}

static inline void proclife_report_exiting(struct proclife_tasks *tasks,
					   struct proclife_process *process)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->reports.process_exiting)
			reporter->reports.process_exiting(reporter->data, process);
	}
}

static inline void proclife_report_exited(struct proclife_tasks *tasks,
					  struct proclife_process *process)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->reports.process_exited)
			reporter->reports.process_exited(reporter->data, process);
	}
}

static inline void proclife_report_gone(struct proclife_tasks *tasks,
					struct proclife_process *process)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->reports.process_gone)
			reporter->reports.process_gone(reporter->data, process);
	}
}

static inline void proclife_report_over(struct proclife_tasks *tasks,
					struct proclife_process *process)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->reports.process_over)
			reporter->reports.process_over(reporter->data, process);
	}
}

static inline void proclife_report_task_gone(struct proclife_tasks *tasks,
					     struct proclife_task *task)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->reports.task_gone)
			reporter->reports.task_gone(reporter->data, task);
	}
}

#endif
