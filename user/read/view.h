/* SPDX-License-Identifier: GPL-2.0-only */
/* What the views share, and each view's few calls. */
#ifndef READ_VIEW_H
#define READ_VIEW_H

#include "format.h"
#include "json.h"
#include "options.h"
#include <proclife.h>
#include <sys/types.h>

struct run {
	const struct options *options;
	const struct screen *screen;
	struct json *json;
	struct proclife_source *source;
	struct proclife_tasks *tasks;
	struct proclife_latency *latency; /* for --latency and --expect; NULL if there is neither */
	uint64_t began; /* of the time that is looked at */
	uint64_t ended;
	uint64_t lost;	/* records */
	pid_t command;	/* 0: none */
};

/* one line per record */
struct events;

int events_new(struct events **events, struct run *run);
void events_free(struct events *events);
/* Feeds the event to run->tasks, and shows it. Return: 1 if it was shown, 0 or a negative errno. */
int events_feed(struct events *events, const struct proclife_event *event);

/* The others collect until they are printed. */
struct tree_view;

int tree_view_new(struct tree_view **view, struct run *run);
void tree_view_free(struct tree_view *view);
void tree_view_print(struct tree_view *view);

void latency_print(const struct run *run);

/* What --expect asks for. */
void verdict_print(const struct run *run);
/* Says which failed. */
bool verdict_failed(const struct run *run);

int status_print(struct run *run);

/* "after the address space is torn down", ...; NULL if the header does not say. */
const char *exit_mark_text(uint32_t exit_mark);
const char *exit_mark_json(uint32_t exit_mark);
/* "cgroup_release()", ...; NULL if there is none. */
const char *reap_source_text(uint32_t reap_source);

#endif
