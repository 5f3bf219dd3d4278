// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/quoted.h"
#include "run/matched.h"
#include "run/range.h"
#include "run/recording_latency.h"
#include "run/replay.h"
#include <errno.h>
#include <string.h>

static bool expects_of_programs(const struct options *options)
{
	size_t i;

	for (i = 0; i < options->expectation_count; i++)
		if (options->expectations[i].program)
			return true;
	return false;
}

int measure_begin(struct run *run, enum proclife_by by)
{
	const struct options *options = run->options;
	int ret = proclife_latency_new(&run->latency, run->tasks, options->threads);

	if (!ret)
		ret = proclife_latency_group_by(run->latency, by);
	if (ret || !expects_of_programs(options))
		return ret;
	ret = proclife_latency_new(&run->programs, run->tasks, options->threads);
	return ret ? ret : proclife_latency_group_by(run->programs, PROCLIFE_BY_COMM);
}

int measure_merge(struct run *into, const struct run *from)
{
	int ret = proclife_latency_merge(into->latency, into->cgroups, from->latency, from->cgroups);

	if (!ret && into->programs)
		ret = proclife_latency_merge(into->programs, NULL, from->programs, NULL);
	return ret;
}

static int prepare(struct run *run, const char *dir, enum proclife_by by)
{
	const struct options *options = run->options;
	int ret = range_resolve(run, proclife_recording_info(run->source));
	size_t i;

	if (!ret)
		ret = proclife_tasks_new(&run->tasks);
	if (!ret)
		ret = measure_begin(run, by);
	for (i = 0; !ret && i < options->pid_count; i++)
		ret = proclife_tasks_select_pid(run->tasks, options->pids[i]);
	return ret ? ret : matched_begin(run, dir);
}

static int note(void *data, const struct proclife_event *event)
{
	count_missing(data, event);
	return 0;
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
	ret = prepare(&m->run, dir, by);
	if (!ret)
		ret = proclife_tasks_replay(m->run.tasks, m->run.source, note, &m->run);
	if (ret < 0) {
		if (ret != -ESRCH)
			message("%s: %s", quoted(dir), strerror(-ret));
		recording_latency_free(m);
		return ret;
	}
	m->run.ended = proclife_source_horizon(m->run.source);
	m->cut = replay_verdict(&m->run, m->info, dir, ret != 0) != 0;
	return 0;
}

void recording_latency_free(struct recording_latency *m)
{
	proclife_latency_free(m->run.latency);
	proclife_latency_free(m->run.programs);
	proclife_tasks_free(m->run.tasks);
	proclife_cgroups_free(m->run.cgroups);
	proclife_users_free(m->run.users);
	proclife_source_free(m->run.source);
	memset(m, 0, sizeof(*m));
}
