/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's fault injection for this thread's calls, on kernels that have it. */
#ifndef TESTS_GUEST_FAULTS_H
#define TESTS_GUEST_FAULTS_H

#include <stdbool.h>

/* Makes any allocation and any user copy a possible fault; false if this kernel injects none. */
bool faults_possible(void);

/*
 * Do page allocations count, too (at first they do)? Slabs take new pages now and then, so that with
 * them the numbers of a call's allocations change from run to run; without them they do not.
 */
void faults_of_pages(bool on);

/* What the faults did to an operation. */
struct faults {
	unsigned int points;	/* places where one was injected */
	unsigned int failed;	/* of these: the operation failed */
	unsigned int tolerated; /* of these: it did without */
};

/*
 * Runs @op with the first allocation or user copy of this thread failing, then with the second one,
 * and so on until it runs without a fault. @op returns 0 or a negative errno, and must succeed
 * without a fault. @after is called after each run, with the result and whether there was a fault.
 */
struct faults faults_everywhere(const char *name, int (*op)(void), void (*after)(int ret, bool fault));
/*
 * The same for an @op that loads a module, with the allocations of the module's initialisation alone.
 * It needs the module of tests/faults.
 */
struct faults faults_in_init(const char *name, int (*op)(void), void (*after)(int ret, bool fault));

#endif
