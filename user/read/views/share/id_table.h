/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a view keeps of each of some processes, by their ids.
 */
#ifndef READ_ID_TABLE_H
#define READ_ID_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct id_table {
	size_t entry; /* its size in bytes; it begins with the id, a uint64_t, which is not 0 */
	size_t slots; /* 0 or a power of two */
	size_t used;
	uint64_t factor; /* odd, and random, so ids that share slots cannot be chosen */
	char *entries;
};

void id_table_init(struct id_table *table, size_t entry);
void id_table_free(struct id_table *table);

/* The entry, or NULL. Entries move when others are added or deleted. */
void *id_table_get(const struct id_table *table, uint64_t id);
/* The existing entry, or a new one. All of a new one except the id is 0. */
void *id_table_add(struct id_table *table, uint64_t id);
void id_table_delete(struct id_table *table, void *entry);

/*
 * An array of @count structs of @size bytes, each of which begins with an id, too.
 */
#define NOBODY UINT32_MAX

void id_sort(void *all, size_t count, size_t size);
/* The index in what is sorted, or NOBODY. */
uint32_t id_find(const void *all, size_t count, size_t size, uint64_t id);

#endif
