/* SPDX-License-Identifier: GPL-2.0-only */
/* The values of options and views. Those that are not valid end the program with an error message. */
#ifndef READ_VALUES_H
#define READ_VALUES_H

#include "cli/argument.h"
#include <argp.h>

/* Fills what this argument of --@name fills; @text is NULL where there is no argument. */
void value_take(const struct argument *argument, struct options *options, const char *name,
		const char *text, struct argp_state *state);

/* Does what this argument fills hold all values of an option that is given repeatedly, or only the last? */
bool value_adds(const struct argument *argument);

void words_add(struct words *words, const char *word);

/* Looks up the names on this machine. */
void options_find_users(struct filter *filter, struct argp_state *state);

#endif
