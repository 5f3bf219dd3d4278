// SPDX-License-Identifier: LGPL-2.1-or-later
#include "map.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <time.h>

#define FIRST_SLOTS 1024
#define MANY_SLOTS (1u << 20) /* worth giving back */
#define CHUNK_BYTES 65536

uint64_t proclife_seed(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM); /* 16 bytes from the kernel */
	struct timespec now;
	uint64_t seed = 0;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed))
		return seed;
	if (random)
		memcpy(&seed, random, sizeof(seed));
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (seed ^ (uint64_t)now.tv_nsec ^ (uintptr_t)&seed) * 0x9e3779b97f4a7c15ULL;
}

int proclife_map_init(struct proclife_map *map)
{
	*map = (struct proclife_map){ 0 };
	map->entries = calloc(FIRST_SLOTS, sizeof(*map->entries));
	if (!map->entries)
		return -ENOMEM;
	map->mask = FIRST_SLOTS - 1;
	map->factor = proclife_seed() | 1;
	return 0;
}

void proclife_map_free(struct proclife_map *map)
{
	free(map->entries);
	*map = (struct proclife_map){ 0 };
}

static int resize(struct proclife_map *map, uint64_t slots)
{
	struct proclife_map_entry *old = map->entries;
	uint64_t old_mask = map->mask;
	struct proclife_map_entry *entries = calloc(slots, sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	map->entries = entries;
	map->mask = slots - 1;
	for (uint64_t i = 0; i <= old_mask; i++) {
		uint64_t slot;

		if (!old[i].value)
			continue;
		slot = proclife_map_slot(map, old[i].key);
		while (entries[slot].value)
			slot = (slot + 1) & map->mask;
		entries[slot] = old[i];
	}
	free(old);
	return 0;
}

int proclife_map_reserve(struct proclife_map *map)
{
	uint64_t slots = map->mask + 1;

	if (map->used >= slots / 2)
		return resize(map, slots * 2);
	/* It was much larger once: give the memory back if none has to be allocated for that. */
	if (slots > MANY_SLOTS && map->used < slots / 16)
		resize(map, slots / 4);
	return 0;
}

void proclife_map_put(struct proclife_map *map, uint64_t key, void *value)
{
	uint64_t slot = proclife_map_slot(map, key);

	while (map->entries[slot].value && map->entries[slot].key != key)
		slot = (slot + 1) & map->mask;
	map->used += !map->entries[slot].value;
	map->entries[slot].key = key;
	map->entries[slot].value = value;
}

void proclife_map_del(struct proclife_map *map, uint64_t key)
{
	struct proclife_map_entry *entries = map->entries;
	uint64_t hole = proclife_map_slot(map, key), slot;

	while (entries[hole].value && entries[hole].key != key)
		hole = (hole + 1) & map->mask;
	if (!entries[hole].value)
		return;
	map->used--;
	/* Close the hole: move up each entry that would not be found behind it. */
	for (slot = (hole + 1) & map->mask; entries[slot].value; slot = (slot + 1) & map->mask) {
		uint64_t home = proclife_map_slot(map, entries[slot].key);

		if (((slot - home) & map->mask) >= ((slot - hole) & map->mask)) {
			entries[hole] = entries[slot];
			hole = slot;
		}
	}
	entries[hole].value = NULL;
}

void proclife_slab_init(struct proclife_slab *slab, size_t size)
{
	size_t line = size >= 64 ? 64 : 16;

	*slab = (struct proclife_slab){ .size = (size + line - 1) / line * line };
}

void proclife_slab_free(struct proclife_slab *slab)
{
	while (slab->chunks) {
		void *next = *(void **)slab->chunks;

		free(slab->chunks);
		slab->chunks = next;
	}
	slab->free = NULL;
}

int proclife_slab_grow(struct proclife_slab *slab)
{
	char *chunk = aligned_alloc(64, CHUNK_BYTES);

	if (!chunk)
		return -ENOMEM;
	*(void **)chunk = slab->chunks;
	slab->chunks = chunk;
	/* The first line holds the link; objects are handed out in the order of addresses. */
	for (size_t n = (CHUNK_BYTES - 64) / slab->size; n; n--)
		proclife_slab_put(slab, chunk + 64 + (n - 1) * slab->size);
	return 0;
}
