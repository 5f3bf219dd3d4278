// SPDX-License-Identifier: GPL-2.0-only
#include "output/csv.h"
#include "output/daytime.h"
#include "output/escape.h"

#define FORMULA "=+-@"

void csv_init(struct csv *csv, FILE *out)
{
	memset(csv, 0, sizeof(*csv));
	csv->out = out;
	text_init(&csv->row, NULL);
	text_init(&csv->cell, NULL);
}

void csv_free(struct csv *csv)
{
	text_free(&csv->row);
	text_free(&csv->cell);
}

void csv_row(struct csv *csv)
{
	text_clear(&csv->row);
	csv->first = true;
}

void csv_row_end(struct csv *csv)
{
	text_string(&csv->row, "\r\n");
	fwrite_unlocked(csv->row.s, 1, csv->row.len, csv->out);
}

static void begin(struct csv *csv)
{
	if (!csv->first)
		text_string(&csv->row, ",");
	csv->first = false;
}

void csv_name(struct csv *csv, const char *name)
{
	begin(csv);
	text_string(&csv->row, name);
}

void csv_number(struct csv *csv, bool known, uint64_t value)
{
	begin(csv);
	if (known)
		text_uint(&csv->row, value);
}

void csv_signed(struct csv *csv, bool known, int64_t value)
{
	begin(csv);
	if (!known)
		return;
	if (value < 0)
		text_string(&csv->row, "-");
	text_uint(&csv->row, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void csv_bool(struct csv *csv, bool known, bool value)
{
	begin(csv);
	if (known)
		text_string(&csv->row, value ? "true" : "false");
}

void csv_moment(struct csv *csv, bool known, uint64_t realtime)
{
	begin(csv);
	if (known && realtime)
		text_moment(&csv->row, realtime, 9);
}

/* @at_cell: where a cell can begin. A quote there is written as two, which are quotes around nothing. */
static void put_text(struct csv *csv, const char *s, size_t n, const char *special, bool at_cell)
{
	const char *semicolon;
	size_t piece;

	for (; n; s += piece, n -= piece) {
		if (at_cell && *s == '"') {
			text_bytes(&csv->cell, s, 1, 1);
			piece = 1;
			continue;
		}
		semicolon = memchr(s, ';', n);
		piece = semicolon ? (size_t)(semicolon + 1 - s) : n;
		if (at_cell && strchr(FORMULA, *s) && *s) {
			text_escape(&csv->cell, (unsigned char)*s);
			piece = 1;
			at_cell = false;
			continue;
		}
		text_escaped(&csv->cell, s, piece, special);
		at_cell = semicolon;
	}
}

static void put_cell(struct csv *csv)
{
	const char *s = csv->cell.s, *quote;

	if (!csv->cell.len)
		return;
	if (!strpbrk(s, ",\"")) {
		text_bytes(&csv->row, s, csv->cell.len, 0);
		return;
	}
	text_string(&csv->row, "\"");
	for (; (quote = strchr(s, '"')); s = quote + 1) {
		text_bytes(&csv->row, s, (size_t)(quote + 1 - s), 0);
		text_string(&csv->row, "\"");
	}
	text_string(&csv->row, s);
	text_string(&csv->row, "\"");
}

void csv_bytes(struct csv *csv, bool known, const char *s, size_t n)
{
	begin(csv);
	if (!known)
		return;
	text_clear(&csv->cell);
	put_text(csv, s, strnlen(s, n), "", true);
	put_cell(csv);
}

void csv_text(struct csv *csv, bool known, const char *s)
{
	csv_bytes(csv, known && s, s, s ? strlen(s) : 0);
}

void csv_words(struct csv *csv, bool known, const char *words, size_t n)
{
	size_t i, length;

	begin(csv);
	if (!known)
		return;
	text_clear(&csv->cell);
	for (i = 0; i < n; i += length + 1) {
		length = strnlen(words + i, n - i);
		if (i)
			text_string(&csv->cell, " ");
		put_text(csv, words + i, length, " ", !i);
	}
	put_cell(csv);
}
