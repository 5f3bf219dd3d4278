// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/packed.h"
#include <stdlib.h>
#include <string.h>

static unsigned char *room_for(struct packed *packed, size_t n)
{
	if (packed->room - packed->count < n) {
		packed->room = (packed->count + n) / 2 * 3 + 64;
		packed->bytes = realloc(packed->bytes, packed->room);
		if (!packed->bytes)
			die_no_memory();
	}
	return packed->bytes + packed->count;
}

void packed_uint(struct packed *packed, uint64_t value)
{
	unsigned char *to = room_for(packed, PACKED_LONGEST), *begin = to;

	for (; value >= 0x80; value >>= 7)
		*to++ = (unsigned char)(value | 0x80);
	*to++ = (unsigned char)value;
	packed->count += (size_t)(to - begin);
}

void packed_bytes(struct packed *packed, const void *bytes, size_t n)
{
	if (n)
		memcpy(room_for(packed, n), bytes, n);
	packed->count += n;
}

void packed_packed(struct packed *packed, const struct packed *other)
{
	packed_uint(packed, other->count);
	packed_bytes(packed, other->bytes, other->count);
}

void packed_free(struct packed *packed)
{
	free(packed->bytes);
	*packed = (struct packed){ 0 };
}

void base64_write(FILE *out, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i, k;

	for (i = 0; i < n; i += 3) {
		uint32_t three = 0;
		char four[4];

		for (k = 0; k < 3; k++)
			three = three << 8 | (i + k < n ? bytes[i + k] : 0);
		for (k = 0; k < 4; k++)
			four[k] = i + k <= n ? digits[three >> (18 - 6 * k) & 63] : '=';
		fwrite(four, 1, sizeof(four), out);
	}
}
