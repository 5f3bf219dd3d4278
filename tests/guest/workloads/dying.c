// SPDX-License-Identifier: GPL-2.0-only
/*
 * dying leader|killed|held: a process that does not die, as long as this one lives. It prints the PID
 * of that process, and of its tracer.
 *
 * leader: its leader has exited with status 3, and a thread waits in a pipe for ever.
 * killed: it got SIGKILL, and its tracer holds it where it begins to exit.
 * held: SIGTERM has ended it, and a tracer that is not its parent does not wait for it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void say(pid_t pid, pid_t tracer)
{
	printf("%d %d\n", (int)pid, (int)tracer);
	fflush(stdout);
}

/* Forks a child that is killed when its parent ends; returns 0 in the child. */
static pid_t start(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static void sleep_for_ever(void)
{
	for (;;)
		pause();
}

static void *wait_in_pipe(void *data)
{
	int ends[2];
	char c;

	(void)data;
	if (pipe(ends))
		fail("pipe");
	say(getpid(), 0);
	while (read(ends[0], &c, 1) < 0)
		;
	return NULL;
}

static void leader(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, wait_in_pipe, NULL))
		fail("pthread_create");
	syscall(SYS_exit, 3);
}

static void killed(void)
{
	pid_t victim = start();
	int status;

	if (!victim)
		sleep_for_ever();
	if (ptrace(PTRACE_SEIZE, victim, 0, PTRACE_O_TRACEEXIT))
		fail("ptrace");
	if (kill(victim, SIGKILL))
		fail("kill");
	if (waitpid(victim, &status, 0) != victim ||
	    status >> 8 != (SIGTRAP | PTRACE_EVENT_EXIT << 8))
		fail("not stopped");
	say(victim, getpid());
	sleep_for_ever();
}

static void held(void)
{
	pid_t victim = start(), tracer;
	siginfo_t info;
	int ready[2];
	char c;

	if (!victim)
		sleep_for_ever();
	if (pipe(ready))
		fail("pipe");
	tracer = start();
	if (!tracer) {
		if (ptrace(PTRACE_SEIZE, victim, 0, 0))
			fail("ptrace");
		kill(victim, SIGTERM);
		/* The victim stops for the signal, and then ends by it. */
		waitpid(victim, NULL, __WALL);
		ptrace(PTRACE_CONT, victim, 0, SIGTERM);
		waitid(P_PID, (id_t)victim, &info, WEXITED | WNOWAIT | __WALL);
		if (write(ready[1], "", 1) != 1)
			fail("write");
		sleep_for_ever();
	}
	if (read(ready[0], &c, 1) != 1)
		fail("read");
	say(victim, tracer);
	sleep_for_ever();
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";

	if (!strcmp(which, "leader"))
		leader();
	else if (!strcmp(which, "killed"))
		killed();
	else if (!strcmp(which, "held"))
		held();
	fprintf(stderr, "usage: dying leader|killed|held\n");
	return 1;
}
