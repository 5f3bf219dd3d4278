// SPDX-License-Identifier: GPL-2.0-only
#include "views/share/lived.h"
#include "views/share/overtime.h"
#include <string.h>

#define FIRST_WIDTH (UINT64_C(1) << 20) /* about a millisecond */

void overtime_begin(struct overtime *overtime, uint64_t begin)
{
	memset(overtime, 0, sizeof(*overtime));
	overtime->begin = begin;
	overtime->width = FIRST_WIDTH;
	overtime->end = begin;
	overtime->limit = UINT64_MAX;
}

/* Two slices become one. */
static void widen(struct overtime *overtime)
{
	size_t i, half = OVERTIME_SLICES / 2;

	for (i = 0; i < half; i++) {
		overtime->lived[i] = overtime->lived[2 * i] + overtime->lived[2 * i + 1];
		overtime->busy[i] = overtime->busy[2 * i] + overtime->busy[2 * i + 1];
	}
	memset(overtime->lived + half, 0, half * sizeof(*overtime->lived));
	memset(overtime->busy + half, 0, half * sizeof(*overtime->busy));
	overtime->width *= 2;
}

void overtime_add(struct overtime *overtime, uint64_t born, uint64_t exited, uint64_t runtime)
{
	uint64_t from = born > overtime->begin ? born : overtime->begin;
	double rate = exited > born ? (double)runtime / (double)(exited - born) : 0;
	size_t i;

	if (exited > overtime->limit)
		exited = overtime->limit;
	if (exited <= from)
		return;
	while ((exited - overtime->begin) / overtime->width >= OVERTIME_SLICES)
		widen(overtime);
	if (exited > overtime->end)
		overtime->end = exited;
	for (i = (size_t)((from - overtime->begin) / overtime->width); from < exited; i++) {
		uint64_t edge = overtime->begin + (i + 1) * overtime->width;
		double part = (double)((edge < exited ? edge : exited) - from);

		overtime->lived[i] += part;
		overtime->busy[i] += part * rate;
		from = edge;
	}
}

size_t overtime_slices(const struct overtime *overtime, uint64_t end)
{
	uint64_t span = end > overtime->begin ? end - overtime->begin : 0;
	uint64_t slices = span / overtime->width + (span % overtime->width != 0);

	return slices < OVERTIME_SLICES ? (size_t)slices : OVERTIME_SLICES;
}

double overtime_level(const struct overtime *overtime, const double *of, size_t slice, uint64_t end)
{
	uint64_t left = end - overtime->begin - slice * overtime->width;

	return of[slice] / (double)(left < overtime->width ? left : overtime->width);
}

uint64_t overtime_born(const struct run *run, const struct proclife_process *process)
{
	uint64_t before = lived_before(run, process->marks.born, process->seen, process->start);

	return before < process->seen ? process->seen - before : 1;
}
