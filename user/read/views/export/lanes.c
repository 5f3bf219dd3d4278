// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "views/export/lanes.h"
#include <stdlib.h>
#include <string.h>

void lanes_init(struct lanes *lanes)
{
	memset(lanes, 0, sizeof(*lanes));
	id_table_init(&lanes->places, sizeof(struct lane));
}

void lanes_free(struct lanes *lanes)
{
	id_table_free(&lanes->places);
	free(lanes->used);
	free(lanes->seen);
	free(lanes->seen_lower);
}

struct lane *lanes_get(const struct lanes *lanes, uint64_t id)
{
	return id_table_get(&lanes->places, id);
}

static bool *grow(bool *flags, uint32_t size)
{
	bool *grown = realloc(flags, 2 * (size_t)size + 16);

	if (!grown)
		die_no_memory();
	memset(grown + size, 0, (size_t)size + 16);
	return grown;
}

struct lane *lanes_add(struct lanes *lanes, uint64_t id)
{
	struct lane *lane = id_table_add(&lanes->places, id);

	while (lanes->lowest < lanes->size && lanes->used[lanes->lowest])
		lanes->lowest++;
	if (lanes->lowest == lanes->size) {
		lanes->used = grow(lanes->used, lanes->size);
		lanes->seen = grow(lanes->seen, lanes->size);
		lanes->seen_lower = grow(lanes->seen_lower, lanes->size);
		lanes->size = 2 * lanes->size + 16;
	}
	lane->number = lanes->lowest;
	lanes->used[lane->number] = true;
	return lane;
}

void lanes_remove(struct lanes *lanes, struct lane *lane)
{
	lanes->used[lane->number] = false;
	if (lane->number < lanes->lowest)
		lanes->lowest = lane->number;
	id_table_delete(&lanes->places, lane);
}

bool lanes_is_new(struct lanes *lanes, uint32_t number, bool lower)
{
	bool *seen = &(lower ? lanes->seen_lower : lanes->seen)[number];
	bool is_new = !*seen;

	*seen = true;
	return is_new;
}
