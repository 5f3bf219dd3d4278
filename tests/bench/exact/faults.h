/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong with what a tool told, on standard error: a line of the truth, and one of the tool's. */
#ifndef EXACT_FAULTS_H
#define EXACT_FAULTS_H

#include "match.h"

extern struct lives lives;	   /* what it told */
extern unsigned long faults_shown; /* how many more to show */

/* On the tool's own clock. */
double faults_seconds(uint64_t ts);
/* @life: NULL if there is none */
void faults_show(const char *what, uint32_t slot, const struct life *life);
/* Of one that is no process of the forest. */
void faults_show_life(const char *what, const struct life *life);

#endif
