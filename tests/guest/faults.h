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

/* The n-th allocation or user copy of this thread from now on fails, once. */
void fault_arm(unsigned int n);
/* Takes it back. Returns whether it has failed. */
bool fault_disarm(void);

/* How an operation took the faults. */
struct faults {
	unsigned int points;	/* at which one was injected */
	unsigned int failed;	/* of which made it fail */
	unsigned int tolerated; /* of which it did without */
};

/* How many allocations and user copies an operation has, and perhaps a few more. */
unsigned int fault_points(int (*op)(void));

/*
 * Runs @op with its @first allocation failing, then with the next one, and so on until it has run
 * without a fault. It returns 0 or a negative errno, and must succeed without a fault. After each
 * run comes @after, with the result and whether there was a fault.
 */
struct faults faults_from(unsigned int first, const char *name, int (*op)(void),
			  void (*after)(int ret, bool fault));
/* The same from the first one on. */
struct faults faults_everywhere(const char *name, int (*op)(void), void (*after)(int ret, bool fault));

#endif
