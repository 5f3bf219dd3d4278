/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line: parsing it fills a struct, and does nothing else. */
#ifndef READ_OPTIONS_PARSE_H
#define READ_OPTIONS_PARSE_H

#include "options.h"

/*
 * @requests: what can be asked for; ends with NULL. If the command line is wrong, it ends the
 * program with an error message and STATUS_USAGE.
 */
void options_parse(struct options *options, const struct request *const *requests, int argc, char **argv);
void options_free(struct options *options);

#endif
