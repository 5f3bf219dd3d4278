/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of OTLP in JSON, as the OpenTelemetry collector reads them from files: one span or one log record
 * each, with all that is said of its machine. Numbers of 64 bits are strings, and identities hexadecimal.
 * Bytes that are no UTF-8 become U+FFFD.
 */
#ifndef READ_OTLP_H
#define READ_OTLP_H

#include "output/json.h"

struct otlp_signal {
	const char *resources; /* "resourceSpans" */
	const char *scopes;    /* "scopeSpans" */
	const char *records;   /* "spans" */
};

extern const struct otlp_signal otlp_spans, otlp_logs;

/* Begins a line, and in it the object of the record. */
void otlp_begin(struct json *json, const struct otlp_signal *signal, const char *host);
void otlp_end(struct json *json);

/* A member of the record. */
void otlp_time(struct json *json, const char *name, uint64_t realtime);
/* A member that is a value by itself: "body". */
void otlp_body(struct json *json, const char *name, const char *s);
void otlp_trace_id(struct json *json, uint64_t high, uint64_t low);
void otlp_span_id(struct json *json, const char *name, uint64_t id);

/* Attributes, between json_array() "attributes" and json_array_end(). */
void otlp_bytes(struct json *json, const char *key, const char *s, size_t n); /* up to a NUL */
void otlp_string(struct json *json, const char *key, const char *s);
void otlp_int(struct json *json, const char *key, int64_t value);
void otlp_uint(struct json *json, const char *key, uint64_t value); /* at most INT64_MAX is written */
void otlp_true(struct json *json, const char *key);
/* Each with a NUL. */
void otlp_strings(struct json *json, const char *key, const char *words, size_t n);

#endif
