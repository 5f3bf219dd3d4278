// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/protobuf.h"
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define VARINT 0
#define FIXED64 1
#define LENGTH 2
#define VARINT_MAX 10 /* bytes of 64 bits */

void protobuf_free(struct protobuf *protobuf)
{
	free(protobuf->s);
	protobuf->s = NULL;
}

static char *room(struct protobuf *protobuf, size_t n)
{
	if (protobuf->len + n > protobuf->size) {
		protobuf->size = 2 * (protobuf->len + n);
		protobuf->s = realloc(protobuf->s, protobuf->size);
		if (!protobuf->s)
			die_no_memory();
	}
	return protobuf->s + protobuf->len;
}

static size_t put_varint(char *to, uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		to[n++] = (char)(value | 0x80);
	to[n++] = (char)value;
	return n;
}

static void put(struct protobuf *protobuf, uint64_t value)
{
	char *to = room(protobuf, VARINT_MAX);

	protobuf->len += put_varint(to, value);
}

static void put_tag(struct protobuf *protobuf, unsigned int field, unsigned int type)
{
	put(protobuf, (uint64_t)field << 3 | type);
}

void protobuf_uint(struct protobuf *protobuf, unsigned int field, uint64_t value)
{
	put_tag(protobuf, field, VARINT);
	put(protobuf, value);
}

void protobuf_fixed64(struct protobuf *protobuf, unsigned int field, uint64_t value)
{
	put_tag(protobuf, field, FIXED64);
	value = htole64(value);
	memcpy(room(protobuf, sizeof(value)), &value, sizeof(value));
	protobuf->len += sizeof(value);
}

void protobuf_bytes(struct protobuf *protobuf, unsigned int field, const char *s, size_t n)
{
	put_tag(protobuf, field, LENGTH);
	put(protobuf, n);
	if (n)
		memcpy(room(protobuf, n), s, n);
	protobuf->len += n;
}

void protobuf_string(struct protobuf *protobuf, unsigned int field, const char *s)
{
	protobuf_bytes(protobuf, field, s, strlen(s));
}

size_t protobuf_begin(struct protobuf *protobuf, unsigned int field)
{
	put_tag(protobuf, field, LENGTH);
	return protobuf->len;
}

void protobuf_end(struct protobuf *protobuf, size_t begin)
{
	size_t length = protobuf->len - begin;
	char digits[VARINT_MAX];
	size_t n = put_varint(digits, length);

	room(protobuf, n);
	memmove(protobuf->s + begin + n, protobuf->s + begin, length);
	memcpy(protobuf->s + begin, digits, n);
	protobuf->len += n;
}
