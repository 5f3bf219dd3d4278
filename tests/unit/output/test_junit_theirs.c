// SPDX-License-Identifier: GPL-2.0-only
/* --junit in other users' folders: their links and files, and files that the shell has opened. */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int begin(void **state)
{
	struct who init = process_of_pid(1, "init"), who = process_of_pid(1000, "cc");

	story_setup(state);
	story_live(&who, &init, MS, MS, MS);
	story_end();
	return 0;
}

static void expect_refused(const char *path, const char *text)
{
	struct output out = run_program(true, 0, "%s -i %s --expect lost==0 --junit %s", program, folder.path, path);
	char wanted[2 * PATH_MAX];

	snprintf(wanted, sizeof(wanted), "proclife-read: --junit: %s: %s\n", path, text);
	assert_string_equal(out.text, wanted);
	assert_int_equal(out.status, 1);
	free(out.text);
}

/* The owner of a folder where root writes can put a link there, or a file of their own. */
static void test_theirs(void **state)
{
	char all[2 * PATH_MAX], path[3 * PATH_MAX], target[2 * PATH_MAX];
	struct output out;

	(void)state;
	snprintf(all, sizeof(all), "%s/all", folder.base);
	assert_int_equal(mkdir(all, 0700), 0);
	assert_int_equal(chmod(all, 01777), 0);
	snprintf(path, sizeof(path), "%s/file", all);
	snprintf(target, sizeof(target), "%s/target", folder.base);
	assert_int_equal(symlink(target, path), 0);
	for (int i = 0; i < 2; i++) {
		if (i)
			write_file_text(target, "as it was\n");
		expect_refused(path, "a symbolic link in a folder where others can put one; name the file that it leads "
			       "to");
		assert_int_equal(access(target, F_OK), i - 1);
	}
	expect_file_text(target, "as it was\n");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(link(target, path), 0);
	expect_refused(path, "the file is a hard link and has another name, too; name a new one");
	expect_file_text(target, "as it was\n");
	/* Our own files there are accepted, and new ones. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(unlink(i ? target : path), 0);
		out = run_program(true, 0, "%s -i %s --expect lost==0 --junit %s", program, folder.path, path);
		assert_int_equal(out.status, 0);
		free(out.text);
		out = run_program(false, 0, "cat %s", path);
		assert_non_null(strstr(out.text, "</testsuites>\n"));
		free(out.text);
	}
	if (geteuid())
		return;
	assert_int_equal(chmod(all, 0755), 0);
	write_file_text(path, "as it was\n");
	assert_int_equal(chown(path, 65534, 65534), 0);
	expect_refused(path, "the file belongs to uid 65534, who could read what is written there; name a new one");
	expect_file_text(path, "as it was\n");
	assert_int_equal(chown(path, 0, 0), 0);
	assert_int_equal(chown(all, 65534, 65534), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(target, path), 0);
	expect_refused(path, "a symbolic link in a folder where others can put one; name the file that it leads to");
}

/* A file that the shell has opened is no trick, whatever its owner. */
static void test_descriptors(void **state)
{
	static const char *const shells[] = {
		"%s -i %s --expect lost==0 --ktap --junit /dev/stdout >%s",
		"%s -i %s --expect lost==0 --ktap --junit /dev/fd/7 7>%s >/dev/null",
		"%s -i %s --expect lost==0 --ktap --junit /proc/self/fd/7 7>%s >/dev/null",
		"%s -i %s --expect lost==0 --ktap --junit >(cat >%s) >/dev/null; wait $!",
		"%s -i %s --expect lost==0 --ktap --junit /dev/stderr 2>&1 >/dev/null | cat >%s",
	};
	char file[2 * PATH_MAX], shell[4 * PATH_MAX], line[5 * PATH_MAX];

	(void)state;
	snprintf(file, sizeof(file), "%s/verdicts.xml", folder.base);
	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++) {
		struct output out;

		write_file_text(file, "");
		assert_true(!chown(file, 65534, (gid_t)-1) || geteuid());
		snprintf(shell, sizeof(shell), shells[i], program, folder.path, file);
		snprintf(line, sizeof(line), "bash -c '%s'", shell);
		if (system(line))
			fail_msg("%s", line);
		out = run_program(false, 0, "cat %s", file);
		if (!strstr(out.text, "</testsuites>\n"))
			fail_msg("%s: %s", line, out.text);
		free(out.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_theirs, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_descriptors, begin, story_teardown),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
