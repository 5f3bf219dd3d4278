/* SPDX-License-Identifier: GPL-2.0-only */
/* Attaches hooks where functions of the kernel begin: with ftrace, or else with kprobes. */
#ifndef PROCLIFE_ATTACH_H
#define PROCLIFE_ATTACH_H

#include <linux/ftrace.h>

#include "compat.h"

#define ATTACH_MOST 13

struct attach_hook {
	const char *symbol;
	unsigned long address;
	int error; /* of what was tried so far; one with an error is left out */
	bool wanted;
};

/* Sets the address and the error of a function. */
void proclife_attach_find(struct attach_hook *hook);

/* Attaches the hooks, and sets the errors of those that cannot be. True if there is any. */
bool proclife_attach(struct attach_hook *hooks, unsigned int count);

/*
 * Returns once nothing calls the hooks any more. It may never return: after an internal error,
 * ftrace changes nothing until the next boot. At this point an unload can no longer be refused, and
 * the code of an unloaded module must not be called.
 */
void proclife_detach(void);

/* How many calls a kprobe has missed. */
unsigned long proclife_attach_missed(unsigned int id);

/* What is attached; hooks.c has them. */
#if COMPAT_FTRACE_ARGS
void notrace proclife_hooks_on_ftrace(unsigned long ip, unsigned long parent_ip,
				      struct ftrace_ops *ops, struct compat_ftrace_regs *regs);
#endif
void notrace proclife_hooks_on_kprobe(unsigned int id, unsigned long first, unsigned long second);

#endif
