/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's fault injection, on the calls of this thread: for kernels that have it. */
#ifndef TESTS_GUEST_FAULTS_H
#define TESTS_GUEST_FAULTS_H

#include <stdbool.h>

/* Makes any allocation and any user copy a possible fault; false if this kernel injects none. */
bool faults_possible(void);

/*
 * Are pages allocations, too (they are at first)? The slabs take new ones now and then, so that with
 * them the same call does not always meet the same allocation at the same number, but without it does.
 */
void faults_of_pages(bool on);

/* How an operation took the faults. */
struct faults {
	unsigned int points;	/* at which one was injected */
	unsigned int failed;	/* of which made it fail */
	unsigned int tolerated; /* of which it did without */
};

/*
 * Runs @op with the first allocation or user copy of this thread failing, then with the second one,
 * and so on until it has run without a fault. It returns 0 or a negative errno, and must succeed
 * without a fault. After each run comes @after, with the result and whether there was a fault.
 */
struct faults faults_everywhere(const char *name, int (*op)(void), void (*after)(int ret, bool fault));
/*
 * The same for an @op that loads a module, with the allocations of the module's initialisation alone.
 * It needs the module of tests/faults.
 */
struct faults faults_in_init(const char *name, int (*op)(void), void (*after)(int ret, bool fault));

#endif
