/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options, a row each, of struct option_row. options_table.c includes this for its table, options.h
 * for the ids. Where several options are wrong, an error names the first one.
 */

OPTION(RECORD, .name = "record", .group = GROUP_VIEWS,
	.argument = { "DIR", FILLS(TEXT, record.dir) },
	.help = "Write all records to this new folder, for -i; with another view or without",
	.brief = "Write all records to a new folder; see --metrics, --on")

OPTION(KEEP, .name = "keep", .group = GROUP_VIEWS, .needs_no_view = true,
	.argument = { "SIZE[,TIME]", FILLS(KEEP, record) },
	.help = "--record: keep only the most recent records, at most SIZE (64MiB, 1GiB) and no older than "
		"TIME (1h); runs until stopped",
	.needs = { GIVEN(RECORD), "needs --record: add --record DIR" })

OPTION(COMPRESS, .name = "compress", .group = GROUP_VIEWS, .needs_no_view = true,
	.argument = { FILLS(FLAG, record.compress) },
	.help = "--record, --slice: compress the recording once it is complete; -i reads it as it is",
	.needs = { GIVEN(RECORD), "is for --record and --slice: add one of them and a folder" },
	.excludes = {
		{ GIVEN(KEEP), "it compresses what it keeps by itself" },
	})

OPTION(METRICS, .name = "metrics", .group = GROUP_VIEWS,
	.argument = { "FILE.prom", FILLS(METRICS, metrics) },
	.help = "Keep this file up to date for Prometheus' node_exporter, every 15 s or --interval; "
		"with another view or without",
	.one_recording = "each needs a file of its own",
	.excludes = {
		{ GIVEN(HISTORY), "at each start, what was counted already would be counted again" },
	})

OPTION(ON, .name = "on", .group = GROUP_TRIGGERS,
	.argument = { "CONDITION", FILLS(CONDITION, on) },
	.help = "Print a line as soon as CONDITION holds; can be given repeatedly. zombie>1s, failed, "
		"signal==KILL, status==127, teardown>1s, cc1.life>1m, forks>1000/s, lost>0, worker.thread_exit",
	.one_recording = "each has its own clock",
	.excludes = {
		{ GIVEN(FROM) | GIVEN(TO), "a condition is looked for all the time" },
		{ GIVEN(KTAP) | GIVEN(LAVA), "nothing but verdicts is printed then" },
	})

OPTION(CALM, .name = "calm", .group = GROUP_TRIGGERS,
	.argument = { "TIME", FILLS(TIME, on.calm),
		      .wrong = "not a time such as 0, 10s, 1m or 1h" },
	.help = "--on: after a match, stay silent this long and only count further matches; default 1m with --save "
		"or --exec, otherwise 0",
	.needs = { GIVEN(ON), "is for --on: add a condition" })

OPTION(SAVE, .name = "save", .group = GROUP_TRIGGERS,
	.argument = { "DIR", FILLS(TEXT, on.save) },
	.help = "--on: write what the rings hold, and --after, to a recording in this folder, for -i",
	.needs = { GIVEN(ON), "is for --on: add a condition" })

OPTION(AFTER, .name = "after", .group = GROUP_TRIGGERS,
	.argument = { "TIME", FILLS(TIME, on.after),
		      .wrong = "not a time such as 0, 10s, 1m or 1h" },
	.help = "--save: also record what follows, for this long (5s)",
	.needs = { GIVEN(SAVE), "is for --save: add a folder" })

OPTION(SAVES, .name = "saves", .group = GROUP_TRIGGERS,
	.argument = { "N", FILLS(NUMBER, on.saves), .least = 1, .wrong = "not a number above 0" },
	.help = "--save: at most N recordings in the folder (10)",
	.needs = { GIVEN(SAVE), "is for --save: add a folder" })

OPTION(EXEC, .name = "exec", .group = GROUP_TRIGGERS,
	.argument = { "CMD", FILLS(TEXT, on.exec) },
	.help = "--on: run this with sh -c, once it is saved, and $PROCLIFE_CONDITION, _PID, _COMM, "
		"_VALUE, _TIME and _SAVED",
	.needs = { GIVEN(ON), "is for --on: add a condition" })

OPTION(PID, .name = "pid", .group = GROUP_SELECTION, .letter = 'p',
	.argument = { "PID[@NS]", FILLS(PID, pids), .wrong = "not a process ID" },
	.help = "Only this process and what descends from it; PID@NS: the one with this PID in a PID namespace, by "
		"its number (lsns -t pid) or by the path of a cgroup; can be given repeatedly",
	.brief = "Only this process and what descends from it")

OPTION(COMM, .name = "comm", .group = GROUP_SELECTION,
	.argument = { "GLOB", FILLS(COMM, filter.comms) },
	.help = "Only processes whose name matches, such as 'cc*'; can be given repeatedly",
	.brief = "Only processes of this name; see --uid, --args, --failed")

OPTION(UID, .name = "uid", .group = GROUP_SELECTION,
	.argument = { "USER", FILLS(USER, filter) },
	.help = "Only processes of this user, by name or number; can be given repeatedly")

OPTION(CGROUP, .name = "cgroup", .group = GROUP_SELECTION,
	.argument = { "PATH", FILLS(CGROUP, filter.cgroups) },
	.help = "Only processes of this cgroup and those below it; can be given repeatedly")

OPTION(FAILED, .name = "failed", .group = GROUP_SELECTION,
	.argument = { FILLS(FLAG, filter.failed) },
	.help = "Only processes with an exit status other than 0, or killed by a signal")

OPTION(STATUS, .name = "status", .group = GROUP_SELECTION, .is_request_too = true,
	.argument = { "N", FILLS(STATUS, filter.statuses), .most = 255,
		      .wrong = "not an exit status from 0 to 255; without one, --status says what the "
			       "module can do here" },
	.help = "Only processes with this exit status; can be given repeatedly")

OPTION(SIGNAL, .name = "signal", .group = GROUP_SELECTION,
	.argument = { "SIGNAL", FILLS(SIGNAL, filter.signals) },
	.help = "Only processes that this signal killed, such as KILL, or any; can be given "
		"repeatedly")

OPTION(ARGS, .name = "args", .group = GROUP_SELECTION,
	.argument = { "GLOB", FILLS(WORD, filter.args) },
	.help = "Only processes with an argument that matches, such as '*.c', or whose arguments "
		"do, joined by spaces; can be given repeatedly")

OPTION(FROM, .name = "from", .group = GROUP_SELECTION,
	.argument = { "WHEN", FILLS(MOMENT, from) },
	.help = "Only from this time on: 14:03, '2026-11-22 14:03:22', -1m (before now, or before "
		"the end of a recording), +10s (after its beginning)",
	.brief = "Only from this time on: 14:03, -1m; see --to, --history")

OPTION(TO, .name = "to", .group = GROUP_SELECTION,
	.argument = { "WHEN", FILLS(MOMENT, to) },
	.help = "Only up to this time")

OPTION(THREADS, .name = "threads", .group = GROUP_SELECTION, .letter = 't',
	.argument = { FILLS(FLAG, threads) },
	.help = "--tree: list threads too; --latency, --diff, --expect: measure threads instead of processes",
	.also_for = ", and for --expect; --events has them all")

OPTION(HISTORY, .name = "history", .group = GROUP_SELECTION,
	.argument = { FILLS(FLAG, history) },
	.help = "Begin with what the rings still hold")

OPTION(DURATION, .name = "duration", .group = GROUP_STOP, .letter = 'd',
	.argument = { "TIME", FILLS(TIME, duration), .least = 1,
		      .wrong = "not a time such as 10, 0.5, 10s or 250ms" },
	.help = "After this time: 10, 0.5, 10s, 250ms, 5m, 1h",
	.brief = "Stop after this time: 10s, 5m; --interval repeats sums")

OPTION(INTERVAL, .name = "interval", .group = GROUP_OUTPUT, .needs_no_view = true,
	.argument = { "TIME", FILLS(TIME, interval), .least = LEAST_INTERVAL,
		      .wrong = "not a time of 1ms or more, such as 10, 250ms or 5m" },
	.help = "--summary, --latency, --parents: print what ended in each interval of this length, then "
		"start over: 10, 250ms, 5m; --metrics: write the file as often",
	.one_recording = "each has its own clock")

OPTION(COUNT, .name = "count", .group = GROUP_STOP, .letter = 'n',
	.argument = { "N", FILLS(NUMBER, count), .least = 1, .wrong = "not a number above 0" },
	.help = "After N deaths (--lives), N records (--events, or --record alone) or N processes that are "
		"gone (all else)")

OPTION(DEPTH, .name = "depth", .group = GROUP_TREE,
	.argument = { "N", FILLS(NUMBER, cut.depth), .most = DEPTH_ALL - 1,
		      .wrong = "not a number of levels" },
	.help = "N levels below the first processes")

OPTION(MIN_LIFE, .name = "min-life", .group = GROUP_TREE,
	.argument = { "TIME", FILLS(TIME, cut.min_life), .least = 1,
		      .wrong = "not a time such as 0.5, 20ms or 50us" },
	.help = "Only processes that live this long, and their ancestors: 50us, 20ms, 1.5s")

OPTION(TOP, .name = "top", .group = GROUP_TREE,
	.argument = { "N[:KEY]", FILLS(TOP, cut), .choice = choice_top,
		      .wrong = "does not begin with a number above 0" },
	.help = "Only the N largest by KEY, and their ancestors: %s, the number of descendants; "
		"without a KEY, by cpu; --lives: by --sort; --parents, --by: only N lines")

/* Comes with TOP. */
OPTION(TOP_KEY, .words = "--top N:KEY")

OPTION(SORT, .name = "sort", .group = GROUP_OUTPUT,
	.argument = { "COLUMN", FILLS(CHOICE, sort), .choice = choice_sort, .least = SORT_NONE + 1 },
	.help = "--lives: at the end, the largest first, by %s")

OPTION(FOLD, .name = "fold", .group = GROUP_TREE,
	.argument = { FILLS(SETTING, fold), .set = FOLD_ALWAYS },
	.help = "Show siblings of one program as one line; default above 200 lines",
	.excludes = {
		{ GIVEN(THREADS), "a folded line stands for several processes" },
		{ GIVEN(TOP), "--top shows single processes" },
		{ GIVEN(NO_FOLD), "a tree is folded or not" },
		{ GIVEN(JSON), "JSON has every process" },
	})

OPTION(NO_FOLD, .name = "no-fold", .group = GROUP_TREE,
	.argument = { FILLS(SETTING, fold), .set = FOLD_NEVER },
	.help = "Show each sibling; --parents: each parent; --critical-path: each step",
	.excludes = { { GIVEN(JSON), "JSON has every process" } })

OPTION(BY, .name = "by", .group = GROUP_OUTPUT,
	.argument = { "KEY", FILLS(BY, by), .choice = choice_by },
	.help = "--latency, --diff: also by %s; --summary: by comm, path, dir, cgroup, uid or "
		"parent instead of the program's name")

OPTION(SHOW, .name = "show", .group = GROUP_OUTPUT,
	.argument = { "WHAT", FILLS(CHOICES, show), .choice = choice_show },
	.help = "--tree: also show %s; several with commas; pidns is the PID in its own namespace")

OPTION(UTC, .name = "utc", .group = GROUP_OUTPUT, .needs_no_view = true,
	.argument = { FILLS(SETTING, times), .set = TIMES_UTC },
	.help = "Show times of day in UTC instead of the local time zone",
	.excludes = {
		{ GIVEN(MONOTONIC), "a time has one form" },
		{ GIVEN(JSON), "JSON has nanoseconds of the monotonic clock" },
	})

OPTION(MONOTONIC, .name = "monotonic", .group = GROUP_OUTPUT, .needs_no_view = true,
	.argument = { FILLS(SETTING, times), .set = TIMES_MONOTONIC },
	.help = "Show times as seconds of the monotonic clock, as in the records",
	.excludes = { { GIVEN(JSON), "JSON has nanoseconds of the monotonic clock" } })

OPTION(AGAINST, .name = "against", .group = GROUP_OUTPUT,
	.argument = { "B", FILLS(WORD, diff.b), .takes_more = true },
	.help = "--diff A...: compare with this and the recordings that follow")

OPTION(FACTOR, .name = "factor", .group = GROUP_OUTPUT,
	.argument = { "X", FILLS(FACTOR, diff.factor), .most = 1000000,
		      .wrong = "not a number above 1 in digits, such as 1.5" },
	.help = "--diff: a time has changed if it is X times as long (1.1)")

OPTION(FORCE, .name = "force", .group = GROUP_OUTPUT,
	.argument = { FILLS(FLAG, diff.force) },
	.help = "--diff: compare even if exits begin at different places in the two recordings, "
		"or a recording with itself")

OPTION(HIDE_ARGS, .name = "hide-args", .group = GROUP_OUTPUT, .needs_no_view = true,
	.argument = { FILLS(FLAG, hide_args) },
	.help = "Leave out the arguments of processes, for output that others will see",
	.excludes = {
		{ GIVEN(ARGS), "selecting by arguments would reveal them" },
		{ GIVEN(RECORD) | GIVEN(SAVE),
		  "a recording has all records; hide them when it is shown, exported or sliced" },
	})

OPTION(OUTPUT, .name = "output", .group = GROUP_OUTPUT, .letter = 'o',
	.argument = { "FILE", FILLS(TEXT, export.output) },
	.help = "--export: write this file, which it replaces when all is written")

OPTION(LOSS_LOG, .name = "loss-log", .group = GROUP_OUTPUT,
	.argument = { "FILE", FILLS(TEXT, export.loss_log) },
	.help = "--export otlp: write what was lost or suppressed to this file, as log records")

OPTION(TRACKS, .name = "tracks", .group = GROUP_OUTPUT,
	.argument = { "TRACKS", FILLS(CHOICE, export.tracks), .choice = choice_tracks },
	.help = "--export perfetto: a track for each of %s; default: slots, of as many as lived at "
		"once")

OPTION(COLOR, .name = "color", .group = GROUP_OUTPUT, .needs_no_view = true,
	.argument = { "MODE", FILLS(CHOICE, color), .choice = choice_color },
	.help = "Colour what failed, zombies and losses: %s; auto: on a terminal, unless "
		"NO_COLOR is set")

OPTION(JSON, .name = "json", .group = GROUP_OUTPUT, .letter = 'j', .needs_no_view = true,
	.argument = { FILLS(FLAG, json) },
	.help = "One JSON object per line",
	.brief = "One JSON object per line; see --html, --export")

OPTION(QUIET, .name = "quiet", .group = GROUP_OUTPUT, .letter = 'q', .needs_no_view = true,
	.argument = { FILLS(FLAG, quiet) },
	.help = "On a terminal: no progress, no hints")

OPTION(EXPECT, .name = "expect", .group = GROUP_VERDICTS,
	.argument = { "FIGURE", FILLS(EXPECT, expect) },
	.help = "Exit with status 2 unless this holds; can be given repeatedly. exit_free.p99<50ms, "
		"zombie.max<=1s, life.count>=100, zombies==0, lost==0",
	.brief = "Exit with status 2 unless this holds: zombie.max<1s")

OPTION(LEFT_AFTER, .name = "left-after", .group = GROUP_VERDICTS, .needs_no_view = true,
	.argument = { "TIME", FILLS(TIME, expect.left_after), .least = 1,
		      .wrong = "not a time such as 200ms or 5s" },
	.help = "End this long after the command's own exit, whatever it left running; for "
		"--expect left, 200ms",
	.needs = { GIVEN(COMMAND), "is counted from the exit of a command: add one after '--'" },
	.excludes = { { GIVEN(INPUT), "what was recorded is over" } })

OPTION(KTAP, .name = "ktap", .group = GROUP_VERDICTS, .needs_no_view = true,
	.argument = { FILLS(SETTING, expect.form), .set = VERDICTS_KTAP },
	.help = "Print the verdicts as KTAP, for kselftest and prove",
	.needs = { GIVEN(EXPECT), "prints verdicts: add what to --expect" },
	.excludes = { { GIVEN(LAVA) | GIVEN(JSON), "a verdict has one form" } })

OPTION(LAVA, .name = "lava", .group = GROUP_VERDICTS, .needs_no_view = true,
	.argument = { FILLS(SETTING, expect.form), .set = VERDICTS_LAVA },
	.help = "Print the verdicts as test cases of LAVA",
	.needs = { GIVEN(EXPECT), "prints verdicts: add what to --expect" },
	.excludes = { { GIVEN(JSON), "a verdict has one form" } })

OPTION(JUNIT, .name = "junit", .group = GROUP_VERDICTS, .needs_no_view = true,
	.argument = { "FILE", FILLS(TEXT, expect.junit) },
	.help = "Write the verdicts of --expect and --diff to this file too, as JUnit XML")

OPTION(INPUT, .name = "input", .group = GROUP_SOURCE, .letter = 'i',
	.argument = { "DIR", FILLS(WORD, inputs) },
	.help = "Read what --record has written; --lives, --latency and --info take several",
	.brief = "Read what --record has written; --info says what it is",
	.excludes = {
		{ OF_DEVICE | GIVEN(HISTORY) | GIVEN(RECORD) | GIVEN(COMMAND),
		  "nothing but the recording is read" },
		{ OF_REACTION, "what was recorded is over; --on alone says when a condition held, and --slice "
			       "saves a part" },
	})

OPTION(LOAD, .name = "load", .group = GROUP_SOURCE,
	.argument = { FILLS(FLAG, load) },
	.help = "Load the module; or where there is none, pin the BPF programs, so that others can read, too; "
		"alone: just that")

OPTION(UNLOAD, .name = "unload", .group = GROUP_SOURCE,
	.argument = { FILLS(FLAG, unload) },
	.help = "At the end, unload the module and remove pinned BPF programs; alone: now")

OPTION(SOURCE, .name = "source", .group = GROUP_SOURCE,
	.argument = { "module|bpf", FILLS(SOURCE, source) },
	.help = "Record with the module only; or with BPF programs only, which take its parameters: bpf,births,times")

OPTION(DEVICE, .name = "device", .group = GROUP_SOURCE,
	.argument = { "PATH", FILLS(TEXT, device) },
	.help = "Read this device (" PROCLIFE_DEVICE ")")

OPTION(COMMAND, .words = "COMMAND",
	.excludes = { { GIVEN(PID) | GIVEN(HISTORY), "a command is followed from its start" } })

OPTION(HELP, .name = "help", .group = GROUP_HELP, .letter = 'h',
	.argument = { "all", .may_lack = true },
	.help = "The most needed options; with =all, this list")

OPTION(USAGE, .name = "usage", .group = GROUP_HELP,
	.help = "The options alone")

OPTION(VERSION, .name = "version", .group = GROUP_HELP, .letter = 'V',
	.help = "The versions of this program and of its formats")

OPTION(COMPLETION, .name = "completion", .group = GROUP_HELP, .is_hidden = true,
	.argument = { .name = "SHELL" })
