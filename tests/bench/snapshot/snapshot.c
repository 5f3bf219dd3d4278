// SPDX-License-Identifier: GPL-2.0-only
/*
 * snapshot TASKS SHOTS ROUNDS MS: with TASKS that sleep, how long a snapshot takes, and what it and
 * readers do to a load of fork, _exit and wait. The load has a CPU of its own, the last one.
 */
#include <err.h>
#include <malloc.h>
#include <proclife/abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crowd.h"
#include "frees.h"
#include "order.h"

#define PIECE 64 /* pids that the module looks at without a break */
#define MOST_ROUNDS 101

static unsigned int tasks, shots, rounds, ms, capacity;

static double us(double ns)
{
	return ns / 1000;
}

/*
 * Snapshots
 */

struct shots {
	unsigned int tasks; /* that the last one found */
	uint64_t *took;
	uint64_t *span; /* of each, from its first time stamp to its last */
	uint64_t *piece; /* from the first time stamp of PIECE to the last */
	size_t pieces;
};

/*
 * Copying to user space between two pieces shows as a longer step there. The sleepers, which
 * are most of the tasks, have pids in a row, so that it is always at the same place modulo PIECE.
 */
static unsigned int first_of_piece(const struct proclife_record *records, unsigned int count)
{
	double longest = 0;
	unsigned int found = 0;

	for (unsigned int phase = 0; phase < PIECE; phase++) {
		double steps[2048];
		unsigned int n = 0;

		for (unsigned int i = count / 2 / PIECE * PIECE + phase; i < count && n < 2048; i += PIECE)
			steps[n++] = records[i].ts - records[i - 1].ts;
		if (n && order_median(steps, n) > longest) {
			longest = order_median(steps, n);
			found = phase;
		}
	}
	return found;
}

static void take_pieces(struct shots *s, const struct proclife_record *records)
{
	unsigned int at = s->tasks / 2 / PIECE * PIECE + first_of_piece(records, s->tasks);

	for (; at + PIECE <= s->tasks; at += PIECE)
		s->piece[s->pieces++] = records[at + PIECE - 1].ts - records[at].ts;
}

static void row(const char *what, const uint64_t *sorted, size_t count)
{
	printf("%-44s %9zu %9.1f %9.1f %9.1f %9.1f\n", what, count, us(sorted[0]),
	       us(order_quantile(sorted, count, 0.5)), us(order_quantile(sorted, count, 0.99)),
	       us(sorted[count - 1]));
}

static void show_shots(struct shots *s)
{
	qsort(s->took, shots, sizeof(*s->took), order_u64);
	qsort(s->span, shots, sizeof(*s->span), order_u64);
	qsort(s->piece, s->pieces, sizeof(*s->piece), order_u64);
	printf("%-44s %9s %9s %9s %9s %9s\n", "snapshots, us", "count", "min", "p50", "p99", "max");
	row("one ioctl", s->took, shots);
	row("  from its first time stamp to its last", s->span, shots);
	if (s->pieces)
		row("  from the first of 64 to the last", s->piece, s->pieces);
	printf("%u tasks; %.0f ns of the ioctl each (p50)\n\n", s->tasks,
	       (double)order_quantile(s->took, shots, 0.5) / s->tasks);
}

static void measure_shots(void)
{
	struct proclife_record *records = calloc(capacity, sizeof(*records));
	struct shots s = {
		.took = calloc(shots, sizeof(*s.took)),
		.span = calloc(shots, sizeof(*s.span)),
		.piece = calloc((size_t)shots * capacity / PIECE, sizeof(*s.piece)),
	};
	int fd = crowd_open();

	if (!records || !s.took || !s.span || !s.piece)
		err(1, "calloc");
	crowd_snapshot(fd, records, capacity); /* warms up */
	for (unsigned int i = 0; i < shots; i++) {
		uint64_t began = crowd_now();

		s.tasks = crowd_snapshot(fd, records, capacity);
		s.took[i] = crowd_now() - began;
		s.span[i] = records[s.tasks - 1].ts - records[0].ts;
		take_pieces(&s, records);
	}
	show_shots(&s);
	close(fd);
	free(records);
	free(s.took);
	free(s.span);
	free(s.piece);
}

/*
 * The load, beside others
 */

struct setting {
	const char *name;
	enum crowd_kind kind;
	unsigned int count; /* of those that disturb */
	/* Per round. */
	double p50[MOST_ROUNDS], p99[MOST_ROUNDS], max[MOST_ROUNDS];
	double cycles[MOST_ROUNDS], irq_works[MOST_ROUNDS], ratio[MOST_ROUNDS];
	double done[MOST_ROUNDS], slept[MOST_ROUNDS]; /* per second */
};

static struct setting settings[] = {
	{ .name = "nobody" },
	{ .name = "a busy loop", .kind = CROWD_BUSY, .count = 1 },
	{ .name = "snapshots, one after the other", .kind = CROWD_SHOOTS, .count = 1 },
	{ .name = "8 readers asleep", .kind = CROWD_ASLEEP, .count = 8 },
	{ .name = "8 eager readers", .kind = CROWD_EAGER, .count = 8 },
};

#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

static void measure(struct setting *s, unsigned int round)
{
	struct frees *frees = frees_begin();
	struct crowd_load load;
	uint64_t began, ended, done, slept, *took;
	size_t count;

	crowd_begin(s->kind, s->count, capacity);
	began = crowd_now();
	done = crowd_done();
	slept = crowd_slept();
	crowd_load(ms, &load);
	ended = crowd_now();
	s->done[round] = (crowd_done() - done) * 1e9 / (ended - began);
	s->slept[round] = (crowd_slept() - slept) * 1e9 / (ended - began);
	s->cycles[round] = load.cycles;
	s->irq_works[round] = load.irq_works;
	took = frees_end(frees, load.pid, &count); /* before crowd_end(), so the last frees are disturbed, too */
	crowd_end();
	s->p50[round] = us(order_quantile(took, count, 0.5));
	s->p99[round] = us(order_quantile(took, count, 0.99));
	s->max[round] = us(took[count - 1]);
	free(took);
}

static void show_frees(struct setting *s)
{
	double p50 = order_median(s->p50, rounds), p99 = order_median(s->p99, rounds);
	double max = order_median(s->max, rounds);
	double shot = s->kind == CROWD_SHOOTS ? order_median(s->done, rounds) : 0;

	printf("%-34s %10.0f %10.0f %10.0f %12.1f\n", s->name, p50, p99, max, shot);
}

static void show_cycles(struct setting *s)
{
	double slept = s->kind == CROWD_EAGER || s->kind == CROWD_ASLEEP ? order_median(s->slept, rounds) : 0;
	double ratio = order_median(s->ratio, rounds);

	printf("%-34s %8.1f %7.3f %7.3f %7.3f %10.1f %10.1f\n", s->name, order_median(s->cycles, rounds),
	       ratio, s->ratio[0], s->ratio[rounds - 1], order_median(s->irq_works, rounds),
	       s->count ? slept / s->count : 0);
}

/* Forwards and backwards in turn, so that a drift does not always affect the same setting. */
static void measure_load(void)
{
	for (unsigned int round = 0; round < rounds; round++) {
		for (unsigned int i = 0; i < SETTINGS; i++)
			measure(&settings[round % 2 ? SETTINGS - 1 - i : i], round);
		for (unsigned int i = 0; i < SETTINGS; i++)
			settings[i].ratio[round] = settings[i].cycles[round] / settings[0].cycles[round];
	}
	printf("%-34s %10s %10s %10s %12s\n", "reap to free, us; on other CPUs:", "p50", "p99", "max",
	       "snapshots/s");
	for (unsigned int i = 0; i < SETTINGS; i++)
		show_frees(&settings[i]);
	printf("\n%-34s %8s %7s %7s %7s %10s %10s\n", "load; on other CPUs:", "cycles/s", "ratio", "least",
	       "most", "irq work/s", "woken/s");
	for (unsigned int i = 0; i < SETTINGS; i++)
		show_cycles(&settings[i]);
}

static unsigned int number(const char *text)
{
	int value = atoi(text);

	if (value <= 0)
		errx(129, "%s: not a number above 0", text);
	return value;
}

int main(int argc, char **argv)
{
	if (argc != 5)
		errx(129, "usage: snapshot TASKS SHOTS ROUNDS MS");
	tasks = number(argv[1]);
	shots = number(argv[2]);
	rounds = number(argv[3]);
	ms = number(argv[4]);
	if (rounds > MOST_ROUNDS || sysconf(_SC_NPROCESSORS_ONLN) < 2)
		errx(129, "at most %d rounds, and at least 2 CPUs", MOST_ROUNDS);
	capacity = tasks + 4096;
	/* Freed memory is unmapped, so that the load's forks do not copy its page tables. */
	if (!mallopt(M_MMAP_THRESHOLD, 65536))
		errx(1, "mallopt");
	setvbuf(stdout, NULL, _IOLBF, 0);
	crowd_off_last_cpu();
	crowd_sleepers(tasks);
	measure_shots();
	measure_load();
	return 0;
}
