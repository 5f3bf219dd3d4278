/* SPDX-License-Identifier: GPL-2.0-only */
/* What else is known of a program when it begins: PATH records, behind its EXEC and ARGS. */
#ifndef PROCLIFE_PATHS_H
#define PROCLIFE_PATHS_H

#include <linux/types.h>

struct linux_binprm;

/* Are the parameters valid? Returns 0 or -EINVAL. */
int proclife_paths_check(void);
/* Before the tracepoints are registered: makes the buffers. Returns 0 or -ENOMEM. */
int proclife_paths_init(void);
/* After that: sets the header's features. */
void proclife_paths_features(void);
void proclife_paths_exit(void);

/* How many records one exec can need; 0: none. */
unsigned int proclife_paths_most(void);

/* A parameter wants such records, and there are buffers for them. */
extern bool proclife_paths_wanted;
/* current has execed. */
void proclife_paths_exec(const struct linux_binprm *bprm);

#endif
