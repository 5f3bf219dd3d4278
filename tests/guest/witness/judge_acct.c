// SPDX-License-Identifier: GPL-2.0-only
/* Process accounting, which looks before EXIT. */
#include "judge.h"

#include <signal.h>
#include <string.h>

bool has_exited(uint32_t tgid, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < life_count; i++) {
		uint64_t exited = lives[i].process.marks.exited;

		if (lives[i].process.tgid == tgid && exited && exited >= from && exited <= to)
			return true;
	}
	return false;
}

/*
 * A parent can exit between accounting and EXIT. Up to Linux 6.15 accounting comes first, and
 * has the old parent; from 6.16 on EXIT does, and accounting has the adopter.
 */
static bool is_adopted_between(const struct acct_life *acct, const struct proclife_process *p)
{
	uint64_t exited = p->marks.exited, over = p->marks.notified ? p->marks.notified : p->marks.reaped;

	return has_exited(acct->ppid, exited > LATE ? exited - LATE : 0, over) ||
	       (acct->ppid == p->reaper_tgid && has_exited(p->real_parent_tgid, 0, p->marks.reaped));
}

/* A count of accounting has 13 bits and an exponent of 8, and is rounded: see comp_t in acct(5). */
static uint64_t least_of(uint64_t count)
{
	return count < 1 << 13 ? count : count - count / 2048;
}

static void compare_acct(const struct acct_life *acct, const struct proclife_process *p)
{
	/* Accounting counts in hundredths of a second, rounded down, and a tick can fall on either side. */
	double most = 0.02 + (double)(2 * p->threads + 2) * (double)tick / 1e9;
	unsigned long before = differences;
	uint32_t pid = p->tgid;

	if (p->real_parent_tgid && !is_adopted_between(acct, p)) {
		expect_same(pid, "parent", p->real_parent_tgid, acct->ppid);
		compared("parent at exit", "accounting", before);
	}
	if (p->incomplete)
		return;
	expect_same(pid, "accounted uid", p->uid, acct->uid);
	if (p->threads > 1)
		return; /* its status and name are those of one of them */
	expect_same(pid, "accounted status", p->exit_code, acct->status);
	if (strncmp(p->comm, acct->comm, sizeof(acct->comm)))
		differs(pid, "name %.16s, but accounted %s", p->comm, acct->comm);
	if ((double)p->utime / 1e9 > acct->utime + most || acct->utime > (double)p->utime / 1e9 + most)
		differs(pid, "user time %g s, but accounted %g", (double)p->utime / 1e9, acct->utime);
	/* The rest of the exit is system time: up to Linux 6.15 all of the address space's teardown. */
	if ((double)p->stime / 1e9 > acct->stime + most + LONG_EXIT || acct->stime > (double)p->stime / 1e9 + most)
		differs(pid, "system time %g s, but accounted %g", (double)p->stime / 1e9, acct->stime);
	expect_after(pid, "minor faults", p->min_flt, least_of(acct->min_flt), FEW + acct->min_flt / 512);
	expect_after(pid, "major faults", p->maj_flt, acct->maj_flt, FEW);
	compared("figures", "accounting", before);
}

/* It looks just before the last EXIT; the exit can have begun long before, as with a core dump. */
static bool is_same_end(const struct acct_life *acct, const struct life *life)
{
	double end = (double)proclife_source_realtime(source, threads[life->last].exit.ts) / 1e9;

	return acct->end > end - 2.5 && acct->end < end + 2.5;
}

unsigned long judge_acct(struct witnesses *witnesses)
{
	size_t first = SIZE_MAX, last = 0;
	unsigned long count = 0;

	for (size_t k = 0; k < life_count; k++) {
		const struct proclife_process *p = &lives[k].process;
		struct acct_life *found = NULL;

		if (!p->marks.exited || lives[k].last == SIZE_MAX)
			continue;
		for (size_t i = 0; i < witnesses->acct_count && !found; i++)
			if (witnesses->acct[i].pid == p->tgid && !witnesses->acct[i].used &&
			    is_same_end(&witnesses->acct[i], &lives[k]))
				found = &witnesses->acct[i];
		/* The end of a kernel thread is accounted, too. There is nothing else to compare. */
		if (p->flags & PROCLIFE_F_KTHREAD) {
			if (found)
				found->used = true;
			continue;
		}
		/*
		 * A process that calls exit_group(2) just as a SIGKILL comes ends by SIGKILL without having taken it. A
		 * pending SIGKILL interrupts the write of its account. taskstats has looked at it, too.
		 */
		if (!found && p->exit_code == SIGKILL)
			continue;
		if (!found) {
			differs(p->tgid, "%.16s has ended, but not by accounting", p->comm);
			continue;
		}
		found->used = true;
		compare_acct(found, p);
		count++;
		first = (size_t)(found - witnesses->acct) < first ? (size_t)(found - witnesses->acct) : first;
		last = (size_t)(found - witnesses->acct) > last ? (size_t)(found - witnesses->acct) : last;
	}
	for (size_t i = first; !lossy && i < last; i++)
		if (!witnesses->acct[i].used)
			differs(witnesses->acct[i].pid, "%s has ended by accounting alone",
				witnesses->acct[i].comm);
	return count;
}
