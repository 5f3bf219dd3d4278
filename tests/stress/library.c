// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library's own reader under stress: rings.c and merge.c, with delays between their steps, follow
 * a file with the device's layout while one thread per ring writes it. Each reader is a source of
 * its own, as a program has it.
 */
#include <errno.h>
#include <limits.h>
#include <sys/mman.h>

#include "library.h"

struct reader {
	pthread_t thread;
	unsigned int index;
	struct proclife_source *source;
	uint64_t *position; /* of each ring: the end of what it has read or lost */
	uint64_t merged, lost;
	uint64_t live; /* merged while all writers were at work */
	uint64_t next; /* the merged stream goes on here or above */
} __attribute__((aligned(128)));

static void *write_ring(void *data)
{
	struct ring *ring = data;

	random_state = mix(seed + 1000 * ring->cpu);
	for (uint64_t position = 0; position < records; position++) {
		uint64_t number;

		write_record(ring, position, &number);
		__atomic_store_n(&ring->stamps[position], number, __ATOMIC_RELEASE);
		step();
	}
	__atomic_sub_fetch(&writing, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void check_record(struct reader *reader, const struct proclife_record *record)
{
	const uint64_t *words = (const uint64_t *)record;
	uint32_t cpu = (uint32_t)words[1];

	for (unsigned int i = 0; i < WORDS; i++)
		if (words[1] >= rings || words[i] != word(i, cpu, words[2], words[0]))
			violation("reader %u: word %u is %#llx: the record says time %llu, ring %llu, "
				  "position %llu", reader->index, i, (unsigned long long)words[i],
				  (unsigned long long)words[0], (unsigned long long)words[1],
				  (unsigned long long)words[2]);
	if (words[2] != reader->position[cpu])
		violation("reader %u, ring %u: position %llu instead of %llu", reader->index, cpu,
			  (unsigned long long)words[2], (unsigned long long)reader->position[cpu]);
	if (words[0] < reader->next)
		violation("reader %u: merged %llu of ring %u after %llu", reader->index,
			  (unsigned long long)words[0], cpu, (unsigned long long)reader->next - 1);
	reader->position[cpu]++;
	reader->next = words[0] + 1;
	reader->merged++;
}

/* The writer notes the time of a record after it has written it. */
static uint64_t stamp_of(const struct ring *ring, uint64_t position)
{
	uint64_t stamp;

	while ((stamp = __atomic_load_n(&ring->stamps[position], __ATOMIC_ACQUIRE)) == UINT64_MAX)
		sched_yield();
	return stamp;
}

static void check_gap(struct reader *reader, const struct proclife_gap *gap)
{
	uint64_t first, last;

	if (gap->cpu >= rings || !gap->lost || gap->lost > records - reader->position[gap->cpu])
		violation("reader %u: %llu lost on ring %u", reader->index,
			  (unsigned long long)gap->lost, gap->cpu);
	first = reader->position[gap->cpu];
	last = first + gap->lost - 1;
	/* After eight failed copies, the reader gives up all that is there, overwritten or not. */
	if (size >= records)
		violation("reader %u, ring %u: %llu lost, and none overwritten", reader->index,
			  gap->cpu, (unsigned long long)gap->lost);
	if (stamp_of(&ring_of[gap->cpu], first) < gap->from ||
	    stamp_of(&ring_of[gap->cpu], last) > gap->to)
		violation("reader %u, ring %u: lost from %llu to %llu, and not from %llu to %llu",
			  reader->index, gap->cpu,
			  (unsigned long long)stamp_of(&ring_of[gap->cpu], first),
			  (unsigned long long)stamp_of(&ring_of[gap->cpu], last),
			  (unsigned long long)gap->from, (unsigned long long)gap->to);
	reader->position[gap->cpu] += gap->lost;
	reader->lost += gap->lost;
}

static void *read_source(void *data)
{
	struct reader *reader = data;
	struct proclife_event event;

	random_state = mix(seed + 1000 * (rings + reader->index));
	while (reader->merged + reader->lost < records * rings) {
		int ret = proclife_source_next(reader->source, &event);

		if (ret < 0)
			violation("reader %u: %s", reader->index, strerror(-ret));
		if (!ret) {
			if (next_random() % 4 == 0)
				sched_yield();
			continue;
		}
		if (event.record)
			check_record(reader, event.record);
		else
			check_gap(reader, &event.gap);
		reader->live += __atomic_load_n(&writing, __ATOMIC_ACQUIRE) == rings;
	}
	if (proclife_source_lost(reader->source) != reader->lost)
		violation("reader %u: the source says that it lost %llu, not %llu", reader->index,
			  (unsigned long long)proclife_source_lost(reader->source),
			  (unsigned long long)reader->lost);
	return NULL;
}

static uint64_t pages(uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/* A file in the layout of the module's device, whose rings are written there. */
static int make_device(void)
{
	struct proclife_header header = {
		.magic = PROCLIFE_MAGIC,
		.abi_version = PROCLIFE_ABI_VERSION,
		.abi_compatible = PROCLIFE_ABI_COMPATIBLE,
		.header_bytes = sizeof(header),
		.record_bytes = sizeof(struct proclife_record),
		.rings_offset = pages(sizeof(header) + 8),
		.records_offset = pages(sizeof(struct proclife_ring_page)),
		.types = PROCLIFE_TYPES,
		.counts_offset = offsetof(struct proclife_ring_page, counts),
		.suppressed_offset = offsetof(struct proclife_ring_page, suppressed),
		.records_per_ring = size,
		.cpus = rings,
		.cpu_map_offset = (sizeof(header) + 7) / 8 * 8,
		.generation = 1,
	};
	int fd = memfd_create("device", MFD_CLOEXEC);
	char *map;

	if (rings > 64) {
		fprintf(stderr, "-r: there are at most 64 rings\n");
		exit(2);
	}
	header.ring_stride = header.records_offset + pages(size * sizeof(struct proclife_record));
	header.map_bytes = header.rings_offset + rings * header.ring_stride;
	if (fd < 0 || ftruncate(fd, (off_t)header.map_bytes)) {
		perror("memfd");
		exit(2);
	}
	map = mmap(NULL, header.map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
	memcpy(map, &header, sizeof(header));
	*(uint64_t *)(map + header.cpu_map_offset) = UINT64_MAX >> (64 - rings);
	ring_of = allocate(rings, sizeof(*ring_of));
	for (unsigned int i = 0; i < rings; i++) {
		char *base = map + header.rings_offset + i * header.ring_stride;

		ring_of[i].cpu = i;
		ring_of[i].ring.page = (struct proclife_ring_page *)base;
		ring_of[i].ring.records = (struct proclife_record *)(base + header.records_offset);
		ring_of[i].ring.mask = size - 1;
		ring_of[i].ring.wake_at = PROCLIFE_RING_NEVER;
		ring_of[i].ring.is_read = 1;
		ring_of[i].stamps = allocate(records, sizeof(uint64_t));
		memset(ring_of[i].stamps, 0xff, records * sizeof(uint64_t));
	}
	writing = rings;
	return fd;
}

static void open_reader(struct reader *reader, unsigned int index, int device)
{
	char path[64];
	int ret;

	reader->index = index;
	reader->position = allocate(rings, sizeof(*reader->position));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", device);
	ret = proclife_device_open(&reader->source, path);
	if (ret) {
		fprintf(stderr, "device: %s\n", strerror(-ret));
		exit(2);
	}
	proclife_device_set_clock(reader->source, read_clock, NULL);
}

int main(int argc, char **argv)
{
	pthread_t *writers;
	struct reader *all;
	int device;

	records = 100000;
	rings = 3;
	size = 16;
	steps_per_delay = 50;
	limit = 300;
	parse(argc, argv);
	device = make_device();
	writers = allocate(rings, sizeof(*writers));
	all = allocate(readers, sizeof(*all));
	for (unsigned int i = 0; i < readers; i++)
		open_reader(&all[i], i, device);

	start_watch();
	for (unsigned int i = 0; i < readers; i++)
		start(&all[i].thread, read_source, &all[i]);
	for (unsigned int i = 0; i < rings; i++)
		start(&writers[i], write_ring, &ring_of[i]);
	for (unsigned int i = 0; i < rings; i++)
		pthread_join(writers[i], NULL);
	for (unsigned int i = 0; i < readers; i++)
		pthread_join(all[i].thread, NULL);

	for (unsigned int i = 0; i < rings; i++)
		check_ring(&ring_of[i]);
	for (unsigned int i = 0; i < readers; i++) {
		printf("reader %u: merged %llu (%llu of them live), lost %llu\n", i,
		       (unsigned long long)all[i].merged, (unsigned long long)all[i].live,
		       (unsigned long long)all[i].lost);
		proclife_source_free(all[i].source);
		free(all[i].position);
	}
	close(device);
	return 0;
}
