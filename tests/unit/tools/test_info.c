// SPDX-License-Identifier: GPL-2.0-only
/* --info of recordings: whole, not whole, and forged ones. */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static struct output info(int status, const char *options)
{
	struct output out = run_program(false, 0, "%s --info -i %s %s", program, folder.path, options);

	if (out.status != status)
		fail_msg("%s: status %d:\n%s", options, out.status, out.text);
	return out;
}

/* Expects the line with this label, and this in it; NULL: no such line. */
static void expect_line(int status, const char *label, const char *says)
{
	struct output out = info(status, "--utc");
	char wanted[500], bare[100];

	snprintf(bare, sizeof(bare), "\n%s\n", label); /* nothing is behind it */
	snprintf(wanted, sizeof(wanted), "\n%-13s%s\n", label, says ? says : "");
	if (!says)
		snprintf(wanted, sizeof(wanted), "\n%s ", label);
	if (!says != !strstr(out.text, wanted) || strstr(out.text, bare))
		fail_msg("%s: %s: not so in:\n%s", label, says ? says : "not there", out.text);
	free(out.text);
}

static void expect_part(int status, const char *options, const char *part)
{
	struct output out = info(status, options);

	if (!strstr(out.text, part))
		fail_msg("%s: not '%s', but:\n%s", options, part, out.text);
	free(out.text);
}

/* Two processes from before, three born in it: one of these is reaped but not freed, and one is a zombie. */
static void tell(void)
{
	struct who init = process_of_pid(1, "init"), sh = process_of_pid(100, "sh"), who;

	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &sh, &init));
	who = process_of_pid(101, "cc");
	story_live(&who, &sh, 2 * MS, MS, MS);
	who = story_fork(&sh, 102, "ld");
	story_exit(&who, &sh, 256);
	story_reap(&who, &sh);
	who = story_fork(&sh, 103, "as");
	story_exit(&who, &sh, 0);
	machine->now += 1000 * MS;
	story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
}

/* If REAPs are not recorded, an exited process may have been reaped. */
static void test_without_reap(void **state)
{
	struct output out;

	(void)state;
	tell();
	story_end();
	metadata_set(folder.path, "features", "\"0x7ffbf\"");
	expect_line(0, "at the end", "2 alive, 2 not freed");
	out = run_program(false, 0, "%s -i %s --latency", program, folder.path);
	assert_non_null(strstr(out.text, "2 still alive, 2 not yet freed"));
	free(out.text);
}

static void test_whole(void **state)
{
	struct output out;

	(void)state;
	tell();
	story_end();
	metadata_set(folder.path, "hostname", "\"build-7\"");
	metadata_set(folder.path, "began", "1000000000");
	metadata_set(folder.path, "to_realtime", "\"0xde0b6b36bc93600\"");
	out = info(0, "");
	assert_int_equal(strncmp(out.text, folder.path, strlen(folder.path)), 0);
	assert_non_null(strstr(out.text, "; 2 streams, the largest cpu_0 with "));
	free(out.text);
	expect_line(0, "state", "complete, because it was stopped");
	expect_line(0, "machine", "build-7, Linux 6.18, 2 CPUs");
	expect_line(0, "module", "proclife 0.0, ABI 3, exits begin before the address space is torn down");
	expect_line(0, "began", "2001-09-09Z 01:46:40.000000");
	expect_line(0, "ended", "2001-09-09Z 01:46:41.004000, after 1.00 s");
	expect_line(0, "processes", "5: 3 born in it, 2 older; 3 ended in it");
	expect_line(0, "at the end", "2 alive, 1 zombie, 1 reaped but not freed");
	expect_line(0, "records", "16: fork 3, exit 3, reap 2, free 1, wait 2, task 2, notify 3");
	expect_line(0, "lost", "0");
	expect_line(0, "not recorded", "exiting, birth, fail, times, path: off, or not on this kernel");
	expect_line(0, "mm marks", "left, teardown, gone");
	metadata_set(folder.path, "began", "1002000000");
	expect_line(0, "history from", "2001-09-09Z 01:46:40.000000, 2.00 ms before it began");
	metadata_set(folder.path, "began", "1");
	metadata_set(folder.path, "mm_marks", "0");
	expect_line(0, "mm marks", NULL);
	metadata_set(folder.path, "mm_marks", "50");
	metadata_set(folder.path, "features", "\"0x1357e\"");
	expect_line(0, "not recorded", "free, hang, mm, coredump, cgroup, notify, birth, fail, times, path: off, or not on this kernel");
	expect_line(0, "mm marks", NULL);
	expect_line(0, "arguments", "not recorded");
	expect_line(0, "command", NULL);
	expect_line(0, "clock", NULL);
	expect_line(0, "damaged", NULL);
	expect_line(0, "history from", NULL);
}

/* Records of a module that knows more types than this program are counted, and reported. */
static void test_later_types(void **state)
{
	struct who init = process_of_pid(1, "init");

	(void)state;
	story_put(record_of(0, 24, &init));
	story_put(record_of(0, 24, &init));
	story_end();
	metadata_set(folder.path, "features", "\"0x1ffffff\"");
	expect_line(0, "records", "2: of a later release 2");
	expect_part(0, "--json", "\"unknown\":2");
}

/* It is one page on a terminal of the usual size. */
static void test_page(void **state)
{
	unsigned int lines = 0;
	struct output out;

	(void)state;
	tell();
	story_end();
	metadata_set(folder.path, "hostname", "\"a-host-with-a-name-that-is-as-long-as-a-kernel-lets-it-63-bytes\"");
	metadata_set(folder.path, "kernel_release", "\"6.18.0-rc7-with-a-long-local-version-of-somebody\"");
	setenv("COLUMNS", "80", 1);
	out = info(0, "");
	unsetenv("COLUMNS");
	for (const char *at = out.text; *at; at += strcspn(at, "\n") + 1, lines++)
		if (strcspn(at, "\n") > 80)
			fail_msg("%zu columns: %s", strcspn(at, "\n"), at);
	assert_true(lines > 10 && lines <= 25);
	/* A value that wraps continues below its beginning. */
	if (!strstr(out.text, "-63-bytes,\n             Linux 6.18.0-rc7"))
		fail_msg("%s", out.text);
	free(out.text);
}

/* What an old recording does not have is left out. */
static void test_old(void **state)
{
	static const char *const entries[] = {
		"hostname", "kernel_release", "tracer_version", "cpus", "began", "to_realtime", "rcu",
		"reason", "exit_mark", "hz", "args_bytes",
	};
	struct output out;

	(void)state;
	tell();
	story_end();
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++)
		metadata_set(folder.path, entries[i], NULL);
	expect_line(0, "machine", NULL);
	expect_line(0, "module", NULL);
	expect_line(0, "RCU", NULL);
	out = info(0, "--json");
	assert_non_null(strstr(out.text, "\"host\":null,"));
	assert_non_null(strstr(out.text, "\"cpus\":null,"));
	assert_non_null(strstr(out.text, "\"to_realtime\":null,"));
	assert_non_null(strstr(out.text, "\"exit_mark\":null,"));
	free(out.text);
}

static void test_cut(void **state)
{
	(void)state;
	tell();
	story_sync();
	/* The recorder is still running: everything until now is there. */
	expect_line(0, "state", "still running: this is what is there so far");
	expect_line(0, "ended", NULL);
	story_abandon();
	metadata_set(folder.path, "to_realtime", "\"0xde0b6b36bc93600\"");
	expect_line(3, "state", "cut off: its recorder did not finish; records are missing from "
				"2001-09-09Z 01:46:41.004000");
	expect_line(3, "at the end", "2 alive, 1 zombie, 1 reaped but not freed");
}

static void test_lost(void **state)
{
	struct who init = process_of_pid(1, "init");
	struct output out;

	(void)state;
	tell();
	for (size_t i = 0; i < STORY_RING + 100; i++)
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
	story_end();
	expect_line(3, "lost", "101");
	out = info(3, "--json");
	assert_non_null(strstr(strstr(out.text, "\"stream\":\"cpu_0\""), ",\"lost\":0}"));
	assert_non_null(strstr(strstr(out.text, "\"stream\":\"cpu_1\""), ",\"lost\":101}"));
	free(out.text);
	expect_line(3, "state", "complete, because it was stopped");
	/* Lost records take no room; the largest stream is the one that takes most, wherever it is listed. */
	expect_part(3, "", "; 2 streams, the largest cpu_1 with ");
}

static void test_damaged(void **state)
{
	(void)state;
	tell();
	story_end();
	file_flip(folder.path, "cpu_0", 20, 0xff);
	expect_line(3, "damaged", "cpu_0, byte 0: the packet's header is damaged; lost: 15");
	expect_part(3, "--json", "\"places\":1,\"lost\":15,\"estimated\":false");
}

/* The number of damaged files; a recording without known losses is not whole for that reason. */
static void test_damaged_more(void **state)
{
	char line[3 * PATH_MAX];
	struct output out;

	(void)state;
	tell();
	story_end();
	metadata_set(folder.path, "cpus", "9");
	for (int i = 2; i < 9; i++) {
		snprintf(line, sizeof(line), "cp %s/cpu_1 %s/cpu_%d", folder.path, folder.path, i);
		assert_int_equal(system(line), 0);
	}
	expect_line(3, "damaged", "cpu_6: it is no part of this recording; lost: 0");
	expect_line(3, "damaged", "2 more files");
	out = info(3, "--utc");
	assert_null(strstr(out.text, "cpu_7"));
	free(out.text);
	expect_line(3, "lost", "0");
}

/* The number of damaged places, and of lost records if known. */
static void test_damaged_places(void **state)
{
	struct who init = process_of_pid(1, "init");

	(void)state;
	tell();
	for (int i = 0; i < 4; i++) {
		story_sync();
		for (int j = 0; j < 300; j++)
			story_put(record_of(0, PROCLIFE_WAIT, &init));
	}
	story_end();
	expect_part(0, "", "; 2 streams, the largest cpu_0 with 156 KiB\n");
	file_flip(folder.path, "cpu_0", 128 * 5 + 9, 0xff);
	file_flip(folder.path, "cpu_0", 128 * 105 + 9, 0xff);
	expect_line(3, "damaged", "cpu_0, byte 640 and 1 more place: a record that cannot have been written; "
				  "lost: 2");
	file_flip(folder.path, "cpu_0", 128 * 1000 + 9, 0xff);
	expect_line(3, "damaged", "cpu_0, byte 640 and 2 more places: a record that cannot have been written; "
				  "lost: 3");
}

/* If the number of missing records is not known, that is reported. */
static void test_damaged_cut(void **state)
{
	(void)state;
	tell();
	story_sync();
	tell();
	story_sync();
	story_abandon();
	file_flip(folder.path, "cpu_0", 20, 0xff);
	expect_line(3, "damaged", "cpu_0, byte 0: the packet's header is damaged; lost: about 31");
}

static void test_many_steps(void **state)
{
	char name[32], value[64];

	(void)state;
	tell();
	story_end();
	for (int i = 1; i <= 7; i++) {
		snprintf(name, sizeof(name), "clock_step_%d", i);
		snprintf(value, sizeof(value), "\"1%d00000000 10000000%d0000000000\"", i, i);
		metadata_set(folder.path, name, value);
	}
	expect_line(0, "clock", "2 more steps");
}

/* For each type, and whether it goes on. */
static void test_suppressed(void **state)
{
	struct proclife_record record = { .type = PROCLIFE_SUPPRESSED };

	(void)state;
	tell();
	record.suppressed.what = PROCLIFE_WAIT;
	record.suppressed.ended = 1;
	record.suppressed.since = machine->now - 10;
	record.suppressed.count = 4567;
	story_put(record);
	record.suppressed.what = PROCLIFE_SIGNAL;
	record.suppressed.ended = 0;
	record.suppressed.since = machine->now;
	record.suppressed.count = 0;
	story_put(record);
	story_end();
	expect_line(0, "lost", "0; suppressed: wait 4,567; suppressed: signal 0, and more at the end");
}

static void test_clock_and_command(void **state)
{
	(void)state;
	tell();
	story_end();
	metadata_set(folder.path, "to_realtime", "\"0xde0b6b36bc93600\"");
	metadata_set(folder.path, "clock_step_1", "\"1500000000 1000000009000000000\"");
	metadata_set(folder.path, "clock_step_2", "\"1600000000 1000000005500000000\"");
	metadata_set(folder.path, "command", "101");
	metadata_set(folder.path, "command_creator", "100");
	metadata_set(folder.path, "command_status", "7");
	expect_line(0, "clock", "+10.0 s at 2001-09-09Z 01:46:50.500000: set, or suspended");
	expect_line(0, "clock", "-3.50 s at 2001-09-09Z 01:46:47.100000: set");
	expect_line(0, "command", "101, status 7");
	expect_part(0, "--json", "\"clock_steps\":[{\"since\":1500000000,\"by\":10000000000},"
				 "{\"since\":1600000000,\"by\":-3500000000}],");
}

/* Its program and arguments are taken from the records. */
static void test_command_line(void **state)
{
	struct who init = process_of_pid(1, "init"), shell = process_of_pid(7, "sh"), make, who;
	struct output out;

	(void)state;
	/* A process that had its PID before is not the command. */
	who = story_fork(&shell, 50, "first");
	story_put(exec_record(0, &who, 50, "/usr/bin/first"));
	story_exit(&who, &shell, 0);
	story_bury(&who, &shell);
	make = story_fork(&init, 50, "sh");
	story_put(exec_record(0, &make, 50, "/usr/bin/make"));
	story_args(&make, "make\0-j8\0a b\033", 13);
	story_exit(&make, &init, 0);
	/* A process that gets the same PID later is not the command. */
	make = story_fork(&init, 50, "other");
	story_put(exec_record(0, &make, 50, "/usr/bin/other"));
	story_end();
	metadata_set(folder.path, "command", "50");
	metadata_set(folder.path, "command_creator", "1");
	out = info(0, "");
	if (!strstr(out.text, "\ncommand      50: make -j8 $'a b\\x1b'\n"))
		fail_msg("%s", out.text);
	free(out.text);
	out = info(0, "--json");
	assert_non_null(strstr(out.text, "\"path\":\"/usr/bin/make\",\"args\":[\"make\",\"-j8\",\"a b\\u001b\"],"
					 "\"args_cut\":false}"));
	free(out.text);
}

/* Without arguments, it is also the first process of its PID. */
static void test_command_without_arguments(void **state)
{
	struct who init = process_of_pid(1, "init"), who;

	(void)state;
	for (int i = 0; i < 2; i++) {
		who = story_fork(&init, 50, "sh");
		story_put(exec_record(0, &who, 50, i ? "/usr/bin/other" : "/usr/bin/make"));
		story_exit(&who, &init, 0);
		story_bury(&who, &init);
	}
	story_end();
	metadata_set(folder.path, "command", "50");
	metadata_set(folder.path, "command_creator", "1");
	expect_line(0, "command", "50: /usr/bin/make");
}

/* Not all of its arguments were recorded; and all files count. */
static void test_json(void **state)
{
	struct who init = process_of_pid(1, "init"), make;
	struct proclife_record record;
	struct output out;
	char text[64];

	(void)state;
	make = story_fork(&init, 50, "sh");
	story_put(exec_record(0, &make, 50, "/usr/bin/make"));
	record = record_of(0, PROCLIFE_ARGS, &make);
	record.args.total = 100;
	record.args.len = 8;
	memcpy(record.args.text, "make\0-j8", 8);
	story_put(record);
	story_exit(&make, &init, 0);
	story_end();
	metadata_set(folder.path, "command", "50");
	metadata_set(folder.path, "command_creator", "1");
	story_users(folder.path, "10 a\n");
	story_cgroups(folder.path, "70 /a\n71 /b\n");
	out = info(0, "--json");
	assert_non_null(strstr(out.text, "\"path\":\"/usr/bin/make\",\"args\":[\"make\",\"-j8\"],\"args_cut\":true}"));
	snprintf(text, sizeof(text), ",\"bytes\":%lld}\n",
		 (long long)(file_size(folder.path, "metadata") + file_size(folder.path, "cpu_0") + 5 + 12));
	assert_non_null(strstr(out.text, text));
	free(out.text);
}

/* Each of several; an unreadable one sets the exit status, and the others are shown. */
static void test_several(void **state)
{
	char other[2 * PATH_MAX];
	struct output out;

	(void)state;
	tell();
	story_end();
	out = run_program(false, 0, "%s --info -i %s -i /nonexistent -i %s", program, folder.path,
			  folder.path);
	assert_int_equal(out.status, 1);
	assert_int_equal(count_text(out.text, "\nuuid "), 2);
	free(out.text);
	/* A whole one does not reset the status that another has set. */
	snprintf(other, sizeof(other), "%s/other", folder.base);
	story_begin(other);
	tell();
	story_sync();
	story_abandon();
	for (int i = 0; i < 2; i++) {
		out = run_program(false, 0, "%s --info -i %s -i %s", program, i ? other : folder.path,
				  i ? folder.path : other);
		assert_int_equal(out.status, 3);
		free(out.text);
	}
	out = run_program(false, 0, "%s --info -i %s -i %s --json", program, folder.path, folder.path);
	assert_int_equal(out.status, 0);
	assert_int_equal(count_text(out.text, "\"type\":\"recording\""), 2);
	assert_int_equal(count_text(out.text, "\"type\":\"stream\""), 4);
	free(out.text);
}

/* A process whose handle was reused is not alive at the end, though nothing shows when it ended. */
static void test_gone(void **state)
{
	struct who init = process_of_pid(1, "init"), who;

	(void)state;
	story_put(task_record(0, &init, &init));
	who = story_fork(&init, 101, "first");
	who.start += 1000 * MS;
	machine->now += 1000 * MS;
	story_put(fork_record(0, &who, &init));
	story_end();
	expect_line(0, "processes", "3: 2 born in it, 1 older; 0 ended in it");
	expect_line(0, "at the end", "2 alive");
}

/* Only printable text of it reaches a terminal. */
static void test_hostile(void **state)
{
	struct output out;

	(void)state;
	tell();
	story_end();
	metadata_set(folder.path, "hostname", "\"\\033]0;x\\007\\377\"");
	metadata_set(folder.path, "reason", "\"\\033[2J\"");
	metadata_set(folder.path, "rcu", "\"\\012\\015\"");
	metadata_set(folder.path, "began", "9223372036854775807");
	metadata_set(folder.path, "to_realtime", "\"0xffffffffffffffff\"");
	metadata_set(folder.path, "clock_step_1", "\"9223372036854775807 9223372036854775807\"");
	out = info(0, "");
	for (const char *at = out.text; *at; at++)
		if ((*at < ' ' && *at != '\n') || *at == 0x7f)
			fail_msg("byte %d in:\n%s", *at, out.text);
	free(out.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_whole), STORY(test_without_reap), STORY(test_page), STORY(test_later_types),
		STORY(test_old), STORY(test_cut), STORY(test_lost), STORY(test_damaged),
		STORY(test_damaged_more), STORY(test_damaged_places), STORY(test_damaged_cut),
		STORY(test_many_steps), STORY(test_suppressed), STORY(test_clock_and_command),
		STORY(test_command_line), STORY(test_command_without_arguments), STORY(test_json),
		STORY(test_several), STORY(test_gone), STORY(test_hostile),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
