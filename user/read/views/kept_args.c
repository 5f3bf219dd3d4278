// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "views/kept_args.h"
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

bool kept_args_have(const struct kept_args *kept, const char *word, size_t length, uint32_t most)
{
	uint32_t i;

	for (i = 0; i < kept->bytes && most--; i += (uint32_t)strlen(kept->text + i) + 1)
		if (!strncmp(kept->text + i, word, length) && !kept->text[i + length])
			return true;
	return false;
}
