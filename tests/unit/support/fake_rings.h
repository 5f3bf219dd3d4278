/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Several rings for each CPU, as BPF programs have them, in plain memory that the test writes as they do; and a source
 * that reads them, without bpf(2). proclife/bpf.h has the layout.
 */
#ifndef UNIT_FAKE_RINGS_H
#define UNIT_FAKE_RINGS_H

#include <proclife.h>
#include <proclife/bpf.h>
#include <proclife/ring.h>

struct fake_rings {
	uint32_t cpus;
	uint32_t count; /* of the rings of a CPU */
	int header_fd;
	struct proclife_bpf_header *header; /* the CPU map follows it */
	int *fds;	/* by CPU, of its rings */
	char **bases;	/* the same, mapped */
	struct proclife_ring *rings; /* of all CPUs, one CPU after the other */
	uint64_t now;	 /* what the library's clock shows */
	uint64_t margin; /* of a source that is opened from now on */
	uint64_t skipped; /* by the kernel, all in all */
	bool with_handles; /* the tasks are addresses */
	void (*at_clock)(struct fake_rings *fake); /* called when the library has read the clock, if set */
	void *data; /* for at_clock */
};

/* @sizes: the records of each ring; 0: there is no such ring. Every CPU has them. */
struct fake_rings *fake_rings_new(uint32_t cpus, uint32_t count, const uint64_t *sizes);
void fake_rings_free(struct fake_rings *fake);

static inline struct proclife_ring *fake_ring(struct fake_rings *fake, uint32_t cpu, uint32_t ring)
{
	return &fake->rings[cpu * fake->count + ring];
}

/* The steps of a writer: its pid is the ring's index, its task the position. */
struct proclife_record *fake_rings_begin(struct fake_rings *fake, uint32_t cpu, uint32_t ring);
void fake_rings_fill(struct fake_rings *fake, uint32_t cpu, uint32_t ring, struct proclife_record *slot, uint64_t ts);
void fake_rings_commit(struct fake_rings *fake, uint32_t cpu, uint32_t ring);
void fake_rings_write(struct fake_rings *fake, uint32_t cpu, uint32_t ring, uint64_t ts);
/* Writes this one, with this time. */
void fake_rings_put(struct fake_rings *fake, uint32_t cpu, uint32_t ring, uint64_t ts, struct proclife_record record);

/* Opens it as a source with its own clock, and asserts that this works. */
struct proclife_source *fake_rings_open(struct fake_rings *fake);

#endif
