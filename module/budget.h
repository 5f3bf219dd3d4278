/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What any process can make happen as often as it likes gets a budget on each CPU: else one without
 * privilege could wait for nobody, rename itself or signal itself, and so overwrite the rings much
 * faster than by forking. Each kind of these has an account. It earns by time, and more by what costs
 * the process something and goes with it: fork, exec and reap. So what goes with work that begins and
 * ends processes is not suppressed, however fast the machine is, unless somebody else on that CPU
 * empties the account. The RENAME of an exec is on none.
 */
#ifndef PROCLIFE_BUDGET_H
#define PROCLIFE_BUDGET_H

#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <trace/events/signal.h>

#include "rings.h"

enum budget_kind {
	BUDGET_WAIT,
	BUDGET_RENAME,
	BUDGET_SIGNAL,
	BUDGET_KINDS,
};

#define BUDGET_FEATURES                                                                            \
	(PROCLIFE_HAS(PROCLIFE_WAIT) | PROCLIFE_HAS(PROCLIFE_RENAME) | PROCLIFE_HAS(PROCLIFE_SIGNAL))

struct budget_account {
	u32 left;	   /* records; 0 also while they are suppressed */
	u32 saved;	   /* while they are: what it has earned since */
	unsigned long now; /* jiffies when it was last given what it had earned */
	u64 work;	   /* what it earns by, as of then */
	u64 since;	   /* when suppression began; 0: it is not */
	u64 before;	   /* suppressed up to then, ever */
};

struct budget {
	struct budget_account accounts[BUDGET_KINDS];
	u32 suppressing; /* a bit for each account that is */
};

DECLARE_PER_CPU(struct budget, proclife_budget);

/* With interrupts off. The account is empty: may the record be made all the same? */
bool __cold proclife_budget_ask(enum budget_kind kind);
/* Ends what no longer has to be suppressed on this CPU. */
void __cold proclife_budget_review(void);

/* As rings_begin(), or NULL if the record is suppressed: then there is no rings_end(). */
static __always_inline struct proclife_record *budget_begin(struct rings_slot *slot, u16 type,
							    enum budget_kind kind)
{
	struct budget_account *account;

	local_irq_save(slot->irqflags);
	account = this_cpu_ptr(&proclife_budget.accounts[kind]);
	if (likely(account->left)) {
		account->left--;
	} else if (!proclife_budget_ask(kind)) {
		local_irq_restore(slot->irqflags);
		return NULL;
	}
	return rings_claim(slot, type);
}

/*
 * Signals that come once per death, and that the end of a process is told from:
 * - A SIGCHLD with which a child that exits tells its parent. Nobody who is exiting can send another
 *   one like it, and kill(2) and its like cannot set these codes, but to oneself.
 * - What kills its target: SIGKILL, and any other that has made the group exit, which those that are
 *   blocked or dump core do only later. The same is not queued twice, and a real-time signal, which
 *   could be, ends nothing once the group exits.
 * The caller holds the target's siglock.
 */
static __always_inline bool budget_exempts_signal(struct task_struct *p, int signo,
						  const struct kernel_siginfo *info, int result)
{
	if (signo == SIGCHLD)
		return current->flags & PF_EXITING && info != SEND_SIG_NOINFO &&
		       info != SEND_SIG_PRIV && info->si_code >= CLD_EXITED && info->si_code <= CLD_DUMPED;
	return result == TRACE_SIGNAL_DELIVERED && signo < SIGRTMIN &&
	       (signo == SIGKILL || p->signal->flags & SIGNAL_GROUP_EXIT);
}

#endif
