// SPDX-License-Identifier: GPL-2.0-only
/*
 * causes CASE [ARG...]: processes whose killers and programs are known. Each prints the PIDs
 * that its check needs.
 *
 * thread: a thread named "worker" forks a child, kills it and reaps it, all in this process, named "warden".
 * parent: a child has SIGTERM as its parent-death signal, and its parent, named "keeper", ends.
 * key: ^C is typed on the terminal of a child, which executes ARG...
 * hangup: the other side of that terminal is closed.
 * descriptor: executes ARG... by a file descriptor of the first one.
 * chain N: executes itself N times, one after the other.
 */
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static pid_t start(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	return pid;
}

static void *work(void *data)
{
	pid_t pid;

	(void)data;
	if (pthread_setname_np(pthread_self(), "worker"))
		fail("pthread_setname_np");
	pid = start();
	if (!pid)
		for (;;)
			pause();
	usleep(100000);
	printf("%d %d %d\n", (int)pid, (int)getpid(), (int)gettid());
	if (kill(pid, SIGKILL) || waitpid(pid, NULL, 0) != pid)
		fail("kill");
	return NULL;
}

static void run_thread(void)
{
	pthread_t thread;

	if (prctl(PR_SET_NAME, "warden") || pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
		fail("pthread_create");
}

/* This process adopts the child, and reaps it. */
static void run_parent(void)
{
	int ready[2], status;
	pid_t parent, child;
	char c = 0;

	if (pipe(ready) || prctl(PR_SET_CHILD_SUBREAPER, 1))
		fail("prctl");
	parent = start();
	if (!parent) {
		prctl(PR_SET_NAME, "keeper");
		child = start();
		if (!child) {
			prctl(PR_SET_PDEATHSIG, SIGTERM);
			if (write(ready[1], &c, 1) != 1)
				fail("write");
			for (;;)
				pause();
		}
		if (read(ready[0], &c, 1) != 1)
			fail("read");
		printf("%d %d\n", (int)child, (int)getpid());
		fflush(stdout);
		_exit(0);
	}
	while (wait(&status) > 0)
		;
}

static void run_on_terminal(char **argv, int close_it)
{
	int master;
	pid_t pid = forkpty(&master, NULL, NULL, NULL);

	if (pid < 0)
		fail("forkpty");
	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	usleep(500000);
	printf("%d %d\n", (int)pid, (int)getpid());
	if (close_it)
		close(master);
	else if (write(master, "\003", 1) != 1)
		fail("write");
	waitpid(pid, NULL, 0);
}

static void run_descriptor(char **argv)
{
	int fd = open(argv[0], O_RDONLY | O_CLOEXEC);

	printf("%d\n", (int)getpid());
	fflush(stdout);
	fexecve(fd, argv, environ);
	fail("fexecve");
}

static void run_chain(const char *name, int left)
{
	char text[12];

	if (!left) {
		printf("%d\n", (int)getpid());
		return;
	}
	snprintf(text, sizeof(text), "%d", left - 1);
	execl(name, name, "chain", text, NULL);
	fail("execl");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "thread"))
		run_thread();
	else if (!strcmp(what, "parent"))
		run_parent();
	else if (!strcmp(what, "key") && argc > 2)
		run_on_terminal(argv + 2, 0);
	else if (!strcmp(what, "hangup") && argc > 2)
		run_on_terminal(argv + 2, 1);
	else if (!strcmp(what, "descriptor") && argc > 2)
		run_descriptor(argv + 2);
	else if (!strcmp(what, "chain") && argc > 2)
		run_chain(argv[0], atoi(argv[2]));
	else
		return 129;
	return 0;
}
