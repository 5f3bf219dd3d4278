/* SPDX-License-Identifier: GPL-2.0-only */
/* Between lives.c, lives_text.c and lives_json.c. */
#ifndef READ_LIVES_H
#define READ_LIVES_H

#include "views/share/life.h"
#include "views/share/recent.h"
#include "views/views.h"

/* The columns of the table, in the order in which they stand. */
enum lives_column {
	LIVES_IN, /* which of several recordings, where they are mixed */
	LIVES_TIME,
	LIVES_PID,
	LIVES_PPID,
	LIVES_USER,
	LIVES_LIFE,
	LIVES_CPU,
	LIVES_STATUS,
	LIVES_FIGURE, /* of --sort, if it is none of the others */
	LIVES_COMMAND,
	LIVES_COLUMNS,
};

struct lives_counts {
	uint64_t deaths; /* of what is followed */
	uint64_t matched;
	uint64_t lost;	 /* ends: nothing says when, or whether for certain */
	uint64_t states[PROCLIFE_STATES]; /* of those that are there at the end */
};

struct lives_text {
	const struct run *run;
	enum sort_key sort;
	bool shown[LIVES_COLUMNS];
	bool dated;    /* each time has its date */
	bool numbered; /* each line has its recording */
	int64_t day;   /* the last one that was said */
	unsigned int time_columns;
	struct text line;
	struct text command;
	struct text notes;
	struct recent recent;
};

void lives_text_init(struct lives_text *view, const struct run *run, enum sort_key sort);
void lives_text_free(struct lives_text *view);
/* @dated: the lines are in no order of time, and not all of one day. */
void lives_text_head(struct lives_text *view, bool dated);
/* What follows is of this recording. */
void lives_text_recording(struct lives_text *view, const struct run *run);
void lives_text_life(struct lives_text *view, const struct life *life);
/* The same two in view->line, which is empty, for a caller that shows it elsewhere. */
void lives_text_titles(struct lives_text *view, bool dated);
void lives_text_row(struct lives_text *view, const struct life *life);
void lives_text_end(struct lives_text *view, const struct lives_counts *counts, uint64_t shown);

void lives_json_life(const struct life *life);
void lives_json_end(const struct run *run, const struct lives_counts *counts, uint64_t shown);

#endif
