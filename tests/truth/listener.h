/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the programs that listen to the kernel: where they write, how they end, and how much their sockets hold. */
#ifndef TRUTH_LISTENER_H
#define TRUTH_LISTENER_H

#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile sig_atomic_t stop;
static int socket_bytes = 16 << 20;

static inline void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

/* The file that the command line names, and KiB for a socket. From now on SIGINT and SIGTERM set `stop`. */
static inline FILE *listener_begin(int argc, char **argv, const char *name)
{
	struct sigaction action = { .sa_handler = on_signal };
	FILE *out;

	if (argc < 2 || argc > 3)
		errx(129, "usage: %s FILE [KIB]", name);
	if (argc == 3)
		socket_bytes = atoi(argv[2]) * 1024;
	out = fopen(argv[1], "we");
	if (!out)
		err(1, "%s", argv[1]);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return out;
}

#endif
