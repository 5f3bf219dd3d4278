// SPDX-License-Identifier: GPL-2.0-only
#include "fake_rings.h"
#include "check.h"

#include <device/device.h>
#include <device/handles.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *map_new(int *fd, size_t bytes)
{
	void *map;

	*fd = memfd_create("fake", MFD_CLOEXEC);
	assert_true(*fd >= 0);
	assert_int_equal(ftruncate(*fd, (off_t)bytes), 0);
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	assert_true(map != MAP_FAILED);
	return map;
}

static void describe(struct fake_rings *fake, const uint64_t *sizes)
{
	struct proclife_bpf_header *header = fake->header;
	uint64_t *map = (uint64_t *)(header + 1);

	header->header = (struct proclife_header){
		.magic = PROCLIFE_MAGIC,
		.abi_version = PROCLIFE_ABI_VERSION,
		.abi_compatible = PROCLIFE_ABI_COMPATIBLE,
		.header_bytes = sizeof(header->header),
		.record_bytes = sizeof(struct proclife_record),
		.cpus = fake->cpus,
		.cpu_map_offset = sizeof(*header),
		.generation = 1,
		.features = PROCLIFE_HAS(PROCLIFE_FORK) | PROCLIFE_HAS(PROCLIFE_EXIT),
		.exit_mark = PROCLIFE_EXIT_AFTER_MM,
		.types = PROCLIFE_TYPES,
		.counts_offset = offsetof(struct proclife_ring_page, counts),
		.suppressed_offset = offsetof(struct proclife_ring_page, suppressed),
		.release = "6.1.0-test",
		.version = "0.0",
	};
	header->key[0] = 0x1234;
	header->key[1] = 0x5678;
	header->layout = PROCLIFE_BPF_LAYOUT;
	header->rings = fake->count;
	for (uint32_t i = 0; i < fake->count; i++) {
		header->ring[i] = (struct proclife_bpf_ring){ .offset = header->ring_bytes, .records = sizes[i] };
		header->ring_bytes += PROCLIFE_BPF_PAGE_BYTES + sizes[i] * sizeof(struct proclife_record);
	}
	for (uint32_t cpu = 0; cpu < fake->cpus; cpu++)
		map[cpu / 64] |= 1ULL << cpu % 64;
}

struct fake_rings *fake_rings_new(uint32_t cpus, uint32_t count, const uint64_t *sizes)
{
	struct fake_rings *fake = calloc(1, sizeof(*fake));

	assert_non_null(fake);
	assert_in_range(count, 1, PROCLIFE_BPF_MOST_RINGS);
	fake->cpus = cpus;
	fake->count = count;
	fake->header = map_new(&fake->header_fd, PROCLIFE_BPF_HEADER_BYTES);
	describe(fake, sizes);
	fake->fds = calloc(cpus, sizeof(*fake->fds));
	fake->bases = calloc(cpus, sizeof(*fake->bases));
	fake->rings = calloc((size_t)cpus * count, sizeof(*fake->rings));
	assert_true(fake->fds && fake->bases && fake->rings);
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		fake->bases[cpu] = map_new(&fake->fds[cpu], fake->header->ring_bytes);
		for (uint32_t i = 0; i < count; i++) {
			char *base = fake->bases[cpu] + fake->header->ring[i].offset;

			*fake_ring(fake, cpu, i) = (struct proclife_ring){
				.page = (struct proclife_ring_page *)base,
				.records = (struct proclife_record *)(base + PROCLIFE_BPF_PAGE_BYTES),
				.mask = sizes[i] - 1,
				.wake_at = PROCLIFE_RING_NEVER,
				.is_read = 1,
			};
		}
	}
	return fake;
}

void fake_rings_free(struct fake_rings *fake)
{
	for (uint32_t cpu = 0; cpu < fake->cpus; cpu++) {
		munmap(fake->bases[cpu], fake->header->ring_bytes);
		close(fake->fds[cpu]);
	}
	munmap(fake->header, PROCLIFE_BPF_HEADER_BYTES);
	close(fake->header_fd);
	free(fake->rings);
	free(fake->bases);
	free(fake->fds);
	free(fake);
}

struct proclife_record *fake_rings_begin(struct fake_rings *fake, uint32_t cpu, uint32_t ring)
{
	return proclife_ring_reserve(fake_ring(fake, cpu, ring));
}

void fake_rings_fill(struct fake_rings *fake, uint32_t cpu, uint32_t ring, struct proclife_record *slot, uint64_t ts)
{
	*slot = (struct proclife_record){
		.ts = ts,
		.type = PROCLIFE_FORK,
		.cpu = (uint16_t)cpu,
		.task = fake_ring(fake, cpu, ring)->pos,
		.start = ~ts,
		.pid = ring,
	};
	fake_ring(fake, cpu, ring)->page->ctl.last = ts;
}

void fake_rings_commit(struct fake_rings *fake, uint32_t cpu, uint32_t ring)
{
	proclife_ring_commit(fake_ring(fake, cpu, ring), PROCLIFE_FORK);
}

void fake_rings_write(struct fake_rings *fake, uint32_t cpu, uint32_t ring, uint64_t ts)
{
	fake_rings_fill(fake, cpu, ring, fake_rings_begin(fake, cpu, ring), ts);
	fake_rings_commit(fake, cpu, ring);
}

void fake_rings_put(struct fake_rings *fake, uint32_t cpu, uint32_t ring, uint64_t ts, struct proclife_record record)
{
	struct proclife_record *slot = fake_rings_begin(fake, cpu, ring);

	record.ts = ts;
	record.cpu = (uint16_t)cpu;
	*slot = record;
	fake_ring(fake, cpu, ring)->page->ctl.last = ts;
	proclife_ring_commit(fake_ring(fake, cpu, ring), record.type);
}

/*
 * The source
 */

struct reader {
	struct proclife_device device;
	struct fake_rings *fake;
	struct proclife_ring_place places[PROCLIFE_BPF_MOST_RINGS];
	uint64_t skipped; /* of the fake's, those that it knows */
	uint64_t skipped_at;
};

static int find_rings(struct proclife_device *device, uint32_t cpu, const char **base)
{
	*base = ((struct reader *)device)->fake->bases[cpu];
	return 0;
}

static void note_skipped(struct proclife_device *device)
{
	struct reader *reader = (struct reader *)device;
	uint64_t more = reader->fake->skipped - reader->skipped;

	if (more && !device->skips.gap.to)
		device->skips.gap = (struct proclife_gap){ .from = reader->skipped_at, .cpu = PROCLIFE_CPU_ALL };
	if (more)
		device->skips.gap.to = device->read.now;
	device->skips.gap.lost += more;
	reader->skipped += more;
	reader->skipped_at = device->source.merge.horizon;
}

static int no_snapshot(struct proclife_device *device, struct proclife_record **records, size_t *count)
{
	(void)device;
	(void)records;
	(void)count;
	return -1;
}

static void free_nothing(struct proclife_device *device)
{
	proclife_handles_free(device->handles);
}

static const struct proclife_device_ops ops = {
	.find_rings = find_rings,
	.skipped = note_skipped,
	.snapshot = no_snapshot,
	.free = free_nothing,
};

static void read_clock(struct proclife_clock *clock, void *data)
{
	struct fake_rings *fake = data;

	clock->now = fake->now;
	if (fake->at_clock)
		fake->at_clock(fake);
}

static int refill_nothing(struct proclife_stream *stream)
{
	(void)stream;
	return 0;
}

struct proclife_source *fake_rings_open(struct fake_rings *fake)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	struct proclife_device *device = &reader->device;

	assert_non_null(reader);
	proclife_device_init(device, &ops);
	reader->fake = fake;
	reader->skipped = fake->skipped;
	device->header = fake->header->header;
	device->map = fake->header;
	device->margin = fake->margin;
	device->clock = read_clock;
	device->clock_arg = fake;
	for (uint32_t i = 0; i < fake->count; i++)
		reader->places[i] = (struct proclife_ring_place){
			.offset = fake->header->ring[i].offset,
			.records_offset = fake->header->ring[i].offset + PROCLIFE_BPF_PAGE_BYTES,
			.records = fake->header->ring[i].records,
		};
	device->places = reader->places;
	device->places_count = fake->count;
	if (fake->with_handles)
		device->handles = proclife_handles_new(fake->header->key);
	device->skips.order = PROCLIFE_CPU_ALL;
	device->skips.refill = refill_nothing;
	assert_int_equal(proclife_merge_add(&device->source.merge, &device->skips), 0);
	assert_int_equal(proclife_device_begin(device), 0);
	reader->skipped_at = device->source.merge.horizon;
	return &device->source;
}
