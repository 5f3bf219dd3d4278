// SPDX-License-Identifier: GPL-2.0-only
#include "views/share/numbers.h"
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FIRST_SLOTS 64

static uint32_t hash_of(const struct numbers *numbers, const char *s, size_t length)
{
	uint64_t hash = numbers->secret[0] ^ length, word;

	for (; length >= sizeof(word); length -= sizeof(word), s += sizeof(word)) {
		memcpy(&word, s, sizeof(word));
		hash = numbers_mix(hash, word, numbers->secret[1]);
	}
	word = 0;
	memcpy(&word, s, length);
	hash = numbers_mix(hash, word, numbers->secret[1]);
	return (uint32_t)(hash ^ hash >> 32);
}

/* Where it is, or the free slot where it belongs. */
static uint32_t *find(const struct numbers *numbers, const void *bytes, size_t length, uint32_t hash)
{
	uint32_t i = hash;

	for (;; i++) {
		uint32_t *slot = &numbers->slots[i & (numbers->size - 1)];
		const struct numbered *other = numbers->all + *slot;

		if (!*slot || (other[-1].hash == hash && other[-1].length == length &&
			       !memcmp(numbers->bytes + other[-1].at, bytes, length)))
			return slot;
	}
}

static int grow_slots(struct numbers *numbers)
{
	uint32_t size = numbers->size ? numbers->size * 2 : FIRST_SLOTS, i, at;
	uint32_t *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -1;
	/* Without the secret, addresses have to do. */
	if (!numbers->size && getrandom(numbers->secret, sizeof(numbers->secret), GRND_NONBLOCK) !=
				      sizeof(numbers->secret))
		numbers->secret[0] = numbers->secret[1] = (uintptr_t)slots;
	numbers->secret[1] |= 1;
	for (i = 0; i < numbers->count; i++) {
		for (at = numbers->all[i].hash; slots[at & (size - 1)]; at++)
			;
		slots[at & (size - 1)] = i + 1;
	}
	free(numbers->slots);
	numbers->slots = slots;
	numbers->size = size;
	return 0;
}

static int make_room(struct numbers *numbers, size_t length)
{
	uint32_t room = numbers->room ? numbers->room / 2 * 3 : FIRST_SLOTS;
	size_t more = (numbers->used + length) / 2 * 3 + 1024;
	void *moved;

	if (numbers->count >= numbers->size / 2 && grow_slots(numbers))
		return -1;
	if (numbers->count == numbers->room) {
		moved = reallocarray(numbers->all, room, sizeof(*numbers->all));
		if (!moved)
			return -1;
		numbers->all = moved;
		numbers->room = room;
	}
	if (numbers->bytes_room - numbers->used <= length) { /* no bytes want an address, too */
		moved = realloc(numbers->bytes, more);
		if (!moved)
			return -1;
		numbers->bytes = moved;
		numbers->bytes_room = more;
	}
	return 0;
}

uint32_t number_of(struct numbers *numbers, const void *bytes, size_t length)
{
	uint32_t hash, number, *slot;

	if (make_room(numbers, length))
		return 0;
	hash = hash_of(numbers, bytes, length);
	slot = find(numbers, bytes, length, hash);
	number = *slot;
	if (number)
		return number;
	numbers->all[numbers->count++] =
		(struct numbered){ numbers->used, (uint32_t)length, hash };
	if (length)
		memcpy(numbers->bytes + numbers->used, bytes, length);
	numbers->used += length;
	*slot = numbers->count;
	return numbers->count;
}

uint32_t number_found(const struct numbers *numbers, const void *bytes, size_t length)
{
	if (!numbers->count)
		return 0;
	return *find(numbers, bytes, length, hash_of(numbers, bytes, length));
}

void numbers_clear(struct numbers *numbers)
{
	if (numbers->count)
		memset(numbers->slots, 0, numbers->size * sizeof(*numbers->slots));
	numbers->count = 0;
	numbers->used = 0;
}

void numbers_free(struct numbers *numbers)
{
	free(numbers->slots);
	free(numbers->all);
	free(numbers->bytes);
	*numbers = (struct numbers){ 0 };
}
