/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The handle of a live object is a hash of its address and its kind, under a secret key. As long as the module
 * is loaded, an object has the same handle everywhere.
 *
 * A handle must not show to readers of the device or of a recording where an object is in the
 * kernel, nor how far it is from another one: that would undo the randomization of the kernel's
 * addresses. So it is made as printk() makes what "%p" shows, by the kernel's SipHash-2-4, and the key
 * never leaves the module. Anything simpler would not do: sums and products can be solved for the addresses.
 * Any number of handles only shows which of them are of the same address, of objects of one kind: when the
 * kernel uses the memory of a task, a process or an address space for the next one.
 *
 * A hash of 64 bits can be equal for two objects: of a million that are there at once, two have one handle
 * with a probability of 3 in 100 million.
 */
#ifndef PROCLIFE_HANDLE_H
#define PROCLIFE_HANDLE_H

#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/siphash.h>

#include "compat.h"

/* Draws the key. */
int proclife_handle_init(void);
void proclife_handle_exit(void);

/* Makes the cache of a CPU, before that records anything: 0 or -ENOMEM. */
int proclife_handle_prepare_cpu(unsigned int n);

/*
 * What lies at an address. Memory that the kernel frees can become an object of another kind, which must
 * not show: so the kind is hashed, too, in bits that are 0 in each object's address.
 */
enum handle_kind {
	HANDLE_TASK,  /* struct task_struct */
	HANDLE_GROUP, /* struct signal_struct */
	HANDLE_MM,    /* struct mm_struct */
	HANDLE_KINDS,
};

/* Anywhere, without the cache. 0 means unknown and is no handle. */
u64 proclife_handle_of(enum handle_kind kind, const void *object);

/*
 * The hash costs as much as the rest of a record, and the same objects come again and again: the
 * records of a task's life need a dozen handles, and the kernel soon reuses its memory. So each
 * CPU caches those that it used last, in a page: more would take the cache from what the CPU is there for.
 * The cache is never stale, since handles do not change. Two slots are a pair, and each object that belongs
 * into one of them can be in the other.
 */
#define HANDLE_CACHE_BITS 8

struct handle_cached {
	unsigned long object; /* its address, and its kind; 0: none yet */
	u64 handle;
};

DECLARE_PER_CPU(struct handle_cached *, proclife_handle_slots);

/* The pairs are aligned. */
static __always_inline struct handle_cached *handle_other(struct handle_cached *slot)
{
	return (void *)((unsigned long)slot ^ sizeof(*slot));
}

/* The object is in neither: puts it into this slot, whose own goes to the other one. */
void compat_preserving __cold proclife_handle_fill(struct handle_cached *slot, unsigned long object);

/* These need interrupts off. */
static __always_inline u64 take_handle_of_kind(enum handle_kind kind, const void *object)
{
	unsigned long address = (unsigned long)object + kind;
	/* Hashes the lower half of the address: objects that differ only in the upper half share a slot. */
	struct handle_cached *slot =
		&__this_cpu_read(proclife_handle_slots)[hash_32(address, HANDLE_CACHE_BITS)];

	if (unlikely(slot->object != address)) {
		slot = handle_other(slot);
		if (slot->object != address)
			compat_call2(proclife_handle_fill, slot, address);
	}
	return slot->handle;
}

static __always_inline u64 take_handle(const struct task_struct *p)
{
	BUILD_BUG_ON(__alignof__(*p) < HANDLE_KINDS);
	return take_handle_of_kind(HANDLE_TASK, p);
}

static __always_inline u64 take_handle_of_group(const struct signal_struct *signal)
{
	BUILD_BUG_ON(__alignof__(*signal) < HANDLE_KINDS);
	return take_handle_of_kind(HANDLE_GROUP, signal);
}

static __always_inline u64 take_handle_of_mm(const struct mm_struct *mm)
{
	BUILD_BUG_ON(__alignof__(*mm) < HANDLE_KINDS);
	return take_handle_of_kind(HANDLE_MM, mm);
}

#endif
