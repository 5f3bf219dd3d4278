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
#include "compat.h"

struct rings_cpu {
	struct proclife_ring ring;
	struct irq_work wake;
	void *pages; /* the control page, then the records; NULL until the CPU comes up */
};

DECLARE_PER_CPU_ALIGNED(struct rings_cpu, proclife_rings);

/* A reader needs the rings: once this returns, it may map them and wait. */
void proclife_rings_get(void);
void proclife_rings_put(void);

int proclife_rings_init(void);
void proclife_rings_exit(void);

/* The header page: the other subsystems fill in what they know. */
struct proclife_header *proclife_rings_header(void);

/* What has to be added to the records' clock now to get CLOCK_BOOTTIME, and CLOCK_REALTIME. */
void proclife_rings_offsets(u64 *to_boottime, u64 *to_realtime);
/* Updates these in the header. */
void proclife_rings_refresh(void);

/*
 * Recording stops now, or starts again: a record in each ring says so, and so does the header. The first
 * returns since when; call the second once the last source has gone.
 */
u64 proclife_rings_stop(void);
void proclife_rings_stopped(u64 since);
void proclife_rings_start(void);

/* The page at this page offset of the device, or NULL if it does not exist (yet). */
struct page *proclife_rings_page(unsigned long pgoff);

/* How many records have been committed on all CPUs. */
u64 proclife_rings_committed(void);

/* How many records there are of each type, on all CPUs. */
struct rings_counts {
	u64 types[PROCLIFE_TYPES];
	u64 open; /* up to this many of them, of whichever types, are not committed yet */
};

void proclife_rings_count(struct rings_counts *counts);

/*
 * The same sum, and the starting point for proclife_rings_arm(). Callers serialize the calls of
 * both.
 */
u64 proclife_rings_sum(void);

/*
 * Asks for a call of proclife_readers_wake() before there are @more records more than that sum;
 * @more is at least 1. Returns false if a CPU was just about to reach its share: then sum and ask
 * again.
 */
bool proclife_rings_arm(u64 more);

void compat_preserving __cold proclife_rings_wake(struct rings_cpu *cpu);

struct rings_slot {
	struct rings_cpu *cpu;
	unsigned long irqflags;
};

/* The second half of rings_begin(), or of budget_begin(): interrupts are off. */
static __always_inline struct proclife_record *rings_claim(struct rings_slot *slot, u16 type)
{
	struct proclife_record *r;

	slot->cpu = this_cpu_ptr(&proclife_rings);
	r = proclife_ring_reserve(&slot->cpu->ring);
	clock_take(&r->ts); /* W3: after the reservation */
	/* The other byte of it is always 0, and the CPU is there from the beginning. */
	BUILD_BUG_ON(PROCLIFE_TYPES > U8_MAX);
	WRITE_ONCE(*(u8 *)&r->type, type);
	return r;
}

/*
 * Between rings_begin() and rings_end(), the caller owns this CPU's ring: interrupts are off, so a
 * preemptible probe does not migrate either. The record has its time stamp, type and CPU already.
 */
static __always_inline struct proclife_record *rings_begin(struct rings_slot *slot, u16 type)
{
	local_irq_save(slot->irqflags);
	return rings_claim(slot, type);
}

/* @type once more: to read it from the record would cost more than what is counted with it. */
static __always_inline void rings_end(struct rings_slot *slot, u16 type)
{
	if (unlikely(proclife_ring_commit(&slot->cpu->ring, type)))
		compat_call(proclife_rings_wake, slot->cpu);
	local_irq_restore(slot->irqflags);
}

#endif
