/* SPDX-License-Identifier: GPL-2.0-only */
/* The command lines that were shown last: the next one of a program is shown by what differs. */
#ifndef READ_RECENT_H
#define READ_RECENT_H

#include "output/quote.h"
#include "views/share/kept_args.h"

struct recent {
	struct recent_args {
		char comm[PROCLIFE_COMM_LEN];
		struct kept_args args;
	} all[64];
	unsigned int next; /* that is replaced */
};

/*
 * Appends the arguments behind the command's name, in place of each run of those that the last command line
 * of this name had too a mark; all of them if there was none, or it had them all. If they do not fit in
 * @columns, 0 for any, the most telling of their words. Keeps this one.
 */
void recent_put_args(struct recent *recent, struct text *text, const char comm[PROCLIFE_COMM_LEN],
		     const struct command *command, unsigned int columns);
void recent_free(struct recent *recent);

#endif
