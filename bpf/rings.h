/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rings, as the programs write them: see proclife/bpf.h. Each program begins and ends one record at a time, in its
 * own ring.
 */
#ifndef PROCLIFE_BPF_RINGS_H
#define PROCLIFE_BPF_RINGS_H

#include "types.h"

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <proclife/bpf.h>
#include <proclife/ring.h>

/* What the loader sets. The verifier knows these values, and leaves out what they exclude. */
const volatile __u64 ring_offset[PROCLIFE_BPF_MOST_RINGS];
const volatile __u64 ring_mask[PROCLIFE_BPF_MOST_RINGS];
const volatile __u32 args_bytes;
const volatile bool records_times;
const volatile bool records_births;
const volatile bool exit_has_group_dead; /* sched_process_exit has this argument */
const volatile __u32 page_shift;

/* The rings of a CPU. The loader has a map of the right size in the place of this one. */
struct cpu_rings {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE | BPF_F_NUMA_NODE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct cpu_rings);
} rings SEC(".maps");

/* What the rings are, for readers: struct proclife_bpf_header and the CPU map. No program uses it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, char[PROCLIFE_BPF_HEADER_BYTES]);
} header SEC(".maps");

/* How often a program found no ring for its CPU, which came up after the programs were loaded. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} unringed SEC(".maps");

/* A record that is being made. */
struct slot {
	struct proclife_ring ring;
	char *base; /* of the rings of this CPU */
	__u32 id;
	__u32 cpu;
};

/* Finds the rings of this CPU. Returns false if it has none. */
static __always_inline bool slot_find(struct slot *slot, __u32 id)
{
	__u32 cpu = bpf_get_smp_processor_id(), first = 0;
	void *map = bpf_map_lookup_elem(&rings, &cpu);
	__u64 *count;

	slot->id = id;
	slot->cpu = cpu;
	if (map) {
		slot->base = bpf_map_lookup_elem(map, &first);
		return slot->base;
	}
	count = bpf_map_lookup_elem(&unringed, &first);
	if (count)
		__sync_fetch_and_add(count, 1);
	return false;
}

static __always_inline struct proclife_record *slot_begin(struct slot *slot, __u16 type)
{
	char *page = slot->base + ring_offset[slot->id];
	struct proclife_ring *ring = &slot->ring;
	struct proclife_record *r;
	__u64 now;

	ring->page = (struct proclife_ring_page *)page;
	ring->records = (struct proclife_record *)(page + PROCLIFE_BPF_PAGE_BYTES);
	ring->mask = ring_mask[slot->id];
	ring->pos = ring->page->ctl.commit;
	ring->wake_at = ring->pos + PROCLIFE_RING_NEVER;
	ring->is_read = true;
	r = proclife_ring_reserve(ring);
	now = bpf_ktime_get_ns();
	if (now < ring->page->ctl.last)
		now = ring->page->ctl.last;
	ring->page->ctl.last = now;
	r->ts = now;
	r->type = type;
	r->cpu = slot->cpu;
	return r;
}

static __always_inline void slot_end(struct slot *slot, __u16 type)
{
	proclife_ring_commit(&slot->ring, type);
}

#endif
