/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints that records come from. */
#ifndef PROCLIFE_PROBES_H
#define PROCLIFE_PROBES_H

/* The parameters. Comes after proclife_rings_init(), and before anything is attached. */
int proclife_probes_check(void);
int proclife_probes_init(void);
/* When this returns, no probe runs any more, and none will. */
void proclife_probes_exit(void);

#endif
