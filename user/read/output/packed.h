/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers in as few bytes as they need (LEB128), and bytes as text (base64). */
#ifndef READ_PACKED_H
#define READ_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PACKED_LONGEST 10 /* bytes of 64 bits, seven in each */

struct packed {
	unsigned char *bytes;
	size_t count;
	size_t room;
};

/* Begin with zeros. Running out of memory ends the program. */
void packed_uint(struct packed *packed, uint64_t value);
void packed_bytes(struct packed *packed, const void *bytes, size_t n);
/* Its size, and all of it. */
void packed_packed(struct packed *packed, const struct packed *other);
void packed_free(struct packed *packed);

/* As base64 in one line. */
void base64_write(FILE *out, const unsigned char *bytes, size_t n);

#endif
