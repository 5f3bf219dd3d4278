/* SPDX-License-Identifier: GPL-2.0-only */
/* --record: a recorder, and what is said of it. */
#ifndef READ_RECORD_H
#define READ_RECORD_H

#include <proclife.h>

struct record {
	struct proclife_recorder *recorder; /* NULL: nothing is recorded, or not any more */
	const char *dir;
	uint64_t next_sync;
	int error; /* the first one; it has been said */
};

/* 0, or a negative errno after having said why. */
int record_begin(struct record *record, struct proclife_source *source, const char *dir,
		 const struct proclife_run_info *run);
/* From time to time: what is yielded reaches the disk within about a second. */
void record_poll(struct record *record, uint64_t now);
/* Completes the recording; sums up in a line if @verbose. */
void record_finish(struct record *record, const struct proclife_run_info *run, bool verbose);
/* What is on disk stays, and counts as cut off unless it was completed. */
void record_end(struct record *record);

#endif
