// SPDX-License-Identifier: GPL-2.0-only
#include <linux/jiffies.h>
#include <linux/minmax.h>

#include "budget.h"

/* How many records each account earns: per millisecond, and per fork, exec and reap on its CPU. */
#define BUDGET_PER_MS 8
#define BUDGET_PER_WORK 4
/* The most that it can save up: this part of a ring's records, but no less than a jiffy's worth. */
#define BUDGET_SHARE 16
#define BUDGET_LEAST max(64, BUDGET_PER_JIFFY)
/* Suppression lasts until it has saved this part of that, so that it does not flap. */
#define BUDGET_RESUME 4
/* What is kept is this part of that, and comes out of it. */
#define BUDGET_KEPT 16

#define BUDGET_PER_JIFFY (BUDGET_PER_MS * 1000 / HZ)

static const u16 types[BUDGET_KINDS] = {
	[BUDGET_WAIT] = PROCLIFE_WAIT,
	[BUDGET_RENAME] = PROCLIFE_RENAME,
	[BUDGET_SIGNAL] = PROCLIFE_SIGNAL,
	[BUDGET_CGROUP] = PROCLIFE_CGROUP,
	[BUDGET_MM] = PROCLIFE_MM,
	[BUDGET_NOTIFY] = PROCLIFE_NOTIFY,
	[BUDGET_BIRTH] = PROCLIFE_BIRTH,
	[BUDGET_FAIL] = PROCLIFE_FAIL,
};

DEFINE_PER_CPU(struct budget, proclife_budget);

static struct proclife_ring_page *this_page(void)
{
	return this_cpu_ptr(&proclife_rings)->ring.page;
}

static u32 most(void)
{
	u64 size = this_cpu_ptr(&proclife_rings)->ring.mask + 1;

	return max_t(u64, size / BUDGET_SHARE, BUDGET_LEAST);
}

/* Returns what the account has earned since the last call. */
static u32 earned(struct budget_account *account)
{
	const struct proclife_ring_page *page = this_page();
	u64 work = page->counts[PROCLIFE_FORK] + page->counts[PROCLIFE_EXEC] +
		   page->counts[PROCLIFE_REAP];
	unsigned long now = jiffies;
	u64 sum = (now - account->now) * BUDGET_PER_JIFFY +
		  (work - account->work) * BUDGET_PER_WORK;

	account->now = now;
	account->work = work;
	return min_t(u64, sum, most());
}

/* What has been earned goes to what is kept first, but half of it at most. */
static void refill(struct budget_account *account, u32 records)
{
	u32 lacks = min(most() / BUDGET_KEPT - account->kept, records / 2);

	account->kept += lacks;
	account->left = records - lacks;
}

/* Readers only display these words, like the counts, so they may lag. */
static void count_one(enum budget_kind kind)
{
	u64 *count = &this_page()->suppressed[types[kind]];

	WRITE_ONCE(*count, *count + 1);
}

/* These records need no budget: there are at most two each time that an account is refilled. */
static u64 announce(enum budget_kind kind, u64 since, u64 count)
{
	struct rings_slot slot;
	struct proclife_record *r = rings_begin(&slot, PROCLIFE_SUPPRESSED);
	u64 ts = r->ts;

	*r = (struct proclife_record){ .ts = ts, .type = r->type, .cpu = r->cpu };
	r->suppressed.what = types[kind];
	r->suppressed.ended = since != 0;
	r->suppressed.since = since ?: ts;
	r->suppressed.count = count;
	rings_end(&slot, PROCLIFE_SUPPRESSED);
	return ts;
}

static void begin(enum budget_kind kind, struct budget_account *account)
{
	struct proclife_ring_page *page = this_page();

	account->since = announce(kind, 0, 0);
	account->before = page->suppressed[types[kind]];
	account->saved = 0;
	__this_cpu_or(proclife_budget.suppressing, BIT(kind));
	WRITE_ONCE(page->ctl.suppressing, page->ctl.suppressing | PROCLIFE_HAS(types[kind]));
}

static void end(enum budget_kind kind, struct budget_account *account)
{
	struct proclife_ring_page *page = this_page();

	announce(kind, account->since, page->suppressed[types[kind]] - account->before);
	account->since = 0;
	refill(account, account->saved);
	__this_cpu_and(proclife_budget.suppressing, ~BIT(kind));
	WRITE_ONCE(page->ctl.suppressing, page->ctl.suppressing & ~PROCLIFE_HAS(types[kind]));
}

static bool may_end(struct budget_account *account)
{
	account->saved = min(account->saved + earned(account), most());
	return account->saved >= most() / BUDGET_RESUME;
}

void compat_preserving proclife_budget_ask(enum budget_kind kind)
{
	struct budget_account *account = this_cpu_ptr(&proclife_budget.accounts[kind]);

	if (account->since) {
		if (may_end(account))
			end(kind, account);
	} else {
		refill(account, earned(account));
		if (!account->left)
			begin(kind, account);
	}
	if (!account->left)
		count_one(kind);
}

bool proclife_budget_take_kept(void)
{
	struct budget_account *account;
	unsigned long irqflags;
	bool taken;

	local_irq_save(irqflags);
	account = this_cpu_ptr(&proclife_budget.accounts[BUDGET_SIGNAL]);
	taken = !account->left && account->kept;
	account->kept -= taken;
	local_irq_restore(irqflags);
	return taken;
}

void proclife_budget_review(void)
{
	unsigned long irqflags;
	enum budget_kind kind;

	local_irq_save(irqflags);
	for (kind = 0; kind < BUDGET_KINDS; kind++) {
		struct budget_account *account = this_cpu_ptr(&proclife_budget.accounts[kind]);

		if (account->since && may_end(account))
			end(kind, account);
	}
	local_irq_restore(irqflags);
}
