/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints that records come from. */
#ifndef PROCLIFE_PROBES_H
#define PROCLIFE_PROBES_H

/* The parameters. Comes after proclife_rings_init(), and before anything is attached. */
int proclife_probes_check(void);
int proclife_probes_init(void);
/*
 * Takes away the probes that there were, and none runs any more; or registers them again: a negative errno,
 * and there is none.
 */
void proclife_probes_stop(void);
int proclife_probes_start(void);
/* When this returns, no probe runs any more, and none will. */
void proclife_probes_exit(void);

#endif
