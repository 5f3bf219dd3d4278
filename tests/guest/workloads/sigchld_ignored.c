// SPDX-License-Identifier: GPL-2.0-only
/*
 * sigchld_ignored [CHILDREN]: children that no process waits for, since the parent ignores SIGCHLD or
 * has SA_NOCLDWAIT: the kernel reaps each as it dies. Some have a thread that outlives the leader
 * and releases it.
 */
#include <pthread.h>
#include <sys/syscall.h>

#include "truth/told.h"

static void *outlive(void *arg)
{
	usleep(500);
	truth_exit(*(int *)arg);
}

static void child(bool thread, int code)
{
	static int status;
	pthread_t t;

	status = code;
	if (!thread)
		truth_exit(status);
	while (pthread_create(&t, NULL, outlive, &status))
		usleep(1000);
	syscall(SYS_exit, status);
}

int main(int argc, char **argv)
{
	int n = truth_argument(argc, argv, 1, 500);
	int threads = 0;
	int i;

	for (i = 0; i < n; i++) {
		struct sigaction action = {
			.sa_handler = i % 2 ? SIG_IGN : SIG_DFL,
			.sa_flags = i % 2 ? 0 : SA_NOCLDWAIT,
		};
		bool thread = i % 8 >= 6;
		struct truth t;

		sigaction(SIGCHLD, &action, NULL);
		if (!truth_fork(&t, "ignored"))
			child(thread, i % 100);
		t.reaper = t.pid;
		t.status = (i % 100) << 8;
		t.threads = thread ? 2 : 1;
		threads += thread;
		truth_write(&t);
	}
	truth_wait_all();
	return truth_total(n, threads);
}
