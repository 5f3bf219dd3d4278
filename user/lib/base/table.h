/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hash table of objects that contain their links, for a lookup or two per record. Nothing is
 * allocated or moved for an entry. A lookup that finds something ends in the object itself; one
 * that does not mostly ends at an empty slot. Entries that can have the same key are twins: a
 * lookup finds the latest one, and that leads to the others, so that they lengthen no chain.
 */
#ifndef PROCLIFE_TABLE_H
#define PROCLIFE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* An entry. */
struct proclife_link {
	uint64_t key;
	struct proclife_link *next;
};

/* One of several that can have the same key. */
struct proclife_twin {
	struct proclife_link link; /* first; in its chain is the latest one of each key */
	struct proclife_twin *older;
	struct proclife_twin *newer;
};

/* The object that this is a member of. */
#define proclife_container_of(link, type, member) ((type *)((char *)(link) - offsetof(type, member)))

struct proclife_table {
	struct proclife_link **slots;
	void *block;	 /* the memory that they are in */
	uint64_t factor; /* odd, and random, so keys that share a slot cannot be chosen */
	uint32_t shift;	 /* slot = key * factor >> shift */
	uint64_t used;
	uint64_t least; /* with fewer entries than this, or more than most, the table is resized */
	uint64_t most;
};

int proclife_table_init(struct proclife_table *table);
void proclife_table_free(struct proclife_table *table);

int proclife_table_resize(struct proclife_table *table);

/* Keeps enough slots for the entries. Call it before a put. Returns 0 or -ENOMEM. */
static inline int proclife_table_reserve(struct proclife_table *table)
{
	if (__builtin_expect(table->used >= table->least && table->used < table->most, 1))
		return 0;
	return proclife_table_resize(table);
}

static inline struct proclife_link **proclife_table_slot(const struct proclife_table *table,
							 uint64_t key)
{
	return &table->slots[key * table->factor >> table->shift];
}

/* The first one in this chain with this key, or NULL. */
static inline struct proclife_link *proclife_link_find(struct proclife_link *link, uint64_t key)
{
	while (link && link->key != key)
		link = link->next;
	return link;
}

static inline struct proclife_link *proclife_table_get(const struct proclife_table *table,
						       uint64_t key)
{
	return proclife_link_find(*proclife_table_slot(table, key), key);
}

static inline void proclife_table_put(struct proclife_table *table, struct proclife_link *link,
				      uint64_t key)
{
	struct proclife_link **slot = proclife_table_slot(table, key);

	link->key = key;
	link->next = *slot;
	*slot = link;
	table->used++;
}

/* The entry has to be in the table. */
static inline void proclife_table_del(struct proclife_table *table, struct proclife_link *link)
{
	struct proclife_link **at = proclife_table_slot(table, link->key);

	while (*at != link)
		at = &(*at)->next;
	*at = link->next;
	table->used--;
}

/* As above, where there can be others with this key. */
static inline void proclife_table_put_twin(struct proclife_table *table, struct proclife_twin *twin,
					   uint64_t key)
{
	struct proclife_link **slot = proclife_table_slot(table, key), **at = slot;
	struct proclife_twin *older;

	while (*at && (*at)->key != key)
		at = &(*at)->next;
	older = (struct proclife_twin *)*at;
	twin->older = older;
	twin->newer = NULL;
	if (!older) {
		proclife_table_put(table, &twin->link, key);
		return;
	}
	older->newer = twin;
	twin->link.key = key;
	twin->link.next = older->link.next;
	*at = &twin->link;
}

static inline void proclife_table_del_twin(struct proclife_table *table, struct proclife_twin *twin)
{
	struct proclife_link **at = proclife_table_slot(table, twin->link.key);

	if (twin->older)
		twin->older->newer = twin->newer;
	if (twin->newer) {
		twin->newer->older = twin->older;
		return;
	}
	if (!twin->older) {
		proclife_table_del(table, &twin->link);
		return;
	}
	while (*at != &twin->link)
		at = &(*at)->next;
	twin->older->link.next = twin->link.next;
	*at = &twin->older->link;
}

#endif
