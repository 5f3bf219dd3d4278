// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options that cannot be combined. Each request lists the options that it takes, each option those that it
 * needs and excludes. This file has the rules that follow from that, and those that are of no row.
 */
#include "cli/options_check.h"
#include "cli/options_table.h"
#include <stdio.h>
#include <string.h>

#define LENGTH 200

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
static void list_requests(char text[LENGTH], const struct request *const *all,
			  bool (*is_wanted)(const struct request *request, enum option_id option),
			  enum option_id option)
{
	const struct request *const *request, *last = NULL;

	*text = '\0';
	for (request = all; *request; request++) {
		if (!is_wanted(*request, option))
			continue;
		if (last)
			list(text, ", ", last->name);
		last = *request;
	}
	if (last)
		list(text, " and ", last->name);
}

/* What it takes, one of its formats included. */
static uint64_t taken_by(const struct request *request)
{
	const struct format *const *format;
	uint64_t takes = request->takes;

	for (format = request->formats; format && *format; format++)
		takes |= (*format)->takes;
	return takes;
}

static bool takes(const struct request *request, enum option_id option)
{
	return (taken_by(request) | request->takes_by) & 1ULL << option;
}

static bool combines(const struct request *request, enum option_id option)
{
	(void)option;
	return request->combines;
}

static bool adds_up(const struct request *request, enum option_id option)
{
	(void)option;
	return request->adds_up;
}

/* Does one of them take this option, or can it be given without one? */
static bool is_taken(const struct options *options, enum option_id option)
{
	uint64_t taken = 0, given = 1ULL << option;
	const struct request *const *request;

	if (!options->requests[0])
		taken |= OF_TRACE;
	if (options->expect.count)
		taken |= GIVEN(THREADS);
	for (request = options->requests; *request; request++)
		taken |= taken_by(*request) | (options->by ? (*request)->takes_by : 0);
	return option_rows[option].needs_no_view || taken & given;
}

/* Where a recording is read, most of what would end a trace earlier can be a range instead. */
static void refuse_scope(const struct options *options, enum option_id option, struct argp_state *state)
{
	const struct request *request = options->requests[0];
	bool has_range = option == OPTION_DURATION && options->inputs.count && request->takes & GIVEN(TO);

	argp_error(state, "--%s %s: it takes no %s%s", request->name, request->scope, option_name(option),
		   has_range ? "; --to +TIME ends its selection" : "");
}

static void check_requests(const struct options *options, const struct request *const *all,
			   struct argp_state *state)
{
	const struct request *request = options->requests[0];
	uint64_t given = options->given;
	char text[LENGTH];
	size_t i;

	for (i = 0; request && options->requests[1] && options->requests[i]; i++) {
		if (options->requests[i]->combines)
			continue;
		list_requests(text, all, combines, OPTIONS);
		argp_error(state, "--%s and --%s exclude each other: only %s can be given together",
			   options->requests[i]->name, options->requests[!i]->name, text);
	}
	for (; given; given &= given - 1) {
		enum option_id option = first_of(given);
		const char *also_for = option_rows[option].also_for;

		if (is_taken(options, option))
			continue;
		if (request && request->scope && OF_TRACE & 1ULL << option)
			refuse_scope(options, option, state);
		list_requests(text, all, takes, option);
		if (request && request->takes_by & 1ULL << option)
			argp_error(state, "%s is for %s; --%s needs --by for it", option_name(option),
				   text, request->name);
		if (option == OPTION_SORT && request && request->takes & GIVEN(TOP_KEY))
			argp_error(state, "--sort is for %s; --%s has --top N:KEY", text, request->name);
		argp_error(state, "%s is for %s%s", option_name(option), text, also_for ? also_for : "");
	}
}

/* Not every word of --by is for every view. */
static void check_by(const struct options *options, struct argp_state *state)
{
	const struct request *const *request;
	unsigned int number;

	for (request = options->requests; options->by_word && *request; request++)
		if ((*request)->by &&
		    !choice_find((*request)->by, options->by_word, strlen(options->by_word), &number))
			argp_error(state, "--%s: --by %s is not one of %s", (*request)->name, options->by_word,
				   choice_list((*request)->by, ", ", " and "));
}

/* Not every option of it is for each of its formats. */
static void check_format(const struct options *options, struct argp_state *state)
{
	const struct request *request = options->requests[0];
	const struct format *const *format;

	for (format = request ? request->formats : NULL; format && *format; format++) {
		uint64_t others = options->given & (*format)->takes &
				  ~request->formats[options->export.format]->takes;

		if (others)
			argp_error(state, "%s is for --%s %s", option_name(first_of(others)), request->name,
				   (*format)->name);
	}
	if (request && request->formats && options->hide_args && request->formats[options->export.format]->is_of_args)
		argp_error(state, "--hide-args and --%s %s exclude each other: it is made of arguments", request->name,
			   request->formats[options->export.format]->name);
}

/* Several views show the same processes, so their ranges have to mean the same. */
static void check_range(const struct options *options, struct argp_state *state)
{
	const struct request *const *request, *of_lives = NULL, *other = NULL;

	for (request = options->requests; *request; request++)
		*((*request)->range == RANGE_OF_LIVES ? &of_lives : &other) = *request;
	if (!(options->given & (GIVEN(FROM) | GIVEN(TO))) || !of_lives ||
	    (!other && !options->expect.count))
		return;
	argp_error(state, "%s: --%s shows processes that lived then, --%s those that exited then; ask for one "
		   "after the other", option_name(first_of(options->given & (GIVEN(FROM) | GIVEN(TO)))),
		   of_lives->name, other ? other->name : "expect");
}

static bool repeats(const struct request *request, enum option_id option)
{
	const struct view *view = request_view(request);

	(void)option;
	return view && view->restart;
}

/* What is shown one by one, or as a whole, has no sum that could start over. */
static void check_interval(const struct options *options, const struct request *const *all,
			   struct argp_state *state)
{
	const struct request *const *request, *other = NULL;
	char text[LENGTH];
	bool any = false;

	if (!options->interval)
		return;
	list_requests(text, all, repeats, OPTIONS);
	for (request = options->requests; *request; request++) {
		any |= repeats(*request, OPTIONS);
		other = repeats(*request, OPTIONS) ? other : *request;
	}
	if (other && (any || !options->metrics))
		argp_error(state, "--interval is for %s, which add up what ended: --%s does not; give one "
			   "of them, or leave --interval out", text, other->name);
	if (!options->requests[0] && !options->metrics)
		argp_error(state, "--interval is for %s, and for --metrics: add one of them", text);
}

/* A user who asks for them in particular would get none. */
static void check_events(const struct options *options, struct argp_state *state)
{
	uint64_t selects = options->given & (OF_PROCESSES | GIVEN(COMMAND));

	if (options->events & PROCLIFE_HAS(PROCLIFE_CGROUP) && selects)
		argp_error(state, "--events=cgroup and %s exclude each other: a record of a cgroup is about "
			   "no task", option_name(first_of(selects)));
}

/* Why what an option needs is not there: first of all, what that needs itself. NULL: it is. */
static const char *lack(const struct options *options, const struct option_rule *needs)
{
	const char *why;

	if (!needs->others || options->given & needs->others)
		return NULL;
	why = lack(options, &option_rows[first_of(needs->others)].needs);
	return why ? why : needs->why;
}

static void check_needs(const struct options *options, struct argp_state *state)
{
	const struct request *request = options->requests[0];
	uint64_t given;

	for (given = options->given; given; given &= given - 1) {
		enum option_id option = first_of(given);
		const struct option_row *row = &option_rows[option];
		const char *why = lack(options, &row->needs);

		if (request && taken_by(request) & ~OF_TRACE & 1ULL << option) /* the request does without */
			why = NULL;
		/* What would be added would be refused. */
		if (why && request && request->scope && !(taken_by(request) & row->needs.others))
			refuse_scope(options, option, state);
		if (why)
			argp_error(state, "%s %s", option_name(option), why);
		if (row->one_recording && options->inputs.count > 1)
			argp_error(state, "%s takes one recording at a time: %s", option_name(option),
				   row->one_recording);
	}
}

static void check_exclusions(const struct options *options, struct argp_state *state)
{
	uint64_t given;
	size_t i;

	for (given = options->given; given; given &= given - 1) {
		enum option_id option = first_of(given);

		for (i = 0; i < MOST_RULES; i++) {
			const struct option_rule *rule = &option_rows[option].excludes[i];

			if (options->given & rule->others)
				argp_error(state, "%s and %s exclude each other: %s", option_name(option),
					   option_name(first_of(options->given & rule->others)), rule->why);
		}
	}
}

static void check_verdicts(const struct options *options, struct argp_state *state)
{
	uint64_t form = options->given & (GIVEN(KTAP) | GIVEN(LAVA));

	if (options->expect.junit && !options->expect.count && !options->diff.a.count)
		argp_error(state, "--junit writes verdicts: add what to --expect, or --diff");
	if (form && options->requests[0])
		argp_error(state, "%s prints nothing but verdicts, those of --expect: leave out --%s",
			   option_name(first_of(form)), options->requests[0]->name);
}

/* Rules about the number of recordings. */
static void check_recordings(const struct options *options, const struct request *const *all,
			     struct argp_state *state)
{
	const struct request *const *request;
	bool can = !options->duration && !options->count;
	char text[LENGTH];

	if (options->diff.a.count && !options->diff.b.count)
		argp_error(state, "--diff takes two recordings, or some on each side: --diff A B, or "
			   "--diff A1 A2 --against B1 B2");
	for (request = options->requests; *request; request++)
		can &= (*request)->adds_up;
	if (options->inputs.count < 2 || can)
		return;
	request = options->requests;
	while (*request && (*request)->adds_up)
		request++;
	list_requests(text, all, adds_up, OPTIONS);
	argp_error(state, "--%s takes one recording at a time; several recordings are for %s, and for "
		   "--expect, without --duration and --count",
		   *request ? (*request)->name : options->duration ? "duration" : "count", text);
}

void options_check(const struct options *options, const struct request *const *all,
		   struct argp_state *state)
{
	const struct request *request = options->requests[0];

	check_recordings(options, all, state);
	check_interval(options, all, state);
	check_verdicts(options, state);
	check_requests(options, all, state);
	check_by(options, state);
	check_range(options, state);
	check_events(options, state);
	check_exclusions(options, state);
	check_needs(options, state);
	check_format(options, state);
	if (request && request->needs_input && !options->inputs.count)
		argp_error(state, "--%s is for recordings: add -i DIR; --record makes one, --status shows "
			   "the module as it is now", request->name);
	if (options->export.loss_log && options->export.output &&
	    !strcmp(options->export.loss_log, options->export.output))
		argp_error(state, "--loss-log and --output: each needs a file of its own");
	if (request && request->no_json && options->json)
		argp_error(state, "--%s %s", request->name, request->no_json);
	if (!request && options->json && !options->expect.count && !options->on.count)
		argp_error(state, "--json is for a view, and --record and --metrics alone show none; add "
				  "--lives, --events, --tree or --latency");
}
