/* SPDX-License-Identifier: GPL-2.0-only */
/* Forks and execs that fail, which the kernel has no tracepoint for. */
#ifndef PROCLIFE_FAILURES_H
#define PROCLIFE_FAILURES_H

/* Hooks what fails, if the parameter `failures` is set. */
void proclife_failures_init(void);
/* Returns once nothing calls the hooks any more. */
void proclife_failures_exit(void);

/* From now on, what fails is not recorded, or is again. */
void proclife_failures_stop(void);
void proclife_failures_start(void);

/* How many calls were not looked at: too many were going on at the same time, or a kprobe's handler ran. */
unsigned long proclife_failures_missed(void);

#endif
