// SPDX-License-Identifier: GPL-2.0-only
/* Linear probing, at most half full; what is behind a deleted entry moves up. */
#include "output/message.h"
#include "views/share/id_table.h"
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FEWEST 64

void id_table_init(struct id_table *table, size_t entry)
{
	*table = (struct id_table){ .entry = entry };
	/* Without a random number, an address has to do. */
	if (getrandom(&table->factor, sizeof(table->factor), GRND_NONBLOCK) != sizeof(table->factor))
		table->factor = 0x9e3779b97f4a7c15ULL ^ (uintptr_t)table;
	table->factor |= 1;
}

void id_table_free(struct id_table *table)
{
	free(table->entries);
	table->entries = NULL;
}

static uint64_t *at(const struct id_table *table, size_t slot)
{
	return (uint64_t *)(void *)(table->entries + slot * table->entry);
}

/* Ids are given one after the other: were they their own slots, all would be in one run. */
static size_t home(const struct id_table *table, uint64_t id)
{
	return id * table->factor >> 32 & (table->slots - 1);
}

/* The slot where it is, or the free one where it can be put. */
static size_t find(const struct id_table *table, uint64_t id)
{
	size_t slot = home(table, id);

	while (*at(table, slot) && *at(table, slot) != id)
		slot = (slot + 1) & (table->slots - 1);
	return slot;
}

void *id_table_get(const struct id_table *table, uint64_t id)
{
	uint64_t *entry = table->slots ? at(table, find(table, id)) : NULL;

	return entry && *entry ? entry : NULL;
}

static void grow(struct id_table *table)
{
	struct id_table old = *table;
	size_t i;

	table->slots = old.slots ? 2 * old.slots : FEWEST;
	table->entries = calloc(table->slots, table->entry);
	if (!table->entries)
		die_no_memory();
	for (i = 0; i < old.slots; i++)
		if (*at(&old, i))
			memcpy(at(table, find(table, *at(&old, i))), at(&old, i), table->entry);
	free(old.entries);
}

void *id_table_add(struct id_table *table, uint64_t id)
{
	uint64_t *entry;

	if (2 * table->used >= table->slots)
		grow(table);
	entry = at(table, find(table, id));
	table->used += !*entry;
	*entry = id;
	return entry;
}

void id_table_delete(struct id_table *table, void *entry)
{
	size_t mask = table->slots - 1, hole = ((char *)entry - table->entries) / table->entry;
	size_t slot = hole;

	for (;;) {
		slot = (slot + 1) & mask;
		if (!*at(table, slot))
			break;
		/* It may move up if the hole is between the slot of its own and where it is. */
		if (((slot - home(table, *at(table, slot))) & mask) < ((slot - hole) & mask))
			continue;
		memcpy(at(table, hole), at(table, slot), table->entry);
		hole = slot;
	}
	memset(at(table, hole), 0, table->entry);
	table->used--;
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void id_sort(void *all, size_t count, size_t size)
{
	if (count)
		qsort(all, count, size, by_id);
}

uint32_t id_find(const void *all, size_t count, size_t size, uint64_t id)
{
	const char *first = all, *found;
	uint64_t guess;

	if (!count || id < *(const uint64_t *)all)
		return NOBODY;
	/* Where all are kept, there is one for each number. */
	guess = id - *(const uint64_t *)all;
	if (guess < count && !by_id(first + guess * size, &id))
		return (uint32_t)guess;
	found = bsearch(&id, all, count, size, by_id);
	return found ? (uint32_t)((size_t)(found - first) / size) : NOBODY;
}
