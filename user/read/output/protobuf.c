// SPDX-License-Identifier: GPL-2.0-only
#include "output/protobuf.h"
#include <endian.h>
#include <string.h>

#define VARINT 0
#define FIXED64 1
#define LENGTH 2

static void put_tag(struct packed *to, unsigned int field, unsigned int type)
{
	packed_uint(to, (uint64_t)field << 3 | type);
}

void protobuf_uint(struct packed *to, unsigned int field, uint64_t value)
{
	put_tag(to, field, VARINT);
	packed_uint(to, value);
}

void protobuf_fixed64(struct packed *to, unsigned int field, uint64_t value)
{
	put_tag(to, field, FIXED64);
	value = htole64(value);
	packed_bytes(to, &value, sizeof(value));
}

void protobuf_bytes(struct packed *to, unsigned int field, const char *s, size_t n)
{
	put_tag(to, field, LENGTH);
	packed_uint(to, n);
	packed_bytes(to, s, n);
}

void protobuf_string(struct packed *to, unsigned int field, const char *s)
{
	protobuf_bytes(to, field, s, strlen(s));
}

size_t protobuf_begin(struct packed *to, unsigned int field)
{
	put_tag(to, field, LENGTH);
	return to->count;
}

/* The length is put behind the message, and then moved to where it belongs. */
void protobuf_end(struct packed *to, size_t begin)
{
	unsigned char digits[PACKED_LONGEST];
	size_t length = to->count - begin, n;

	packed_uint(to, length);
	n = to->count - begin - length;
	memcpy(digits, to->bytes + begin + length, n);
	memmove(to->bytes + begin + n, to->bytes + begin, length);
	memcpy(to->bytes + begin, digits, n);
}
