// SPDX-License-Identifier: GPL-2.0-only
/* acct FILE: have the kernel account processes in FILE (acct(2)), until SIGINT or SIGTERM. */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	sigset_t set;
	int fd, signal;

	if (argc != 2)
		errx(129, "usage: acct FILE");
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || close(fd) || acct(argv[1]))
		err(1, "%s", argv[1]);
	puts("ready");
	fflush(stdout);
	sigwait(&set, &signal);
	if (acct(NULL))
		err(1, "acct");
	return 0;
}
