/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of an event in a trace's text. They are taken from the end, because the names that stand
 * between the numbers can hold anything.
 */
#ifndef EXACTNESS_FIELDS_H
#define EXACTNESS_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

/* Takes the text behind the last @key, and ends @text before it; false if there is no @key. */
bool take_text(char *text, const char *key, const char **value);

/* The same for a number. */
bool take_number(char *text, const char *key, uint32_t *number);

#endif
