// SPDX-License-Identifier: GPL-2.0-only
/* The judge of the benchmarks: its options, input that it cannot read, and coarse times. */
#include "check.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "judging.h"

/* The head, the options, and files that are no truth. */
static void test_program(void **state)
{
	const char *text;
	FILE *file;

	(void)state;
	tell("plain", NULL, NULL);
	text = run_judge("--name mine truth told", 0);
	assert_non_null(strstr(text, "7 processes in 2.9 s, 1 execs, 1 re-parented; 6 pids, "
				     "used 1.2 times on average and up to 2 times\n"));
	assert_non_null(strstr(text, "\ntruth 7\nmine 7 0 0 0 0 0 0 0 0 0 3\n"));
	text = run_judge("--head truth", 0);
	assert_non_null(strstr(text, "\ntruth 7\n"));
	text = run_judge("--row truth <told", 0);
	assert_string_equal(text, "plain 7 0 0 0 0 0 0 0 0 0 3\n");
	text = run_judge("--row truth - <told", 0);
	assert_string_equal(text, "plain 7 0 0 0 0 0 0 0 0 0 3\n");
	tell("plain", "exit 303 9", "exit 303 8");
	text = run_judge("--faults 5 --row truth told", 0);
	assert_string_equal(text,
		"status: pid 303 from 100.030000000 on, parent 301 from 100.010000000 on, name loop 0, status 9, reaper 301\n"
		"reported: pid 303 from 100.030500000 on, parent 301 from 100.010500000 on, name loop 0, status 8, reaper 301\n"
		"plain 7 0 0 0 0 0 1 0 0 0 3\n");
	run_judge("--format nothing truth told", 129);
	run_judge("--faults 5x truth told", 129);
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

/* All reported values are shown, others as a -, and as many lines of both kinds as are asked for. */
static void test_faults(void **state)
{
	const char *text;

	(void)state;
	tell("plain", "3 3 77", "3 3 78");
	assert_string_equal(run_judge("--faults 5 --row truth told", 0),
		"args: pid 302 from 100.020000000 on, parent 301 from 100.010000000 on, "
		"name cc1, status 1792, reaper 301, args cc1 3 3 77\n"
		"reported: pid 302 from 100.020500000 on, parent 301 from 100.010500000 on, "
		"name cc1, status 1792, reaper 301, args cc1 3 3 78\n"
		"plain 7 0 0 0 0 1 0 0 0 0 3\n");
	tell("plain", "100.0405 fork 304", "100.035 fork 999 301\n100.0405 fork 304");
	assert_string_equal(run_judge("--faults 5 --row truth told", 0),
		"extra: pid 999 from 100.035000000 on, parent 301 from 100.010500000 on, "
		"name loop 0, status -, reaper -\nplain 8 0 1 0 0 0 0 0 0 0 3\n");
	tell_text("100.03 fork 303 301\nlost many\nlost more\n");
	assert_string_equal(run_judge("--faults 1 --row truth told", 0),
		"line 2: no number: lost many\n"
		"missed: pid 300 from 100.000000000 on, parent 250, name root, status 0, "
		"reaper 250\nplain 2 5 0 0+1 - - - - 0 2 -\n"
		"(2 lines of plain make no sense; --faults shows them)\n");
	text = run_judge("--faults 20 --row truth told", 0);
	assert_non_null(strstr(text, "\nno parent: pid 301 "));
	assert_non_null(strstr(text, "\nno fork: pid 301 "));
	assert_non_null(strstr(text, "\nno exit: pid 303 "));
	/* Times are on the file's clock; a parent that is still there has none. */
	tell("life", "10752", "0");
	assert_non_null(strstr(run_judge("--faults 5 --row truth told", 0),
		"reported: pid 305 from 1700000100.000000000 on, parent 1, name daemon, status 0, "
		"reaper 1\n"));
}

static void test_damaged_truth(void **state)
{
	struct forest magic = truth_head, incomplete = truth_head, empty = truth_head;
	struct forest_process parent = truth[7], pid = truth[7], name = truth[7];
	struct forest_process slots[TRUTH_SLOTS];
	const struct {
		const struct forest *head;
		const struct forest_process *last;
		const char *why;
	} damages[] = {
		{ &magic, &truth[7], "not the truth about a forest, which comes first" },
		{ &incomplete, &truth[7], "the forest did not come to its end" },
		{ &empty, &truth[7], "cut short" },
		{ &truth_head, &parent, "process 7 of it is damaged" },
		{ &truth_head, &pid, "process 7 of it is damaged" },
		{ &truth_head, &name, "process 7 of it is damaged" },
	};
	size_t i;

	(void)state;
	magic.magic--;
	incomplete.complete = 0;
	empty.used = 1;
	parent.parent = 8;
	pid.pid = 4194305;
	memset(name.name, 'x', sizeof(name.name));
	tell("plain", NULL, NULL);
	memcpy(slots, truth, sizeof(slots));
	for (i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		slots[7] = *damages[i].last;
		make_truth("truth.damaged", damages[i].head, slots);
		if (!strstr(run_judge("truth.damaged told", 1), damages[i].why))
			fail_msg("it does not say %s", damages[i].why);
	}
}

/* Lines with more, fewer or other fields than the format has. */
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
		{ "early", "no SECONDS" },		     { "clock local", "no clock that this knows" },
		{ "rounding 1 ms", "more than there is" },   { "rounding 5s", "no SECONDS" },
		{ "lost 3 of 5", "more than there is" },     { "begin", "begins neither with a TIME" },
		{ "100 life 300 4194305 0 x", "no PARENT" },
		{ "100 life 300 1 65536 x", "no STATUS" },
		{ "100 reap 300 4194305", "no REAPER" },
	};
	static const char *const formats[] = {
		"plain", "audit", "bcc", "perf", "strace", "trace-cmd",
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
	tell_text("100.03 fork 303 301\n1700000100 fork 77 1\nclock realtime\n");
	assert_non_null(strstr(run_judge("--faults 1 --row truth told", 0),
			       "line 1: a TIME before the machine's start"));
	tell_text("nonsense\nof all formats\n");
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		snprintf(text, sizeof(text), "--faults 2 --format %s truth told", formats[i]);
		if (!strstr(run_judge(text, 1), i ? "line 2: makes no sense: of all formats\n" :
						    "line 2: begins neither with a TIME"))
			fail_msg("%s: it shows no second line", formats[i]);
	}
}

/* The smallest faults: arguments, a reaper that is reported as notified; and unreported values, early. */
static void test_untold(void **state)
{
	(void)state;
	tell_text("rounding 1\nnotified\n100 life 303 - 9 loop\\x200\n100 life 305 1 10752 daemon\n");
	judge_is("plain", "plain 2 5 0 - 0 - 0 0+1 0 0 -\n");
	tell_text("100 life 303 - 9 loop\\x200\nrounding 1\n");
	judge_is("plain", "plain 1 6 0 - 0 - 0 - 0 0 -\n");
	tell("plain", "100.0205 fork 302 301\n", "early 1\nrounding 0.01\n100.023 fork 302 -\n");
	judge_is("plain", "plain 7 0 0 0+1 0 0 0 0 0 0 3\n");
	tell("plain", "102.5005 fork", "rounding 5s\n102.4 fork");
	judge_is("plain", "plain 7 1 1 0 0 0 0 0 0 0 3\n(1 lines of plain make no sense; --faults shows them)\n");
}

/* Times of another clock are reported, since no process is found then. */
static void test_other_clock(void **state)
{
	(void)state;
	tell_text("1700000100.03 fork 303 301\n");
	assert_non_null(strstr(run_judge("--row truth told", 0),
			       "(plain reports times from 1700000100.030 to 1700000100.030; the forest grew from "
			       "99.950 to 102.800: is it another clock, or another truth?)"));
	tell_text("3.03 life 303 301 9 loop\\x200\n"); /* 301 has no time */
	assert_non_null(strstr(run_judge("--row truth told", 0),
			       "from 3.030 to 3.030; the forest grew from 99.950 to 102.800: is it "
			       "another clock"));
	tell_text("100 fork 77 1\n");
	assert_non_null(strstr(run_judge("--row truth told", 0), "are these its pids?)"));
	tell_text("1700000100.0305 fork 303 301\nclock realtime\n");
	judge_is("plain", "plain 2 5 0 0+1 - - - - 0 2 -\n"); /* and of 301, its parent */
}

/* The lines of bcc have the time of the day, and the machine's clock has run for days. */
static void test_days(void **state)
{
	const uint64_t days = 3 * 86400 * 1000 * MS;
	struct forest_process slots[TRUTH_SLOTS];
	struct forest head = truth_head;
	size_t i;

	(void)state;
	head.began += days;
	head.ended += days;
	head.to_realtime -= days;
	memcpy(slots, truth, sizeof(slots));
	for (i = 1; i < TRUTH_SLOTS; i++) {
		slots[i].after += days;
		slots[i].before += days;
	}
	make_truth("truth.days", &head, slots);
	tell("bcc", NULL, NULL);
	assert_string_equal(run_judge("--row --format bcc truth.days told", 0),
			    "bcc 7 0 0 - 0 0 0 0 0 0 4\n");
}

struct tool {
	const char *head, *row;
	bool parent, status, name, reaper; /* which it reports */
};

static void number_or_not(FILE *file, bool told, unsigned int number)
{
	if (told)
		fprintf(file, " %u", number);
	else
		fputs(" -", file);
}

static void tell_use(FILE *file, const struct tool *tool, unsigned int i)
{
	if (tool->reaper) {
		fprintf(file, "100 fork 400 -\n100 exit 400\n100 reap 400 %u\n", 301 + i);
		return;
	}
	fputs("100 life 400", file);
	number_or_not(file, tool->parent, 300 + i + (*tool->head != '\0'));
	number_or_not(file, tool->status, i << 8);
	number_or_not(file, tool->name, i);
	fputc('\n', file);
}

/*
 * A tool with coarse times misses one process of a pid that is reused again and again: the others are
 * still recognised if one value distinguishes them.
 */
static void test_coarse(void **state)
{
	enum { USES = 8 };
	static const struct tool tools[] = {
		{ "notified", "plain 7 2 0 - 0 - 0 0 0 0 -\n",
		  .parent = true, .status = true, .name = true },
		/* The notified process has the pid of the next one's parent. */
		{ "notified", "plain 7 2 0 - 0 - - 0 0 0 -\n", .parent = true, .name = true },
		{ "notified", "plain 7 2 0 - 0 - - - 0 0 -\n", .name = true },
		{ "notified", "plain 7 2 0 - - - 0 - 0 0 -\n", .status = true },
		{ "", "plain 7 2 0 0 - - - - 0 0 -\n", .parent = true },
		{ "", "plain 7 2 0 - - - - 0 0 0 -\n", .reaper = true },
	};
	struct forest head = truth_head;
	struct forest_process slots[USES + 2] = { {}, truth[1] }; /* no tool reports this one */
	unsigned int tool, missed, i;
	const char *text;
	FILE *file;

	(void)state;
	head.room = USES + 2;
	head.used = USES + 2;
	for (i = 0; i < USES; i++) {
		struct forest_process *p = &slots[USES + 1 - i]; /* the slots' order does not matter */

		*p = (struct forest_process){
			100100 * MS + i * 10 * MS, 100101 * MS + i * 10 * MS, 400, 300 + i, 1,
			301 + i, (int)i << 8, 0, 1, 0, "",
		};
		snprintf(p->name, sizeof(p->name), "%u", i);
	}
	make_truth("truth.coarse", &head, slots);
	assert_non_null(strstr(run_judge("--head truth.coarse", 0),
			       "9 processes in 2.9 s, 0 execs, 8 re-parented; 2 pids, "
			       "used 4.5 times on average and up to 8 times\n"));
	for (tool = 0; tool < sizeof(tools) / sizeof(tools[0]); tool++) {
		for (missed = 0; missed < USES; missed++) {
			file = make_file("told");
			fprintf(file, "rounding 1\n%s\n", tools[tool].head);
			for (i = 0; i < USES; i++)
				if (i != missed)
					tell_use(file, &tools[tool], i);
			fclose(file);
			text = run_judge("--row truth.coarse told", 0);
			assert_string_equal(text, tools[tool].row);
		}
	}
}

/* More processes than there is room for at first, of all possible pids. */
static void test_many(void **state)
{
	FILE *file = make_file("told");
	unsigned int i;

	(void)state;
	for (i = 0; i < 10000; i++)
		fprintf(file, "100.03 fork %u 301\n", 4194304 - i);
	fclose(file);
	judge_is("plain", "plain 10001 6 10000 - - - - - 0 1 -\n"); /* 301 is one of the forest's */
}

/* Reports of a pid are about the process that has it then. */
static void test_reuse(void **state)
{
	struct forest_process slots[TRUTH_SLOTS];

	(void)state;
	tell_text("102.51 exit 302 1792\n"); /* it is seen too late to be the first one */
	judge_is("plain", "plain 1 6 0 - - - 1 - 0 1 -\n");
	/* The first one is missed, and its child is reported as the second one's. */
	memcpy(slots, truth, sizeof(slots));
	slots[4].parent = 3;
	slots[4].parent_pid = 302;
	make_truth("truth.reuse", &truth_head, slots);
	tell_text("{\"type\":\"process\",\"id\":1,\"pid\":302,\"comm\":\"batch 12\","
		  "\"born\":102500500000}\n"
		  "{\"type\":\"process\",\"id\":2,\"parent_id\":1,\"pid\":303,\"comm\":\"loop 0\","
		  "\"born\":100030500000}\n");
	assert_string_equal(run_judge("--row --format proclife truth.reuse told", 0),
			    "proclife 2 5 0 1+1 0 - - - 0 2 -\n");
}

/* One fork is not reported, and lines can be early: they do not belong to the pid's next process. */
static void test_early(void **state)
{
	(void)state;
	tell("plain", "100.0205 fork 302 301\n", "early 1\n");
	judge_is("plain", "plain 7 0 0 0+1 0 0 0 0 0 1 3\n");
	/* Each line of a process is earlier than its fork's, even its end. */
	tell("plain", "100.0205 fork 302 301\n", "early 1\n100.9 fork 302 301 loop\\x200\nrounding 1\n");
	judge_is("plain", "plain 7 0 0 0 0 0 0 0 0 0 3\n");
	/* The pid's first process had a name and has ended: the second one has its name from the fork. */
	tell_text("early 1\n100.0205 fork 302 301\n100.022 name 302 cc1\n100.025 exit 302 1792\n"
		  "102.5005 fork 302 301 batch\\x2012\n");
	judge_is("plain", "plain 3 4 0 0+1 0+1 - 0+2 - 0 2 -\n");
}

/* The truth itself has no fault. */
static void test_truth(void **state)
{
	struct forest_process slots[TRUTH_SLOTS];
	struct forest head = truth_head;
	const char *text;

	(void)state;
	head.fd = 5; /* no slot has arguments with it */
	memcpy(slots, truth, sizeof(slots));
	strcpy(slots[7].name, "batch 123456789"); /* as long as a name can be */
	make_truth("truth.name", &head, slots);
	text = run_judge("--truth truth.name", 0);
	/* Ends are not known, except by the next use of the pid. */
	assert_non_null(strstr(text,
		"\n100.020000000 fork 302 301\n100.021000000 exec 302 cc1 cc1 5 3 77\n"
		"102.499999999 exit 302 1792\n102.499999999 reap 302 301\n"
		"102.500000000 fork 302 301\n102.501000000 name 302 batch\\x20123456789\n"
		"102.800000000 exit 302 0\n"));
	tell_text(text);
	assert_string_equal(run_judge("--row truth.name told", 0), "plain 7 0 0 0 0 0 0 0 0 0 -\n");
	/* A program's file can have a longer name than its process. */
	tell_text("302 1700000102.500500 execve(\"/opt/batch 1234567890\", [], 0x1) = 0\n");
	assert_string_equal(run_judge("--row --format strace truth.name told", 0),
			    "strace 1 6 0 - 0 - - - 0 1 -\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program),	      cmocka_unit_test(test_faults),
		cmocka_unit_test(test_damaged_truth), cmocka_unit_test(test_senseless), cmocka_unit_test(test_untold),
		cmocka_unit_test(test_other_clock),   cmocka_unit_test(test_days),
		cmocka_unit_test(test_coarse),	      cmocka_unit_test(test_many),
		cmocka_unit_test(test_reuse),	      cmocka_unit_test(test_early),
		cmocka_unit_test(test_truth),
	};

	return cmocka_run_group_tests(tests, judge_set_up, judge_tear_down);
}
