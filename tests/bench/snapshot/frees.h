/* SPDX-License-Identifier: GPL-2.0-only */
/* From reap to free, by the module's own records, which are read when all is over. */
#ifndef PROCLIFE_BENCH_FREES_H
#define PROCLIFE_BENCH_FREES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct frees;

struct frees *frees_begin(void);

/*
 * Waits until what was reaped is free, and returns how long that took, in ns and sorted, for each
 * process that @reaper has reaped. Freed by the caller.
 */
uint64_t *frees_end(struct frees *frees, pid_t reaper, size_t *count);

#endif
