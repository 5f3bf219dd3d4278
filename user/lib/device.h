/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The device as a source: device.c opens and maps it, and sleeps; rings.c reads the rings. */
#ifndef PROCLIFE_DEVICE_H
#define PROCLIFE_DEVICE_H

#include "source.h"

/* What a ring's records are copied into, so many at a time: it stays in the L1 or L2 cache. */
#define PROCLIFE_BATCH 256

#define PROCLIFE_MAX_CPUS 8192

/* The records' clock in nanoseconds, or what a test has in its place. */
typedef uint64_t (*proclife_clock_fn)(void *arg);

struct proclife_device;

/* One CPU's ring, as this reader sees it. */
struct proclife_ring_stream {
	struct proclife_stream stream;
	struct proclife_device *device;
	const struct proclife_ring_ctl *ctl;
	const struct proclife_record *records;
	uint64_t size;
	uint64_t pos;	/* the next one to copy */
	uint64_t limit; /* every record from before the horizon lies below this */
	uint64_t floor; /* no record at or above pos is older */
	uint64_t old;	/* records below this position are history: overwritten, they are not lost */
	uint64_t suppressed; /* PROCLIFE_HAS() of what was when its records begin, and is to be told */
	struct proclife_record *buffer; /* with room for that before it */
};

struct proclife_device {
	struct proclife_source source;
	int fd;
	bool pollable;	   /* a plain file in the device's place is not */
	bool rewind;	   /* the rings are to be read from their oldest records on */
	bool held;	   /* a write in flight holds the horizon back */
	uint64_t watermark;
	void *map;
	struct proclife_header header; /* as it was validated: sizes are taken from here only */
	uint64_t generation;	       /* of the CPU map that `rings` follows */
	struct proclife_ring_stream **rings; /* by CPU; NULL where there is none */
	proclife_clock_fn clock;
	void *clock_arg;
	proclife_clock_fn realtime; /* NULL: the time of day is not followed */
	void *realtime_arg;
	uint64_t opened;
	struct proclife_stream snapshot; /* its records stay until the source goes */
	struct proclife_record *snapshot_records;
};

/*
 * For tests: take the time from elsewhere. To be called between opening the source and anything
 * else.
 */
void proclife_device_set_clock(struct proclife_source *source, proclife_clock_fn clock, void *arg);

/* The same for CLOCK_REALTIME, which is not followed otherwise once the time comes from elsewhere. */
void proclife_device_set_realtime(struct proclife_source *source, proclife_clock_fn realtime,
				  void *arg);

/* Notes where each ring stands: what comes from now on will be read. 0 or -ENOMEM. */
int proclife_rings_begin(struct proclife_device *device);

/* Takes a new horizon, and what the rings hold below it. 0 or -ENOMEM. */
int proclife_rings_round(struct proclife_device *device);

/* Records that are committed, or lost, and not yet yielded. */
uint64_t proclife_rings_pending(const struct proclife_device *device);

/* NULL if this CPU has no ring. */
const struct proclife_ring_ctl *proclife_rings_ctl(const struct proclife_device *device,
						   uint32_t cpu);

void proclife_rings_free(struct proclife_device *device);

#endif
