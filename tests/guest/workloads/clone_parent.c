// SPDX-License-Identifier: GPL-2.0-only
/* clone_parent [ROUNDS]: processes that become their creator's siblings (CLONE_PARENT). */
#include <sched.h>
#include <sys/syscall.h>

#include "truth/told.h"

/* The parent will have to reap it. */
static void clone_sibling(const char *name, int status)
{
	struct truth t;
	pid_t pid;

	do {
		truth_begin(&t, name);
		pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
	} while (!truth_end(&t, pid));
	if (!pid)
		truth_exit(status);
	t.parent = getppid();
	t.reaper = getppid();
	t.status = status << 8;
	truth_write(&t);
}

int main(int argc, char **argv)
{
	int n = truth_argument(argc, argv, 1, 100);
	int i;

	for (i = 0; i < n; i++) {
		struct truth maker;

		if (!truth_fork(&maker, "maker")) {
			clone_sibling("sibling", 1);
			clone_sibling("sibling", 2);
			truth_exit(3);
		}
		truth_reap(&maker);
		truth_wait_all();
		if (i % 10 == 0)
			clone_sibling("uncle", 4);
	}
	return truth_total(3 * n + (n + 9) / 10, 0);
}
