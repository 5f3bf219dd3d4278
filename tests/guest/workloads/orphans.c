// SPDX-License-Identifier: GPL-2.0-only
/*
 * Children for a program that did not fork them.
 *
 * orphans brings COMMAND...: executes COMMAND, which then has three children: one that has ended, one that
 *     ends soon and one that ends soon without SIGCHLD. COMMAND is also the reaper of orphans below it.
 * orphans leaves STATUS: as a command, it leaves two for its parent: a sibling (CLONE_PARENT) and an orphan,
 *     which both end a little later than it does, with status 3.
 */
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOON 500000 /* us */

/* Makes a child that ends with status 3 after this many microseconds. Its name is not its parent's. */
static void make_child(unsigned long flags, const char *name, useconds_t after)
{
	pid_t pid = syscall(SYS_clone, flags, 0, 0, 0, 0);

	if (pid < 0)
		err(1, "clone");
	if (pid)
		return;
	prctl(PR_SET_NAME, name);
	if (after)
		usleep(after);
	_exit(3);
}

static void bring(char **command)
{
	siginfo_t info;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		err(1, "PR_SET_CHILD_SUBREAPER");
	make_child(SIGCHLD, "brought-dead", 0);
	/* Makes sure that it is a zombie before COMMAND can wait for its SIGCHLD. */
	if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT))
		err(1, "waitid");
	make_child(SIGCHLD, "brought", SOON);
	make_child(0, "brought-silent", SOON);
	execvp(command[0], command);
	err(127, "%s", command[0]);
}

static void leave(int status)
{
	pid_t pid;

	make_child(CLONE_PARENT | SIGCHLD, "sibling", SOON);
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		make_child(SIGCHLD, "orphan", SOON);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	exit(status);
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "brings"))
		bring(argv + 2);
	if (argc == 3 && !strcmp(argv[1], "leaves"))
		leave(atoi(argv[2]));
	errx(2, "usage: orphans brings COMMAND... | leaves STATUS");
}
