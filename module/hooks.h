/* SPDX-License-Identifier: GPL-2.0-only */
/* What has no tracepoint is recorded where a function of the kernel begins. */
#ifndef PROCLIFE_HOOKS_H
#define PROCLIFE_HOOKS_H

#include <linux/types.h>

void proclife_hooks_init(void);
void proclife_hooks_exit(void);

/* Updates the header's counts of marks that kprobes missed. */
void proclife_hooks_refresh(void);

/* The name of the function where REAP is recorded, for the log. */
const char *proclife_hooks_reap_source(void);

struct mm_struct;

/* current has unmapped the address space; see PROCLIFE_MM_GONE. */
void proclife_hooks_gone(struct mm_struct *mm);

/* The parameter: record what happens to address spaces. */
extern bool proclife_memory;

#endif
