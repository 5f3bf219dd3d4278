// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/quoted.h"
#include "session/matched.h"
#include "session/pids.h"
#include "session/range.h"
#include "session/recording_latency.h"
#include "session/replay.h"
#include <errno.h>
#include <string.h>

static bool expects_of_programs(const struct options *options)
{
	size_t i;

	for (i = 0; i < options->expect.count; i++)
		if (options->expect.all[i].program)
			return true;
	return false;
}

static bool is_measured(const struct options *options)
{
	const struct request *const *request;

	for (request = options->requests; *request; request++)
		if ((*request)->measures)
			return true;
	return options->expect.count;
}

int measure_again(struct run *run, enum proclife_by by)
{
	int ret;

	proclife_latency_free(run->latency);
	run->latency = NULL;
	ret = proclife_latency_new(&run->latency, run->tasks, run->options->threads);
	return ret ? ret : proclife_latency_group_by(run->latency, by);
}

int measure_begin(struct run *run, enum proclife_by by)
{
	const struct options *options = run->options;
	int ret;

	if (!is_measured(options))
		return 0;
	ret = measure_again(run, by);
	/* A verdict is about the whole run. */
	if (!ret && options_repeat(options) && options->expect.count)
		ret = proclife_latency_new(&run->whole, run->tasks, options->threads);
	if (ret || !expects_of_programs(options))
		return ret;
	ret = proclife_latency_new(&run->programs, run->tasks, options->threads);
	return ret ? ret : proclife_latency_group_by(run->programs, PROCLIFE_BY_COMM);
}

int measure_merge(struct run *into, const struct run *from)
{
	int ret = 0;

	if (into->latency)
		ret = proclife_latency_merge(into->latency, into->cgroups, from->latency, from->cgroups);
	if (!ret && into->programs)
		ret = proclife_latency_merge(into->programs, NULL, from->programs, NULL);
	return ret;
}

/* Begins each view that wants to see this recording. */
static int begin_views(struct run *run, void **states)
{
	const struct view *const *views = run->options->views;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && states && views[i]; i++)
		if (views[i]->next)
			ret = views[i]->next(run, states[i]);
	return ret;
}

static void print_open(const struct run *run, void **states)
{
	const struct view *const *views = run->options->views;
	size_t i;

	for (i = 0; states && views[i]; i++)
		if (views[i]->next && views[i]->print_open)
			views[i]->print_open(run, states[i]);
}

/* Nothing more is done with it. */
static int give_up(struct recording_latency *m, int error)
{
	if (error != -ESRCH)
		message("%s: %s", quoted(m->dir), strerror(-error));
	recording_latency_free(m);
	return error;
}

int recording_latency_begin(struct recording_latency *m, enum proclife_by by, void **states)
{
	struct run *run = &m->run;
	int ret = range_resolve(run, proclife_recording_info(run->source));

	if (!ret)
		ret = proclife_tasks_new(&run->tasks, run->source);
	if (!ret)
		ret = begin_views(run, states);
	if (!ret)
		ret = measure_begin(run, by);
	if (!ret)
		ret = pids_select(run, true);
	if (!ret)
		ret = matched_begin(run, m->dir);
	return ret ? give_up(m, ret) : 0;
}

static int feed(struct run *run)
{
	struct proclife_event event;
	int ret = 0;

	while (ret >= 0) {
		ret = proclife_source_next(run->source, &event);
		if (ret != 1) /* 0: it is still looking for readable data in a damaged stream */
			continue;
		count_missing(run, &event);
		if (is_hidden(run, &event))
			continue;
		ret = proclife_tasks_feed(run->tasks, &event);
	}
	return ret == -ENODATA ? 0 : ret;
}

int recording_latency_open(struct recording_latency *m, const struct run *like, const char *dir)
{
	int ret;

	memset(m, 0, sizeof(*m));
	m->dir = dir;
	m->run.options = like->options;
	m->run.screen = like->screen;
	m->run.json = like->json;
	ret = replay_open(&m->run.source, dir);
	if (ret)
		return ret;
	m->info = proclife_recording_info(m->run.source);
	m->run.began = m->info->began;
	return 0;
}

int recording_latency_read(struct recording_latency *m, void **states)
{
	int ret = feed(&m->run);

	if (!ret) {
		m->run.ended = proclife_source_horizon(m->run.source);
		print_open(&m->run, states);
		ret = proclife_tasks_close(m->run.tasks);
	}
	if (ret)
		return give_up(m, ret);
	m->cut = replay_verdict(&m->run, m->info, m->dir, !m->info->complete) != 0;
	return 0;
}

void recording_latency_free(struct recording_latency *m)
{
	proclife_latency_free(m->run.latency);
	proclife_latency_free(m->run.programs);
	proclife_tasks_free(m->run.tasks);
	pids_free(&m->run);
	proclife_cgroups_free(m->run.cgroups);
	proclife_users_free(m->run.users);
	proclife_source_free(m->run.source);
	memset(m, 0, sizeof(*m));
}
