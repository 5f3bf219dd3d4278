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
/* In the folder of the truth. */
FILE *make_file(const char *name);
/* @slots: as many as @head has room for */
void make_truth(const char *name, const struct forest *head, const struct forest_process *slots);
/* What the tool told. */
void tell_text(const char *text);
/*
 * A fixture, with the lines that hold @line as they are, left out, or with @line in @instead; all of it
 * has to be as it was if @line is NULL.
 */
void tell(const char *fixture, const char *line, const char *instead);
/* What it prints, with single blanks; @status: what it has to exit with. */
char *run_judge(const char *args, int status);
void judge_is(const char *format, const char *row);

#endif
