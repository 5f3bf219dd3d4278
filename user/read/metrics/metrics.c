// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/quoted.h"
#include "output/replace.h"
#include "metrics/metrics.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define USUAL_INTERVAL 15000000000 /* ns; Prometheus' own default is to ask four times a minute */

/*
 * Two that write it take turns, and their counters seem to restart each time. An inode's number is
 * soon used again, so the time counts, too.
 */
static void note_other(struct metrics *metrics)
{
	struct stat st;

	if (!metrics->written.st_ino || metrics->shared || lstat(metrics->path, &st) ||
	    (st.st_ino == metrics->written.st_ino && st.st_mtim.tv_sec == metrics->written.st_mtim.tv_sec &&
	     st.st_mtim.tv_nsec == metrics->written.st_mtim.tv_nsec))
		return;
	metrics->shared = true;
	message("--metrics %s: something else writes it, too, so its counters jump; give each a file of its own",
		quoted(metrics->path));
}

static int write_file(struct metrics *metrics, uint64_t now)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	int ret;

	if (!file)
		die_no_memory();
	tally_print(&metrics->tally, now, file);
	if (fclose(file))
		die_no_memory();
	note_other(metrics);
	ret = replace_file(metrics->path, text, size);
	free(text);
	if (!ret && lstat(metrics->path, &metrics->written))
		metrics->written.st_ino = 0;
	return ret;
}

int metrics_begin(struct metrics *metrics, const struct run *run, uint64_t now)
{
	const struct options *options = run->options;
	int ret;

	if (!options->metrics)
		return 0;
	if (replace_check("--metrics", options->metrics))
		return -ESRCH;
	metrics->path = options->metrics;
	metrics->every = options->interval ? options->interval : USUAL_INTERVAL;
	metrics->next = options->inputs.count ? UINT64_MAX : now + metrics->every;
	ret = tally_begin(&metrics->tally, run);
	if (ret)
		return ret;
	ret = write_file(metrics, now);
	if (!ret)
		return 0;
	replace_say("--metrics", metrics->path, ret);
	return -ESRCH;
}

static void metrics_fed(void *data, const struct proclife_event *event)
{
	tally_event(&((struct metrics *)data)->tally, event);
}

/* A disk that is full for a while is no reason to end: what is counted stays right. */
static void update(struct metrics *metrics, uint64_t now)
{
	int ret = write_file(metrics, now);

	if (ret && !metrics->error)
		message("--metrics %s: %s; it stays as it was, and is tried again at each interval%s",
			quoted(metrics->path), strerror(-ret),
			replace_is_full(ret) ? "; make room" : "");
	else if (!ret && metrics->error)
		message("--metrics %s: it is up to date again", quoted(metrics->path));
	metrics->error = ret;
}

static void metrics_advance(void *data, struct tick *tick)
{
	struct metrics *metrics = data;

	if (tick->now >= metrics->next) {
		update(metrics, tick->now);
		metrics->next += metrics->every;
		if (metrics->next <= tick->now) /* we were stopped for a while */
			metrics->next = tick->now + metrics->every;
	}
	tick_before(tick, metrics->next);
}

static void metrics_finish(void *data)
{
	struct metrics *metrics = data;

	update(metrics, metrics->tally.run->ended);
}

const struct stage metrics_stage = {
	.fed = metrics_fed, .advance = metrics_advance, .finish = metrics_finish,
};
