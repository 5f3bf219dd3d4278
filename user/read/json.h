/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One JSON object per line (RFC 8259), always valid UTF-8.
 *
 * A string from the kernel can hold any bytes. Each byte that is not part of valid UTF-8 becomes
 * U+FFFD, and a second member, its name ending in "_hex", then holds all the bytes, so that nothing
 * is lost and every parser takes the line. Control characters, those of U+0080 to U+009F and DEL
 * too, are written as \u escapes.
 */
#ifndef READ_JSON_H
#define READ_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_SCHEMA 1

struct json {
	FILE *out;
	bool first; /* in the innermost object or array */
};

void json_init(struct json *json, FILE *out);
/* A line begins with the version of the schema and the type of the object. */
void json_line(struct json *json, const char *type);
void json_line_end(struct json *json);
/* `name` is NULL in an array. */
void json_object(struct json *json, const char *name);
void json_object_end(struct json *json);
void json_array(struct json *json, const char *name);
void json_array_end(struct json *json);
void json_uint(struct json *json, const char *name, uint64_t value);
void json_int(struct json *json, const char *name, int64_t value);
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);
/* Up to a NUL, or n bytes. */
void json_bytes(struct json *json, const char *name, const char *s, size_t n);
void json_string(struct json *json, const char *name, const char *s);
/* All n bytes, NULs too. */
void json_blob(struct json *json, const char *name, const char *s, size_t n);
/* As a string of hexadecimal digits: a 64-bit key would not survive as a number everywhere. */
void json_handle(struct json *json, const char *name, uint64_t value);

#endif
