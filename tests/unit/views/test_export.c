// SPDX-License-Identifier: GPL-2.0-only
/* --export: the tables, to the last character and as Python reads them; and the files of --output. */
#include "exporting.h"
#include "story.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Compares what Python reads from each with the JSON. */
static void test_csv(void **state)
{
	(void)state;
	exporting_compare("csv", "", "csv");
}

static char *contents(const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = fopen(path, "r");

	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0)
		fail_msg("%s: empty", path);
	fclose(file);
	return text;
}

static void expect_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("there is no '%s' in:\n%s", part, text);
}

/* Texts that split cells, begin a formula, or draw on a terminal. */
static void test_csv_texts(void **state)
{
	struct output out;

	(void)state;
	out = run_program(false, 0, "%s -i %s --export csv", program, exporting_path("hostile"));
	assert_int_equal(out.status, 0);
	assert_int_equal(strlen(out.text), out.size);
	expect_part(out.text, "Z,3,2,1000,2,\\x3dcmd|'/c calc'!,2,1000,");
	expect_part(out.text, ",2,\\x3dcmd|'/c calc'!,freed,false,false\r\n");
	expect_part(out.text, "Z,4,1,1001,1,init,1,1000,");
	expect_part(out.text, ",1,init,freed,false,false\r\n");
	/* Only where a cell begins. */
	expect_part(out.text, "` -c ");
	expect_part(out.text, ",\"say \"\"it\"\"\",");
	expect_part(out.text, ",\\x3dcmd|'/c calc'!,\\x3dcmd|'/c calc'!,\\x3dcmd|'/c\\x20calc'!  ");
	expect_part(out.text, ",\\x2b1;\\x3d2,/+1;\\x3d2,");
	expect_part(out.text, ",a;b c 100,a;b c 100,");
	expect_part(out.text, ",\"q\"\"u,o\"\"te,\"\"\",\"q\"\"u,o\"\"te,\"\"\",");
	expect_part(out.text, ",two\\nli\\r\\nnes\\t,");
	expect_part(out.text, ",\\xff\\xfea\\xc3,");
	expect_part(out.text, ",\\xe2\\x80\\xaelive,");
	expect_part(out.text, ",\\\\x41\\\\n,");
	expect_part(out.text, ",\303\244\342\202\254\360\237\230\200,");
	expect_part(out.text, ",\"/=evil,\"\"\\xff;\\x2d1;\"\"\\x3d2\",");
	expect_part(out.text, ",\\x40alice;\\x3d1,");
	/* An empty argument is one, too. */
	expect_part(out.text, ",trail ,trail ,\"trail\\x20  q");
	free(out.text);
	out = run_program(false, 0, "env LC_ALL=C %s -i %s --export csv", program, exporting_path("hostile"));
	expect_part(out.text, ",\303\244\342\202\254\360\237\230\200,");
	free(out.text);
}

/* The program in the manual page prints each process that failed, and how; CSV is UTF-8 in every locale. */
static void test_csv_example(void **state)
{
	char line[6 * PATH_MAX], *text;

	(void)state;
	exporting_run("hostile", "--export csv", "lives.csv", 0);
	snprintf(line, sizeof(line), "sed -n '/^import csv/,/^\\.Ed/{/^\\.Ed/d;p}' " SOURCE "/user/man/proclife-read-export.5 > %s",
		 exporting_path("example.py"));
	assert_int_equal(system(line), 0);
	snprintf(line, sizeof(line), "cd %s && LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0 PYTHONIOENCODING=utf-8 "
		 "python3 example.py > failed", folder.base);
	assert_int_equal(system(line), 0);
	text = contents(exporting_path("failed"));
	expect_part(text, "1003 \\x40SUM(A1) SIGKILL\n");
	expect_part(text, "1011 \303\244\342\202\254\360\237\230\200 1\n");
	free(text);
}

static unsigned int count_rows(const char *options)
{
	struct output out = run_program(false, 0, "%s -i %s --export csv %s", program, exporting_path("build"),
					options);
	unsigned int rows = count_text(out.text, "\r\n");

	assert_int_equal(out.status, 0);
	free(out.text);
	return rows - 1;
}

static void test_selection(void **state)
{
	(void)state;
	/* make and its descendants; one was killed and one dumped core. */
	assert_int_equal(count_rows("--pid 200"), 12);
	assert_int_equal(count_rows("--pid 200 --comm cc"), 4);
	assert_int_equal(count_rows("--pid 200 --signal any"), 2);
	assert_int_equal(count_rows("--failed --comm nobody"), 0);
	assert_int_equal(count_rows("--pid 200 --count 3"), 7);
	assert_int_equal(count_rows("--pid 205 --to +100ms"), 2);
	/* Processes that end later have not ended. */
	exporting_count("build", "csv", "", "--from +20ms --to +250ms");
}

/* No view and no format has them. */
static void test_hide_args(void **state)
{
	static const char *const views[] = {
		"--export csv", "--lives", "--lives --json", "--tree", "--tree --json", "--events", "--events --json",
		"--summary", "--summary --json", "--critical-path --json", "--latency", "--info",
	};
	struct output out;

	(void)state;
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		out = run_program(false, 0, "%s -i %s %s", program, exporting_path("build"), views[i]);
		if (i < 9)
			expect_part(out.text, "tree.c");
		free(out.text);
		out = run_program(false, 0, "%s -i %s --hide-args %s", program, exporting_path("build"), views[i]);
		if (strstr(out.text, "tree.c") || out.status)
			fail_msg("%s: status %d\n%s", views[i], out.status, out.text);
		free(out.text);
	}
	out = run_program(false, 0, "%s -i %s -i %s --hide-args --lives --json", program, exporting_path("before"),
			  exporting_path("build"));
	assert_null(strstr(out.text, "tree.c"));
	assert_int_equal(count_text(out.text, "\"args\""), 0);
	free(out.text);
	out = run_program(false, 0, "%s -i " SOURCE "/tests/unit/fixtures/format-3 --hide-args --info", program);
	assert_non_null(strstr(out.text, "status 0: /usr/bin/sleep\n"));
	free(out.text);
	out = run_program(true, 0, "%s -i %s --hide-args --slice %s", program, exporting_path("build"),
			  exporting_path("sliced"));
	assert_int_equal(out.status, 0);
	free(out.text);
	out = run_program(false, 0, "grep -r tree.c %s", exporting_path("sliced"));
	assert_int_equal(out.status, 1);
	free(out.text);
	out = run_program(false, 0, "%s -i %s --lives", program, exporting_path("sliced"));
	assert_non_null(strstr(out.text, "cc1"));
	free(out.text);
	/* Nor what the parameters `paths` and `env` add. */
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		out = run_program(false, 0, "%s -i %s --hide-args %s", program, exporting_path("marks"), views[i]);
		if (strstr(out.text, "/srv/www") || strstr(out.text, "LANG=C") || strstr(out.text, "two records") || out.status)
			fail_msg("%s: status %d\n%s", views[i], out.status, out.text);
		free(out.text);
	}
	out = run_program(false, 0, "%s -i %s --events --json", program, exporting_path("marks"));
	expect_part(out.text, "/srv/www");
	expect_part(out.text, "LANG=C");
	free(out.text);
}

static unsigned int count_files(void)
{
	DIR *dir = opendir(folder.base);
	unsigned int count = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		count += !strncmp(entry->d_name, "out", 3);
	closedir(dir);
	return count;
}

static void expect_failure(size_t limit, const char *path, const char *says)
{
	struct output out = run_program(true, limit, "%s -i %s --export csv --output %s", program,
					exporting_path("build"), path);

	assert_int_equal(out.status, 1);
	expect_part(out.text, says);
	free(out.text);
}

static void test_output(void **state)
{
	struct output out, printed;
	char path[2 * PATH_MAX], *text;
	struct stat st;

	(void)state;
	snprintf(path, sizeof(path), "%s", exporting_path("out.csv"));
	out = run_program(false, 0, "%s -i %s --export csv -o %s", program, exporting_path("build"), path);
	assert_int_equal(out.status, 0);
	assert_int_equal(out.size, 0);
	free(out.text);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	printed = run_program(false, 0, "%s -i %s --export csv", program, exporting_path("build"));
	text = contents(path);
	assert_string_equal(text, printed.text);
	free(text);
	/* If the new file cannot be written whole, the old one stays. */
	expect_failure(1000, path, "File too large; nothing has been written there\n");
	text = contents(path);
	assert_string_equal(text, printed.text);
	free(text);
	assert_int_equal(count_files(), 1);
	/* It is replaced, also if the recording lacks records. */
	out = run_program(false, 0, "%s -i %s --export csv -o %s", program, exporting_path("lossy"), path);
	assert_int_equal(out.status, 3);
	free(out.text);
	text = contents(path);
	assert_string_not_equal(text, printed.text);
	free(text);
	free(printed.text);
	expect_failure(0, "/nowhere/out.csv", "--output /nowhere/out.csv: cannot write there: No such file or "
			"directory; name a file in a folder");
	assert_int_equal(remove(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_failure(0, path, "a fifo has this name, and would be replaced; name another file");
	assert_int_equal(count_files(), 1);
	assert_int_equal(remove(path), 0);
}

static void test_folded(void **state)
{
	(void)state;
	exporting_compare("folded", "", "folded");
	exporting_count("build", "folded", "", "--from +20ms --to +250ms");
	exporting_count("build", "folded", "", "--comm cc1");
}

static void expect_folded(const char *options, const char *text)
{
	char line[5 * PATH_MAX];

	snprintf(line, sizeof(line), "%s --export folded %s", program, options);
	expect_output(false, 0, line, text);
}

static void test_folded_text(void **state)
{
	char options[3 * PATH_MAX];

	(void)state;
	snprintf(options, sizeof(options), "-i %s --pid 200", exporting_path("build"));
	expect_folded(options,
		      "make 13100\nmake;cc 56592\nmake;cc;cc1 57116\nmake;java 51483\nmake;link 15720\nmake;link;ld 15851\n");
}

static void bury(const struct who *who, const struct who *parent, uint64_t ns)
{
	struct proclife_record record = free_record(0, who);

	story_exit(who, parent, 0);
	story_reap(who, parent);
	record.free.runtime = ns;
	story_put(record);
}

/* The story of a chain: each forks the next, and uses @ns, as does a brother of the first. */
static void tell_chain(const char *path, unsigned int length, uint64_t ns, const char *comm)
{
	struct who who[400], init = process_of_pid(1, "init");

	assert_true(length <= sizeof(who) / sizeof(*who));
	story_begin(path);
	story_put(task_record(0, &init, &init));
	for (unsigned int i = 0; i < length; i++)
		who[i] = story_fork(i ? &who[i - 1] : &init, 1000 + i, comm);
	for (unsigned int i = length; i--;)
		bury(&who[i], i ? &who[i - 1] : &init, ns);
	who[0] = story_fork(&init, 999, "z");
	bury(&who[0], &init, ns);
	story_end();
}

/* Times below a microsecond add up, and too deep stacks count for their ancestors. */
static void test_folded_depth(void **state)
{
	char options[3 * PATH_MAX], path[2 * PATH_MAX], *at;
	struct output out;
	unsigned int lines = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s", exporting_path("chain"));
	tell_chain(path, 7, 400, "\"; 1");
	snprintf(options, sizeof(options), "-i %s", path);
	/* 400, 800, 1200, 1600, 2000, 2400, 2800, 3200 ns */
	expect_folded(options, "init;\"\\x3b\\x201;\"\\x3b\\x201;\"\\x3b\\x201 1\n"
		      "init;\"\\x3b\\x201;\"\\x3b\\x201;\"\\x3b\\x201;\"\\x3b\\x201;\"\\x3b\\x201 1\ninit;z 1\n");
	snprintf(path, sizeof(path), "%s", exporting_path("deep"));
	tell_chain(path, 300, 2000, "a");
	out = run_program(false, 0, "%s -i %s --export folded", program, path);
	for (at = out.text; *at; at = strchr(at, '\n') + 1, lines++) {
		char *number = strchr(at, ' ');

		if (!strcmp(at, "init;z 2\n"))
			break;
		assert_int_equal(number - at, (long)strlen("init") + 2 * (lines + 1));
		assert_int_equal(atoi(number), lines == 254 ? 2 * 46 : 2);
	}
	assert_int_equal(lines, 255);
	free(out.text);
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_csv), TEST(test_csv_texts), TEST(test_csv_example), TEST(test_selection), TEST(test_hide_args), TEST(test_output),
		TEST(test_folded), TEST(test_folded_text), TEST(test_folded_depth),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, exporting_setup, exporting_teardown);
}
