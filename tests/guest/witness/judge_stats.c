// SPDX-License-Identifier: GPL-2.0-only
/* taskstats, which looks between EXITING and EXIT. */
#include "judge.h"

#include <inttypes.h>
#include <string.h>

/*
 * When it looked, by its own count since the fork. That counts from the monotonic start, and copy_process()
 * reads the other clock after that one: with an interrupt, or another guest, between.
 */
static uint64_t looked_at(const struct thread *thread, const struct stats_life *stats)
{
	return thread->exit.start - proclife_source_header(source)->to_boottime + stats->elapsed * 1000;
}

static void compare_stats(const struct stats_life *stats, const struct thread *thread)
{
	const struct proclife_exit *x = &thread->exit.exit;
	uint64_t meanwhile = x->runtime - stats->runtime;
	uint32_t pid = stats->pid;

	/* Its count is rounded down to a microsecond. */
	if (thread->exiting > looked_at(thread, stats) + 1000)
		differs(pid, "EXITING at %" PRIu64 ", after taskstats looked, at %" PRIu64, thread->exiting,
			looked_at(thread, stats));
	if (!thread->exiting && !lossy && proclife_source_header(source)->features & PROCLIFE_HAS(PROCLIFE_EXITING))
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

unsigned long judge_stats(struct witnesses *witnesses)
{
	unsigned long compared = 0;

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
		compared++;
	}
	return compared;
}
