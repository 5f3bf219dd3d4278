// SPDX-License-Identifier: GPL-2.0-only
#include "output/array.h"
#include "output/message.h"
#include "views/share/kept_args.h"
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 4096

void kept_args_set(struct kept_args *kept, const char *args, uint32_t bytes, bool cut)
{
	kept->cut = cut || bytes > MOST_BYTES;
	kept->bytes = bytes < MOST_BYTES ? bytes : MOST_BYTES;
	if (kept->size <= kept->bytes) {
		free(kept->text);
		kept->size = kept->bytes + 1;
		kept->text = malloc(kept->size);
		if (!kept->text)
			die_no_memory();
	}
	memcpy(kept->text, args, kept->bytes);
	kept->text[kept->bytes] = '\0';
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void kept_words_begin(struct kept_words *words, const struct kept_args *kept, uint32_t most)
{
	size_t size = 0;
	uint32_t i;

	*words = (struct kept_words){ 0 };
	for (i = 0; i < kept->bytes && words->count < most; i += (uint32_t)strlen(kept->text + i) + 1) {
		ARRAY_GROW(words->all, words->count, size);
		words->all[words->count++] = kept->text + i;
	}
	if (words->count)
		qsort(words->all, words->count, sizeof(*words->all), compare);
}

bool kept_words_have(const struct kept_words *words, const char *word, size_t length)
{
	size_t low = 0, high = words->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strncmp(words->all[middle], word, length);

		if (!order && !words->all[middle][length])
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

void kept_words_end(struct kept_words *words)
{
	free(words->all);
}
