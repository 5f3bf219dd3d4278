/* SPDX-License-Identifier: GPL-2.0-only */
/* A copy of an argument vector, to be compared with others later. */
#ifndef READ_KEPT_ARGS_H
#define READ_KEPT_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept_args {
	char *text; /* each with its NUL; NULL: nothing was kept */
	uint32_t size;
	uint32_t bytes;
	bool cut;
};

/* In the place of what was kept before: 4096 bytes at most. */
void kept_args_set(struct kept_args *kept, const char *args, uint32_t bytes, bool cut);

/* Is this word, of @length bytes, among the first @most of them? */
bool kept_args_have(const struct kept_args *kept, const char *word, size_t length, uint32_t most);

#endif
