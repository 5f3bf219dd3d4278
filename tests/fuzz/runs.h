/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A few bytes that make thousands of records. The first one says how many runs there are, and each 8
 * bytes behind it make a run of records of one type, whose handles, start times and pids each stay, count
 * up, count down, or are those of a few tasks in turn. A run can use the same tasks as the run before
 * it: forks, and then frees from the first or from the last one on.
 */
#ifndef FUZZ_RUNS_H
#define FUZZ_RUNS_H

#include <proclife.h>
#include <stddef.h>

/* Fills up to @most records, whose times are 0. Return: how many they are. @size is at least 1. */
size_t runs_make(struct proclife_record *records, size_t most, const uint8_t *from, size_t size);

/* Makes @most records: lives of four records each, a hundred of them open at a time. */
void runs_make_ordinary(struct proclife_record *records, size_t most);

#endif
