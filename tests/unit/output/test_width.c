// SPDX-License-Identifier: GPL-2.0-only
/* No line of a view is wider than the screen, and its colours end with it. */
#include "story.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static struct who init;

static const char long_args[] =
	"/usr/bin/cc\0-D_GNU_SOURCE\0-DNAME=a b\0/home/user/a/very/long/path/that/fits/nowhere/at/all/in/a/"
	"narrow/terminal/of/this/world.c\0\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97.c\0a\x1b[31mred";

/* Deaths and zombies of all kinds, with names and arguments of all kinds. */
static void tell(void)
{
	static const char *const names[] = { "cc", "a\x1b[31mb\nc\\", "\xe6\xbc\xa2\xe5\xad\x97",
					     "fifteen-letters", "" };
	struct who sh, who;

	init = process_of_pid(1, "init");
	story_put(task_record(0, &init, &init));
	sh = story_fork(&init, 4194303, "sh");
	for (uint32_t i = 0; i < 40; i++) {
		who = story_fork(&sh, 100000 + i, names[i % 5]);
		story_put(exec_record(0, &who, who.pid, "/usr/bin/a-program/of/a/long/path/cc"));
		story_args(&who, long_args, sizeof(long_args));
		if (i % 3 == 0)
			story_put(signal_record(0, &who, SIGKILL, &sh));
		story_at(10 + 10 * i);
		story_die(&who, &sh, i % 3 ? (int32_t)(i % 2 << 8) : SIGKILL, 3000 * MS, 123456789);
		if (i % 4)
			story_bury(&who, &sh);
	}
	story_die(&sh, &init, SIGSEGV | 0x80, MS, 100);
	story_end();
}

static void expect_narrow(const char *options, unsigned int width, bool utf8)
{
	wchar_t wide[4096];
	struct output out;
	char *line, *next, columns[16];

	snprintf(columns, sizeof(columns), "%u", width);
	setenv("COLUMNS", columns, 1);
	setenv("LC_ALL", utf8 ? "C.UTF-8" : "C", 1);
	out = run_program(false, 0, "%s -i %s %s", program, folder.path, options);
	assert_true(out.size);
	for (line = out.text; *line; line = next) {
		size_t length = strcspn(line, "\n");

		next = line + length + (line[length] == '\n');
		line[length] = '\0';
		assert_int_not_equal(mbstowcs(wide, line, 4096), (size_t)-1);
		if (wcswidth(wide, 4096) < 0 || wcswidth(wide, 4096) > (int)width)
			fail_msg("%s: wider than %u:\n%s", options, width, line);
	}
	free(out.text);
}

static const char *const views[] = {
		"--lives", "--lives --sort zombie", "--lives --top 3", "--events", "--tree",
		"--tree --no-fold", "--tree --top 5", "--tree --show uid,cgroup", "--tree --threads",
		"--latency", "--latency --by comm", "--summary", "--summary --by path", "--parents",
		"--zombies", "--critical-path", "--info", "--expect life.p99<1s --expect zombies==0 --expect left==1",
};

static void test_views(void **state)
{
	static const unsigned int widths[] = { 40, 41, 50, 60, 72, 80, 99, 100, 132 };

	(void)state;
	tell();
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
		for (size_t n = 0; n < sizeof(widths) / sizeof(*widths); n++)
			expect_narrow(views[i], widths[n], n % 2);
}

/* Verdicts for programs: on one line each, however wide that is. */
static void test_verdicts(void **state)
{
	struct output out;

	(void)state;
	tell();
	out = run_program(false, 0, "env COLUMNS=40 %s -i %s --expect life.p99.9<1000000ms --lava", program,
			  folder.path);
	if (strncmp(out.text, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=life.p99.9_below_1000000ms RESULT=", 69) ||
	    count_text(out.text, "\n") != 1)
		fail_msg("%s", out.text);
	free(out.text);
	out = run_program(false, 0, "env COLUMNS=40 %s -i %s --expect life.p99.9<1000000ms --ktap", program,
			  folder.path);
	if (!strstr(out.text, "\nok 1 life.p99.9<1000000ms\n") || count_text(out.text, "\n") != 5)
		fail_msg("%s", out.text);
	free(out.text);
}

/* An argument that is too long loses characters, not bytes. */
static void test_characters(void **state)
{
	static const char han[] = "\xe6\xbc\xa2";
	char args[200] = "cc\0";
	struct who sh, who;

	(void)state;
	init = process_of_pid(1, "init");
	sh = story_fork(&init, 10, "sh");
	for (unsigned int i = 0; i < 40; i++)
		memcpy(args + 3 + 3 * i, han, 3);
	for (uint32_t i = 0; i < 2; i++) {
		who = story_fork(&sh, 100 + i, "cc");
		story_put(exec_record(0, &who, who.pid, "/usr/bin/cc"));
		story_args(&who, args, i ? 3 + 3 * 40 + 1 : 3);
		story_at(10 + 30 * i);
		story_die(&who, &sh, 0, MS, 100);
		story_bury(&who, &sh);
	}
	story_end();
	setenv("LC_ALL", "C.UTF-8", 1);
	for (unsigned int width = 60; width < 70; width++) {
		struct output out = run_program(false, 0, "env COLUMNS=%u %s -i %s --summary", width,
						program, folder.path);

		assert_non_null(strstr(out.text, "\xe6\xbc\xa2\xe6\xbc\xa2\n"));
		assert_null(strstr(out.text, "\\x"));
		free(out.text);
	}
}

/* Removes the colours. Only our own are allowed, and none may be left on at the end of a line. */
static void strip_colour(char *text, const char *options)
{
	static const char *const ours[] = { "\033[0m", "\033[1m", "\033[2m", "\033[31m", "\033[32m",
					    "\033[33m" };
	const char *from = text;
	bool coloured = false;
	size_t i;

	while (*from) {
		if (*from == '\n' && coloured)
			fail_msg("%s: a colour goes on behind %.60s", options, from - 60);
		if (*from != '\033') {
			*text++ = *from++;
			continue;
		}
		for (i = 0; i < 6 && strncmp(from, ours[i], strlen(ours[i])); i++)
			;
		if (i == 6)
			fail_msg("%s: an escape of others: %.20s", options, from + 1);
		coloured = i;
		from += strlen(ours[i]);
	}
	*text = '\0';
}

/* With colours, the text and its columns are the same. */
static void test_colour(void **state)
{
	static const char *const widths[] = { "", "40", "80", "100" };
	struct output plain, coloured, automatic;
	unsigned int colours = 0;

	(void)state;
	tell();
	setenv("LC_ALL", "C.UTF-8", 1);
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		for (size_t n = 0; n < sizeof(widths) / sizeof(*widths); n++) {
			setenv("COLUMNS", widths[n], 1);
			plain = run_program(false, 0, "%s -i %s %s --color never", program,
					    folder.path, views[i]);
			coloured = run_program(false, 0, "%s -i %s %s --color=always", program,
					       folder.path, views[i]);
			automatic = run_program(false, 0, "%s -i %s %s", program, folder.path,
						views[i]);
			assert_string_equal(plain.text, automatic.text);
			colours += strcmp(plain.text, coloured.text) != 0;
			strip_colour(coloured.text, views[i]);
			assert_string_equal(plain.text, coloured.text);
			free(plain.text);
			free(coloured.text);
			free(automatic.text);
		}
	}
	assert_int_equal(colours, 4 * sizeof(views) / sizeof(*views)); /* all have at least a head */
}

/* JSON is for programs. */
static void test_no_colour_in_json(void **state)
{
	struct output out;

	(void)state;
	tell();
	out = run_program(false, 0, "%s -i %s --tree --latency --json --color always", program,
			  folder.path);
	assert_int_equal(out.status, 0);
	assert_null(strchr(out.text, '\033'));
	free(out.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_views),
		STORY(test_verdicts),
		STORY(test_characters),
		STORY(test_colour),
		STORY(test_no_colour_in_json),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
