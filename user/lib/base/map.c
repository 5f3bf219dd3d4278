// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>

#define FIRST_SLOTS 1024
#define MANY_SLOTS (1u << 20) /* worth giving back */
#define CHUNK_BYTES 65536
#define MOST_CHUNK_BYTES (16 * PROCLIFE_HUGE_BYTES)

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

void proclife_use_huge_pages(void *memory, size_t bytes)
{
	if (bytes >= PROCLIFE_HUGE_BYTES)
		madvise(memory, bytes, MADV_HUGEPAGE); /* if there are none, small ones will do */
}

void *proclife_calloc_huge(size_t bytes, void **block)
{
	size_t spare = bytes < PROCLIFE_HUGE_BYTES ? 0 : PROCLIFE_HUGE_BYTES - 1;
	uintptr_t at;

	*block = calloc(bytes + spare, 1);
	if (!*block)
		return NULL;
	at = ((uintptr_t)*block + spare) & ~(uintptr_t)spare;
	proclife_use_huge_pages((void *)at, bytes);
	return (void *)at;
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

int proclife_map_add(struct proclife_map *map, uint64_t key)
{
	static char there;

	if (proclife_map_get(map, key))
		return 0;
	if (proclife_map_reserve(map))
		return -ENOMEM;
	proclife_map_put(map, key, &there);
	return 1;
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

	size = (size + line - 1) / line * line;
	*slab = (struct proclife_slab){ .size = size, .zeroed = size };
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

/*
 * Chunks grow with what there is, which keeps them few. They are used piece by piece, so that what is
 * not needed yet costs no memory.
 */
static int add_chunk(struct proclife_slab *slab)
{
	size_t bytes = CHUNK_BYTES;
	char *chunk;

	while (bytes < MOST_CHUNK_BYTES && bytes <= slab->total / 4)
		bytes *= 2;
	chunk = aligned_alloc(bytes < PROCLIFE_HUGE_BYTES ? 64 : PROCLIFE_HUGE_BYTES, bytes);
	if (!chunk)
		return -ENOMEM;
	proclife_use_huge_pages(chunk, bytes);
	*(void **)chunk = slab->chunks;
	slab->chunks = chunk;
	slab->total += bytes;
	/* The first line holds the link. */
	slab->fresh = chunk + 64;
	slab->left = bytes - 64;
	return 0;
}

int proclife_slab_grow(struct proclife_slab *slab)
{
	size_t bytes;

	if (slab->left < slab->size && add_chunk(slab))
		return -ENOMEM;
	bytes = slab->left < CHUNK_BYTES ? slab->left : CHUNK_BYTES;
	bytes -= bytes % slab->size;
	/* Objects are handed out in the order of addresses. */
	for (size_t at = bytes; at; at -= slab->size)
		proclife_slab_put(slab, slab->fresh + at - slab->size);
	slab->fresh += bytes;
	slab->left -= bytes;
	return 0;
}
