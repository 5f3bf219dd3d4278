/* SPDX-License-Identifier: GPL-2.0-only */
/* How many processes lived at a time, and how many CPUs they kept busy. */
#ifndef READ_OVERTIME_H
#define READ_OVERTIME_H

#include <proclife.h>

struct run;

#define OVERTIME_SLICES 240

struct overtime {
	uint64_t begin; /* of the first slice */
	uint64_t width; /* ns; it doubles when the time has outgrown the slices */
	uint64_t limit; /* what is later is left out; UINT64_MAX at first */
	uint64_t end;	/* of the latest life so far */
	double lived[OVERTIME_SLICES]; /* ns of life in it */
	double busy[OVERTIME_SLICES];  /* ns of CPU time */
};

void overtime_begin(struct overtime *overtime, uint64_t begin);
/*
 * One more life between these times, with this much CPU time, which counts as spread evenly from
 * @born to @exited. Only what lies from overtime->begin to overtime->limit is added.
 */
void overtime_add(struct overtime *overtime, uint64_t born, uint64_t exited, uint64_t runtime);
/* When it was forked, by its start if it is older than the trace; 1 if that was before the clock began. */
uint64_t overtime_born(const struct run *run, const struct proclife_process *process);
/* How many of the slices have something of the time up to @end in them; the last in part. */
size_t overtime_slices(const struct overtime *overtime, uint64_t end);
/* A value of a slice, on average: up to @end, if that is in it. @of: lived or busy. */
double overtime_level(const struct overtime *overtime, const double *of, size_t slice, uint64_t end);

#endif
