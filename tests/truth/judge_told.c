// SPDX-License-Identifier: GPL-2.0-only
/* Compares with what the workload knows of its processes: its clock, and wait4(2). */
#include "judge.h"

#include <inttypes.h>
#include <string.h>

#include "told.h"

int command_status = -1;

static struct end {
	uint32_t pid;
	uint64_t at;
	bool used;
} *ends;
static size_t end_count;

/* The earliest time of the end, by the best clock that knows it; it can be over when its fork returns. */
static uint64_t first_of_end(const struct truth *t, const struct life *life)
{
	return life->ends ? life->ends : t->killed ? t->killed : t->after;
}

static uint64_t last_of_end(const struct truth *t)
{
	return t->reap_to ? t->reap_to : info->ended;
}

/* The kernel splits the time by its ticks: with few of them, one more changes the split. */
static void compare_split(const struct truth *t, const struct proclife_process *p, uint64_t most)
{
	uint64_t user, system;
	unsigned long before = differences;

	if (p->runtime < 8 * tick)
		return;
	proclife_cputime(p->runtime, p->utime, p->stime, &user, &system);
	expect_near(p->tgid, "user time (ns)", user, t->utime * 1000, most);
	expect_near(p->tgid, "system time (ns)", system, t->stime * 1000, most);
	compared("user and system time", "wait4", before);
}

/* The memory only grew, but wait4() includes the program before an exec, which the module does not. */
static void compare_peak(const struct truth *t, const struct proclife_process *p, const char *what, uint64_t peak)
{
	if (!p->execs || peak > t->max_rss)
		expect_near(p->tgid, what, peak, t->max_rss, BATCH);
}

static void compare_usage(const struct truth *t, const struct life *life)
{
	const struct proclife_process *p = &life->process;
	const struct thread *thread = life->last;
	unsigned long before = differences;

	if (!thread || !thread->final) {
		if (!p->incomplete)
			differs(p->tgid, "not incomplete, but without the figures of its EXIT or its FREE");
		return;
	}
	/* wait4() rounds both down to a microsecond. */
	expect_between(p->tgid, "CPU time (ns)", thread->exit.exit.runtime, (t->utime + t->stime) * 1000 + 2000,
		       thread->final + 2000);
	compared("CPU time", "wait4", before);
	compare_split(t, p, tick + MS + thread->final - thread->exit.exit.runtime);
	if (p->max_rss || !lossy) { /* the MM that has it can be among what was lost */
		before = differences;
		if (!p->max_rss)
			differs(p->tgid, "no peak of its memory");
		compare_peak(t, p, "peak (KiB)", p->max_rss);
		compared("peak", "wait4", before);
	}
	before = differences;
	expect_after(p->tgid, "wait4's minor faults", t->min_flt, p->min_flt, FEW);
	expect_after(p->tgid, "wait4's major faults", t->maj_flt, p->maj_flt, FEW);
	expect_after(p->tgid, "wait4's switches", t->nvcsw, p->nvcsw, FEW);
	expect_after(p->tgid, "wait4's involuntary switches", t->nivcsw, p->nivcsw, FEW);
	compared("figures", "wait4", before);
}

/* The other holder keeps the memory until it gets the release. */
static void compare_held(const struct truth *t, const struct life *life)
{
	const struct proclife_memory *memory = &life->memory;
	unsigned long before = differences;
	uint32_t pid = life->process.tgid;

	expect_between(pid, "LEFT at", first_of_end(t, life), memory->left, t->reap_to);
	if (memory->left)
		expect_same(pid, "holders", memory->holders, 1);
	else
		differs(pid, "%d is not said to hold its memory", t->holder);
	compared("MM LEFT", "clock", before);

	before = differences;
	expect_between(pid, "TEARDOWN at", t->release_from, memory->teardown, t->release_to);
	if (memory->teardown)
		expect_same(pid, "the last holder", memory->last.tgid, t->holder);
	else if (!lossy)
		differs(pid, "no TEARDOWN by %d", t->holder);
	compared("MM TEARDOWN", "clock", before);

	before = differences;
	expect_between(pid, "GONE at", t->release_from, memory->gone, t->release_to);
	compared("MM GONE", "clock", before);
}

static void compare_own_memory(const struct truth *t, const struct life *life)
{
	const struct proclife_memory *memory = &life->memory;
	unsigned long before = differences;
	uint32_t pid = life->process.tgid;

	expect_between(pid, "TEARDOWN at", first_of_end(t, life), memory->teardown, t->reap_to);
	if (!memory->own || memory->left)
		differs(pid, "others are said to have held its memory");
	compared("MM TEARDOWN", "clock", before);
	before = differences;
	expect_between(pid, "GONE at", first_of_end(t, life), memory->gone, t->reap_to);
	if (!memory->gone && !lossy)
		differs(pid, "its memory is not said to be gone");
	compared("MM GONE", "clock", before);
}

static void compare_memory(const struct truth *t, const struct life *life)
{
	const struct proclife_memory *memory = &life->memory;
	unsigned long before = differences;

	if (!life->with_memory) {
		if (!lossy && has_records(PROCLIFE_HAS(PROCLIFE_EXITING) | PROCLIFE_HAS(PROCLIFE_MM)))
			differs(life->process.tgid, "it is not known what became of its memory");
		return;
	}
	if (t->holder)
		compare_held(t, life);
	else
		compare_own_memory(t, life);
	if (!memory->teardown)
		return;
	before = differences;
	compare_peak(t, &life->process, "TEARDOWN of KiB", memory->rss_anon + memory->rss_file + memory->rss_shmem);
	compared("MM TEARDOWN", "wait4", before);
}

static void compare_times(const struct truth *t, const struct life *life)
{
	const struct proclife_marks *marks = &life->process.marks;
	uint64_t first = first_of_end(t, life), last = last_of_end(t);
	unsigned long before = differences;
	uint32_t pid = life->process.tgid;

	expect_between(pid, "the exit begins at", first, marks->exited, last);
	if (marks->exited && has_records(PROCLIFE_HAS(PROCLIFE_EXITING)))
		compared("EXITING", "clock", before);
	before = differences;
	expect_between(pid, "FORK at", t->after, marks->born, t->before);
	expect_between(pid, "notified at", first, marks->notified, last);
	expect_between(pid, "REAP at", t->reap_from, marks->reaped, last);
	expect_between(pid, "FREE at", t->reap_from, marks->freed, info->ended);
	compared("times", "clock", before);
	if (!t->killed || !life->killer.signo)
		return;
	before = differences;
	expect_between(pid, "SIGNAL at", t->killed, life->killer.ts, t->killed_to ? t->killed_to : last);
	if (life->process.parent_tgid)
		expect_same(pid, "killer", life->killer.tgid, life->process.parent_tgid);
	compared("SIGNAL", "clock", before);
}

/* What the record of the creation has, and what is known at the end. */
static void compare_identity(const struct truth *t, const struct life *life)
{
	const struct proclife_process *p = &life->process;
	unsigned long before = differences;

	if (p->exit_code >= 0) {
		expect_same(p->tgid, "status", p->exit_code, t->status);
		compared("status", "wait4", before);
	}
	before = differences;
	if (life->fork) {
		expect_same(p->tgid, "parent", p->parent_tgid, t->parent);
		expect_same(p->tgid, "creator", p->creator_tgid, t->creator);
		if (t->cgroup)
			expect_same(p->tgid, "FORK's cgroup", (int64_t)life->fork->fork.cgroup, (int64_t)t->cgroup);
		/* The workload forks by its only thread. */
		if (t->used && life->fork->fork.creator != life->fork->fork.parent)
			differs(p->tgid, "its creator is not its parent");
	}
	if (p->cgroup && t->cgroup)
		expect_same(p->tgid, "cgroup", (int64_t)p->cgroup, (int64_t)t->cgroup);
	if (!p->incomplete) {
		expect_same(p->tgid, "reaper", p->reaper_tgid, t->reaper);
		if (t->used)
			expect_same(p->tgid, "uid", p->uid, t->uid);
		if (t->threads) {
			expect_same(p->tgid, "threads", p->threads, t->threads);
			expect_same(p->tgid, "execs", p->execs, t->execs);
		}
		if (t->name[0])
			expect_name(p->tgid, p->comm, t->name);
		if (!p->marks.born || !p->marks.exited || (t->used && !p->marks.notified) || !p->marks.reaped)
			differs(p->tgid, "not incomplete, but without its FORK, EXIT, NOTIFY or REAP");
		if (t->killed_to && !life->killer.signo)
			differs(p->tgid, "it was killed, but has no killer");
	}
	compared("identity", "clock", before);
}

/* The process with this pid that was made in this time, of which there is exactly one. */
static struct life *find(const struct truth *t)
{
	struct life *found = NULL;
	unsigned int count = 0;

	for (size_t i = 0; i < life_count; i++) {
		const struct proclife_process *p = &lives[i].process;

		if (p->tgid != (uint32_t)t->pid || p->seen < t->after ||
		    p->seen > (p->marks.born ? t->before : last_of_end(t) + LATE))
			continue;
		found = &lives[i];
		count++;
	}
	if (count > 1 || (!count && !lossy))
		differs((uint32_t)t->pid, "%s: %u times in the recording", t->name, count);
	return found;
}

/*
 * A process writes when it ends, each of its threads, too, and it begins to exit after the last of them: no other
 * process has this pid until it is reaped.
 */
static void take_ends(const struct truth *t, struct life *life)
{
	uint64_t reaped = t->reap_to ? t->reap_to : life->process.marks.reaped;

	for (size_t i = 0; i < end_count; i++) {
		if (ends[i].pid != (uint32_t)t->pid || ends[i].at < t->after || (reaped && ends[i].at > reaped))
			continue;
		ends[i].used = true;
		life->ends = ends[i].at > life->ends ? ends[i].at : life->ends;
	}
}

static void compare_told(const struct truth *t, bool ours)
{
	struct life *life = find(t);

	if (!life)
		return;
	if (life->told)
		differs(life->process.tgid, "reported twice");
	life->told = true;
	take_ends(t, life);
	if (ours && t->threads && !life->ends && !t->killed)
		differs(life->process.tgid, "its end is not reported");
	compare_times(t, life);
	compare_identity(t, life);
	if (!t->used)
		return;
	compare_memory(t, life);
	if (life->process.marks.exited)
		compare_usage(t, life);
}

/* All that there is in the recording of a command of ours is what it says, the command, and what runs it. */
static void judge_total(uint64_t told, uint64_t processes, uint64_t threads, bool total)
{
	if (!total)
		differs(info->command, "the command does not say how many processes it made");
	else if (counts.processes != processes + 2 || counts.tasks != processes + 2 + threads || told != processes)
		differs(info->command, "%" PRIu64 " processes and %" PRIu64 " threads, %" PRIu64 " reported, in "
			"truth %" PRIu64 " and %" PRIu64, counts.processes - 2, counts.tasks - counts.processes, told,
			processes, threads);
	for (size_t i = 0; i < life_count; i++)
		if (!lives[i].told && lives[i].process.tgid != info->command)
			differs(lives[i].process.tgid, "%.16s: the command does not know it", lives[i].process.comm);
}

void judge_told(FILE *in, bool ours)
{
	uint64_t at, processes = 0, threads = 0, count = 0;
	struct truth *told = NULL, t = { 0 };
	bool total = false, used = false;
	char line[2048];
	uint32_t pid;

	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, "total processes=%" SCNu64 " threads=%" SCNu64, &processes, &threads) == 2) {
			total = true;
		} else if (sscanf(line, "end pid=%" SCNu32 " at=%" SCNu64, &pid, &at) == 2) {
			ends = grown(ends, end_count, sizeof(*ends));
			ends[end_count++] = (struct end){ .pid = pid, .at = at };
		} else if (truth_read(line, &t)) {
			told = grown(told, count, sizeof(*told));
			told[count++] = t;
		} else {
			differs(0, "not a line of truth: %s", line);
		}
	}
	for (size_t i = 0; i < count; i++) {
		compare_told(&told[i], ours);
		used |= told[i].used;
		if (info->command && (uint32_t)told[i].parent == info->command && !told[i].threads)
			command_status = told[i].status;
	}
	for (size_t i = 0; i < end_count && !lossy; i++)
		if (!ends[i].used)
			differs(ends[i].pid, "ends at %" PRIu64 ", but was not reported", ends[i].at);
	expect_compared("status", "wait4");
	if (used) {
		expect_compared("CPU time", "wait4");
		expect_compared("peak", "wait4");
		expect_compared("figures", "wait4");
	}
	if (ours)
		judge_total(count - 1, processes, threads, total);
}
