// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares a recording with what other witnesses know of the same processes.
 *
 * EXITING, EXIT and FREE frame the others' counts: taskstats looks between EXITING and EXIT, process
 * accounting before EXIT, wait4(2) between EXIT and FREE. What a task still does between two
 * of these points is allowed for beside each figure. Where records were lost, a life that is
 * not marked incomplete has to be right in everything, and a marked one in what it has.
 */
#include "judge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHOWN 20

struct proclife_record *forks;
struct thread *threads;
struct life *lives;
size_t fork_count, thread_count, life_count;
unsigned long differences;
struct proclife_source *source;
uint64_t tick;
bool lossy;

static struct proclife_record *exitings;
static size_t exiting_count;

void *grown(void *array, size_t count, size_t size)
{
	if (count & (count - 1)) /* room doubles at each power of two */
		return array;
	array = realloc(array, (count ? 2 * count : 1) * size);
	if (!array)
		die("memory");
	return array;
}

struct tally {
	const char *mark, *witness;
	unsigned long compared, differences;
};

static struct tally tallies[32];
static size_t tally_count;

static unsigned long count_of(const char *mark, const char *witness)
{
	for (size_t i = 0; i < tally_count; i++)
		if (!strcmp(tallies[i].mark, mark) && !strcmp(tallies[i].witness, witness))
			return tallies[i].compared;
	return 0;
}

static struct tally *tally_of(const char *mark, const char *witness)
{
	for (size_t i = 0; i < tally_count; i++)
		if (!strcmp(tallies[i].mark, mark) && !strcmp(tallies[i].witness, witness))
			return &tallies[i];
	if (tally_count == sizeof(tallies) / sizeof(*tallies)) {
		errno = ENOSPC;
		die("tallies");
	}
	tallies[tally_count] = (struct tally){ mark, witness, 0, 0 };
	return &tallies[tally_count++];
}

void compared(const char *mark, const char *witness, unsigned long before)
{
	struct tally *tally = tally_of(mark, witness);

	tally->compared++;
	tally->differences += differences != before;
}

/* A line for each, for marks.sh. */
static void write_tallies(void)
{
	const char *path = getenv("PROCLIFE_COMPARED");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!path)
		return;
	for (size_t i = 0; file && i < tally_count; i++)
		fprintf(file, "%s\t%s\t%lu\t%lu\n", tallies[i].mark, tallies[i].witness, tallies[i].compared,
			tallies[i].differences);
	if (!file || fclose(file))
		die(path);
}

void differs(uint32_t pid, const char *format, ...)
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

void expect_same(uint32_t pid, const char *what, int64_t ours, int64_t theirs)
{
	if (ours != theirs)
		differs(pid, "%s %" PRId64 ", but %" PRId64, what, ours, theirs);
}

void expect_between(uint32_t pid, const char *what, uint64_t from, uint64_t ours, uint64_t to)
{
	if (ours && (ours < from || ours > to))
		differs(pid, "%s %" PRIu64 ", not from %" PRIu64 " to %" PRIu64, what, ours, from, to);
}

void expect_after(uint32_t pid, const char *what, uint64_t ours, uint64_t theirs, uint64_t more)
{
	if (ours < theirs || ours > theirs + more)
		differs(pid, "%s %" PRIu64 ", but %" PRIu64 " (and at most %" PRIu64 " more)", what, ours,
			theirs, more);
}

static struct proclife_record exiting_of(const struct proclife_record *exit)
{
	for (size_t i = exiting_count; i--;)
		if (exitings[i].task == exit->task && exitings[i].start == exit->start)
			return exitings[i];
	return (struct proclife_record){ 0 };
}

static bool was_born(const struct proclife_record *exit)
{
	for (size_t i = fork_count; i--;)
		if (forks[i].task == exit->task && forks[i].start == exit->start)
			return true;
	return false;
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
		threads[thread_count++] = (struct thread){
			.exit = *r, .exiting = exiting_of(r), .born = was_born(r),
		};
	}
	for (size_t i = thread_count; r && r->type == PROCLIFE_FREE && i--;) {
		if (threads[i].exit.task != r->task || threads[i].exit.start != r->start)
			continue;
		threads[i].final = r->free.runtime;
		break;
	}
	return 0;
}

static void take_memory(struct life *life, const struct proclife_process *process)
{
	const struct proclife_memory *memory = proclife_process_memory(process);

	life->with_memory = memory;
	if (memory)
		life->memory = *memory;
}

/* Takes what became of the memory after the process was gone. */
static void take_late_memory(void *data, struct proclife_process *process)
{
	(void)data;
	for (size_t i = life_count; i--;)
		if (lives[i].process.id == process->id) {
			take_memory(&lives[i], process);
			return;
		}
}

/* The index of its last EXIT; its pid is used again only once it is reaped, but the next one can have exited. */
static size_t last_thread_of(const struct proclife_process *process)
{
	const uint64_t reaped = process->marks.reaped ? process->marks.reaped : UINT64_MAX;

	for (size_t i = thread_count; i--;) {
		const struct proclife_record *exit = &threads[i].exit;

		if (exit->tgid == process->tgid && exit->ts >= process->seen && exit->ts <= reaped)
			return i;
	}
	return SIZE_MAX;
}

static void take_life(void *data, struct proclife_process *process)
{
	const struct proclife_killer *killer = proclife_process_killer(process);

	(void)data;
	lives = grown(lives, life_count, sizeof(*lives));
	lives[life_count] = (struct life){ .process = *process };
	if (killer)
		lives[life_count].killer = *killer;
	lives[life_count].last = last_thread_of(process);
	take_memory(&lives[life_count], process);
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
		.process_over = take_late_memory,
	};
	struct proclife_tasks *tasks;
	struct proclife_fault fault;
	struct proclife_event event;
	int err = proclife_recording_open(&source, path, &fault);

	if (err) {
		printf("witness: %s: %s\n", fault.path, fault.text);
		exit(1);
	}
	if (proclife_tasks_new(&tasks, source) || proclife_tasks_report(tasks, &reports, NULL))
		die("memory");
	/* Follows all processes, since the witnesses saw all. */
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

int judge(const char *label, const char *recording, unsigned long least, struct witnesses *witnesses)
{
	unsigned long own, acct, stats, wait4, incomplete = 0;
	struct distances begins;

	read_recording(recording);
	own = judge_own(witnesses);
	wait4 = count_of("CPU time", "wait4");
	acct = judge_acct(witnesses);
	stats = judge_stats(witnesses, &begins);
	write_tallies();
	for (size_t i = 0; i < life_count; i++)
		incomplete += lives[i].process.incomplete;
	/* Each number counts comparisons that were made, not what there was to compare. */
	printf("witness: %s: %zu lives, %lu incomplete, %" PRIu64 " records lost; compared with wait4 %lu, peaks %lu, "
	       "with the clock %lu, with accounting %lu, all figures of %lu, memory %lu, threads with taskstats %lu; "
	       "%lu differences: %s; "
	       "%lu exits begin up to %" PRIu64 " us before taskstats looks, half of them up to %" PRIu64 "\n",
	       label, life_count, incomplete, proclife_recording_info(source)->lost, wait4, count_of("peak", "wait4"), own,
	       acct, count_of("figures", "accounting"), count_of("MM TEARDOWN", "clock"), stats, differences,
	       differences ? "NOT EXACT" : "ok", begins.count, begins.greatest / 1000, begins.median / 1000);
	if (own && !wait4)
		printf("witness: %s: nothing was compared with wait4\n", label);
	proclife_source_free(source);
	if (stats < least)
		printf("witness: %s: only %lu threads, not %lu: the load did not do its work\n", label,
		       stats, least);
	return differences || !acct || (own && !wait4) || stats < least;
}
