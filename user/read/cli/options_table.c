// SPDX-License-Identifier: GPL-2.0-only
#include "cli/options_table.h"
#include <proclife.h>

const struct argp_option options_table[] = {
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
