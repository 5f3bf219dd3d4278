/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef EXACT_MATCH_H
#define EXACT_MATCH_H

#include "../forest/truth.h"
#include "lives.h"

#define MATCH_ARGS 64

extern const struct forest *forest;
extern uint32_t processes;    /* of the truth; slots 1 to processes */
extern uint32_t *truth_order; /* slots by pid and time */
extern uint32_t *life_of;     /* of each slot; NO_LIFE if it was missed */
extern uint32_t *slot_of;     /* of each life; 0 if it is none of the forest's */

/* The arguments that forest/process.c gave the process's program, and whether a tool reported them. */
void match_true_args(const struct forest_process *p, char separator, char args[MATCH_ARGS]);
bool match_args(const struct forest_process *p, const char *told);
void open_truth(const char *path);
void match(const struct lives *told);

/* Zeroed, and never NULL. */
void *make(size_t count, size_t size);

#endif
