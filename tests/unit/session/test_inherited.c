// SPDX-License-Identifier: GPL-2.0-only
/* What the program executes runs as it would without it. */
#include "check.h"
#include "live_device.h"
#include "program.h"
#include "recorded.h"
#include "watching.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char inherits[PATH_MAX];

static char *read_all(const char *name)
{
	char path[2 * PATH_MAX], *text = calloc(1, 1 << 18);
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder.base, name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s: not written", path);
	assert_true(fread(text, 1, (1 << 18) - 1, file) > 1000);
	fclose(file);
	return text;
}

/* Compares line by line, so that the difference is shown. */
static void expect_same(const char *one, const char *other)
{
	char *a = read_all(one), *b = read_all(other), *rest_a = a, *rest_b = b;
	char *line_a, *line_b;

	do {
		line_a = strsep(&rest_a, "\n");
		line_b = strsep(&rest_b, "\n");
		if (!line_a || !line_b)
			assert_ptr_equal(line_a, line_b);
		else
			assert_string_equal(line_a, line_b);
	} while (line_a);
	free(a);
	free(b);
}

/* Many files of the program are open meanwhile. */
static void test_command(void **state)
{
	struct output out;

	(void)state;
	live_open(1 << 10);
	out = run_program(true, 0, "%s strange %s tell %s/direct", inherits, inherits, folder.base);
	assert_string_equal(out.text, "");
	free(out.text);
	out = run_program(true, 0, "%s strange %s --device %s --record %s --export csv --output %s/lives -- %s tell %s/followed",
			  inherits, program, live_path, folder.path, folder.base, inherits, folder.base);
	free(out.text);
	expect_same("direct", "followed");
}

/* A command line for a shell, since words of start_program() have no spaces. */
static const char *script(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

static const char *script(const char *name, const char *format, ...)
{
	static char path[2 * PATH_MAX];
	char line[4 * PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	snprintf(path, sizeof(path), "%s/%s", folder.base, name);
	write_file_text(path, line);
	return path;
}

/* Its standard input is /dev/null although the caller has closed its own; its output is standard error. */
static void test_exec(void **state)
{
	struct output out = { NULL, 0, 0 };
	char options[5 * PATH_MAX], *told;
	FILE *lines;
	pid_t pid;
	int fds[2];

	(void)state;
	live_open(1 << 10);
	snprintf(options, sizeof(options), "%s strange sh %s", inherits,
		 script("direct.sh", "exec %s tell %s/direct </dev/null >&2\n", inherits, folder.base));
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = start_program(options, fds[1], STDERR_FILENO, 0);
	close(fds[1]);
	collect_output(pid, fds[0], &out);
	close(fds[0]);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	snprintf(options, sizeof(options), "%s strange %s --device %s --on failed --duration 1s --json --exec "
		 "exec${IFS}%s${IFS}tell${IFS}%s/reaction", inherits, program, live_path, inherits, folder.base);
	pid = start_program(options, fds[1], STDERR_FILENO, 0);
	close(fds[1]);
	lines = fdopen(fds[0], "r");
	free(next(lines, "trace"));
	put_zombie(4000);
	collect_output(pid, fileno(lines), &out);
	fclose(lines);
	free(out.text);
	expect_same("direct", "reaction");
	told = read_all("reaction");
	assert_non_null(strstr(told, "/proc/self/fd/0: /dev/null\n"));
	free(told);
}

/* No file of the program gets the number of a closed standard stream, so that messages do not go there. */
static void test_closed(void **state)
{
	char path[64], target[PATH_MAX];
	struct output out;
	pid_t pid;

	(void)state;
	live_open(1 << 10);
	live_story(1);
	snprintf(target, sizeof(target), "sh %s",
		 script("closed.sh", "exec %s --device %s --record %s --lives <&- >&- 2>&-\n", program, live_path,
			folder.path));
	pid = start_program(target, STDERR_FILENO, STDERR_FILENO, 0);
	usleep(500000);
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
		n = readlink(path, target, sizeof(target) - 1);
		assert_int_equal(n, 1); /* "/", for nothing but its path */
	}
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	out = run_program(true, 0, "sh %s", script("unprinted.sh", "exec %s --device %s --lives --history --duration 100ms >&-\n",
						   program, live_path));
	assert_string_equal(out.text, "proclife-read: standard output: Bad file descriptor\n");
	assert_int_equal(out.status, 1);
	free(out.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIVE(test_command),
		LIVE(test_exec),
		LIVE(test_closed),
	};

	if (find_program())
		return 1;
	find_workload(inherits, "inherits");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
