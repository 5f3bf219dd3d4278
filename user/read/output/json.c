// SPDX-License-Identifier: GPL-2.0-only
#include "output/json.h"
#include "output/message.h"
#include "output/unicode.h"
#include <proclife.h>
#include <stdlib.h>
#include <string.h>

void json_init(struct json *json, FILE *out)
{
	memset(json, 0, sizeof(*json));
	json->out = out;
	json->first = true;
}

void json_free(struct json *json)
{
	free(json->s);
	json->s = NULL;
}

void json_grow(struct json *json, size_t n)
{
	size_t size = (json->len + n) * 2;
	char *s;

	if (size < 4096)
		size = 4096;
	s = realloc(json->s, size);
	if (!s)
		die_no_memory();
	json->s = s;
	json->size = size;
}

static void json_put(struct json *json, const char *s, size_t n)
{
	memcpy(json_room(json, n), s, n);
	json->len += n;
}

static void json_char(struct json *json, char c)
{
	*json_room(json, 1) = c;
	json->len++;
}

void json_object(struct json *json, const char *name)
{
	json_name(json, name);
	json_char(json, '{');
	json->first = true;
}

void json_object_end(struct json *json)
{
	json_char(json, '}');
	json->first = false;
}

void json_array(struct json *json, const char *name)
{
	json_name(json, name);
	json_char(json, '[');
	json->first = true;
}

void json_array_end(struct json *json)
{
	json_char(json, ']');
	json->first = false;
}

void json_line(struct json *json, const char *type)
{
	json->first = true;
	json_object(json, NULL);
	json_uint(json, "v", JSON_SCHEMA);
	json_string(json, "type", type);
	if (!json->interval.to)
		return;
	json_object(json, "interval");
	json_uint(json, "from", json->interval.from);
	json_uint(json, "to", json->interval.to);
	json_object_end(json);
}

void json_line_end(struct json *json)
{
	json_object_end(json);
	json_char(json, '\n');
	fwrite_unlocked(json->s, 1, json->len, json->out);
	json->len = 0;
}

void json_int(struct json *json, const char *name, int64_t value)
{
	json_name(json, name);
	if (value < 0)
		json_char(json, '-');
	json_wrote(json, put_digits(json_room(json, DIGITS_MAX),
				    value < 0 ? -(uint64_t)value : (uint64_t)value));
}

void json_bool(struct json *json, const char *name, bool value)
{
	json_name(json, name);
	json_put(json, value ? "true" : "false", value ? 4 : 5);
}

void json_ratio(struct json *json, const char *name, double value)
{
	char digits[32];

	/* As every parser reads it, with no more digits than mean something. */
	snprintf(digits, sizeof(digits), "%.6g", value < 1e18 ? value : 1e18);
	json_name(json, name);
	json_put(json, digits, strlen(digits));
}

void json_null(struct json *json, const char *name)
{
	json_name(json, name);
	json_put(json, "null", 4);
}

static void json_hex(struct json *json, const char *name, const unsigned char *s, size_t n)
{
	size_t i;

	json_put(json, ",\"", 2);
	json_put(json, name, strlen(name));
	json_put(json, "_hex\":\"", 7);
	for (i = 0; i < n; i++)
		json_wrote(json, put_hex(json_room(json, 2), s[i], 2));
	json_char(json, '"');
}

static void json_escape(struct json *json, unsigned char c)
{
	json_put(json, "\\u00", 4);
	json_wrote(json, put_hex(json_room(json, 2), c, 2));
}

void json_blob(struct json *json, const char *name, const char *s, size_t n)
{
	const unsigned char *bytes = (const unsigned char *)s;
	bool valid = true;
	size_t i = 0;

	json_name(json, name);
	json_char(json, '"');
	while (i < n) {
		size_t length = plain_length(s + i, n - i, '"');
		unsigned char c = bytes[i];

		if (length) {
			json_put(json, s + i, length);
			i += length;
			continue;
		}
		length = utf8_length(bytes + i, n - i);
		if (!length) {
			json_put(json, "\\ufffd", 6);
			valid = false;
			length = 1;
		} else if (c == '"' || c == '\\') {
			json_char(json, '\\');
			json_char(json, c);
		} else if (c < 0x20 || c == 0x7f) {
			json_escape(json, c);
		} else if (c == 0xc2 && bytes[i + 1] < 0xa0) {
			json_escape(json, bytes[i + 1]);
		} else {
			json_put(json, s + i, length);
		}
		i += length;
	}
	json_char(json, '"');
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

void json_string_or_null(struct json *json, const char *name, const char *s)
{
	if (s)
		json_string(json, name, s);
	else
		json_null(json, name);
}

void json_comm_or_null(struct json *json, const char *name, bool known, const char *comm)
{
	if (known)
		json_bytes(json, name, comm, PROCLIFE_COMM_LEN);
	else
		json_null(json, name);
}

void json_uint_or_null(struct json *json, const char *name, uint64_t value)
{
	json_uint_if(json, name, value, value);
}
