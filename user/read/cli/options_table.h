/* SPDX-License-Identifier: GPL-2.0-only */
/* All options: what --help, the completions, the parser and its errors know of them. */
#ifndef READ_OPTIONS_TABLE_H
#define READ_OPTIONS_TABLE_H

#include "view.h"
#include <argp.h>
#include <stdio.h>

/* Keys of argp: an option that has a letter has that one. */
#define KEY_OF_OPTION 0x100
#define KEY_OF_VIEW 0x200

/* "--pid", "a COMMAND" */
const char *option_name(enum option_id option);
/* The option of this key of argp; OPTIONS if it is none of them. */
enum option_id option_of_key(int key);

/*
 * For argp: the views and the options, in groups; ends with zeros. Made at the first call, with the
 * words that an option can take in its text.
 */
const struct argp_option *options_table(const struct view *const *views);

/* What people need, on one screen. */
void options_print_help(FILE *out, const struct view *const *views);

#endif
