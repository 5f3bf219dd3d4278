// SPDX-License-Identifier: GPL-2.0-only
#include "clock.h"

#include <linux/clocksource.h>
#include <linux/minmax.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/timekeeper_internal.h>

#include <proclife/barrier.h>

struct clock_parameters proclife_clock_parameters;

/* The kernel's latest parameters: time as a line over the clocksource's cycles. */
static struct tk_read_base line;

/*
 * The kernel's line and our floor have to match: the line only changes while c->seq is odd. And the
 * counter has to be read between the two loads of c->seq. The kernel's clock sees to that on arm64: it
 * has isb, which comes after the branch on c->seq, and a load from an address that depends on the
 * counter (75a19a0202db). On riscv64 it does not: proclife_clock_rmb() does.
 *
 * On x86 the manual lets the second load come before rdtsc, as in the kernel's own clock. No barrier
 * is spent on that: a time could be above the floor by the instructions in flight, some ns.
 */
void compat_preserving proclife_clock_ask(u64 *ns)
{
	const struct clock_parameters *c = &proclife_clock_parameters;
	unsigned int seq;

	do {
		seq = raw_read_seqcount_begin(&c->seq);
		proclife_clock_rmb();
		*ns = clock_of(c, ktime_get_ns());
		proclife_clock_rmb(); /* pairs with mb() in set_floor() */
	} while (read_seqcount_retry(&c->seq, seq));
}

u64 proclife_clock_bound(void)
{
	u64 now;

	clock_take(&now);
	if (COMPAT_TICK_APART) /* of this line, and 1 for what is rounded */
		now -= (READ_ONCE(line.mult) >> line.shift) + 2;
	return now;
}

static u64 time_at(const struct tk_read_base *base, u64 cycles)
{
	return base->base + ((cycles * base->mult + base->xtime_nsec) >> base->shift);
}

/*
 * The two lines cross where the kernel read its clock for the update. Until the new line gets here,
 * times are still taken by the old one. If the old one is the steeper, they are ahead of what the
 * new one gives at first: by up to the difference of the slopes times how long that takes. That can
 * be long if the hypervisor stops this CPU meanwhile. After the mb(), no CPU takes a time by
 * the old line any more, so the time that it gives now is ahead of all times that were taken by it.
 *
 * But the floor is no further ahead than the slopes explain, counted from the beginning of the new
 * line: during a suspend, the clocksource may have counted on while the time stood still.
 *
 * When the clocksource itself changes, all other CPUs are stopped.
 */
static void set_floor(struct clock_parameters *c, const struct tk_read_base *base)
{
	u64 old, new, under, floor;

	if (base->clock != line.clock || base->shift != line.shift || base->mult >= line.mult)
		return;

	/*
	 * After both sequence counts: a reader that misses them has read the counter already. Pairs with the
	 * second proclife_clock_rmb(). smp_mb() does not order the counter on arm64 and riscv64. This
	 * is fence iorw,iorw, or dsb, before the isb of read(). CPUs with FEAT_ECV have no isb there,
	 * and need none: their counter is not read speculatively, thus not before the jump to read(),
	 * whose address is loaded after the dsb.
	 */
	mb();
	/* A CPU whose counter is a tick ahead may have got as far as this. */
	new = base->clock->read(base->clock) + COMPAT_TICK_APART;
	old = (new - line.cycle_last) & line.mask;
	new = (new - base->cycle_last) & base->mask;
	/* The counter is behind, or too far ahead for this arithmetic. */
	if (old >= base->clock->max_cycles || new >= base->clock->max_cycles)
		return;
	under = time_at(base, new);
	floor = min(time_at(&line, old),
		    under + ((new * (line.mult - base->mult)) >> base->shift) + 1);
	/* Our clock may still be slow from the last time. */
	floor = clock_of(c, floor);
	if (floor <= under)
		return;
	c->floor = floor;
	c->under = under;
	/* Where both meet, as the kernel's goes at the full pace and ours at a sixteenth of it. */
	c->slow_until = floor + (floor - under) / ((1 << CLOCK_SLOW_SHIFT) - 1) + 1;
}

#if COMPAT_HAS_TSC
/*
 * Can clock_at() be used? Not if our clock is slow at this line's beginning, until the kernel's next
 * update; and not with a TSC of less than 250 MHz, whose ns_per_cycle would need more bits. Beyond
 * max_cycles, what the kernel's clock makes of it depends on the kernel.
 */
static bool is_quick(const struct clock_parameters *c, const struct tk_read_base *base)
{
	return base->clock->vdso_clock_mode == VDSO_CLOCKMODE_TSC && base->shift < 62 &&
	       base->mult < 4ull << base->shift && time_at(base, 0) >= c->slow_until;
}
#endif

/*
 * The kernel calls this in the write section of its own sequence count, with interrupts off:
 * readers of ktime_get_ns() wait meanwhile, too.
 */
static int update(struct notifier_block *nb, unsigned long was_set, void *data)
{
	const struct tk_read_base *base = &((const struct timekeeper *)data)->tkr_mono;
	struct clock_parameters *c = &proclife_clock_parameters;
#if COMPAT_HAS_TSC
	u64 fraction = base->xtime_nsec & ((1ull << base->shift) - 1);
#endif

	raw_write_seqcount_begin(&c->seq);
	set_floor(c, base);
#if COMPAT_HAS_TSC
	c->cycles_max = is_quick(c, base) ? base->clock->max_cycles : 0;
	if (c->cycles_max) {
		c->cycles = base->cycle_last;
		c->ns_per_cycle = (u64)base->mult << (62 - base->shift);
		c->ns_low = time_at(base, 0) << 62 | fraction << (62 - base->shift);
		c->ns_high = time_at(base, 0) >> 2;
	}
#endif
	raw_write_seqcount_end(&c->seq);
	line = *base;
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = update };

int proclife_clock_init(void)
{
	seqcount_init(&proclife_clock_parameters.seq);
	/* This also calls update() once; until then, ktime_get_ns() is used. */
	return pvclock_gtod_register_notifier(&notifier);
}

void proclife_clock_exit(void)
{
	pvclock_gtod_unregister_notifier(&notifier);
}
