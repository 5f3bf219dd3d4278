/* SPDX-License-Identifier: GPL-2.0-only */
/* The judge of the benchmarks, and a forest of seven processes for it. */
#ifndef UNIT_JUDGING_H
#define UNIT_JUDGING_H

#include <stdio.h>

#include "bench/forest/truth.h"

#define MS 1000000ULL
#define REALTIME (1700000000ULL * 1000 * MS)
#define TRUTH_SLOTS 8

extern const struct forest truth_head;
extern const struct forest_process truth[TRUTH_SLOTS];

int judge_set_up(void **state);
int judge_tear_down(void **state);
/* Creates a file in the folder of the truth. */
FILE *make_file(const char *name);
/* @slots: as many as @head has room for */
void make_truth(const char *name, const struct forest *head, const struct forest_process *slots);
/* Writes the tool's report. */
void tell_text(const char *text);
/*
 * Writes a fixture as the tool's report. @instead replaces @line; without it, lines that hold @line are left
 * out. If @line is NULL, nothing changes.
 */
void tell(const char *fixture, const char *line, const char *instead);
/* The judge's output, with single blanks; @status: its expected exit status. */
char *run_judge(const char *args, int status);
void judge_is(const char *format, const char *row);

#endif
