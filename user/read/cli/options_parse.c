// SPDX-License-Identifier: GPL-2.0-only
#include "cli/completion.h"
#include "cli/options_parse.h"
#include "cli/options_check.h"
#include "cli/options_table.h"
#include "cli/options_value.h"
#include "cli/suggest.h"
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
	const struct view *const *all;
	uint32_t views; /* a bit for each of @all that is given */
	struct words *side; /* of --diff: the one that is named last; NULL: none is yet */
};

static const char usage[] = "[-- COMMAND [ARG...]]\n--diff A B\n--diff A... --against B...";

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

static void add_to_side(struct reading *reading, struct words *side, const char *dir)
{
	reading->side = side;
	option_add_word(side, dir);
}

static void take_view(struct reading *reading, unsigned int number, const char *arg,
		      struct argp_state *state)
{
	const struct view *view = reading->all[number];

	if (!strcmp(view->name, "slice"))
		reading->options->slice = arg;
	else if (!strcmp(view->name, "html"))
		reading->options->html = arg;
	else if (!strcmp(view->name, "export"))
		option_set_export(reading->options, state, arg);
	else if (view->argument && !view->may_lack_argument)
		add_to_side(reading, &reading->options->diff, arg);
	else if (arg && !strcmp(view->name, "status"))
		option_add_status(reading->options, state, arg);
	else if (arg)
		option_set_events(reading->options, state, arg);
	if (!arg || strcmp(view->name, "status"))
		reading->views |= 1u << number;
}

/* Takes one option. */
static void take(struct reading *reading, enum option_id option, const char *arg,
		 struct argp_state *state)
{
	struct options *options = reading->options;

	options->given |= 1ULL << option;
	switch (option) {
	case OPTION_AGAINST:
		add_to_side(reading, &options->against, arg);
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
		option_add_user(&options->filter, arg);
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
	case OPTION_FAILED:
		options->filter.failed = true;
		break;
	case OPTION_SIGNAL:
		option_add_signal(&options->filter, state, arg);
		break;
	case OPTION_ARGS:
		option_add_word(&options->filter.args, arg);
		break;
	case OPTION_FROM:
		option_set_moment(&options->from, "from", state, arg);
		break;
	case OPTION_TO:
		option_set_moment(&options->to, "to", state, arg);
		break;
	case OPTION_UTC:
	case OPTION_MONOTONIC:
		options->times = option == OPTION_UTC ? TIMES_UTC : TIMES_MONOTONIC;
		break;
	case OPTION_PID:
		option_add_pid(options, state, arg);
		break;
	case OPTION_THREADS:
		options->threads = true;
		break;
	case OPTION_HISTORY:
		options->history = true;
		break;
	case OPTION_DURATION:
		options->duration = option_time_of(arg);
		if (!options->duration)
			argp_error(state, "--duration %s: not a time such as 10, 0.5, 10s or 250ms",
				   quoted(arg));
		break;
	case OPTION_INTERVAL:
		options->interval = option_time_of(arg);
		if (options->interval < LEAST_INTERVAL)
			argp_error(state, "--interval %s: not a time of 1ms or more, such as 10, 250ms "
				   "or 5m", quoted(arg));
		break;
	case OPTION_COUNT:
		options->count = option_number_of(arg, UINT64_MAX);
		if (!options->count)
			argp_error(state, "--count %s: not a number above 0", quoted(arg));
		break;
	case OPTION_HIDE_ARGS:
		options->hide_args = true;
		break;
	case OPTION_OUTPUT:
		options->output = arg;
		break;
	case OPTION_LOSS_LOG:
		options->loss_log = arg;
		break;
	case OPTION_TRACKS:
		option_set_tracks(options, state, arg);
		break;
	case OPTION_COLOR:
		option_set_color(options, state, arg);
		break;
	case OPTION_JSON:
		options->json = true;
		break;
	case OPTION_QUIET:
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
	case OPTION_SORT:
		option_set_sort(options, state, arg);
		break;
	case OPTION_TOP:
		option_set_top(options, state, arg);
		break;
	case OPTION_EXPECT:
		option_add_expectation(options, state, arg);
		break;
	case OPTION_ON:
		option_add_condition(options, state, arg);
		break;
	case OPTION_CALM:
		option_set_time(&options->calm, "calm", state, arg);
		break;
	case OPTION_SAVE:
		options->save = arg;
		break;
	case OPTION_AFTER:
		option_set_time(&options->after, "after", state, arg);
		break;
	case OPTION_SAVES:
		options->saves = option_number_of(arg, UINT64_MAX);
		if (!options->saves)
			argp_error(state, "--saves %s: not a number above 0", quoted(arg));
		break;
	case OPTION_EXEC:
		options->exec = arg;
		break;
	case OPTION_LEFT_AFTER:
		options->left_after = option_time_of(arg);
		if (!options->left_after)
			argp_error(state, "--left-after %s: not a time such as 200ms or 5s",
				   quoted(arg));
		break;
	case OPTION_KTAP:
	case OPTION_LAVA:
		options->verdicts = option == OPTION_KTAP ? VERDICTS_KTAP : VERDICTS_LAVA;
		break;
	case OPTION_JUNIT:
		options->junit = arg;
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
	case OPTION_KEEP:
		option_set_keep(options, state, arg);
		break;
	case OPTION_METRICS:
		option_set_metrics(options, state, arg);
		break;
	case OPTION_INPUT:
		option_add_word(&options->inputs, arg);
		break;
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
		if (!completion_print(stdout, arg, options_table(reading->all)))
			argp_error(state, "--completion %s: not a shell that is known: bash or zsh",
				   quoted(arg));
		exit(0);
	case OPTION_STATUS:
	case OPTION_COMMAND:
	case OPTION_TOP_KEY:
	case OPTIONS:
		break; /* no options of their own */
	}
}

/* Is it the optional argument of the view before it? Then take that view again, with it. */
static bool take_argument(struct reading *reading, const char *word, struct argp_state *state)
{
	const char *before = state->next >= 2 ? state->argv[state->next - 2] : "";
	unsigned int i;

	for (i = 0; !strncmp(before, "--", 2) && reading->all[i]; i++) {
		if (!reading->all[i]->may_lack_argument || strcmp(before + 2, reading->all[i]->name))
			continue;
		reading->views &= ~(1u << i);
		take_view(reading, i, word, state);
		return true;
	}
	return false;
}

/* A word after "--", or another recording of --diff, or a view's argument. */
static void take_word(struct reading *reading, char *word, struct argp_state *state)
{
	struct options *options = reading->options;

	if (!state->quoted && take_argument(reading, word, state))
		return;
	if (reading->side && !state->quoted) {
		option_add_word(reading->side, word);
		return;
	}
	if (!state->quoted)
		argp_error(state, "%s: a command has to follow '--', a recording -i", quoted(word));
	options->command = &state->argv[state->next - 1];
	options->given |= GIVEN(COMMAND);
	state->next = state->argc;
}

/* --diff A B: the other side needs no name if there is one recording of each. */
static void split_sides(struct options *options)
{
	if (options->diff.count == 2 && !options->against.count)
		option_add_word(&options->against, options->diff.all[--options->diff.count]);
}

static void finish(const struct reading *reading, struct argp_state *state)
{
	struct options *options = reading->options;
	const struct view *const *all = reading->all;
	size_t i, n = 0;

	if (state->quoted && !options->command)
		argp_error(state, "'--' is followed by no command");
	for (i = 0; all[i]; i++)
		if (reading->views ? reading->views & 1u << i :
				     all[i]->is_default && !options->record && !options->metrics &&
					     !options->expectation_count && !options->condition_count)
			options->views[n++] = all[i];
	if (!options->inputs.count && !options->diff.count)
		options_find_users(&options->filter, state);
	split_sides(options);
	options->cut.matching = filter_is_set(&options->filter) || options->from.kind ||
				options->to.kind;
	if (!options->left_after && options_expect(options, EXPECT_LEFT))
		options->left_after = LEFT_AFTER;
	if ((options->save || options->exec) && !(options->given & GIVEN(CALM)))
		options->calm = USUAL_CALM;
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
	else if (key >= KEY_OF_VIEW && key < KEY_OF_VIEW + MOST_VIEWS)
		take_view(reading, key - KEY_OF_VIEW, arg, state);
	else if (option_of_key(key) != OPTIONS)
		take(reading, option_of_key(key), arg, state);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

/* Names an unknown option, as getopt_long(3) would, and suggests what may have been meant. */
static void check_names(const struct argp_option *table, int argc, char **argv)
{
	const char *wrong, *meant;
	size_t length;
	char *name;

	meant = suggest_option(table, argc, argv, &wrong, &length);
	if (!wrong)
		return;
	name = strndup(wrong - 2, length + 2); /* with its dashes */
	if (!name)
		die_no_memory();
	if (meant)
		message("%s: there is no such option; did you mean --%s?", quoted(name), meant);
	else
		message("%s: there is no such option; --help=all lists them", quoted(name));
	free(name);
	exit(STATUS_USAGE);
}

/* Of an argument that may be missing, getopt_long(3) would take this for an option. */
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

void options_parse(struct options *options, const struct view *const *views, int argc, char **argv)
{
	const struct argp argp = { options_table(views), parse, usage, help, NULL, NULL, NULL };
	struct reading reading = { .options = options, .all = views };

	memset(options, 0, sizeof(*options));
	options->argc = argc;
	options->argv = argv;
	options->cut.depth = DEPTH_ALL;
	options->factor = 1.1;
	options->after = USUAL_AFTER;
	options->saves = USUAL_SAVES;
	argp_err_exit_status = STATUS_USAGE;
	check_names(argp.options, argc, argv);
	check_status(argc, argv);
	quote_errors(true);
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP, NULL, &reading);
	quote_errors(false);
}

void options_free(struct options *options)
{
	free(options->pids);
	free(options->filter.comms.all);
	free(options->filter.cgroups.all);
	free(options->filter.args.all);
	free(options->filter.uids);
	free(options->filter.users.all);
	free(options->inputs.all);
	free(options->diff.all);
	free(options->against.all);
	free(options->expectations);
	free(options->conditions);
}
