/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The permutation that makes handles of addresses: Speck64/128 (Beaulieu and others, "The SIMON and
 * SPECK Families of Lightweight Block Ciphers", 2013). It is the smallest one that is thought to be
 * safe, has blocks of 64 bits, and needs no tables, whose use could be timed. Anything simpler than
 * a cipher would not do: sums and products can be solved for the addresses.
 *
 * Also compiled in user space, where the tests attack it.
 */
#ifndef PROCLIFE_HANDLE_H
#define PROCLIFE_HANDLE_H

#include <linux/types.h>

#define HANDLE_ROUNDS 27

struct handle_key {
	__u32 rounds[HANDLE_ROUNDS];
};

static inline __u32 handle_rotate(__u32 word, unsigned int left)
{
	return word << left | word >> (32 - left);
}

/* The words in memory order: the paper prints them the other way round. */
static inline void handle_expand(struct handle_key *key, const __u32 words[4])
{
	__u32 next[3] = { words[1], words[2], words[3] }, k = words[0];
	unsigned int i;

	for (i = 0; i < HANDLE_ROUNDS; i++) {
		__u32 *l = &next[i % 3];

		key->rounds[i] = k;
		*l = (handle_rotate(*l, 24) + k) ^ i;
		k = handle_rotate(k, 3) ^ *l;
	}
}

static inline __u64 handle_encipher(const struct handle_key *key, __u64 block)
{
	__u32 high = block >> 32, low = (__u32)block;
	unsigned int i;

	for (i = 0; i < HANDLE_ROUNDS; i++) {
		high = (handle_rotate(high, 24) + low) ^ key->rounds[i];
		low = handle_rotate(low, 3) ^ high;
	}
	return (__u64)high << 32 | low;
}

/*
 * What lies at an address. Memory that the kernel frees can become an object of another kind, which must
 * not show: so the kind is part of the block, in bits that are 0 in each object's address. A
 * permutation gives different blocks different handles, which are as unrelated as the handles of two keys.
 */
enum handle_kind {
	HANDLE_TASK,  /* struct task_struct */
	HANDLE_GROUP, /* struct signal_struct */
	HANDLE_MM,    /* struct mm_struct */
	HANDLE_KINDS,
};

/* 0 means unknown and is no handle. No object lies at address 0, so that one's handle is unused. */
static inline __u64 handle_of(const struct handle_key *key, enum handle_kind kind, __u64 address)
{
	__u64 handle = handle_encipher(key, address + kind);

	return handle ? handle : handle_encipher(key, 0);
}

#endif
