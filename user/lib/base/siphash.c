// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/siphash.h"

#include "base/map.h"

#include <endian.h>
#include <string.h>

struct state {
	uint64_t v0, v1, v2, v3;
};

static inline uint64_t rotate(uint64_t word, unsigned int bits)
{
	return word << bits | word >> (64 - bits);
}

static inline void mix(struct state *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = rotate(s->v1, 13) ^ s->v0;
	s->v3 = rotate(s->v3, 16) ^ s->v2;
	s->v0 = rotate(s->v0, 32);
	s->v2 += s->v1;
	s->v0 += s->v3;
	s->v1 = rotate(s->v1, 17) ^ s->v2;
	s->v3 = rotate(s->v3, 21) ^ s->v0;
	s->v2 = rotate(s->v2, 32);
}

static inline void take(struct state *s, uint64_t word)
{
	s->v3 ^= word;
	mix(s);
	s->v0 ^= word;
}

struct proclife_secret proclife_secret_new(void)
{
	return (struct proclife_secret){ { proclife_seed(), proclife_seed() } };
}

uint64_t proclife_siphash(const struct proclife_secret *secret, const void *data, size_t length)
{
	const unsigned char *bytes = data;
	struct state s = {
		secret->key[0] ^ 0x736f6d6570736575ULL,
		secret->key[1] ^ 0x646f72616e646f6dULL,
		secret->key[0] ^ 0x6c7967656e657261ULL,
		secret->key[1] ^ 0x7465646279746573ULL,
	};
	uint64_t last = (uint64_t)length << 56, word;

	for (; length >= sizeof(word); bytes += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		take(&s, le64toh(word));
	}
	for (size_t i = 0; i < length; i++)
		last |= (uint64_t)bytes[i] << 8 * i;
	take(&s, last);
	s.v2 ^= 0xff;
	mix(&s);
	mix(&s);
	mix(&s);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
