// SPDX-License-Identifier: GPL-2.0-only
/*
 * run SECONDS COMMAND [ARG...]: executes COMMAND, which is killed after this time, and writes what is true of it, but
 * for its threads, execs and name. Reaps what becomes its child, too. Exits with COMMAND's status.
 */
#include "truth/told.h"

static struct truth command;

static void on_alarm(int signal)
{
	(void)signal;
	kill(command.pid, SIGKILL);
}

int main(int argc, char **argv)
{
	struct truth ended;
	pid_t pid;

	if (argc < 3)
		errx(129, "usage: run SECONDS COMMAND [ARG...]");
	if (!truth_fork(&command, "")) {
		execvp(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	command.threads = 0;
	signal(SIGALRM, on_alarm);
	alarm((unsigned int)atoi(argv[1]));
	for (ended = command; (pid = truth_wait_for(&ended, -1, NULL));) {
		if (pid != command.pid)
			continue;
		alarm(0);
		command = ended;
		truth_write(&command);
	}
	return WIFEXITED(command.status) ? WEXITSTATUS(command.status) : 128 + WTERMSIG(command.status);
}
