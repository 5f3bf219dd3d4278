// SPDX-License-Identifier: GPL-2.0-only
#include "output/otlp.h"
#include <string.h>

#ifndef PROCLIFE_VERSION
#define PROCLIFE_VERSION ""
#endif

const struct otlp_signal otlp_spans = { "resourceSpans", "scopeSpans", "spans" };
const struct otlp_signal otlp_logs = { "resourceLogs", "scopeLogs", "logRecords" };

void otlp_begin(struct json *json, const struct otlp_signal *signal, const char *host)
{
	json->first = true;
	json_object(json, NULL);
	json_array(json, signal->resources);
	json_object(json, NULL);
	json_object(json, "resource");
	json_array(json, "attributes");
	otlp_string(json, "service.name", "proclife");
	if (*host)
		otlp_string(json, "host.name", host);
	otlp_string(json, "os.type", "linux");
	json_array_end(json);
	json_object_end(json);
	json_array(json, signal->scopes);
	json_object(json, NULL);
	json_object(json, "scope");
	json_string(json, "name", "proclife");
	json_string(json, "version", PROCLIFE_VERSION);
	json_object_end(json);
	json_array(json, signal->records);
	json_object(json, NULL);
}

void otlp_end(struct json *json)
{
	json_object_end(json);
	json_array_end(json);
	json_object_end(json);
	json_array_end(json);
	json_object_end(json);
	json_array_end(json);
	json_line_end(json);
}

/* What comes before a value, which the next call then appends. */
static void begin_value(struct json *json, const char *name)
{
	json_name(json, name);
	json->first = true;
}

static void put_number(struct json *json, const char *name, int64_t value)
{
	char *to;

	json_name(json, name);
	to = json_room(json, DIGITS_MAX + 3);
	*to++ = '"';
	if (value < 0)
		*to++ = '-';
	to = put_digits(to, value < 0 ? -(uint64_t)value : (uint64_t)value);
	*to++ = '"';
	json_wrote(json, to);
}

static int64_t signed_of(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

void otlp_time(struct json *json, const char *name, uint64_t realtime)
{
	put_number(json, name, signed_of(realtime));
}

static void put_string(struct json *json, const char *s, size_t n)
{
	begin_value(json, "stringValue");
	json_blob(json, NULL, s, n);
}

void otlp_body(struct json *json, const char *name, const char *s)
{
	json_object(json, name);
	put_string(json, s, strlen(s));
	json_object_end(json);
}

void otlp_trace_id(struct json *json, uint64_t high, uint64_t low)
{
	char *to;

	json_name(json, "traceId");
	to = json_room(json, 34);
	*to++ = '"';
	to = put_hex(to, high, 16);
	to = put_hex(to, low, 16);
	*to++ = '"';
	json_wrote(json, to);
}

void otlp_span_id(struct json *json, const char *name, uint64_t id)
{
	json_name(json, name);
	json_wrote(json, put_quoted_hex(json_room(json, 18), id));
}

static void begin(struct json *json, const char *key)
{
	json_object(json, NULL);
	json_string(json, "key", key);
	json_object(json, "value");
}

static void end(struct json *json)
{
	json_object_end(json);
	json_object_end(json);
}

void otlp_bytes(struct json *json, const char *key, const char *s, size_t n)
{
	begin(json, key);
	put_string(json, s, strnlen(s, n));
	end(json);
}

void otlp_string(struct json *json, const char *key, const char *s)
{
	otlp_bytes(json, key, s, strlen(s));
}

void otlp_int(struct json *json, const char *key, int64_t value)
{
	begin(json, key);
	put_number(json, "intValue", value);
	end(json);
}

void otlp_uint(struct json *json, const char *key, uint64_t value)
{
	otlp_int(json, key, signed_of(value));
}

void otlp_true(struct json *json, const char *key)
{
	begin(json, key);
	json_bool(json, "boolValue", true);
	end(json);
}

void otlp_strings(struct json *json, const char *key, const char *words, size_t n)
{
	size_t i, length;

	begin(json, key);
	json_object(json, "arrayValue");
	json_array(json, "values");
	for (i = 0; i < n; i += length + 1) {
		length = strnlen(words + i, n - i);
		json_object(json, NULL);
		put_string(json, words + i, length);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
	end(json);
}
