/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of an event in a trace's text. They are taken from the end, because the names that stand
 * between the numbers can hold anything.
 */
#ifndef EXACTNESS_FIELDS_H
#define EXACTNESS_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

/* What stands behind the last @key of the text, which then ends before it; false if it is not there. */
bool take_text(char *text, const char *key, const char **value);

/* The number there, likewise. */
bool take_number(char *text, const char *key, uint32_t *number);

#endif
