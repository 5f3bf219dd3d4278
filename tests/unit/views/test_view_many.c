// SPDX-License-Identifier: GPL-2.0-only
/* Lists of hundreds, and of a live device. Transcripts have the rest of --lives, --zombies and --parents. */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* With --top, the shown ones are the largest of all. */
static void test_top(void **state)
{
	struct who init = process_of_pid(1, "init");
	struct output all, top;
	uint64_t random = 7;
	char *line;

	(void)state;
	for (uint32_t i = 0; i < 500; i++) {
		struct who who = story_fork(&init, 100 + i, "x");

		story_die(&who, &init, 0, random_below(&random, 100) * MS, 1);
		if (random_below(&random, 4))
			story_bury(&who, &init);
	}
	story_end();
	all = run_program(false, 0, "%s -i %s --monotonic --sort cpu", program, folder.path);
	for (unsigned int n = 1; n < 500; n += 61) {
		top = run_program(false, 0, "%s -i %s --monotonic --sort cpu --top %u", program, folder.path, n);
		assert_int_equal(top.status, 0);
		line = strstr(top.text, "\n\n");
		assert_non_null(line);
		assert_int_equal(count_text(top.text, "\n"), n + 3);
		assert_memory_equal(all.text, top.text, line - top.text);
		free(top.text);
	}
	free(all.text);
}

/* Far more parents than can be read. */
static void test_parents(void **state)
{
	struct who init = process_of_pid(1, "init"), parent, child;
	struct output out;

	(void)state;
	for (uint32_t i = 0; i < 60; i++) {
		parent = story_fork(&init, 1000 + 2 * i, "parent");
		child = process_of_pid(1001 + 2 * i, "child");
		story_live(&child, &parent, MS, (i + 1) * MS, MS);
	}
	story_end();
	out = run_program(false, 0, "%s -i %s --parents --no-fold", program, folder.path);
	assert_int_equal(count_text(out.text, "\n"), 54);
	assert_non_null(strstr(out.text, "MAX\nparent              1118 ")); /* the slowest */
	assert_non_null(strstr(out.text, "\n11 more lines; --top N shows N\n")); /* init, too */
	free(out.text);
}

/* On a live device: it reads what the rings hold, and ends at once. */
static void test_device(void **state)
{
	struct who init = process_of_pid(1, "init"), child;
	struct output out;

	(void)state;
	story_put(task_record(0, &init, &init));
	child = story_fork(&init, 101, "child");
	story_exit(&child, &init, 1 << 8);
	machine->now += 100 * MS;
	out = run_program(false, 0, "%s --device /proc/%d/fd/%d --zombies", program, (int)getpid(), machine->fd);
	assert_int_equal(out.status, 0);
	assert_int_equal(strncmp(out.text, "1 zombie\n       FOR ", 20), 0);
	assert_non_null(strstr(out.text, " 101  child           status 1            init (1)"));
	free(out.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { STORY(test_top), STORY(test_parents), STORY(test_device) };

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
