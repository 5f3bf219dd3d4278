// SPDX-License-Identifier: GPL-2.0-only
#include "cli/completion.h"
#include "cli/options_parse.h"
#include "cli/options_check.h"
#include "cli/options_table.h"
#include "cli/spelling.h"
#include "cli/values.h"
#include "output/json.h"
#include "output/message.h"
#include "output/quoted.h"
#include <argp.h>
#include <proclife.h>
#include <stdlib.h>
#include <string.h>

#ifndef PROCLIFE_VERSION
#define PROCLIFE_VERSION "(unknown version)"
#endif

/* The state while the command line is parsed. */
struct reading {
	struct options *options;
	const struct request *const *all;
	uint32_t requests; /* a bit for each of @all that is given */
	const struct argument *more; /* what words that follow belong to; NULL: none is yet */
	const char *values[OPTIONS + MOST_REQUESTS]; /* of each option and request, if it has one value */
};

static const char usage[] = "[-- COMMAND [ARG...]]\n--diff A B\n--diff A... --against B...";

static const char help[] =
	"Shows the exact life of every task, as the kernel module proclife records it: fork, exec, "
	"exit, reap, free, as it happens or from a recording."
	"\v"
	"With a COMMAND, it is run and followed with all its descendants until every one of them "
	"is freed, and its status is passed on.\n\n"
	"Exit status: 0; 1 error; 2 an expectation failed, or something has changed (--diff); 3 "
	"records were lost or a recording was "
	"cut off, the result is incomplete, or what was judged had not ended; 129 wrong usage; "
	"with a COMMAND and no expectation, its own status (126 if it cannot be executed, 127 if "
	"it is not found, 128 + N if signal N killed it).\n\n"
	"proclife-read(8) explains them, proclife-views(7) the columns, proclife-read-json(5) the JSON.";

/* argp(3) adds a line of blanks where a text just fits. */
static void print_all(struct argp_state *state)
{
	char *text = NULL, *line, *next;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		die_no_memory();
	argp_state_help(state, file, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK);
	if (fclose(file))
		die_no_memory();
	for (line = text; *line; line = next) {
		size_t blanks = strspn(line, " ");

		next = line + strcspn(line, "\n");
		next += *next != '\0';
		if (!blanks || line[blanks] != '\n')
			fwrite(line, 1, (size_t)(next - line), stdout);
	}
	free(text);
	exit(0);
}

static void print_version(void)
{
	printf("proclife-read %s\ndevice ABI %d, recordings %d, JSON %d\n", PROCLIFE_VERSION,
	       PROCLIFE_ABI_VERSION, PROCLIFE_RECORDING_FORMAT, JSON_SCHEMA);
}

static void print_help(const struct reading *reading, struct argp_state *state, const char *arg)
{
	if (arg && strcmp(arg, "all"))
		argp_error(state, "--help=%s: it is --help or --help=all", quoted(arg));
	if (arg)
		print_all(state);
	options_print_help(stdout, reading->all);
	exit(0);
}

/* A value that counts once is not replaced by another one without a word. */
static void check_repeated(const char **value, const struct argument *argument, const char *name, const char *arg,
			   struct argp_state *state)
{
	if (!arg || value_adds(argument))
		return;
	if (*value && strcmp(*value, arg))
		argp_error(state, "--%s is given twice, as %s and as %s: leave one of them out", name,
			   quoted(*value), quoted(arg));
	*value = arg;
}

/* Fills what the argument of an option, or of a request, fills. */
static void fill(struct reading *reading, const char **value, const struct argument *argument, const char *name,
		 const char *arg, struct argp_state *state)
{
	check_repeated(value, argument, name, arg, state);
	value_take(argument, reading->options, name, arg, state);
	if (argument->takes_more)
		reading->more = argument;
}

/* Those options that fill nothing. */
static void act(struct reading *reading, enum option_id option, const char *arg, struct argp_state *state)
{
	switch (option) {
	case OPTION_HELP:
		print_help(reading, state, arg);
		break;
	case OPTION_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
		break;
	case OPTION_VERSION:
		print_version();
		exit(0);
	case OPTION_COMPLETION:
		if (!completion_print(stdout, arg, reading->all))
			argp_error(state, "--completion %s: not a shell that is known: bash or zsh",
				   quoted(arg));
		exit(0);
	default:
		break;
	}
}

static void take(struct reading *reading, enum option_id option, const char *arg,
		 struct argp_state *state)
{
	const struct option_row *row = &option_rows[option];

	reading->options->given |= 1ULL << option;
	fill(reading, &reading->values[option], &row->argument, row->name, arg, state);
	act(reading, option, arg, state);
}

/* With an argument, it can be the option of the same name. */
static void take_request(struct reading *reading, unsigned int number, const char *arg,
			 struct argp_state *state)
{
	const struct request *request = reading->all[number];
	unsigned int option;

	for (option = 0; arg && option < OPTIONS; option++)
		if (option_rows[option].is_request_too && !strcmp(option_rows[option].name, request->name)) {
			take(reading, option, arg, state);
			return;
		}
	if (arg)
		fill(reading, &reading->values[OPTIONS + number], &request->argument, request->name, arg, state);
	reading->requests |= 1u << number;
}

/* Is it the optional argument of the request before it? Then take that again, with it. */
static bool take_argument(struct reading *reading, const char *word, struct argp_state *state)
{
	const char *before = state->next >= 2 ? state->argv[state->next - 2] : "";
	unsigned int i;

	for (i = 0; !strncmp(before, "--", 2) && reading->all[i]; i++) {
		if (!reading->all[i]->argument.may_lack || strcmp(before + 2, reading->all[i]->name))
			continue;
		reading->requests &= ~(1u << i);
		take_request(reading, i, word, state);
		return true;
	}
	return false;
}

/* A word after "--", or another one of what takes several, or the argument of a request. */
static void take_word(struct reading *reading, char *word, struct argp_state *state)
{
	struct options *options = reading->options;

	if (!state->quoted && take_argument(reading, word, state))
		return;
	if (reading->more && !state->quoted) {
		value_take(reading->more, options, "", word, state);
		return;
	}
	if (!state->quoted)
		argp_error(state, "%s: unexpected word; put '--' before a command, or -i before a recording", quoted(word));
	options->command = &state->argv[state->next - 1];
	options->given |= GIVEN(COMMAND);
	state->next = state->argc;
}

/* --diff A B: the other side needs no name if there is one recording of each. */
static void split_sides(struct diff_options *diff)
{
	if (diff->a.count == 2 && !diff->b.count)
		words_add(&diff->b, diff->a.all[--diff->a.count]);
}

static void finish(const struct reading *reading, struct argp_state *state)
{
	struct options *options = reading->options;
	const struct request *const *all = reading->all;
	size_t i, n = 0, shown = 0;

	if (state->quoted && !options->command)
		argp_error(state, "'--' is followed by no command");
	for (i = 0; all[i]; i++) {
		if (reading->requests ? !(reading->requests & 1u << i) :
					!all[i]->is_default || options_only_load(options) || options->record.dir || options->metrics ||
						options->expect.count || options->expect.form || options->on.count)
			continue;
		options->requests[n++] = all[i];
		if (request_view(all[i]))
			options->views[shown++] = request_view(all[i]);
	}
	if (!options->inputs.count && !options->diff.a.count)
		options_find_users(&options->filter, state);
	split_sides(&options->diff);
	options->cut.matching = filter_is_set(&options->filter) || options->from.kind ||
				options->to.kind;
	if (!options->expect.left_after && options_expect(options, EXPECT_LEFT))
		options->expect.left_after = LEFT_AFTER;
	if ((options->on.save || options->on.exec) && !(options->given & GIVEN(CALM)))
		options->on.calm = USUAL_CALM;
	if (options->json && !options->times) /* messages beside JSON have the same times */
		options->times = TIMES_MONOTONIC;
	options_check(options, all, state);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct reading *reading = state->input;

	if (key == ARGP_KEY_ARG)
		take_word(reading, arg, state);
	else if (key == ARGP_KEY_END)
		finish(reading, state);
	else if (request_of_key(key) < MOST_REQUESTS)
		take_request(reading, request_of_key(key), arg, state);
	else if (option_of_key(key) != OPTIONS)
		take(reading, option_of_key(key), arg, state);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

/* If an argument may be missing, getopt_long(3) would take this for an option. */
static void check_status(int argc, char **argv)
{
	int i;

	for (i = 1; i + 1 < argc && strcmp(argv[i], "--"); i++) {
		const char *next = argv[i + 1];

		if (strcmp(argv[i], "--status") || next[0] != '-' || !strchr("0123456789", next[1]) ||
		    !next[1])
			continue;
		message("--status %s: not an exit status from 0 to 255", quoted(next));
		exit(STATUS_USAGE);
	}
}

void options_parse(struct options *options, const struct request *const *requests, int argc, char **argv)
{
	const struct argp argp = { options_table(requests), parse, usage, help, NULL, NULL, NULL };
	struct reading reading = { .options = options, .all = requests };

	memset(options, 0, sizeof(*options));
	options->argc = argc;
	options->argv = argv;
	options->cut.depth = DEPTH_ALL;
	options->diff.factor = 1.1;
	options->source = (struct source_options){
		.ring_kb = USUAL_RING_KB, .args_bytes = USUAL_ARGS_BYTES,
		.signals = true, .waits = true, .reap = true, .exiting = true, .memory = true,
	};
	options->on.after = USUAL_AFTER;
	options->on.saves = USUAL_SAVES;
	argp_err_exit_status = STATUS_USAGE;
	check_status(argc, argv);
	spelling_check(requests, argc, argv);
	quote_errors(true);
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP, NULL, &reading);
	quote_errors(false);
}

void options_free(struct options *options)
{
	free(options->pids.all);
	free(options->filter.comms.all);
	free(options->filter.cgroups.all);
	free(options->filter.args.all);
	free(options->filter.uids.all);
	free(options->filter.users.all);
	free(options->inputs.all);
	free(options->diff.a.all);
	free(options->diff.b.all);
	free(options->expect.all);
	free(options->on.conditions);
}
