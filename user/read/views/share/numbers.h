/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers for what is the same: each different sequence of bytes gets the next one, from 1 on. Without
 * the secret, sequences that make this slow cannot be chosen.
 */
#ifndef READ_NUMBERS_H
#define READ_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

struct numbered {
	size_t at; /* in the bytes */
	uint32_t length;
	uint32_t hash;
};

struct numbers {
	uint32_t *slots; /* open addressing, at most half full; 0: free */
	uint32_t size;	 /* of the slots: 0 or a power of two */
	uint32_t count;	 /* the largest number so far */
	uint32_t room;
	struct numbered *all; /* [number - 1] */
	char *bytes;
	size_t used;
	size_t bytes_room;
	uint64_t secret[2];
};

static inline uint64_t numbers_mix(uint64_t hash, uint64_t word, uint64_t secret)
{
	unsigned __int128 product = (unsigned __int128)(hash ^ word) * secret;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Begin with zeros. Return: the number, or 0 without memory. */
uint32_t number_of(struct numbers *numbers, const void *bytes, size_t length);
/* The number if it has one, or 0. */
uint32_t number_found(const struct numbers *numbers, const void *bytes, size_t length);
/* Forgets all of them; the memory stays for the next ones. */
void numbers_clear(struct numbers *numbers);
void numbers_free(struct numbers *numbers);

#endif
