/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes the library's allocations or system calls fail: a scenario is run again and again; the
 * first call fails, then the second one, and so on until none does. The linker's --wrap puts what
 * the library calls through here.
 */
#ifndef UNIT_FAILING_H
#define UNIT_FAILING_H

#include "check.h"

#include <stdbool.h>

enum failing {
	FAIL_ALLOCATIONS, /* with ENOMEM */
	FAIL_CALLS,	  /* system calls, with EIO */
	INTERRUPT_CALLS,  /* interruptible ones, with EINTR */
	FAIL_SPACE,	  /* calls that need space, with ENOSPC */
	CUT_CALLS,	  /* read and write half of what is asked for */
};

/* True while the library runs: only its calls fail. */
void failing_library(bool on);

/*
 * Returns the first error that the library reports; if there is none, *digest is what it found.
 */
typedef int (*failing_scenario)(uint64_t *digest);

/*
 * Each time, the scenario has to report that error, or get the same digest as if nothing had
 * failed; and it has to release all memory and files. At least @least calls have to fail; at most
 * @endured of these failures may make no difference.
 */
void failing_run(enum failing what, failing_scenario run, uint64_t least, uint64_t endured);

#endif
