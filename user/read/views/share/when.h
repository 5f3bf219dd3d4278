/* SPDX-License-Identifier: GPL-2.0-only */
/* When something was, as --utc and --monotonic have it. */
#ifndef READ_WHEN_H
#define READ_WHEN_H

#include "views/views.h"

/* "14:03:22.123", with this many decimals; with --monotonic, seconds with nine. */
void text_when(struct text *text, const struct run *run, uint64_t ts, unsigned int decimals);
/* The same at the beginning of a line, which is no column: without spaces in front. */
void text_when_alone(struct text *text, const struct run *run, uint64_t ts, unsigned int decimals);
/* The same with the date in front of it if it is another day than at the last call; see when_is_new_day(). */
void text_when_dated(struct text *text, const struct run *run, uint64_t ts, int64_t *day);
/* The columns that this takes, but for a machine that runs for years. */
unsigned int when_columns(const struct run *run, unsigned int decimals);

/* The title of a column of times: the date of this one, or "TIME" with --monotonic. */
void text_when_title(struct text *text, const struct run *run, uint64_t ts);

/* Is it another day than at the last call? *@day is 0 at first. Never with --monotonic. */
bool when_is_new_day(const struct run *run, uint64_t ts, int64_t *day);

#define WHEN_SIZE 48

/* For a message, with its date. */
const char *when_text(const struct run *run, uint64_t ts, char buffer[WHEN_SIZE]);

#endif
