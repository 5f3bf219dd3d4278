/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes have a PID now, on the machine or in a namespace, by /proc. */
#ifndef READ_PIDS_NOW_H
#define READ_PIDS_NOW_H

#include "views/share/pid_within.h"

/* Zeroed at first. The caller frees `all`. */
struct pids_now {
	uint32_t *all; /* process IDs of the machine */
	size_t count;
};

/* @proc: "/proc". False after a message: there are none. */
bool pids_now_find(struct pids_now *now, const struct pid_option *option, const char *proc);

#endif
