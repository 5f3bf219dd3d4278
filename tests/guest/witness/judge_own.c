// SPDX-License-Identifier: GPL-2.0-only
/* Compares with the workload itself: its parent's clock, and wait4(2). */
#include "judge.h"

#include <inttypes.h>

/* The kernel splits the time by its ticks: with few of them, one more changes the split. */
static void compare_split(const struct own_life *own, const struct proclife_process *p, uint64_t most)
{
	uint64_t user, system;
	unsigned long before = differences;

	if (p->runtime < 8 * tick)
		return;
	proclife_cputime(p->runtime, p->utime, p->stime, &user, &system);
	if (user > own->utime * 1000 + most || own->utime * 1000 > user + most)
		differs(own->pid, "user time %" PRIu64 " ns, but %" PRIu64, user, own->utime * 1000);
	if (system > own->stime * 1000 + most || own->stime * 1000 > system + most)
		differs(own->pid, "system time %" PRIu64 " ns, but %" PRIu64, system, own->stime * 1000);
	compared("user and system time", "wait4", before);
}

/* KiB by which the counters can be off: each CPU keeps a batch. */
#define BATCH 256

/* wait4() includes the program before an exec, which the module does not. */
static void compare_peak(const struct own_life *own, const struct proclife_process *p)
{
	unsigned long before = differences;

	if (!p->max_rss && lossy) /* the MM that has it can be among what was lost */
		return;
	if (!p->max_rss || p->max_rss > own->max_rss + BATCH ||
	    (!p->execs && p->max_rss + BATCH < own->max_rss))
		differs(own->pid, "a peak of %" PRIu64 " KiB, but %" PRIu64 " by wait4", p->max_rss, own->max_rss);
	compared("peak", "wait4", before);
}

static void compare_usage(const struct own_life *own, const struct life *life)
{
	const struct proclife_process *p = &life->process;
	const struct thread *thread = life->last == SIZE_MAX ? NULL : &threads[life->last];
	unsigned long before = differences;

	if (!thread || !thread->final) {
		if (!p->incomplete)
			differs(own->pid, "not incomplete, but without the figures of its EXIT or its FREE");
		return;
	}
	/* wait4() rounds both down to a microsecond. */
	expect_between(own->pid, "CPU time (ns)", thread->exit.exit.runtime,
		       (own->utime + own->stime) * 1000 + 2000, thread->final + 2000);
	compared("CPU time", "wait4", before);
	compare_split(own, p, tick + MS + thread->final - thread->exit.exit.runtime);
	compare_peak(own, p);
	before = differences;
	expect_after(own->pid, "wait4's minor faults", own->min_flt, p->min_flt, FEW);
	expect_after(own->pid, "wait4's major faults", own->maj_flt, p->maj_flt, FEW);
	expect_after(own->pid, "wait4's switches", own->nvcsw, p->nvcsw, FEW);
	expect_after(own->pid, "wait4's involuntary switches", own->nivcsw, p->nivcsw, FEW);
	compared("faults and switches", "wait4", before);
}

static void compare_fork(const struct own_life *own, const struct proclife_process *p)
{
	for (size_t i = 0; i < fork_count; i++) {
		const struct proclife_fork *fork = &forks[i].fork;

		if (forks[i].pid != own->pid || forks[i].ts != p->marks.born)
			continue;
		expect_same(own->pid, "FORK's cgroup", (int64_t)fork->cgroup, (int64_t)own->cgroup);
		expect_same(own->pid, "FORK's creator", fork->creator_tgid, own->ppid);
		expect_same(own->pid, "FORK's parent", fork->parent_tgid, own->ppid);
		/* The parent has one thread, which forks. */
		if (fork->creator != fork->parent)
			differs(own->pid, "its creator is not its parent");
	}
}

/* The earliest time of the end, by the best clock that knows it. */
static uint64_t first_of_end(const struct own_life *own)
{
	return own->before_exit ? own->before_exit :
	       own->before_kill ? own->before_kill : own->after_fork;
}

/* The other holder keeps the memory until it gets the release. */
static void compare_held(const struct own_life *own, const struct proclife_memory *memory)
{
	unsigned long before = differences;
	uint32_t pid = own->pid;

	expect_between(pid, "LEFT at", first_of_end(own), memory->left, own->after_wait);
	if (memory->left)
		expect_same(pid, "holders", memory->holders, 1);
	else
		differs(pid, "%u is not said to hold its memory", own->holder);
	compared("MM LEFT", "clock", before);

	before = differences;
	expect_between(pid, "TEARDOWN at", own->before_release, memory->teardown, own->after_release);
	if (memory->teardown)
		expect_same(pid, "the last holder", memory->last.tgid, own->holder);
	else if (!lossy)
		differs(pid, "no TEARDOWN by %u", own->holder);
	compared("MM TEARDOWN", "clock", before);

	before = differences;
	expect_between(pid, "GONE at", own->before_release, memory->gone, own->after_release);
	compared("MM GONE", "clock", before);
}

static void compare_rss(const struct own_life *own, const struct proclife_process *p,
			const struct proclife_memory *memory)
{
	uint64_t rss = memory->rss_anon + memory->rss_file + memory->rss_shmem;
	unsigned long before = differences;

	/* The memory only grew, but wait4() includes the program before an exec, too. */
	if (rss > own->max_rss + BATCH || (!p->execs && rss + BATCH < own->max_rss))
		differs(own->pid, "TEARDOWN of %" PRIu64 " KiB, but %" PRIu64 " by wait4", rss, own->max_rss);
	compared("MM TEARDOWN", "wait4", before);
}

static void compare_memory(const struct own_life *own, const struct life *life)
{
	const uint64_t needed = PROCLIFE_HAS(PROCLIFE_EXITING) | PROCLIFE_HAS(PROCLIFE_MM);
	const struct proclife_memory *memory = &life->memory;
	unsigned long before = differences;
	uint32_t pid = own->pid;

	if (!life->with_memory) {
		if (!lossy && !(needed & ~proclife_source_header(source)->features))
			differs(pid, "it is not known what became of its memory");
		return;
	}
	if (own->holder) {
		compare_held(own, memory);
	} else {
		expect_between(pid, "TEARDOWN at", first_of_end(own), memory->teardown, own->after_wait);
		if (!memory->own || memory->left)
			differs(pid, "others are said to have held its memory");
		compared("MM TEARDOWN", "clock", before);
		before = differences;
		expect_between(pid, "GONE at", first_of_end(own), memory->gone, own->after_wait);
		if (!memory->gone && !lossy)
			differs(pid, "its memory is not said to be gone");
		compared("MM GONE", "clock", before);
	}
	if (memory->teardown)
		compare_rss(own, &life->process, memory);
}

static void compare_own(const struct own_life *own, const struct life *life)
{
	const struct proclife_process *p = &life->process;
	uint64_t end = first_of_end(own);
	unsigned long before = differences;
	uint32_t pid = own->pid;

	expect_between(pid, "the exit begins at", end, p->marks.exited, own->after_wait);
	if (p->marks.exited && proclife_source_header(source)->features & PROCLIFE_HAS(PROCLIFE_EXITING))
		compared("EXITING", "clock", before);
	compare_memory(own, life);
	expect_between(pid, "FORK at", own->before_fork, p->marks.born, own->after_fork);
	expect_between(pid, "notified at", end, p->marks.notified, own->after_wait);
	expect_between(pid, "REAP at", own->before_wait, p->marks.reaped, own->after_wait);
	expect_between(pid, "FREE at", own->before_wait, p->marks.freed, UINT64_MAX);
	if (own->before_kill && life->killer.signo) {
		expect_between(pid, "SIGNAL at", own->before_kill, life->killer.ts, own->after_kill);
		if (p->parent_tgid)
			expect_same(pid, "killer", life->killer.tgid, p->parent_tgid);
	}
	if (p->exit_code >= 0)
		expect_same(pid, "status", p->exit_code, own->status);
	if (p->marks.exited)
		compare_usage(own, life);
	if (p->marks.born)
		compare_fork(own, p);
	if (p->cgroup)
		expect_same(pid, "cgroup", (int64_t)p->cgroup, (int64_t)own->cgroup);
	if (p->incomplete)
		return;
	expect_same(pid, "uid", p->uid, own->uid);
	if (!p->marks.born || !p->marks.exited || !p->marks.notified || !p->marks.reaped)
		differs(pid, "not incomplete, but without its FORK, EXIT, NOTIFY or REAP");
	if (own->before_kill && !life->killer.signo)
		differs(pid, "it was killed, but has no killer");
}

unsigned long judge_own(const struct witnesses *witnesses)
{
	unsigned long count = 0;

	for (size_t i = 0; i < witnesses->own_count; i++) {
		const struct own_life *own = &witnesses->own[i];
		const struct life *found = NULL;

		for (size_t k = 0; k < life_count && !found; k++) {
			const struct proclife_process *p = &lives[k].process;

			if (p->tgid == own->pid && p->seen >= own->before_fork && p->seen <= own->after_wait + LATE)
				found = &lives[k];
		}
		if (found) {
			compare_own(own, found);
			count++;
		} else if (!lossy) {
			differs(own->pid, "in the workload alone");
		}
	}
	return count;
}
