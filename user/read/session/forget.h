/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_FORGET_H
#define READ_FORGET_H

#include "views/views.h"

/*
 * Forgets the paths of cgroups without a process, once an hour by the clock of @now: a machine that
 * is followed for months has any number of them. Call it when no view holds a number to be printed.
 */
void forget_cgroups(struct run *run, uint64_t now);

/* Does no view ever hold one? None does that shows what happens at once. */
bool forget_any_time(const struct options *options);

#endif
