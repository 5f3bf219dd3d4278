/* SPDX-License-Identifier: GPL-2.0-only */
/* Between view_events.c and events_json.c. */
#ifndef READ_EVENTS_H
#define READ_EVENTS_H

#include "view.h"

/* What is known of a record's task before the record is fed, as far as its type shows it. */
struct before {
	bool threaded; /* its process has had several threads */
	bool known[PROCLIFE_PHASES]; /* the phases that the record ends: are they? */
	uint64_t phases[PROCLIFE_PHASES];
	char parent[PROCLIFE_COMM_LEN + 1];
	char creator[PROCLIFE_COMM_LEN + 1];
};

/* How many bytes of an ARGS record's text are valid. */
size_t event_args_bytes(const struct proclife_args *args);

void event_json_record(struct json *json, const struct proclife_record *r,
		       const struct before *before);
void event_json_gap(struct json *json, const struct proclife_gap *gap);

#endif
