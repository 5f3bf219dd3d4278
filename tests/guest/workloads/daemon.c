// SPDX-License-Identifier: GPL-2.0-only
/*
 * daemon [DAEMONS]: daemons by double fork, whose parent dies before them; half of them go to init
 * and half to this program as their subreaper.
 */
#include "truth/told.h"

static void be_daemon(struct truth *t)
{
	while (getppid() == t->parent)
		usleep(200);
	t->reaper = getppid();
	t->status = 5 << 8;
	truth_write(t);
	truth_exit(5);
}

static void make_daemon(void)
{
	struct truth middle, daemon;

	if (!truth_fork(&middle, "middle")) {
		setsid();
		if (!truth_fork(&daemon, "daemon"))
			be_daemon(&daemon);
		truth_exit(1);
	}
	truth_reap(&middle);
}

int main(int argc, char **argv)
{
	int n = truth_argument(argc, argv, 1, 200);
	int i;

	for (i = 0; i < n; i++) {
		prctl(PR_SET_CHILD_SUBREAPER, i % 2);
		make_daemon();
		/* Their number is bounded, so that pids do not run out. */
		if (i % 2)
			while (waitpid(-1, NULL, i % 16 == 15 ? 0 : WNOHANG) > 0)
				;
	}
	truth_wait_all();
	return truth_total(2 * n, 0);
}
