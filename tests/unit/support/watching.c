// SPDX-License-Identifier: GPL-2.0-only
#include "watching.h"
#include "check.h"
#include "live_device.h"
#include "program.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct who first_process, child;

uint64_t clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 * MS + (uint64_t)ts.tv_nsec;
}

FILE *start_with(pid_t *pid, const char *options, int errors)
{
	char line[2 * PATH_MAX];
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	snprintf(line, sizeof(line), "%s --device %s --json %s", program, live_path, options);
	*pid = start_program(line, fds[1], errors, 0);
	close(fds[1]);
	return fdopen(fds[0], "r");
}

FILE *start_watching(pid_t *pid, const char *options)
{
	return start_with(pid, options, STDERR_FILENO);
}

char *next(FILE *out, const char *type)
{
	char *line = NULL, mark[40];
	size_t size = 0;

	snprintf(mark, sizeof(mark), "\"type\":\"%s\",", type);
	while (getline(&line, &size, out) > 0)
		if (!*type || strstr(line, mark))
			return line;
	free(line);
	return NULL;
}

uint64_t number(const char *line, const char *name)
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

void put_zombie(uint32_t pid)
{
	first_process = process_of_pid(1, "init");
	child = process_of_pid(pid, "child");
	live_put(0, fork_record(0, &child, &first_process));
	live_put(1, exit_record(0, &child, 3 << 8, 0));
	live_put(1, notify_record(0, &child, &first_process));
}

void line_text(const char *line, const char *name, char value[PATH_MAX])
{
	char mark[40];
	const char *at;

	snprintf(mark, sizeof(mark), "\"%s\":\"", name);
	at = strstr(line, mark);
	if (!at)
		fail_msg("no %s in %s", name, line);
	else
		snprintf(value, PATH_MAX, "%.*s", (int)strcspn(at + strlen(mark), "\""), at + strlen(mark));
}

void expect_in(const char *dir, const char *options, const char *part)
{
	struct output out = run_program(false, 0, "%s -i %s %s", program, dir, options);

	if (out.status || !strstr(out.text, part))
		fail_msg("%s: status %d:\n%s\nwithout\n%s", options, out.status, out.text, part);
	free(out.text);
}
