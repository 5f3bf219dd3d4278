// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the process of the truth for each life of the observer: the pid is the same, and the life begins
 * within the call that made the process. A life whose beginning the observer has not seen is the life
 * that this pid has before it is used again. Where a tool's times are too coarse for that, the order of
 * its lives decides, and what it reports of them.
 */
#include "match.h"

#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
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

static void check_truth(const char *path)
{
	uint32_t i;

	for (i = 1; i <= processes; i++) {
		const struct forest_process *p = &forest->process[i];

		if (p->parent > processes || p->pid > MAX_PID || memchr(p->name, 0, sizeof(p->name)) == NULL)
			errx(1, "%s: process %u of it is damaged", path, i);
	}
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
	if (forest->magic != FOREST_MAGIC)
		errx(1, "%s: not the truth about a forest, which comes first", path);
	if (!forest->complete)
		errx(1, "%s: not all of the truth: the forest did not come to its end", path);
	if (forest->used < 2 || forest->used > (st.st_size - sizeof(*forest)) / sizeof(*forest->process))
		errx(1, "%s: cut short", path);
	processes = forest->used - 1;
	check_truth(path);
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

static const struct forest_process *process_at(uint32_t i)
{
	return &forest->process[truth_order[i]];
}

static const struct life *life_at(uint32_t i)
{
	return &lives->life[life_order[i]];
}

/* Can life @l be process @i? @last: the last process of that pid. See README.md. */
static bool can_be(uint32_t i, uint32_t last, uint32_t l)
{
	const struct forest_process *p = process_at(i);
	const struct life *life = life_at(l);

	if (life->seen < minus(p->after, lives->rounding))
		return false;
	if (life->forked)
		return life->seen <= p->before + lives->rounding;
	if (i == last)
		return life->seen <= forest->ended + lives->rounding;
	return life->seen < minus(process_at(i + 1)->after, lives->rounding);
}

/*
 * The cost of matching a life with a process: a missed process costs more than all faults of one that
 * is not missed.
 */
#define MISSED 100

static unsigned int difference(const struct forest_process *p, const struct life *life)
{
	return 10 * !life->forked + (life->name[0] && strcmp(life->name, p->name)) +
	       (life->status != -1 && life->status != p->status) + (life->reaper && life->reaper != p->reaper) +
	       (life->args && !match_args(p, life->args)) +
	       (life->parent != NO_LIFE && !lives->tells_notified &&
		lives->life[life->parent].pid != p->parent_pid);
}

void match_true_args(const struct forest_process *p, char separator, char args[MATCH_ARGS])
{
	snprintf(args, MATCH_ARGS, "%s%c%" PRIu64 "%c%td%c%" PRIu32, p->name, separator, forest->fd, separator,
		 p - forest->process, separator, p->seed);
}

bool match_args(const struct forest_process *p, const char *told)
{
	char args[MATCH_ARGS];

	match_true_args(p, lives->joins_args ? ' ' : ARG_END, args);
	return p->execs && told && !strcmp(told, args);
}

enum step { MISS, SKIP, TAKE };

/*
 * The processes from @begin to @end and the lives from @from to @to, all of one pid and in the order of time:
 * the order stays, and of all ways to pair them, it is the one that finds the least fault. Where times are
 * coarse, taking the first that is possible would make one process that was missed into a fault of each
 * later process of the pid. This is the alignment of Needleman and Wunsch (1970).
 */
static void align(uint32_t begin, uint32_t end, uint32_t from, uint32_t to)
{
	size_t rows = end - begin, columns = to - from, i, l;
	uint8_t *steps = make(rows * columns, 1);
	uint32_t *cost = make(columns + 1, sizeof(*cost)), diagonal, above, best;

	for (i = 0; i < rows; i++) {
		diagonal = cost[0];
		cost[0] += MISSED;
		for (l = 0; l < columns; l++) {
			enum step step = SKIP;

			above = cost[l + 1];
			best = cost[l];
			if (above + MISSED < best) {
				best = above + MISSED;
				step = MISS;
			}
			if (can_be(begin + i, end - 1, from + l)) {
				uint32_t taken = diagonal + difference(process_at(begin + i), life_at(from + l));

				if (taken <= best) {
					best = taken;
					step = TAKE;
				}
			}
			diagonal = above;
			cost[l + 1] = best;
			steps[i * columns + l] = step;
		}
	}
	for (i = rows, l = columns; i && l;) {
		enum step step = steps[(i - 1) * columns + l - 1];

		if (step == TAKE) {
			life_of[truth_order[begin + i - 1]] = life_order[from + l - 1];
			slot_of[life_order[from + l - 1]] = truth_order[begin + i - 1];
		}
		i -= step != SKIP;
		l -= step != MISS;
	}
	free(cost);
	free(steps);
}

void match(const struct lives *told)
{
	uint32_t begin, end, from = 0, to, i;

	lives = told;
	sort_lives();
	life_of = make(processes + 1, sizeof(*life_of));
	slot_of = make(lives->count, sizeof(*slot_of));
	for (i = 0; i <= processes; i++)
		life_of[i] = NO_LIFE;
	for (begin = 0; begin < processes; begin = end) {
		uint32_t pid = process_at(begin)->pid;

		for (end = begin; end < processes && process_at(end)->pid == pid; end++)
			;
		while (from < lives->count && life_at(from)->pid < pid)
			from++;
		for (to = from; to < lives->count && life_at(to)->pid == pid; to++)
			;
		align(begin, end, from, to);
		from = to;
	}
}
