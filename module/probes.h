/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints that records come from. */
#ifndef PROCLIFE_PROBES_H
#define PROCLIFE_PROBES_H

int proclife_probes_init(void);
/* When this returns, no probe runs any more, and none will. */
void proclife_probes_exit(void);

#endif
