/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of protocol buffers, as they are on the wire. A message within another one is between
 * protobuf_begin() and protobuf_end(); its length is put in front of it then.
 */
#ifndef READ_PROTOBUF_H
#define READ_PROTOBUF_H

#include "output/packed.h"

/* For the types uint32, uint64, bool and enums; for int64, if it is cast. */
void protobuf_uint(struct packed *to, unsigned int field, uint64_t value);
void protobuf_fixed64(struct packed *to, unsigned int field, uint64_t value);
/* For the type string, @s has to be UTF-8. */
void protobuf_bytes(struct packed *to, unsigned int field, const char *s, size_t n);
void protobuf_string(struct packed *to, unsigned int field, const char *s);

/* Returns where it begins, for protobuf_end(). */
size_t protobuf_begin(struct packed *to, unsigned int field);
void protobuf_end(struct packed *to, size_t begin);

#endif
