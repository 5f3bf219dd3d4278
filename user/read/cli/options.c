// SPDX-License-Identifier: GPL-2.0-only
#include "cli/completion.h"
#include "cli/options.h"
#include "cli/options_check.h"
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

/* Options without a short form; above every character. */
enum {
	OPTION_EVENTS = 256,
	OPTION_TREE,
	OPTION_LATENCY,
	OPTION_STATUS,
	OPTION_PARENTS,
	OPTION_ZOMBIES,
	OPTION_DIFF,
	OPTION_FACTOR,
	OPTION_FORCE,
	OPTION_COMM,
	OPTION_UID,
	OPTION_CGROUP,
	OPTION_BY,
	OPTION_SHOW,
	OPTION_FOLD,
	OPTION_NO_FOLD,
	OPTION_DEPTH,
	OPTION_MIN_LIFE,
	OPTION_TOP,
	OPTION_HISTORY,
	OPTION_EXPECT,
	OPTION_KTAP,
	OPTION_LAVA,
	OPTION_LOAD,
	OPTION_DEVICE,
	OPTION_RECORD,
	OPTION_COMPLETION,
};

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "Views (--tree, --latency and --parents can be given together):", 1 },
	{ "events", OPTION_EVENTS, NULL, 0, "One line per record, in order (default)", 1 },
	{ "tree", OPTION_TREE, NULL, 0, "Who started whom, how long it lived, how it ended", 1 },
	{ "latency", OPTION_LATENCY, NULL, 0,
	  "How long tasks live, stay zombies and wait to be freed", 1 },
	{ "parents", OPTION_PARENTS, NULL, 0, "Who reaps, how soon, and who leaves zombies", 1 },
	{ "zombies", OPTION_ZOMBIES, NULL, 0,
	  "The zombies there are now, the oldest first, and who should reap them", 1 },
	{ "diff", OPTION_DIFF, "A", 0,
	  "--diff A B: which phase of which group has changed between two recordings", 1 },
	{ "status", OPTION_STATUS, NULL, 0, "The module: parameters, rings, features, counts", 1 },
	{ "record", OPTION_RECORD, "DIR", 0,
	  "Write all records to this new folder, for -i; with another view or without", 1 },

	{ NULL, 0, NULL, 0, "Selection:", 2 },
	{ "pid", 'p', "PID", 0,
	  "Only this process and what descends from it; can be given repeatedly", 2 },
	{ "comm", OPTION_COMM, "GLOB", 0,
	  "Only processes whose name matches, such as 'cc*'; can be given repeatedly", 2 },
	{ "uid", OPTION_UID, "USER", 0,
	  "Only processes of this user, by name or number; can be given repeatedly", 2 },
	{ "cgroup", OPTION_CGROUP, "PATH", 0,
	  "Only processes of this cgroup and those below it; can be given repeatedly", 2 },
	{ "threads", 't', NULL, 0,
	  "--tree: list threads too; --latency: measure threads instead of processes", 2 },
	{ "history", OPTION_HISTORY, NULL, 0, "Begin with what the rings still hold", 2 },

	{ NULL, 0, NULL, 0, "Stop (as Ctrl-C does, which prints the result so far):", 3 },
	{ "duration", 'd', "TIME", 0, "After this time: 10, 0.5, 10s, 250ms, 5m, 1h", 3 },
	{ "count", 'n', "N", 0,
	  "After N records (--events) or N processes that are gone (--tree, --latency)", 3 },

	{ NULL, 0, NULL, 0, "How much of the tree (what is cut is counted in its place):", 4 },
	{ "depth", OPTION_DEPTH, "N", 0, "N levels below the first processes", 4 },
	{ "min-life", OPTION_MIN_LIFE, "TIME", 0,
	  "Only processes that live as long, and who started them: 50us, 20ms, 1.5s", 4 },
	{ "top", OPTION_TOP, "N[:KEY]", 0,
	  "Only the N largest by KEY, and who started them: cpu (default), life, rss, or count, "
	  "the number of descendants; --parents, --by: only N lines", 4 },
	{ "fold", OPTION_FOLD, NULL, 0,
	  "Show siblings that are alike as one line; default above 1000 lines", 4 },
	{ "no-fold", OPTION_NO_FOLD, NULL, 0, "Show each of them", 4 },

	{ NULL, 0, NULL, 0, "Output:", 5 },
	{ "by", OPTION_BY, "KEY", 0,
	  "--latency, --diff: also by comm, parent, reaper, cgroup, cpu or uid", 5 },
	{ "show", OPTION_SHOW, "WHAT", 0,
	  "--tree: also show pidns (PID in its own namespace), cgroup, uid; several with commas", 5 },
	{ "factor", OPTION_FACTOR, "X", 0, "--diff: what is X times as long has changed (2)", 5 },
	{ "force", OPTION_FORCE, NULL, 0,
	  "--diff: compare even if EXIT stands at different places in the two kernels, or a "
	  "recording with itself", 5 },
	{ "json", 'j', NULL, 0, "One JSON object per line", 5 },
	{ "quiet", 'q', NULL, 0, "On a terminal: no progress, no hints", 5 },

	{ NULL, 0, NULL, 0, "Verdicts:", 6 },
	{ "expect", OPTION_EXPECT, "FIGURE", 0,
	  "Exit with status 2 unless this holds; can be given repeatedly. exit_free.p99<50ms, "
	  "zombie.max<=1s, life.count>=100, zombies==0, lost==0", 6 },
	{ "ktap", OPTION_KTAP, NULL, 0, "Print the verdicts as KTAP, for kselftest and prove", 6 },
	{ "lava", OPTION_LAVA, NULL, 0, "Print the verdicts as test cases of LAVA", 6 },

	{ NULL, 0, NULL, 0, "Source:", 7 },
	{ "input", 'i', "DIR", 0,
	  "Read what --record has written; --latency adds up several", 7 },
	{ "load", OPTION_LOAD, NULL, 0, "Load the module, and unload it at the end", 7 },
	{ "device", OPTION_DEVICE, "PATH", 0, "Read this device (" PROCLIFE_DEVICE ")", 7 },

	/* For the build, which installs what it prints. */
	{ "completion", OPTION_COMPLETION, "SHELL", OPTION_HIDDEN, NULL, 0 },

	{ NULL, 0, NULL, 0, "Help:", -1 },
	{ 0 }
};

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
		if (!completion_print(stdout, arg, table))
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
	const struct argp argp = { table, parse, usage, help, NULL, NULL, NULL };

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
