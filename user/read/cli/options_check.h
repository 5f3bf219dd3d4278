/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_OPTIONS_CHECK_H
#define READ_OPTIONS_CHECK_H

#include "view.h"
#include <argp.h>

/* Ends the program with an error message if options cannot be combined. @all: every request. */
void options_check(const struct options *options, const struct request *const *all,
		   struct argp_state *state);

#endif
