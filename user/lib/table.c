// SPDX-License-Identifier: LGPL-2.1-or-later
#include "table.h"

#include "map.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_BITS 10
#define MANY_BITS 21 /* worth giving back */
#define SPARE_BITS 2 /* four slots for each entry, at least: then few of them share one */

static void set_slots(struct proclife_table *table, struct proclife_link **slots, uint32_t bits)
{
	table->slots = slots;
	table->shift = 64 - bits;
	table->most = 1ULL << (bits - SPARE_BITS);
	table->least = bits >= MANY_BITS ? table->most / 8 : 0;
}

int proclife_table_init(struct proclife_table *table)
{
	struct proclife_link **slots = calloc(1u << FIRST_BITS, sizeof(*slots));

	*table = (struct proclife_table){ .factor = proclife_seed() | 1 };
	if (!slots)
		return -ENOMEM;
	set_slots(table, slots, FIRST_BITS);
	return 0;
}

void proclife_table_free(struct proclife_table *table)
{
	free(table->slots);
	*table = (struct proclife_table){ 0 };
}

int proclife_table_resize(struct proclife_table *table)
{
	struct proclife_link **old = table->slots, **slots;
	uint32_t bits = 64 - table->shift;
	uint64_t count = 1ULL << bits;

	bits = table->used < table->least ? bits - 2 : bits + 1;
	slots = calloc(1ULL << bits, sizeof(*slots));
	if (!slots)
		return table->used < table->least ? 0 : -ENOMEM;
	set_slots(table, slots, bits);
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
	free(old);
	return 0;
}
