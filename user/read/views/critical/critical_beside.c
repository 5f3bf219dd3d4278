// SPDX-License-Identifier: GPL-2.0-only
/* What else happened during the steps of the chain: which lives there were, how busy the CPUs were. */
#include "output/message.h"
#include "views/critical/critical.h"
#include <stdlib.h>

#define BUSY (7.0 / 8) /* of all CPUs: interrupts, for example, are charged to no process */

struct beside {
	struct critical *critical;
	int64_t *whole;	 /* how many more than during the step before live all of a step */
	uint32_t *order; /* the steps, by life and time */
};

/* The step in which this moment lies; or the last one. */
static uint32_t step_at(const struct critical *critical, uint64_t ts)
{
	uint32_t low = 0, high = critical->count - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (critical->steps[middle].to > ts)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* A life without living children, between these times. */
static void add_leaf(struct beside *beside, uint64_t from, uint64_t to)
{
	struct critical *critical = beside->critical;
	uint32_t first = step_at(critical, from), last = step_at(critical, to);

	if (first == last) {
		critical->steps[first].beside += to - from;
		return;
	}
	critical->steps[first].beside += critical->steps[first].to - from;
	critical->steps[last].beside += to - critical->steps[last].from;
	beside->whole[first + 1]++;
	beside->whole[last]--;
}

/* Its own steps are not beside themselves; @next is the first of them that may overlap. */
static void take_own(struct beside *beside, uint32_t life, uint64_t from, uint64_t to, uint32_t *next)
{
	struct critical *critical = beside->critical;

	for (; *next < critical->count; ++*next) {
		struct critical_step *step = &critical->steps[beside->order[*next]];
		uint64_t begin = step->from > from ? step->from : from;
		uint64_t end = step->to < to ? step->to : to;

		if (step->life != life || step->from >= to)
			return;
		if (begin < end)
			step->beside -= end - begin;
		if (step->to > to)
			return;
	}
}

static void add_part(struct beside *beside, uint32_t life, uint64_t from, uint64_t to, uint32_t *next)
{
	const struct critical *critical = beside->critical;

	from = from > critical->from ? from : critical->from;
	to = to < critical->to ? to : critical->to;
	if (from >= to)
		return;
	add_leaf(beside, from, to);
	take_own(beside, life, from, to, next);
}

/* Where its own steps begin. */
static uint32_t own_steps(const struct beside *beside, uint32_t life)
{
	const struct critical *critical = beside->critical;
	uint32_t low = 0, high = critical->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (critical->steps[beside->order[middle]].life < life)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_life(struct beside *beside, uint32_t life)
{
	const struct kin *kin = &beside->critical->kin;
	const struct kin_life *one = &kin->all[life];
	uint64_t alone = one->born;
	uint32_t i, next = own_steps(beside, life);

	for (i = kin->born.first[life]; i < kin->born.first[life + 1]; i++) {
		const struct kin_life *child = &kin->all[kin->born.all[i]];

		add_part(beside, life, alone, child->born < one->ended ? child->born : one->ended, &next);
		if (child->ended > alone)
			alone = child->ended;
	}
	add_part(beside, life, alone, one->ended, &next);
}

static int by_life(const void *a, const void *b, void *data)
{
	const struct critical_step *steps = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (steps[x].life != steps[y].life)
		return steps[x].life < steps[y].life ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The root and all that descend from it; and the processes of the chain, even if their FORKs were lost. */
static void add_family(struct beside *beside)
{
	struct critical *critical = beside->critical;
	const struct kin *kin = &critical->kin;
	uint32_t *queue = malloc(kin->count * sizeof(*queue)), at = 0, end = 0, i;
	uint8_t *seen = calloc(kin->count, sizeof(*seen));

	if (!queue || !seen)
		die_no_memory();
	queue[end++] = critical->root;
	seen[critical->root] = 1;
	for (i = 0; i < critical->count; i++) {
		if (!seen[critical->steps[i].life])
			queue[end++] = critical->steps[i].life;
		seen[critical->steps[i].life] = 1;
	}
	for (; at < end; at++) {
		uint32_t life = queue[at];

		critical->lives++;
		critical->incomplete += kin->all[life].incomplete;
		if (critical->count)
			add_life(beside, life);
		for (i = kin->born.first[life]; i < kin->born.first[life + 1]; i++) {
			if (!seen[kin->born.all[i]])
				queue[end++] = kin->born.all[i];
			seen[kin->born.all[i]] = 1;
		}
	}
	free(queue);
	free(seen);
}

static void sum_up(struct beside *beside)
{
	struct critical *critical = beside->critical;
	int64_t lived = 0;
	uint32_t i;

	for (i = 0; i < critical->count; i++) {
		struct critical_step *step = &critical->steps[i];

		lived += beside->whole[i];
		step->beside += (uint64_t)lived * (step->to - step->from);
	}
}

/*
 * The CPUs. Their number only follows from where something has ended; where that is a single
 * one, it can be that all else was idle.
 */
static unsigned int known_cpus(const struct critical *critical)
{
	const struct proclife_header *header = proclife_source_header(critical->run->source);
	unsigned int cpus = kin_cpus(&critical->kin);

	return cpus > 1 ? cpus : header && header->cpus == 1;
}

static void find_busy(struct critical *critical)
{
	const struct overtime *overtime = &critical->kin.overtime;
	size_t slices, slice;
	uint32_t i;

	if (!critical->kin.began || !critical->cpus)
		return;
	slices = overtime_slices(overtime, overtime->end);
	for (slice = 0; slice < slices; slice++) {
		uint64_t from = overtime->begin + slice * overtime->width;
		uint64_t to = overtime->end - from < overtime->width ? overtime->end :
								       from + overtime->width;

		if (overtime->busy[slice] < BUSY * critical->cpus * (double)(to - from))
			continue;
		for (i = step_at(critical, from); i < critical->count && critical->steps[i].from < to;
		     i++) {
			struct critical_step *step = &critical->steps[i];
			uint64_t begin = step->from > from ? step->from : from;
			uint64_t end = step->to < to ? step->to : to;

			step->busy += begin < end ? end - begin : 0;
		}
	}
}

void critical_look_beside(struct critical *critical)
{
	struct beside beside = { .critical = critical };
	uint32_t i;

	beside.whole = calloc((size_t)critical->count + 1, sizeof(*beside.whole));
	beside.order = malloc(((size_t)critical->count + 1) * sizeof(*beside.order));
	if (!beside.whole || !beside.order)
		die_no_memory();
	for (i = 0; i < critical->count; i++)
		beside.order[i] = i;
	qsort_r(beside.order, critical->count, sizeof(*beside.order), by_life, critical->steps);
	add_family(&beside);
	sum_up(&beside);
	critical->cpus = known_cpus(critical);
	if (critical->count)
		find_busy(critical);
	free(beside.whole);
	free(beside.order);
}
