// SPDX-License-Identifier: GPL-2.0-only
/* The tree's columns by the width of the screen, and the times of birth. */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct who init, sh, late;

/* An older shell, its children at 10 and at 20 ms, and their children. */
static void tell(void)
{
	init = process_of_pid(1, "init");
	sh = process_of_pid(50, "sh");
	sh.start = 0; /* not known */
	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &sh, &init));
	for (uint32_t i = 0; i < 2; i++) {
		story_at(10 + 10 * i);
		late = story_fork(&sh, 100 + i, "cc");
		story_put(exec_record(0, &late, late.pid, "/usr/bin/cc"));
		story_args(&late, "cc\0-c\0a-file-with-a-long-name.c", 32);
		story_at(15 + 10 * i);
		story_die(&late, &sh, 77 << 8, 3 * MS, 2000);
		story_bury(&late, &sh);
	}
	story_end();
	story_users(folder.path, "1000 alice\n");
}

static void expect(const char *columns, const char *options, const char *lines)
{
	struct output out;

	setenv("COLUMNS", columns, 1);
	out = run_program(false, 0, "%s -i %s --tree %s", program, folder.path, options);
	unsetenv("COLUMNS");
	assert_int_equal(out.status, 0);
	if (strncmp(out.text, lines, strlen(lines)))
		fail_msg("COLUMNS=%s --tree %s:\n%s\ninstead of:\n%s", columns, options, out.text, lines);
	free(out.text);
}

/* Expects this somewhere in the output. */
static void expect_line(const char *columns, const char *options, const char *line)
{
	struct output out;

	setenv("COLUMNS", columns, 1);
	out = run_program(false, 0, "%s -i %s --pid 50 --tree %s", program, folder.path, options);
	unsetenv("COLUMNS");
	if (!strstr(out.text, line))
		fail_msg("COLUMNS=%s --tree %s:\n%s\nwithout:\n%s", columns, options, out.text, line);
	free(out.text);
}

/* The time of birth, by --utc and --monotonic; for older processes it is not known. */
static void test_start(void **state)
{
	(void)state;
	tell();
	expect("100", "--monotonic --pid 50",
	       "    PID           START      LIFE      CPU      RSS  PROCESS\n"
	       "     50                  >25.0 ms    50 ns           sh  alive\n"
	       "    100     1.010000000   5.00 ms   900 ms 1.95 MiB  |- cc -c a-file-with-a-long-name.c  "
	       "status 77\n"
	       "    101     1.020000000   5.00 ms   900 ms 1.95 MiB  `- cc -c a-file-with-a-long-name.c  "
	       "status 77\n");
	expect("100", "--utc --pid 50",
	       "    PID        START      LIFE      CPU      RSS  PROCESS\n"
	       "     50               >25.0 ms    50 ns           sh  alive\n"
	       "    100 00:00:01.010   5.00 ms   900 ms 1.95 MiB  |- cc -c a-file-with-a-long-name.c  "
	       "status 77\n");
	/* For several in one line, the first one's. */
	expect("100", "--utc --pid 50 --fold",
	       "    PID        START      LIFE      CPU      RSS  PROCESS\n"
	       "     50               >25.0 ms    50 ns           sh  alive\n"
	       "     x2 00:00:01.010   5.00 ms   1.80 s 1.95 MiB  `- cc");
}

/* A zombie's CPU time can be 0; a living process's is not known. */
static void test_no_time(void **state)
{
	struct proclife_record record;

	(void)state;
	init = process_of_pid(1, "init");
	sh = process_of_pid(50, "sh");
	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &sh, &init));
	late = story_fork(&sh, 100, "none");
	story_at(10);
	record = exit_record(0, &late, 0, 0);
	record.exit.runtime = 0;
	story_put(record);
	story_put(notify_record(0, &late, &sh));
	late = story_fork(&sh, 101, "lives");
	story_end();
	expect_line("80", "", "    100   10.0 ms     0 ns ");
	expect_line("80", "", "    101     >2 ns                    `- lives");
}

/* A column is left out if too little would be left for the tree; in a file, all stay. */
static void test_widths(void **state)
{
	(void)state;
	tell();
	expect("99", "", "    PID      LIFE      CPU      RSS  PROCESS\n");
	expect("60", "", "    PID      LIFE      CPU      RSS  PROCESS\n");
	expect("59", "", "    PID      LIFE      CPU  PROCESS\n");
	expect("50", "", "    PID      LIFE      CPU  PROCESS\n");
	expect("49", "", "    PID      LIFE  PROCESS\n");
	expect("", "", "    PID      LIFE      CPU      RSS  PROCESS\n");
	expect("", "--utc", "    PID        START      LIFE      CPU      RSS  PROCESS\n");
	expect("", "--monotonic", "    PID           START      LIFE      CPU      RSS  PROCESS\n");
}

/* However deep a process is, there are columns for its command: guides that would take them are counted. */
static void test_deep(void **state)
{
	struct who who;

	(void)state;
	init = process_of_pid(1, "init");
	who = process_of_pid(50, "sh");
	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &who, &init));
	for (uint32_t i = 0; i < 30; i++)
		who = story_fork(&who, 100 + i, "sh");
	story_end();
	expect_line("81", "", "    107    >24 ns                                      +1 `- sh  alive\n");
	expect_line("82", "", "    107    >24 ns                                         `- sh  alive\n");
}

/* Notes do not displace the command, which keeps at least half of the columns. */
static void test_notes(void **state)
{
	(void)state;
	tell();
	expect("72", "--pid 50 --show uid,cgroup",
	       "    PID      LIFE      CPU      RSS  PROCESS\n"
	       "     50  >25.0 ms    50 ns           sh  cgroup 77, user alice, alive\n"
	       "    100   5.00 ms   900 ms 1.95 MiB  |- cc -c a-file-wi~  cgroup 77, us~\n");
}

/* Counts of what is below a line are never cut: the command's words and other notes are. */
static void test_counts_below(void **state)
{
	struct who make, cc;

	(void)state;
	init = process_of_pid(1, "init");
	sh = process_of_pid(50, "sh");
	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &sh, &init));
	make = story_fork(&sh, 100, "make");
	story_put(exec_record(0, &make, 100, "/usr/bin/make"));
	story_args(&make, "make\0-f\0scripts/Makefile.build\0obj=drivers/core", 46);
	for (uint32_t i = 0; i < 12; i++) {
		story_at(10 + 10 * i);
		cc = story_fork(&make, 1000 + i, "cc");
		story_at(15 + 10 * i);
		story_die(&cc, &make, i < 3 ? 1 << 8 : 0, 3 * MS, 2000);
		story_bury(&cc, &make);
	}
	story_at(200);
	story_exit(&make, &sh, 1 << 8);
	story_end();
	expect_line("120", "--depth 1", "make -f scr~  status 1~  + 12 processes below, "
		    "3 failed, 10.8 s CPU\n");
	expect_line("80", "--depth 1", "`- make -f scr~  st~  +12, 3 failed, 10.8 s\n");
	expect_line("70", "--depth 1", "`- make -f scr~  status 1, ~  +12\n");
	expect_line("60", "--depth 1", "  +12\n");
	expect_line("80", "--top 2:count", "#2, 12 descendants");
	expect_line("72", "--top 2:count", "#2, 12 descend");
	expect_line("71", "--top 2:count", "  #2: 12, statu~\n");
	expect_line("40", "--top 2:count", "  #2: 12~\n");
}

/* What the totals cover if only a range is shown. */
static void test_range(void **state)
{
	(void)state;
	tell();
	expect_line("100", "--monotonic --to 1.016", "\nin all: 3 processes, 2 failed; ");
	expect_line("100", "--monotonic --to 1.016", "counted, not shown: --to\n");
	expect_line("100", "--monotonic", "\n3 processes, 2 failed; ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_start),
		STORY(test_no_time),
		STORY(test_widths),
		STORY(test_deep),
		STORY(test_notes),
		STORY(test_counts_below),
		STORY(test_range),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
