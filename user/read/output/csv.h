/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of RFC 4180, for programs and for spreadsheets. A cell that is empty is one whose value is not
 * known.
 */
#ifndef READ_CSV_H
#define READ_CSV_H

#include "output/format.h"

struct csv {
	FILE *out;
	struct text row;
	struct text cell; /* a text, before it is known whether it needs quotes */
	bool first;
};

void csv_init(struct csv *csv, FILE *out);
void csv_free(struct csv *csv);

void csv_row(struct csv *csv);
void csv_row_end(struct csv *csv);

/* A name of a column: our own, which needs no escapes. */
void csv_name(struct csv *csv, const char *name);
void csv_number(struct csv *csv, bool known, uint64_t value);
/* With its sign. */
void csv_signed(struct csv *csv, bool known, int64_t value);
void csv_bool(struct csv *csv, bool known, bool value);
/* "2026-11-22T14:03:22.123456789Z", of nanoseconds since 1970; empty if that is 0. */
void csv_moment(struct csv *csv, bool known, uint64_t realtime);

/*
 * A text is escaped as by text_escaped(). A spreadsheet takes a cell that begins with =, +, - or @ for
 * a formula, whatever quotes it has, and some split cells at semicolons, too: there, and behind
 * quotes there, these four are escaped.
 */
void csv_text(struct csv *csv, bool known, const char *s); /* NULL: not known */
void csv_bytes(struct csv *csv, bool known, const char *s, size_t n);
/* Texts, each with a NUL: one space between two of them, and those within them are escaped. */
void csv_words(struct csv *csv, bool known, const char *words, size_t n);

#endif
