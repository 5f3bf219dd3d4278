/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints faults of a tool's report to standard error: a line of the truth, and one of the tool's. */
#ifndef EXACT_FAULTS_H
#define EXACT_FAULTS_H

#include "match.h"

extern struct lives lives;	   /* as the tool reported them */
extern unsigned long faults_shown; /* how many more to show */

/* Seconds on the tool's own clock. */
double faults_seconds(uint64_t ts);
/* @life: NULL if there is none */
void faults_show(const char *what, uint32_t slot, const struct life *life);
/* For a life that is no process of the forest. */
void faults_show_life(const char *what, const struct life *life);

#endif
