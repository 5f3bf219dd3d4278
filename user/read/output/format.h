/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text for people: times, sizes, counts, names that cannot harm a terminal, colour.
 *
 * A struct text is a growing string that knows how many columns it takes. Escape sequences for
 * colour take none. Running out of memory ends the program: there is nothing left to print with.
 */
#ifndef READ_FORMAT_H
#define READ_FORMAT_H

#include "output/color.h"
#include "output/count.h"
#include <proclife.h>
#include <stdio.h>
#include <string.h>

struct screen {
	FILE *out;
	unsigned int width; /* columns; 0 if lines may be of any length */
	bool utf8;
	bool color;
	bool marks_more; /* see text_more() */
};

/*
 * Finds out what standard output is: a terminal of some width, or a file, whose lines COLUMNS can
 * limit. The locale has to be set.
 */
void screen_init(struct screen *screen, enum color color);

struct text {
	const struct screen *screen;
	char *s;
	size_t len;
	size_t size;
	unsigned int columns;
	unsigned int hang; /* the column where a line that is too long continues */
};

void text_init(struct text *text, const struct screen *screen);
void text_free(struct text *text);
void text_clear(struct text *text);

/* Makes room for n more bytes and a NUL. */
void text_grow(struct text *text, size_t n);

static inline char *text_room(struct text *text, size_t n)
{
	if (text->len + n + 1 > text->size)
		text_grow(text, n);
	return text->s + text->len;
}

/* Ends what was written directly into the room of a text, one column for each byte. */
static inline void text_wrote(struct text *text, const char *end)
{
	text->columns += end - (text->s + text->len);
	text->len = end - text->s;
	text->s[text->len] = '\0';
}

/* Appends n bytes that take this many columns. */
static inline void text_bytes(struct text *text, const char *s, size_t n, unsigned int columns)
{
	memcpy(text_room(text, n), s, n);
	text->len += n;
	text->columns += columns;
	text->s[text->len] = '\0';
}

/* Appends. The result has to be ASCII without control characters. */
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Inline, so that the length of a literal is known: there are a dozen of them in a line. */
static inline void text_string(struct text *text, const char *s)
{
	size_t n = strlen(s);

	text_bytes(text, s, n, n);
}

/* Appends a number, faster than text_printf(), since each record has some. */
void text_uint(struct text *text, uint64_t value);
/* The same, right-aligned in that many columns. */
void text_uint_in(struct text *text, unsigned int columns, uint64_t value);
/* Appends one of two drawings of equal width. */
static inline void text_draw(struct text *text, const char *utf8, const char *ascii)
{
	if (text->screen->utf8)
		text_bytes(text, utf8, strlen(utf8), strlen(ascii));
	else
		text_string(text, ascii);
}

static inline void text_spaces(struct text *text, unsigned int n)
{
	const unsigned int few = 32;
	char *to = text_room(text, n > few ? n : few);

	/* Setting more of them than needed is faster than counting. */
	if (n <= few)
		memset(to, ' ', few);
	else
		memset(to, ' ', n);
	text->len += n;
	text->columns += n;
	text->s[text->len] = '\0';
}

void text_pad(struct text *text, unsigned int column); /* with spaces, up to this column */

/*
 * Appends untrusted bytes. Those that are not printable in this locale, and the backslash, appear
 * as \n, \\, \xNN and the like. Ends at a NUL or after n bytes, all of which are readable;
 * SIZE_MAX: at the NUL.
 */
void text_name(struct text *text, const char *s, size_t n);

/* Appends a byte in that form. */
void text_escape(struct text *text, unsigned char c);

/*
 * The same for a name that stands alone and can be empty, by prctl(PR_SET_NAME): then it appears as
 * "". An unknown name is not an empty one, and is not for this.
 */
void text_label(struct text *text, const char *s, size_t n);
static inline void text_comm(struct text *text, const char comm[PROCLIFE_COMM_LEN])
{
	text_label(text, comm, PROCLIFE_COMM_LEN);
}

/* Appends a time with three significant digits and its unit. */
void text_time(struct text *text, uint64_t ns);
/* The same, right-aligned in that many columns. */
void text_time_in(struct text *text, unsigned int columns, uint64_t ns);
/* The same for a time that is at least this long: "≥1.20 s", or ">1.20 s". */
void text_time_at_least_in(struct text *text, unsigned int columns, uint64_t ns);
/* Appends a size with three significant digits: KiB, MiB, GiB, TiB. */
void text_size_in(struct text *text, unsigned int columns, uint64_t kib);
void text_size(struct text *text, uint64_t kib);
/* Appends a number with its digits grouped by threes. */
void text_count(struct text *text, uint64_t n);
void text_count_in(struct text *text, unsigned int columns, uint64_t n);
/* "1 process", "2 processes" */
void text_plural(struct text *text, uint64_t n, const char *one, const char *many);

/* In capitals, as titles and the names of records are. Returns @to, which has @size bytes. */
const char *upper(char *to, size_t size, const char *name);

/* Seconds and nanoseconds, as in the events view. */
void text_stamp(struct text *text, uint64_t ns);
/* A bar of value/max of these columns, to an eighth of a column if the locale allows. */
void text_bar(struct text *text, unsigned int columns, uint64_t value, uint64_t max);

/* Shows nothing. */
#define TEXT_MORE "\033[00m"

/* The line that begins here belongs to the one before, which some screens want to know. */
static inline void text_more(struct text *text)
{
	if (text->screen->marks_more)
		text_bytes(text, TEXT_MORE, sizeof(TEXT_MORE) - 1, 0);
}

/* If the line gets too long, it continues in the next one at the present column. */
static inline void text_hang(struct text *text)
{
	text->hang = text->columns;
}

/*
 * Writes the text as a line to the screen's file, without trailing spaces, and clears it. A line
 * that is wider than the screen is wrapped.
 */
void text_line(struct text *text);

/* "SIGTERM", "SIGRTMIN+3", "signal 77"; in @buffer if it is not a constant. */
const char *signal_name(int signo, char buffer[24]);

/* As proclife_type_name(), or "type77", which is made up in @buffer. */
const char *type_text(unsigned int type, char buffer[16]);
/* What an MM says of its address space: "left", "teardown", ... It uses the buffer in the same way. */
const char *mm_what_text(unsigned int what, char buffer[16]);
/* The mark that a TIMES belongs to: "exec", "exiting", ...; the same. */
const char *times_what_text(unsigned int what, char buffer[16]);
/* Which text a PATH is a piece of: "exe", "cwd" or "env"; the same. */
const char *path_what_text(unsigned int what, char buffer[16]);
/* What a BIRTH says of its task: "forking", "started", ...; the same. */
const char *birth_what_text(unsigned int what, char buffer[16]);
/* What has failed: "fork" or "exec"; the same. */
const char *fail_what_text(unsigned int what, char buffer[16]);
/* The limit that refused a fork: "nproc", "pids.max" or "pid_max", for JSON; the same, and NULL if it is 0. */
const char *fail_limit_text(unsigned int limit, char buffer[16]);
/* "ENOENT"; the same. */
const char *error_name(unsigned int error, char buffer[16]);

#endif
