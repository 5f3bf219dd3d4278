// SPDX-License-Identifier: GPL-2.0-only
#include "program.h"
#include "check.h"

#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

char program[PATH_MAX];

int find_program(void)
{
	char own[PATH_MAX] = "";
	char *build;

	/* A test is B/tests/unit/test_NAME; the program is B/proclife-read. */
	if (readlink("/proc/self/exe", own, sizeof(own) - 1) < 0) {
		perror("/proc/self/exe");
		return -1;
	}
	build = dirname(dirname(dirname(own)));
	if (snprintf(program, PATH_MAX, "%s/proclife-read", build) >= PATH_MAX) {
		fprintf(stderr, "%s: the path is too long\n", build);
		return -1;
	}
	setenv("LC_ALL", "C", 1);
	unsetenv("COLUMNS");
	return 0;
}

void find_workload(char path[PATH_MAX], const char *name)
{
	int length = (int)(strrchr(program, '/') - program);

	assert_true(snprintf(path, PATH_MAX, "%.*s/tests/guest/workloads/%s", length, program, name) < PATH_MAX);
}

pid_t start_program(const char *line, int out, int err, size_t limit)
{
	char copy[3 * PATH_MAX], *words[128];
	pid_t pid;
	int n = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
		assert_true(n < 127);
		words[n++] = word;
	}
	words[n] = NULL;
	pid = fork();
	assert_true(pid >= 0);
	if (pid)
		return pid;
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	closefrom(STDERR_FILENO + 1); /* some tests limit its open files */
	alarm(180);
	signal(SIGINT, SIG_DFL); /* ignored, if the tests run in the background of a script */
	if (limit)
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ limit, limit });
	execvp(words[0], words);
	_exit(99);
}

void collect_output(pid_t pid, int fd, struct output *output)
{
	size_t room = 0;
	ssize_t n = 1;
	int status;

	for (output->size = 0; n > 0; output->size += n > 0 ? n : 0) {
		if (output->size + 65536 >= room) {
			room = 2 * room + 131072;
			output->text = realloc(output->text, room);
			assert_non_null(output->text);
		}
		n = read(fd, output->text + output->size, 65536);
	}
	output->text[output->size] = '\0';
	assert_int_equal(waitpid(pid, &status, 0), pid);
	output->status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

struct output run_program(bool errors, size_t limit, const char *format, ...)
{
	int null = open("/dev/null", O_WRONLY), fds[2];
	struct output output = { NULL, 0, 0 };
	char line[3 * PATH_MAX];
	va_list args;
	pid_t pid;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = start_program(line, errors ? null : fds[1], errors ? fds[1] : null, limit);
	close(fds[1]);
	close(null);
	collect_output(pid, fds[0], &output);
	close(fds[0]);
	return output;
}

unsigned int count_text(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}
