// SPDX-License-Identifier: GPL-2.0-only
/*
 * What --tree folds into one line, and how it describes it; and that a tree of any size is short, with
 * everything in it counted.
 */
#include "tree_story.h"

#include <tests/bench/build.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIKE "\nxN stands for N that are alike: longest life, sum of CPU time, largest RSS\n"
#define BY_PROGRAM "\nxN stands for N of one program: longest life, sum of CPU time, largest RSS\n"

/* Equal lines are folded first: the others stay as they are if that is enough. */
static void test_same_lines_first(void **state)
{
	struct output out;
	char line[64];

	(void)state;
	begin_shell();
	for (int i = 0; i < 500; i++)
		run(&story_shell, "sleep", "/bin/sleep", "sleep 1", 1, 0);
	for (int i = 0; i < 50; i++) {
		snprintf(line, sizeof(line), "cp a b%d", i);
		run(&story_shell, "cp", "/bin/cp", line, 1, 0);
	}
	story_end();
	out = tree("");
	assert_int_equal(count_text(out.text, "- cp a b"), 50);
	assert_int_equal(count_text(out.text, "x500 "), 1);
	assert_non_null(strstr(out.text, ALIKE "--no-fold shows all 551 lines\n"));
	assert_int_equal(count_text(out.text, "command lines"), 0);
	free(out.text);
	expect_rows("--fold",
	       "   x500   1.00 ms   500 ms" RSS "|- sleep 1\n"
	       "    x50   1.00 ms  50.0 ms" RSS "`- cp  (50 command lines; slowest b0)\n");
}

/* 300 shells that run the same program, each a different number of times. */
static void test_counts_differ(void **state)
{
	(void)state;
	begin_shell();
	for (int i = 0; i < 300; i++) {
		struct who who = start(&story_shell, "sh", "/bin/sh", "sh x.sh");

		for (int k = 0; k <= i % 240; k++)
			run(&who, "true", "/bin/true", "true", 1, 0);
		if (i % 3)
			run(&who, "false", "/bin/false", "false", 1, 256);
		quit(&who, &story_shell, 1, 1, 0);
		story_sync();
	}
	story_end();
	expect_rows("",
	       "   x100    239 ms   100 ms" RSS "|- sh x.sh\n"
	       "x10,150   1.00 ms   10.2 s" RSS "|  `- true\n"
	       "   x200    242 ms   200 ms" RSS "`- sh x.sh\n"
	       "x20,600   1.00 ms   20.6 s" RSS "   |- true\n"
	       "   x200   1.00 ms   200 ms" RSS "   `- false  status 1\n");
	expect_part("", ALIKE);
}

/* Their descendants differ each time, from eight programs. */
static void test_shapes_differ(void **state)
{
	char names[8][16], comm[16];

	(void)state;
	begin_shell();
	for (int k = 0; k < 8; k++)
		snprintf(names[k], sizeof(names[k]), "p%d", k);
	for (int i = 1; i < 256; i++) {
		struct who who = start(&story_shell, "sh", "/bin/sh", "sh x.sh");

		for (int k = 0; k < 8; k++) {
			strcpy(comm, names[k]);
			if (i & 1 << k)
				run(&who, comm, NULL, NULL, 1, k == 7 ? 256 : 0);
		}
		quit(&who, &story_shell, 1, 1, i % 2 ? 512 : 0);
	}
	story_end();
	expect_rows("",
	       "   x128   9.00 ms   128 ms" RSS "|- sh x.sh  status 2\n"
	       "   x128   1.00 ms   128 ms" RSS "|  |- p0\n"
	       "    x64   1.00 ms  64.0 ms" RSS "|  |- p1\n"
	       "    x64   1.00 ms  64.0 ms" RSS "|  |- p2\n"
	       "    x64   1.00 ms  64.0 ms" RSS "|  |- p3\n"
	       "    x64   1.00 ms  64.0 ms" RSS "|  |- p4\n"
	       "    x64   1.00 ms  64.0 ms" RSS "|  |- p5\n"
	       "    x64   1.00 ms  64.0 ms" RSS "|  |- p6\n"
	       "    x64   1.00 ms  64.0 ms" RSS "|  `- p7  status 1\n"
	       "   x127   8.00 ms   127 ms" RSS "`- sh x.sh\n"
	       "    x64   1.00 ms  64.0 ms" RSS "   |- p1\n"
	       "    x64   1.00 ms  64.0 ms" RSS "   |- p2\n"
	       "    x64   1.00 ms  64.0 ms" RSS "   |- p3\n"
	       "    x64   1.00 ms  64.0 ms" RSS "   |- p4\n"
	       "    x64   1.00 ms  64.0 ms" RSS "   |- p5\n"
	       "    x64   1.00 ms  64.0 ms" RSS "   |- p6\n"
	       "    x64   1.00 ms  64.0 ms" RSS "   `- p7  status 1\n");
	expect_part("", BY_PROGRAM);
}

/* Two hundred and fifty statuses: those that failed are one line, and not one with those that did not. */
static void test_statuses_differ(void **state)
{
	(void)state;
	begin_shell();
	for (int i = 0; i < 255; i++)
		run(&story_shell, "job", "/bin/job", "job", i == 7 ? 20 : 1, i << 8);
	for (int i = 0; i < 4; i++)
		run(&story_shell, "job", "/bin/job", "job", 1, 0);
	story_end();
	expect_rows("",
	       "     x5   1.00 ms  5.00 ms" RSS "|- job\n"
	       "   x254   20.0 ms   254 ms" RSS "`- job  254 failed\n");
}

/* Too many programs to separate those that failed from the others. */
static void test_programs_that_fail(void **state)
{
	char comm[16];

	(void)state;
	begin_shell();
	for (int i = 0; i < 300; i++) {
		snprintf(comm, sizeof(comm), "job%d", i % 150);
		run(&story_shell, comm, NULL, NULL, 1, i < 150 ? 256 : 0);
	}
	story_end();
	expect_short("", 301, 150);
	expect_part("", "     x2   1.00 ms  2.00 ms" RSS "|- job0  1 failed\n");
	expect_part("", BY_PROGRAM "--no-fold shows all 301 lines\n");
}

/* Nothing is alike: the cheapest are only counted. */
static void test_too_many_programs(void **state)
{
	struct output out;
	struct sum sum;
	char comm[16];

	(void)state;
	begin_shell();
	for (uint32_t i = 0; i < 1000; i++) {
		struct who who;

		snprintf(comm, sizeof(comm), "job%u", i);
		who = start(&story_shell, comm, NULL, NULL);
		quit(&who, &story_shell, 1, i == 500 ? 1000 : i % 10, i % 7 ? 0 : 256);
	}
	story_end();
	sum = expect_short("", 1001, 143);
	assert_int_equal(sum.lines, MOST_LINES);
	assert_int_equal(sum.hidden, 801);
	out = tree("");
	assert_non_null(strstr(out.text, " job500\n"));
	assert_non_null(strstr(out.text, " job999\n"));
	assert_null(strstr(out.text, " job990\n"));
	assert_non_null(strstr(out.text, "\n+ 801 processes are counted, not shown: those that took "
					 "the least CPU time\n"
					 "--no-fold shows all 1,001 lines\n"));
	free(out.text);
	/* Roots have no line above them. */
	sum = expect_short("--pid 100", 1001, 143);
}

static void test_too_many_roots(void **state)
{
	char comm[16];

	(void)state;
	for (uint32_t i = 0; i < 300; i++) {
		snprintf(comm, sizeof(comm), "job%u", i);
		run(&story_init, comm, NULL, NULL, 1, i % 3 ? 0 : 256);
	}
	story_end();
	assert_int_equal(expect_short("", 300, 100).hidden, 100);
}

/* A chain of forks: nothing recurses, and a process that is not shown has no visible descendants. */
static void test_chain(void **state)
{
	enum { DEEP = 5000 };
	struct who *chain = calloc(DEEP + 1, sizeof(*chain));

	(void)state;
	assert_non_null(chain);
	chain[0] = story_init;
	for (uint32_t i = 0; i < DEEP; i++)
		chain[i + 1] = start(&chain[i], "c", NULL, NULL);
	for (uint32_t i = DEEP; i; i--)
		quit(&chain[i], &chain[i - 1], 0, 0, i == 4000 ? 256 : 0);
	story_end();
	free(chain);
	assert_int_equal(expect_short("", DEEP, 1).hidden, DEEP - MOST_LINES);
}

/* Together with what other options cut. */
static void test_cut(void **state)
{
	(void)state;
	begin_shell();
	for (uint32_t i = 0; i < 300; i++) {
		char line[32];
		struct who who;

		snprintf(line, sizeof(line), "cc %u.c", i);
		who = start(&story_shell, "cc", "/usr/bin/cc", line);
		for (uint32_t k = 0; k < i % 3; k++)
			run(&who, "as", NULL, NULL, 1, k ? 256 : 0);
		quit(&who, &story_shell, 1, 1, 0);
	}
	story_end();
	expect_short("", 601, 100);
	expect_short("--depth 1", 601, 100);
	expect_rows("--depth 1",
	       "   x300   3.00 ms   300 ms" RSS "`- cc  (300 command lines; slowest 2.c)"
	       "  + 300 processes below, 100 failed, 300 ms CPU\n");
}

static void put_build(void *data, struct proclife_record record)
{
	uint64_t *records = data;

	machine->now = record.ts;
	story_put(record);
	if (++*records % 50000 == 0)
		story_sync();
}

static void record_build(uint64_t processes)
{
	uint64_t records = 0;
	struct build build = {
		.put = put_build,
		.data = &records,
		.files = processes / 5,
		.now = machine->now,
		.pid = 299,
		.args = true,
	};

	build_run(&build);
	story_end();
}

/* A number in the totals below a long tree. */
static uint64_t total(const struct output *out, const char *word)
{
	const char *from = strstr(out->text + out->size - 300, "\n\n");

	assert_non_null(from);
	return numbers_before(from, word);
}

/* Without strstr(), which takes minutes if it reads the whole text each time. */
static uint64_t count_lines(const struct output *out)
{
	uint64_t count = 0;

	for (size_t i = 0; i < out->size; i++)
		count += out->text[i] == '\n';
	return count;
}

/* A realistic build. */
static void test_build(void **state)
{
	struct output all, out;
	uint64_t processes, failed;
	struct sum sum;

	(void)state;
	record_build(100000);
	all = tree("--no-fold");
	processes = total(&all, " processes");
	failed = total(&all, " failed");
	assert_in_range(processes, 99000, 101000);
	assert_true(failed > 20);
	/* The head, the totals, and an empty line. */
	assert_int_equal(count_lines(&all), processes + 4);
	free(all.text);
	sum = expect_short("", processes, failed);
	assert_int_equal(sum.hidden, 0);
	out = tree("");
	assert_int_equal(count_text(out.text, "- cc1  (16,000 command lines; slowest "), 1);
	assert_int_equal(count_text(out.text, ".c)\n"), 6);
	free(out.text);
	setenv("COLUMNS", "80", 1);
	sum = expect_short("", processes, failed);
	assert_in_range(sum.widest, 60, 80);
	/* There is no room for the word. */
	expect_part("", "\n(...) names the slowest of them\n");
}

/* Whatever is shown or folded, it all adds up. */
static void test_all_adds_up(void **state)
{
	static const char *const names[] = { "cc", "ld", "sh", "make", "as", "cp" };
	struct who alive[40];
	size_t count;
	char line[64];

	(void)state;
	for (uint64_t seed = 0; seed < 12; seed++) {
		uint64_t random = seed, born = 1, failed = 0;
		uint32_t many = 20 + (uint32_t)random_below(&random, 900);
		uint32_t kinds = 1 + (uint32_t)random_below(&random, 6);

		if (seed) {
			story_teardown(NULL);
			tree_setup(NULL);
		}
		begin_shell();
		alive[0] = story_shell;
		for (count = 1; born < many || count > 1;) {
			size_t n = random_below(&random, count);

			if (born < many && count < 40 && random_below(&random, 5) < 3) {
				const char *name = names[random_below(&random, kinds)];

				snprintf(line, sizeof(line), "%s -o %llu", name,
					 (unsigned long long)random_below(&random, 50));
				alive[count] = start(&alive[n], name, name, line);
				count++;
				born++;
			} else if (n) {
				int32_t code = random_below(&random, 4) ?
						       0 : (int32_t)random_below(&random, 3) << 8;

				quit(&alive[n], &story_init, (uint32_t)random_below(&random, 2),
				     (uint32_t)random_below(&random, 9), code);
				failed += code != 0;
				alive[n] = alive[--count];
			}
		}
		quit(&story_shell, &story_init, 1, 1, 0);
		story_end();
		expect_short("", born, failed);
		expect_short("--fold", born, failed);
		expect_short("--depth 3", born, failed);
		expect_short("--min-life 1ms", born, failed);
	}
}

/* Whatever the names are, no line is wider than the screen, and no control character reaches a terminal. */
static void test_hostile(void **state)
{
	uint64_t random = 1, failed = 0;
	char line[600], comm[16];
	struct output out;

	(void)state;
	begin_shell();
	for (uint32_t i = 0; i < 180; i++) {
		size_t n = 1 + random_below(&random, sizeof(line) - 1);
		struct who who = story_shell, next;
		int32_t code = random_below(&random, 3) ? 0 : 15;

		for (size_t k = 0; k < n; k++)
			line[k] = (char)(1 + random_below(&random, 255));
		line[n - 1] = '\0';
		for (size_t k = 0; k < 15; k++)
			comm[k] = (char)(1 + random_below(&random, 255));
		comm[15] = '\0';
		next = start(&who, comm, "/bin/\033[31m\n\xff", line);
		failed += code != 0;
		quit(&next, &story_shell, 1, 1, code);
	}
	story_end();
	for (int width = 50; width <= 120; width += 35) {
		char columns[12];

		snprintf(columns, sizeof(columns), "%d", width);
		setenv("COLUMNS", columns, 1);
		out = tree("");
		assert_null(strchr(out.text, '\033'));
		for (const char *s = out.text, *end; *s != '\n'; s = end + 1) {
			end = strchr(s, '\n');
			if (end - s > width)
				fail_msg("%.*s", (int)(end - s), s);
		}
		free(out.text);
	}
	unsetenv("COLUMNS");
	expect_short("", 181, failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE(test_same_lines_first), TREE(test_counts_differ),
		TREE(test_shapes_differ), TREE(test_statuses_differ), TREE(test_programs_that_fail),
		TREE(test_too_many_programs), TREE(test_too_many_roots), TREE(test_chain),
		TREE(test_cut), TREE(test_build), TREE(test_all_adds_up), TREE(test_hostile),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
