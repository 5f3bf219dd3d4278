// SPDX-License-Identifier: GPL-2.0-only
/* --diff of how the memory of processes came back. */
#include "marks.h"
#include "sides.h"

static void put_mm(uint64_t ms, const struct who *who, uint32_t what, const struct who *owner)
{
	story_at(ms);
	story_put(mm_record(0, who, what, owner));
}

/* Sixty processes; @held: how long others hold the memory that they drop; 0: they unmap it. In ms. */
static void put_many(const char *path, uint64_t held, uint64_t unmap)
{
	struct who cat = process_of_pid(99, "cat");

	story_features = PROCLIFE_KNOWN_TYPES;
	story_begin(path);
	story_features = WITHOUT_EXITING;
	init = process_of_pid(1, "init");
	story_put(task_record(0, &cat, &init));
	for (uint32_t i = 0; i < 60; i++) {
		uint64_t at = 10 + 200 * i, back = at + 10 + held + i % 3;
		struct proclife_record exiting;
		struct who who;

		story_at(at);
		who = story_fork(&init, 1000 + i, "app");
		exiting = exiting_record(0, &who, &init, NULL, 0);
		exiting.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
		story_at(at + 10);
		story_put(exiting);
		if (held)
			put_mm(at + 10, &who, PROCLIFE_MM_LEFT, &who);
		put_mm(back, held ? &cat : &who, PROCLIFE_MM_TEARDOWN, &who);
		put_mm(back + unmap, held ? &cat : &who, PROCLIFE_MM_GONE, &who);
		story_at(held ? at + 100 : back + unmap);
		story_die(&who, &init, 0, MS, 100);
		story_at(at + 110);
		story_bury(&who, &init);
	}
	story_end();
}

static void test_diff(void **state)
{
	(void)state;
	put_many(dirs[0], 10, 5);
	put_many(dirs[1], 40, 5);
	put_many(dirs[2], 10, 20);
	expect(dirs[0], dirs[1], "", 2, "\napp                      held      p50    11.0 ms  41.2 ms   3.74 ");
	expect(dirs[0], dirs[1], "", 2, "\n1 change by a factor of 1.1 or more\n");
	expect(dirs[0], dirs[2], "", 2, "\napp                      unmap     p50    5.00 ms  20.0 ms   4.00 ");
	expect(dirs[0], dirs[1], "--json", 2, "\"phase\":\"held\",\"statistic\":\"p50\"");
}

/* An unmap by the process itself is part of teardown, and not reported again. */
static void test_diff_part(void **state)
{
	struct output out;
	char line[2 * PATH_MAX];

	(void)state;
	put_many(dirs[0], 0, 10);
	put_many(dirs[1], 0, 40);
	snprintf(line, sizeof(line), "%s %s", dirs[0], dirs[1]);
	out = diff(false, line);
	if (!strstr(out.text, "\napp                      unmap     p50 ") ||
	    strstr(out.text, "\napp                      teardown  p50 "))
		fail_msg("%s", out.text);
	free(out.text);
}

static int remove_all(void **state)
{
	(void)state;
	story_end();
	folder_remove(&folder);
	return 0;
}

#define SIDES(name) cmocka_unit_test_setup_teardown(name, begin, remove_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SIDES(test_diff),
		SIDES(test_diff_part),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
