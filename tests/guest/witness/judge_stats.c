// SPDX-License-Identifier: GPL-2.0-only
/* Compares with taskstats, which looks between EXITING and EXIT. */
#include "judge.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/*
 * When taskstats looked, by its own count since the fork. That counts from the monotonic start, and copy_process()
 * reads the other clock later: an interrupt, or another guest, can come in between.
 */
static uint64_t looked_at(const struct thread *thread, const struct stats_life *stats)
{
	return thread->exit.start - proclife_source_header(source)->to_boottime + stats->elapsed * 1000;
}

static uint64_t *begins;
static size_t begin_count;

/* A tracer, or the thread that dumps core, can hold it between the two. */
static bool is_held(const struct proclife_record *exiting)
{
	static const int core[] = { SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS, SIGFPE,
				    SIGSEGV, SIGXCPU, SIGXFSZ, SIGSYS };
	bool dumps = false;

	for (size_t i = 0; i < sizeof(core) / sizeof(*core); i++)
		dumps |= (exiting->exiting.exit_code & 0x7f) == core[i];
	return dumps || exiting->exiting.tracer;
}

/* taskstats has looked soon after the exit began. */
static void compare_begin(const struct proclife_record *exiting, uint64_t looked)
{
	unsigned long before = differences;

	/* Its count is rounded down to a microsecond. */
	if (exiting->ts > looked + 1000)
		differs(exiting->pid, "EXITING at %" PRIu64 ", after taskstats looked, at %" PRIu64,
			(uint64_t)exiting->ts, looked);
	if (!is_held(exiting)) {
		if (exiting->ts + LATE < looked)
			differs(exiting->pid, "EXITING at %" PRIu64 ", but taskstats looked at %" PRIu64,
				(uint64_t)exiting->ts, looked);
		begins = grown(begins, begin_count, sizeof(*begins));
		begins[begin_count++] = looked > exiting->ts ? looked - exiting->ts : 0;
	}
	compared("EXITING", "taskstats", before);
}

/* KiB by which the module can be wrong about one thread's address space; three counters are summed. */
static uint64_t rss_error(void)
{
	return 3 * proclife_source_header(source)->rss_error;
}

static void compare_exiting(const struct stats_life *stats, const struct proclife_record *exiting,
			    uint64_t looked, uint64_t ended)
{
	const struct proclife_exiting *e = &exiting->exiting;
	uint64_t rss = e->rss_anon + e->rss_file + e->rss_shmem;
	unsigned long before = differences;

	compare_begin(exiting, looked);
	/* The parent can end in between: the exact time of taskstats' look is not known. */
	if (!has_exited(e->parent_tgid, 0, ended)) {
		before = differences;
		expect_same(exiting->pid, "EXITING's parent", e->parent_tgid, stats->ppid);
		compared("parent at exit", "taskstats", before);
	}
	if (!(exiting->flags & PROCLIFE_F_SOLE) || e->mm_users != 1)
		return;
	before = differences;
	if (rss > stats->most_rss + rss_error())
		differs(exiting->pid, "EXITING's memory %" PRIu64 " KiB, but never more than %" PRIu64, rss,
			stats->most_rss);
	compared("EXITING", "taskstats", before);
}

static void compare_stats(const struct stats_life *stats, const struct thread *thread)
{
	const struct proclife_exit *x = &thread->exit.exit;
	uint64_t meanwhile = x->runtime - stats->runtime;
	uint32_t pid = stats->pid;

	if (thread->exiting.ts)
		compare_exiting(stats, &thread->exiting, looked_at(thread, stats), thread->exit.ts);
	else if (thread->born && !lossy && proclife_source_header(source)->features & PROCLIFE_HAS(PROCLIFE_EXITING))
		differs(pid, "no EXITING");
	expect_after(pid, "CPU time by taskstats", x->runtime, stats->runtime,
		     (uint64_t)(LONG_EXIT * 1e9));
	expect_after(pid, "user time by taskstats", x->utime, stats->utime * 1000, tick);
	expect_after(pid, "system time by taskstats", x->stime, stats->stime * 1000,
		     meanwhile + 2 * tick);
	expect_after(pid, "minor faults by taskstats", x->min_flt, stats->min_flt, FEW);
	expect_after(pid, "major faults by taskstats", x->maj_flt, stats->maj_flt, FEW);
	expect_after(pid, "switches by taskstats", x->nvcsw, stats->nvcsw, FEW);
	expect_after(pid, "involuntary switches by taskstats", x->nivcsw, stats->nivcsw, FEW);
	if (strncmp(thread->exit.comm, stats->comm, sizeof(stats->comm) - 1))
		differs(pid, "name %.16s, by taskstats %s", thread->exit.comm, stats->comm);
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static struct distances distances(void)
{
	if (!begin_count)
		return (struct distances){ 0 };
	qsort(begins, begin_count, sizeof(*begins), by_size);
	return (struct distances){ begin_count, begins[begin_count / 2], begins[begin_count - 1] };
}

unsigned long judge_stats(struct witnesses *witnesses, struct distances *distances_of_begins)
{
	unsigned long count = 0;

	for (size_t k = 0; k < thread_count; k++) {
		const struct thread *thread = &threads[k];
		struct stats_life *found = NULL;

		if (thread->exit.flags & PROCLIFE_F_KTHREAD)
			continue;
		for (size_t i = 0; i < witnesses->stats_count && !found; i++) {
			struct stats_life *stats = &witnesses->stats[i];
			uint64_t then = looked_at(thread, stats);

			if (stats->pid == thread->exit.pid && !stats->used &&
			    then < thread->exit.ts + APART && then + LATE > thread->exit.ts)
				found = stats;
		}
		if (!found) {
			differs(thread->exit.pid, "%.16s: EXIT at %" PRIu64 ", but not by taskstats",
				thread->exit.comm, (uint64_t)thread->exit.ts);
			continue;
		}
		found->used = true;
		compare_stats(found, thread);
		count++;
	}
	*distances_of_begins = distances();
	return count;
}
