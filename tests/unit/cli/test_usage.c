// SPDX-License-Identifier: GPL-2.0-only
/* The messages for a command line that is wrong, or cannot be carried out. */
#include "check.h"
#include "program.h"

#include <limits.h>
#include <output/json.h>
#include <proclife.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define USAGE 129
#define MOST_ARGS 32

static char own_name[] = "proclife-read";
static char *words[MOST_ARGS];

static void split(const char *line, char *copy)
{
	int argc = 0;

	strcpy(copy, line);
	words[argc++] = own_name;
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
		assert_true(argc < MOST_ARGS - 1);
		words[argc++] = word;
	}
	words[argc] = NULL;
}

/* The program's exit status, and its standard error and output. */
static int run(const char *line, char *said, size_t size)
{
	char copy[1000];
	int status, fds[2];
	size_t length = 0;
	ssize_t n;
	pid_t pid;

	split(line, copy);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		alarm(20);
		execv(program, words);
		_exit(99);
	}
	close(fds[1]);
	while (length < size - 1 && (n = read(fds[0], said + length, size - 1 - length)) > 0)
		length += n;
	said[length] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_bad_usage(void **state)
{
	static const struct {
		const char *line;
		const char *says;
	} bad[] = {
		{ "--pid x", "--pid x" },
		{ "--pid 0", "--pid 0" },
		{ "--pid -1", "--pid -1" },
		{ "--pid 12x", "--pid 12x" },
		{ "--pid 2147483648", "--pid 2147483648: too large: the largest is 2147483647" },
		{ "--pid 99999999999999999999999", "--pid 99999999999999999999999: too large: the largest is 2147483647" },
		{ "--pid", "--pid: its argument is missing: --pid=PID[@NS]\n" },
		{ "--pid nginx", "--pid nginx: not a process ID; --comm takes the name of a program" },
		{ "--pid 200,300", "--pid 200,300: not a process ID; for several, give --pid for each" },
		{ "--pid 1x", "--pid 1x: not a process ID\n" },
		{ "--comm chromium-browser", "--comm chromium-browser: a name has at most 15 bytes: leave out the others" },
		{ "--pid 0@7", "--pid 0@7: not a process ID" },
		{ "--pid @7", "--pid @7: not a process ID" },
		{ "--pid 42@", "--pid 42@: behind the '@' has to be the number of a PID namespace" },
		{ "--pid 42@0", "behind the '@' has to be the number of a PID namespace" },
		{ "--pid 42@4294967296", "behind the '@' has to be the number of a PID namespace" },
		{ "--pid 42@pid:[7", "behind the '@' has to be the number of a PID namespace" },
		{ "--pid 42@mnt:[7]", "or the path of a cgroup, as in /proc/PID/cgroup" },
		{ "--pid 42@web", "or the path of a cgroup, as in /proc/PID/cgroup" },
		{ "--pid 99999999999@7", "too large: the largest is 2147483647" },
		{ "-i", "--input: its argument is missing: --input=DIR\n" },
		{ "-tn", "--count: its argument is missing: --count=N\n" },
		{ "--slice", "--slice: its argument is missing: --slice=DIR\n" },
		{ "-x", "-x: there is no option -x; --help=all lists them\n" },
		{ "-tj3", "-tj3: there is no option -3; --help=all lists them\n" },
		{ "--tree=3", "--tree=3: --tree takes no argument: leave out '=3'\n" },
		{ "--com x", "--com: several options begin like this, write more of it: --compress, --comm, --completion\n" },
		{ "--=x", "--=x: there is no such option; --help=all lists them\n" },
		{ "--nonsense", "--nonsense" },
		{ "-Z", "-Z: there is no option -Z" },
		{ "tree", "tree" },
		{ "make -j", "make: unexpected word; put '--' before a command, or -i before a recording" },
		{ "make --nonsense", "make: unexpected word; put '--'" },
		{ "--", "'--'" },
		{ "--duration 0", "--duration 0" },
		{ "--duration -5", "--duration -5" },
		{ "--duration 5d", "--duration 5d" },
		{ "--duration 5 s", "s: unexpected word" },
		{ "--duration 5sx", "--duration 5sx" },
		{ "--duration 0x10", "--duration 0x10" },
		{ "--duration inf", "--duration inf" },
		{ "--duration 1.2.3", "--duration 1.2.3" },
		{ "--duration .", "--duration ." },
		{ "--duration 99999999999999999999", "--duration 99999999999999999999: too large: the largest is 2499999h" },
		{ "--latency --interval 0", "--interval 0" },
		{ "--latency --interval 999us", "--interval 999us: not a time of 1ms or more" },
		{ "--interval 5", "--lives does not; give one of them, or leave --interval out" },
		{ "--latency --tree --interval 5", "--tree does not" },
		{ "--expect lost==0 --interval 5", "--interval is for --summary, --latency and --parents, and for --metrics: add" },
		{ "--latency --tree --metrics x.prom --interval 5", "--tree does not" },
		{ "--metrics x", "--metrics x: node_exporter reads files whose names end in .prom" },
		{ "--metrics x/.prom", "--metrics x/.prom: node_exporter" },
		{ "--metrics", "--metrics" },
		{ "--status --metrics x.prom", "--status shows the module as it is now: it takes no --metrics" },
		{ "-i x -i y --latency --metrics x.prom", "--metrics takes one recording at a time" },
		{ "--on zombie", "--on zombie: there has to be a relation" },
		{ "--on zombies>1", "--on 'zombies>1': the figure has to be failed" },
		{ "--on failed --from 14:03", "--on and --from exclude each other" },
		{ "--on failed --expect lost==0 --ktap", "--on and --ktap exclude each other" },
		{ "--on failed --calm x", "--calm x: not a time" },
		{ "--on failed --save d --after x", "--after x: not a time" },
		{ "--on failed --save d --saves 0", "--saves 0: not a number above 0" },
		{ "--on failed --saves 3", "--saves is for --save: add a folder" },
		{ "--on failed --exec x --after 3", "--after is for --save: add a folder" },
		{ "--save d", "--save is for --on: add a condition" },
		{ "--exec d", "--exec is for --on: add a condition" },
		{ "-i x --on failed --save d", "--input and --save exclude each other: what was recorded is over" },
		{ "-i x --on failed --exec d", "--input and --exec exclude each other: what was recorded is over" },
		{ "--live --on failed --exec x", "it takes no --on" },
		{ "--calm 5s", "--calm is for --on: add a condition" },
		{ "--after 5s", "--after is for --on: add a condition" },
		{ "--keep 1GiB", "--keep needs --record: add --record DIR" },
		{ "--metrics x.prom --history", "--metrics and --history exclude each other: at each start" },
		{ "--utc --monotonic", "--utc and --monotonic exclude each other: a time has one form" },
		{ "--monotonic --json", "--monotonic and --json exclude each other: JSON has nanoseconds" },
		{ "--live --on failed", "it takes no --on" },
		{ "--zombies --on failed", "--zombies shows those there are now, or at the end of a recording: it takes no --on" },
		{ "-i x -i y --on failed", "--on takes one recording at a time" },
		{ "--html", "--html" },
		{ "--html x.html --json", "--html prints nothing: leave out --json, or add what to print, such as --tree" },
		{ "--html x.html --events", "--events and --html exclude each other" },
		{ "--html x.html --latency --from -1m", "--html shows processes that lived then, --latency those that exited then" },
		{ "-i x -i y --html x.html", "--html takes one recording at a time" },
		{ "--status --interval 5", "--status does not" },
		{ "-i x -i y --latency --interval 5", "--interval takes one recording at a time" },
		{ "-i x --from +99999999h", "--from +99999999h: the time is too large: the largest is 2499999h" },
		{ "--source=module,paths", "the module has its parameters of modprobe" },
		{ "--source=bpf,CC", "memory, cgroups, births, times, failures, paths, and env=A:B; \"CC\" is none of them" },
		{ "--source=bpf,env=", "env is names of variables, separated by colons" },
		{ "--source=bpf,env=CC:1", "env is names of variables, separated by colons" },
		{ "--source=bpf,env=C-C", "env is names of variables, separated by colons" },
		{ "--source=bpf,env=CC:births:CC", "env has a name twice" },
		{ "--source=bpf,env=a:b:c:d:e:f:g:h:i:j:k:l:m:n:o:p:q", "env is up to 16 names of variables" },
		{ "--record x --keep 8185453TiB", "--keep 8185453TiB: the size is too large: the largest is 8185452TiB" },
		{ "--record x --keep 1GiB,9999999h", "the time is too large: the largest is 2499999h" },
		{ "--expect life.max<2500000h", "the bound is too large: the largest is 2499999h" },
		{ "--expect lost<18446744073709551616", "the bound is too large: the largest is 18446744073709551615" },
		{ "--on life>2500000h", "the bound is too large: the largest is 2499999h" },
		{ "--on lost>18446744073709551615", "the bound is too large: the largest is 18446744073709551614" },
		{ "--count 0", "--count 0" },
		{ "--count -3", "--count -3" },
		{ "--count 18446744073709551616", "--count 18446744073709551616: too large: the largest is 18446744073709551615" },
		{ "--events --tree", "--tree" },
		{ "--live --tree", "--live and --tree exclude each other" },
		{ "--live --json", "--live draws on a terminal, and JSON is for programs" },
		{ "--live -- true", "--live is a screen that stays until it is left: it takes no COMMAND" },
		{ "--live --from 14:03", "it takes no --from" },
		{ "--status --latency", "--latency" },
		{ "--fold", "--fold" },
		{ "--tree --fold --json", "--fold" },
		{ "--no-fold", "--no-fold" },
		{ "--tree --no-fold --json", "--no-fold" },
		{ "--latency --depth 2", "--depth is for --tree" },
		{ "--depth 2", "--depth is for --tree" },
		{ "--tree --depth x", "--depth x" },
		{ "--tree --depth -1", "--depth -1" },
		{ "--tree --depth 4294967295", "--depth 4294967295: too large: the largest is 4294967294" },
		{ "--tree --depth", "--depth" },
		{ "--events --min-life 5ms", "--min-life is for --tree" },
		{ "--tree --min-life 0", "--min-life 0" },
		{ "--tree --min-life 5x", "--min-life 5x" },
		{ "--tree --min-life -5ms", "--min-life -5ms" },
		{ "--latency --top 5", "--top is for --lives, --tree, --summary, --latency" },
		{ "--tree --top 0", "--top 0" },
		{ "--lifes", "--lifes: there is no such option; did you mean --lives?" },
		{ "--teh=3 --tree", "--teh: there is no such option; did you mean --tree?" },
		{ "--ot", "--ot: there is no such option; did you mean --to?" },
		{ "--jsno", "--jsno: there is no such option; did you mean --json?" },
		{ "--comm --treee --latancy", "--latancy: there is no such option; did you mean --latency?" },
		{ "--xyzzy=1", "--xyzzy: there is no such option; --help=all lists them" },
		{ "--depth=x --treee -- make --nonsense", "did you mean --tree?" },
		{ "--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "lists them" },
		{ "--tree --top cpu", "--top cpu" },
		{ "--tree --top 5:", "--top 5:" },
		{ "--tree --top 5:pid", "cpu, life, rss and count" },
		{ "--tree --top :cpu", "--top :cpu" },
		{ "--tree --top 4294967296", "--top 4294967296: too large: the largest is 4294967295" },
		{ "--tree --top 99999999999999999999999999:cpu", "cpu: too large: the largest is 4294967295" },
		{ "--tree --top 5 --fold", "--fold and --top" },
		{ "--record x --depth 2", "--depth" },
		{ "--threads", "--threads" },
		{ "--tree --fold --threads", "--threads" },
		{ "--tree --fold --no-fold", "--fold and --no-fold exclude each other" },
		{ "--pid 5 -- true", "--pid" },
		{ "--history -- true", "--history" },
		{ "--status --count 5", "--status" },
		{ "--status=3 --status", "--status shows the module as it is now: it takes no --status=N" },
		{ "--status=256", "--status 256: too large: the largest is 255" },
		{ "--status --pid 5", "--status" },
		{ "--status -- true", "--status" },
		{ "--status --record x", "--record" },
		{ "--record", "--record" },
		{ "--record x --json", "--json" },
		{ "--record x --fold", "--fold" },
		{ "--input", "--input" },
		{ "-i x --load", "--load" },
		{ "-i x --device /x", "--device" },
		{ "-i x --history", "--history" },
		{ "-i x --record y", "--record" },
		{ "-i x --status", "--status" },
		{ "-i x -- true", "COMMAND" },
		{ "--expect", "--expect" },
		{ "--expect lost", "--expect lost: there has to be a relation" },
		{ "--expect lost==0 --expect exit.p9<1s", "--expect 'exit.p9<1s': the figure" },
		{ "--status --expect lost==0", "--status shows the module as it is now: it takes no --expect" },
		{ "--ktap", "--ktap prints verdicts: add what to --expect" },
		{ "--ktap --lives", "--ktap prints nothing but verdicts, those of --expect: leave out --lives" },
		{ "--lava --tree", "--lava prints nothing but verdicts, those of --expect: leave out --tree" },
		{ "--lava --tree --expect lost==0", "--lava prints nothing but verdicts" },
		{ "--ktap --json --expect lost==0", "--ktap and --json exclude each other" },
		{ "--ktap --lava --expect lost==0", "--ktap and --lava exclude each other" },
		{ "--completion fish", "--completion fish" },
		{ "--comm", "--comm" },
		{ "--uid", "--uid" },
		{ "--uid -1", "--uid -1: neither a user name nor a number" },
		{ "--uid 4294967295", "--uid 4294967295: too large: the largest is 4294967294" },
		{ "--uid -1 -i x", "--uid -1: neither a user name nor a number" },
		{ "--uid root,0 -i x", "--uid root,0: neither a user name nor a number; for several users, give --uid for each" },
		{ "--uid a:b -i x", "--uid a:b: neither a user name nor a number" },
		{ "--uid= -i x", "--uid '': neither a user name nor a number" },
		{ "--uid 99999999999 -i x", "--uid 99999999999: too large: the largest is 4294967294" },
		{ "--uid no-such-user", "--uid no-such-user: neither a known user name nor a number" },
		{ "--cgroup a/b", "--cgroup a/b: a path has to begin with '/'" },
		{ "--status --comm x", "--status shows the module" },
		{ "--status --uid 0", "--status shows the module" },
		{ "--status --cgroup /", "--status shows the module" },
		{ "--latency --by name", "--by name: not one of comm, parent" },
		{ "--latency --by nothing", "--by nothing: not one of" },
		{ "--tree --by comm", "--by is for --summary, --latency and --diff" },
		{ "--by comm", "--by is for --summary, --latency and --diff" },
		{ "--tree --show pid", "--show pid: not one or more of pidns, cgroup and uid, separated by commas" },
		{ "--tree --show uid,,pidns", "--show uid,,pidns: not one or more of" },
		{ "--tree --show pidns,", "--show pidns,: not one or more of" },
		{ "--tree --show=", "--show '': not one or more of" },
		{ "--events=exec,", "--events=exec,: not one or more of" },
		{ "--events=", "--events='': not one or more of" },
		{ "--export csv --export folded", "--export is given twice, as csv and as folded: leave one of them out" },
		{ "--sort cpu --sort life", "--sort is given twice, as cpu and as life" },
		{ "-i x --slice a --slice b", "--slice is given twice, as a and as b" },
		{ "--html a --html b", "--html is given twice, as a and as b" },
		{ "--metrics a.prom --metrics b.prom", "--metrics is given twice, as a.prom and as b.prom" },
		{ "-d 1 --duration 2", "--duration is given twice, as 1 and as 2" },
		{ "--latency --interval 1s --interval 2s", "--interval is given twice, as 1s and as 2s" },
		{ "--tree --top 5 --top 5:rss", "--top is given twice, as 5 and as 5:rss" },
		{ "--latency --by comm --by uid", "--by is given twice, as comm and as uid" },
		{ "--from 14:03 --from 14:04", "--from is given twice, as 14:03 and as 14:04" },
		{ "--record a --keep 1GiB --keep 2GiB", "--keep is given twice, as 1GiB and as 2GiB" },
		{ "--color never --color auto", "--color is given twice, as never and as auto" },
		{ "--tree --show uids", "--show uids: not one or more of" },
		{ "--latency --show uid", "--show is for --tree" },
		{ "--latency --by comm --top 5:rss", "--top N:KEY is for --tree" },
		{ "--parents --top 5:life", "--top N:KEY is for --tree" },
		{ "--diff a b --by comm --top 5", "--top is for --lives, --tree, --summary, --latency, --parents" },
		{ "--tree --sort life", "--sort is for --lives; --tree has --top N:KEY" },
		{ "--sort pid", "--sort pid: not one of time, life, alone, cpu, rss, read, written, kill, teardown, held, unmap, "
				"traced, zombie, rcu_free, exit_free, fork, first_run, exec, spawn and wait" },
		{ "--sort", "--sort" },
		{ "--top 5:life", "--top N:KEY is for --tree" },
		{ "--lives --events", "only --lives, --tree, --summary, --critical-path, --latency, --parents and --html can be given together" },
		{ "--critical-path --failed", "--critical-path explains the end of one process" },
		{ "--critical-path --fold", "--fold is for --tree" },
		{ "--lives --threads", "--threads is for --tree, --latency and --diff, and for --expect; --events has them all" },
		{ "--lives --by comm", "--by is for --summary, --latency" },
		{ "-i a -i b --lives -n 5", "several recordings are for --lives, --latency and --info" },
		{ "--export", "--export" },
		{ "--export xml", "--export xml: not one of compdb, csv, folded, otlp and perfetto" },
		{ "--export perfetto --tracks lanes", "--tracks lanes: not one of slots and processes" },
		{ "--export csv --tracks slots", "--tracks is for --export perfetto" },
		{ "--tree --tracks slots", "--tracks is for --export" },
		{ "--export otlp -o x --loss-log x", "--loss-log and --output: each needs a file of its own" },
		{ "--export csv --loss-log x", "--loss-log is for --export otlp" },
		{ "--tree --loss-log x", "--loss-log is for --export" },
		{ "--export csv --tree", "--export and --tree exclude each other" },
		{ "--export csv --json", "--export has a format of its own" },
		{ "--export csv --expect lost==0", "--export writes lives for another program, and does not judge them: it takes no --expect" },
		{ "--export csv --on failed", "--export writes lives for another program, and does not judge them: it takes no --on" },
		{ "--export csv --depth 2", "--depth is for --tree" },
		{ "--export csv -i x -i y", "--export takes one recording at a time" },
		{ "--export csv --interval 5", "--export does not" },
		{ "--tree --output x", "--output is for --export" },
		{ "--record x -o y", "--output is for --export" },
		{ "--hide-args --args x", "--hide-args and --args exclude each other: selecting by arguments" },
		{ "--hide-args --export compdb", "--hide-args and --export compdb exclude each other: it is made of arguments" },
		{ "--hide-args --on failed --save x", "--hide-args and --save exclude each other" },
		{ "--hide-args --record x", "--hide-args and --record exclude each other: a recording has all" },
		{ "--color", "--color" },
		{ "--color red", "--color red: not one of auto, always and never" },
		{ "--parents --depth 2", "--depth is for --tree" },
		{ "--parents --events", "can be given together" },
		{ "--parents --zombies", "--zombies and --parents exclude each other: only --lives" },
		{ "--dying --zombies", "--zombies and --dying exclude each other: only --lives" },
		{ "--diff a b --tree", "can be given together" },
		{ "--parents --threads", "--threads is for --tree, --latency and --diff" },
		{ "--zombies -- true", "--zombies shows those there are now" },
		{ "--zombies -d 5", "--zombies shows those there are now, or at the end of a recording: it takes no --duration\n" },
		{ "--zombies -d 5 -i x", "--zombies shows those there are now, or at the end of a recording: it takes no "
					 "--duration; --to +TIME ends its selection\n" },
		{ "--slice x -i a -d 1", "it takes no --duration; --to +TIME ends its selection\n" },
		{ "--zombies -n 5", "--zombies shows those there are now" },
		{ "--zombies --record x", "--zombies shows those there are now" },
		{ "--zombies --history", "--zombies shows those there are now" },
		{ "--zombies --expect lost==0", "--zombies shows those there are now" },
		{ "--slice", "--slice" },
		{ "--slice x", "--slice is for recordings: add -i DIR; --record makes one" },
		{ "--slice x --history", "--slice writes whole lives of a recording, those that are selected: it takes no "
					 "--history" },
		{ "--slice x -i a -i b", "several recordings are for --lives" },
		{ "--slice x -i a --json", "--slice writes a recording, and all that it says is messages: leave out --json" },
		{ "--slice x -i a --lives", "--slice and --lives exclude each other: only --lives, --tree, " },
		{ "--slice x -i a --record y", "takes no --record" },
		{ "--slice x -i a --expect lost==0", "takes no --expect" },
		{ "--info", "--info is for recordings: add -i DIR" },
		{ "--info --json", "--info is for recordings: add -i DIR" },
		{ "--info --history", "--info shows recordings, each as a whole: it takes no --history" },
		{ "-i a --info --comm x", "--info shows recordings, each as a whole: it takes no --comm" },
		{ "-i a --info --lives", "can be given together" },
		{ "-i a --info --expect lost==0", "it takes no --expect" },
		{ "--diff", "--diff" },
		{ "--diff a", "--diff takes two recordings, or some on each side: " },
		{ "--diff a b c", "--diff takes two recordings, or some on each side: " },
		{ "--diff a --diff b --diff c", "--diff takes two recordings" },
		{ "--diff a -- b", "--diff takes two recordings" },
		{ "--diff a b -- true", "--diff reads its own recordings, and nothing else: it takes no " },
		{ "--diff a b -i c", "--diff reads its own recordings, and nothing else: it takes no " },
		{ "--diff a b --load", "--diff reads its own recordings, and nothing else: it takes no " },
		{ "--diff a b --device x", "--diff reads its own recordings, and nothing else: it takes no " },
		{ "--diff a b --history", "--diff reads its own recordings, and nothing else: it takes no " },
		{ "--diff a b --record c", "--diff reads its own recordings, and nothing else: it takes no " },
		{ "--diff a b -d 5", "--diff reads its own recordings, and nothing else: it takes no " },
		{ "--diff a b -n 5", "--diff reads its own recordings, and nothing else: it takes no " },
		{ "--diff a --against b -i c", "--diff reads its own recordings, and nothing else: it takes no " },
		{ "--against b", "--against is for --diff" },
		{ "--latency --against b c", "--against is for --diff" },
		{ "--diff a -- --against b", "--diff takes two recordings" },
		{ "--latency --junit x", "--junit writes verdicts: add what to --expect, or --diff" },
		{ "--diff a b --ktap", "--ktap prints nothing but verdicts, those of --expect: leave out --diff" },
		{ "--diff a b --factor 1", "--factor 1: not a number above 1" },
		{ "--diff a b --factor 0.5", "--factor 0.5: not a number above 1" },
		{ "--diff a b --factor 2x", "--factor 2x: not a number above 1" },
		{ "--diff a b --factor -3", "--factor -3: not a number above 1" },
		{ "--diff a b --factor nan", "--factor nan: not a number above 1" },
		{ "--diff a b --factor inf", "--factor inf: too large: the largest is 1000000" },
		{ "--diff a b --factor 1e99", "--factor 1e99: too large: the largest is 1000000" },
		{ "--diff a b --factor 1000000.1", "--factor 1000000.1: too large: the largest is 1000000" },
		{ "--diff a b --factor 1e2", "--factor 1e2: not a number above 1 in digits, such as 1.5" },
		{ "--diff a b --left-after 1s", "--diff reads its own recordings, and nothing else: it takes no --left-after" },
		{ "-i a --left-after 1s", "--left-after and --input exclude each other: what was recorded is over" },
		{ "-i a --left-after 1s --expect left==0", "--left-after and --input exclude each other" },
		{ "--left-after 1s --expect left==0", "--left-after is counted from the exit of a command: add one after '--'" },
		{ "--latency --factor 3", "--factor is for --diff" },
		{ "--latency --force", "--force is for --diff" },
		{ "--events=cgroup --pid 1", "--events=cgroup and --pid exclude each other: a record of a cgroup is about no task" },
		{ "--events=exit,cgroup --comm x", "--events=cgroup and --comm exclude each other: " },
		{ "--events=cgroup --uid 0", "--events=cgroup and --uid exclude each other: " },
		{ "--events=cgroup --cgroup /", "--events=cgroup and --cgroup exclude each other: " },
		{ "--events=cgroup --args x", "--events=cgroup and --args exclude each other: " },
		{ "--events=cgroup --failed", "--events=cgroup and --failed exclude each other: " },
		{ "--events=cgroup --status=1", "--events=cgroup and --status=N exclude each other: " },
		{ "--events=cgroup --signal 9", "--events=cgroup and --signal exclude each other: " },
		{ "--events=cgroup -- ls", "--events=cgroup and COMMAND exclude each other: " },
		{ "-i a -i b -d 5", "--duration takes one recording at a time; several recordings are for --lives" },
		{ "-i a -i b --tree", "--tree takes one recording at a time; several recordings are for --lives, --latency and --info" },
		{ "-i a -i b --parents", "several recordings are for --lives, --latency and --info" },
		{ "-i a -i b --latency -d 5", "several recordings are for --lives, --latency and --info" },
		{ "-i a -i b --latency -n 5", "--count takes one recording at a time; several recordings are for --lives, --latency and --info" },
	};
	char said[8000];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		int status = run(bad[i].line, said, sizeof(said));

		if (status != USAGE || !strstr(said, bad[i].says) ||
		    strncmp(said, "proclife-read: ", 15))
			fail_msg("'%s': status %d: %s", bad[i].line, status, said);
	}
}

static void assert_fits_a_screen(const char *text)
{
	unsigned int lines = 0;

	for (size_t length; *text; text += length + 1, lines++) {
		length = strcspn(text, "\n");
		if (length > 80)
			fail_msg("%zu columns: %.*s", length, (int)length, text);
	}
	assert_true(lines > 15 && lines <= 24);
}

static void test_help(void **state)
{
	char said[20000], versions[100];

	(void)state;
	assert_int_equal(run("--help", said, sizeof(said)), 0);
	assert_non_null(strstr(said, "--latency"));
	assert_non_null(strstr(said, "COMMAND"));
	assert_null(strstr(said, "--ktap"));
	assert_fits_a_screen(said);
	assert_int_equal(run("-h", said, sizeof(said)), 0);
	assert_null(strstr(said, "--ktap"));
	assert_int_equal(run("--help=all", said, sizeof(said)), 0);
	assert_non_null(strstr(said, "--ktap"));
	assert_non_null(strstr(said, "Exit status:"));
	assert_non_null(strstr(said, "(--diff)"));
	assert_non_null(strstr(said, "\n      --status=N "));
	assert_null(strstr(said, " \n"));
	assert_int_equal(run("--help=some", said, sizeof(said)), USAGE);
	assert_int_equal(run("--version", said, sizeof(said)), 0);
	snprintf(versions, sizeof(versions), "proclife-read " PROCLIFE_VERSION
		 "\ndevice ABI %d, recordings %d, JSON %d\n", PROCLIFE_ABI_VERSION,
		 PROCLIFE_RECORDING_FORMAT, JSON_SCHEMA);
	assert_string_equal(said, versions);
	assert_int_equal(run("--usage", said, sizeof(said)), 0);
}

static void test_no_module(void **state)
{
	static const char *const lines[] = {
		"--source=module", "--source=module --status", "--source=module --tree --count 1",
		"--source=module --latency -- true",
	};
	char said[4000];

	(void)state;
	if (!access("/dev/proclife", F_OK) || !access("/sys/module/proclife", F_OK))
		skip();
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_int_equal(run(lines[i], said, sizeof(said)), 1);
		assert_int_equal(strncmp(said, "proclife-read: /dev/proclife: module ", 37), 0);
		/* The remedy, and nothing after that one line. */
		assert_non_null(strstr(said, "run '"));
		assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	}
}

/* The command does not run if it cannot be traced. */
static void test_no_module_no_command(void **state)
{
	char path[] = "/tmp/proclife-test-XXXXXX", line[100], said[4000];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	snprintf(line, sizeof(line), "--device /nonexistent/proclife -- touch %s", path);
	assert_int_equal(run(line, said, sizeof(said)), 1);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void test_bad_device(void **state)
{
	char said[4000];

	(void)state;
	assert_int_equal(run("--device /dev/null", said, sizeof(said)), 1);
	assert_non_null(strstr(said, "/dev/null: "));
	assert_int_equal(run("--device /nonexistent/device", said, sizeof(said)), 1);
	assert_non_null(strstr(said, "/nonexistent/device: No such file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_usage),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_no_module),
		cmocka_unit_test(test_no_module_no_command),
		cmocka_unit_test(test_bad_device),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
