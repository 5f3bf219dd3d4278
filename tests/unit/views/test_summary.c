// SPDX-License-Identifier: GPL-2.0-only
/* --summary: what is added up, by which group, and what is left out. */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <views/share/overtime.h>

#define SECOND (1000 * MS)

/* A life of this many milliseconds, which takes this CPU time and memory. */
static void run(const struct who *parent, uint32_t pid, const char *comm, const char *path,
		uint64_t life, uint64_t cpu, uint64_t rss, int32_t code)
{
	uint64_t begin = machine->now;
	struct who who = story_fork(parent, pid, parent->comm);
	struct proclife_record record;

	who.comm = comm;
	story_put(exec_record(0, &who, pid, path));
	if (pid == 102)
		story_args(&who, "cc\0-c\0first.c", 14);
	if (pid == 106)
		story_args(&who, "cc\0-c\0a file with a long name.c", 32);
	if (pid == 107)
		story_args(&who, "a-program-with-a-name-that-is-longer-than-most\0b.c", 51);
	if (pid == 103)
		story_args(&who, "cc\0-c\0-O2\0second.c\0b.c", 23);
	machine->now = begin + life * MS;
	record = exit_record(0, &who, code, 0);
	record.exit.runtime = cpu * MS;
	record.exit.max_rss = rss;
	story_put(record);
	story_put(notify_record(0, &who, parent));
	story_reap(&who, parent);
	record = free_record(0, &who);
	record.free.runtime = cpu * MS;
	story_put(record);
}

static void tell(void)
{
	struct who init = process_of_pid(1, "init"), make;

	story_put(task_record(0, &init, &init));
	make = story_fork(&init, 100, "make");
	run(&make, 101, "ld", "/usr/bin/ld", 10, 5, 3000, 0);
	run(&make, 102, "cc", "/usr/bin/cc", 100, 80, 100, 0);
	run(&make, 103, "cc", "/usr/bin/cc", 300, 100, 50, 1 << 8);
	run(&make, 104, "cc", "/opt/cc", 200, 20, 500, 9);
	/* It outlives the trace. */
	story_fork(&make, 105, "left");
	machine->now += 1000 * MS;
	story_exit(&make, &init, 0);
	story_end();
}

static char *output(const char *options)
{
	struct output out = run_program(false, 0, "%s -i %s --summary %s", program, folder.path, options);

	if (out.status)
		fail_msg("%s: status %d: %s", options, out.status, out.text);
	return out.text;
}

static void expect(const char *options, const char *const *lines)
{
	char *text = output(options);

	for (; *lines; lines++)
		if (!strstr(text, *lines))
			fail_msg("%s: there is no '%s' in:\n%s", options, *lines, text);
	free(text);
}

#define EXPECT(options, ...) expect(options, (const char *const[]){ __VA_ARGS__, NULL })

static void test_json(void **state)
{
	(void)state;
	tell();
	EXPECT("--json",
	       "\"by\":\"comm\",\"group\":\"cc\",\"runs\":3,\"failed\":2,\"open\":0,"
	       "\"runtime\":200000000,\"max_rss\":500,\"life\":{\"count\":3,\"min\":10",
	       "\"longest\":{\"pid\":103,\"life\":3", "\"wait_status\":256,\"status\":1,\"signal\":null,"
	       "\"args\":[\"cc\",\"-c\",\"-O2\",\"second.c\",\"b.c\"],\"args_cut\":false}}",
	       "\"group\":\"ld\",\"runs\":1,\"failed\":0,\"open\":0,\"runtime\":5000000,",
	       "\"longest\":{\"pid\":101,\"life\":10000000,\"wait_status\":0,\"status\":0,\"signal\":null}}",
	       "\"group\":\"left\",\"runs\":0,\"failed\":0,\"open\":1,\"runtime\":0,",
	       "\"type\":\"overtime\",\"from\":");
	EXPECT("--json --by path", "\"group\":\"/usr/bin/cc\",\"runs\":2,\"failed\":1,",
	       "\"group\":\"/opt/cc\",\"runs\":1,\"failed\":1,", "\"group\":null,");
	EXPECT("--json --by dir", "\"group\":\"/usr/bin\",\"runs\":3,\"failed\":1,",
	       "\"group\":\"/opt\",\"runs\":1,");
	EXPECT("--json --by parent", "\"by\":\"parent\",\"group\":\"make\",\"runs\":4,\"failed\":2,\"open\":1,");
	EXPECT("--json --by uid", "\"by\":\"uid\",\"group\":1000,");
	EXPECT("--json --by cgroup", "\"by\":\"cgroup\",\"group\":null,");
	EXPECT("--json --comm cc --failed", "\"group\":\"cc\",\"runs\":2,\"failed\":2,");
}

static void test_text(void **state)
{
	char *text;

	(void)state;
	tell();
	EXPECT("", "      3      2   200 ms  9", " ms      103  cc  b.c\n", "  ld\n",
	       "\n5 processes ended, 2 failed, 2 did not (CPU not known); CPU 205 ms\n");
	EXPECT("--top 1", "  cc  b.c\n", "4 more lines, with less CPU time; --top N shows N\n");
	/* Lines are in the order of CPU time. */
	text = output("");
	assert_true(strstr(text, "  cc  b.c\n") < strstr(text, "  ld\n"));
	assert_null(strstr(text, "first.c"));
	free(text);
}

/* On a narrower terminal it has fewer columns, and no line is wider than the terminal. */
static void test_narrow(void **state)
{
	static const struct {
		const char *columns;
		const char *there;
		const char *not_there;
	} widths[] = {
		{ "200", " PID ", NULL }, { "95", " RSS ", " PID " }, { "80", " p50 ", " p99 " },
		{ "60", " MAX ", " SHARE " }, { "40", " CPU ", " MAX " },
	};

	(void)state;
	tell();
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		char *text, *head;

		setenv("COLUMNS", widths[i].columns, 1);
		text = output("");
		head = strdup(text);
		*strchr(head, '\n') = '\0';
		if (!strstr(head, widths[i].there) ||
		    (widths[i].not_there && strstr(head, widths[i].not_there)))
			fail_msg("%s: %s", widths[i].columns, head);
		free(head);
		/* The sum and the method below the table need more columns. */
		for (char *line = strtok(text, "\n"); i > 0 && i < 3 && line; line = strtok(NULL, "\n"))
			if (strlen(line) > (size_t)atoi(widths[i].columns))
				fail_msg("%s: %s", widths[i].columns, line);
		free(text);
	}
	unsetenv("COLUMNS");
}

/* The end of a path is the most informative; nothing follows in a line of its own. */
static void test_narrow_paths(void **state)
{
	struct who init = process_of_pid(1, "init");

	(void)state;
	story_put(task_record(0, &init, &init));
	run(&init, 101, "cc1", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1", 10, 5, 1, 0);
	run(&init, 102, "cc1", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1", 20, 5, 1, 0);
	story_end();
	setenv("COLUMNS", "80", 1);
	EXPECT("--by path", "-linux-gnu/12/cc1  first.c\n");
	EXPECT("--by dir", "-gnu/12  cc  first.c\n");
	unsetenv("COLUMNS");
}

/* No line is wider if the program itself has a long name. */
static void test_narrow_program(void **state)
{
	struct who init = process_of_pid(1, "init");

	(void)state;
	story_put(task_record(0, &init, &init));
	run(&init, 107, "a-program-with-", "/opt/a-program-with-a-name-that-is-longer-than-most", 10, 5, 1, 0);
	story_end();
	setenv("COLUMNS", "80", 1);
	EXPECT("--by dir", "  a-program-with-a-name-th~\n");
	unsetenv("COLUMNS");
}

/* An argument that only fits without its quotes loses them, and nothing else. */
static void test_narrow_argument(void **state)
{
	struct who init = process_of_pid(1, "init");

	(void)state;
	story_put(task_record(0, &init, &init));
	run(&init, 102, "cc", "/usr/bin/cc", 10, 5, 1, 0);
	run(&init, 106, "cc", "/usr/bin/cc", 20, 5, 1, 0);
	story_end();
	setenv("COLUMNS", "82", 1);
	EXPECT("", "  cc  'a file with a long name.c'\n");
	setenv("COLUMNS", "80", 1);
	EXPECT("", "  cc  a file with a long name.c\n");
	unsetenv("COLUMNS");
	EXPECT("--color=always", "  \033[2m'a file with a long name.c'\033[0m\n");
}

/* If the longest run is also the first one, the second shows what is special about it. */
static void test_longest_is_first(void **state)
{
	struct who init = process_of_pid(1, "init");

	(void)state;
	story_put(task_record(0, &init, &init));
	run(&init, 103, "cc", "/usr/bin/cc", 20, 5, 1, 0);
	run(&init, 102, "cc", "/usr/bin/cc", 10, 5, 1, 0);
	story_end();
	EXPECT("", "  cc  b.c\n");
}

static void test_options(void **state)
{
	struct output out;

	(void)state;
	tell();
	out = run_program(true, 0, "%s -i %s --summary --by reaper", program, folder.path);
	assert_int_equal(out.status, 129);
	assert_non_null(strstr(out.text, "--summary: --by reaper is not one of comm, path, dir, cgroup, uid and parent"));
	free(out.text);
	out = run_program(true, 0, "%s -i %s --latency --by dir", program, folder.path);
	assert_int_equal(out.status, 129);
	assert_non_null(strstr(out.text, "--latency: --by dir is not one of comm, parent,"));
	free(out.text);
}

/* The slices cover the whole time, however long it gets, and all that was added. */
static void test_overtime(void **state)
{
	struct overtime overtime;
	double lived = 0, busy = 0;
	size_t i;

	(void)state;
	overtime_begin(&overtime, 1000);
	overtime_add(&overtime, 1000, 2000, 500);
	assert_int_equal(overtime_slices(&overtime, overtime.end), 1);
	overtime_add(&overtime, 2000, 1000 + 10 * SECOND, 5 * SECOND);
	/* Half of it is before the beginning. */
	overtime_add(&overtime, 500, 1500, 100);
	/* All of it is. */
	overtime_add(&overtime, 100, 900, 100);
	assert_int_equal(overtime.end, 1000 + 10 * SECOND);
	for (i = 0; i < OVERTIME_SLICES; i++) {
		lived += overtime.lived[i];
		busy += overtime.busy[i];
	}
	assert_true(lived > 10.0 * SECOND + 499 && lived < 10.0 * SECOND + 501);
	assert_true(busy > 5.0 * SECOND + 549 && busy < 5.0 * SECOND + 551);
	i = overtime_slices(&overtime, overtime.end);
	assert_true(i > OVERTIME_SLICES / 2 && i <= OVERTIME_SLICES);
	assert_true(overtime.lived[i - 1] > 0);
	assert_true(i == OVERTIME_SLICES || overtime.lived[i] == 0);
}

/* No exponent, however many live at once. */
static void test_crowd(void **state)
{
	struct who init = process_of_pid(1, "init");
	struct output out;
	uint32_t i;

	(void)state;
	story_put(task_record(0, &init, &init));
	for (i = 0; i < 1500; i++)
		story_fork(&init, 100 + i, "crowd");
	story_at(1000);
	story_end();
	out = run_program(false, 0, "%s -i %s --summary", program, folder.path);
	assert_non_null(strstr(out.text, "mean 1,50"));
	assert_non_null(strstr(out.text, ", most 1,501 at "));
	free(out.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_json),
		STORY(test_text),
		STORY(test_narrow),
		STORY(test_narrow_paths),
		STORY(test_narrow_program),
		STORY(test_narrow_argument),
		STORY(test_longest_is_first),
		STORY(test_options),
		cmocka_unit_test(test_overtime),
		STORY(test_crowd),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
