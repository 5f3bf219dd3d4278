/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints and the kprobe that records come from. */
#ifndef PROCLIFE_PROBES_H
#define PROCLIFE_PROBES_H

int probes_init(void);
/* When this returns, no probe runs any more, and none will. */
void probes_exit(void);

/* Where REAP comes from, for people. */
const char *probes_reap_source(void);

/* Brings the count of missed REAPs in the header page up to date. */
void probes_refresh(void);

#endif
