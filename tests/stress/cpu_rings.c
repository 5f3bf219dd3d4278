// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library's own reader under stress where each CPU has several rings, as with BPF programs: a thread writes each
 * ring by exchanges, and can be preempted for long between W1 and W4 while the others of its CPU go on. The reader
 * merges the rings of a CPU into one stream, and these streams.
 */
#define EXCHANGES
#include <errno.h>

#include "library.h"

#define CPU_RINGS 3 /* of each CPU */

/* What was lost on a CPU: a gap says it, and the next record of one of its rings shows of which. */
struct told {
	struct proclife_gap last;
	uint64_t lost, missing; /* in all its gaps; of rings that have gone on */
	uint64_t gaps; /* since both were the same */
};

struct reader {
	pthread_t thread;
	unsigned int index;
	struct proclife_source *source;
	uint64_t *position; /* of each ring: the end of what it has read or lost */
	struct told *told;  /* by CPU */
	uint64_t merged, lost;
	uint64_t live; /* merged while all writers were at work */
	uint64_t next; /* the merged stream goes on here or above */
} __attribute__((aligned(128)));

/* All that a device needs of the header: its CPUs are in the word behind it. */
static struct {
	struct proclife_header header;
	uint64_t cpus;
} shared;

static char *bases; /* of the CPUs' rings, one CPU after the other */
static struct proclife_ring_place places[CPU_RINGS];

static uint64_t bytes_of_cpu(void)
{
	return CPU_RINGS * (4096 + size * sizeof(struct proclife_record));
}

static int find_rings(struct proclife_device *device, uint32_t cpu, const char **base)
{
	(void)device;
	*base = bases + cpu * bytes_of_cpu();
	return 0;
}

static void free_nothing(struct proclife_device *device)
{
	(void)device;
}

static const struct proclife_device_ops ops = { .find_rings = find_rings, .free = free_nothing };

static void make_cpus(void)
{
	uint32_t cpus = rings / CPU_RINGS;

	if (rings % CPU_RINGS || cpus > 64) {
		fprintf(stderr, "-r: each CPU has %d rings, and there are at most 64 CPUs\n", CPU_RINGS);
		exit(2);
	}
	shared.header = (struct proclife_header){
		.record_bytes = sizeof(struct proclife_record),
		.types = PROCLIFE_TYPES,
		.cpus = cpus,
		.cpu_map_offset = sizeof(shared.header),
		.generation = 1,
	};
	shared.cpus = UINT64_MAX >> (64 - cpus);
	bases = allocate(cpus, bytes_of_cpu());
	ring_of = allocate(rings, sizeof(*ring_of));
	for (unsigned int i = 0; i < rings; i++) {
		struct proclife_ring_place *place = &places[i % CPU_RINGS];
		char *base = bases + i / CPU_RINGS * bytes_of_cpu();

		place->offset = i % CPU_RINGS * (bytes_of_cpu() / CPU_RINGS);
		place->records_offset = place->offset + 4096;
		place->records = size;
		ring_of[i].cpu = i;
		ring_of[i].ring.page = (struct proclife_ring_page *)(base + place->offset);
		ring_of[i].ring.records = (struct proclife_record *)(base + place->records_offset);
		ring_of[i].ring.mask = size - 1;
		ring_of[i].ring.wake_at = PROCLIFE_RING_NEVER;
		ring_of[i].ring.is_read = 1;
		ring_of[i].stamps = allocate(records, sizeof(uint64_t));
		memset(ring_of[i].stamps, 0xff, records * sizeof(uint64_t));
	}
	writing = rings;
}

static void open_reader(struct reader *reader, unsigned int index)
{
	struct proclife_device *device = allocate(1, sizeof(*device));
	int ret;

	reader->index = index;
	reader->position = allocate(rings, sizeof(*reader->position));
	reader->told = allocate(rings / CPU_RINGS, sizeof(*reader->told));
	proclife_device_init(device, &ops);
	device->header = shared.header;
	device->map = &shared;
	device->clock = read_clock;
	device->places = places;
	device->places_count = CPU_RINGS;
	ret = proclife_device_begin(device);
	if (ret) {
		fprintf(stderr, "device: %s\n", strerror(-ret));
		exit(2);
	}
	reader->source = &device->source;
}

/* The threads of a CPU's rings take turns on one of ours, so that they preempt each other. */
static void *write_ring(void *data)
{
	struct ring *ring = data;
	cpu_set_t set;

	random_state = mix(seed + 1000 * ring->cpu);
	CPU_ZERO(&set);
	CPU_SET(ring->cpu / CPU_RINGS % (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set); /* if it fails, the test is as good */
	for (uint64_t position = 0; position < records; position++) {
		uint64_t number;

		write_record(ring, position, &number);
		__atomic_store_n(&ring->stamps[position], number, __ATOMIC_RELEASE);
		step();
	}
	__atomic_sub_fetch(&writing, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Its ring lost [from, to), and a gap of its CPU has said so. */
static void check_missing(struct reader *reader, const struct ring *ring, uint64_t from, uint64_t to)
{
	struct told *told = &reader->told[ring->cpu / CPU_RINGS];
	uint64_t first, last, gaps = told->gaps;

	told->missing += to - from;
	if (told->missing > told->lost)
		violation("reader %u, ring %u: %llu missing from position %llu on, and no gap of them", reader->index,
			  ring->cpu, (unsigned long long)(to - from), (unsigned long long)from);
	if (told->missing != told->lost)
		return;
	told->gaps = 0;
	if (gaps != 1) /* it could be any of these */
		return;
	first = __atomic_load_n(&ring->stamps[from], __ATOMIC_ACQUIRE);
	last = __atomic_load_n(&ring->stamps[to - 1], __ATOMIC_ACQUIRE);
	if (first < told->last.from || last > told->last.to)
		violation("reader %u, ring %u: lost from %llu to %llu, and not from %llu to %llu", reader->index,
			  ring->cpu, (unsigned long long)first, (unsigned long long)last,
			  (unsigned long long)told->last.from, (unsigned long long)told->last.to);
}

static void check_record(struct reader *reader, const struct proclife_record *record)
{
	const uint64_t *words = (const uint64_t *)record;
	uint32_t ring = (uint32_t)words[1];

	for (unsigned int i = 0; i < WORDS; i++)
		if (words[1] >= rings || words[i] != word(i, ring, words[2], words[0]))
			violation("reader %u: word %u is %#llx: the record says time %llu, ring %llu, "
				  "position %llu", reader->index, i, (unsigned long long)words[i],
				  (unsigned long long)words[0], (unsigned long long)words[1],
				  (unsigned long long)words[2]);
	if (words[2] < reader->position[ring])
		violation("reader %u, ring %u: position %llu after %llu", reader->index, ring,
			  (unsigned long long)words[2], (unsigned long long)reader->position[ring]);
	if (words[0] < reader->next)
		violation("reader %u: merged %llu of ring %u after %llu", reader->index,
			  (unsigned long long)words[0], ring, (unsigned long long)reader->next - 1);
	if (words[2] != reader->position[ring])
		check_missing(reader, &ring_of[ring], reader->position[ring], words[2]);
	reader->position[ring] = words[2] + 1;
	reader->next = words[0] + 1;
	reader->merged++;
}

static void check_gap(struct reader *reader, const struct proclife_gap *gap)
{
	struct told *told;

	if (gap->cpu >= rings / CPU_RINGS || !gap->lost)
		violation("reader %u: %llu lost on CPU %u", reader->index, (unsigned long long)gap->lost, gap->cpu);
	if (gap->from > gap->to || gap->from + 1 < reader->next)
		violation("reader %u: lost from %llu to %llu on CPU %u, after %llu", reader->index,
			  (unsigned long long)gap->from, (unsigned long long)gap->to, gap->cpu,
			  (unsigned long long)reader->next - 1);
	told = &reader->told[gap->cpu];
	told->last = *gap;
	told->gaps++;
	told->lost += gap->lost;
	reader->lost += gap->lost;
}

/* What is missing at the end of each ring was lost, too. */
static void check_ends(struct reader *reader)
{
	for (unsigned int i = 0; i < rings; i++)
		reader->told[i / CPU_RINGS].missing += records - reader->position[i];
	for (unsigned int cpu = 0; cpu < rings / CPU_RINGS; cpu++)
		if (reader->told[cpu].missing != reader->told[cpu].lost)
			violation("reader %u, CPU %u: %llu missing, not %llu", reader->index, cpu,
				  (unsigned long long)reader->told[cpu].missing,
				  (unsigned long long)reader->told[cpu].lost);
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
	check_ends(reader);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t *writers;
	struct reader *all;

	records = 50000;
	rings = 2 * CPU_RINGS;
	size = 16;
	steps_per_delay = 50;
	limit = 300;
	parse(argc, argv);
	make_cpus();
	writers = allocate(rings, sizeof(*writers));
	all = allocate(readers, sizeof(*all));
	for (unsigned int i = 0; i < readers; i++)
		open_reader(&all[i], i);

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
		free(all[i].told);
	}
	for (unsigned int i = 0; i < rings; i++)
		free(ring_of[i].stamps);
	free(ring_of);
	free(bases);
	return 0;
}
