/* SPDX-License-Identifier: GPL-2.0-only */
/* One ring for each CPU that has been online, and the header page that describes them. */
#ifndef PROCLIFE_RINGS_H
#define PROCLIFE_RINGS_H

#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include <proclife/abi.h>
#include <proclife/ring.h>

#include "clock.h"

struct rings_cpu {
	struct proclife_ring ring;
	struct irq_work wake;
	void *pages; /* the control page, then the records; NULL until the CPU comes up */
};

DECLARE_PER_CPU_ALIGNED(struct rings_cpu, proclife_rings);

int proclife_rings_init(void);
void proclife_rings_exit(void);

/* The header page, for the other subsystems to fill in what they know. */
struct proclife_header *proclife_rings_header(void);

/* Brings what moves in the header up to date: the clock offsets. */
void proclife_rings_refresh(void);

/* The page at this page offset of the device, or NULL if there is none (yet). */
struct page *proclife_rings_page(unsigned long pgoff);

/* Records committed on all CPUs so far. */
u64 proclife_rings_committed(void);

/*
 * The same, and what proclife_rings_arm() counts from. The callers of both see to it that there is
 * one at a time.
 */
u64 proclife_rings_sum(void);

/*
 * Asks for a call of proclife_readers_wake() before there are @more records more than that sum, at
 * least 1. False if that has to be asked again, since a CPU was just then about to reach its share.
 */
bool proclife_rings_arm(u64 more);

void __cold proclife_rings_wake(struct rings_cpu *cpu);

struct rings_slot {
	struct proclife_record *record;
	struct rings_cpu *cpu;
	unsigned long irqflags;
};

/* What follows rings_begin() once interrupts are off; the caller has saved slot->irqflags. */
static __always_inline struct proclife_record *rings_claim(struct rings_slot *slot, u16 type)
{
	struct proclife_record *r;

	slot->cpu = this_cpu_ptr(&proclife_rings);
	r = proclife_ring_reserve(&slot->cpu->ring);
	clock_take(&r->ts); /* W3: after the reservation */
	r->type = type;
	r->cpu = smp_processor_id();
	slot->record = r;
	return r;
}

/*
 * Between these two, this CPU's ring is the caller's: interrupts are off, which also pins a probe
 * that is preemptible. The record between them holds its time stamp, type and CPU already.
 */
static __always_inline struct proclife_record *rings_begin(struct rings_slot *slot, u16 type)
{
	local_irq_save(slot->irqflags);
	return rings_claim(slot, type);
}

static __always_inline void rings_end(struct rings_slot *slot)
{
	if (unlikely(proclife_ring_commit(&slot->cpu->ring, slot->record->type)))
		proclife_rings_wake(slot->cpu);
	local_irq_restore(slot->irqflags);
}

#endif
