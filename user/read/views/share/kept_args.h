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

/* The first @most of them, sorted: to look up each word of others, ask for as many as there are. */
struct kept_words {
	const char **all;
	size_t count;
};

void kept_words_begin(struct kept_words *words, const struct kept_args *kept, uint32_t most);
bool kept_words_have(const struct kept_words *words, const char *word, size_t length);
void kept_words_end(struct kept_words *words);

#endif
