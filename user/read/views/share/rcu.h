/* SPDX-License-Identifier: GPL-2.0-only */
/* How this machine runs RCU callbacks, which is how soon a task is freed after its reap. */
#ifndef READ_RCU_H
#define READ_RCU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As words for rcu_of_cpu(), which a recording keeps: "nocb=0-3,8 lazy"; "" if nothing is special. */
void rcu_describe(char *words, size_t size);

/*
 * @nocb: the callbacks of this CPU are run by kernel threads; @lazy: they can be put off for seconds
 * while little memory waits for them.
 */
void rcu_of_cpu(const char *words, unsigned int cpu, bool *nocb, bool *lazy);

#endif
