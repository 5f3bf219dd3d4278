// SPDX-License-Identifier: GPL-2.0-only
/*
 * What users see, to the last character: transcripts/ has commands, what they print, and the status
 * that they end with, on the recordings of support/stories.c, and on stories of their own: lines that
 * begin with "| ", after a remark that begins with "## ", which story/story.c makes the recording "story"
 * of. A test that fails shows the difference
 * and says where the new transcript is: read it, and copy it if that is what users shall see.
 * format-3.txt is on a recording of the module from when that format was new: it opens for good.
 */
#include "check.h"
#include "program.h"
#include "recorded.h"
#include "stories.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECTED SOURCE "/tests/unit/transcripts"

static char build[PATH_MAX]; /* where the program is */

static void run_command(FILE *to, const char *command)
{
	char *text = NULL;
	size_t size = 0;
	FILE *pipe;
	int status;

	setenv("COMMAND", command, 1);
	pipe = popen("exec timeout 60 sh -c \"$COMMAND\" 2>&1", "r");
	assert_non_null(pipe);
	if (getdelim(&text, &size, '\0', pipe) > 0)
		fputs(text, to);
	status = pclose(pipe);
	if (status)
		fprintf(to, "[%d]\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	free(text);
}

static bool is(const char *line, const char *kind)
{
	return !strncmp(line, kind, strlen(kind));
}

/* Does what the transcript's commands say once more, on the stories before them. */
static void repeat(const char *expected, const char *actual)
{
	FILE *from = fopen(expected, "r"), *to = fopen(actual, "w"), *story = NULL;
	size_t size = 0;
	char *line = NULL;

	if (!from || !to)
		fail_msg("%s: cannot open", from ? actual : expected);
	while (getline(&line, &size, from) > 0) {
		if (!is(line, "$ ") && !is(line, "| ") && !is(line, "## "))
			continue;
		fputs(line, to);
		if (is(line, "| ")) {
			story = story ? story : popen("rm -rf story; exec story story >&2", "w");
			assert_non_null(story);
			fputs(line + 2, story);
		}
		if (!is(line, "$ "))
			continue;
		if (story && pclose(story))
			fputs("[no such story]\n", to);
		story = NULL;
		run_command(to, line + 2);
	}
	free(line);
	fclose(from);
	assert_int_equal(fclose(to), 0);
}

static void test_transcript(void **state)
{
	char expected[PATH_MAX], actual[2 * PATH_MAX], kept[2 * PATH_MAX], line[8 * PATH_MAX];
	const char *name = *state;

	snprintf(expected, sizeof(expected), EXPECTED "/%s", name);
	/* Not in the build before it differs: this test can run several times at once. */
	snprintf(actual, sizeof(actual), "%s.said", folder.base);
	snprintf(kept, sizeof(kept), "%s/tests/unit/%s", build, name);
	repeat(expected, actual);
	snprintf(line, sizeof(line), "diff -u %s %s >&2 || ! mv %s %s", expected, actual, actual, kept);
	if (system(line))
		fail_msg("if this is what users shall see: cp %s %s", kept, expected);
	unlink(actual);
}

static int tell(void **state)
{
	char path[3 * PATH_MAX];

	recorded_setup(state);
	snprintf(path, sizeof(path), "%s:%s/tests/unit/story:%s", build, build, getenv("PATH"));
	setenv("PATH", path, 1);
	setenv("TZ", "UTC0", 1);
	setenv("FIXTURES", SOURCE "/tests/unit/fixtures", 1);
	stories_tell();
	return chdir(folder.base);
}

static int forget(void **state)
{
	stories_forget();
	return chdir("/") || recorded_teardown(state);
}

int main(void)
{
	static const char *const names[] = {
		"lives.txt", "events.txt", "tree.txt", "summary.txt", "latency.txt", "intervals.txt", "parents.txt",
		"info.txt", "diff.txt", "expect.txt", "lossy.txt", "json.txt", "errors.txt",
		"select.txt", "threads.txt", "zombies.txt", "state.txt", "ends.txt", "memory.txt", "cgroup-ends.txt",
		"failures.txt",		"device.txt", "ctf.txt", "help.txt", "format-3.txt",
	};
	struct CMUnitTest tests[sizeof(names) / sizeof(*names)];

	if (find_program())
		return 1;
	snprintf(build, sizeof(build), "%s", program);
	dirname(build);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		tests[i] = (struct CMUnitTest){
			.name = names[i],
			.test_func = test_transcript,
			.initial_state = (void *)(uintptr_t)names[i],
		};
	return cmocka_run_group_tests(tests, tell, forget);
}
