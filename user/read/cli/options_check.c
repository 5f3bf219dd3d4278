// SPDX-License-Identifier: GPL-2.0-only
/* What of the command line cannot go together. */
#include "cli/options_check.h"

bool cut_is_set(const struct cut *cut)
{
	return cut->depth != DEPTH_ALL || cut->min_life || cut->top || cut->matching;
}

bool filter_is_set(const struct filter *filter)
{
	return filter->comms.count || filter->cgroups.count || filter->uid_count;
}

/* What is for the tree alone; but --top N cuts other long lists, too. */
static void check_tree(const struct options *options, struct argp_state *state)
{
	const char *which = options->cut.depth != DEPTH_ALL ? "--depth" :
			    options->cut.min_life	    ? "--min-life" :
			    options->show		    ? "--show" :
							      NULL;
	const char *fold = options->fold == FOLD_ALWAYS ? "--fold" :
			   options->fold == FOLD_NEVER  ? "--no-fold" :
							  NULL;

	if (which && !(options->views & VIEW_TREE))
		argp_error(state, "%s is for --tree", which);
	if (options->cut.top && !(options->views & (VIEW_TREE | VIEW_PARENTS | VIEW_ZOMBIES)) &&
	    (options->by == PROCLIFE_BY_NOTHING || options->views & VIEW_DIFF))
		argp_error(state, "--top is for --tree, --parents, --zombies and --latency --by");
	if (options->cut.key != TOP_CPU && !(options->views & VIEW_TREE))
		argp_error(state, "--top N:%s is for --tree; elsewhere it is --top N",
			   top_key_name(options->cut.key));
	if (fold && (!(options->views & VIEW_TREE) || options->json))
		argp_error(state, "%s is for --tree without --json", fold);
	if (options->fold == FOLD_ALWAYS && options->threads)
		argp_error(state, "--fold and --threads exclude each other");
	if (options->fold == FOLD_ALWAYS && options->cut.top)
		argp_error(state, "--fold and --top exclude each other: --top shows single "
				  "processes");
}

static void check_diff(const struct options *options, struct argp_state *state)
{
	if (!(options->views & VIEW_DIFF)) {
		if (options->force || options->factor != 2)
			argp_error(state, "%s is for --diff",
				   options->force ? "--force" : "--factor");
		return;
	}
	if (options->diff.count != 2)
		argp_error(state, "--diff takes two recordings: --diff A B");
	if (options->inputs.count || options->load || options->device || options->history ||
	    options->record || options->command || options->duration || options->count)
		argp_error(state, "--diff A B reads these two recordings, and nothing else");
	if (options->expectation_count)
		argp_error(state, "--diff and --expect exclude each other: --diff has a verdict of "
				  "its own");
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

	if (options->inputs.count && other)
		argp_error(state, "-i and %s exclude each other: a recording is all there is to read",
			   other);
	if (options->inputs.count > 1 &&
	    (options->views & ~(VIEW_LATENCY | VIEW_NONE) || options->duration || options->count))
		argp_error(state, "several recordings are added up by --latency and --expect alone, "
				  "and as a whole");
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

void options_check(struct options *options, struct argp_state *state)
{
	unsigned int views = options->views;

	if (!views)
		views = options->views = options->record || options->expectation_count ?
						 VIEW_NONE :
						 VIEW_EVENTS;
	if ((views & (views - 1)) && views & ~(VIEW_TREE | VIEW_LATENCY | VIEW_PARENTS))
		argp_error(state, "only --tree, --latency and --parents can be given together");
	check_diff(options, state);
	check_input(options, state);
	if (views == VIEW_STATUS && options->record)
		argp_error(state, "--status and --record exclude each other");
	check_verdicts(options, state);
	if (views == VIEW_NONE && options->json && !options->expectation_count)
		argp_error(state, "--json is for a view, and --record alone shows none; add "
				  "--events, --tree or --latency");
	check_tree(options, state);
	if (options->threads && !(views & (VIEW_TREE | VIEW_LATENCY | VIEW_DIFF)) &&
	    !options->expectation_count)
		argp_error(state, "--threads is for --tree, --latency, --diff and --expect; --events "
				  "has them all");
	if (options->by != PROCLIFE_BY_NOTHING && !(views & (VIEW_LATENCY | VIEW_DIFF)))
		argp_error(state, "--by is for --latency and --diff");
	if (views & VIEW_ZOMBIES &&
	    (options->command || options->duration || options->count || options->record ||
	     options->expectation_count || options->history))
		argp_error(state, "--zombies shows those there are now: it takes no command, end, "
				  "--history, --record or --expect");
	if (options->command && options->pid_count)
		argp_error(state, "--pid and a COMMAND exclude each other");
	if (options->command && options->history)
		argp_error(state, "--history and a COMMAND exclude each other");
	if (views == VIEW_STATUS &&
	    (options->command || options->pid_count || options->history || options->duration ||
	     options->count || filter_is_set(&options->filter)))
		argp_error(state, "--status shows the module as it is now: it takes no command, "
				  "selection or end");
}
