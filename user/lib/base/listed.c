// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/array.h"
#include "base/listed.h"

#include <stdlib.h>

int proclife_listed_init(struct proclife_listed *listed)
{
	*listed = (struct proclife_listed){ 0 };
	return proclife_map_init(&listed->map);
}

void proclife_listed_free(struct proclife_listed *listed)
{
	for (size_t i = 0; i < listed->count; i++)
		free(listed->all[i]);
	free(listed->all);
	proclife_map_free(&listed->map);
}

void *proclife_listed_add(struct proclife_listed *listed, uint64_t key, size_t size)
{
	void *object;

	if (PROCLIFE_ARRAY_RESERVE(listed->all, listed->count, listed->room))
		return NULL;
	if (proclife_map_reserve(&listed->map))
		return NULL;
	object = calloc(1, size);
	if (!object)
		return NULL;
	proclife_map_put(&listed->map, key, object);
	listed->all[listed->count++] = object;
	return object;
}
