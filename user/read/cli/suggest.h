/* SPDX-License-Identifier: GPL-2.0-only */
/* Suggests what was probably meant by an unknown word. */
#ifndef READ_SUGGEST_H
#define READ_SUGGEST_H

#include <argp.h>
#include <stddef.h>

/* The option of the table whose name is most like these @length bytes; NULL if none is similar. */
const char *suggest_option(const struct argp_option *table, const char *name, size_t length);

#endif
