/* SPDX-License-Identifier: GPL-2.0-only */
/* What has no tracepoint is recorded where a function of the kernel begins. */
#ifndef PROCLIFE_HOOKS_H
#define PROCLIFE_HOOKS_H

#include <linux/jump_label.h>
#include <linux/preempt.h>
#include <linux/types.h>

void proclife_hooks_init(void);
void proclife_hooks_exit(void);

/* From now on, what comes from the hooks is ignored, or recorded again. One call at a time. */
void proclife_hooks_stop(void);
void proclife_hooks_start(void);

/* Updates the header's counts of marks that kprobes missed. */
void proclife_hooks_refresh(void);

/* The name of the function where REAP is recorded, for the log. */
const char *proclife_hooks_reap_source(void);

struct mm_struct;

/* current has unmapped the address space; see PROCLIFE_MM_GONE. */
void proclife_hooks_gone(struct mm_struct *mm);

/* With the parameter `times`: what current has used, right behind the record of a mark. */
DECLARE_STATIC_KEY_FALSE(proclife_timing);
void proclife_hooks_times(u32 what);

/*
 * Around the record of a mark: nothing takes the CPU away between both, or the wait for it would be on the
 * wrong side. The key does not change once there are marks.
 */
static __always_inline void hooks_times_begin(void)
{
	if (static_branch_unlikely(&proclife_timing))
		preempt_disable_notrace();
}

static __always_inline void hooks_times_end(u32 what)
{
	if (static_branch_unlikely(&proclife_timing)) {
		proclife_hooks_times(what);
		preempt_enable_notrace();
	}
}

/* The parameters: record what happens to address spaces, and how births begin. */
extern bool proclife_memory;
extern bool proclife_births;

#endif
