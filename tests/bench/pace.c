// SPDX-License-Identifier: GPL-2.0-only
/*
 * pace RATE SECONDS: forks RATE processes a second, each of which exits at once, and reaps them; if it falls
 * behind, it catches up. Prints how many there were and how long they took, in ns.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000ULL

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

static void sleep_until(uint64_t when)
{
	struct timespec ts = { .tv_sec = (time_t)(when / SECOND), .tv_nsec = (long)(when % SECOND) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

int main(int argc, char **argv)
{
	uint64_t rate, count, i, began;

	if (argc != 3)
		errx(129, "usage: pace RATE SECONDS");
	rate = strtoull(argv[1], NULL, 10);
	count = rate * strtoull(argv[2], NULL, 10);
	if (!rate)
		errx(129, "%s: not a number above 0", argv[1]);
	began = now();
	for (i = 0; i < count; i++) {
		pid_t child;

		sleep_until(began + i * SECOND / rate);
		child = fork();
		if (child < 0)
			err(1, "fork");
		if (!child)
			_exit(0);
		if (waitpid(child, NULL, 0) != child)
			err(1, "waitpid");
	}
	printf("%" PRIu64 " %" PRIu64 "\n", count, now() - began);
	return 0;
}
