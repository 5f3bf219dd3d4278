/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interned texts, and memory that is freed all at once. */
#ifndef PROCLIFE_INTERN_H
#define PROCLIFE_INTERN_H

#include "base/siphash.h"

#include <stddef.h>
#include <stdint.h>

struct proclife_arena {
	void *chunks; /* linked by their first word */
	char *next;
	size_t left;
};

/* Aligned for pointers and 64-bit numbers, not zeroed. NULL: no memory. */
void *proclife_arena_get(struct proclife_arena *arena, size_t size);
void proclife_arena_free(struct proclife_arena *arena);
/* Calls a function for each object of an arena whose objects all have this size, latest first. */
void proclife_arena_each(const struct proclife_arena *arena, size_t size,
			 void (*each)(void *data, void *object), void *data);

struct proclife_interned {
	uint32_t hash;
	uint32_t length;
	const char *text; /* NULL: the slot is free */
};

struct proclife_intern {
	struct proclife_arena arena;
	struct proclife_interned *slots;
	size_t count; /* number of slots: 0 or a power of two */
	size_t used;
	struct proclife_secret secret; /* once there are slots */
};

/* The one copy of this text. It can contain NULs, and gets one at its end. NULL: no memory. */
const char *proclife_intern(struct proclife_intern *intern, const char *text, size_t length);
void proclife_intern_free(struct proclife_intern *intern);

#endif
