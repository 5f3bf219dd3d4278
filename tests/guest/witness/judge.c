// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording against what others know of the same processes.
 *
 * EXITING, EXIT and FREE frame what the others count: taskstats looks between EXITING and EXIT, process
 * accounting before EXIT, wait4(2) between EXIT and FREE. What a task still does on its way between two of these points is allowed for,
 * and stands beside each figure. Where records were lost, a life that is not marked incomplete has to be
 * right in all, and one that is marked in what it has.
 */
#include "witness.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ULL
#define MOST_SHOWN 20

/* A task on its way out can be preempted; the guests are slow. */
#define LATE (5000 * MS)
/* Two clocks read in a row. */
#define APART (50 * MS)
/* What a task runs on its way out, in s, */
#define LONG_EXIT 0.2
/* and the faults and switches between two looks: the robust list, the tid that is cleared, a file's last close. */
#define FEW 40

struct thread {
	struct proclife_record exit;
	uint64_t exiting; /* 0: not seen */
	uint64_t final; /* runtime as of FREE; 0: not seen */
};

struct life {
	struct proclife_process process; /* what it points to is gone */
	struct proclife_killer killer;	 /* signo 0: none */
	bool seen_by_acct;
};

static struct proclife_record *forks, *exitings;
static struct thread *threads;
static struct life *lives;
static size_t fork_count, exiting_count, thread_count, life_count;
static unsigned long differences;
static struct proclife_source *source;
static uint64_t tick; /* ns */
static bool lossy;

void *grown(void *array, size_t count, size_t size)
{
	if (count & (count - 1)) /* room doubles at each power of two */
		return array;
	array = realloc(array, (count ? 2 * count : 1) * size);
	if (!array)
		die("memory");
	return array;
}

static void __attribute__((format(printf, 2, 3)))
differs(uint32_t pid, const char *format, ...)
{
	va_list args;

	if (differences++ >= MOST_SHOWN)
		return;
	printf("witness: %u: ", pid);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

static void expect_same(uint32_t pid, const char *what, int64_t ours, int64_t theirs)
{
	if (ours != theirs)
		differs(pid, "%s %" PRId64 ", but %" PRId64, what, ours, theirs);
}

/* As unsigned numbers; those that are not known are 0, and not judged. */
static void expect_between(uint32_t pid, const char *what, uint64_t from, uint64_t ours, uint64_t to)
{
	if (ours && (ours < from || ours > to))
		differs(pid, "%s %" PRIu64 ", not from %" PRIu64 " to %" PRIu64, what, ours, from, to);
}

/* Their count was taken first. */
static void expect_after(uint32_t pid, const char *what, uint64_t ours, uint64_t theirs, uint64_t more)
{
	if (ours < theirs || ours > theirs + more)
		differs(pid, "%s %" PRIu64 ", but %" PRIu64 " (and at most %" PRIu64 " more)", what, ours,
			theirs, more);
}

static uint64_t exiting_of(const struct proclife_record *exit)
{
	for (size_t i = exiting_count; i--;)
		if (exitings[i].task == exit->task && exitings[i].start == exit->start)
			return exitings[i].ts;
	return 0;
}

static int take_record(void *data, const struct proclife_event *event)
{
	const struct proclife_record *r = event->record;

	(void)data;
	if (r && r->type == PROCLIFE_FORK) {
		forks = grown(forks, fork_count, sizeof(*forks));
		forks[fork_count++] = *r;
	}
	if (r && r->type == PROCLIFE_EXITING) {
		exitings = grown(exitings, exiting_count, sizeof(*exitings));
		exitings[exiting_count++] = *r;
	}
	if (r && r->type == PROCLIFE_EXIT) {
		threads = grown(threads, thread_count, sizeof(*threads));
		threads[thread_count++] = (struct thread){ .exit = *r, .exiting = exiting_of(r) };
	}
	for (size_t i = thread_count; r && r->type == PROCLIFE_FREE && i--;) {
		if (threads[i].exit.task != r->task || threads[i].exit.start != r->start)
			continue;
		threads[i].final = r->free.runtime;
		break;
	}
	return 0;
}

static void take_life(void *data, struct proclife_process *process)
{
	const struct proclife_killer *killer = proclife_process_killer(process);

	(void)data;
	lives = grown(lives, life_count, sizeof(*lives));
	lives[life_count] = (struct life){ .process = *process };
	if (killer)
		lives[life_count].killer = *killer;
	life_count++;
}

static int by_exit(const void *a, const void *b)
{
	const struct life *x = a, *y = b;

	return x->process.marks.exited < y->process.marks.exited ? -1 :
	       x->process.marks.exited > y->process.marks.exited;
}

static void read_recording(const char *path)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_gone = take_life,
	};
	struct proclife_tasks *tasks;
	struct proclife_fault fault;
	struct proclife_event event;
	int err = proclife_recording_open(&source, path, &fault);

	if (err) {
		printf("witness: %s: %s\n", fault.path, fault.text);
		exit(1);
	}
	if (proclife_tasks_new(&tasks) || proclife_tasks_report(tasks, &reports, NULL))
		die("memory");
	/* Whoever was followed: the witnesses saw everybody. */
	while ((err = proclife_source_next(source, &event)) >= 0)
		if (err && (take_record(NULL, &event) || proclife_tasks_feed(tasks, &event) < 0))
			die("memory");
	if (err != -ENODATA || proclife_tasks_close(tasks) < 0)
		die(path);
	proclife_tasks_free(tasks);
	/* A pid is used again only after its last one exited, but that can be freed later. */
	if (life_count)
		qsort(lives, life_count, sizeof(*lives), by_exit);
	tick = 1000000000 / proclife_source_header(source)->hz;
	lossy = proclife_recording_info(source)->lost;
}

/*
 * The workload itself
 */

static const struct thread *last_thread_of(const struct proclife_process *process)
{
	for (size_t i = thread_count; i--;)
		if (threads[i].exit.tgid == process->tgid &&
		    threads[i].exit.ts == process->marks.exited)
			return &threads[i];
	return NULL;
}

/* The kernel splits the time as its ticks fell: of a few, one more makes another split. */
static void compare_split(const struct own_life *own, const struct proclife_process *p, uint64_t most)
{
	uint64_t user, system;

	if (p->runtime < 8 * tick)
		return;
	proclife_cputime(p->runtime, p->utime, p->stime, &user, &system);
	if (user > own->utime * 1000 + most || own->utime * 1000 > user + most)
		differs(own->pid, "user time %" PRIu64 " ns, but %" PRIu64, user, own->utime * 1000);
	if (system > own->stime * 1000 + most || own->stime * 1000 > system + most)
		differs(own->pid, "system time %" PRIu64 " ns, but %" PRIu64, system, own->stime * 1000);
}

static void compare_usage(const struct own_life *own, const struct proclife_process *p)
{
	const struct thread *thread = last_thread_of(p);

	if (!thread || !thread->final)
		return;
	/* wait4() rounds each of both down to a microsecond. */
	expect_between(own->pid, "CPU time (ns)", thread->exit.exit.runtime,
		       (own->utime + own->stime) * 1000 + 2000, thread->final + 2000);
	compare_split(own, p, tick + MS + thread->final - thread->exit.exit.runtime);
	expect_same(own->pid, "rss (KiB)", (int64_t)p->max_rss, (int64_t)own->max_rss);
	expect_after(own->pid, "wait4's minor faults", own->min_flt, p->min_flt, FEW);
	expect_after(own->pid, "wait4's major faults", own->maj_flt, p->maj_flt, FEW);
	expect_after(own->pid, "wait4's switches", own->nvcsw, p->nvcsw, FEW);
	expect_after(own->pid, "wait4's involuntary switches", own->nivcsw, p->nivcsw, FEW);
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
		/* It has one thread, and forks by itself. */
		if (fork->creator != fork->parent)
			differs(own->pid, "its creator is not its parent");
	}
}

static void compare_own(const struct own_life *own, const struct life *life)
{
	const struct proclife_process *p = &life->process;
	uint64_t end = own->before_exit ? own->before_exit :
		       own->before_kill ? own->before_kill : own->after_fork;
	uint32_t pid = own->pid;

	expect_between(pid, "FORK at", own->before_fork, p->marks.born, own->after_fork);
	expect_between(pid, "EXIT at", end, p->marks.exited, own->after_wait);
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
		compare_usage(own, p);
	if (p->marks.born)
		compare_fork(own, p);
	if (p->cgroup)
		expect_same(pid, "cgroup", (int64_t)p->cgroup, (int64_t)own->cgroup);
	if (p->incomplete)
		return;
	expect_same(pid, "uid", p->uid, own->uid);
	if (!p->marks.born || !p->marks.exited || !p->marks.notified || !p->marks.reaped)
		differs(pid, "not incomplete, but without its FORK, EXIT, SIGCHLD or REAP");
	if (own->before_kill && !life->killer.signo)
		differs(pid, "nobody is said to have killed it");
}

static unsigned long judge_own(const struct witnesses *witnesses)
{
	unsigned long compared = 0;

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
			compared++;
		} else if (!lossy) {
			differs(own->pid, "in the workload alone");
		}
	}
	return compared;
}

/*
 * Process accounting
 */

/* Whether one with this pid exited in that time, which gave its children to somebody else. */
static bool has_exited(uint32_t tgid, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < life_count; i++) {
		uint64_t exited = lives[i].process.marks.exited;

		if (lives[i].process.tgid == tgid && exited && exited >= from && exited <= to)
			return true;
	}
	return false;
}

/*
 * A parent can exit between accounting and EXIT, whichever is first: up to Linux 6.15 accounting is, and
 * tells the parent of before; from 6.16 on EXIT is, and accounting tells the one that adopted.
 */
static bool is_adopted_between(const struct acct_life *acct, const struct proclife_process *p)
{
	uint64_t exited = p->marks.exited;

	return has_exited(acct->ppid, exited > LATE ? exited - LATE : 0, exited) ||
	       (acct->ppid == p->reaper_tgid && has_exited(p->real_parent_tgid, 0, p->marks.reaped));
}

static void compare_acct(const struct acct_life *acct, const struct proclife_process *p)
{
	/* It counts in hundredths of a second, rounded down, and a tick can fall on either side. */
	double most = 0.02 + (double)(2 * p->threads + 2) * (double)tick / 1e9;
	uint32_t pid = p->tgid;

	if (p->real_parent_tgid && !is_adopted_between(acct, p))
		expect_same(pid, "parent", p->real_parent_tgid, acct->ppid);
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
	expect_after(pid, "minor faults", p->min_flt, acct->min_flt, FEW + acct->min_flt / 512);
	expect_after(pid, "major faults", p->maj_flt, acct->maj_flt, FEW);
}

static bool is_same_end(const struct acct_life *acct, uint64_t exited)
{
	double end = (double)proclife_source_realtime(source, exited) / 1e9;

	return acct->end > end - 2.5 && acct->end < end + 2.5;
}

static unsigned long judge_acct(struct witnesses *witnesses)
{
	size_t first = SIZE_MAX, last = 0;
	unsigned long compared = 0;

	for (size_t k = 0; k < life_count; k++) {
		const struct proclife_process *p = &lives[k].process;
		struct acct_life *found = NULL;

		if (!p->marks.exited || p->flags & PROCLIFE_F_KTHREAD)
			continue;
		for (size_t i = 0; i < witnesses->acct_count && !found; i++)
			if (witnesses->acct[i].pid == p->tgid && !witnesses->acct[i].used &&
			    is_same_end(&witnesses->acct[i], p->marks.exited))
				found = &witnesses->acct[i];
		if (!found) {
			differs(p->tgid, "%.16s has ended, but not by accounting", p->comm);
			continue;
		}
		found->used = true;
		compare_acct(found, p);
		compared++;
		first = (size_t)(found - witnesses->acct) < first ? (size_t)(found - witnesses->acct) : first;
		last = (size_t)(found - witnesses->acct) > last ? (size_t)(found - witnesses->acct) : last;
	}
	for (size_t i = first; !lossy && i < last; i++)
		if (!witnesses->acct[i].used)
			differs(witnesses->acct[i].pid, "%s has ended by accounting alone",
				witnesses->acct[i].comm);
	return compared;
}

/*
 * taskstats
 */

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

static unsigned long judge_stats(struct witnesses *witnesses)
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

int judge(const char *label, const char *recording, unsigned long least, struct witnesses *witnesses)
{
	unsigned long own, acct, stats, incomplete = 0;

	read_recording(recording);
	own = judge_own(witnesses);
	acct = judge_acct(witnesses);
	stats = judge_stats(witnesses);
	for (size_t i = 0; i < life_count; i++)
		incomplete += lives[i].process.incomplete;
	printf("witness: %s: %zu lives, %lu incomplete, %" PRIu64 " records lost; compared with wait4 %lu, "
	       "with accounting %lu, threads with taskstats %lu; %lu differences: %s\n", label, life_count,
	       incomplete, proclife_recording_info(source)->lost, own, acct, stats, differences,
	       differences ? "NOT EXACT" : "ok");
	proclife_source_free(source);
	if (stats < least)
		printf("witness: %s: only %lu threads, not %lu: the load did not do its work\n", label,
		       stats, least);
	return differences || !acct || stats < least;
}
