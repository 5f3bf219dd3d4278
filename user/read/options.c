// SPDX-License-Identifier: GPL-2.0-only
#include "options.h"
#include "completion.h"
#include "parse.h"
#include "say.h"
#include <argp.h>
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
	{ "duration", 'd', "TIME", 0, "After this time: 10, 0.5, 10s, 250ms, 5m, 1h", 3 },
	{ "count", 'n', "N", 0,
	  "After N records (--events) or N processes that are gone (--tree, --latency)", 3 },

	{ NULL, 0, NULL, 0, "How much of the tree (what is cut is counted in its place):", 4 },
	{ "depth", OPTION_DEPTH, "N", 0, "N levels below the first processes", 4 },
	{ "min-life", OPTION_MIN_LIFE, "TIME", 0,
	  "Only processes that live as long, and who started them: 50us, 20ms, 1.5s", 4 },
	{ "top", OPTION_TOP, "N[:KEY]", 0,
	  "Only the N largest by KEY, and who started them: cpu (default), life, rss, or count, "
	  "the number of descendants", 4 },
	{ "fold", OPTION_FOLD, NULL, 0,
	  "Show siblings that are alike as one line; default above 1000 lines", 4 },
	{ "no-fold", OPTION_NO_FOLD, NULL, 0, "Show each of them", 4 },

	{ NULL, 0, NULL, 0, "Output:", 5 },
	{ "json", 'j', NULL, 0, "One JSON object per line", 5 },
	{ "quiet", 'q', NULL, 0, "On a terminal: no progress, no hints", 5 },

	{ NULL, 0, NULL, 0, "Verdicts:", 6 },
	{ "expect", OPTION_EXPECT, "FIGURE", 0,
	  "Exit with status 2 unless this holds; can be given repeatedly. exit_free.p99<50ms, "
	  "zombie.max<=1s, life.count>=100, zombies==0, lost==0", 6 },
	{ "ktap", OPTION_KTAP, NULL, 0, "Print the verdicts as KTAP, for kselftest and prove", 6 },
	{ "lava", OPTION_LAVA, NULL, 0, "Print the verdicts as test cases of LAVA", 6 },

	{ NULL, 0, NULL, 0, "Source:", 7 },
	{ "input", 'i', "DIR", 0, "Read what --record has written", 7 },
	{ "load", OPTION_LOAD, NULL, 0, "Load the module, and unload it at the end", 7 },
	{ "device", OPTION_DEVICE, "PATH", 0, "Read this device (" PROCLIFE_DEVICE ")", 7 },

	/* For the build, which installs what it prints. */
	{ "completion", OPTION_COMPLETION, "SHELL", OPTION_HIDDEN, NULL, 0 },

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
	"Exit status: 0; 1 error; 2 an expectation failed; 3 records were lost or a recording was "
	"cut off, the result is incomplete, or what was judged had not ended; 129 wrong usage; "
	"with a COMMAND and no expectation, its own status (126 if it cannot be executed, 127 if "
	"it is not found, 128 + N if signal N killed it).\n\n"
	"proclife-read(8) explains the views, their columns and the JSON.";

/* What has to be above 0; 0 if it is not, or is no such thing. */
static uint64_t time_of(const char *s)
{
	uint64_t ns;

	return parse_time(s, BARE_SECONDS, &ns) ? ns : 0;
}

static uint64_t number_of(const char *s, uint64_t max)
{
	uint64_t value;

	return parse_number(s, max, &value) ? value : 0;
}

static void add_pid(struct options *options, struct argp_state *state, const char *arg)
{
	uint64_t pid = number_of(arg, INT_MAX);
	uint32_t *pids;

	if (!pid)
		argp_error(state, "--pid %s: not a process ID", arg);
	pids = reallocarray(options->pids, options->pid_count + 1, sizeof(*pids));
	if (!pids)
		die_no_memory();
	pids[options->pid_count++] = pid;
	options->pids = pids;
}

static void set_depth(struct options *options, struct argp_state *state, const char *arg)
{
	uint64_t depth;

	if (!parse_number(arg, DEPTH_ALL - 1, &depth))
		argp_error(state, "--depth %s: not a number of levels", arg);
	options->cut.depth = depth;
}

static const char *const top_keys[] = {
	[TOP_CPU] = "cpu",
	[TOP_LIFE] = "life",
	[TOP_RSS] = "rss",
	[TOP_COUNT] = "count",
};

const char *top_key_name(enum top_key key)
{
	return top_keys[key];
}

/* "20" or "20:rss" */
static void set_top(struct options *options, struct argp_state *state, const char *arg)
{
	size_t digits = strcspn(arg, ":"), i;
	char number[24] = "";

	if (digits < sizeof(number))
		memcpy(number, arg, digits);
	options->cut.top = number_of(number, UINT32_MAX);
	if (!options->cut.top)
		argp_error(state, "--top %s: does not begin with a number above 0", arg);
	options->cut.key = TOP_CPU;
	if (!arg[digits])
		return;
	for (i = 0; i < sizeof(top_keys) / sizeof(top_keys[0]); i++) {
		if (strcmp(arg + digits + 1, top_keys[i]))
			continue;
		options->cut.key = i;
		return;
	}
	argp_error(state, "--top %s: the key is not one of cpu, life, rss and count", arg);
}

static void add_expectation(struct options *options, struct argp_state *state, const char *arg)
{
	struct expectation *expectations =
		reallocarray(options->expectations, options->expectation_count + 1,
			     sizeof(*expectations));
	const char *wrong;

	if (!expectations)
		die_no_memory();
	options->expectations = expectations;
	wrong = expect_parse(&expectations[options->expectation_count], arg);
	if (wrong)
		argp_error(state, "--expect '%s': %s", arg, wrong);
	options->expectation_count++;
}

bool cut_is_set(const struct cut *cut)
{
	return cut->depth != DEPTH_ALL || cut->min_life || cut->top;
}

/* What is for the tree alone. */
static void check_tree(const struct options *options, struct argp_state *state)
{
	const char *which = options->cut.depth != DEPTH_ALL ? "--depth" :
			    options->cut.min_life	    ? "--min-life" :
			    options->cut.top		    ? "--top" :
							      NULL;
	const char *fold = options->fold == FOLD_ALWAYS ? "--fold" :
			   options->fold == FOLD_NEVER  ? "--no-fold" :
							  NULL;

	if (which && !(options->views & VIEW_TREE))
		argp_error(state, "%s is for --tree", which);
	if (fold && (!(options->views & VIEW_TREE) || options->json))
		argp_error(state, "%s is for --tree without --json", fold);
	if (options->fold == FOLD_ALWAYS && options->threads)
		argp_error(state, "--fold and --threads exclude each other");
	if (options->fold == FOLD_ALWAYS && options->cut.top)
		argp_error(state, "--fold and --top exclude each other: --top shows single "
				  "processes");
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

static void check_verdicts(const struct options *options, struct argp_state *state)
{
	const char *form = options->verdicts == VERDICTS_KTAP ? "--ktap" :
			   options->verdicts == VERDICTS_LAVA ? "--lava" :
								NULL;

	if (form && !options->expectation_count)
		argp_error(state, "%s prints verdicts: add what to --expect", form);
	if (form && (options->json || options->views != VIEW_NONE))
		argp_error(state, "%s prints nothing but verdicts: leave out --json and the views",
			   form);
	if (options->expectation_count && options->views == VIEW_STATUS)
		argp_error(state, "--status and --expect exclude each other");
}

/* What cannot go together. */
static void check(struct options *options, struct argp_state *state)
{
	unsigned int views = options->views;

	if (!views)
		views = options->views = options->record || options->expectation_count ?
						 VIEW_NONE :
						 VIEW_EVENTS;
	if ((views & (views - 1)) && views != (VIEW_TREE | VIEW_LATENCY))
		argp_error(state, "only --tree and --latency can be given together");
	check_input(options, state);
	if (views == VIEW_STATUS && options->record)
		argp_error(state, "--status and --record exclude each other");
	check_verdicts(options, state);
	if (views == VIEW_NONE && options->json && !options->expectation_count)
		argp_error(state, "--json is for a view, and --record alone shows none; add "
				  "--events, --tree or --latency");
	check_tree(options, state);
	if (options->threads && !(views & (VIEW_TREE | VIEW_LATENCY)) && !options->expectation_count)
		argp_error(state, "--threads is for --tree, --latency and --expect; --events has "
				  "them all");
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
		options->duration = time_of(arg);
		if (!options->duration)
			argp_error(state, "--duration %s: not a time such as 10, 0.5, 10s or 250ms",
				   arg);
		break;
	case 'n':
		options->count = number_of(arg, UINT64_MAX);
		if (!options->count)
			argp_error(state, "--count %s: not a number above 0", arg);
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
		set_depth(options, state, arg);
		break;
	case OPTION_MIN_LIFE:
		options->cut.min_life = time_of(arg);
		if (!options->cut.min_life)
			argp_error(state, "--min-life %s: not a time such as 0.5, 20ms or 50us",
				   arg);
		break;
	case OPTION_TOP:
		set_top(options, state, arg);
		break;
	case OPTION_EXPECT:
		add_expectation(options, state, arg);
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
		options->input = arg;
		break;
	case OPTION_COMPLETION:
		if (!completion_print(stdout, arg, table))
			argp_error(state, "--completion %s: not a shell that is known: bash or zsh",
				   arg);
		exit(0);
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
	options->cut.depth = DEPTH_ALL;
	argp_err_exit_status = STATUS_USAGE;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, options);
}

void options_free(struct options *options)
{
	free(options->pids);
	free(options->expectations);
	options->pids = NULL;
	options->expectations = NULL;
}
