/* SPDX-License-Identifier: GPL-2.0-only */
/* The environment variable that says below which span a program runs, as in W3C Trace Context. */
#ifndef READ_TRACEPARENT_H
#define READ_TRACEPARENT_H

#include <stdbool.h>
#include <stdint.h>

struct traceparent {
	uint64_t trace_high;
	uint64_t trace_low;
	uint64_t span;
};

/* Reads this text, such as "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"; false if it is none. */
bool traceparent_parse(const char *text, struct traceparent *parent);

#endif
