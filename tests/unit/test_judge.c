// SPDX-License-Identifier: GPL-2.0-only
/* The judge of the benchmarks: what it says of seven processes as each tool tells them, and of lies. */
#include "check.h"

#include <linux/acct.h>
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
		{ "reap 305 1", "reap 305 -", "plain 7 0 0 0 0 0 0 0+1 0 0 3\n" },
		{ "fork 305 304", "fork 305 -", "plain 7 0 0 0+1 0 0 0 0 0 0 3\n" },
		{ "fork 305 304", "fork 305 301", "plain 7 0 0 1 0 0 0 0 0 0 3\n" },
		{ "name 305", NULL, "plain 7 0 0 0 1 0 0 0 0 0 3\n" },
		{ "3 3 77", "3 3 78", "plain 7 0 0 0 0 1 0 0 0 0 3\n" },
		{ "cc1 3 3 77", "", "plain 7 0 0 0 0 - 0 0 0 0 3\n" },
		{ "exec 302 cc1", "exec 302 -", "plain 7 0 0 0 0+1 0 0 0 0 0 3\n" },
		/* One that there was not, and it is a child of the forest's. */
		{ "100.0405 fork 304", "100.035 fork 999 301\n100.0405 fork 304",
		  "plain 8 0 1 0 0 0 0 0 0 0 3\n" },
		/* The exec comes before its fork, and the tool says that this can be. */
		{ "100.022 exec 302", "100.0202 exec 302", "plain 7 0 0 0 1 - 0 0 0 0 3\n" },
		{ "100.022 exec 302", "early 1\n100.0202 exec 302", "plain 7 0 0 0 0 0 0 0 0 0 3\n" },
		{ "100.0205 fork 302 301\n",
		  "early 1\n100.0208 fork 302 301 loop\\x200\n100.0202 exec 302 cc1 cc1 3 3 77\n",
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
	judge_is("plain", "plain 7 0 0 0 0 0 0+1 0 0 1 3\n(1 lines of plain make no sense; --faults shows them)\n");
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
		  "proclife 6 1 0 0+1 0 0 0 0 0 0 0\n(1 lines of proclife make no sense; --faults shows them)\n" },
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain), cmocka_unit_test(test_life),    cmocka_unit_test(test_bcc),
		cmocka_unit_test(test_acct),  cmocka_unit_test(test_audit),   cmocka_unit_test(test_strace),
		cmocka_unit_test(test_perf),  cmocka_unit_test(test_tracepoints), cmocka_unit_test(test_proclife),
	};

	return cmocka_run_group_tests(tests, judge_set_up, judge_tear_down);
}
