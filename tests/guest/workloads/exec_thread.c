// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec_thread [PROCESSES [EXECS]]: processes that exec themselves over and over while they have
 * threads: from a thread while the leader sleeps, from one while the leader exits, or from the
 * leader. The pids of a thread that execs and of its leader are exchanged.
 */
#include <pthread.h>
#include <sys/syscall.h>

#include "truth/told.h"

#define THREADS 4 /* besides the leader */

static char program[4096];
static char left_text[16];
static char status_text[16];

static void exec_next(void)
{
	execl(program, program, "--chain", left_text, status_text, NULL);
	err(1, "%s", program);
}

static void *exec_in_thread(void *arg)
{
	(void)arg;
	exec_next();
	return NULL;
}

static void *sleep_in_thread(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static void start(void *(*function)(void *))
{
	pthread_t t;

	while (pthread_create(&t, NULL, function, NULL))
		usleep(1000);
}

static void chain(int left, int status)
{
	int i;

	if (!left) {
		prctl(PR_SET_NAME, "chain end");
		truth_exit(status);
	}
	snprintf(left_text, sizeof(left_text), "%d", left - 1);
	snprintf(status_text, sizeof(status_text), "%d", status);
	for (i = 0; i < THREADS - 1; i++)
		start(sleep_in_thread);
	start(left % 3 == 2 ? sleep_in_thread : exec_in_thread);
	if (left % 3 == 2)
		exec_next();
	if (left % 3 == 1)
		syscall(SYS_exit, 0);
	sleep_in_thread(NULL);
}

int main(int argc, char **argv)
{
	int n, execs, i;
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (len < 0)
		err(1, "/proc/self/exe");
	if (argc == 4)
		chain(atoi(argv[2]), atoi(argv[3]));

	n = truth_argument(argc, argv, 1, 40);
	execs = truth_argument(argc, argv, 2, 6);
	for (i = 0; i < n; i++) {
		struct truth t;

		if (!truth_fork(&t, "chain end"))
			chain(execs, i % 100);
		t.threads = 1 + THREADS * execs;
		t.execs = execs;
		truth_reap(&t);
		if (t.status != (i % 100) << 8)
			errx(1, "chain %d: wait status %#x", i, t.status);
	}
	return truth_total(n, n * THREADS * execs);
}
