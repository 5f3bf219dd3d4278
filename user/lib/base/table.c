// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/table.h"

#include "base/map.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_BITS 10
#define MANY_BITS 21 /* worth giving back */
#define SPARE_BITS 2 /* four slots for each entry, at least: then few of them share one */

static int new_slots(struct proclife_table *table, uint32_t bits)
{
	void *block, *slots = proclife_calloc_huge(sizeof(*table->slots) << bits, &block);

	if (!slots)
		return -ENOMEM;
	table->slots = slots;
	table->block = block;
	table->shift = 64 - bits;
	table->most = 1ULL << (bits - SPARE_BITS);
	table->least = bits >= MANY_BITS ? table->most / 8 : 0;
	return 0;
}

int proclife_table_init(struct proclife_table *table)
{
	*table = (struct proclife_table){ .factor = proclife_seed() | 1 };
	return new_slots(table, FIRST_BITS);
}

void proclife_table_free(struct proclife_table *table)
{
	free(table->block);
	*table = (struct proclife_table){ 0 };
}

int proclife_table_resize(struct proclife_table *table)
{
	struct proclife_link **old = table->slots;
	void *old_block = table->block;
	uint32_t bits = 64 - table->shift;
	uint64_t count = 1ULL << bits;

	bits = table->used < table->least ? bits - 2 : bits + 1;
	if (new_slots(table, bits))
		return table->used < table->least ? 0 : -ENOMEM;
	for (uint64_t i = 0; i < count; i++) {
		struct proclife_link *link = old[i];

		while (link) {
			struct proclife_link *next = link->next;
			struct proclife_link **slot = proclife_table_slot(table, link->key);

			link->next = *slot;
			*slot = link;
			link = next;
		}
	}
	free(old_block);
	return 0;
}
