/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CLOCK_MONOTONIC, of which no CPU ever gets a time that is earlier than one that any has got before.
 *
 * The kernel's own can go back a little: when it is slowed down (adjtimex(2), NTP), times that were
 * taken while it was computing the new rate are ahead of what the new rate gives at first. Records
 * would be out of order in their ring, so there is a floor: the last time that can have been taken
 * before the rate fell. From there the clock goes on at a sixteenth of its pace until the kernel's has
 * caught up: if it stood still, what happens on several CPUs meanwhile would have one time, and no
 * order.
 *
 * And it is to cost less. ktime_get_ns() is half of what a record costs, since it has to call
 * whichever clocksource there is; where that is the TSC, the same arithmetic in line takes half.
 * The parameters are the kernel's own, which it hands out each time it changes them, under the lock
 * under which it changes them: so the times are the kernel's, and in one order on all CPUs. Programs
 * read the clock through the vDSO, which learns of a change some microseconds before; that makes
 * theirs another clock than this, see ring.h.
 */
#ifndef PROCLIFE_CLOCK_H
#define PROCLIFE_CLOCK_H

#include <linux/ktime.h>
#include <linux/seqlock.h>
#include <linux/timekeeping.h>

#include "compat.h"

#if COMPAT_HAS_TSC
#include <asm/msr.h>
#endif

/* What is always read is one cache line, which the CPU that keeps the time writes once per tick. */
struct clock_parameters {
	seqcount_t seq;
	u32 mult;
	u32 shift;
	u64 cycles;	/* TSC at @ns */
	u64 cycles_max; /* as far as the arithmetic reaches; 0 if the clocksource is not the TSC */
	u64 ns;
	u64 ns_fraction; /* shifted left by @shift */
	u64 slow_until; /* below it the kernel's time is not ours */
	u64 floor;	/* ours when the kernel's was @under: none is taken below this */
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

/* As the kernel reads its clocksource, whichever that is. */
void proclife_clock_ask(u64 *ns);

/* Writes the time to *@to: not a result, which the call would cost registers on each way past it. */
static __always_inline void clock_take(u64 *to)
{
#if COMPAT_HAS_TSC
	const struct clock_parameters *c = &proclife_clock_parameters;
	unsigned int seq;
	u64 cycles, ns;

	do {
		seq = raw_read_seqcount_begin(&c->seq);
		cycles = rdtsc_ordered() - c->cycles;
		ns = clock_of(c, c->ns + ((cycles * c->mult + c->ns_fraction) >> c->shift));
		/* Also a TSC that is behind, by what those of two CPUs may differ. */
		if (unlikely(cycles >= c->cycles_max)) {
			proclife_clock_ask(to);
			return;
		}
	} while (read_seqcount_retry(&c->seq, seq));
	*to = ns;
#else
	proclife_clock_ask(to);
#endif
}

#endif
