// SPDX-License-Identifier: GPL-2.0-only
/* Compares with taskstats, which looks between EXITING and EXIT. */
#include "judge.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "taskstats.h"

struct report {
	struct taskstats stats; /* times are in us, but that of cpu_run_virtual_total is in ns */
	bool used;
};

static struct report *reports;
static size_t report_count;

/*
 * When taskstats looked, by its own count since the fork. That counts from the monotonic start, and copy_process()
 * reads the other clock later: an interrupt, or another guest, can come in between.
 */
static uint64_t looked_at(const struct thread *thread, const struct taskstats *stats)
{
	return thread->exit.start - proclife_source_header(source)->to_boottime + stats->ac_etime * 1000;
}

static struct distances begins, overruns;

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
		distances_add(&begins, looked > exiting->ts ? looked - exiting->ts : 0);
	}
	compared("EXITING", "taskstats", before);
}

/* KiB by which the module can be wrong about one thread's address space; three counters are summed. */
static uint64_t rss_error(void)
{
	return 3 * proclife_source_header(source)->rss_error;
}

static void compare_exiting(const struct taskstats *stats, const struct proclife_record *exiting,
			    uint64_t looked, uint64_t ended)
{
	const struct proclife_exiting *e = &exiting->exiting;
	uint64_t rss = e->rss_anon + e->rss_file + e->rss_shmem;
	unsigned long before = differences;

	compare_begin(exiting, looked);
	/* The parent can end in between: the exact time of taskstats' look is not known. */
	if (!has_exited(e->parent_tgid, 0, ended)) {
		before = differences;
		expect_same(exiting->pid, "EXITING's parent", e->parent_tgid, stats->ac_ppid);
		compared("parent at exit", "taskstats", before);
	}
	if (!(exiting->flags & PROCLIFE_F_SOLE) || e->mm_users != 1)
		return;
	before = differences;
	if (rss > stats->hiwater_rss + rss_error())
		differs(exiting->pid, "EXITING's memory %" PRIu64 " KiB, but never more than %" PRIu64, rss,
			(uint64_t)stats->hiwater_rss);
	compared("EXITING", "taskstats", before);
}

/*
 * What a thread runs between taskstats' look and EXIT is no more than the time that passes. But both counts are of its
 * last tick or switch, and the tick comes late if the host has taken the CPU away: under load, a thread ran 208
 * and 221 ms more than it had reported, and any limit for that says what the host does, not the module. So
 * what is too much must be rare: each has the limit of all that can be late, and half of them that of a tick. And
 * none runs for longer than it has lived; that is short for most.
 */
static void compare_runtime(const struct taskstats *stats, const struct thread *thread, uint64_t looked)
{
	uint64_t ours = thread->exit.exit.runtime, theirs = stats->cpu_run_virtual_total;
	uint64_t passed = thread->exit.ts > looked ? thread->exit.ts - looked : 0;
	uint64_t lived = thread->exit.ts + proclife_source_header(source)->to_boottime - thread->exit.start;

	expect_after(thread->exit.pid, "CPU time by taskstats", ours, theirs, passed + LATE);
	/* The two clocks run apart by less than a thousandth. */
	expect_between(thread->exit.pid, "CPU time", 0, ours, lived + lived / 1000 + MS);
	distances_add(&overruns, ours > theirs + passed ? ours - theirs - passed : 0);
}

static void compare_stats(const struct taskstats *stats, const struct thread *thread)
{
	const struct proclife_exit *x = &thread->exit.exit;
	uint64_t meanwhile = x->runtime - stats->cpu_run_virtual_total;
	uint64_t looked = looked_at(thread, stats);
	uint32_t pid = stats->ac_pid;
	unsigned long before;

	if (thread->exiting.ts)
		compare_exiting(stats, &thread->exiting, looked, thread->exit.ts);
	else if (thread->born && !lossy && has_records(PROCLIFE_HAS(PROCLIFE_EXITING)))
		differs(pid, "no EXITING");
	before = differences;
	compare_runtime(stats, thread, looked);
	compared("CPU time", "taskstats", before);
	before = differences;
	expect_after(pid, "user time by taskstats", x->utime, stats->ac_utime * 1000, tick);
	expect_after(pid, "system time by taskstats", x->stime, stats->ac_stime * 1000, meanwhile + 2 * tick);
	expect_after(pid, "minor faults by taskstats", x->min_flt, stats->ac_minflt, FEW);
	expect_after(pid, "major faults by taskstats", x->maj_flt, stats->ac_majflt, FEW);
	expect_after(pid, "switches by taskstats", x->nvcsw, stats->nvcsw, FEW);
	expect_after(pid, "involuntary switches by taskstats", x->nivcsw, stats->nivcsw, FEW);
	expect_name(pid, thread->exit.comm, stats->ac_comm);
	compared("figures", "taskstats", before);
}

static struct report *find(const struct thread *thread)
{
	for (size_t i = 0; i < report_count; i++) {
		uint64_t then = looked_at(thread, &reports[i].stats);

		if (reports[i].stats.ac_pid == thread->exit.pid && !reports[i].used &&
		    then < thread->exit.ts + APART && then + LATE > thread->exit.ts)
			return &reports[i];
	}
	return NULL;
}

static void read_reports(FILE *in)
{
	struct report next = { 0 };

	while (taskstats_next(in, &next.stats)) {
		if (!next.stats.ac_pid)
			differs(0, "taskstats lost something");
		reports = grown(reports, report_count, sizeof(*reports));
		reports[report_count++] = next;
	}
}

void judge_taskstats(FILE *in)
{
	uint64_t median;

	read_reports(in);
	for (size_t k = 0; k < thread_count; k++) {
		const struct thread *thread = &threads[k];
		struct report *found;

		if (thread->exit.flags & PROCLIFE_F_KTHREAD)
			continue;
		found = find(thread);
		if (!found) {
			differs(thread->exit.pid, "%.16s: EXIT at %" PRIu64 ", but not by taskstats",
				thread->exit.comm, (uint64_t)thread->exit.ts);
			continue;
		}
		found->used = true;
		compare_stats(&found->stats, thread);
	}
	expect_compared("figures", "taskstats");
	if (!distances_are_usual(&begins, USUAL, &median))
		differs(0, "half of the exits begin more than %" PRIu64 " ns before taskstats looks", median);
	if (!distances_are_usual(&overruns, tick, &median))
		differs(0, "half of the threads run %" PRIu64 " ns more than passes after taskstats looks", median);
}
