/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of all options, for --help, the completions, the parser and its errors. */
#ifndef READ_OPTIONS_TABLE_H
#define READ_OPTIONS_TABLE_H

#include "view.h"
#include <argp.h>
#include <stdio.h>

/* Keys of argp: that of an option with a letter is the letter. */
#define KEY_OF_OPTION 0x100
#define KEY_OF_VIEW 0x200

/* "--pid", "a COMMAND" */
const char *option_name(enum option_id option);
/* The option with this key of argp; OPTIONS if there is none. */
enum option_id option_of_key(int key);

/*
 * For argp: the views and the options, in groups; ends with zeros. It is made at the first call,
 * with the words that an option can take in its help text.
 */
const struct argp_option *options_table(const struct view *const *views);

/* Prints --help: the most important options, on one screen. */
void options_print_help(FILE *out, const struct view *const *views);

#endif
