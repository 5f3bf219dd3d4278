// SPDX-License-Identifier: GPL-2.0-only
/* What --parents prints, to the last character: processes that fork, reap, and leave zombies. */
#include "story.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect(const char *options, const char *text)
{
	char line[3 * PATH_MAX];

	snprintf(line, sizeof(line), "%s -i %s --parents %s", program, folder.path, options);
	expect_output(false, 0, line, text);
}

#define HEAD "PARENT               PID      BORN FORKS/s    REAPED DEAD CPU COALESCED IN WAIT " \
	     "     p50      p99      MAX\n"
#define METHOD "FORKS/s: while it lived. DEAD CPU: of those reaped. COALESCED: ends whose signal\n" \
	       "met one already pending. MAX: the longest that one of them was a zombie.\n"
#define FOLDED "xN: N parents of one program; --no-fold shows each.\n"

/* Its child becomes a zombie, and is reaped after this time. */
static void reap_late(const struct who *child, const struct who *parent, uint64_t zombie)
{
	story_live(child, parent, MS, zombie, MS);
}

/* The parent is in wait() before. */
static void reap_awaited(const struct who *child, const struct who *parent, uint64_t zombie)
{
	story_put(fork_record(0, child, parent));
	story_wait(parent);
	machine->now += MS;
	story_exit(child, parent, 0);
	machine->now += zombie;
	story_reap(child, parent);
	story_put(free_record(0, child));
}

/* A shell that waits, a server that reaps late and leaves two zombies, and init. */
static void tell(void)
{
	struct who init = process_of_pid(1, "init"), sh, server, child;

	story_put(task_record(0, &init, &init));
	sh = story_fork(&init, 100, "sh");
	server = story_fork(&init, 200, "server");
	for (uint32_t i = 0; i < 3; i++) {
		child = process_of_pid(101 + i, "cc");
		reap_awaited(&child, &sh, 20000);
	}
	child = process_of_pid(104, "cc");
	reap_late(&child, &sh, 2 * MS);
	child = process_of_pid(201, "worker");
	reap_late(&child, &server, 50 * MS);
	for (uint32_t i = 0; i < 2; i++) {
		child = story_fork(&server, 210 + i, "worker");
		story_exit(&child, &server, 0);
		machine->now += 100 * MS;
	}
	/* An orphan: its parent by birth has exited, and init reaps it. */
	child = story_fork(&sh, 110, "orphan");
	story_exit(&sh, &init, 0);
	story_wait(&init);
	story_reap(&sh, &init);
	story_put(free_record(0, &sh));
	story_wait(&init);
	story_exit(&child, &init, 0);
	machine->now += 30000;
	story_reap(&child, &init);
	story_put(free_record(0, &child));
}

#define SERVER "server               200         3    11.6         1   120 ns               0 % " \
	       "                   50.0 ms  2 zombies, the oldest for 200 ms\n"
#define SHELL  "sh                   100         5    19.3         4   480 ns              75 % " \
	       " 20.1 us           2.00 ms\n"
#define INIT   "init                   1         2    7.72         2   240 ns              50 % " \
	       "    2 ns           30.0 us  init, adopted 1\n"

#define INIT_OF_100 \
	"init                   1         1    3.86         2   240 ns              50 % " \
	"    2 ns           30.0 us  init, adopted 1\n"
/* The head up to the notes. */
#define AFTER_REAPED "                                                        "
#define AFTER_CPU "                                               "

static void test_all(void **state)
{
	(void)state;
	tell();
	story_end();
	expect("", HEAD SERVER SHELL INIT METHOD);
	expect("--top 3", HEAD SERVER SHELL INIT METHOD);
	expect("--top 1", HEAD SERVER "2 more lines; --top N shows N\n" METHOD);
	expect("--top 2", HEAD SERVER SHELL "1 more line; --top N shows N\n" METHOD);
	/* The selection applies to the children. */
	expect("--pid 100", HEAD SHELL INIT_OF_100 METHOD);
	expect("--comm worker", HEAD SERVER METHOD);
	expect("--comm nobody", HEAD);
}

/* One zombie; one from before the trace; and one whose parent is not known. */
static void test_zombies(void **state)
{
	struct who init = process_of_pid(1, "init"), other = process_of_pid(50, "other"), child;
	struct who stranger = process_of_pid(60, "stranger");
	struct proclife_record record;

	(void)state;
	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &other, &init));
	child = process_of_pid(51, "old");
	record = task_record(0, &child, &init);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	story_put(record);
	child = story_fork(&other, 52, "new");
	story_exit(&child, &other, 0);
	machine->now += 5 * MS;
	child = story_fork(&init, 61, "strange");
	story_exit(&child, &stranger, 0);
	machine->now += 5 * MS;
	story_end();
	expect("", HEAD
	       "init                   1         1     100         0" AFTER_REAPED
	       "init, 1 zombie for an unknown time\n"
	       "other                 50         1     100         0" AFTER_REAPED
	       "1 zombie for 10.0 ms\n"
	       "(unknown)             60         0                 0" AFTER_REAPED
	       "1 zombie for 5.00 ms\n" METHOD);
}

/* A subreaper, init of a pid namespace, and one that ignores SIGCHLD. */
static void test_roles(void **state)
{
	struct who init = process_of_pid(1, "init"), manager, box, child, deaf;
	struct proclife_record record;

	(void)state;
	story_put(task_record(0, &init, &init));
	manager = story_fork(&init, 300, "manager");
	box = process_of_pid(400, "box");
	record = fork_record(0, &box, &init);
	record.fork.ns_pid = 1;
	story_put(record);
	deaf = story_fork(&init, 500, "deaf");
	child = story_fork(&init, 301, "adopted");
	story_exit(&child, &manager, 0);
	machine->now += 3 * MS;
	story_reap(&child, &manager);
	story_put(free_record(0, &child));
	child = process_of_pid(401, "inside");
	reap_late(&child, &box, 2 * MS);
	for (uint32_t i = 0; i < 3; i++) {
		child = story_fork(&deaf, 501 + i, "unheard");
		record = exit_record(0, &child, 0, 0);
		record.exit.parent_tgid = deaf.tgid;
		story_put(record);
		story_reap(&child, &child);
		story_put(free_record(0, &child));
	}
	story_end();
	/* The CPU time of ignored children counts, too. */
	expect("", HEAD
	       "manager              300         0                 1   120 ns                   "
	       "                   3.00 ms  subreaper, adopted 1\n"
	       "box                  400         1     143         1   120 ns               0 % "
	       "                   2.00 ms  init of its pid namespace\n"
	       "init                   1         4     571         0" AFTER_REAPED
	       "init\n"
	       "deaf                 500         3     429         0   360 ns" AFTER_CPU
	       "ignored the end of 3\n" METHOD);
}

/* Far more than can be read. */
static void test_many(void **state)
{
	struct who init = process_of_pid(1, "init"), parent, child;
	char line[3 * PATH_MAX];
	struct output out;
	size_t lines = 0;

	(void)state;
	for (uint32_t i = 0; i < 60; i++) {
		parent = story_fork(&init, 1000 + 2 * i, "parent");
		child = process_of_pid(1001 + 2 * i, "child");
		reap_late(&child, &parent, (i + 1) * MS);
	}
	story_end();
	snprintf(line, sizeof(line), "%s -i %s --parents --no-fold", program, folder.path);
	out = run_program(false, 0, "%s", line);
	for (const char *at = out.text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 54);
	assert_non_null(strstr(out.text, "MAX\nparent              1118 ")); /* the slowest */
	assert_non_null(strstr(out.text, "\n11 more lines; --top N shows N\n")); /* init, too */
	free(out.text);
}

/* The parent is notified of this end while another SIGCHLD is still pending. */
static void exit_pending(const struct who *who, const struct who *parent)
{
	struct proclife_record record = exit_record(0, who, 0, 0);

	record.exit.parent_tgid = parent->tgid;
	story_put(record);
	record = notify_record(0, who, parent);
	record.notify.result = PROCLIFE_SIGNAL_PENDING;
	story_put(record);
}

/* The same for children that it reaped and for zombies. */
static void test_coalesced(void **state)
{
	struct who init = process_of_pid(1, "init"), server, child;

	(void)state;
	story_put(task_record(0, &init, &init));
	server = story_fork(&init, 100, "server");
	for (uint32_t i = 0; i < 4; i++) {
		child = story_fork(&server, 101 + i, "worker");
		if (i)
			exit_pending(&child, &server);
		else
			story_exit(&child, &server, 0);
		if (i != 3)
			story_reap(&child, &server);
	}
	machine->now += 1000 * MS;
	story_end();
	expect("--comm worker", HEAD
	       "server               100         4    4.00         3   300 ns         3         "
	       "    1 ns              1 ns  1 zombie for 1.00 s\n" METHOD);
}

/* If nothing happens at first, no fork is counted there; and a name may be empty. */
static void test_late(void **state)
{
	struct who nameless = process_of_pid(100, ""), child = process_of_pid(101, "child");

	(void)state;
	story_at(100);
	story_put(task_record(0, &nameless, &nameless));
	reap_late(&child, &nameless, MS);
	story_at(300);
	story_end();
	for (int i = 0; i < 2; i++)
		expect(i ? "--from 1.050" : "", HEAD
		       "\"\"                   100         1    5.00         1   120 ns               0 %"
		       "                    1.00 ms\n" METHOD);
}

/* A group of them is one line: their counts are added up, and the time covers all. */
static void test_fold(void **state)
{
	struct who init = process_of_pid(1, "init"), sh, child;
	char line[3 * PATH_MAX];
	size_t objects = 0;
	struct output out;

	(void)state;
	story_put(task_record(0, &init, &init));
	for (uint32_t i = 0; i < 3; i++) {
		sh = story_fork(&init, 100 + 10 * i, "sh");
		child = process_of_pid(101 + 10 * i, "cc");
		reap_awaited(&child, &sh, (i + 1) * MS);
		story_at(1000 + 1000 * i);
		story_exit(&sh, &init, 0);
	}
	/* Not folded with these: one that leaves a zombie, a subreaper, and another program. */
	sh = story_fork(&init, 200, "sh");
	child = story_fork(&sh, 201, "cc");
	story_exit(&child, &sh, 0);
	child = story_fork(&init, 202, "cc");
	sh = story_fork(&init, 210, "sh");
	story_exit(&child, &sh, 0);
	story_reap(&child, &sh);
	sh = story_fork(&init, 220, "bash");
	child = story_fork(&sh, 221, "cc");
	story_at(4000);
	story_end();
#define APART \
	"sh                   200         1    1.00         0" AFTER_REAPED "1 zombie for 1.00 s\n"
#define OTHERS \
	"sh                   210         0                 1   100 ns                   " \
	"                      1 ns  subreaper, adopted 1\n" \
	"init                   1         1    0.25         0" AFTER_REAPED "init\n" \
	"bash                 220         1    1.00         0\n"
	expect("--comm cc", HEAD APART
	       "sh                    x3         3    1.00         3   360 ns             100 % "
	       " 2.01 ms           3.00 ms\n" OTHERS FOLDED METHOD);
	expect("--comm cc --top 1", HEAD APART "4 more lines; --top N shows N\n" METHOD);
	expect("--comm cc --no-fold", HEAD APART
	       "sh                   120         1    1.00         1   120 ns             100 % "
	       "                   3.00 ms\n"
	       "sh                   110         1    1.00         1   120 ns             100 % "
	       "                   2.00 ms\n"
	       "sh                   100         1    1.00         1   120 ns             100 % "
	       "                   1.00 ms\n" OTHERS METHOD);
	/* JSON has each. */
	snprintf(line, sizeof(line), "%s -i %s --parents --comm cc --json", program, folder.path);
	out = run_program(false, 0, "%s", line);
	for (const char *at = out.text; (at = strstr(at, "\"type\":\"parent\"")); at++)
		objects++;
	assert_int_equal(objects, 7);
	free(out.text);
}

/* Also added up: coalesced signals, ignored ends, and zombies, with the oldest. */
static void test_fold_more(void **state)
{
	struct who init = process_of_pid(1, "init"), server, child;
	struct proclife_record record;

	(void)state;
	story_put(task_record(0, &init, &init));
	for (uint32_t i = 0; i < 3; i++) {
		server = story_fork(&init, 100 + 10 * i, "server");
		child = story_fork(&server, 101 + 10 * i, "pending");
		exit_pending(&child, &server);
		story_reap(&child, &server);
		child = story_fork(&server, 102 + 10 * i, "unheard");
		record = exit_record(0, &child, 0, 0);
		record.exit.parent_tgid = server.tgid;
		story_put(record);
		story_reap(&child, &child);
		story_put(free_record(0, &child));
		story_at(1000 * (i + 1));
		child = story_fork(&server, 103 + 10 * i, "zombie");
		story_exit(&child, &server, 0);
	}
	story_at(10000);
	story_end();
	expect("--comm [puz]*", HEAD
	       "server                x3         9    0.90         3   660 ns         3         "
	       "    1 ns              1 ns  ignored the end of 3, 3 zombies, the oldest for 9.00 s\n"
	       FOLDED METHOD);
}

/* Where no wait() was seen, none is counted as late. */
static void test_in_wait(void **state)
{
	struct who init = process_of_pid(1, "init"), server, child;

	(void)state;
	story_put(task_record(0, &init, &init));
	server = story_fork(&init, 100, "server");
	child = story_fork(&server, 101, "worker");
	story_exit(&child, &server, 0);
	story_reap(&child, &server);
	child = process_of_pid(102, "worker");
	reap_awaited(&child, &server, MS);
	story_end();
	expect("--comm worker", HEAD
	       "server               100         2    1000         2   220 ns             100 % "
	       "    1 ns           1.00 ms\n" METHOD);
}

/* In a group, too, a wait() that began later counts as too late. */
static void test_in_wait_folded(void **state)
{
	struct who init = process_of_pid(1, "init"), server, child;

	(void)state;
	story_put(task_record(0, &init, &init));
	for (uint32_t i = 0; i < 2; i++) {
		server = story_fork(&init, 100 + 10 * i, "server");
		child = process_of_pid(101 + 10 * i, "worker");
		reap_awaited(&child, &server, MS);
		for (uint32_t k = 2; k < 5; k++) {
			child = process_of_pid(100 + 10 * i + k, "worker");
			reap_late(&child, &server, 2 * MS);
		}
		story_at(50 + 50 * i);
	}
	story_end();
	expect("--comm worker", HEAD
	       "server                x2         8    80.0         8   960 ns              25 % "
	       " 2.00 ms           2.00 ms\n" FOLDED METHOD);
}

/* Among those without zombies, more reaps come first; then more forks. */
static void test_order(void **state)
{
	static const unsigned int reaped[] = { 1, 3, 2, 0, 0 }, born[] = { 0, 0, 0, 1, 4 };
	struct who init = process_of_pid(1, "init"), parent, child;
	struct output out;
	const char *last;

	(void)state;
	story_put(task_record(0, &init, &init));
	for (uint32_t i = 0; i < 5; i++) {
		parent = story_fork(&init, 100 + 10 * i, "parent");
		for (uint32_t k = 0; k < reaped[i]; k++) {
			child = story_fork(&init, 200 + 10 * i + k, "reaped");
			story_put(exit_record(0, &child, 0, 0));
			story_reap(&child, &parent);
			story_put(free_record(0, &child));
		}
		for (uint32_t k = 0; k < born[i]; k++)
			story_fork(&parent, 300 + 10 * i + k, "born");
	}
	story_end();
	out = run_program(false, 0, "%s -i %s --parents --no-fold --comm [rb]*", program, folder.path);
	last = out.text;
	for (size_t i = 0; i < 5; i++) {
		static const char *const order[] = { " 110 ", " 120 ", " 100 ", " 140 ", " 130 " };
		const char *next = strstr(last, order[i]);

		if (!next)
			fail_msg("%s not there in:\n%s", order[i], out.text);
		last = next;
	}
	free(out.text);
}

/* Columns without room are left out, the least informative first, and notes get a line of their own. */
static void test_narrow(void **state)
{
	(void)state;
	tell();
	story_end();
#define NARROW_METHOD "2 more lines; --top N shows N\n" METHOD
	setenv("COLUMNS", "80", 1);
	expect("--top 1",
	       "PARENT               PID      BORN FORKS/s    REAPED DEAD CPU COALESCED      MAX\n"
	       "server               200         3    11.6         1   120 ns            50.0 ms\n"
	       "  2 zombies, the oldest for 200 ms\n" NARROW_METHOD);
	setenv("COLUMNS", "79", 1);
	expect("--top 1",
	       "PARENT               PID      BORN FORKS/s    REAPED DEAD CPU      MAX\n"
	       "server               200         3    11.6         1   120 ns  50.0 ms\n"
	       "  2 zombies, the oldest for 200 ms\n2 more lines; --top N shows N\n"
	       "FORKS/s: while it lived. DEAD CPU: of those reaped. COALESCED: ends whose\n"
	       "signal met one already pending. MAX: the longest that one of them was a zombie.\n");
	setenv("COLUMNS", "88", 1);
	expect("--top 1",
	       "PARENT               PID      BORN FORKS/s    REAPED DEAD CPU COALESCED IN WAIT      MAX\n"
	       "server               200         3    11.6         1   120 ns               0 %  50.0 ms\n"
	       "  2 zombies, the oldest for 200 ms\n" NARROW_METHOD);
	setenv("COLUMNS", "97", 1);
	expect("--top 1",
	       "PARENT               PID      BORN FORKS/s    REAPED DEAD CPU COALESCED IN WAIT"
	       "      p50      MAX\n"
	       "server               200         3    11.6         1   120 ns               0 %"
	       "           50.0 ms\n"
	       "  2 zombies, the oldest for 200 ms\n" NARROW_METHOD);
	setenv("COLUMNS", "140", 1);
	expect("--top 1", HEAD SERVER NARROW_METHOD);
	unsetenv("COLUMNS");
}

/* No reaper is known: a message replaces an empty list. */
static void test_without_reap(void **state)
{
	struct who init = process_of_pid(1, "init"), child;
	char line[3 * PATH_MAX];

	(void)state;
	machine->header->features &= ~PROCLIFE_HAS(PROCLIFE_REAP);
	child = story_fork(&init, 100, "child");
	story_exit(&child, &init, 0);
	story_put(free_record(0, &child));
	snprintf(line, sizeof(line),
		 "%s --device /proc/%d/fd/%d --history --parents --duration 10ms", program,
		 (int)getpid(), machine->fd);
	expect_output(false, 0, line,
		      HEAD "(unknown)              1         1                 0" AFTER_REAPED
		      "init\n"
		      "REAP is not recorded: which process reaps, and how soon, is not known.\n" METHOD);
	story_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_all),
		STORY(test_zombies),
		STORY(test_roles),
		STORY(test_coalesced),
		STORY(test_late), STORY(test_fold), STORY(test_fold_more),
		STORY(test_in_wait),
		STORY(test_in_wait_folded),
		STORY(test_order),
		STORY(test_narrow),
		STORY(test_many),
		STORY(test_without_reap),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
