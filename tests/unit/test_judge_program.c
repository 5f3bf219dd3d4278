// SPDX-License-Identifier: GPL-2.0-only
/* The judge of the benchmarks: what it is told about, what it cannot read, and times that tell little. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "judging.h"

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
	assert_string_equal(text,
		"status: pid 303 from 100.030000000 on, parent 301 from 100.010000000 on, name loop 0, status 9, reaper 301\n"
		"told: pid 303 from 100.030500000 on, parent 301 from 100.010500000 on, name loop 0, status 8, reaper 301\n"
		"plain 7 0 0 0 0 0 1 0 0 0 3\n");
	run_judge("--format nothing truth told", 129);
	run_judge("", 129);
	run_judge("told told", 1);
	run_judge("truth /dev/null", 1);
	file = make_file("truth.cut");
	fwrite(truth, sizeof(truth), 1, file);
	fclose(file);
	run_judge("truth.cut told", 1);
	file = make_file("truth.cut");
	fwrite(&(struct forest){ .magic = FOREST_MAGIC, .used = 8, .complete = 1 }, sizeof(struct forest), 1, file);
	fwrite(truth, sizeof(truth) / 2, 1, file);
	fclose(file);
	assert_non_null(strstr(run_judge("truth.cut told", 1), "truth.cut: cut short"));
}

/* Files that say more, less or something else than the format has. */
static void test_senseless(void **state)
{
	static const struct {
		const char *line, *why;
	} lines[] = {
		{ "100 fork 300 4294967295", "no PARENT" },  { "100 fork 4194305 300", "no PID" },
		{ "100 fork 0 300", "no PID" },		     { "100 fork 300", "no PARENT" },
		{ "100 exit 300 65536", "no STATUS as wait(2) gives it" }, { "100 reap 300", "no REAPER" },
		{ "100 exec 300", "no NAME" },		     { "100 life 300 1 0", "no NAME" },
		{ "100 name 300 loop 0", "more than there is in such a line" },
		{ "100 begin 300", "no such event" },	     { "100,5 exit 300", "no TIME in seconds" },
		{ "100", "no event" },			     { "lost many", "no number" },
		{ "lost -3", "no number" },		     { "rounding", "no SECONDS" },
		{ "early", "no SECONDS" },		     { "clock local", "begins neither with a TIME" },
	};
	char text[128], wanted[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		snprintf(text, sizeof(text), "100 fork 77 1\r\n%s\r\n", lines[i].line);
		tell_text(text);
		snprintf(wanted, sizeof(wanted), "line 2: %s", lines[i].why);
		if (!strstr(run_judge("--faults 1 --row truth told", 0), wanted))
			fail_msg("%s: it does not say %s", lines[i].line, wanted);
	}
}

/* Times of another clock are named, since no process is found then. */
static void test_other_clock(void **state)
{
	(void)state;
	tell_text("1700000100.03 fork 303 301\n");
	assert_non_null(strstr(run_judge("--row truth told", 0),
			       "(plain tells of times from 1700000100.030 to 1700000100.030; the forest grew from "
			       "99.950 to 102.800: is it another clock, or another truth?)"));
	tell_text("1700000100.0305 fork 303 301\nclock realtime\n");
	judge_is("plain", "plain 2 5 0 0+1 - - - - 0 2 -\n"); /* and of 301, its parent */
}

/*
 * Of a pid that is used again and again, one process is missed, by a tool whose times are coarse: the others are
 * still who they are.
 */
static void test_coarse(void **state)
{
	enum { USES = 8 };
	struct forest forest = {
		.magic = FOREST_MAGIC, .room = USES + 2, .used = USES + 2, .began = 99950 * MS, .ended = 102800 * MS,
		.to_realtime = REALTIME, .complete = 1, .fd = 3,
	};
	struct forest_process processes[USES + 2] = { {}, truth[1] };
	FILE *file = make_file("truth.coarse");
	unsigned int missed, i;

	(void)state;
	for (i = 0; i < USES; i++) {
		processes[2 + i] = (struct forest_process){
			100100 * MS + i * 10 * MS, 100101 * MS + i * 10 * MS, 400, 300, 1, 300, (int)i << 8, 0, 0, 0, "",
		};
		snprintf(processes[2 + i].name, sizeof(processes[2 + i].name), "use %u", i);
	}
	fwrite(&forest, sizeof(forest), 1, file);
	fwrite(processes, sizeof(processes), 1, file);
	fclose(file);
	for (missed = 0; missed < USES; missed++) {
		file = make_file("told");
		fputs("rounding 1\nnotified\n", file);
		for (i = 0; i < USES; i++)
			if (i != missed)
				fprintf(file, "100 life 400 300 %u use\\x20%u\n", i << 8, i);
		fputs("99 life 300 250 0 root\n", file);
		fclose(file);
		assert_string_equal(run_judge("--row truth.coarse told", 0), "plain 8 1 0 - 0 - 0 0 0 0 -\n");
	}
}

/* One fork is not told, and the lines of others can be early: the pid's next process is none of that. */
static void test_early(void **state)
{
	(void)state;
	tell("plain", "100.0205 fork 302 301\n", "early 1\n");
	judge_is("plain", "plain 7 0 0 0+1 0 0 0 0 0 1 3\n");
	/* Each line of a process is earlier than that of its fork, even its end. */
	tell("plain", "100.0205 fork 302 301\n", "early 1\n100.9 fork 302 301 loop\\x200\nrounding 1\n");
	judge_is("plain", "plain 7 0 0 0 0 0 0 0 0 0 3\n");
}

/* The truth itself has no fault. */
static void test_truth(void **state)
{
	(void)state;
	tell_text(run_judge("--truth truth", 0));
	judge_is("plain", "plain 7 0 0 0 0 0 0 0 0 0 -\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program), cmocka_unit_test(test_senseless),
		cmocka_unit_test(test_other_clock), cmocka_unit_test(test_coarse), cmocka_unit_test(test_early),
		cmocka_unit_test(test_truth),
	};

	return cmocka_run_group_tests(tests, judge_set_up, judge_tear_down);
}
