// SPDX-License-Identifier: GPL-2.0-only
#include "cli/completion.h"
#include "cli/options.h"
#include "cli/options_check.h"
#include "cli/options_table.h"
#include "cli/options_value.h"
#include "output/message.h"
#include "output/quoted.h"
#include <argp.h>
#include <proclife.h>
#include <stdlib.h>
#include <string.h>

#ifndef PROCLIFE_VERSION
#define PROCLIFE_VERSION "(unknown version)"
#endif

const char *argp_program_version = "proclife-read " PROCLIFE_VERSION;

static const char usage[] = "[-- COMMAND [ARG...]]\n--diff A B";

static const char help[] =
	"Shows the exact life of every task, as the kernel module proclife records it: fork, exec, "
	"exit, reap, free, as it happens or from a recording."
	"\v"
	"With a COMMAND, it is run and followed with all its descendants until every one of them "
	"is freed, and its status is passed on.\n\n"
	"Exit status: 0; 1 error; 2 an expectation failed; 3 records were lost or a recording was "
	"cut off, the result is incomplete, or what was judged had not ended; 129 wrong usage; "
	"with a COMMAND and no expectation, its own status (126 if it cannot be executed, 127 if "
	"it is not found, 128 + N if signal N killed it).\n\n"
	"proclife-read(8) explains the views, their columns and the JSON.";

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
	case OPTION_PARENTS:
		options->views |= VIEW_PARENTS;
		break;
	case OPTION_ZOMBIES:
		options->views |= VIEW_ZOMBIES;
		break;
	case OPTION_DIFF:
		options->views |= VIEW_DIFF;
		option_add_word(&options->diff, arg);
		break;
	case OPTION_FACTOR:
		option_set_factor(options, state, arg);
		break;
	case OPTION_FORCE:
		options->force = true;
		break;
	case OPTION_COMM:
		option_add_word(&options->filter.comms, arg);
		break;
	case OPTION_UID:
		option_add_uid(&options->filter, state, arg);
		break;
	case OPTION_CGROUP:
		option_add_cgroup(&options->filter, state, arg);
		break;
	case OPTION_BY:
		option_set_by(options, state, arg);
		break;
	case OPTION_SHOW:
		option_set_show(options, state, arg);
		break;
	case 'p':
		option_add_pid(options, state, arg);
		break;
	case 't':
		options->threads = true;
		break;
	case OPTION_HISTORY:
		options->history = true;
		break;
	case 'd':
		options->duration = option_time_of(arg);
		if (!options->duration)
			argp_error(state, "--duration %s: not a time such as 10, 0.5, 10s or 250ms",
				   quoted(arg));
		break;
	case 'n':
		options->count = option_number_of(arg, UINT64_MAX);
		if (!options->count)
			argp_error(state, "--count %s: not a number above 0", quoted(arg));
		break;
	case 'j':
		options->json = true;
		break;
	case 'q':
		options->quiet = true;
		break;
	case OPTION_FOLD:
		options->fold = FOLD_ALWAYS;
		break;
	case OPTION_NO_FOLD:
		options->fold = FOLD_NEVER;
		break;
	case OPTION_DEPTH:
		option_set_depth(options, state, arg);
		break;
	case OPTION_MIN_LIFE:
		options->cut.min_life = option_time_of(arg);
		if (!options->cut.min_life)
			argp_error(state, "--min-life %s: not a time such as 0.5, 20ms or 50us",
				   quoted(arg));
		break;
	case OPTION_TOP:
		option_set_top(options, state, arg);
		break;
	case OPTION_EXPECT:
		option_add_expectation(options, state, arg);
		break;
	case OPTION_KTAP:
	case OPTION_LAVA:
		if (options->verdicts != VERDICTS_PLAIN)
			argp_error(state, "--ktap and --lava: one of them, and once");
		options->verdicts = key == OPTION_KTAP ? VERDICTS_KTAP : VERDICTS_LAVA;
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
		option_add_word(&options->inputs, arg);
		break;
	case OPTION_COMPLETION:
		if (!completion_print(stdout, arg, options_table))
			argp_error(state, "--completion %s: not a shell that is known: bash or zsh",
				   quoted(arg));
		exit(0);
	case ARGP_KEY_ARG:
		if (options->diff.count == 1 && !state->quoted) {
			option_add_word(&options->diff, arg);
			break;
		}
		if (!state->quoted)
			argp_error(state, "%s: a command has to follow '--'", quoted(arg));
		options->command = &state->argv[state->next - 1];
		state->next = state->argc;
		break;
	case ARGP_KEY_END:
		if (state->quoted && !options->command)
			argp_error(state, "'--' is followed by no command");
		options->cut.matching = filter_is_set(&options->filter);
		options_check(options, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

void options_parse(struct options *options, int argc, char **argv)
{
	const struct argp argp = { options_table, parse, usage, help, NULL, NULL, NULL };

	memset(options, 0, sizeof(*options));
	options->cut.depth = DEPTH_ALL;
	options->factor = 2;
	argp_err_exit_status = STATUS_USAGE;
	quote_errors(true);
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, options);
	quote_errors(false);
}

void options_free(struct options *options)
{
	free(options->pids);
	free(options->filter.comms.all);
	free(options->filter.cgroups.all);
	free(options->filter.uids);
	free(options->inputs.all);
	free(options->diff.all);
	free(options->expectations);
}
