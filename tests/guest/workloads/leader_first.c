// SPDX-License-Identifier: GPL-2.0-only
/*
 * leader_first [PROCESSES]: processes whose leader exits before their threads, which then return,
 * or end the process with another status, or are killed.
 */
#include <pthread.h>
#include <sys/syscall.h>

#include "truth/told.h"

#define THREADS 3

enum end { THREADS_RETURN, LEADER_PTHREAD_EXIT, EXIT_GROUP, KILLED, ENDS };

static int leader_tid; /* the kernel clears it as the leader exits */

/* Writes once, before any thread ends: a thread that is killed while it writes leaves half a line. */
static void tell_of_the_end(void)
{
	static bool begun, told;

	if (!__atomic_exchange_n(&begun, true, __ATOMIC_RELAXED)) {
		truth_ends();
		__atomic_store_n(&told, true, __ATOMIC_RELEASE);
	}
	while (!__atomic_load_n(&told, __ATOMIC_ACQUIRE))
		usleep(100);
}

static void *thread(void *arg)
{
	enum end end = *(enum end *)arg;

	while (__atomic_load_n(&leader_tid, __ATOMIC_ACQUIRE))
		usleep(200);
	usleep(500);
	tell_of_the_end();
	if (end == EXIT_GROUP)
		_exit(9);
	if (end == KILLED)
		kill(getpid(), SIGKILL);
	return NULL;
}

static void child(enum end end)
{
	static enum end how;
	int i;

	how = end;
	leader_tid = syscall(SYS_set_tid_address, &leader_tid);
	for (i = 0; i < THREADS; i++) {
		pthread_t t;

		while (pthread_create(&t, NULL, thread, &how))
			usleep(1000);
	}
	if (end == LEADER_PTHREAD_EXIT)
		pthread_exit(NULL);
	syscall(SYS_exit, 7);
}

int main(int argc, char **argv)
{
	int n = truth_argument(argc, argv, 1, 200);
	int i;

	for (i = 0; i < n; i++) {
		struct truth t;

		if (!truth_fork(&t, "leader"))
			child(i % ENDS);
		t.threads = 1 + THREADS;
		truth_reap(&t);
	}
	return truth_total(n, n * THREADS);
}
