// SPDX-License-Identifier: GPL-2.0-only
/* What --parents prints, to the last character: who reaps, how soon, and who leaves zombies. */
#include "story.h"

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

#define HEAD "REAPER               PID    REAPED  IN WAIT      p50      p99      MAX\n"

/* Its child becomes a zombie, and is reaped when so long has gone by. */
static void reap_late(const struct who *child, const struct who *parent, uint64_t zombie)
{
	story_live(child, parent, MS, zombie, MS);
}

/* It is in wait() before. */
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

/* A shell that waits, a server that comes late and leaves two zombies, and init. */
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

#define SERVER "server               200         1      0 %                    50.0 ms  " \
	       "2 zombies, the oldest for 200 ms\n"
#define SHELL  "sh                   100         4     75 %  20.1 us           2.00 ms\n"
#define INIT   "init                   1         2     50 %     2 ns           30.0 us  init, adopted 1\n"

static void test_all(void **state)
{
	(void)state;
	tell();
	story_end();
	expect("", HEAD SERVER SHELL INIT);
	expect("--top 3", HEAD SERVER SHELL INIT);
	expect("--top 1", HEAD SERVER "2 more reapers; --top N shows N\n");
	expect("--top 2", HEAD SERVER SHELL "1 more reaper; --top N shows N\n");
	/* What is selected is the children. */
	expect("--pid 100", HEAD SHELL INIT);
	expect("--comm worker", HEAD SERVER);
	expect("--comm nobody", HEAD);
}

/* One zombie; one that was there before; and one whose parent is not known. */
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
	       "init                   1         0                                      "
	       "init, 1 zombie from before the trace\n"
	       "other                 50         0                                      "
	       "1 zombie for 10.0 ms\n"
	       "stranger              60         0                                      "
	       "1 zombie for 5.00 ms\n");
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
	expect("", HEAD
	       "manager              300         1                             3.00 ms  "
	       "subreaper, adopted 1\n"
	       "box                  400         1      0 %                    2.00 ms  "
	       "init of its pid namespace\n"
	       "deaf                 500         0                                      "
	       "ignored the end of 3\n");
}

/* Far more than anybody would read. */
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
	snprintf(line, sizeof(line), "%s -i %s --parents", program, folder.path);
	out = run_program(false, 0, "%s", line);
	for (const char *at = out.text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 52);
	assert_non_null(strstr(out.text, "MAX\nparent              1118 ")); /* the slowest */
	assert_non_null(strstr(out.text, "\n10 more reapers; --top N shows N\n"));
	free(out.text);
}

/* Nobody is known to reap: that is said, instead of an empty list. */
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
		      HEAD "REAP is not recorded: who reaps, and how soon, is not known.\n");
	story_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_all),
		STORY(test_zombies),
		STORY(test_roles),
		STORY(test_many),
		STORY(test_without_reap),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
