// SPDX-License-Identifier: GPL-2.0-only
/*
 * tests/hook/exchange - takes a snapshot while a thread that execs has its leader's pid, and is not the
 * leader yet: each task is in the snapshot once. Needs slow_exec.ko and two CPUs. Exit status: 0 if it is.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <proclife/abi.h>

#define CAPACITY 4096
#define EXCHANGES "/sys/module/slow_exec/parameters/exchanges"

static struct proclife_record records[CAPACITY];

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void pin(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
}

static unsigned int exchanges(int fd)
{
	char text[16] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		die(EXCHANGES);
	return (unsigned int)atoi(text);
}

static void *exec(void *data)
{
	prctl(PR_SET_NAME, "exchange");
	execl("/bin/true", "true", NULL);
	die("/bin/true");
	return data;
}

/* The second thread execs. */
static void child(void)
{
	pthread_t thread;

	pin(0);
	if (pthread_create(&thread, NULL, exec, NULL))
		die("pthread_create");
	for (;;)
		pause();
}

/* Prints the tasks that are in the snapshot twice, and returns how many. */
static unsigned int twice(unsigned int count)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < count; i++)
		for (unsigned int j = 0; j < i; j++)
			if (records[i].task == records[j].task) {
				printf("twice: pid %u of process %u, and pid %u of %u\n", records[j].pid,
				       records[j].tgid, records[i].pid, records[i].tgid);
				found++;
			}
	return found;
}

static bool look(int device, int fd, int exit_signal)
{
	struct proclife_snapshot snapshot = {
		.records = (uintptr_t)records,
		.capacity = CAPACITY,
		.record_bytes = sizeof(*records),
	};
	unsigned int before = exchanges(fd), at, of_child = 0, wrong;
	pid_t pid = (pid_t)syscall(SYS_clone, exit_signal, NULL, NULL, NULL, NULL);

	if (pid < 0)
		die("clone");
	if (!pid)
		child();
	while (exchanges(fd) == before)
		;
	at = exchanges(fd);
	if (ioctl(device, PROCLIFE_IOC_SNAPSHOT, &snapshot))
		die("PROCLIFE_IOC_SNAPSHOT");
	if (waitpid(pid, NULL, __WALL) != pid)
		die("waitpid");
	if (at != before + 1) {
		fprintf(stderr, "too late: the exchange was over\n");
		return false;
	}
	for (unsigned int i = 0; i < snapshot.count; i++)
		of_child += records[i].tgid == (uint32_t)pid && records[i].pid == (uint32_t)pid;
	wrong = twice(snapshot.count);
	printf("signal %d: %u tasks, %u of the process that execs, %u twice\n", exit_signal, snapshot.count,
	       of_child, wrong);
	return of_child == 1 && !wrong;
}

int main(void)
{
	int device = open("/dev/proclife", O_RDONLY | O_CLOEXEC), fd = open(EXCHANGES, O_RDONLY | O_CLOEXEC);
	bool well = true;

	if (device < 0)
		die("/dev/proclife");
	if (fd < 0)
		die(EXCHANGES);
	pin(1);
	for (int i = 0; i < 3; i++)
		/* 0: its parent wants no signal when it ends. */
		well = look(device, fd, SIGCHLD) && look(device, fd, 0) && well;
	return well ? 0 : 1;
}
