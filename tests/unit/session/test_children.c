// SPDX-License-Identifier: GPL-2.0-only
/* The program reaps children that it did not fork. */
#include "check.h"
#include "live_device.h"
#include "program.h"
#include "recorded.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char orphans[PATH_MAX];

/* Does the process have children, alive or zombies? */
static bool has_children(pid_t pid)
{
	char path[64], text[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file = fopen(path, "r");
	assert_non_null(file);
	(void)!fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	return *text;
}

static void expect_childless(const char *options)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), i = 0;
	struct output out = { NULL, 0, 0 };
	char line[4 * PATH_MAX];
	pid_t pid;

	snprintf(line, sizeof(line), "%s brings %s --device %s %s", orphans, program, live_path, options);
	pid = start_program(line, null, null, 0);
	usleep(600000); /* earlier, they may not exist yet; now they have ended */
	while (has_children(pid) && i++ < 100)
		usleep(50000);
	assert_false(has_children(pid));
	kill(pid, SIGTERM);
	collect_output(pid, null, &out);
	free(out.text);
	close(null);
}

static void test_children(void **state)
{
	char options[2 * PATH_MAX];

	(void)state;
	live_open(1 << 10);
	expect_childless("--lives");
	snprintf(options, sizeof(options), "--metrics %s/metrics", folder.base);
	expect_childless(options);
	snprintf(options, sizeof(options), "--record %s", folder.path);
	expect_childless(options);
	expect_childless("--on failed --exec true");
}

/* The status of its own child is not lost among theirs. */
static void test_status(void **state)
{
	struct output out;

	(void)state;
	live_open(1 << 10);
	out = run_program(false, 0, "%s brings %s --device %s --lives --json -- %s leaves 7", orphans, program, live_path,
			  orphans);
	assert_int_equal(count_text(out.text, "\"status\":7}"), 1);
	free(out.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIVE(test_children),
		LIVE(test_status),
	};

	if (find_program())
		return 1;
	find_workload(orphans, "orphans");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
