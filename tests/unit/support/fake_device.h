/* SPDX-License-Identifier: GPL-2.0-only */
/* A file with the device's layout, which the test writes as the module writes its rings. */
#ifndef UNIT_FAKE_DEVICE_H
#define UNIT_FAKE_DEVICE_H

#include <recording/ctf.h>
#include <proclife.h>
#include <proclife/ring.h>

/* What a machine records but for EXITING, and for BIRTH, FAIL, TIMES and PATH, which are off by default: exits begin at EXIT. */
#define WITHOUT_EXITING                                                                                                \
	(PROCLIFE_KNOWN_TYPES &                                                                                        \
	 ~(PROCLIFE_HAS(PROCLIFE_EXITING) | PROCLIFE_HAS(PROCLIFE_BIRTH) | PROCLIFE_HAS(PROCLIFE_FAIL) |                \
	   PROCLIFE_HAS(PROCLIFE_TIMES) | PROCLIFE_HAS(PROCLIFE_PATH)))

struct fake_device {
	int fd;
	char path[64];
	void *map;
	size_t bytes;
	struct proclife_header *header;
	struct proclife_ring *rings; /* by CPU */
	uint32_t stride;	     /* of its records */
	uint64_t now;		     /* what the library's clock shows */
	uint64_t slept;		     /* for how long it was suspended since it was opened */
	uint64_t set;		     /* by how much the time of day was set forward since then */
	/* Called when the library has read the clock, if set. */
	void (*at_clock)(struct fake_device *device);
	void *data; /* for at_clock */
};

/* No ring exists at first. */
struct fake_device *fake_device_new(uint32_t cpus, uint64_t records_per_ring);
/* As a later module's: its records are longer, and what is new in them is no 0. */
struct fake_device *fake_device_new_later(uint32_t cpus, uint64_t records_per_ring, uint32_t record_bytes);
void fake_device_free(struct fake_device *device);

/* Makes the ring of a CPU appear. */
void fake_device_add_ring(struct fake_device *device, uint32_t cpu);
void fake_device_add_rings(struct fake_device *device);

/* The steps of ring.h's writer between reserve and commit: take the time, fill the slot. */
struct proclife_record *fake_device_begin(struct fake_device *device, uint32_t cpu);
void fake_device_fill(struct fake_device *device, uint32_t cpu, struct proclife_record *slot,
		      uint64_t ts);
void fake_device_commit(struct fake_device *device, uint32_t cpu);

/* Writes a whole record. Its task is its position. */
void fake_device_write(struct fake_device *device, uint32_t cpu, uint64_t ts);

/* Opens it as a source with the device's clock, and asserts that this works. */
struct proclife_source *fake_device_open(struct fake_device *device);

#endif
