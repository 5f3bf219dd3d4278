// SPDX-License-Identifier: GPL-2.0-only
#include "clock.h"

#if COMPAT_HAS_TSC

#include <linux/clocksource.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/timekeeper_internal.h>

struct clock_parameters proclife_clock_parameters;

void proclife_clock_ask(u64 *ns)
{
	*ns = ktime_get_ns();
}

/*
 * The kernel is in the write section of its own sequence count, with interrupts off: it updates these
 * while readers of ktime_get_ns() wait, too.
 */
static int update(struct notifier_block *nb, unsigned long was_set, void *data)
{
	const struct tk_read_base *base = &((const struct timekeeper *)data)->tkr_mono;
	struct clock_parameters *c = &proclife_clock_parameters;
	bool tsc = base->clock->vdso_clock_mode == VDSO_CLOCKMODE_TSC;

	raw_write_seqcount_begin(&c->seq);
	c->mult = base->mult;
	c->shift = base->shift;
	c->cycles = base->cycle_last;
	/* Beyond it the product overflows, unless the kernel takes more care: it then is asked. */
	c->cycles_max = tsc ? base->clock->max_cycles : 0;
	c->ns = base->base;
	c->ns_fraction = base->xtime_nsec;
	raw_write_seqcount_end(&c->seq);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = update };

int proclife_clock_init(void)
{
	seqcount_init(&proclife_clock_parameters.seq);
	/* Calls it once, too; until then cycles_max is 0. */
	return pvclock_gtod_register_notifier(&notifier);
}

void proclife_clock_exit(void)
{
	pvclock_gtod_unregister_notifier(&notifier);
}

#endif
