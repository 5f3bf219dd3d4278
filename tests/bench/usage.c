// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage FILE COMMAND [ARG...]: run the command and write to the end of FILE one line of what it
 * used: wall-clock time, user and system time (ns), peak resident set (KiB), and its status.
 *
 * SIGINT and SIGTERM are passed on to the command.
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t command;

static void pass_on(int signal)
{
	kill(command, signal);
}

static unsigned long long ns_of(struct timeval t)
{
	return t.tv_sec * 1000000000ULL + t.tv_usec * 1000;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = pass_on, .sa_flags = SA_RESTART };
	struct timespec began, ended;
	struct rusage used;
	int status;
	FILE *f;

	if (argc < 3)
		errx(129, "usage: usage FILE COMMAND [ARG...]");
	f = fopen(argv[1], "ae");
	if (!f)
		err(1, "%s", argv[1]);
	clock_gettime(CLOCK_MONOTONIC, &began);
	command = fork();
	if (command < 0)
		err(1, "fork");
	if (!command) {
		/* A shell makes its background jobs ignore SIGINT. */
		signal(SIGINT, SIG_DFL);
		execvp(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (wait4(command, &status, 0, &used) != command)
		err(1, "%s", argv[2]);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	fprintf(f, "%llu %llu %llu %ld %d\n",
		(ended.tv_sec - began.tv_sec) * 1000000000ULL + ended.tv_nsec - began.tv_nsec,
		ns_of(used.ru_utime), ns_of(used.ru_stime), used.ru_maxrss, status);
	if (fclose(f))
		err(1, "%s", argv[1]);
	return status;
}
