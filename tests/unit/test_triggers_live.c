// SPDX-License-Identifier: GPL-2.0-only
/* --on of a device that goes on: what is due is told although nothing happens. */
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

static struct who init, child;

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
	snprintf(line, sizeof(line), "%s --device %s --json %s", program, live_path, options);
	*pid = start_program(line, fds[1], STDERR_FILENO, 0);
	close(fds[1]);
	return fdopen(fds[0], "r");
}

/* The next line of this type; it is to be freed. */
static char *next(FILE *out, const char *type)
{
	char *line = NULL, mark[40];
	size_t size = 0;

	snprintf(mark, sizeof(mark), "\"type\":\"%s\",", type);
	while (getline(&line, &size, out) > 0)
		if (strstr(line, mark))
			return line;
	free(line);
	return NULL;
}

static uint64_t number(const char *line, const char *name)
{
	char mark[40];
	const char *at;
	uint64_t n;

	snprintf(mark, sizeof(mark), "\"%s\":", name);
	at = strstr(line, mark);
	if (!at || sscanf(at + strlen(mark), "%" SCNu64, &n) != 1)
		fail_msg("no %s in %s", name, line);
	return n;
}

/* It is a zombie from now on. */
static void put_zombie(uint32_t pid)
{
	init = process_of_pid(1, "init");
	child = process_of_pid(pid, "child");
	live_put(0, fork_record(0, &child, &init));
	live_put(1, exit_record(0, &child, 3 << 8, 0));
	live_put(1, sigchld_record(0, &init, &child, CLD_EXITED));
}

static void test_zombie(void **state)
{
	uint64_t before, exited;
	pid_t pid;
	char *line;
	FILE *out;

	(void)state;
	live_open(1 << 10);
	out = start(&pid, "--on zombie>300ms --on failed --count 2");
	free(next(out, "trace"));
	before = now();
	put_zombie(100);
	line = next(out, "fired");
	assert_non_null(strstr(line, "\"condition\":\"failed\","));
	exited = number(line, "ts");
	assert_in_range(exited, before, now());
	free(line);
	line = next(out, "fired");
	assert_non_null(strstr(line, "\"condition\":\"zombie>300ms\","));
	assert_non_null(strstr(line, "\"open\":true,"));
	assert_in_range(number(line, "ts"), exited + 300 * MS, exited + 400 * MS);
	assert_in_range(now(), number(line, "ts"), number(line, "ts") + 5000 * MS);
	assert_int_equal(number(line, "value"), 300 * MS + 1);
	assert_int_equal(number(line, "pid"), 100);
	free(line);
	line = next(out, "end");
	assert_non_null(strstr(line, "\"reason\":\"count\","));
	free(line);
	fclose(out);
}

/* Whoever is reaped in time is not told of. */
static void test_reaped(void **state)
{
	pid_t pid;
	FILE *out;

	(void)state;
	live_open(1 << 10);
	out = start(&pid, "--on zombie>400ms --duration 1s");
	free(next(out, "trace"));
	put_zombie(100);
	usleep(50000);
	live_put(2, reap_record(0, &child, &init));
	live_put(2, free_record(0, &child));
	assert_null(next(out, "fired"));
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = { LIVE(test_zombie), LIVE(test_reaped) };

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
