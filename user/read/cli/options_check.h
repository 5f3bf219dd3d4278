/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_OPTIONS_CHECK_H
#define READ_OPTIONS_CHECK_H

#include "cli/options.h"
#include <argp.h>

/* Ends the program with a line that says why, if there is something; sets the default view. */
void options_check(struct options *options, struct argp_state *state);

#endif
