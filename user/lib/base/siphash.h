/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SipHash-1-3: a hash under a secret key, for texts that others choose: names and arguments.
 * Without the key, texts with the same hash, which make a hash table as slow as a list, cannot be
 * found. J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012.
 */
#ifndef PROCLIFE_SIPHASH_H
#define PROCLIFE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct proclife_secret {
	uint64_t key[2];
};

/* A key that cannot be predicted. */
struct proclife_secret proclife_secret_new(void);

uint64_t proclife_siphash(const struct proclife_secret *secret, const void *data, size_t length);

#endif
