// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options that cannot be combined. Each struct view lists the options that it takes. This file has
 * the rules that follow from that, and those of options that exclude each other.
 */
#include "cli/choices.h"
#include "cli/options_check.h"
#include "cli/options_table.h"
#include <stdio.h>
#include <string.h>

#define LENGTH 200

/* Options that need no view. */
#define OF_ANY (GIVEN(JSON) | GIVEN(COLOR) | GIVEN(QUIET) | GIVEN(KTAP) | GIVEN(LAVA) | GIVEN(UTC) | GIVEN(MONOTONIC) | \
		GIVEN(LEFT_AFTER) | GIVEN(JUNIT) | GIVEN(INTERVAL) | GIVEN(KEEP) | GIVEN(HIDE_ARGS))

static const struct {
	uint64_t one;
	uint64_t others;
	const char *why;
} exclusions[] = {
	{ GIVEN(INPUT), OF_DEVICE | GIVEN(HISTORY) | GIVEN(RECORD) | GIVEN(COMMAND),
	  "nothing but the recording is read" },
	{ GIVEN(INPUT), OF_REACTION, "what was recorded is over; --on alone says when it was so, and --slice saves a part" },
	{ GIVEN(COMMAND), GIVEN(PID) | GIVEN(HISTORY), "a command is followed from its start" },
	{ GIVEN(METRICS), GIVEN(HISTORY), "at each start, what was counted already would be counted again" },
	{ GIVEN(HIDE_ARGS), GIVEN(ARGS), "who asks for arguments sees them" },
	{ GIVEN(HIDE_ARGS), GIVEN(RECORD) | GIVEN(SAVE), "a recording has all records; hide them when it is shown, exported or sliced" },
	{ GIVEN(ON), GIVEN(FROM) | GIVEN(TO), "a condition is looked for all the time" },
	{ GIVEN(ON), GIVEN(KTAP) | GIVEN(LAVA), "nothing but verdicts is printed then" },
	{ GIVEN(FOLD), GIVEN(THREADS), "a folded line stands for several processes" },
	{ GIVEN(FOLD), GIVEN(TOP), "--top shows single processes" },
	{ GIVEN(FOLD), GIVEN(NO_FOLD), "a tree is folded or not" },
	{ GIVEN(FOLD) | GIVEN(NO_FOLD), GIVEN(JSON), "JSON has every process" },
	{ GIVEN(UTC), GIVEN(MONOTONIC), "a time has one form" },
	{ GIVEN(UTC) | GIVEN(MONOTONIC), GIVEN(JSON), "JSON has nanoseconds of the monotonic clock" },
	{ GIVEN(KTAP), GIVEN(LAVA), "a verdict has one form" },
	{ GIVEN(KTAP) | GIVEN(LAVA), GIVEN(JSON), "a verdict has one form" },
};

static enum option_id first_of(uint64_t options)
{
	return (enum option_id)__builtin_ctzll(options);
}

/* Appends "--tree", after the separator unless it is the first. */
static void list(char text[LENGTH], const char *separator, const char *name)
{
	size_t n = strlen(text);

	snprintf(text + n, LENGTH - n, "%s--%s", n ? separator : "", name);
}

/* "--tree, --latency and --parents" */
static void list_views(char text[LENGTH], const struct view *const *all,
		       bool (*is_wanted)(const struct view *view, enum option_id option),
		       enum option_id option)
{
	const struct view *const *view, *last = NULL;

	*text = '\0';
	for (view = all; *view; view++) {
		if (!is_wanted(*view, option))
			continue;
		if (last)
			list(text, ", ", last->name);
		last = *view;
	}
	if (last)
		list(text, " and ", last->name);
}

static bool takes(const struct view *view, enum option_id option)
{
	return (view->takes | view->takes_by) & 1ULL << option;
}

static bool combines(const struct view *view, enum option_id option)
{
	(void)option;
	return view->combines;
}

static bool adds_up(const struct view *view, enum option_id option)
{
	(void)option;
	return view->adds_up;
}

/* Does one of the views take this option, or can it be given without one? */
static bool is_taken(const struct options *options, enum option_id option)
{
	uint64_t taken = OF_ANY, given = 1ULL << option;
	const struct view *const *view;

	if (!options->views[0])
		taken |= OF_TRACE;
	if (options->expectation_count)
		taken |= GIVEN(THREADS);
	for (view = options->views; *view; view++)
		taken |= (*view)->takes | (options->by ? (*view)->takes_by : 0);
	return taken & given;
}

static void check_views(const struct options *options, const struct view *const *all,
			struct argp_state *state)
{
	const struct view *view = options->views[0];
	uint64_t given = options->given;
	char text[LENGTH];
	size_t i;

	for (i = 0; view && options->views[1] && options->views[i]; i++) {
		if (options->views[i]->combines)
			continue;
		list_views(text, all, combines, OPTIONS);
		argp_error(state, "--%s and --%s exclude each other: only %s can be given together",
			   options->views[i]->name, options->views[!i]->name, text);
	}
	for (; given; given &= given - 1) {
		enum option_id option = first_of(given);

		if (is_taken(options, option))
			continue;
		if (view && view->scope && OF_TRACE & 1ULL << option)
			argp_error(state, "--%s %s: it takes no %s", view->name, view->scope,
				   option_name(option));
		list_views(text, all, takes, option);
		if (option == OPTION_THREADS)
			argp_error(state, "--threads is for %s, and for --expect; --events has them all",
				   text);
		if (view && view->takes_by & 1ULL << option)
			argp_error(state, "%s is for %s; --%s needs --by for it", option_name(option),
				   text, view->name);
		if (option == OPTION_SORT && view && view->takes & GIVEN(TOP_KEY))
			argp_error(state, "--sort is for %s; --%s has --top N:KEY", text, view->name);
		argp_error(state, "%s is for %s", option_name(option), text);
	}
}

/* Not every word of --by is for every view. */
static void check_by(const struct options *options, struct argp_state *state)
{
	const struct view *const *view;

	for (view = options->views; options->given & GIVEN(BY) && *view; view++) {
		bool sums = !strcmp((*view)->name, "summary");

		if ((*view)->takes & GIVEN(BY) &&
		    (sums ? options->summary_by == SUMMARY_BYS : !options->by))
			argp_error(state, "--%s: --by %s is not one of %s", (*view)->name,
				   sums ? choice_name(CHOICE_BY, options->by - 1) :
					  choice_name(CHOICE_SUMMARY_BY, options->summary_by),
				   choice_list(sums ? CHOICE_SUMMARY_BY : CHOICE_BY, ", ", " and "));
	}
}

/* Several views show the same processes, so their ranges have to mean the same. */
static void check_range(const struct options *options, struct argp_state *state)
{
	const struct view *const *view, *of_lives = NULL, *other = NULL;

	for (view = options->views; *view; view++)
		*((*view)->range == RANGE_OF_LIVES ? &of_lives : &other) = *view;
	if (!(options->given & (GIVEN(FROM) | GIVEN(TO))) || !of_lives ||
	    (!other && !options->expectation_count))
		return;
	argp_error(state, "%s: --%s shows who lived then, --%s who exited then; ask for one after the "
		   "other", option_name(first_of(options->given & (GIVEN(FROM) | GIVEN(TO)))),
		   of_lives->name, other ? other->name : "expect");
}

static bool repeats(const struct view *view, enum option_id option)
{
	(void)option;
	return view->restart;
}

/* What is shown one by one, or as a whole, has no sum that could begin anew. */
static void check_interval(const struct options *options, const struct view *const *all,
			   struct argp_state *state)
{
	const struct view *const *view, *other = NULL;
	char text[LENGTH];
	bool any = false;

	if (!options->interval)
		return;
	list_views(text, all, repeats, OPTIONS);
	for (view = options->views; *view; view++) {
		any |= repeats(*view, OPTIONS);
		other = repeats(*view, OPTIONS) ? other : *view;
	}
	if (other && (any || !options->metrics))
		argp_error(state, "--interval is for %s, which add up what ended: --%s does not; give one "
			   "of them, or leave --interval out", text, other->name);
	if (!options->views[0] && !options->metrics)
		argp_error(state, "--interval is for %s, and for --metrics: add one of them", text);
	if (options->inputs.count > 1)
		argp_error(state, "--interval: one recording after the other, since each has its own time");
}

/* Whoever asks for them in particular would get none. */
static void check_events(const struct options *options, struct argp_state *state)
{
	uint64_t selects = options->given & (GIVEN(PID) | GIVEN(COMM) | GIVEN(UID) | GIVEN(CGROUP) |
					     GIVEN(FAILED) | GIVEN(STATUS) | GIVEN(SIGNAL) | GIVEN(ARGS) |
					     GIVEN(COMMAND));

	if (options->events & PROCLIFE_HAS(PROCLIFE_CGROUP) && selects)
		argp_error(state, "--events=cgroup and %s exclude each other: a record of a cgroup is about "
			   "no task", option_name(first_of(selects)));
}

static void check_exclusions(const struct options *options, struct argp_state *state)
{
	size_t i;

	for (i = 0; i < sizeof(exclusions) / sizeof(exclusions[0]); i++) {
		uint64_t one = options->given & exclusions[i].one;
		uint64_t other = options->given & exclusions[i].others;

		if (one && other)
			argp_error(state, "%s and %s exclude each other: %s",
				   option_name(first_of(one)), option_name(first_of(other)),
				   exclusions[i].why);
	}
}

static void check_verdicts(const struct options *options, struct argp_state *state)
{
	uint64_t form = options->given & (GIVEN(KTAP) | GIVEN(LAVA));

	if (options->given & GIVEN(LEFT_AFTER) && !options->command && !options_expect(options, EXPECT_LEFT))
		argp_error(state, "--left-after: add a command after '--', or --expect left==0");
	if (form && !options->expectation_count)
		argp_error(state, "%s prints verdicts: add what to --expect",
			   option_name(first_of(form)));
	if (options->junit && !options->expectation_count && !options->diff.count)
		argp_error(state, "--junit writes verdicts: add what to --expect, or --diff");
	if (form && options->views[0])
		argp_error(state, "%s prints nothing but verdicts: leave out the views",
			   option_name(first_of(form)));
}

static void check_triggers(const struct options *options, struct argp_state *state)
{
	uint64_t beside = options->given & OF_TRIGGERS, of_saves = options->given & (GIVEN(AFTER) | GIVEN(SAVES));

	if (beside && !options->condition_count)
		argp_error(state, "%s is for --on: add a condition", option_name(first_of(beside)));
	if (of_saves && !options->save)
		argp_error(state, "%s is for --save: add a folder", option_name(first_of(of_saves)));
	if (options->condition_count && options->inputs.count > 1)
		argp_error(state, "--on: one recording after the other, since each has its own time");
}

/* Rules about the number of recordings. */
static void check_recordings(const struct options *options, const struct view *const *all,
			     struct argp_state *state)
{
	const struct view *const *view;
	bool can = !options->duration && !options->count;
	char text[LENGTH];

	if (options->diff.count && !options->against.count)
		argp_error(state, "--diff takes two recordings, or some on each side: --diff A B, or "
			   "--diff A1 A2 --against B1 B2");
	for (view = options->views; *view; view++)
		can &= (*view)->adds_up;
	if (options->inputs.count < 2 || can)
		return;
	view = options->views;
	while (*view && (*view)->adds_up)
		view++;
	list_views(text, all, adds_up, OPTIONS);
	argp_error(state, "--%s: one recording after the other; several recordings are for %s, and for "
		   "--expect, without --duration and --count",
		   *view ? (*view)->name : options->duration ? "duration" : "count", text);
}

void options_check(const struct options *options, const struct view *const *all,
		   struct argp_state *state)
{
	check_recordings(options, all, state);
	check_interval(options, all, state);
	check_verdicts(options, state);
	check_triggers(options, state);
	check_views(options, all, state);
	check_by(options, state);
	check_range(options, state);
	check_events(options, state);
	check_exclusions(options, state);
	if (options->views[0] && options->views[0]->needs_input && !options->inputs.count)
		argp_error(state, "--%s is for recordings: add -i DIR; --record makes one, --status shows "
			   "the module as it is now", options->views[0]->name);
	if (options->given & GIVEN(KEEP) && !options->record)
		argp_error(state, "--keep is of --record: add --record DIR");
	if (options->metrics && options->inputs.count > 1)
		argp_error(state, "--metrics: one recording after the other, each with a file of its own");
	if (options->views[0] && !strcmp(options->views[0]->name, "live") && options->json)
		argp_error(state, "--live draws on a terminal, and JSON is for programs: leave one of them out");
	if (options->loss_log && options->export != EXPORT_OTLP)
		argp_error(state, "--loss-log is for --export otlp");
	if (options->loss_log && options->output && !strcmp(options->loss_log, options->output))
		argp_error(state, "--loss-log and --output: each needs a file of its own");
	if (options->given & GIVEN(TRACKS) && options->export != EXPORT_PERFETTO)
		argp_error(state, "--tracks is for --export perfetto");
	if (options_export(options) && options->json)
		argp_error(state, "--export has a format of its own: leave out --json");
	if (options->slice && options->json)
		argp_error(state, "--slice prints nothing: leave out --json");
	if (options->views[0] && options->views[0]->writes_file && options->json)
		argp_error(state, "--html prints nothing: leave out --json, or add what to print, such as --tree");
	if (!options->views[0] && options->json && !options->expectation_count && !options->condition_count)
		argp_error(state, "--json is for a view, and --record and --metrics alone show none; add "
				  "--lives, --events, --tree or --latency");
}
