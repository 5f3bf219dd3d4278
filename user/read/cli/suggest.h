/* SPDX-License-Identifier: GPL-2.0-only */
/* What was probably meant by a word that is not known. */
#ifndef READ_SUGGEST_H
#define READ_SUGGEST_H

#include <argp.h>

/*
 * Of the first long option on the command line that the table does not have, sets @wrong to its name
 * and @length to the bytes of it; returns the name that is most like it, or NULL if none is. Both are
 * NULL if all are known.
 */
const char *suggest_option(const struct argp_option *table, int argc, char **argv, const char **wrong,
			   size_t *length);

#endif
