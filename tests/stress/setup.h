/* SPDX-License-Identifier: GPL-2.0-only */
/* The stress programs' options, and the rings that they set up from them. */
#ifndef STRESS_SETUP_H
#define STRESS_SETUP_H

#include "protocol.h"

static uint64_t records; /* of each ring */
static unsigned int rings;
static uint64_t size; /* of a ring, in records */
static unsigned int readers = 2;
static uint64_t seed = 1;
static unsigned int limit; /* in seconds */

static struct ring *ring_of;
static unsigned int writing __attribute__((aligned(128))); /* rings that are still written */

static void __attribute__((noreturn)) usage(const char *program)
{
	fprintf(stderr,
		"usage: %s [-n RECORDS] [-r RINGS] [-s SIZE] [-R READERS] [-d STEPS] [-S SEED] "
		"[-t SECONDS]\n"
		"RECORDS of each ring; SIZE of a ring in records, a power of two;\n"
		"STEPS: how many there are to a delay, 0 for none; SECONDS: the time limit\n",
		program);
	exit(2);
}

static void parse(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "n:r:s:R:d:S:t:")) != -1) {
		unsigned long long value;
		char *end;

		if (option == '?')
			usage(argv[0]);
		value = strtoull(optarg, &end, 0);
		if (*end || end == optarg)
			usage(argv[0]);
		switch (option) {
		case 'n':
			records = value;
			break;
		case 'r':
			rings = value;
			break;
		case 's':
			size = value;
			break;
		case 'R':
			readers = value;
			break;
		case 'd':
			steps_per_delay = value;
			break;
		case 'S':
			seed = value;
			break;
		case 't':
			limit = value;
			break;
		}
	}
	if (optind != argc || !records || !rings || !readers || !size || size & (size - 1))
		usage(argv[0]);
}

static inline void make_rings(void)
{
	ring_of = allocate(rings, sizeof(*ring_of));
	for (unsigned int i = 0; i < rings; i++) {
		struct ring *ring = &ring_of[i];

		ring->cpu = i;
		ring->ring.page = allocate(1, sizeof(*ring->ring.page));
		ring->ring.records = allocate(size, sizeof(*ring->ring.records));
		ring->ring.mask = size - 1;
		ring->ring.wake_at = PROCLIFE_RING_NEVER;
		ring->ring.is_read = 1;
	}
	writing = rings;
}

static inline void free_rings(void)
{
	for (unsigned int i = 0; i < rings; i++) {
		free(ring_of[i].ring.page);
		free(ring_of[i].ring.records);
	}
	free(ring_of);
}

/* Checks the ring's positions after the last record. */
static void check_ring(const struct ring *ring)
{
	const struct proclife_ring_page *page = ring->ring.page;
	const struct proclife_ring_ctl *ctl = &page->ctl;

	if (ctl->commit != records || ctl->reserve != records)
		violation("ring %u: reserve %llu and commit %llu after %llu records", ring->cpu,
			  (unsigned long long)ctl->reserve, (unsigned long long)ctl->commit,
			  (unsigned long long)records);
	for (unsigned int type = 0; type < PROCLIFE_TYPES; type++) {
		uint64_t count = (records + PROCLIFE_TYPES - 1 - type) / PROCLIFE_TYPES;

		if (page->counts[type] != count)
			violation("ring %u: %llu records of type %u, not %llu", ring->cpu,
				  (unsigned long long)page->counts[type], type,
				  (unsigned long long)count);
	}
}

static void *watch(void *data)
{
	struct timespec time = { .tv_sec = limit };

	nanosleep(&time, NULL);
	violation("not done after %u seconds", limit);
	return data;
}

static void start_watch(void)
{
	pthread_t thread;

	start(&thread, watch, NULL);
	pthread_detach(thread);
}

#endif
