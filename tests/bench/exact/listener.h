/* SPDX-License-Identifier: GPL-2.0-only */
/* What the listeners here share: where they write, how they end, and how much their sockets hold. */
#ifndef EXACT_LISTENER_H
#define EXACT_LISTENER_H

#include <err.h>
#include <signal.h>
#include <stdio.h>

/* As large as the rings of the others, of four CPUs together. */
#define BUFFER_BYTES (16 << 20)

static volatile sig_atomic_t stop;

static inline void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

/* The file that the command line names. From now on SIGINT and SIGTERM set `stop`. */
static inline FILE *listener_begin(int argc, char **argv, const char *name)
{
	struct sigaction action = { .sa_handler = on_signal };
	FILE *out;

	if (argc != 2)
		errx(129, "usage: %s FILE", name);
	out = fopen(argv[1], "we");
	if (!out)
		err(1, "%s", argv[1]);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return out;
}

#endif
