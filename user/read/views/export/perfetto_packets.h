/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The messages of a Perfetto trace: those that are listed in tests/unit/support/perfetto.proto. Times are of
 * CLOCK_MONOTONIC. Texts are escaped as by text_escaped().
 */
#ifndef READ_PERFETTO_PACKETS_H
#define READ_PERFETTO_PACKETS_H

#include "output/format.h"
#include "output/protobuf.h"
#include "views/export/export.h"

struct packets {
	FILE *out;
	struct packed bytes; /* what is not written yet */
	size_t packet;	     /* where the messages begin that are not whole yet */
	size_t event;
	struct text text;
};

enum track_order {
	ORDER_OF_NONE,
	ORDER_BY_TIME,
	ORDER_BY_RANK,
};

struct track {
	uint64_t uuid;
	uint64_t parent; /* 0: none */
	const char *name;
	uint32_t number; /* behind the name; 0: none */
	int rank;	 /* among its siblings, if their parent orders them so */
	enum track_order order; /* of its children */
	bool counts;
};

void packets_init(struct packets *packets, FILE *out);
void packets_free(struct packets *packets);
void packets_write(struct packets *packets);

/* How the clocks differ, if the trace says so. */
void packets_clocks(struct packets *packets, const struct run *run);
void packets_track(struct packets *packets, const struct track *track);
void packets_counter(struct packets *packets, uint64_t ts, uint64_t track, uint64_t value);

/* A slice begins, or something happens; from here to packets_end_event(), it gets flows and notes. */
void packets_begin(struct packets *packets, uint64_t ts, uint64_t track, const char *name, const char *category);
void packets_instant(struct packets *packets, uint64_t ts, uint64_t track, const char *name, const char *category);
void packets_end_event(struct packets *packets);
/* One more, for those that are looked for. */
void packets_category(struct packets *packets, const char *category);
void packets_end_slice(struct packets *packets, uint64_t ts, uint64_t track);
/* @ends: an arrow ends here; otherwise it begins. */
void packets_flow(struct packets *packets, uint64_t flow, bool ends);

void packets_note_uint(struct packets *packets, const char *name, uint64_t value);
void packets_note_int(struct packets *packets, const char *name, int64_t value);
void packets_note_true(struct packets *packets, const char *name);
void packets_note_text(struct packets *packets, const char *name, const char *s, size_t n);
/* Each with a NUL. */
void packets_note_words(struct packets *packets, const char *name, const char *words, size_t n);

/* All that is known of a life, as notes. */
void perfetto_notes(struct packets *packets, const struct life *life);

#endif
