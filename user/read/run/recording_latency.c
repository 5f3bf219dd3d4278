// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/quoted.h"
#include "run/matched.h"
#include "run/recording_latency.h"
#include "run/replay.h"
#include <errno.h>
#include <string.h>

int run_tasks_new(struct run *run)
{
	int ret = proclife_tasks_new(&run->tasks);

	if (!ret && !run_has_reap(run))
		proclife_tasks_without_reap(run->tasks);
	return ret;
}

static int prepare(struct run *run, const struct proclife_run_info *info, const char *dir,
		   enum proclife_by by)
{
	const struct options *options = run->options;
	int ret = run_tasks_new(run);
	size_t i;

	if (!ret)
		ret = proclife_latency_new(&run->latency, run->tasks, options->threads);
	if (!ret)
		ret = proclife_latency_group_by(run->latency, by);
	if (!ret)
		ret = replay_cgroups(&run->cgroups, dir);
	for (i = 0; !ret && i < options->pid_count; i++)
		ret = proclife_tasks_select_pid(run->tasks, options->pids[i]);
	if (ret)
		return ret;
	if (filter_is_set(&options->filter))
		proclife_tasks_filter(run->tasks, filter_match, run);
	replay_select(info, run);
	return matched_begin(run);
}

static int feed_all(struct recording_latency *m)
{
	struct proclife_event event;
	int ret;

	while ((ret = proclife_source_next(m->run.source, &event)) >= 0) {
		if (!ret) /* it looks for what can be read of a damaged stream */
			continue;
		count_missing(&m->run, &event);
		ret = proclife_tasks_feed(m->run.tasks, &event);
		if (ret < 0)
			return ret;
	}
	m->run.ended = proclife_source_horizon(m->run.source);
	return ret == -ENODATA ? proclife_tasks_close(m->run.tasks) : ret;
}

int recording_latency_read(struct recording_latency *m, const struct options *options,
			   const char *dir, enum proclife_by by)
{
	int ret;

	memset(m, 0, sizeof(*m));
	m->dir = dir;
	m->run.options = options;
	ret = replay_open(&m->run.source, dir);
	if (ret)
		return ret;
	m->info = proclife_recording_info(m->run.source);
	ret = prepare(&m->run, m->info, dir, by);
	if (!ret)
		ret = feed_all(m);
	if (!ret)
		m->cut = replay_verdict(&m->run, m->info, dir, !m->info->complete) != 0;
	else
		message("%s: %s", quoted(dir), strerror(-ret));
	if (ret)
		recording_latency_free(m);
	return ret;
}

void recording_latency_free(struct recording_latency *m)
{
	proclife_latency_free(m->run.latency);
	proclife_tasks_free(m->run.tasks);
	proclife_cgroups_free(m->run.cgroups);
	proclife_source_free(m->run.source);
	memset(m, 0, sizeof(*m));
}
