/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CLOCK_MONOTONIC, but a CPU never gets an earlier time than any CPU has got before.
 *
 * The kernel's own clock can go back a little: when it is slowed down (adjtimex(2), NTP), times
 * that were taken while it was computing the new rate are ahead of what the new rate gives at
 * first. Records would be out of order in their ring, so there is a floor: the last time that can
 * have been taken before the rate fell. From there, this clock goes on at a sixteenth of its pace
 * until the kernel's has caught up. If it stood still, events on several CPUs meanwhile would have
 * the same time, and no order.
 *
 * This clock also costs less. ktime_get_ns() is half of the cost of a record, since it has to call
 * the clocksource through a pointer; where that is the TSC, the same arithmetic inlined takes half.
 * The parameters are the kernel's own: it passes them to a notifier each time it changes them,
 * under the lock under which it changes them. So the times are the kernel's, and in one order on
 * all CPUs. Programs read the clock through the vDSO, which gets a change some microseconds
 * earlier; so theirs is a different clock, see ring.h.
 */
#ifndef PROCLIFE_CLOCK_H
#define PROCLIFE_CLOCK_H

#include <linux/kcsan-checks.h>
#include <linux/ktime.h>
#include <linux/seqlock.h>
#include <linux/timekeeping.h>

#include "compat.h"

#if COMPAT_HAS_TSC
#include <asm/msr.h>
#endif

/* All that is always read is in one cache line, which the timekeeping CPU writes once per tick. */
struct clock_parameters {
	seqcount_t seq;
	u64 cycles;	/* the TSC at the beginning of this line */
	u64 cycles_max; /* this is all up to here: 0 if the clocksource is not the TSC, or ours is slow */
	u64 ns_per_cycle; /* in units of 2^-62 ns, as the next two */
	u64 ns_low;	/* the time then */
	u64 ns_high;
	u64 slow_until; /* while the kernel's time is below this, ours differs */
	u64 floor;	/* our time when the kernel's was @under: no time is below this */
	u64 under;
} ____cacheline_aligned;

#define CLOCK_SLOW_SHIFT 4

/* Our time when the kernel's is @ns. */
static __always_inline u64 clock_of(const struct clock_parameters *c, u64 ns)
{
	if (likely(ns >= c->slow_until))
		return ns;
	return c->floor + (ns > c->under ? (ns - c->under) >> CLOCK_SLOW_SHIFT : 0);
}

extern struct clock_parameters proclife_clock_parameters;

int proclife_clock_init(void);
void proclife_clock_exit(void);

/* A time that is no later than any that a CPU takes from now on. */
u64 proclife_clock_bound(void);

/* By ktime_get_ns(), with any clocksource, also while our clock is slow. */
void compat_preserving __cold proclife_clock_ask(u64 *ns);

#if COMPAT_HAS_TSC
/*
 * As ktime_get_ns() rounds it, but of a sum of 128 bits, in which all has its place already. In C, the
 * compiler would use two registers more, which probes would have to save.
 */
static __always_inline u64 clock_at(const struct clock_parameters *c, u64 cycles)
{
	u64 ns;

	__asm__("mulq %[scale]\n\taddq %[low], %[cycles]\n\tadcq %[high], %[ns]\n\t"
		"shldq $2, %[cycles], %[ns]"
		: [cycles] "+&a"(cycles), [ns] "=&d"(ns)
		: [scale] "m"(c->ns_per_cycle), [low] "m"(c->ns_low), [high] "m"(c->ns_high)
		: "cc");
	return ns;
}
#endif

/*
 * Writes the time to *@to, and that before it is known to be right: a value that is kept for later, or
 * returned, costs registers.
 */
static __always_inline void clock_take(u64 *to)
{
#if COMPAT_HAS_TSC
	const struct clock_parameters *c = &proclife_clock_parameters;
	unsigned int seq;
	u64 cycles;

	for (;; cpu_relax()) {
		seq = raw_seqcount_begin(&c->seq); /* even; if it is odd, the attempt fails */
		cycles = rdtsc_ordered() - c->cycles;
		/* This also catches a TSC that is behind: two CPUs' TSCs may differ a little. */
		if (unlikely(cycles >= c->cycles_max))
			break;
		WRITE_ONCE(*to, clock_at(c, cycles));
		/* read_seqcount_retry(), but that would read the count in an instruction of its own. */
		smp_rmb(); /* pairs with raw_write_seqcount_begin() */
		kcsan_atomic_next(0);
		if (likely(data_race(c->seq.sequence) == seq))
			return;
	}
#endif
	compat_call(proclife_clock_ask, to);
}

#endif
