/* SPDX-License-Identifier: GPL-2.0-only */
/* REAP, which no tracepoint tells: it is taken at the beginning of a function. */
#ifndef PROCLIFE_REAP_H
#define PROCLIFE_REAP_H

void proclife_reap_init(void);
void proclife_reap_exit(void);

/* Brings what moves in the header up to date: the REAPs that were missed. */
void proclife_reap_refresh(void);

/* The function, for the log. */
const char *proclife_reap_source(void);

#endif
