/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of listen.c. */
#ifndef TRUTH_LISTEN_H
#define TRUTH_LISTEN_H

#include <signal.h>
#include <stdio.h>

extern volatile sig_atomic_t stop; /* set by a signal */

void ready(void); /* says that it listens */
/* A netlink socket that holds as much as it should, and waits for a second at most: a signal can come just before. */
int open_socket(int family, const char *what);

/* Begins the lines of a CPU's counters in what ftrace leaves; what follows them is the trace. */
#define FTRACE_STATS "#stats "

void ftrace_start(void);
void ftrace_stop(FILE *out);

/* Until `stop`, in the plain format of the benchmarks' judge. */
void listen_connector(FILE *out);

#endif
