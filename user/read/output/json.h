/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One JSON object per line (RFC 8259), always valid UTF-8.
 *
 * A string from the kernel can hold any bytes. Each byte that is not part of valid UTF-8 becomes
 * U+FFFD, and a second member, its name ending in "_hex", then holds all the bytes, so that nothing
 * is lost and every parser takes the line. Control characters, U+0080 to U+009F and DEL
 * too, are written as \u escapes.
 */
#ifndef READ_JSON_H
#define READ_JSON_H

#include "output/digits.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_SCHEMA 1

struct json {
	FILE *out;
	char *s; /* the line, until it is whole */
	size_t len;
	size_t size;
	bool first; /* in the innermost object or array */
	struct {
		uint64_t from; /* ns */
		uint64_t to;
	} interval; /* that each line is about; `to` is 0: about none */
};

void json_init(struct json *json, FILE *out);
void json_free(struct json *json);

/* Makes room for n more bytes. */
void json_grow(struct json *json, size_t n);

static inline char *json_room(struct json *json, size_t n)
{
	if (json->len + n > json->size)
		json_grow(json, n);
	return json->s + json->len;
}

/* Ends what was written directly into the room. */
static inline void json_wrote(struct json *json, const char *end)
{
	json->len = end - json->s;
}

/*
 * Appends what comes before a value. Names are ours and need no escapes. Inline, so that the length
 * of a literal is known: a line has two dozen of them.
 */
static inline void json_name(struct json *json, const char *name)
{
	size_t n = name ? strlen(name) : 0;
	char *to = json_room(json, n + 4);

	if (!json->first)
		*to++ = ',';
	json->first = false;
	if (name) {
		*to++ = '"';
		memcpy(to, name, n);
		to += n;
		*to++ = '"';
		*to++ = ':';
	}
	json_wrote(json, to);
}

/*
 * A line begins with the version of the schema and the type of the object, and the interval that it is
 * about.
 */
void json_line(struct json *json, const char *type);
void json_line_end(struct json *json);
/* `name` is NULL in an array. */
void json_object(struct json *json, const char *name);
void json_object_end(struct json *json);
void json_array(struct json *json, const char *name);
void json_array_end(struct json *json);
void json_int(struct json *json, const char *name, int64_t value);
void json_bool(struct json *json, const char *name, bool value);
/* 1e18 stands for what is larger, too. */
void json_ratio(struct json *json, const char *name, double value);
void json_null(struct json *json, const char *name);
/* Up to a NUL, or n bytes. */
void json_bytes(struct json *json, const char *name, const char *s, size_t n);
void json_string(struct json *json, const char *name, const char *s);
/* NULL stands for "not known". */
void json_string_or_null(struct json *json, const char *name, const char *s);
/* The name of a task, or null if that is not known. */
void json_comm_or_null(struct json *json, const char *name, bool known, const char *comm);
/* All n bytes, NULs too. */
void json_blob(struct json *json, const char *name, const char *s, size_t n);

/* 0 stands for "not known", which is null. */
void json_uint_or_null(struct json *json, const char *name, uint64_t value);

/* A handle is a string: a 64-bit key would not survive as a number everywhere. 18 bytes. */
static inline char *put_quoted_hex(char *to, uint64_t value)
{
	*to++ = '"';
	to = put_hex_word(to, (uint32_t)(value >> 32));
	to = put_hex_word(to, (uint32_t)value);
	*to++ = '"';
	return to;
}

static inline void json_uint(struct json *json, const char *name, uint64_t value)
{
	json_name(json, name);
	json_wrote(json, put_digits(json_room(json, DIGITS_MAX), value));
}

/* Inline, as the length of a name is then known: see json_name(). */
static inline void json_uint_if(struct json *json, const char *name, bool known, uint64_t value)
{
	if (known)
		json_uint(json, name, value);
	else
		json_null(json, name);
}

#endif
