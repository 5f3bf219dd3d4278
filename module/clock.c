// SPDX-License-Identifier: GPL-2.0-only
#include "clock.h"

#include <linux/clocksource.h>
#include <linux/minmax.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/timekeeper_internal.h>

struct clock_parameters proclife_clock_parameters;

/* The kernel's, up to now: time as a line over the clocksource's cycles. */
static struct tk_read_base line;

/* By one line and what belongs to it: the kernel changes the line while the count below is odd. */
void proclife_clock_ask(u64 *ns)
{
	const struct clock_parameters *c = &proclife_clock_parameters;
	unsigned int seq;

	do {
		seq = raw_read_seqcount_begin(&c->seq);
		*ns = clock_of(c, ktime_get_ns());
	} while (read_seqcount_retry(&c->seq, seq));
}

static u64 time_at(const struct tk_read_base *base, u64 cycles)
{
	return base->base + ((cycles * base->mult + base->xtime_nsec) >> base->shift);
}

/*
 * The two lines cross where the kernel has read its clock in order to update. Until the new one gets
 * here, times are still taken by the old one, and if that is the steeper, they are ahead of what the
 * new one says at first: by up to the difference of their slopes times how long that takes, which
 * can be long if the hypervisor has stopped this CPU meanwhile. Behind the smp_mb() nobody takes a
 * time by the old line any more, so its time as of now is ahead of all that were taken.
 *
 * No more is added than the slopes explain, from the beginning of the new line on: over a suspend,
 * the clocksource may have counted on while the time stood still.
 *
 * When the clocksource itself changes, all other CPUs are stopped.
 */
static void set_floor(struct clock_parameters *c, const struct tk_read_base *base)
{
	u64 old, new, under, floor;

	if (base->clock != line.clock || base->shift != line.shift || base->mult >= line.mult)
		return;

	smp_mb(); /* after the sequence counts: whoever has not seen them has read the clock */
	new = base->clock->read(base->clock);
	old = (new - line.cycle_last) & line.mask;
	new = (new - base->cycle_last) & base->mask;
	/* One that is behind, or too far ahead for this arithmetic. */
	if (old >= base->clock->max_cycles || new >= base->clock->max_cycles)
		return;
	under = time_at(base, new);
	floor = min(time_at(&line, old),
		    under + ((new * (line.mult - base->mult)) >> base->shift) + 1);
	/* It may have been slow until now. */
	floor = clock_of(c, floor);
	if (floor <= under)
		return;
	c->floor = floor;
	c->under = under;
	/* Where both meet: from here on, one has the whole pace and the other a sixteenth. */
	c->slow_until = floor + (floor - under) / ((1 << CLOCK_SLOW_SHIFT) - 1) + 1;
}

/*
 * The kernel is in the write section of its own sequence count, with interrupts off: it updates these
 * while readers of ktime_get_ns() wait, too.
 */
static int update(struct notifier_block *nb, unsigned long was_set, void *data)
{
	const struct tk_read_base *base = &((const struct timekeeper *)data)->tkr_mono;
	struct clock_parameters *c = &proclife_clock_parameters;

	raw_write_seqcount_begin(&c->seq);
	set_floor(c, base);
#if COMPAT_HAS_TSC
	c->mult = base->mult;
	c->shift = base->shift;
	c->cycles = base->cycle_last;
	/* Beyond it the product overflows, unless the kernel takes more care: it then is asked. */
	c->cycles_max = base->clock->vdso_clock_mode == VDSO_CLOCKMODE_TSC ?
				base->clock->max_cycles : 0;
	c->ns = base->base;
	c->ns_fraction = base->xtime_nsec;
#endif
	raw_write_seqcount_end(&c->seq);
	line = *base;
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = update };

int proclife_clock_init(void)
{
	seqcount_init(&proclife_clock_parameters.seq);
	/* Calls it once, too; until then the kernel is asked. */
	return pvclock_gtod_register_notifier(&notifier);
}

void proclife_clock_exit(void)
{
	pvclock_gtod_unregister_notifier(&notifier);
}
