/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line: parsing it fills a struct, and does nothing else. */
#ifndef READ_OPTIONS_PARSE_H
#define READ_OPTIONS_PARSE_H

#include "options.h"

/*
 * @views: the table of them, NULL at its end. Ends the program with STATUS_USAGE, and a line that
 * says why, if the command line is wrong.
 */
void options_parse(struct options *options, const struct view *const *views, int argc, char **argv);
void options_free(struct options *options);

#endif
