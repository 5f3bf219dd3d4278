// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ends that another process than the parent learns of first, or that no process waits for:
 *   notices traced MS        builder waits for job, which debugger has seized; debugger waits MS after its end
 *   notices thread MS        builder waits for job; debugger has seized one of its threads, and not waited for it
 *   notices inherited MS     parent leaves its zombie, left, to heir, which waits MS after that
 *   notices stuck MS KIND    shim keeps a zombie of a PID namespace for MS, and only then waits for its init. The
 *                            zombie is shim's child ("parent"), or a child of the init that shim traces ("tracer")
 *   notices wanted MS HOW    keeper waits for busy alone, for MS, by its "pid", its "group" or a "pidfd"; ended is a zombie
 *   notices ignored          500 children that no process has to wait for
 * Each prints the PIDs of the processes that are named here.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Shared by processes, some of which are in another PID namespace. */
static volatile struct {
	pid_t job;
	int ready;
	int go;
} *shared;

static void fail(const char *what)
{
	perror(what);
	_exit(1);
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

static void until(volatile int *word)
{
	while (!*word)
		sleep_ms(1);
}

static void be(const char *name)
{
	prctl(PR_SET_NAME, name);
	printf("%s %d\n", name, (int)getpid());
	fflush(stdout);
}

static pid_t start(const char *name)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (!pid)
		be(name);
	return pid;
}

static void reap(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		fail("waitpid");
}

static int until_dead(pid_t pid)
{
	siginfo_t info;

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | __WALL);
}

/* As long as a task is traced, its tracer is notified of its end, and its parent is not. */
static int traced(long ms)
{
	pid_t debugger, job;

	be("builder");
	job = start("job");
	if (!job) {
		until(&shared->ready);
		sleep_ms(50);
		_exit(3);
	}
	debugger = start("debugger");
	if (!debugger) {
		if (ptrace(PTRACE_SEIZE, job, 0, 0))
			fail("PTRACE_SEIZE");
		shared->ready = 1;
		if (until_dead(job))
			fail("waitid");
		sleep_ms(ms);
		reap(job);
		sleep_ms(300);
		_exit(0);
	}
	reap(job);
	reap(debugger);
	return 0;
}

static void *run_worker(void *data)
{
	(void)data;
	prctl(PR_SET_NAME, "worker");
	printf("worker %d\n", (int)gettid());
	fflush(stdout);
	shared->job = gettid();
	until(&shared->go);
	return NULL;
}

/* All of a process has to be reaped before its parent is notified, and a traced thread by its tracer. */
static int thread_is_traced(long ms)
{
	pid_t debugger, job;

	be("builder");
	job = start("job");
	if (!job) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run_worker, NULL))
			fail("pthread_create");
		until(&shared->ready);
		sleep_ms(50);
		_exit(6);
	}
	until((volatile int *)&shared->job);
	debugger = start("debugger");
	if (!debugger) {
		if (ptrace(PTRACE_SEIZE, shared->job, 0, 0))
			fail("PTRACE_SEIZE");
		shared->ready = 1;
		sleep_ms(ms);
		if (waitpid(shared->job, NULL, __WALL) != shared->job)
			fail("waitpid");
		sleep_ms(300);
		_exit(0);
	}
	reap(job);
	reap(debugger);
	return 0;
}

static int inherited(long ms)
{
	pid_t parent, left;

	be("heir");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	parent = start("parent");
	if (!parent) {
		left = start("left");
		if (!left)
			_exit(4);
		shared->job = left;
		if (until_dead(left))
			fail("waitid");
		sleep_ms(200);
		_exit(0);
	}
	reap(parent);
	sleep_ms(ms);
	reap(shared->job);
	return 0;
}

/* The init of a PID namespace. It ends on request, and with it all others there. */
static void init_of_namespace(bool with_child)
{
	prctl(PR_SET_NAME, "stuck-init");
	signal(SIGCHLD, SIG_IGN);
	if (with_child) {
		pid_t child = fork();

		if (child < 0)
			fail("fork");
		if (!child) {
			prctl(PR_SET_NAME, "blocker");
			for (;;)
				pause();
		}
	}
	shared->ready = 1;
	until(&shared->go);
	_exit(0);
}

/* The PID of the only child of @parent, as it is here. */
static pid_t child_of(pid_t parent)
{
	char path[64];
	int pid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%d", &pid) != 1)
		fail(path);
	fclose(file);
	return pid;
}

static int stuck(long ms, bool by_tracer)
{
	pid_t blocker = 0, init;

	be("shim");
	if (unshare(CLONE_NEWPID))
		fail("unshare");
	init = fork();
	if (init < 0)
		fail("fork");
	if (!init)
		init_of_namespace(by_tracer);
	printf("stuck-init %d\n", (int)init);
	until(&shared->ready);
	if (by_tracer) {
		blocker = child_of(init);
		if (ptrace(PTRACE_SEIZE, blocker, 0, 0))
			fail("PTRACE_SEIZE");
	} else {
		/* Children forked from here on are in that namespace, too. */
		blocker = fork();
		if (blocker < 0)
			fail("fork");
		if (!blocker) {
			prctl(PR_SET_NAME, "blocker");
			_exit(0);
		}
	}
	printf("blocker %d\n", (int)blocker);
	fflush(stdout);
	if (!by_tracer && until_dead(blocker))
		fail("waitid");
	shared->go = 1;
	sleep_ms(ms);
	reap(blocker);
	reap(init);
	return 0;
}

static int wanted(long ms, const char *how)
{
	pid_t busy, ended;

	be("keeper");
	busy = start("busy");
	if (!busy) {
		setpgid(0, 0);
		shared->ready = 1;
		sleep_ms(ms);
		_exit(0);
	}
	until(&shared->ready);
	ended = start("ended");
	if (!ended)
		_exit(3);
	if (until_dead(ended))
		fail("waitid");
	if (!strcmp(how, "pidfd")) {
		int fd = (int)syscall(SYS_pidfd_open, busy, 0);
		siginfo_t info;

		if (fd < 0 || waitid((idtype_t)3, (id_t)fd, &info, WEXITED)) /* P_PIDFD, from glibc 2.36 on */
			fail("waitid");
	} else if (waitpid(!strcmp(how, "group") ? -busy : busy, NULL, 0) != busy) {
		fail("waitpid");
	}
	reap(ended);
	return 0;
}

static int ignored(void)
{
	for (int i = 0; i < 500; i++) {
		struct sigaction action = {
			.sa_handler = i % 2 ? SIG_IGN : SIG_DFL,
			.sa_flags = i % 2 ? 0 : SA_NOCLDWAIT,
		};
		pid_t pid;

		sigaction(SIGCHLD, &action, NULL);
		pid = fork();
		if (pid < 0)
			fail("fork");
		if (!pid)
			_exit(i % 100);
	}
	while (wait(NULL) != -1 || errno != ECHILD)
		;
	return 0;
}

int main(int argc, char **argv)
{
	long ms = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		fail("mmap");
	if (argc > 2 && !strcmp(argv[1], "traced"))
		return traced(ms);
	if (argc > 2 && !strcmp(argv[1], "thread"))
		return thread_is_traced(ms);
	if (argc > 2 && !strcmp(argv[1], "inherited"))
		return inherited(ms);
	if (argc > 3 && !strcmp(argv[1], "stuck"))
		return stuck(ms, !strcmp(argv[3], "tracer"));
	if (argc > 3 && !strcmp(argv[1], "wanted"))
		return wanted(ms, argv[3]);
	if (argc > 1 && !strcmp(argv[1], "ignored"))
		return ignored();
	return 2;
}
