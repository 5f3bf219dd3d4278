// SPDX-License-Identifier: GPL-2.0-only
/* Process accounting, which looks before EXIT. */
#include "judge.h"

#include <signal.h>

#include "acct.h"

struct account {
	struct acct_v3 record;
	bool used;
};

static struct account *accounts;
static size_t account_count;

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
 * has the old parent; from 6.16 on EXIT does, and accounting has the adopter. The old parent is the one by birth, or
 * has adopted it from that.
 */
static bool is_adopted_between(const struct acct_v3 *acct, const struct proclife_process *p)
{
	uint64_t exited = p->marks.exited, over = p->marks.notified ? p->marks.notified : p->marks.reaped;
	bool was_parent = acct->ac_ppid == p->parent_tgid || !p->parent_tgid || has_exited(p->parent_tgid, 0, over);

	return (was_parent && has_exited(acct->ac_ppid, exited > LATE ? exited - LATE : 0, over)) ||
	       (acct->ac_ppid == p->reaper_tgid && has_exited(p->real_parent_tgid, 0, p->marks.reaped));
}

/* It is rounded to 13 bits. */
static void expect_count(uint32_t pid, const char *what, uint64_t ours, comp_t theirs)
{
	uint64_t count = acct_count(theirs);

	expect_after(pid, what, ours, count < 1 << 13 ? count : count - count / 2048, FEW + count / 512);
}

/* In ns; accounting counts in hundredths of a second, rounded down, and a tick can fall on either side. */
static void expect_time(uint32_t pid, const char *what, uint64_t ours, comp_t theirs, uint64_t error, uint64_t more)
{
	uint64_t time = acct_count(theirs) * (1000000000 / AHZ);

	if (ours > time + error + more || time > ours + error)
		expect_near(pid, what, ours, time, error);
}

/*
 * What a process can run after accounting has looked, all of it system time: up to EXIT no more than passes since its exit
 * begins, and then what FREE has more than EXIT. How long that takes depends on the load of the host.
 */
static uint64_t rest_of_exit(const struct life *life)
{
	const struct thread *last = life->last;
	uint64_t ran = last->exit.exit.runtime;

	return last->exit.ts - life->process.marks.exited + (last->final > ran ? last->final - ran : 0);
}

static void compare_acct(const struct acct_v3 *acct, const struct life *life)
{
	const struct proclife_process *p = &life->process;
	uint64_t error = 20 * MS + (2 * p->threads + 2) * tick;
	unsigned long before = differences;
	uint32_t pid = p->tgid;

	if (p->real_parent_tgid && !is_adopted_between(acct, p)) {
		expect_same(pid, "parent", p->real_parent_tgid, acct->ac_ppid);
		compared("parent at exit", "accounting", before);
	}
	if (p->incomplete)
		return;
	before = differences;
	expect_same(pid, "accounted uid", p->uid, acct->ac_uid);
	compared("uid", "accounting", before);
	if (p->threads > 1)
		return; /* its status and name are those of one of them */
	before = differences;
	expect_same(pid, "accounted status", p->exit_code, acct->ac_exitcode);
	compared("status", "accounting", before);
	before = differences;
	expect_name(pid, p->comm, acct->ac_comm);
	expect_time(pid, "accounted user time", p->utime, acct->ac_utime, error, 0);
	expect_time(pid, "accounted system time", p->stime, acct->ac_stime, error, rest_of_exit(life));
	expect_count(pid, "accounted minor faults", p->min_flt, acct->ac_minflt);
	expect_count(pid, "accounted major faults", p->maj_flt, acct->ac_majflt);
	compared("figures", "accounting", before);
}

/* It looks just before the last EXIT; the exit can have begun long before, as with a core dump. */
static bool is_same_end(const struct acct_v3 *acct, const struct life *life)
{
	double end = (double)proclife_source_realtime(source, life->last->exit.ts) / 1e9;
	double theirs = acct->ac_btime + (double)acct->ac_etime / AHZ; /* to a second */

	return theirs > end - 2.5 && theirs < end + 2.5;
}

static struct account *find(const struct life *life)
{
	for (size_t i = 0; i < account_count; i++)
		if (accounts[i].record.ac_pid == life->process.tgid && !accounts[i].used &&
		    is_same_end(&accounts[i].record, life))
			return &accounts[i];
	return NULL;
}

void judge_acct(FILE *in)
{
	struct account *first = NULL, *last = NULL, next = { 0 };
	int got;

	while ((got = acct_next(in, &next.record)) > 0) {
		accounts = grown(accounts, account_count, sizeof(*accounts));
		accounts[account_count++] = next;
	}
	if (got)
		differs(0, "a record of accounting that makes no sense");
	for (size_t k = 0; k < life_count; k++) {
		const struct proclife_process *p = &lives[k].process;
		struct account *found;

		if (!p->marks.exited || !lives[k].last)
			continue;
		found = find(&lives[k]);
		if (found)
			found->used = true;
		/* The end of a kernel thread is accounted, too. There is nothing else to compare. */
		if (p->flags & PROCLIFE_F_KTHREAD)
			continue;
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
		compare_acct(&found->record, &lives[k]);
		first = !first || found < first ? found : first;
		last = found > last ? found : last;
	}
	expect_compared("figures", "accounting");
	for (struct account *a = first; !lossy && a < last; a++)
		if (!a->used)
			differs(a->record.ac_pid, "%.16s has ended by accounting alone", a->record.ac_comm);
}
