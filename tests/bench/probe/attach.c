// SPDX-License-Identifier: GPL-2.0-only
/*
 * attach N [asleep]: act as N readers of the device that have mapped its rings and do not read them:
 * stopped, or asleep in poll until far more records come than will. Prints "ready"; until SIGINT.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proclife.h"

#define NEVER (1ULL << 40) /* records */

static void attach(bool asleep, int ready)
{
	struct proclife_source *source;
	int error = proclife_device_open(&source, NULL);

	if (!error && asleep)
		error = proclife_source_set_watermark(source, NEVER);
	if (error)
		errx(1, "/dev/proclife: %s", strerror(-error));
	if (write(ready, "", 1) != 1)
		err(1, "write");
	while (asleep) {
		struct pollfd wanted = { .fd = proclife_source_fd(source), .events = POLLIN };

		if (poll(&wanted, 1, -1) > 0)
			errx(1, "/dev/proclife: woke up");
	}
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, ready[2], i;
	bool asleep = argc > 2 && !strcmp(argv[2], "asleep");
	char byte;

	if (n <= 0 || (argc > 2 && !asleep))
		errx(129, "usage: attach N [asleep]");
	if (pipe(ready))
		err(1, "pipe");
	for (i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			close(ready[0]);
			attach(asleep, ready[1]);
		}
	}
	close(ready[1]);
	for (i = 0; i < n; i++)
		if (read(ready[0], &byte, 1) != 1)
			errx(1, "a reader failed");
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
