// SPDX-License-Identifier: GPL-2.0-only
/* --compress: what users see of it, and that zstd(1) makes the plain files again. */
#include "story.h"

#include <errno.h>
#include <signal.h>
#include <session/compress.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char slice[PATH_MAX + 64];

/* Many sleepers on CPU 1, one at a time. */
static void make(void)
{
	struct who init = process_of_pid(1, "init");

	story_put(task_record(0, &init, &init));
	for (uint32_t i = 0; i < 300; i++) {
		struct who who = process_of_pid(1000 + i, "sleeper");

		story_put_on(1, fork_record(0, &who, &init));
		story_put_on(1, exit_record(0, &who, 0, 0));
		story_put_on(1, free_record(0, &who));
		machine->now += 10;
	}
	story_end();
	snprintf(slice, sizeof(slice), "%s/slice", folder.base);
}

static void expect(bool errors, int status, const char *part, const char *options)
{
	struct output out = run_program(errors, 0, "%s %s", program, options);

	if (out.status != status || !strstr(out.text, part))
		fail_msg("%s: status %d, and not '%s', but:\n%s", options, out.status, part, out.text);
	free(out.text);
}

static void expect_same_views(void)
{
	static const char *const views[] = { "--lives", "--tree --no-fold", "--summary", "--events" };

	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		struct output plain = run_program(false, 0, "%s -i %s %s", program, folder.path, views[i]);
		struct output out = run_program(false, 0, "%s -i %s %s", program, slice, views[i]);

		assert_int_equal(out.status, 0);
		assert_string_equal(plain.text, out.text);
		free(plain.text);
		free(out.text);
	}
}

static void test_slice(void **state)
{
	char line[3 * PATH_MAX];

	(void)state;
	make();
	snprintf(line, sizeof(line), "-i %s --slice %s --compress", folder.path, slice);
	expect(true, 0, "/slice: compressed to ", line);
	assert_true(file_is(slice, "cpu_1.zst") && !file_is(slice, "cpu_1"));
	snprintf(line, sizeof(line), "-i %s --info", slice);
	expect(false, 0, " compressed, the largest cpu_1 with ", line);
	expect_same_views();
	/* Plain again, by the command in proclife-recording(5). */
	snprintf(line, sizeof(line), "cd %s && zstd -q -d --rm *.zst", slice);
	assert_int_equal(system(line), 0);
	assert_true(file_is(slice, "cpu_1") && !file_is(slice, "cpu_1.zst"));
	expect_same_views();
}

static void test_interrupted(void **state)
{
	char line[3 * PATH_MAX];
	sigset_t set, before;
	int signo;

	(void)state;
	make();
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, &before);
	raise(SIGINT);
	assert_int_equal(compress_recording("--record", folder.path), 0);
	assert_true(file_is(folder.path, "cpu_1") && !file_is(folder.path, "cpu_1.zst"));
	assert_int_equal(sigwait(&set, &signo), 0); /* it is still there, for the program */
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(compress_recording("--record", folder.path), 0);
	assert_true(file_is(folder.path, "cpu_1.zst"));
	assert_int_equal(compress_recording("--record", "/nowhere"), -ENOENT);
	snprintf(line, sizeof(line), "-i %s --pid 1000 --slice %s/small --compress", folder.path, folder.base);
	expect(true, 0, "/small: too small to be worth compressing\n", line);
}

static void test_refused(void **state)
{
	(void)state;
	expect(true, 129, "--compress is for --record and --slice: add one of them and a folder", "--compress");
	expect(true, 129, "--compress is for --record and --slice: add one of them and a folder", "-i x --tree --compress");
	expect(true, 129, "--compress and --keep exclude each other: it compresses what it keeps by itself",
	       "--record x --keep 64MiB --compress");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_slice),
		STORY(test_interrupted),
		STORY(test_refused),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
