// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 262144
#define FIRST_SLOTS 256

void *proclife_arena_get(struct proclife_arena *arena, size_t size)
{
	void *result;

	size = (size + 7) & ~(size_t)7;
	if (size > arena->left) {
		size_t bytes = 16 + (size > CHUNK_BYTES ? size : CHUNK_BYTES);
		void **chunk = malloc(bytes);

		if (!chunk)
			return NULL;
		*chunk = arena->chunks;
		arena->chunks = chunk;
		arena->next = (char *)chunk + 16;
		arena->left = bytes - 16;
	}
	result = arena->next;
	arena->next += size;
	arena->left -= size;
	return result;
}

void proclife_arena_free(struct proclife_arena *arena)
{
	while (arena->chunks) {
		void *next = *(void **)arena->chunks;

		free(arena->chunks);
		arena->chunks = next;
	}
	*arena = (struct proclife_arena){ 0 };
}

void proclife_arena_each(const struct proclife_arena *arena, size_t size,
			 void (*each)(void *data, void *object), void *data)
{
	const char *end = arena->next;

	size = (size + 7) & ~(size_t)7;
	for (void *chunk = arena->chunks; chunk; chunk = *(void **)chunk) {
		char *first = (char *)chunk + 16;
		size_t count = (end ? (size_t)(end - first) : CHUNK_BYTES) / size;

		while (count--)
			each(data, first + count * size);
		end = NULL; /* all other chunks are full */
	}
}

static int grow(struct proclife_intern *intern)
{
	size_t count = intern->count ? 2 * intern->count : FIRST_SLOTS;
	struct proclife_interned *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return -1;
	if (!intern->count)
		intern->secret = proclife_secret_new();
	for (size_t i = 0; i < intern->count; i++) {
		size_t at = intern->slots[i].hash & (count - 1);

		if (!intern->slots[i].text)
			continue;
		while (slots[at].text)
			at = (at + 1) & (count - 1);
		slots[at] = intern->slots[i];
	}
	free(intern->slots);
	intern->slots = slots;
	intern->count = count;
	return 0;
}

const char *proclife_intern(struct proclife_intern *intern, const char *text, size_t length)
{
	struct proclife_interned *slot;
	uint32_t hash;
	char *copy;

	if (2 * intern->used >= intern->count && grow(intern))
		return NULL;
	hash = (uint32_t)proclife_siphash(&intern->secret, text, length);
	for (size_t at = hash;; at++) {
		slot = &intern->slots[at & (intern->count - 1)];
		if (!slot->text)
			break;
		if (slot->hash == hash && slot->length == length &&
		    !memcmp(slot->text, text, length))
			return slot->text;
	}
	copy = proclife_arena_get(&intern->arena, length + 1);
	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = 0;
	*slot = (struct proclife_interned){ hash, (uint32_t)length, copy };
	intern->used++;
	return copy;
}

void proclife_intern_free(struct proclife_intern *intern)
{
	free(intern->slots);
	proclife_arena_free(&intern->arena);
	*intern = (struct proclife_intern){ 0 };
}
