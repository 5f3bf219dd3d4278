/* SPDX-License-Identifier: GPL-2.0-only */
/* REAP has no tracepoint: it is recorded where a function of the kernel begins. */
#ifndef PROCLIFE_REAP_H
#define PROCLIFE_REAP_H

void proclife_reap_init(void);
void proclife_reap_exit(void);

/* Updates the header's count of missed REAPs. */
void proclife_reap_refresh(void);

/* The name of the hooked function, for the log. */
const char *proclife_reap_source(void);

#endif
