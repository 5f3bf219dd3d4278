/* SPDX-License-Identifier: GPL-2.0-only */
/* --record: a recorder, and the messages about it. */
#ifndef READ_RECORD_H
#define READ_RECORD_H

#include "stage.h"
#include "views/views.h"
#include <proclife.h>

struct record {
	struct proclife_recorder *recorder; /* NULL: nothing is recorded, or not any more */
	const char *dir;
	uint64_t next_sync;
	uint64_t next_tell; /* the service manager */
	const struct run *run;
	int error; /* the first one; its message was printed */
};

/* Returns 0, or a negative errno after a message. */
int record_begin(struct record *record, const struct run *run, const struct proclife_run_info *info);
/* Is it what a service does? Then it ends when it fails, and the service manager begins it again. */
static inline bool record_is_service(const struct options *options)
{
	return options->record.bytes;
}

/* Completes the recording. Prints a summary of one line if @verbose. */
void record_finish(struct record *record, const struct proclife_run_info *run, bool verbose);
/* Compresses it if that is wanted and it is complete. */
void record_compress(struct record *record);

extern const struct stage record_stage;

#endif
