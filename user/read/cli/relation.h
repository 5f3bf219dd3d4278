/* SPDX-License-Identifier: GPL-2.0-only */
/* How a figure is compared with a bound. */
#ifndef READ_RELATION_H
#define READ_RELATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum relation { RELATION_BELOW, RELATION_AT_MOST, RELATION_EQUAL, RELATION_AT_LEAST, RELATION_ABOVE };

/* The length of what stands before the first sign of a relation: all of it, if there is none. */
size_t relation_find(const char *text);
/* The sign at the beginning of this text; NULL if there is none, otherwise what follows it. */
const char *relation_parse(const char *sign, enum relation *relation);
bool relation_holds(enum relation relation, uint64_t value, uint64_t bound);

/* Why relation_parse() refuses it. */
#define NO_RELATION "there has to be a relation: <, <=, ==, >= or >"

#endif
