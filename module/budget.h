/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records that any process can cause as often as it likes have a budget on each CPU. Otherwise an
 * unprivileged process could call wait() without children, rename itself, signal itself, exec what
 * cannot be run, fork beyond its limit, move between empty cgroups that lie deep below its own, or hand
 * its zombies from one dying parent to the next in a loop, and so overwrite the rings much faster than by
 * forking.
 * Each of these kinds has an account. It earns with time, and also with each fork, exec and reap:
 * these come along with such records, and cost the process something. So the records that belong to
 * beginning and ending processes are not suppressed, however fast the machine is, unless another
 * task on that CPU empties the account. The RENAME of an exec needs no budget.
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
	BUDGET_CGROUP,
	BUDGET_MM,
	BUDGET_NOTIFY,
	BUDGET_BIRTH,
	BUDGET_FAIL,
	BUDGET_KINDS,
};

struct budget_account {
	u32 left;	   /* records; 0 also while they are suppressed */
	u32 kept;	   /* what proclife_budget_take_kept() can still take, once nothing is left */
	u32 saved;	   /* while they are suppressed: earned since that began */
	unsigned long now; /* jiffies when it last got what it had earned */
	u64 work;	   /* forks, execs and reaps up to then */
	u64 since;	   /* when suppression began; 0: nothing is suppressed */
	u64 before;	   /* how many had been suppressed before that */
};

struct budget {
	struct budget_account accounts[BUDGET_KINDS];
	u32 suppressing; /* a bit for each kind that is being suppressed */
};

DECLARE_PER_CPU(struct budget, proclife_budget);

/* With interrupts off. The account is empty: refills it if it can; otherwise the record is not made. */
void compat_preserving __cold proclife_budget_ask(enum budget_kind kind);
/* A SIGNAL finds its account empty: may it take what is kept for such ones? */
bool __cold proclife_budget_take_kept(void);
/* Ends each suppression on this CPU that is no longer needed. */
void __cold proclife_budget_review(void);

/*
 * The first half of rings_begin(), for a record that needs a budget unless it is exempt: then comes
 * rings_claim(). False if the record is suppressed: then nothing comes.
 */
static __always_inline bool budget_begin(struct rings_slot *slot, enum budget_kind kind, bool exempt)
{
	struct budget_account *account;

	local_irq_save(slot->irqflags);
	if (exempt)
		return true;
	account = this_cpu_ptr(&proclife_budget.accounts[kind]);
	if (unlikely(!account->left)) {
		compat_call(proclife_budget_ask, (u64)kind);
		if (!account->left) {
			local_irq_restore(slot->irqflags);
			return false;
		}
	}
	account->left--;
	return true;
}

/*
 * A signal that dumps core makes the group exit only once its target takes it, which is the next thing that
 * this does in user space. Until then the signal can be discarded and the next one sent, which floods the
 * ring for nothing: by a tracer; a thread that has the signal ignored; the target itself, in sigtimedwait(2),
 * or by a signalfd, which io_uring reads even before the signal's action. Nothing in the target shows which
 * of them waits. So such a record takes what its account keeps for that: a task that empties the account
 * cannot hide such a kill, unless it discards signals like that as well, and no flood exceeds the budget. One
 * to a traced target needs budget like others, as does one to an init, which ignores it.
 */
static inline bool budget_exempts_dump(struct task_struct *p, int signo)
{
	if (!sig_kernel_coredump(signo) || data_race(READ_ONCE(p->ptrace)) ||
	    p->signal->flags & SIGNAL_UNKILLABLE)
		return false;
	return proclife_budget_take_kept();
}

/*
 * A signal that kills its target comes once per death, and shows how a process ended: SIGKILL, any other
 * one that has already made the group exit, and one that will, by a core dump. One that is blocked does so
 * only later. Such a signal is not queued twice. A real-time signal can be, but it ends nothing once the
 * group exits. The caller holds the target's siglock, and knows that the signal's action is the default one.
 */
static __always_inline bool budget_exempts_signal(struct task_struct *p, int signo, int result, bool blocked)
{
	if (result != TRACE_SIGNAL_DELIVERED || signo >= SIGRTMIN)
		return false;
	return signo == SIGKILL || p->signal->flags & SIGNAL_GROUP_EXIT ||
	       (!blocked && budget_exempts_dump(p, signo));
}

#endif
