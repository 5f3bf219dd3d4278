// SPDX-License-Identifier: GPL-2.0-only
#include "fake_device.h"
#include "check.h"

#include <device/device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t round_up(uint64_t bytes)
{
	uint64_t page = sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

struct fake_device *fake_device_new_later(uint32_t cpus, uint64_t records_per_ring, uint32_t record_bytes)
{
	struct fake_device *device = calloc(1, sizeof(*device));
	uint64_t page = sysconf(_SC_PAGESIZE);
	struct proclife_header header = {
		.magic = PROCLIFE_MAGIC,
		.abi_version = PROCLIFE_ABI_VERSION,
		.abi_compatible = PROCLIFE_ABI_COMPATIBLE,
		.header_bytes = sizeof(header) + 64, /* of a later module */
		.record_bytes = record_bytes,
		.rings_offset = 2 * page,
		.records_offset = 3 * page,
		.records_per_ring = records_per_ring,
		.cpus = cpus,
		.cpu_map_offset = sizeof(header) + 128,
		.generation = 1,
		.features = PROCLIFE_HAS(PROCLIFE_FORK) | PROCLIFE_HAS(PROCLIFE_EXIT),
		.exit_mark = PROCLIFE_EXIT_AFTER_MM,
		.types = PROCLIFE_TYPES,
		.counts_offset = offsetof(struct proclife_ring_page, counts),
		.suppressed_offset = offsetof(struct proclife_ring_page, suppressed),
		.release = "6.1.0-test",
		.version = "0.0",
	};

	assert_non_null(device);
	device->stride = record_bytes;
	header.ring_stride = 5 * page + round_up(records_per_ring * record_bytes);
	header.map_bytes = header.rings_offset + cpus * header.ring_stride;
	device->bytes = header.map_bytes;
	device->fd = memfd_create("fake", MFD_CLOEXEC);
	assert_true(device->fd >= 0);
	assert_int_equal(ftruncate(device->fd, device->bytes), 0);
	device->map = mmap(NULL, device->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, device->fd, 0);
	assert_true(device->map != MAP_FAILED);
	device->header = device->map;
	memcpy(device->header, &header, sizeof(header));
	snprintf(device->path, sizeof(device->path), "/proc/self/fd/%d", device->fd);
	device->rings = calloc(cpus, sizeof(*device->rings));
	assert_non_null(device->rings);
	return device;
}

struct fake_device *fake_device_new(uint32_t cpus, uint64_t records_per_ring)
{
	return fake_device_new_later(cpus, records_per_ring, sizeof(struct proclife_record));
}

void fake_device_free(struct fake_device *device)
{
	munmap(device->map, device->bytes);
	close(device->fd);
	free(device->rings);
	free(device);
}

void fake_device_add_ring(struct fake_device *device, uint32_t cpu)
{
	const struct proclife_header *header = device->header;
	char *base = (char *)device->map + header->rings_offset + cpu * header->ring_stride;
	uint64_t *map = (uint64_t *)((char *)device->map + header->cpu_map_offset);

	device->rings[cpu] = (struct proclife_ring){
		.page = (struct proclife_ring_page *)base,
		.records = (struct proclife_record *)(base + header->records_offset),
		.mask = header->records_per_ring - 1,
		.wake_at = PROCLIFE_RING_NEVER,
		.is_read = 1,
	};
	map[cpu / 64] |= 1ULL << cpu % 64;
	proclife_store_release(&device->header->generation, header->generation + 1);
}

void fake_device_add_rings(struct fake_device *device)
{
	for (uint32_t cpu = 0; cpu < device->header->cpus; cpu++)
		fake_device_add_ring(device, cpu);
}

struct proclife_record *fake_device_begin(struct fake_device *device, uint32_t cpu)
{
	struct proclife_ring *ring = &device->rings[cpu];
	uint64_t slot = ring->pos & ring->mask, size = sizeof(*ring->records);
	char *at = (char *)ring->records + slot * device->stride;

	proclife_ring_reserve(ring);
	memset(at + size, 0xee, device->stride - size);
	return (struct proclife_record *)at;
}

void fake_device_fill(struct fake_device *device, uint32_t cpu, struct proclife_record *slot,
		      uint64_t ts)
{
	union {
		struct proclife_record record;
		uint64_t words[sizeof(struct proclife_record) / sizeof(uint64_t)];
	} from = {
		.record = {
			.ts = ts,
			.type = PROCLIFE_FORK,
			.cpu = cpu,
			.task = device->rings[cpu].pos,
			.start = ~ts,
		},
	};

	/* Atomic for ThreadSanitizer, as a reader can be copying it. */
	for (size_t i = 0; i < sizeof(from.words) / sizeof(*from.words); i++)
		__atomic_store_n((uint64_t *)slot + i, from.words[i], __ATOMIC_RELAXED);
}

void fake_device_commit(struct fake_device *device, uint32_t cpu)
{
	proclife_ring_commit(&device->rings[cpu], PROCLIFE_FORK);
}

void fake_device_write(struct fake_device *device, uint32_t cpu, uint64_t ts)
{
	fake_device_fill(device, cpu, fake_device_begin(device, cpu), ts);
	fake_device_commit(device, cpu);
}

static void read_clock(struct proclife_clock *clock, void *data)
{
	struct fake_device *device = data;

	clock->now = device->now;
	clock->to_boottime += device->slept;
	clock->to_realtime += device->slept + device->set;
	if (device->at_clock)
		device->at_clock(device);
}

struct proclife_source *fake_device_open(struct fake_device *device)
{
	struct proclife_source *source = NULL;

	assert_int_equal(proclife_device_open(&source, device->path), 0);
	assert_non_null(source);
	proclife_device_set_clock(source, read_clock, device);
	return source;
}
