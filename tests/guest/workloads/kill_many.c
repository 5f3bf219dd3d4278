// SPDX-License-Identifier: GPL-2.0-only
/* kill_many [AT-ONCE [ROUNDS]]: a process group that one SIGKILL ends, and that is reaped after. */
#include "truth/told.h"

static void round_of(struct truth *victims, int n)
{
	pid_t group = 0;
	uint64_t killed;
	int i;

	for (i = 0; i < n; i++) {
		/* Some never run before they are killed: their name must be ours. */
		if (!truth_fork(&victims[i], "kill_many"))
			for (;;)
				pause();
		if (!group)
			group = victims[i].pid;
		if (setpgid(victims[i].pid, group))
			err(1, "setpgid");
	}
	killed = truth_now();
	if (kill(-group, SIGKILL))
		err(1, "kill");
	for (i = 0; i < n; i++) {
		victims[i].killed = killed;
		truth_reap(&victims[i]);
	}
}

int main(int argc, char **argv)
{
	int n = truth_argument(argc, argv, 1, 1000);
	int rounds = truth_argument(argc, argv, 2, 1);
	int i;
	struct truth *victims = calloc(n, sizeof(*victims));

	if (!victims)
		err(1, "calloc");
	for (i = 0; i < rounds; i++)
		round_of(victims, n);
	free(victims);
	return truth_total(n * rounds, 0);
}
