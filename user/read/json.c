// SPDX-License-Identifier: GPL-2.0-only
#include "json.h"
#include <inttypes.h>
#include <string.h>

void json_init(struct json *json, FILE *out)
{
	json->out = out;
	json->first = true;
}

/* What stands before a value. Names are ours: they need no escapes. */
static void json_name(struct json *json, const char *name)
{
	if (!json->first)
		fputc_unlocked(',', json->out);
	json->first = false;
	if (name) {
		fputc_unlocked('"', json->out);
		fputs_unlocked(name, json->out);
		fputs_unlocked("\":", json->out);
	}
}

void json_object(struct json *json, const char *name)
{
	json_name(json, name);
	fputc_unlocked('{', json->out);
	json->first = true;
}

void json_object_end(struct json *json)
{
	fputc_unlocked('}', json->out);
	json->first = false;
}

void json_array(struct json *json, const char *name)
{
	json_name(json, name);
	fputc_unlocked('[', json->out);
	json->first = true;
}

void json_array_end(struct json *json)
{
	fputc_unlocked(']', json->out);
	json->first = false;
}

void json_line(struct json *json, const char *type)
{
	json->first = true;
	json_object(json, NULL);
	json_uint(json, "v", JSON_SCHEMA);
	json_string(json, "type", type);
}

void json_line_end(struct json *json)
{
	json_object_end(json);
	fputc_unlocked('\n', json->out);
}

void json_uint(struct json *json, const char *name, uint64_t value)
{
	json_name(json, name);
	fprintf(json->out, "%" PRIu64, value);
}

void json_int(struct json *json, const char *name, int64_t value)
{
	json_name(json, name);
	fprintf(json->out, "%" PRId64, value);
}

void json_bool(struct json *json, const char *name, bool value)
{
	json_name(json, name);
	fputs_unlocked(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *name)
{
	json_name(json, name);
	fputs_unlocked("null", json->out);
}

/*
 * The length of the well-formed UTF-8 sequence that begins at s, or 0: no overlong forms, no
 * surrogates, nothing above U+10FFFF.
 */
static size_t utf8_length(const unsigned char *s, size_t n)
{
	unsigned char low = 0x80;
	unsigned char high = 0xbf;
	size_t length;
	size_t i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		length = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		length = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		length = 4;
	else
		return 0;
	if (length > n)
		return 0;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	for (i = 1; i < length; i++) {
		if (s[i] < low || s[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

static void json_hex(struct json *json, const char *name, const unsigned char *s, size_t n)
{
	size_t i;

	fprintf(json->out, ",\"%s_hex\":\"", name);
	for (i = 0; i < n; i++)
		fprintf(json->out, "%02x", s[i]);
	fputc_unlocked('"', json->out);
}

void json_blob(struct json *json, const char *name, const char *s, size_t n)
{
	const unsigned char *bytes = (const unsigned char *)s;
	bool valid = true;
	size_t i = 0;

	json_name(json, name);
	fputc_unlocked('"', json->out);
	while (i < n) {
		size_t length = utf8_length(bytes + i, n - i);
		unsigned char c = bytes[i];

		if (!length) {
			fputs_unlocked("\\ufffd", json->out);
			valid = false;
			length = 1;
		} else if (c == '"' || c == '\\') {
			fprintf(json->out, "\\%c", c);
		} else if (c < 0x20 || c == 0x7f) {
			fprintf(json->out, "\\u%04x", c);
		} else if (c == 0xc2 && bytes[i + 1] < 0xa0) {
			fprintf(json->out, "\\u%04x", bytes[i + 1]);
		} else {
			fwrite_unlocked(bytes + i, 1, length, json->out);
		}
		i += length;
	}
	fputc_unlocked('"', json->out);
	if (!valid && name)
		json_hex(json, name, bytes, n);
}

void json_bytes(struct json *json, const char *name, const char *s, size_t n)
{
	json_blob(json, name, s, strnlen(s, n));
}

void json_string(struct json *json, const char *name, const char *s)
{
	json_blob(json, name, s, strlen(s));
}

void json_handle(struct json *json, const char *name, uint64_t value)
{
	json_name(json, name);
	fprintf(json->out, "\"%016" PRIx64 "\"", value);
}
