// SPDX-License-Identifier: GPL-2.0-only
/*
 * stall LOG BEGIN-FILE BEGIN-TEXT COMMAND [ARG...] - runs the emulator COMMAND and, once the text
 * is in the file, stops one of its virtual CPUs at a time, at random, for 30 to 500 ms, again and
 * again, like a hypervisor with too few CPUs. Each time is a line in LOG. The emulator is a
 * child, so that it can be traced where only children can; it ends with this program.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CPUS_MAX 64

static pid_t child;

/* Ends with the emulator's status. */
static void end(int status)
{
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	exit(WEXITSTATUS(status));
}

static void pause_ms(uint32_t ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	int status;

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
	if (waitpid(child, &status, WNOHANG) == child && (WIFEXITED(status) || WIFSIGNALED(status)))
		end(status);
}

static uint32_t between(uint32_t low, uint32_t high)
{
	uint32_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		err(1, "getrandom");
	return low + random % (high - low + 1);
}

static bool contains(const char *file, const char *text)
{
	FILE *f = fopen(file, "re");
	char line[512];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, text);
	if (f)
		fclose(f);
	return found;
}

/* Finds the threads that are virtual CPUs, which the emulator names "CPU n/TCG" or "CPU n/KVM". */
static unsigned int find_cpus(pid_t *tids)
{
	char path[64], name[32];
	unsigned int n = 0;
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", child);
	tasks = opendir(path);
	while (tasks && n < CPUS_MAX && (entry = readdir(tasks))) {
		FILE *comm;

		snprintf(path, sizeof(path), "/proc/%d/task/%.16s/comm", child, entry->d_name);
		comm = fopen(path, "re");
		if (!comm)
			continue;
		if (fgets(name, sizeof(name), comm) && !strncmp(name, "CPU ", 4))
			tids[n++] = atoi(entry->d_name);
		fclose(comm);
	}
	if (tasks)
		closedir(tasks);
	return n;
}

/* Stops this thread, and no other one of the process. */
static bool stop(pid_t tid, int *signo)
{
	int status;

	if (ptrace(PTRACE_SEIZE, tid, 0, PTRACE_O_EXITKILL))
		return false;
	if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) || waitpid(tid, &status, __WALL) != tid)
		err(1, "a virtual CPU cannot be stopped");
	if (!WIFSTOPPED(status))
		return false;
	/* A signal that it was about to get is delivered when it goes on. */
	*signo = status >> 16 ? 0 : WSTOPSIG(status);
	return true;
}

int main(int argc, char *argv[])
{
	pid_t tids[CPUS_MAX];
	unsigned int cpus;
	FILE *log;

	if (argc < 5)
		errx(129, "usage: stall LOG BEGIN-FILE BEGIN-TEXT COMMAND [ARG...]");
	log = fopen(argv[1], "ae");
	if (!log)
		err(1, "%s", argv[1]);
	setlinebuf(log);
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execvp(argv[4], argv + 4);
		err(127, "%s", argv[4]);
	}
	while (!contains(argv[2], argv[3]))
		pause_ms(200);
	cpus = find_cpus(tids);
	if (!cpus)
		errx(1, "%s has no threads that are virtual CPUs", argv[4]);
	for (;;) {
		uint32_t cpu = between(0, cpus - 1), ms = between(30, 100);
		int signo;

		/* Most stops are short, so that there are many; some are not. */
		if (!between(0, 9))
			ms *= 5;
		if (stop(tids[cpu], &signo)) {
			pause_ms(ms);
			ptrace(PTRACE_DETACH, tids[cpu], 0, signo);
			fprintf(log, "%u %u\n", cpu, ms);
		}
		pause_ms(between(10, 40));
	}
}
