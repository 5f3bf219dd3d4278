// SPDX-License-Identifier: GPL-2.0-only
/* --interval of a live device: each interval is printed when it is over, and where the first one begins. */
#include "check.h"
#include "live_device.h"
#include "program.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
#define INTERVAL "\"type\":\"interval\",\"interval\":{\"from\":"

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 * MS + (uint64_t)ts.tv_nsec;
}

static FILE *start(pid_t *pid, const char *options)
{
	char line[2 * PATH_MAX];
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	snprintf(line, sizeof(line), "%s --device %s --latency --json %s", program, live_path, options);
	*pid = start_program(line, fds[1], fds[1], 0);
	close(fds[1]);
	return fdopen(fds[0], "r");
}

/* The number behind @mark in the next line that has it. */
static uint64_t next(FILE *out, const char *mark, char **line)
{
	size_t size = 0;
	uint64_t n;

	*line = NULL;
	while (getline(line, &size, out) > 0)
		if (strstr(*line, mark) && sscanf(strstr(*line, mark) + strlen(mark), "%" SCNu64, &n) == 1)
			return n;
	fail_msg("there is no %s", mark);
	return 0;
}

static void end_program(FILE *out, pid_t pid)
{
	struct output rest = { NULL, 0, 0 };

	kill(pid, SIGTERM);
	collect_output(pid, fileno(out), &rest);
	assert_int_equal(rest.status, 0);
	free(rest.text);
	fclose(out);
}

/* Even if nothing happens, each interval is printed soon after its end. */
static void test_idle(void **state)
{
	uint64_t before = now(), from, to = 0;
	char *line;
	pid_t pid;
	FILE *out;

	(void)state;
	live_open(1 << 14);
	out = start(&pid, "--interval 50ms");
	for (int i = 0; i < 10; i++) {
		from = next(out, INTERVAL, &line);
		if (!to)
			assert_in_range(from, before, now());
		else
			assert_int_equal(from, to);
		to = from + 50 * MS;
		assert_non_null(strstr(line, "\"intervals\":1,"));
		assert_in_range(now(), to, to + 5000 * MS);
		free(line);
	}
	end_program(out, pid);
}

/*
 * The first interval begins with the history in the rings, even if older records have been overwritten: that was
 * before all intervals, and none lacks anything.
 */
static void test_history(void **state)
{
	uint64_t begin, from;
	char *line;
	pid_t pid;
	FILE *out;

	(void)state;
	live_open(1 << 6);
	for (uint32_t i = 0; i < 100; i++)
		live_story(i);
	usleep(20000);
	begin = now();
	for (uint32_t i = 100; i < 103; i++)
		live_story(i);
	usleep(20000);
	out = start(&pid, "--interval 1h --history");
	usleep(100000);
	kill(pid, SIGTERM);
	from = next(out, INTERVAL, &line);
	assert_in_range(from, begin - 10000 * MS, begin + 20 * MS);
	assert_non_null(strstr(line, "\"lost\":0,\"incomplete\":false,"));
	free(line);
	assert_true(next(out, "\"type\":\"lives\",\"interval\":{\"from\":", &line) == from);
	assert_null(strstr(line, "\"lives\":0,"));
	free(line);
	end_program(out, pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = { LIVE(test_idle), LIVE(test_history) };

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
