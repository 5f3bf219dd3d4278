/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CLOCK_MONOTONIC for less. ktime_get_ns() is half of what a record costs, since it has to call
 * whichever clocksource there is; where that is the TSC, the same arithmetic in line takes half.
 * The parameters are the kernel's own, which it hands out each time it changes them, under the lock
 * under which it changes them: so the times are the kernel's, and in one order on all CPUs.
 */
#ifndef PROCLIFE_CLOCK_H
#define PROCLIFE_CLOCK_H

#include <linux/ktime.h>
#include <linux/seqlock.h>
#include <linux/timekeeping.h>

#include "compat.h"

#if COMPAT_HAS_TSC

#include <asm/msr.h>

/* One cache line, which the CPU that keeps the time writes once per tick. */
struct clock_parameters {
	seqcount_t seq;
	u32 mult;
	u32 shift;
	u64 cycles;	/* TSC at @ns */
	u64 cycles_max; /* as far as the arithmetic reaches; 0 if the clocksource is not the TSC */
	u64 ns;
	u64 ns_fraction; /* shifted left by @shift */
} ____cacheline_aligned;

extern struct clock_parameters proclife_clock_parameters;

int proclife_clock_init(void);
void proclife_clock_exit(void);

/* As the kernel reads its clocksource, whichever that is. */
void __cold proclife_clock_ask(u64 *ns);

/* Writes the time to *@to: not a result, which the call would cost registers on each way past it. */
static __always_inline void clock_take(u64 *to)
{
	const struct clock_parameters *c = &proclife_clock_parameters;
	unsigned int seq;
	u64 cycles, ns;

	do {
		seq = raw_read_seqcount_begin(&c->seq);
		cycles = rdtsc_ordered() - c->cycles;
		ns = c->ns + ((cycles * c->mult + c->ns_fraction) >> c->shift);
		/* Also a TSC that is behind, by what those of two CPUs may differ. */
		if (unlikely(cycles >= c->cycles_max)) {
			proclife_clock_ask(to);
			return;
		}
	} while (read_seqcount_retry(&c->seq, seq));
	*to = ns;
}

#else

static inline int proclife_clock_init(void)
{
	return 0;
}

static inline void proclife_clock_exit(void)
{
}

static __always_inline void clock_take(u64 *to)
{
	*to = ktime_get_ns();
}

#endif
#endif
