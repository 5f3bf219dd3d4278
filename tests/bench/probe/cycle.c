// SPDX-License-Identifier: GPL-2.0-only
/*
 * cycle N LEAF: print how many ns (under -icount: instructions) a process's life takes, as the median
 * and the mean of N: fork, _exit and waitpid; posix_spawn of LEAF, which ends at once, and waitpid;
 * pthread_create and pthread_join. The median is what each life takes, the mean also has its share
 * of what is done from time to time, such as by a reader. With "all N LEAF" the mean of the first
 * alone, on each CPU at once.
 */
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *leaf;

static void reap(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
}

static void cycle_fork(void)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid)
		_exit(0);
	reap(pid);
}

static void cycle_spawn(void)
{
	char *args[] = { leaf, NULL }, *environment[] = { NULL };
	pid_t pid;
	int error = posix_spawn(&pid, leaf, NULL, NULL, args, environment);

	if (error)
		errx(1, "posix_spawn %s: %s", leaf, strerror(error));
	reap(pid);
}

static void *end(void *unused)
{
	return unused;
}

static void cycle_thread(void)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, end, NULL);

	if (!error)
		error = pthread_join(thread, NULL);
	if (error)
		errx(1, "pthread: %s", strerror(error));
}

static unsigned long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	unsigned long long x = *(const unsigned long long *)a, y = *(const unsigned long long *)b;

	return x < y ? -1 : x > y;
}

/* Returns the mean. Runs a few first, to warm up. */
static double measure(void (*cycle)(void), int times, double *median)
{
	unsigned long long *took = calloc(times, sizeof(*took)), began, before, now = 0;
	int i;

	if (!took)
		err(1, "calloc");
	for (i = 0; i < times; i++)
		took[i] = 1; /* touched before its first use, which takes a page fault */
	for (i = 0; i < times / 10; i++)
		cycle();
	began = before = now_ns();
	for (i = 0; i < times; i++) {
		cycle();
		now = now_ns();
		took[i] = now - before;
		before = now;
	}
	qsort(took, times, sizeof(*took), compare);
	/* NOLINTNEXTLINE(bugprone-integer-division): of indices */
	*median = (took[(times - 1) / 2] + took[times / 2]) / 2.0;
	free(took);
	return (double)(now - began) / times;
}

/* One process for each CPU; they begin together. */
static double mean_of_all(int times)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), i;
	double median, *means = mmap(NULL, cpus * sizeof(*means), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0), sum = 0;
	int gate[2];
	char byte;

	if (means == MAP_FAILED || pipe(gate))
		err(1, "mmap, pipe");
	for (i = 0; i < cpus; i++) {
		cpu_set_t set;
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (pid)
			continue;
		CPU_ZERO(&set);
		CPU_SET(i, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			err(1, "sched_setaffinity");
		close(gate[1]);
		if (read(gate[0], &byte, 1))
			err(1, "read");
		means[i] = measure(cycle_fork, times, &median);
		_exit(0);
	}
	close(gate[1]);
	for (i = 0; i < cpus; i++) {
		int status;

		if (wait(&status) < 0 || status)
			errx(1, "a child failed");
	}
	for (i = 0; i < cpus; i++)
		sum += means[i];
	return sum / cpus;
}

static void print(void (*cycle)(void), int times)
{
	double median, mean = measure(cycle, times, &median);

	printf(" %.0f %.0f", median, mean);
}

int main(int argc, char **argv)
{
	int times;

	/* The number of page tables that a fork copies depends on where the pages lie. */
	if (personality(0xffffffff) != ADDR_NO_RANDOMIZE) {
		personality(ADDR_NO_RANDOMIZE);
		execv("/proc/self/exe", argv);
		err(1, "/proc/self/exe");
	}
	if (argc == 4 && !strcmp(argv[1], "all")) {
		printf("%.0f\n", mean_of_all(atoi(argv[2])));
		return 0;
	}
	times = argc == 3 ? atoi(argv[1]) : 0;
	if (times <= 0)
		errx(129, "usage: cycle [all] N LEAF");
	leaf = argv[2];
	print(cycle_fork, times);
	print(cycle_spawn, times);
	print(cycle_thread, times);
	puts("");
	return 0;
}
