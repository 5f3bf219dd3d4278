// SPDX-License-Identifier: GPL-2.0-only
#include "cli/choices.h"
#include "cli/options_table.h"
#include "output/message.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Groups of --help=all. */
enum group {
	GROUP_VIEWS = 1,
	GROUP_SELECTION,
	GROUP_STOP,
	GROUP_TREE,
	GROUP_OUTPUT,
	GROUP_VERDICTS,
	GROUP_TRIGGERS,
	GROUP_SOURCE,
	GROUP_HELP,
	GROUPS,
};

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

static const struct entry {
	const char *name;
	const char *argument;
	const char *help;  /* with %s for its choices */
	const char *brief; /* for --help of one screen; NULL: not in it */
	enum group group;
	char letter;
	bool has_choice;
	bool is_hidden;
	bool may_lack_argument;
	bool is_view_too; /* without its argument, it is a view: that entry serves both */
	enum choice choice;
} entries[OPTIONS] = {
	[OPTION_RECORD] = {
		.name = "record", .argument = "DIR", .group = GROUP_VIEWS,
		.help =
			"Write all records to this new folder, for -i; with another view or without",
		.brief = "Write all records to a new folder; see --metrics, --on",
	},
	[OPTION_KEEP] = {
		.name = "keep", .argument = "SIZE[,TIME]", .group = GROUP_VIEWS,
		.help =
			"--record: keep the latest, at most so much: 64MiB, 1GiB, and not longer than that: 1h; "
			"for as long as it runs",
	},
	[OPTION_METRICS] = {
		.name = "metrics", .argument = "FILE.prom", .group = GROUP_VIEWS,
		.help =
			"Keep this file up to date for Prometheus' node_exporter, every 15 s or --interval; "
			"with another view or without",
	},
	[OPTION_PID] = {
		.name = "pid", .argument = "PID", .group = GROUP_SELECTION, .letter = 'p',
		.help = "Only this process and what descends from it; can be given repeatedly",
		.brief = "Only this process and what descends from it",
	},
	[OPTION_COMM] = {
		.name = "comm", .argument = "GLOB", .group = GROUP_SELECTION,
		.help =
			"Only processes whose name matches, such as 'cc*'; can be given repeatedly",
		.brief = "Only processes of this name; see --uid, --args, --failed",
	},
	[OPTION_UID] = {
		.name = "uid", .argument = "USER", .group = GROUP_SELECTION,
		.help = "Only processes of this user, by name or number; can be given repeatedly",
	},
	[OPTION_CGROUP] = {
		.name = "cgroup", .argument = "PATH", .group = GROUP_SELECTION,
		.help =
			"Only processes of this cgroup and those below it; can be given repeatedly",
	},
	[OPTION_FAILED] = {
		.name = "failed", .group = GROUP_SELECTION,
		.help = "Only processes with an exit status other than 0, or killed by a signal",
	},
	[OPTION_STATUS] = {
		.name = "status", .argument = "N", .group = GROUP_SELECTION, .is_view_too = true,
		.help = "Only processes with this exit status; can be given repeatedly",
	},
	[OPTION_SIGNAL] = {
		.name = "signal", .argument = "SIGNAL", .group = GROUP_SELECTION,
		.help =
			"Only processes that this signal killed, such as KILL, or any; can be given "
			"repeatedly",
	},
	[OPTION_ARGS] = {
		.name = "args", .argument = "GLOB", .group = GROUP_SELECTION,
		.help =
			"Only processes with an argument that matches, such as '*.c', or whose arguments "
			"do, joined by spaces; can be given repeatedly",
	},
	[OPTION_FROM] = {
		.name = "from", .argument = "WHEN", .group = GROUP_SELECTION,
		.help =
			"Only from this time on: 14:03, '2026-11-22 14:03:22', -1m (before now, or before "
			"the end of a recording), +10s (after its beginning)",
		.brief = "Only from this time on: 14:03, -1m; see --to, --history",
	},
	[OPTION_TO] = {
		.name = "to", .argument = "WHEN", .group = GROUP_SELECTION,
		.help = "Only up to this time",
	},
	[OPTION_THREADS] = {
		.name = "threads", .group = GROUP_SELECTION, .letter = 't',
		.help =
			"--tree: list threads too; --latency: measure threads instead of processes",
	},
	[OPTION_HISTORY] = {
		.name = "history", .group = GROUP_SELECTION,
		.help = "Begin with what the rings still hold",
	},
	[OPTION_DURATION] = {
		.name = "duration", .argument = "TIME", .group = GROUP_STOP, .letter = 'd',
		.help = "After this time: 10, 0.5, 10s, 250ms, 5m, 1h",
		.brief = "Stop after this time: 10s, 5m; --interval repeats sums",
	},
	[OPTION_INTERVAL] = {
		.name = "interval", .argument = "TIME", .group = GROUP_OUTPUT,
		.help =
			"--summary, --latency, --parents: print at each such time what ended in it, and "
			"begin anew: 10, 250ms, 5m; --metrics: write the file as often",
	},
	[OPTION_COUNT] = {
		.name = "count", .argument = "N", .group = GROUP_STOP, .letter = 'n',
		.help =
			"After N deaths (--lives), N records (--events) or N processes that are gone "
			"(--tree, --latency)",
	},
	[OPTION_DEPTH] = {
		.name = "depth", .argument = "N", .group = GROUP_TREE,
		.help = "N levels below the first processes",
	},
	[OPTION_MIN_LIFE] = {
		.name = "min-life", .argument = "TIME", .group = GROUP_TREE,
		.help = "Only processes that live this long, and their ancestors: 50us, 20ms, 1.5s",
	},
	[OPTION_TOP] = {
		.name = "top", .argument = "N[:KEY]", .group = GROUP_TREE,
		.has_choice = true, .choice = CHOICE_TOP,
		.help =
			"Only the N largest by KEY, and their ancestors: %s, the number of descendants; "
			"without a KEY, by cpu; --lives: by --sort; --parents, --by: only N lines",
	},
	[OPTION_SORT] = {
		.name = "sort", .argument = "COLUMN", .group = GROUP_OUTPUT,
		.has_choice = true, .choice = CHOICE_SORT,
		.help = "--lives: at the end, the largest first, by %s",
	},
	[OPTION_FOLD] = {
		.name = "fold", .group = GROUP_TREE,
		.help = "Show siblings of one program as one line; default above 200 lines",
	},
	[OPTION_NO_FOLD] = {
		.name = "no-fold", .group = GROUP_TREE,
		.help = "Show each sibling; --parents: each parent; --critical-path: each step",
	},
	[OPTION_BY] = {
		.name = "by", .argument = "KEY", .group = GROUP_OUTPUT, .has_choice = true, .choice = CHOICE_BY,
		.help =
			"--latency, --diff: also by %s; --summary: by comm, path, dir, cgroup, uid or "
			"parent instead of the program's name",
	},
	[OPTION_SHOW] = {
		.name = "show", .argument = "WHAT", .group = GROUP_OUTPUT,
		.has_choice = true, .choice = CHOICE_SHOW,
		.help =
			"--tree: also show %s; several with commas; pidns is the PID in its own namespace",
	},
	[OPTION_UTC] = {
		.name = "utc", .group = GROUP_OUTPUT,
		.help = "Show times of day in UTC instead of the local time zone",
	},
	[OPTION_MONOTONIC] = {
		.name = "monotonic", .group = GROUP_OUTPUT,
		.help = "Show times as seconds of the monotonic clock, as in the records",
	},
	[OPTION_AGAINST] = {
		.name = "against", .argument = "B", .group = GROUP_OUTPUT,
		.help = "--diff A...: compare with this and the recordings that follow",
	},
	[OPTION_FACTOR] = {
		.name = "factor", .argument = "X", .group = GROUP_OUTPUT,
		.help = "--diff: a time has changed if it is X times as long (1.1)",
	},
	[OPTION_FORCE] = {
		.name = "force", .group = GROUP_OUTPUT,
		.help =
			"--diff: compare even if exits begin at different places in the two recordings, "
			"or a recording with itself",
	},
	[OPTION_HIDE_ARGS] = {
		.name = "hide-args", .group = GROUP_OUTPUT,
		.help = "Leave out the arguments of processes, for what others get to see",
	},
	[OPTION_OUTPUT] = {
		.name = "output", .argument = "FILE", .group = GROUP_OUTPUT, .letter = 'o',
		.help = "--export: write this file, which it replaces when all is written",
	},
	[OPTION_LOSS_LOG] = {
		.name = "loss-log", .argument = "FILE", .group = GROUP_OUTPUT,
		.help = "--export otlp: write what was lost or suppressed to this file, as log records",
	},
	[OPTION_TRACKS] = {
		.name = "tracks", .argument = "TRACKS", .group = GROUP_OUTPUT,
		.has_choice = true, .choice = CHOICE_TRACKS,
		.help = "--export perfetto: a track for each of %s; default: slots, of as many as lived at once",
	},
	[OPTION_COLOR] = {
		.name = "color", .argument = "MODE", .group = GROUP_OUTPUT,
		.has_choice = true, .choice = CHOICE_COLOR,
		.help = "Colour what failed, zombies and losses: %s; auto: on a terminal, unless "
			"NO_COLOR is set",
	},
	[OPTION_JSON] = {
		.name = "json", .group = GROUP_OUTPUT, .letter = 'j',
		.help = "One JSON object per line",
		.brief = "One JSON object per line; --html, --export: for others",
	},
	[OPTION_QUIET] = {
		.name = "quiet", .group = GROUP_OUTPUT, .letter = 'q',
		.help = "On a terminal: no progress, no hints",
	},
	[OPTION_EXPECT] = {
		.name = "expect", .argument = "FIGURE", .group = GROUP_VERDICTS,
		.help =
			"Exit with status 2 unless this holds; can be given repeatedly. exit_free.p99<50ms, "
			"zombie.max<=1s, life.count>=100, zombies==0, lost==0",
		.brief = "Exit with status 2 unless this holds: zombie.max<1s",
	},
	[OPTION_LEFT_AFTER] = {
		.name = "left-after", .argument = "TIME", .group = GROUP_VERDICTS,
		.help = "End this long after the command's own exit, whatever it left running; for --expect left, 200ms",
	},
	[OPTION_KTAP] = {
		.name = "ktap", .group = GROUP_VERDICTS,
		.help = "Print the verdicts as KTAP, for kselftest and prove",
	},
	[OPTION_LAVA] = {
		.name = "lava", .group = GROUP_VERDICTS,
		.help = "Print the verdicts as test cases of LAVA",
	},
	[OPTION_JUNIT] = {
		.name = "junit", .argument = "FILE", .group = GROUP_VERDICTS,
		.help = "Write the verdicts of --expect and --diff to this file too, as JUnit XML",
	},
	[OPTION_ON] = {
		.name = "on", .argument = "CONDITION", .group = GROUP_TRIGGERS,
		.help =
			"Print a line as soon as this is so; can be given repeatedly. zombie>1s, failed, "
			"signal==KILL, status==127, teardown>1s, cc1.life>1m, forks>1000/s, lost>0",
	},
	[OPTION_CALM] = {
		.name = "calm", .argument = "TIME", .group = GROUP_TRIGGERS,
		.help =
			"--on: after one, only count for so long what else is so; default 1m with --save "
			"or --exec, otherwise 0",
	},
	[OPTION_SAVE] = {
		.name = "save", .argument = "DIR", .group = GROUP_TRIGGERS,
		.help =
			"--on: write what the rings hold, and --after, to a recording in this folder, for -i",
	},
	[OPTION_AFTER] = {
		.name = "after", .argument = "TIME", .group = GROUP_TRIGGERS,
		.help = "--save: with what comes in this time (5s)",
	},
	[OPTION_SAVES] = {
		.name = "saves", .argument = "N", .group = GROUP_TRIGGERS,
		.help = "--save: at most so many recordings (10)",
	},
	[OPTION_EXEC] = {
		.name = "exec", .argument = "CMD", .group = GROUP_TRIGGERS,
		.help =
			"--on: run this with sh -c, once it is saved, and $PROCLIFE_CONDITION, _PID, _COMM, "
			"_VALUE, _TIME and _SAVED",
	},
	[OPTION_INPUT] = {
		.name = "input", .argument = "DIR", .group = GROUP_SOURCE, .letter = 'i',
		.help = "Read what --record has written; --lives, --latency and --info take several",
		.brief = "Read what --record has written; --info says what it is",
	},
	[OPTION_LOAD] = {
		.name = "load", .group = GROUP_SOURCE,
		.help = "Load the module, and unload it at the end",
	},
	[OPTION_DEVICE] = {
		.name = "device", .argument = "PATH", .group = GROUP_SOURCE,
		.help = "Read this device (" PROCLIFE_DEVICE ")",
	},
	[OPTION_HELP] = {
		.name = "help", .argument = "all", .group = GROUP_HELP, .letter = 'h', .may_lack_argument = true,
		.help = "What people need; with =all, this list",
	},
	[OPTION_USAGE] = {
		.name = "usage", .group = GROUP_HELP,
		.help = "The options alone",
	},
	[OPTION_VERSION] = {
		.name = "version", .group = GROUP_HELP, .letter = 'V',
		.help = "The versions of this program and of its formats",
	},
	/* For the build, which installs the output. */
	[OPTION_COMPLETION] = {
		.name = "completion", .argument = "SHELL", .group = GROUP_HELP, .is_hidden = true,
	},
};

const char *option_name(enum option_id option)
{
	static char names[OPTIONS][24];

	if (option == OPTION_COMMAND)
		return "COMMAND";
	if (option == OPTION_TOP_KEY)
		return "--top N:KEY";
	snprintf(names[option], sizeof(names[0]), "--%s", entries[option].name);
	return names[option];
}

static int key_of(enum option_id option)
{
	return entries[option].letter ? entries[option].letter : KEY_OF_OPTION + (int)option;
}

enum option_id option_of_key(int key)
{
	unsigned int option;

	for (option = 0; option < OPTIONS; option++)
		if (entries[option].name && key_of(option) == key)
			break;
	return option;
}

static char *text_of(const struct entry *entry, const char *text)
{
	char *whole;

	if (!text || !entry->has_choice)
		return (char *)text;
	if (asprintf(&whole, text, choice_list(entry->choice, ", ", " or ")) < 0)
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

static void add_views(struct argp_option *table, size_t *n, const struct view *const *views)
{
	size_t i;

	for (i = 0; views[i]; i++)
		table[(*n)++] = (struct argp_option){
			views[i]->name, KEY_OF_VIEW + (int)i, views[i]->argument,
			views[i]->may_lack_argument ? OPTION_ARG_OPTIONAL : 0,
			views[i]->help, GROUP_VIEWS,
		};
}

static void add_options(struct argp_option *table, size_t *n, enum group group)
{
	unsigned int option;

	for (option = 0; option < OPTIONS; option++) {
		const struct entry *entry = &entries[option];

		if (!entry->name || entry->group != group)
			continue;
		if (entry->is_view_too) {
			table[(*n)++] = (struct argp_option){
				text_with(entry->name, entry->argument), 0, NULL,
				OPTION_DOC | OPTION_NO_USAGE, entry->help, (int)group,
			};
			continue;
		}
		table[(*n)++] = (struct argp_option){
			entry->name, key_of(option), entry->argument,
			(entry->is_hidden ? OPTION_HIDDEN : 0) |
				(entry->may_lack_argument ? OPTION_ARG_OPTIONAL : 0),
			text_of(entry, entry->help), (int)group,
		};
	}
}

const struct argp_option *options_table(const struct view *const *views)
{
	static struct argp_option table[OPTIONS + MOST_VIEWS + GROUPS + 1];
	unsigned int group;
	size_t n = 0;

	if (table[0].doc)
		return table;
	for (group = 1; group < GROUPS; group++) {
		table[n++] = (struct argp_option){ .doc = titles[group], .group = (int)group };
		if (group == GROUP_VIEWS)
			add_views(table, &n, views);
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

void options_print_help(FILE *out, const struct view *const *views)
{
	unsigned int option;
	char *help;

	fputs("Usage: proclife-read [VIEW...] [OPTION...] [-- COMMAND [ARG...]]\n\n", out);
	for (; *views; views++)
		if (!(*views)->is_minor)
			print_line(out, 0, (*views)->name,
				   (*views)->may_lack_argument ? NULL : (*views)->argument, (*views)->help);
	fputc('\n', out);
	for (option = 0; option < OPTIONS; option++) {
		if (!entries[option].brief)
			continue;
		help = text_of(&entries[option], entries[option].brief);
		print_line(out, entries[option].letter, entries[option].name,
			   entries[option].argument, help);
		if (help != entries[option].brief)
			free(help);
	}
	fputs("\n--help=all has all options; see proclife-read(8) and proclife-views(7).\n", out);
}
