/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For lines by the million, without printf(): numbers as digits, and how much of a name can be
 * copied as it is.
 */
#ifndef READ_DIGITS_H
#define READ_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_MAX 20 /* of 64 bits */

static inline void put_two_digits(char *to, unsigned int value)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
		"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";

	memcpy(to, pairs + 2 * value, 2);
}

/* How many decimal digits it has: from its binary ones, at 1233 / 4096 or log10(2) for each. */
static inline unsigned int count_digits(uint64_t value)
{
	static const uint64_t powers[DIGITS_MAX] = {
		0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
		10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
		1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
		10000000000000000000U,
	};
	unsigned int about = (64 - __builtin_clzll(value | 1)) * 1233 >> 12;

	return about + (value >= powers[about]);
}

/* Writes exactly this many decimal digits: with zeros in front, and without higher digits. */
static inline char *put_padded(char *to, uint64_t value, unsigned int digits)
{
	unsigned int i;

	for (i = digits; i >= 2; value /= 100)
		put_two_digits(to + (i -= 2), value % 100);
	if (i)
		*to = '0' + value % 10;
	return to + digits;
}

/* Writes all its digits, at most DIGITS_MAX, without a NUL. Returns their end. */
static inline char *put_digits(char *to, uint64_t value)
{
	return put_padded(to, value, count_digits(value));
}

/* Writes exactly this many hexadecimal digits. */
static inline char *put_hex(char *to, uint64_t value, unsigned int digits)
{
	unsigned int i;

	for (i = digits; i--; value >>= 4)
		to[i] = "0123456789abcdef"[value & 15];
	return to + digits;
}

/* Eight hexadecimal digits at once: spreads the nibbles over bytes, the highest first in memory. */
static inline char *put_hex_word(char *to, uint32_t value)
{
	uint64_t digits = value, letters;

	digits = (digits | digits << 16) & UINT64_C(0x0000ffff0000ffff);
	digits = (digits | digits << 8) & UINT64_C(0x00ff00ff00ff00ff);
	digits = (digits | digits << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	letters = (digits + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
	digits += UINT64_C(0x3030303030303030) + letters * ('a' - '9' - 1);
	digits = __builtin_bswap64(digits);
	memcpy(to, &digits, 8);
	return to + 8;
}

/* The high bit of each byte that is 0. Above the lowest such byte, other bits can be set, too. */
static inline uint64_t zero_bytes(uint64_t word)
{
	return (word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080);
}

/*
 * How many bytes from s on are printable ASCII, and neither a backslash nor @other. Eight at a
 * time: on a little-endian machine, the lowest byte that differs is the first one.
 */
static inline size_t plain_length(const char *s, size_t n, char other)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t i = 0;

	for (; n - i >= 8; i += 8) {
		uint64_t word, odd;

		memcpy(&word, s + i, 8);
		odd = ((word - 0x20 * ones) & ~word & 0x80 * ones) | (word & 0x80 * ones) |
		      zero_bytes(word ^ 0x7f * ones) | zero_bytes(word ^ '\\' * ones) |
		      zero_bytes(word ^ (unsigned char)other * ones);
		if (odd)
			return i + __builtin_ctzll(odd) / 8;
	}
	while (i < n && s[i] >= 0x20 && s[i] < 0x7f && s[i] != '\\' && s[i] != other)
		i++;
	return i;
}

#endif
