/* SPDX-License-Identifier: GPL-2.0-only */
/* Suggests what was probably meant by an unknown word. */
#ifndef READ_SUGGEST_H
#define READ_SUGGEST_H

#include <argp.h>

/*
 * Finds the first long option on the command line that is not in the table. Sets @wrong to its name
 * and
 * @length to the length of that, and returns the most similar name, or NULL if none is similar. If
 * all options are known, @wrong is NULL, too.
 */
const char *suggest_option(const struct argp_option *table, int argc, char **argv, const char **wrong,
			   size_t *length);

#endif
