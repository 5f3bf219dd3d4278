// SPDX-License-Identifier: GPL-2.0-only
#include "check.h"
#include "sleeper.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The state, and the start in ticks. */
static char state_of(uint32_t pid, unsigned long long *start)
{
	char path[32], text[1024] = "", state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_int_equal(sscanf(strrchr(text, ')') + 2,
				"%c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
				"%*s %*s %llu", &state, start), 2);
	return state;
}

struct who sleeper_begin(const char *comm)
{
	struct who who = process_of_pid(0, comm);
	unsigned long long ticks;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	while (state_of((uint32_t)pid, &ticks) != 'S')
		usleep(1000);
	who.pid = (uint32_t)pid;
	who.tgid = (uint32_t)pid;
	who.start = ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK)) + 1;
	return who;
}

void sleeper_end(const struct who *sleeper)
{
	kill((pid_t)sleeper->pid, SIGKILL);
	waitpid((pid_t)sleeper->pid, NULL, 0);
}
