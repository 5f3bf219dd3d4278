// SPDX-License-Identifier: GPL-2.0-only
/* Which words of which command lines --tree shows if there is no room for all. */
#include "tree_story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shared words are cut, and distinguishing words are shown, in the available columns. */
static void test_words(void **state)
{
	static const char options[] = "-std=gnu11 -Wall -Wextra -O2 -g -Iinclude -Iuser/lib -D_GNU_SOURCE";
	char line[300];

	(void)state;
	begin_shell();
	for (int i = 0; i < 3; i++) {
		snprintf(line, sizeof(line), "cc %s%s -c -o build/%c.o user/lib/merge_%c.c", options,
			 i == 1 ? " -DX" : "", 'a' + i, 'a' + i);
		run(&story_shell, "cc", "/usr/bin/cc", line, 1, 0);
	}
	run(&story_shell, "cc", "/usr/bin/cc", "cc -c short.c", 1, 0);
	snprintf(line, sizeof(line), "find %s %s", options, "last");
	run(&story_shell, "find", "/usr/bin/find", line, 1, 0);
	story_end();
	setenv("COLUMNS", "80", 1);
	expect_rows("",
	       "    101   1.00 ms  1.00 ms" RSS "|- cc ... -o build/a.o user/lib/merge_a.c\n"
	       "    102   1.00 ms  1.00 ms" RSS "|- cc ... -o build/b.o user/lib/merge_b.c\n"
	       "    103   1.00 ms  1.00 ms" RSS "|- cc ... -o build/c.o user/lib/merge_c.c\n"
	       "    104   1.00 ms  1.00 ms" RSS "|- cc -c short.c\n"
	       "    105   1.00 ms  1.00 ms" RSS "`- find -std=gnu11 -Wall -Wextra -O2 -g -I~\n");
	setenv("COLUMNS", "99", 1);
	expect_rows("",
	       "    101   1.00 ms  1.00 ms" RSS
	       "|- cc -std=gnu11 -Wall ... -g ... build/a.o user/lib/merge_a.c\n"
	       "    102   1.00 ms  1.00 ms" RSS
	       "|- cc -std=gnu11 ... -DX -c -o build/b.o user/lib/merge_b.c\n"
	       "    103   1.00 ms  1.00 ms" RSS
	       "|- cc -std=gnu11 -Wall ... -g ... build/c.o user/lib/merge_c.c\n"
	       "    104   1.00 ms  1.00 ms" RSS "|- cc -c short.c\n"
	       "    105   1.00 ms  1.00 ms" RSS
	       "`- find -std=gnu11 -Wall -Wextra -O2 -g -Iinclude -Iuser/lib ~\n");
	setenv("COLUMNS", "60", 1);
	expect_rows("",
	       "    101   1.00 ms  1.00 ms" RSS "|- cc ~er/lib/merge_a.c\n"
	       "    102   1.00 ms  1.00 ms" RSS "|- cc ~er/lib/merge_b.c\n"
	       "    103   1.00 ms  1.00 ms" RSS "|- cc ~er/lib/merge_c.c\n"
	       "    104   1.00 ms  1.00 ms" RSS "|- cc -c short.c\n"
	       "    105   1.00 ms  1.00 ms" RSS "`- find -std=gnu11 -Wa~\n");
}

/* Roots of what is shown count as siblings, too, from the first one on. */
static void test_roots(void **state)
{
	struct output out;

	(void)state;
	for (int i = 0; i < 2; i++)
		run(&story_init, "cc", "/usr/bin/cc",
		    i ? "cc -std=gnu11 -Wall -Wextra -O2 -Iinclude -c second.c" :
			"cc -std=gnu11 -Wall -Wextra -O2 -Iinclude -c first.c", 1, 0);
	story_end();
	setenv("COLUMNS", "60", 1);
	out = tree("");
	if (!strstr(out.text, "  cc ... first~  parent 1\n") || !strstr(out.text, "  cc ... secon~  parent 1\n"))
		fail_msg("%s", out.text);
	free(out.text);
}

/* An argument stays one word. */
static void test_quotes(void **state)
{
	(void)state;
	begin_shell();
	run(&story_shell, "cc", "/usr/bin/cc", "cc -Wall -Wextra -Werror -DA=x~y", 1, 0);
	run(&story_shell, "cc", "/usr/bin/cc", "cc -Wall -Wextra -Werror -DB=x~y", 1, 0);
	story_end();
	setenv("COLUMNS", "64", 1);
	expect_rows("",
		    "    101   1.00 ms  1.00 ms" RSS "|- cc -Wall ... '-DA=x y'\n"
		    "    102   1.00 ms  1.00 ms" RSS "`- cc -Wall ... '-DB=x y'\n");
}

/* If there is no room for any word, a mark shows that there is more. */
static void test_no_room(void **state)
{
	(void)state;
	begin_shell();
	run(&story_shell, "compile-a-progr", "/bin/compile-a-program", "compile-a-program one.c", 1, 0);
	run(&story_shell, "compile-a-progr", "/bin/compile-a-program", "compile-a-program two.c", 1, 0);
	run(&story_shell, "x", "/bin/x", "x", 1, 0);
	story_end();
	setenv("COLUMNS", "40", 1);
	expect_rows("",
		    "    101   1.00 ms  |- compile-a-program~\n"
		    "    102   1.00 ms  |- compile-a-program~\n"
		    "    103   1.00 ms  `- x\n");
	expect_rows("--fold",
		    "     x2   1.00 ms  |- compile-a-program~\n"
		    "    103   1.00 ms  `- x\n");
	setenv("COLUMNS", "43", 1);
	expect_rows("--fold",
		    "     x2   1.00 ms  |- compile-a-program ...\n"
		    "    103   1.00 ms  `- x\n");
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

/* A script's word is shown without the punctuation around it, an argument as it is. */
static void test_slowest_of_scripts(void **state)
{
	static const char *const names[] = { "one", "two", "three" };
	char line[200];

	(void)state;
	begin_shell();
	for (uint32_t i = 0; i < 3; i++) {
		snprintf(line, sizeof(line), "sh -c if~test~-e~/some/where/else/in/here;~then~(compile~'%s.c');~fi", names[i]);
		run(&story_shell, "sh", "/bin/sh", line, 1 + i % 2, 0);
		snprintf(line, sizeof(line), "say '%s'", names[i]);
		run(&story_shell, "say", "/bin/say", line, 1 + i % 2, 0);
	}
	story_end();
	expect_part("--fold", "(3 command lines; slowest two.c)\n");
	expect_part("--fold", "(3 command lines; slowest $'\\'two\\'')\n");
}

/* A process that is shown only as context is not folded with processes that match. */
static void test_context_apart(void **state)
{
	struct who sh[2], child;

	(void)state;
	begin_shell();
	for (uint32_t i = 0; i < 2; i++) {
		sh[i] = start(&story_shell, "sh", "/bin/sh", NULL);
		child = start(&sh[i], "cc", "/usr/bin/cc", NULL);
		if (i)
			quit(&sh[i], &story_shell, 1, 1, 0);
		quit(&child, &sh[i], 60, 1, 0);
		if (!i)
			quit(&sh[i], &story_shell, 1, 1, 0);
	}
	story_end();
	expect_part("--fold --min-life 50ms",
		    "    101   61.0 ms  1.00 ms" RSS "|- sh\n"
		    "    102   60.0 ms  1.00 ms" RSS "|  `- cc\n"
		    "    103   1.00 ms  1.00 ms" RSS "`- sh  context\n"
		    "    104   61.0 ms  1.00 ms" RSS "   `- cc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE(test_words),
		TREE(test_roots),
		TREE(test_quotes),
		TREE(test_no_room),
		TREE(test_hostile),
		TREE(test_slowest_of_scripts),
		TREE(test_context_apart),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
