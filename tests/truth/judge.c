// SPDX-License-Identifier: GPL-2.0-only
/*
 * judge [--told | --least N] [--few PIDS] LABEL FOLDER: is what was recorded in FOLDER true? Compares the
 * recording with what other witnesses left there, as far as they are there: acct, ftrace, taskstats (all by
 * listen.c) and told (by a workload). Prints differences and a summary, in lines that begin with LABEL.
 *   --told      it is of a command, a workload of ours that reports each process and how many there are
 *   --least N   it has at least N threads that ended, besides a command itself
 *   --few PIDS  the command had only that many pids, so it must have used some again if it had more tasks.
 *               If it is not ours, it may have failed: stress-ng calls it a failure if it cannot have as many
 *               at once as it wants.
 * Exit status: 0 if nothing differs.
 *
 * EXITING, EXIT and FREE frame the others' counts: taskstats looks between EXITING and EXIT, process accounting
 * before EXIT, wait4(2) between EXIT and FREE. What a task still does between two of these points is allowed
 * for beside each figure. Where records were lost, a life that is not marked incomplete has to be right in
 * everything, and a marked one in what it has.
 */
#include "judge.h"

#include <err.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define MOST_SHOWN 20

unsigned long differences;
static const char *label; /* which begins each line */

void fail(const char *what)
{
	err(1, "judge: %s", what);
}

void *grown(void *array, size_t count, size_t size)
{
	if (count & (count - 1)) /* room doubles at each power of two */
		return array;
	array = realloc(array, (count ? 2 * count : 1) * size);
	if (!array)
		fail("memory");
	return array;
}

void differs(uint32_t pid, const char *format, ...)
{
	va_list args;

	if (differences++ >= MOST_SHOWN)
		return;
	printf("%s: %u: ", label, pid);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

void expect_same(uint32_t pid, const char *what, int64_t ours, int64_t theirs)
{
	if (ours != theirs)
		differs(pid, "%s %" PRId64 ", but %" PRId64, what, ours, theirs);
}

void expect_name(uint32_t pid, const char *ours, const char *theirs)
{
	if (strncmp(ours, theirs, PROCLIFE_COMM_LEN - 1))
		differs(pid, "name \"%.16s\", but \"%.16s\"", ours, theirs);
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

void expect_near(uint32_t pid, const char *what, uint64_t ours, uint64_t theirs, uint64_t error)
{
	if (ours > theirs + error || theirs > ours + error)
		differs(pid, "%s %" PRIu64 ", but %" PRIu64 " (give or take %" PRIu64 ")", what, ours, theirs, error);
}

static struct tally {
	const char *mark, *witness;
	unsigned long compared, differences;
} *tallies;
static size_t tally_count;

void compared(const char *mark, const char *witness, unsigned long before)
{
	struct tally *tally = tallies, *end = tallies + tally_count;

	while (tally < end && (strcmp(tally->mark, mark) || strcmp(tally->witness, witness)))
		tally++;
	if (tally == end) {
		tallies = grown(tallies, tally_count, sizeof(*tallies));
		tally = &tallies[tally_count++];
		*tally = (struct tally){ .mark = mark, .witness = witness };
	}
	tally->compared++;
	tally->differences += differences != before;
}

unsigned long count_of(const char *mark, const char *witness)
{
	unsigned long count = 0;

	for (size_t i = 0; i < tally_count; i++)
		if ((!mark || !strcmp(tallies[i].mark, mark)) && !strcmp(tallies[i].witness, witness))
			count += tallies[i].compared;
	return count;
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
		fail(path);
}

void distances_add(struct distances *distances, uint64_t ns)
{
	distances->ns = grown(distances->ns, distances->count, sizeof(*distances->ns));
	distances->ns[distances->count++] = ns;
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

bool distances_are_usual(struct distances *distances, uint64_t usual, uint64_t *median)
{
	*median = 0;
	if (!distances->count)
		return true;
	qsort(distances->ns, distances->count, sizeof(*distances->ns), by_size);
	*median = distances->ns[distances->count / 2];
	return *median <= usual;
}

static FILE *open_in(const char *folder, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, "re");
}

struct options {
	bool told;
	unsigned long least, few;
};

void expect_compared(const char *mark, const char *witness)
{
	if (!lossy && !count_of(mark, witness))
		differs(0, "%s: not compared with %s", mark, witness);
}

static void judge_folder(const char *folder, const struct options *options)
{
	FILE *acct = open_in(folder, "acct"), *ftrace = open_in(folder, "ftrace"), *told = open_in(folder, "told"),
	     *taskstats = open_in(folder, "taskstats");

	if (told)
		judge_told(told, options->told);
	if (acct)
		judge_acct(acct);
	if (taskstats)
		judge_taskstats(taskstats);
	if (ftrace)
		judge_ftrace(ftrace);
	if (!acct && !taskstats && !ftrace)
		differs(0, "there is no witness");
}

/* What a command did, by the way it ended and its pids. */
static void judge_command(const struct options *options)
{
	const bool may_fail = !options->told && options->few && WIFEXITED(command_status);

	if (command_status && !may_fail)
		differs(info->command, "FAILED: wait status %#x", (unsigned int)command_status);
	if (options->few && counts.tasks > options->few && lives_per_pid < 2)
		differs(info->command, "%" PRIu64 " tasks with %lu pids, and none was used again", counts.tasks,
			options->few);
	if (lossy)
		differs(info->command, "%" PRIu64 " records were lost", info->lost);
}

static void show(void)
{
	static const char *const witnesses[] = { "clock", "wait4", "accounting", "taskstats", "ftrace", "itself" };
	unsigned long incomplete = 0;

	for (size_t i = 0; i < life_count; i++)
		incomplete += lives[i].process.incomplete;
	printf("%s: %zu lives, %zu threads, ", label, life_count, info->command ? (size_t)counts.tasks : thread_count);
	if (lives_per_pid)
		printf("pids used up to %ux, ", lives_per_pid);
	printf("%lu incomplete, %" PRIu64 " records lost; compared with ", incomplete, info->lost);
	/* Comparisons that were made, not what there was to compare. */
	for (size_t i = 0; i < sizeof(witnesses) / sizeof(*witnesses); i++)
		printf("%s %lu, ", witnesses[i], count_of(NULL, witnesses[i]));
	printf("memory %lu; %lu differences: %s\n", count_of("MM TEARDOWN", "clock"), differences,
	       differences ? "NOT EXACT" : "ok");
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	char path[4096];
	uint64_t made;
	int at = 1;

	for (; at < argc && !strncmp(argv[at], "--", 2); at++) {
		options.told |= !strcmp(argv[at], "--told");
		if (!strcmp(argv[at], "--least") && at + 1 < argc)
			options.least = strtoul(argv[++at], NULL, 10);
		else if (!strcmp(argv[at], "--few") && at + 1 < argc)
			options.few = strtoul(argv[++at], NULL, 10);
	}
	if (argc - at != 2)
		errx(129, "usage: judge [--told | --least N] [--few PIDS] LABEL FOLDER");
	label = argv[at];
	snprintf(path, sizeof(path), "%s/recording", argv[at + 1]);
	read_recording(path);
	judge_folder(argv[at + 1], &options);
	if (info->command)
		judge_command(&options);
	/* What runs a command, and the command itself, are no part of what it made. */
	made = info->command ? counts.tasks - 2 : thread_count;
	if (made < options.least)
		differs(0, "only %" PRIu64 " threads, not %lu: the load did not do its work", made, options.least);
	write_tallies();
	show();
	close_recording();
	return differences ? 1 : 0;
}
