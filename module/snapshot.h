/* SPDX-License-Identifier: GPL-2.0-only */
/* TASK records of all tasks, for a reader that attaches. */
#ifndef PROCLIFE_SNAPSHOT_H
#define PROCLIFE_SNAPSHOT_H

#include <linux/compiler.h>

/* Serves PROCLIFE_IOC_SNAPSHOT; @arg is a struct proclife_snapshot. */
long proclife_snapshot_take(void __user *arg);

#endif
