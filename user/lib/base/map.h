/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hash map from a 64-bit key to a pointer, for objects without room for a link (for those with
 * one, see table.h), and a slab allocator. The map has small entries side by side, linear probing,
 * no tombstones, and allocates nothing per entry.
 */
#ifndef PROCLIFE_MAP_H
#define PROCLIFE_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct proclife_map_entry {
	uint64_t key;
	void *value; /* NULL: the slot is free */
};

struct proclife_map {
	struct proclife_map_entry *entries;
	uint64_t mask; /* slots - 1 */
	uint64_t used;
	uint64_t factor; /* odd, and random, so keys that share slots cannot be chosen */
};

/*
 * What is as large as this lies in huge pages, if the kernel has some: a walk over many places of it
 * would mostly wait for the tables of small pages.
 */
#define PROCLIFE_HUGE_BYTES ((size_t)1 << 21)

/* The pages of this memory have not been touched yet. */
void proclife_use_huge_pages(void *memory, size_t bytes);
/* As calloc(); *block is what free() takes. */
void *proclife_calloc_huge(size_t bytes, void **block);

/* A number that cannot be predicted. */
uint64_t proclife_seed(void);

int proclife_map_init(struct proclife_map *map);
void proclife_map_free(struct proclife_map *map);

/* Makes sure that the next put succeeds. Returns 0 or -ENOMEM. */
int proclife_map_reserve(struct proclife_map *map);

static inline uint64_t proclife_map_slot(const struct proclife_map *map, uint64_t key)
{
	uint64_t hash = key * map->factor;

	hash ^= hash >> 32;
	hash *= 0xd6e8feb86659fd93ULL;
	return (hash ^ hash >> 32) & map->mask;
}

static inline void *proclife_map_get(const struct proclife_map *map, uint64_t key)
{
	for (uint64_t slot = proclife_map_slot(map, key);; slot = (slot + 1) & map->mask) {
		const struct proclife_map_entry *entry = &map->entries[slot];

		if (!entry->value || entry->key == key)
			return entry->value;
	}
}

/* Sets or replaces; room for a new key was reserved. @value is not NULL. */
void proclife_map_put(struct proclife_map *map, uint64_t key, void *value);
/* For a map of which only the keys count. Returns 1: it is new; 0: it was there; or -ENOMEM. */
int proclife_map_add(struct proclife_map *map, uint64_t key);
void proclife_map_del(struct proclife_map *map, uint64_t key);

struct proclife_slab {
	size_t size;
	size_t zeroed; /* how much of each object is zeroed; all, unless that is changed */
	void *free;    /* linked by their first word */
	void *chunks;  /* linked by their first word, too */
	char *fresh;   /* what has not been used yet of the latest chunk */
	size_t left;   /* bytes of that */
	size_t total;  /* bytes of all chunks */
};

void proclife_slab_init(struct proclife_slab *slab, size_t size);
void proclife_slab_free(struct proclife_slab *slab);

int proclife_slab_grow(struct proclife_slab *slab);

/* Makes sure that the next get succeeds. Returns 0 or -ENOMEM. */
static inline int proclife_slab_reserve(struct proclife_slab *slab)
{
	return slab->free ? 0 : proclife_slab_grow(slab);
}

/* Not zeroed. */
static inline void *proclife_slab_get(struct proclife_slab *slab)
{
	void **object = slab->free;

	slab->free = *object;
	return object;
}

static inline void *proclife_slab_get_zeroed(struct proclife_slab *slab)
{
	/* The compiler does not know the size, so it does not use its slow `rep stos`. */
	return memset(proclife_slab_get(slab), 0, slab->zeroed);
}

static inline void proclife_slab_put(struct proclife_slab *slab, void *object)
{
	*(void **)object = slab->free;
	slab->free = object;
}

#endif
