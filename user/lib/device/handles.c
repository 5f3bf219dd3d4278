// SPDX-License-Identifier: LGPL-2.1-or-later
#include "device/handles.h"

#include "base/siphash.h"

#include <stdlib.h>
#include <string.h>

/* What lies at an address: a task's memory can become an address space, which has another handle. */
enum kind { KIND_TASK, KIND_GROUP, KIND_MM };

#define MOST_FIELDS 8

struct place {
	uint16_t offset;
	uint16_t kind;
};

#define CACHE_BITS 12

struct cached {
	uint64_t block;
	uint64_t handle;
};

struct proclife_handles {
	struct proclife_secret secret;
	struct place places[PROCLIFE_TYPES][MOST_FIELDS]; /* where records have handles, by type */
	uint8_t counts[PROCLIFE_TYPES];
	struct cached cache[1 << CACHE_BITS];
};

static enum kind kind_of(const char *member)
{
	size_t length = strlen(member);

	if (length >= 5 && !strcmp(member + length - 5, "group"))
		return KIND_GROUP;
	return length >= 2 && !strcmp(member + length - 2, "mm") ? KIND_MM : KIND_TASK;
}

struct proclife_handles *proclife_handles_new(const __u64 key[2])
{
	struct proclife_handles *handles = calloc(1, sizeof(*handles));

	if (!handles)
		return NULL;
	handles->secret = (struct proclife_secret){ { key[0], key[1] } };
	for (unsigned int type = 1; type < PROCLIFE_TYPES; type++) {
		const struct proclife_field *field;

		for (unsigned int i = 0; (field = proclife_field((uint16_t)type, i)); i++)
			if (field->kind == PROCLIFE_FIELD_HANDLE && handles->counts[type] < MOST_FIELDS)
				handles->places[type][handles->counts[type]++] = (struct place){
					field->offset, (uint16_t)kind_of(field->member),
				};
	}
	return handles;
}

void proclife_handles_free(struct proclife_handles *handles)
{
	free(handles);
}

/*
 * A permutation of 64 bits under the key, so that no two objects have the same handle: a Feistel network of four
 * rounds, whose functions are SipHash (Luby and Rackoff, "How to construct pseudorandom permutations from pseudorandom
 * functions", 1988).
 */
static uint64_t encipher(const struct proclife_secret *secret, uint64_t block)
{
	uint32_t left = (uint32_t)(block >> 32), right = (uint32_t)block;

	for (uint32_t round = 0; round < 4; round++) {
		const uint32_t input[2] = { right, round };
		uint32_t next = left ^ (uint32_t)proclife_siphash(secret, input, sizeof(input));

		left = right;
		right = next;
	}
	return (uint64_t)left << 32 | right;
}

static uint64_t handle_of(struct proclife_handles *handles, uint64_t address, unsigned int kind)
{
	uint64_t block = address + kind; /* whose lowest bits are 0 */
	struct cached *cached = &handles->cache[block * 0x9e3779b97f4a7c15ULL >> (64 - CACHE_BITS)];

	if (!address)
		return 0;
	if (cached->block != block) {
		uint64_t handle = encipher(&handles->secret, block);

		/* 0 is no handle. No object lies at address 0, whose handle is not used. */
		*cached = (struct cached){ block, handle ? handle : encipher(&handles->secret, 0) };
	}
	return cached->handle;
}

void proclife_handles_make(struct proclife_handles *handles, struct proclife_record *record)
{
	uint16_t type = record->type;

	record->task = handle_of(handles, record->task, KIND_TASK);
	if (type >= PROCLIFE_TYPES)
		return;
	for (unsigned int i = 0; i < handles->counts[type]; i++) {
		const struct place *place = &handles->places[type][i];
		uint64_t *field = (uint64_t *)((char *)record + place->offset);

		*field = handle_of(handles, *field, place->kind);
	}
}
