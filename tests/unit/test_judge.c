// SPDX-License-Identifier: GPL-2.0-only
/* The judge of the benchmarks: what it says of seven processes as each tool tells them, and of lies. */
#include "check.h"

#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <linux/acct.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/forest/truth.h"

#define FIXTURES SOURCE "/tests/unit/fixtures/judge/"
#define MS 1000000ULL
#define REALTIME (1700000000ULL * 1000 * MS)

static const struct forest_process truth[] = {
	{},
	{ 100000 * MS, 100001 * MS, 300, 250, 0, 250, 0, 0, 0, 0, "root" },
	{ 100010 * MS, 100011 * MS, 301, 300, 1, 300, 0, 0, 0, 0, "loop 0" },
	{ 100020 * MS, 100021 * MS, 302, 301, 2, 301, 7 << 8, 1, 0, 77, "cc1" },
	{ 100030 * MS, 100031 * MS, 303, 301, 2, 301, 9, 0, 0, 0, "loop 0" },
	{ 100040 * MS, 100041 * MS, 304, 301, 2, 301, 0, 0, 0, 0, "middle" },
	{ 100050 * MS, 100051 * MS, 305, 304, 5, 1, 42 << 8, 0, 1, 0, "daemon" },
	{ 102500 * MS, 102501 * MS, 302, 301, 2, 301, 0, 0, 0, 0, "batch 12" },
};

static char folder[] = "/tmp/test-judge.XXXXXX";
static char judge[PATH_MAX];

static FILE *make_file(const char *name)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	return file;
}

static int set_up(void **state)
{
	struct forest forest = {
		.magic = FOREST_MAGIC, .room = 8, .used = 8, .orphans = 1, .orphans_ended = 1,
		.began = 99950 * MS, .ended = 102800 * MS, .to_realtime = REALTIME, .complete = 1, .fd = 3,
	};
	char own[PATH_MAX] = "";
	FILE *file;

	(void)state;
	if (readlink("/proc/self/exe", own, sizeof(own) - 1) < 0 || !mkdtemp(folder))
		return -1;
	snprintf(judge, sizeof(judge), "%s/tests/bench/exact/judge", dirname(dirname(dirname(own))));
	file = make_file("truth");
	fwrite(&forest, sizeof(forest), 1, file);
	fwrite(truth, sizeof(truth), 1, file);
	return fclose(file);
}

static int tear_down(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

/* What it prints, with single blanks; @status: what it has to exit with. */
static char *run_judge(const char *args, int status)
{
	char command[3 * PATH_MAX];
	static char text[8192];
	size_t n = 0;
	FILE *out;
	int c, ended;

	snprintf(command, sizeof(command), "cd %s && %s %s 2>&1", folder, judge, args);
	out = popen(command, "r");
	assert_non_null(out);
	while ((c = getc(out)) != EOF && n < sizeof(text) - 1)
		if (c != ' ' || !n || (text[n - 1] != ' ' && text[n - 1] != '\n'))
			text[n++] = (char)c;
	text[n] = '\0';
	ended = pclose(out);
	if (!WIFEXITED(ended) || WEXITSTATUS(ended) != status)
		fail_msg("%s: status %#x, and it says: %s", args, ended, text);
	return text;
}

static void judge_is(const char *format, const char *row)
{
	char args[PATH_MAX];
	const char *text;

	snprintf(args, sizeof(args), "--row --format %s truth told", format);
	text = run_judge(args, 0);
	if (strcmp(text, row))
		fail_msg("%s instead of:\n%s", text, row);
}

/*
 * A fixture, with the lines that hold @line as they are, left out, or with @line in @instead; all of it
 * has to be as it was if @line is NULL.
 */
static void tell(const char *fixture, const char *line, const char *instead)
{
	char path[PATH_MAX], text[1024], *at;
	unsigned int changed = 0;
	FILE *in, *out;

	snprintf(path, sizeof(path), FIXTURES "%s.txt", fixture);
	in = fopen(path, "r");
	assert_non_null(in);
	out = make_file("told");
	while (fgets(text, sizeof(text), in)) {
		at = line ? strstr(text, line) : NULL;
		if (!at) {
			fputs(text, out);
			continue;
		}
		changed++;
		if (instead)
			fprintf(out, "%.*s%s%s", (int)(at - text), text, instead, at + strlen(line));
	}
	fclose(in);
	fclose(out);
	if (line && !changed)
		fail_msg("%s: has no line with %s", fixture, line);
}

struct lie {
	const char *line;    /* NULL: none, this is the truth */
	const char *instead; /* NULL: the line is left out */
	const char *row;
};

static void check_lies(const char *fixture, const char *format, const struct lie *lies, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		tell(fixture, lies[i].line, lies[i].instead);
		judge_is(format, lies[i].row);
	}
}
#define CHECK_LIES(fixture, format, lies) \
	check_lies(fixture, format, lies, sizeof(lies) / sizeof((lies)[0]))

/*
 * processes, missed, extra, parents, names, args, status, reaper, cycles, unpaired, lost; what is missing stands
 * behind a +
 */
static void test_plain(void **state)
{
	static const struct lie lies[] = {
		{ NULL, NULL, "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
		{ "lost", NULL, "plain 7 0 0 0 0 0 0 0 0 0 -\n" },
		/* Who lacks the beginning is found by its pid; its parent and inherited name are not known. */
		{ "fork 303", NULL, "plain 7 0 0 0+1 0+1 0 0 0 0 1 3\n" },
		{ " 303", NULL, "plain 6 1 0 0 0 0 0 0 0 0 3\n" },
		{ "exit 303 9", NULL, "plain 7 0 0 0 0 0 0+1 0 0 1 3\n" },
		{ "exit 303 9", "exit 303", "plain 7 0 0 0 0 0 0+1 0 0 0 3\n" },
		{ "exit 303 9", "exit 303 0", "plain 7 0 0 0 0 0 1 0 0 0 3\n" },
		{ "reap 305 1", "reap 305 7", "plain 7 0 0 0 0 0 0 1 0 0 3\n" },
		{ "reap 305 1", NULL, "plain 7 0 0 0 0 0 0 0+1 0 0 3\n" },
		{ "fork 305 304", "fork 305 301", "plain 7 0 0 1 0 0 0 0 0 0 3\n" },
		{ "name 305", NULL, "plain 7 0 0 0 1 0 0 0 0 0 3\n" },
		{ "3 3 77", "3 3 78", "plain 7 0 0 0 0 1 0 0 0 0 3\n" },
		{ "cc1 3 3 77", "", "plain 7 0 0 0 0 - 0 0 0 0 3\n" },
		{ "exec 302 cc1", "exec 302 -", "plain 7 0 0 0 1 0 0 0 0 0 3\n" },
		/* One that there was not, and it is a child of the forest's. */
		{ "100.0405 fork 304", "100.035 fork 999 301\n100.0405 fork 304",
		  "plain 8 0 1 0 0 0 0 0 0 0 3\n" },
		/* The exec comes before its fork, and the tool says that this can be. */
		{ "100.022 exec 302", "100.0202 exec 302", "plain 7 0 0 0 1 0+1 0 0 0 0 3\n" },
		{ "100.022 exec 302", "early\n100.0202 exec 302", "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
		{ "100.0205 fork 302 301\n",
		  "early\n100.0208 fork 302 301 loop\\x200\n100.0202 exec 302 cc1 cc1 3 3 77\n",
		  "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
		{ "fork 303 301", "fork 303 301 other", "plain 7 0 0 0 1 0 0 0 0 0 3\n" },
		/* The second one with pid 302 is told too early to be that process. */
		{ "102.5005 fork", "102.4 fork", "plain 7 1 1 0 0 0 0 0 0 0 3\n" },
		{ "102.5005 fork", "rounding 0.2\n102.4 fork", "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
	};

	(void)state;
	CHECK_LIES("plain", "plain", lies);
	tell("plain", " reap ", NULL);
	judge_is("plain", "plain 7 0 0 0 0 0 0 - 0 0 3\n");
	tell("plain", "102.510 exit", "nonsense");
	judge_is("plain", "plain 7 0 0 0 0 0 0+1 0 0 1 3\n(1 lines of plain make no sense)\n");
}

static void test_life(void **state)
{
	static const struct lie lies[] = {
		{ NULL, NULL, "plain 7 0 0 - 0 - 0 0 0 0 0\n" },
		/* Who was adopted before it ended has another parent then. */
		{ " 305 1 ", " 305 304 ", "plain 7 0 0 - 0 - 0 1 0 0 0\n" },
		{ "notified\n", "", "plain 7 0 0 1 0 - 0 - 0 0 0\n" },
		{ "life 303", NULL, "plain 6 1 0 - 0 - 0 0 0 0 0\n" },
		/* A parent that is missed: its children have its pid. */
		{ "life 301", NULL, "plain 6 1 0 - 0 - 0 0 0 0 0\n" },
		{ "life 302 301", "life 302 309", "plain 7 0 0 - 0 - 0 2 0 0 0\n" },
		{ "1792", "0", "plain 7 0 0 - 0 - 1 0 0 0 0\n" },
		{ "1792", "-", "plain 7 0 0 - 0 - 0+1 0 0 0 0\n" },
		{ "batch\\x2012", "watch", "plain 7 0 0 - 1 - 0 0 0 0 0\n" },
		{ "batch\\x2012", "-", "plain 7 0 0 - 0+1 - 0 0 0 0 0\n" },
		{ "1700000102 life", "1700000104 life", "plain 7 1 1 - 0 - 0 0 0 0 0\n" },
	};

	(void)state;
	CHECK_LIES("life", "plain", lies);
}

static void test_bcc(void **state)
{
	static const struct lie lies[] = {
		{ NULL, NULL, "bcc 7 0 0 - 0 0 0 0 0 0 4\n" },
		{ "signal 9", "signal 6", "bcc 7 0 0 - 0 0 1 0 0 0 4\n" },
		{ "signal 9 (KILL)", "signal 9 (KILL), core dumped ", "bcc 7 0 0 - 0 0 1 0 0 0 4\n" },
		{ "code 7", "0", "bcc 7 0 0 - 0 0 1 0 0 0 4\n" },
		{ "3 3 77", "3 3 7", "bcc 7 0 0 - 0 1 0 0 0 0 4\n" },
		{ "middle", "muddle", "bcc 7 0 0 - 1 0 0 0 0 0 4\n" },
		{ "exit  daemon", NULL, "bcc 6 1 0 - 0 0 0 0 0 0 4\n" },
		{ "4 samples", "44 samples", "bcc 7 0 0 - 0 0 0 0 0 0 44\n" },
	};

	(void)state;
	CHECK_LIES("bcc", "bcc", lies);
}

static void test_audit(void **state)
{
	static const struct lie lies[] = {
		/* Who is killed makes no call. */
		{ NULL, NULL, "audit 7 0 0 0 0 0 0+1 - 0 1 5\n" },
		{ "exit=303", "exit=399", "audit 7 1 1 0 0 0 0 - 0 0 5\n" },
		{ "a0=2a", "a0=2b", "audit 7 0 0 0 0 0 1+1 - 0 1 5\n" },
		{ "a3=\"77\"", "a3=\"77\" a4=\"\"", "audit 7 0 0 0 0 1 0+1 - 0 1 5\n" },
		/* The hexadecimal of "batch 12", which becomes "batch 13". */
		{ "6261746368203132", "6261746368203133", "audit 7 0 0 0 1 0 0+1 - 0 1 5\n" },
		{ "lost 5", "lost 6", "audit 7 0 0 0 0 0 0+1 - 0 1 6\n" },
	};

	(void)state;
	CHECK_LIES("audit", "audit", lies);
}

static void test_strace(void **state)
{
	static const struct lie lies[] = {
		{ NULL, NULL, "strace 7 0 0 0 0 0 0 0+1 0 0 -\n" }, /* init's wait is none of its own */
		{ "SIGKILL +++", "SIGTERM +++", "strace 7 0 0 0 0 0 1 0+1 0 0 -\n" },
		{ "+++ killed by SIGKILL +++", "--- SIGKILL ---", "strace 7 0 0 0 0 0 0+1 0+1 0 1 -\n" },
		{ "cee650) = 303", "cee650) = -1", "strace 7 0 0 0+1 0+1 0 0 0+1 0 1 -\n" },
		{ "\"daemon\"", "\"demon\"", "strace 7 0 0 0 1 0 0 0+1 0 0 -\n" },
		{ "\"77\"]", "\"77\", ...]", "strace 7 0 0 0 0 1 0 0+1 0 0 -\n" },
		{ "0, NULL) = 303", "0, NULL) = -1", "strace 7 0 0 0 0 0 0 0+2 0 0 -\n" },
	};

	(void)state;
	CHECK_LIES("strace", "strace", lies);
}

static void test_tracepoints(void **state)
{
	static const struct lie lies[] = {
		{ NULL, NULL, "trace-cmd 7 0 0 0 0 - - - 0 0 6\n" },
		{ "child_pid=305", "child_pid=306", "trace-cmd 8 0 1 0+1 0 - - - 0 1 6\n" },
		{ "sched_process_fork:   comm=loop 0 pid=301 child_comm=loop 0 child_pid=303", "irq:",
		  "trace-cmd 7 0 0 0+1 0 - - - 0 1 6\n" },
		{ "comm=loop 0 pid=301 prio", "comm=loop 9 pid=301 prio", "trace-cmd 7 0 0 0 1 - - - 0 0 6\n" },
		{ "[6 EVENTS", "[60 EVENTS", "trace-cmd 7 0 0 0 0 - - - 0 0 60\n" },
	};
	static const struct lie of_perf[] = {
		{ NULL, NULL, "perf 7 0 0 0 0 - - - 0 0 6\n" },
		{ "child_pid=305", "child_pid=306", "perf 8 0 1 0+1 0 - - - 0 1 6\n" },
		{ "comm=loop 0 pid=301 prio", "comm=loop 9 pid=301 prio", "perf 7 0 0 0 1 - - - 0 0 6\n" },
		{ "lost 6", "lost 60", "perf 7 0 0 0 0 - - - 0 0 60\n" },
	};

	(void)state;
	CHECK_LIES("trace-cmd", "trace-cmd", lies);
	CHECK_LIES("perf-tracepoints", "perf", of_perf);
}

static void test_perf(void **state)
{
	static const struct lie lies[] = {
		{ NULL, NULL, "perf 7 0 0 0 0 - - - 0 0 6\n" },
		{ "FORK(305:305):(304", "FORK(305:305):(301", "perf 7 0 0 1 0 - - - 0 0 6\n" },
		{ "EXIT(303", "EXIT(399", "perf 7 0 0 0 0 - - - 0 1 6\n" },
		{ "COMM: middle", "COMM: muddle", "perf 7 0 0 0 1 - - - 0 0 6\n" },
		{ "COMM exec: cc1", "COMM exec: cc2", "perf 7 0 0 0 1 - - - 0 0 6\n" },
		{ "(303", NULL, "perf 6 1 0 0 0 - - - 0 0 6\n" },
	};

	(void)state;
	CHECK_LIES("perf", "perf", lies);
}

static void test_proclife(void **state)
{
	static const struct lie lies[] = {
		{ NULL, NULL, "proclife 7 0 0 0 0 0 0 0 0 0 0\n" },
		{ "\"id\":16,\"parent_id\":15", "\"id\":16,\"parent_id\":12",
		  "proclife 7 0 0 1 0 0 0 0 0 0 0\n" },
		{ "\"id\":16,\"parent_id\":15", "\"id\":16,\"parent_id\":null",
		  "proclife 7 0 0 0+1 0 0 0 0 0 0 0\n" },
		{ "middle", "muddle", "proclife 7 0 0 0 1 0 0 0 0 0 0\n" },
		{ "\"77\"", "\"78\"", "proclife 7 0 0 0 0 1 0 0 0 0 0\n" },
		{ ":10752", ":0", "proclife 7 0 0 0 0 0 1 0 0 0 0\n" },
		{ "\"reaper_pid\":1,", "\"reaper_pid\":2,", "proclife 7 0 0 0 0 0 0 1 0 0 0\n" },
		{ "\"id\":14", "\"id\":19", "proclife 7 0 0 0 0 0 0 0 0 0 0\n" },
		{ "\"reaper_pid\":1,", "\"reaper_pid\":null,", "proclife 7 0 0 0 0 0 0 0+1 0 0 0\n" },
		{ "\"lost\":0", "\"suppressed\":{\"WAIT\":3,\"RENAME\":4},\"lost\":70", "proclife 7 0 0 0 0 0 0 0 0 0 77\n" },
		{ "\"lost\":0", "\"lost\":70", "proclife 7 0 0 0 0 0 0 0 0 0 70\n" },
		{ "\"comm\":\"middle\"", "\"comm\":null",
		  "proclife 6 1 0 0+1 0 0 0 0 0 0 0\n(1 lines of proclife make no sense)\n" },
	};

	(void)state;
	CHECK_LIES("proclife", "proclife", lies);
}

static void test_acct(void **state)
{
	static const unsigned char order[] = { 3, 4, 5, 6, 7, 2, 1 }; /* in which they end */
	unsigned int i, lie;
	FILE *file;

	(void)state;
	for (lie = 0; lie < 3; lie++) {
		file = make_file("told");
		for (i = 0; i < sizeof(order); i++) {
			const struct forest_process *p = &truth[order[i]];
			struct acct_v3 a = {
				.ac_version = 3 | ACCT_BYTEORDER,
				.ac_pid = p->pid,
				.ac_ppid = p->orphan ? 1 : p->parent_pid,
				.ac_btime = (uint32_t)((p->after + REALTIME) / (1000 * MS)),
				.ac_exitcode = (uint32_t)p->status,
			};

			memcpy(a.ac_comm, p->name, sizeof(a.ac_comm));
			if (lie == 1 && order[i] == 4)
				a.ac_exitcode = 1;
			if (lie == 2 && order[i] == 4)
				continue;
			fwrite(&a, sizeof(a), 1, file);
		}
		fclose(file);
		judge_is("acct", lie == 0 ? "acct 7 0 0 - 0 - 0 0 0 0 -\n" :
				 lie == 1 ? "acct 7 0 0 - 0 - 1 0 0 0 -\n" :
					    "acct 6 1 0 - 0 - 0 0 0 0 -\n");
	}
}

/* The head, the options, and what is no truth. */
static void test_program(void **state)
{
	const char *text;
	FILE *file;

	(void)state;
	tell("plain", NULL, NULL);
	text = run_judge("--name mine truth told", 0);
	assert_non_null(strstr(text, "7 processes in 2.9 s, 1 execs, 1 re-parented; 6 pids, used 1.2 times"));
	assert_non_null(strstr(text, "\ntruth 7\nmine 7 0 0 0 0 0 0 0 0 0 3\n"));
	text = run_judge("--head truth", 0);
	assert_non_null(strstr(text, "\ntruth 7\n"));
	text = run_judge("--row truth <told", 0);
	assert_string_equal(text, "plain 7 0 0 0 0 0 0 0 0 0 3\n");
	tell("plain", "exit 303 9", "exit 303 8");
	text = run_judge("--faults 5 --row truth told", 0);
	assert_non_null(strstr(text, "status: pid 303 parent 301 name \"loop 0\" status 0x9 "));
	assert_non_null(strstr(text, "said: pid 303 parent 301 name \"loop 0\" status 0x8 "));
	run_judge("--format nothing truth told", 129);
	run_judge("", 129);
	run_judge("told told", 1);
	run_judge("truth /dev/null", 1);
	file = make_file("truth.cut");
	fwrite(truth, sizeof(truth), 1, file);
	fclose(file);
	run_judge("truth.cut told", 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain), cmocka_unit_test(test_life),    cmocka_unit_test(test_bcc),
		cmocka_unit_test(test_acct),  cmocka_unit_test(test_audit),   cmocka_unit_test(test_strace),
		cmocka_unit_test(test_perf),  cmocka_unit_test(test_tracepoints), cmocka_unit_test(test_proclife),
		cmocka_unit_test(test_program),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
