// SPDX-License-Identifier: GPL-2.0-only
#include "options.h"
#include "say.h"
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <proclife.h>
#include <stdlib.h>
#include <string.h>

#ifndef PROCLIFE_VERSION
#define PROCLIFE_VERSION "(unknown version)"
#endif

const char *argp_program_version = "proclife-read " PROCLIFE_VERSION;

/* Options without a short form; above every character. */
enum {
	OPTION_EVENTS = 256,
	OPTION_TREE,
	OPTION_LATENCY,
	OPTION_STATUS,
	OPTION_FOLD,
	OPTION_HISTORY,
	OPTION_LOAD,
	OPTION_DEVICE,
	OPTION_RECORD,
};

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "Views (--tree and --latency can be given together):", 1 },
	{ "events", OPTION_EVENTS, NULL, 0, "One line per record, in order (default)", 1 },
	{ "tree", OPTION_TREE, NULL, 0, "Who started whom, how long it lived, how it ended", 1 },
	{ "latency", OPTION_LATENCY, NULL, 0,
	  "How long tasks live, stay zombies and wait to be freed", 1 },
	{ "status", OPTION_STATUS, NULL, 0, "The module: parameters, rings, features, counts", 1 },
	{ "record", OPTION_RECORD, "DIR", 0,
	  "Write all records to this new folder, for -i; with another view or without", 1 },

	{ NULL, 0, NULL, 0, "Selection:", 2 },
	{ "pid", 'p', "PID", 0,
	  "Only this process and what descends from it; can be given repeatedly", 2 },
	{ "threads", 't', NULL, 0,
	  "--tree: list threads too; --latency: measure threads instead of processes", 2 },
	{ "history", OPTION_HISTORY, NULL, 0, "Begin with what the rings still hold", 2 },

	{ NULL, 0, NULL, 0, "Stop (as Ctrl-C does, which prints the result so far):", 3 },
	{ "duration", 'd', "TIME", 0, "After this time: 10, 0.5, 10s, 250ms", 3 },
	{ "count", 'n', "N", 0,
	  "After N records (--events) or N processes that are gone (--tree, --latency)", 3 },

	{ NULL, 0, NULL, 0, "Output:", 4 },
	{ "json", 'j', NULL, 0, "One JSON object per line", 4 },
	{ "fold", OPTION_FOLD, NULL, 0, "--tree: show siblings that are alike as one line", 4 },

	{ NULL, 0, NULL, 0, "Source:", 5 },
	{ "input", 'i', "DIR", 0, "Read what --record has written", 5 },
	{ "load", OPTION_LOAD, NULL, 0, "Load the module, and unload it at the end", 5 },
	{ "device", OPTION_DEVICE, "PATH", 0, "Read this device (" PROCLIFE_DEVICE ")", 5 },

	{ NULL, 0, NULL, 0, "Help:", -1 },
	{ 0 }
};

static const char usage[] = "[-- COMMAND [ARG...]]";

static const char help[] =
	"Shows the exact life of every task, as the kernel module proclife records it: fork, exec, "
	"exit, reap, free, as it happens or from a recording."
	"\v"
	"With a COMMAND, it is run and followed with all its descendants until every one of them "
	"is freed, and its status is passed on.\n\n"
	"Exit status: 0; 1 error; 3 records were lost or a recording was cut off, the result is "
	"incomplete; 129 wrong usage; "
	"with a COMMAND, its own status (126 if it cannot be executed, 127 if it is not found, "
	"128 + N if signal N killed it).\n\n"
	"proclife-read(8) explains the views, their columns and the JSON.";

/* "10", "0.5", "10s", "250ms"; 0 if it is none of these or too much. */
static uint64_t parse_duration(const char *s)
{
	size_t digits = strspn(s, "0123456789.");
	double value;
	char *end;

	/* strtod() knows more: signs, exponents, hexadecimal, "inf". */
	value = strtod(s, &end);
	if (!digits || end != s + digits)
		return 0;
	if (!strcmp(end, "ms"))
		value *= 1e6;
	else if (!*end || !strcmp(end, "s"))
		value *= 1e9;
	else
		return 0;
	return value >= 1 && value < 9e18 ? (uint64_t)value : 0;
}

/* A positive whole number up to max; 0 if it is not. */
static uint64_t parse_number(const char *s, uint64_t max)
{
	unsigned long long value;

	if (!*s || strspn(s, "0123456789") != strlen(s))
		return 0;
	errno = 0;
	value = strtoull(s, NULL, 10);
	return errno || value > max ? 0 : value;
}

static void add_pid(struct options *options, struct argp_state *state, const char *arg)
{
	uint64_t pid = parse_number(arg, INT_MAX);
	uint32_t *pids;

	if (!pid)
		argp_error(state, "--pid %s: not a process ID", arg);
	pids = reallocarray(options->pids, options->pid_count + 1, sizeof(*pids));
	if (!pids)
		die_no_memory();
	pids[options->pid_count++] = pid;
	options->pids = pids;
}

static void check_input(const struct options *options, struct argp_state *state)
{
	const char *other = options->load	? "--load" :
			    options->device	? "--device" :
			    options->history	? "--history" :
			    options->record	? "--record" :
			    options->command	? "a COMMAND" :
			    options->views == VIEW_STATUS ? "--status" :
							    NULL;

	if (options->input && other)
		argp_error(state, "-i and %s exclude each other: a recording is all there is to read",
			   other);
}

/* What cannot go together. */
static void check(struct options *options, struct argp_state *state)
{
	unsigned int views = options->views;

	if (!views)
		views = options->views = options->record ? VIEW_NONE : VIEW_EVENTS;
	if ((views & (views - 1)) && views != (VIEW_TREE | VIEW_LATENCY))
		argp_error(state, "only --tree and --latency can be given together");
	check_input(options, state);
	if (views == VIEW_STATUS && options->record)
		argp_error(state, "--status and --record exclude each other");
	if (views == VIEW_NONE && options->json)
		argp_error(state, "--json is for a view, and --record alone shows none; add "
				  "--events, --tree or --latency");
	if (options->fold && (!(views & VIEW_TREE) || options->json))
		argp_error(state, "--fold is for --tree without --json");
	if (options->threads && !(views & (VIEW_TREE | VIEW_LATENCY)))
		argp_error(state, "--threads is for --tree and --latency; --events has them all");
	if (options->fold && options->threads)
		argp_error(state, "--fold and --threads exclude each other");
	if (options->command && options->pid_count)
		argp_error(state, "--pid and a COMMAND exclude each other");
	if (options->command && options->history)
		argp_error(state, "--history and a COMMAND exclude each other");
	if (views == VIEW_STATUS &&
	    (options->command || options->pid_count || options->history || options->duration ||
	     options->count))
		argp_error(state, "--status shows the module as it is now: it takes no command, "
				  "selection or end");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case OPTION_EVENTS:
		options->views |= VIEW_EVENTS;
		break;
	case OPTION_TREE:
		options->views |= VIEW_TREE;
		break;
	case OPTION_LATENCY:
		options->views |= VIEW_LATENCY;
		break;
	case OPTION_STATUS:
		options->views |= VIEW_STATUS;
		break;
	case 'p':
		add_pid(options, state, arg);
		break;
	case 't':
		options->threads = true;
		break;
	case OPTION_HISTORY:
		options->history = true;
		break;
	case 'd':
		options->duration = parse_duration(arg);
		if (!options->duration)
			argp_error(state, "--duration %s: not a time such as 10, 0.5, 10s or 250ms",
				   arg);
		break;
	case 'n':
		options->count = parse_number(arg, UINT64_MAX);
		if (!options->count)
			argp_error(state, "--count %s: not a number above 0", arg);
		break;
	case 'j':
		options->json = true;
		break;
	case OPTION_FOLD:
		options->fold = true;
		break;
	case OPTION_LOAD:
		options->load = true;
		break;
	case OPTION_DEVICE:
		options->device = arg;
		break;
	case OPTION_RECORD:
		options->record = arg;
		break;
	case 'i':
		options->input = arg;
		break;
	case ARGP_KEY_ARG:
		if (!state->quoted)
			argp_error(state, "%s: a command has to follow '--'", arg);
		options->command = &state->argv[state->next - 1];
		state->next = state->argc;
		break;
	case ARGP_KEY_END:
		if (state->quoted && !options->command)
			argp_error(state, "'--' is followed by no command");
		check(options, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

void options_parse(struct options *options, int argc, char **argv)
{
	const struct argp argp = { table, parse, usage, help, NULL, NULL, NULL };

	memset(options, 0, sizeof(*options));
	argp_err_exit_status = STATUS_USAGE;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, options);
}

void options_free(struct options *options)
{
	free(options->pids);
	options->pids = NULL;
}
