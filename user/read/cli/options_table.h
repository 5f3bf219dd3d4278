/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of all options, for --help, the completions, the parser and its errors. */
#ifndef READ_OPTIONS_TABLE_H
#define READ_OPTIONS_TABLE_H

#include "cli/argument.h"
#include "view.h"
#include <argp.h>
#include <stdio.h>

/* Groups of --help=all. */
enum group {
	GROUP_VIEWS = 1,
	GROUP_SELECTION,
	GROUP_STOP,
	GROUP_TREE,
	GROUP_OUTPUT,
	GROUP_VERDICTS,
	GROUP_TRIGGERS,
	GROUP_SOURCE,
	GROUP_HELP,
	GROUPS,
};

#define MOST_RULES 4

/* A rule about an option and these others, and what an error says of it. */
struct option_rule {
	uint64_t others;
	const char *why;
};

struct option_row {
	const char *name;  /* NULL: it is no option by itself */
	const char *words; /* how it is named then */
	char letter;
	enum group group;
	struct argument argument;
	const char *help;  /* with %s for its choices */
	const char *brief; /* for --help of one screen; NULL: not in it */
	bool is_hidden;
	bool is_request_too; /* without its argument, it is a request: that entry serves both */
	bool needs_no_view;  /* it can be given with any request, and without */
	const char *also_for; /* follows the requests that it is for, where it is given without them */
	const char *one_recording; /* why it takes no more than one; or NULL */
	struct option_rule needs; /* one of these, where there are any */
	struct option_rule excludes[MOST_RULES];
};

extern const struct option_row option_rows[OPTIONS];

/* "--pid", "COMMAND"; "--status=N", as --status is a request */
const char *option_name(enum option_id option);

/* The option, or the number of the request, with this key of argp; OPTIONS or MOST_REQUESTS if there is none. */
enum option_id option_of_key(int key);
unsigned int request_of_key(int key);
/* The argument that belongs to this key, which is that of an option or a request. */
const struct argument *argument_of_key(const struct request *const *requests, int key);

/*
 * For argp: the requests and the options, in groups; ends with zeros. It is made at the first call,
 * with the words that an option can take in its help text.
 */
const struct argp_option *options_table(const struct request *const *requests);

/* Headers have no name, and hidden options are not offered. */
static inline bool option_is_offered(const struct argp_option *option)
{
	return option->name && !(option->flags & (OPTION_HIDDEN | OPTION_DOC));
}

/* Is it the end of the table? */
static inline bool option_is_end(const struct argp_option *option)
{
	return !option->name && !option->key && !option->doc && !option->group;
}

/* Prints --help: the most important options, on one screen. */
void options_print_help(FILE *out, const struct request *const *requests);

#endif
