// SPDX-License-Identifier: GPL-2.0-only
/* The judge of the benchmarks: its verdicts on each tool's report of seven processes, and on lies. */
#include "check.h"

#include <linux/acct.h>
#include <linux/taskstats.h>
#include <string.h>

#include "judging.h"

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

#define SENSELESS(format) "(1 lines of " format " make no sense; --faults shows them)\n"

/*
 * processes, missed, extra, parents, names, args, status, reaper, cycles, unpaired, lost; what is missing stands
 * behind a +
 */
static void test_plain(void **state)
{
	static const struct lie lies[] = {
		{ NULL, NULL, "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
		{ "lost", NULL, "plain 7 0 0 0 0 0 0 0 0 0 -\n" },
		/* A process without a beginning is found by its pid; its parent and inherited name are not known. */
		{ "fork 303", NULL, "plain 7 0 0 0+1 0+1 0 0 0 0 1 3\n" },
		{ " 303", NULL, "plain 6 1 0 0 0 0 0 0 0 0 3\n" },
		{ "exit 303 9", NULL, "plain 7 0 0 0 0 0 0+1 0 0 1 3\n" },
		{ "exit 303 9", "exit 303", "plain 7 0 0 0 0 0 0+1 0 0 0 3\n" },
		{ "exit 303 9", "exit 303 0", "plain 7 0 0 0 0 0 1 0 0 0 3\n" },
		{ "reap 305 1", "reap 305 7", "plain 7 0 0 0 0 0 0 1 0 0 3\n" },
		{ "reap 305 1", NULL, "plain 7 0 0 0 0 0 0 0+1 0 0 3\n" },
		{ "reap 305 1", "reap 305 -", "plain 7 0 0 0 0 0 0 0+1 0 0 3\n" },
		{ "fork 305 304", "fork 305 -", "plain 7 0 0 0+1 0 0 0 0 0 0 3\n" },
		{ "fork 305 304", "fork 305 301", "plain 7 0 0 1 0 0 0 0 0 0 3\n" },
		{ "name 305", NULL, "plain 7 0 0 0 1 0 0 0 0 0 3\n" },
		{ "3 3 77", "3 3 78", "plain 7 0 0 0 0 1 0 0 0 0 3\n" },
		{ "cc1 3 3 77", "", "plain 7 0 0 0 0 - 0 0 0 0 3\n" },
		{ "exec 302 cc1", "exec 302 -", "plain 7 0 0 0 0+1 0 0 0 0 0 3\n" },
		/* A made-up process as a child of one in the forest. */
		{ "100.0405 fork 304", "100.035 fork 999 301\n100.0405 fork 304",
		  "plain 8 0 1 0 0 0 0 0 0 0 3\n" },
		/* The exec comes before its fork, and the tool declares this as possible. */
		{ "100.022 exec 302", "100.0202 exec 302", "plain 7 0 0 0 1 - 0 0 0 0 3\n" },
		{ "100.022 exec 302", "early 1\n100.0202 exec 302", "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
		{ "100.0205 fork 302 301\n",
		  "early 1\n100.0208 fork 302 301 loop\\x200\n100.0202 exec 302 cc1 cc1 3 3 77\n",
		  "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
		{ "fork 303 301", "fork 303 301 other", "plain 7 0 0 0 1 0 0 0 0 0 3\n" },
		/* The second one with pid 302 is reported too early to be that process. */
		{ "102.5005 fork", "102.4 fork", "plain 7 1 1 0 0 0 0 0 0 0 3\n" },
		{ "102.5005 fork", "rounding 0.2\n102.4 fork", "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
		/* The machine's clock has not run for that long. */
		{ "lost 1", "rounding 200", "plain 7 0 0 0 0 0 0 0 0 0 2\n" },
		/* The program that planted the forest is not judged as a parent. */
		{ "fork 300 250", "fork 300 -", "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
		/* It has executed no program, so any arguments are wrong. */
		{ "name 305 daemon", "exec 305 daemon daemon 3 6 0",
		  "plain 7 0 0 0 0 1 0 0 0 0 3\n" },
		/* The pid's second process, not the first, which has ended. */
		{ "102.5005 fork", "# 102.5005 fork", "plain 7 0 0 0+1 0 0 0 0 0 1 3\n" },
		{ "lost 1", "early 5", "plain 7 0 0 0 0 0 0 0 0 0 2\n" },
		/* It is earlier than the call that made the process. */
		{ "100.022 exec 302", "early 1\n100.0192 exec 302",
		  "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
		/* They have the same time, so the last one counts. */
		{ "100.022 exec 302", "100.022 exec 302 other\n100.022 exec 302",
		  "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
		{ "fork 303 301", "fork\t303 \t301", "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
		{ "clock monotonic", "clock realtime\nclock monotonic",
		  "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
		{ "3 3 77", "3 \\x33 77", "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
		{ "exec 302 cc1", "exec 302 cc1\\x1", "plain 7 0 0 0 1 0 0 0 0 0 3\n" },
	};

	(void)state;
	CHECK_LIES("plain", "plain", lies);
	tell("plain", " reap ", NULL);
	judge_is("plain", "plain 7 0 0 0 0 0 0 - 0 0 3\n");
	tell("plain", "102.510 exit", "nonsense");
	judge_is("plain", "plain 7 0 0 0 0 0 0+1 0 0 1 3\n" SENSELESS("plain"));
}

static void test_life(void **state)
{
	static const struct lie lies[] = {
		{ NULL, NULL, "plain 7 0 0 - 0 - 0 0 0 0 0\n" },
		/* A process that was adopted before it ended has another parent then. */
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
		/* It ended while its parent was there; any blanks separate fields. */
		{ "1700000102 life", "1700000100 \t life 999 301 0 x\n1700000102 life",
		  "plain 8 0 1 - 0 - 0 0 0 0 0\n" },
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
		{ "4 samples", "4 samples\nPossibly lost 3 samples",
		  "bcc 7 0 0 - 0 0 0 0 0 0 7\n" },
		{ "302     301     302     0.00", "4194305 301     302     0.00",
		  "bcc 6 1 0 - 0 - 0 0 0 0 4\n" SENSELESS("bcc") },
		/* The time of an end is half a second off. */
		{ "22:15:02.510", "22:15:01.960", "bcc 7 0 0 - 0 0 0 0 0 0 4\n" },
		/* Arguments are taken from the first exec that succeeds, */
		{ "302     301       0 cc1",
		  "302     301      -2 cc2\n22:15:00 cc1              302     301       0 cc1",
		  "bcc 7 0 0 - 0 0 0 0 0 0 4\n" },
		{ "3 3 77", "3 3 77\n22:15:00 cc1              302     301       0 cc1",
		  "bcc 7 0 0 - 0 0 0 0 0 0 4\n" },
		/* and of this name, at this time, */
		{ "22:15:00 cc1 ", "22:15:00 cc2 ", "bcc 7 0 0 - 0 - 0 0 0 0 4\n" },
		{ "22:15:00 cc1 ", "22:14:57 cc1 ", "bcc 7 0 0 - 0 - 0 0 0 0 4\n" },
		{ "22:15:00 cc1 ", "22:15:04 cc1 ", "bcc 7 0 0 - 0 - 0 0 0 0 4\n" },
		/* preferably of this parent, which can be another one at the end. */
		{ "22:15:00.025 exit",
		  "22:15:00.020 exit  cc1              302     999     302     0.00    0\n"
		  "22:15:00.025 exit",
		  "bcc 7 0 0 - 0 0 0 0 0 0 4\n" },
		{ "302     301       0 cc1", "302     999       0 cc1",
		  "bcc 7 0 0 - 0 0 0 0 0 0 4\n" },
		/* A child of the second of three processes with pid 301, before which it seems to begin. */
		{ "4 samples",
		  "4 samples\n"
		  "22:14:55.000 exit  old              301     999     301     5.00    0\n"
		  "22:15:09.000 exit  late             301     999     301     1.00    0\n"
		  "22:15:00.000 exit  x                998     301     998     0.20    0",
		  "bcc 8 0 1 - 0 0 0 0 0 0 4\n" },
	};

	(void)state;
	CHECK_LIES("bcc", "bcc", lies);
}

static void test_audit(void **state)
{
	static const struct lie lies[] = {
		/* A killed process makes no call. */
		{ NULL, NULL, "audit 7 0 0 0 0 0 0+1 - 0 1 5\n" },
		{ "exit=303", "exit=399", "audit 7 1 1 0 0 0 0 - 0 0 5\n" },
		{ "a0=2a", "a0=2b", "audit 7 0 0 0 0 0 1+1 - 0 1 5\n" },
		{ "a3=\"77\"", "a3=\"77\" a4=\"\"", "audit 7 0 0 0 0 1 0+1 - 0 1 5\n" },
		/* The hexadecimal of "batch 12", which becomes "batch 13". */
		{ "6261746368203132", "6261746368203133", "audit 7 0 0 0 1 0 0+1 - 0 1 5\n" },
		{ "lost 5", "lost 6", "audit 7 0 0 0 0 0 0+1 - 0 1 6\n" },
		{ "exit=303", "exit=4194305", "audit 6 1 0 0 0 0 0 - 0 0 5\n" SENSELESS("audit") },
		{ "a0=2a", "a0=12a", "audit 7 0 0 0 0 0 0+1 - 0 1 5\n" },
		/* An argument in parts, the second one in its own record; then another exec's. */
		{ "a3=\"77\"",
		  "a3_len=2 a3[0]=\"7\"\ntype=EXECVE msg=audit(1700000100.020:24): a3[1]=\"7\"",
		  "audit 7 0 0 0 0 0 0+1 - 0 1 5\n" },
		{ "100.020:24): argc", "100.020:1048): argc", "audit 7 0 0 0 0 - 0+1 - 0 1 5\n" },
		{ "type=", "node=here type=", "audit 7 0 0 0 0 0 0+1 - 0 1 5\n" },
		/* A whole process in the tick of its fork; two that wait for each other. */
		{ "1700000100.024:26", "1700000100.020:28", "audit 7 0 0 0 0 0 0+1 - 0 1 5\n" },
		{ "lost 5",
		  "type=SYSCALL msg=audit(1700000100.06:40): exit=8 pid=9 comm=\"\" key=\"fork\"\n"
		  "type=SYSCALL msg=audit(1700000100.06:41): exit=9 pid=8 comm=\"\" key=\"fork\"\n"
		  "lost 5",
		  "audit 7 0 0 0 0 0 0+1 - 0 1 5\n" },
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
		{ "0, NULL) = 303", "0, NULL) = 4194305", "strace 7 0 0 0 0 0 0 0+2 0 0 -\n" },
		{ "cee650) = 303", "cee650) = 4194305", "strace 7 0 0 0+1 0+1 0 0 0+1 0 1 -\n" },
		{ "305   1700000100.052", "4194305 1700000100.052",
		  "strace 7 0 0 0 1 0 0 0+1 0 0 -\n" SENSELESS("strace") },
		{ "SIGKILL +++", "SIGKILL (core dumped) +++", "strace 7 0 0 0 0 0 1 0+1 0 0 -\n" },
		{ "SIGKILL +++", "SIGIO +++", "strace 7 0 0 0 0 0 1 0+1 0 0 -\n" },
		{ "SIGKILL +++", "SIGRT_9 +++", "strace 7 0 0 0 0 0 1 0+1 0 0 -\n" }, /* 41 */
		{ "\"loop 0\"", "\"loop\\0400\"", "strace 7 0 0 0 0 0 0 0+1 0 0 -\n" },
		{ "\"daemon\"", "\"daemo\\n\"", "strace 7 0 0 0 1 0 0 0+1 0 0 -\n" },
		{ "100.020500 vfork", "100.020500000 vfork", "strace 7 0 0 0 0 0 0 0+1 0 0 -\n" },
		/* Execs that fail, with an argument that looks like success. */
		{ "\"daemon\") = 0",
		  "\"daemon\") = 0\n"
		  "305 1700000100.052100 execve(\"x\", [\"x\", \"a = 0\"], 0x1) = -1 ENOENT (...)\n"
		  "305 1700000100.052200 execve(\"x\", [\"x\", \"a = 0\"], 0x1 <unfinished ...>\n"
		  "305 1700000100.052300 <... execve resumed>) = -1 ENOENT (...)",
		  "strace 7 0 0 0 0 0 0 0+1 0 0 -\n" },
		{ "304   1700000100.053",
		  "304   1700000100.052900 clone(flags=CLONE_VM|CLONE_THREAD) = 999\n"
		  "304   1700000100.053", "strace 7 0 0 0 0 0 0 0+1 0 0 -\n" },
		/* The pid's second process does not belong to the first call, nor 999's second one to 304's. */
		{ "vfork resumed>) = 302", "vfork resumed>) = -1",
		  "strace 7 0 0 0+1 0 0 0 0+1 0 1 -\n" },
		{ "304   1700000100.053",
		  "250   1700000100.052700 clone(flags=SIGCHLD <unfinished ...>\n"
		  "304   1700000100.052800 clone(flags=SIGCHLD) = 999\n"
		  "250   1700000100.052900 <... clone resumed>) = 999\n"
		  "304   1700000100.053", "strace 8 0 1 0 0 0 0 0+1 0 0 -\n" },
	};

	(void)state;
	CHECK_LIES("strace", "strace", lies);
	/* The caller passes on a name that it has from a call that ends later. */
	tell_text("300 1700000100.002000 prctl(PR_SET_NAME, \"loop 0\") = 0\n"
		  "300 1700000100.010500 clone(flags=SIGCHLD <unfinished ...>\n"
		  "301 1700000100.030500 clone(flags=SIGCHLD) = 303\n"
		  "300 1700000100.030900 <... clone resumed>) = 301\n");
	judge_is("strace", "strace 3 4 0 0 1 - - - 0 3 -\n");
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
		{ "CPU:2", "CPU:3 [EVENTS DROPPED]\nCPU:2", "trace-cmd 7 0 0 0 0 - - - 0 0 7\n" },
		{ "[001] ", "[001] d..2. ", "trace-cmd 7 0 0 0 0 - - - 0 0 6\n" },
		{ "cc1-302", "[cc1]-302", "trace-cmd 7 0 0 0 0 - - - 0 0 6\n" },
		{ "child_pid=305", "child_pid=4194305",
		  "trace-cmd 7 0 0 0+1 0 - - - 0 1 6\n" SENSELESS("trace-cmd") },
	};
	static const struct lie of_perf[] = {
		{ NULL, NULL, "perf 7 0 0 0 0 - - - 0 0 6\n" },
		{ "child_pid=305", "child_pid=306", "perf 8 0 1 0+1 0 - - - 0 1 6\n" },
		{ "comm=loop 0 pid=301 prio", "comm=loop 9 pid=301 prio", "perf 7 0 0 0 1 - - - 0 0 6\n" },
		{ "lost 6", "lost 60", "perf 7 0 0 0 0 - - - 0 0 60\n" },
		{ "lost 6", "lost 6\nPERF_RECORD_LOST lost 4", "perf 7 0 0 0 0 - - - 0 0 10\n" },
		{ "cc1   302", "[cc1]   302", "perf 7 0 0 0 0 - - - 0 0 6\n" },
		{ "task_rename: pid=304 ", "task_rename: ", "perf 7 0 0 0 0 - - - 0 0 6\n" },
		/* Without an end, the name comes from the exec, without the path, or from a change. */
		{ "comm=cc1 pid=302 prio", NULL, "perf 7 0 0 0 0 - - - 0 1 6\n" },
		{ "comm=daemon pid=305 prio", NULL, "perf 7 0 0 0 0 - - - 0 1 6\n" },
	};

	(void)state;
	CHECK_LIES("trace-cmd", "trace-cmd", lies);
	CHECK_LIES("perf-tracepoints", "perf", of_perf);
	tell_text("loop 0-301 [001] 100.030500000: sched_process_fork: comm=loop 0 pid=301 "
		  "child_comm=loop 0 child_pid=303\n");
	judge_is("trace-cmd", "trace-cmd 2 5 0 0+1 0+1 - - - 0 2 0\n"); /* and of 301, its parent */
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
		{ "FORK(305:305)", "FORK(4194305:4194305)", "perf 7 0 0 0+1 0 - - - 0 1 6\n" },
		/* Threads. */
		{ "FORK(304:304):(301:301)", "FORK(304:304):(301:301)\n"
		  "PERF_RECORD_FORK(304:309):(304:304)\nPERF_RECORD_EXIT(304:309):(304:304)",
		  "perf 7 0 0 0 0 - - - 0 0 6\n" },
		{ "FORK(303:303):(301:301)",
		  "FORK(303:303):(301:301)\nPERF_RECORD_COMM: worker:303/309",
		  "perf 7 0 0 0 0 - - - 0 0 6\n" },
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
		  "proclife 6 1 0 0+1 0 0 0 0 0 0 0\n" SENSELESS("proclife") },
		{ "\"pid\":303", "\"pid\":4194305",
		  "proclife 6 1 0 0 0 0 0 0 0 0 0\n" SENSELESS("proclife") },
		{ "\"id\":14", "\"id\":0",
		  "proclife 6 1 0 0 0 0 0 0 0 0 0\n" SENSELESS("proclife") },
		{ "\"id\":14", "\"id\":9000000000000",
		  "proclife 6 1 0 0 0 0 0 0 0 0 0\n" SENSELESS("proclife") },
		{ "\"id\":14", "\"id\":9000", "proclife 7 0 0 0 0 0 0 0 0 0 0\n" },
		{ "\"id\":16,\"parent_id\":15", "\"id\":16,\"parent_id\":99999999",
		  "proclife 7 0 0 0+1 0 0 0 0 0 0 0\n" },
		/* Its descendant is its parent. */
		{ "\"id\":12,\"parent_id\":11", "\"id\":12,\"parent_id\":16",
		  "proclife 7 0 0 1 0 0 0 0 3 0 0\n" },
		/* A process that had this pid earlier. */
		{ "\"id\":16,\"parent_id\":15",
		  "\"id\":30,\"parent_id\":null,\"pid\":304,\"comm\":\"old\",\"born\":99}\n"
		  "{\"type\":\"process\",\"id\":16,\"parent_id\":30",
		  "proclife 7 0 0 1 0 0 0 0 0 0 0\n" },
		{ "\"born\":100030500000", "\"born\":null", "proclife 7 0 0 0 0 0 0 0 0 1 0\n" },
		{ "\"seen\":100030500000", "\"seen\":100050500000",
		  "proclife 7 0 0 0 0 0 0 0 0 0 0\n" },
		{ "\"exited\":100032000000", "\"exited\":null",
		  "proclife 7 0 0 0 0 0 0+1 0 0 1 0\n" },
		{ "[\"cc1\",\"3\",\"3\",\"77\"]", "null", "proclife 7 0 0 0 0 - 0 0 0 0 0\n" },
	};

	(void)state;
	CHECK_LIES("proclife", "proclife", lies);
}

static void test_acct(void **state)
{
	static const unsigned char order[] = { 3, 4, 5, 6, 7, 2, 1 }; /* in which they end */
	enum { TRUTH, STATUS, LEFT_OUT, LATE_TICK, VERSION, BEFORE_START, NO_PID, NO_PARENT };
	static const char *const rows[] = {
		[TRUTH] = "acct 7 0 0 - 0 - 0 0 0 0 -\n",
		[STATUS] = "acct 7 0 0 - 0 - 1 0 0 0 -\n",
		[LEFT_OUT] = "acct 6 1 0 - 0 - 0 0 0 0 -\n",
		[LATE_TICK] = "acct 7 0 0 - 0 - 0 0 0 0 -\n",
		[VERSION] = "acct 6 1 0 - 0 - 0 0 0 0 -\n" SENSELESS("acct"),
		[BEFORE_START] = "acct 6 1 0 - 0 - 0 0 0 0 -\n" SENSELESS("acct"),
		[NO_PID] = "acct 6 1 0 - 0 - 0 0 0 0 -\n" SENSELESS("acct"),
		[NO_PARENT] = "acct 6 1 0 - 0 - 0 0 0 0 -\n" SENSELESS("acct"),
	};
	unsigned int i, lie;
	FILE *file;

	(void)state;
	for (lie = 0; lie < sizeof(rows) / sizeof(rows[0]); lie++) {
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
			a.ac_btime -= lie == LATE_TICK;
			if (order[i] == 4) {
				a.ac_exitcode -= lie == STATUS;
				a.ac_version -= lie == VERSION;
				a.ac_btime = lie == BEFORE_START ? 1 : a.ac_btime;
				a.ac_pid = lie == NO_PID ? 4194305 : a.ac_pid;
				a.ac_ppid = lie == NO_PARENT ? 4194305 : a.ac_ppid;
				if (lie == LEFT_OUT)
					continue;
			}
			fwrite(&a, sizeof(a), 1, file);
		}
		fclose(file);
		judge_is("acct", rows[lie]);
	}
}

/* It has threads, too, and a structure without a pid where the socket was full. */
static void test_taskstats(void **state)
{
	static const unsigned char order[] = { 3, 4, 5, 6, 7, 2, 1 };
	enum { TRUTH, STATUS, NAME, THREAD, LOST, BEFORE_START, NO_PARENT };
	static const char *const rows[] = {
		[TRUTH] = "taskstats 7 0 0 - 0 - 0 0 0 0 0\n",
		[STATUS] = "taskstats 7 0 0 - 0 - 1 0 0 0 0\n",
		[NAME] = "taskstats 7 0 0 - 1 - 0 0 0 0 0\n",
		[THREAD] = "taskstats 6 1 0 - 0 - 0 0 0 0 0\n",
		[LOST] = "taskstats 6 1 0 - 0 - 0 0 0 0 1\n",
		[BEFORE_START] = "taskstats 6 1 0 - 0 - 0 0 0 0 0\n" SENSELESS("taskstats"),
		[NO_PARENT] = "taskstats 6 1 0 - 0 - 0 0 0 0 0\n" SENSELESS("taskstats"),
	};
	unsigned int i, lie;
	FILE *file;

	(void)state;
	for (lie = 0; lie < sizeof(rows) / sizeof(rows[0]); lie++) {
		file = make_file("told");
		for (i = 0; i < sizeof(order); i++) {
			const struct forest_process *p = &truth[order[i]];
			const int lies = order[i] == 4;
			struct taskstats s = {
				.ac_pid = lies && lie == LOST ? 0 : p->pid,
				.ac_tgid = p->pid - (lies && lie == THREAD),
				.ac_ppid = lies && lie == NO_PARENT ? 4194305 : p->orphan ? 1 : p->parent_pid,
				.ac_btime64 = lies && lie == BEFORE_START ? 1 : (p->after + REALTIME) / (1000 * MS),
				.ac_exitcode = (uint32_t)p->status - (lies && lie == STATUS),
			};

			memcpy(s.ac_comm, p->name, sizeof(p->name));
			s.ac_comm[0] = (char)(s.ac_comm[0] + (lies && lie == NAME));
			fwrite(&s, sizeof(s), 1, file);
		}
		fclose(file);
		judge_is("taskstats", rows[lie]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain), cmocka_unit_test(test_life),    cmocka_unit_test(test_bcc),
		cmocka_unit_test(test_acct),  cmocka_unit_test(test_audit),   cmocka_unit_test(test_strace),
		cmocka_unit_test(test_perf),  cmocka_unit_test(test_tracepoints), cmocka_unit_test(test_proclife),
		cmocka_unit_test(test_taskstats),
	};

	return cmocka_run_group_tests(tests, judge_set_up, judge_tear_down);
}
