// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which life of the observer is which process of the truth: the pid is the same, and the life begins
 * within the call that made the process. A life whose beginning the observer has not seen is the one
 * that this pid has before it is used again. Where a tool's times are too coarse to tell, the order in
 * which it tells them does.
 */
#include "match.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const struct forest *forest;
uint32_t processes;
uint32_t *truth_order;
uint32_t *life_of;
uint32_t *slot_of;

static const struct lives *lives;
static uint32_t *life_order;

void *make(size_t count, size_t size)
{
	void *array = calloc(count + 1, size);

	if (!array)
		err(1, "judging");
	return array;
}

static void map_truth(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", path);
	if ((size_t)st.st_size < sizeof(*forest))
		errx(1, "%s: not the truth about a forest", path);
	forest = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (forest == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
	if (forest->magic != FOREST_MAGIC || !forest->complete)
		errx(1, "%s: not the truth about a forest, or not all of it", path);
	processes = forest->used - 1;
}

static int by_pid(uint32_t pid_a, uint64_t ts_a, uint32_t pid_b, uint64_t ts_b)
{
	if (pid_a != pid_b)
		return pid_a < pid_b ? -1 : 1;
	return ts_a < ts_b ? -1 : ts_a > ts_b;
}

static int by_truth(const void *a, const void *b)
{
	const struct forest_process *x = &forest->process[*(const uint32_t *)a];
	const struct forest_process *y = &forest->process[*(const uint32_t *)b];

	return by_pid(x->pid, x->after, y->pid, y->after);
}

static int by_life(const void *a, const void *b)
{
	const struct life *x = &lives->life[*(const uint32_t *)a];
	const struct life *y = &lives->life[*(const uint32_t *)b];
	int order = by_pid(x->pid, x->seen, y->pid, y->seen);

	return order ? order : x < y ? -1 : 1;
}

static void sort_truth(void)
{
	uint32_t i;

	truth_order = make(processes, sizeof(*truth_order));
	for (i = 0; i < processes; i++)
		truth_order[i] = i + 1;
	qsort(truth_order, processes, sizeof(*truth_order), by_truth);
}

static void sort_lives(void)
{
	uint32_t i;

	life_order = make(lives->count, sizeof(*life_order));
	for (i = 0; i < lives->count; i++)
		life_order[i] = i;
	qsort(life_order, lives->count, sizeof(*life_order), by_life);
}

void open_truth(const char *path)
{
	map_truth(path);
	sort_truth();
}

static uint64_t minus(uint64_t ts, uint64_t ns)
{
	return ts > ns ? ts - ns : 0;
}

/* The first life from @from on that this pid has and that is not taken yet; NO_LIFE if there is none. */
static uint32_t choose(uint32_t from, uint32_t pid, uint64_t end, bool forked)
{
	uint32_t i;

	for (i = from; i < lives->count; i++) {
		const struct life *life = &lives->life[life_order[i]];

		if (life->pid != pid || life->seen >= end)
			break;
		if (life->forked == forked && !slot_of[life_order[i]])
			return life_order[i];
	}
	return NO_LIFE;
}

void match(const struct lives *told)
{
	uint32_t from = 0, found, i;

	lives = told;
	sort_lives();
	life_of = make(processes + 1, sizeof(*life_of));
	slot_of = make(lives->count, sizeof(*slot_of));
	life_of[0] = NO_LIFE;
	for (i = 0; i < processes; i++) {
		const struct forest_process *p = &forest->process[truth_order[i]];
		uint64_t begin = minus(p->after, lives->rounding), end = UINT64_MAX;

		if (i + 1 < processes && forest->process[truth_order[i + 1]].pid == p->pid)
			end = minus(forest->process[truth_order[i + 1]].after, lives->rounding);
		while (from < lives->count &&
		       by_pid(lives->life[life_order[from]].pid, lives->life[life_order[from]].seen,
			      p->pid, begin) < 0)
			from++;
		found = choose(from, p->pid, p->before + lives->rounding + 1, true);
		if (found == NO_LIFE)
			found = choose(from, p->pid, end, false);
		life_of[truth_order[i]] = found;
		if (found != NO_LIFE)
			slot_of[found] = truth_order[i];
	}
}
