// SPDX-License-Identifier: GPL-2.0-only
/* The names of cgroups and users in a slice: those of numbers that occur in its records. */
#include "slicing.h"

static void expect_names(const char *name, const char *expected)
{
	char path[3 * PATH_MAX], text[200] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", part, name);
	file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, expected);
}

/* Names of the numbers that occur, from the machine that recorded them. */
static void test_names(void **state)
{
	struct who init = process_of_pid(1, "init"), who;
	struct proclife_record record;

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		who = process_of_pid(100 + i, i == 1 ? "this" : "other");
		record = fork_record(0, &who, &init);
		record.fork.uid = 10 + i;
		record.fork.cgroup = 70 + i;
		story_put_on(i % 2, record);
	}
	story_end();
	story_users(folder.path, "10 a\n11 b c\n12 d\n");
	story_cgroups(folder.path, "70 /a\n71 /b c\n72 /d\n");
	free(slice(0, "--comm this"));
	expect_names(".cgroups", "71 /b c\n");
	expect_names(".users", "11 b c\n");
}

/* Whichever type of record has the number. */
static void test_names_of_all(void **state)
{
	struct who init = process_of_pid(1, "init"), who = process_of_pid(100, "old");
	struct proclife_record record;

	(void)state;
	record = task_record(0, &who, &init);
	record.state.uid = 10;
	record.state.cgroup = 70;
	story_put(record);
	who = process_of_pid(101, "new");
	record = fork_record(0, &who, &init);
	record.fork.uid = 11;
	record.fork.cgroup = 71;
	story_put(record);
	record = exec_record(0, &who, 101, "/bin/new");
	record.exec.uid = 12;
	story_put(record);
	record = rename_record(0, &who, "newer");
	record.rename.cgroup = 72;
	story_put(record);
	story_exit(&who, &init, 0);
	record = reap_record(0, &who, &init);
	record.reap.cgroup = 73;
	story_put(record);
	story_end();
	story_users(folder.path, "10 a\n11 b\n12 c\n13 d\n");
	story_cgroups(folder.path, "70 /a\n71 /b\n72 /c\n73 /d\n74 /e\n");
	free(slice(0, ""));
	expect_names(".users", "10 a\n11 b\n12 c\n");
	expect_names(".cgroups", "70 /a\n71 /b\n72 /c\n73 /d\n");
}

static int begin_with_many_cpus(void **state)
{
	int err;

	story_cpus = 40;
	story_ring = 256;
	err = story_setup(state);
	story_cpus = 2;
	story_ring = STORY_RING;
	return err;
}

/* On whichever CPU. */
static void test_names_on_all_cpus(void **state)
{
	struct who init = process_of_pid(1, "init");

	(void)state;
	for (uint32_t i = 0; i < 40; i += 13) {
		struct who who = process_of_pid(100 + i, "x");
		struct proclife_record record = fork_record(0, &who, &init);

		record.fork.uid = 10 + i;
		record.fork.cgroup = 70 + i;
		story_put_on(i, record);
	}
	story_end();
	story_users(folder.path, "10 a\n23 b\n36 c\n49 d\n");
	story_cgroups(folder.path, "70 /a\n83 /b\n96 /c\n109 /d\n");
	free(slice(0, "--comm x"));
	expect_names(".cgroups", "70 /a\n83 /b\n96 /c\n109 /d\n");
	expect_names(".users", "10 a\n23 b\n36 c\n49 d\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_names),
		STORY(test_names_of_all),
		cmocka_unit_test_setup_teardown(test_names_on_all_cpus, begin_with_many_cpus,
						story_teardown),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
