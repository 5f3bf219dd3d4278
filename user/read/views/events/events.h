/* SPDX-License-Identifier: GPL-2.0-only */
/* Between events.c, events_text.c and events_json.c. */
#ifndef READ_EVENTS_H
#define READ_EVENTS_H

#include "views/views.h"

/* The name of another task than the record's. */
struct name {
	bool known;
	char comm[PROCLIFE_COMM_LEN];
};

/*
 * What is known of a record's task before the record is fed, as far as its type shows it; but what
 * a REAP ends is as after it, and so is `process`, set only for ARGS and an EXIT that ends the group.
 */
struct before {
	bool threaded; /* its process has had several threads */
	bool known[PROCLIFE_PHASES]; /* the phases that the record ends: are they? */
	uint64_t phases[PROCLIFE_PHASES];
	const struct proclife_process *process;
	struct name parent;
	struct name creator;
};

/* "tid", or "tid/pid" of a thread that does not lead its process. */
void text_event_pid(struct text *line, uint32_t pid, uint32_t tgid);
void text_event_details(struct text *line, const struct proclife_record *r,
			const struct before *before);

/* NULL without memory. */
struct event_json *event_json_new(struct json *json);
void event_json_free(struct event_json *e);
void event_json_record(const struct event_json *e, const struct proclife_record *r,
		       const struct before *before);
void event_json_gap(const struct event_json *e, const struct proclife_gap *gap);
void event_json_suppressed(const struct event_json *e, const struct proclife_record *r);
/* @path: the cgroup's, or NULL. */
void event_json_cgroup(const struct event_json *e, const struct proclife_record *r,
		       const char *path);

#endif
