// SPDX-License-Identifier: GPL-2.0-only
#include "cli/options_table.h"
#include "output/message.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys of argp: that of an option with a letter is the letter. */
#define KEY_OF_OPTION 0x100
#define KEY_OF_REQUEST 0x200

static const char *const titles[GROUPS] = {
	[GROUP_VIEWS] = "Views:",
	[GROUP_SELECTION] = "Selection:",
	[GROUP_STOP] = "Stop (as Ctrl-C does, which prints the result so far):",
	[GROUP_TREE] = "How much of the tree (what is cut is counted in its place):",
	[GROUP_OUTPUT] = "Output:",
	[GROUP_VERDICTS] = "Verdicts:",
	[GROUP_TRIGGERS] = "Triggers (with another view or without):",
	[GROUP_SOURCE] = "Source:",
	[GROUP_HELP] = "Help:",
};

const struct option_row option_rows[OPTIONS] = {
#define OPTION(id, ...) [OPTION_##id] = { __VA_ARGS__ },
#include "cli/option_rows.h"
#undef OPTION
};

const char *option_name(enum option_id option)
{
	static char names[OPTIONS][24];
	const struct option_row *row = &option_rows[option];

	if (!row->name)
		return row->words;
	snprintf(names[option], sizeof(names[0]), "--%s%s%s", row->name, row->is_request_too ? "=" : "",
		 row->is_request_too ? row->argument.name : "");
	return names[option];
}

static int key_of(enum option_id option)
{
	return option_rows[option].letter ? option_rows[option].letter : KEY_OF_OPTION + (int)option;
}

enum option_id option_of_key(int key)
{
	unsigned int option;

	for (option = 0; option < OPTIONS; option++)
		if (option_rows[option].name && key_of(option) == key)
			break;
	return option;
}

unsigned int request_of_key(int key)
{
	return key >= KEY_OF_REQUEST && key < KEY_OF_REQUEST + MOST_REQUESTS ?
		       (unsigned int)key - KEY_OF_REQUEST : MOST_REQUESTS;
}

const struct argument *argument_of_key(const struct request *const *requests, int key)
{
	unsigned int request = request_of_key(key);

	return request < MOST_REQUESTS ? &requests[request]->argument : &option_rows[option_of_key(key)].argument;
}

static char *text_of(const struct option_row *row, const char *text)
{
	char *whole;

	if (!text || !row->argument.choice)
		return (char *)text;
	if (asprintf(&whole, text, choice_list(row->argument.choice, ", ", " or ")) < 0)
		die_no_memory();
	return whole;
}

/* "--status=N" */
static const char *text_with(const char *name, const char *argument)
{
	char *whole;

	if (asprintf(&whole, "    --%s=%s", name, argument) < 0) /* where an option without a letter is */
		die_no_memory();
	return whole;
}

static void add_requests(struct argp_option *table, size_t *n, const struct request *const *requests)
{
	size_t i;

	for (i = 0; requests[i]; i++)
		table[(*n)++] = (struct argp_option){
			requests[i]->name, KEY_OF_REQUEST + (int)i, requests[i]->argument.name,
			requests[i]->argument.may_lack ? OPTION_ARG_OPTIONAL : 0,
			requests[i]->help, GROUP_VIEWS,
		};
}

static void add_options(struct argp_option *table, size_t *n, enum group group)
{
	unsigned int option;

	for (option = 0; option < OPTIONS; option++) {
		const struct option_row *row = &option_rows[option];

		if (!row->name || row->group != group)
			continue;
		if (row->is_request_too) {
			table[(*n)++] = (struct argp_option){
				text_with(row->name, row->argument.name), 0, NULL,
				OPTION_DOC | OPTION_NO_USAGE, row->help, (int)group,
			};
			continue;
		}
		table[(*n)++] = (struct argp_option){
			row->name, key_of(option), row->argument.name,
			(row->is_hidden ? OPTION_HIDDEN : 0) |
				(row->argument.may_lack ? OPTION_ARG_OPTIONAL : 0),
			text_of(row, row->help), (int)group,
		};
	}
}

const struct argp_option *options_table(const struct request *const *requests)
{
	static struct argp_option table[OPTIONS + MOST_REQUESTS + GROUPS + 1];
	unsigned int group;
	size_t n = 0;

	if (table[0].doc)
		return table;
	for (group = 1; group < GROUPS; group++) {
		table[n++] = (struct argp_option){ .doc = titles[group], .group = (int)group };
		if (group == GROUP_VIEWS)
			add_requests(table, &n, requests);
		add_options(table, &n, group);
	}
	return table;
}

static void print_line(FILE *out, char letter, const char *name, const char *argument,
		       const char *help)
{
	char option[40];

	snprintf(option, sizeof(option), "%s%s%s", name, argument ? "=" : "",
		 argument ? argument : "");
	if (letter)
		fprintf(out, "  -%c, --%-15s %s\n", letter, option, help);
	else
		fprintf(out, "      --%-15s %s\n", option, help);
}

void options_print_help(FILE *out, const struct request *const *requests)
{
	const struct option_row *row;

	fputs("Usage: proclife-read [VIEW...] [OPTION...] [-- COMMAND [ARG...]]\n\n", out);
	for (; *requests; requests++)
		if (!(*requests)->is_minor)
			print_line(out, 0, (*requests)->name,
				   (*requests)->argument.may_lack ? NULL : (*requests)->argument.name, (*requests)->help);
	fputc('\n', out);
	for (row = option_rows; row < option_rows + OPTIONS; row++)
		if (row->brief)
			print_line(out, row->letter, row->name, row->argument.name, row->brief);
	fputs("\n--help=all has all options; see proclife-read(8) and proclife-views(7).\n", out);
}
