// SPDX-License-Identifier: GPL-2.0-only
#include "output/quote.h"
#include "views/share/recent.h"
#include "views/share/words.h"
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 256	/* that are looked at: a line with more is too long to be read */

static struct recent_args *find(struct recent *recent, const char comm[PROCLIFE_COMM_LEN])
{
	size_t i;

	for (i = 0; i < sizeof(recent->all) / sizeof(recent->all[0]); i++)
		if (recent->all[i].args.text && !strncmp(recent->all[i].comm, comm, PROCLIFE_COMM_LEN))
			return &recent->all[i];
	return NULL;
}

static void keep(struct recent *recent, struct recent_args *kept, const char comm[PROCLIFE_COMM_LEN],
		 const char *args, uint32_t bytes)
{
	if (!kept) {
		kept = &recent->all[recent->next];
		recent->next = (recent->next + 1) % (sizeof(recent->all) / sizeof(recent->all[0]));
	}
	kept_args_set(&kept->args, args, bytes, false);
	memcpy(kept->comm, comm, sizeof(kept->comm));
}

/* Returns whether there was anything that the last one did not have. */
static bool put_news(struct text *text, const struct recent_args *kept, const char *args,
		     uint32_t bytes, unsigned int skip)
{
	bool marked = false, news = false;
	struct kept_words known;
	unsigned int words = 0;
	uint32_t i, n;

	kept_words_begin(&known, &kept->args, MOST_WORDS);
	for (i = 0; i < bytes && words < MOST_WORDS; i += n + 1, words++) {
		n = (uint32_t)strnlen(args + i, bytes - i);
		if (words < skip)
			continue;
		if (kept_words_have(&known, args + i, n)) {
			if (!marked)
				text_draw(text, " …", " ~");
			marked = true;
			continue;
		}
		text_string(text, " ");
		text_word(text, args + i, n);
		marked = false;
		news = true;
	}
	kept_words_end(&known);
	return news;
}

static void cut_back(struct text *text, size_t length, unsigned int columns)
{
	text->len = length;
	text->columns = columns;
}

/* In place of what is behind @length, if there is a word that says more than the beginning. */
static void put_telling(struct text *text, size_t length, unsigned int before,
			const struct recent_args *kept, const char *args, uint32_t bytes,
			unsigned int columns)
{
	struct family_words family = { 0 };
	struct line_words words = { 0 };
	struct text telling;

	text_init(&telling, text->screen);
	if (kept)
		family_words_add(&family, &words, kept->args.text, kept->args.bytes);
	words_split(&words, &family, args, bytes);
	if (words_put(&telling, &words, columns)) {
		cut_back(text, length, before);
		text_bytes(text, telling.s, telling.len, telling.columns);
	}
	text_free(&telling);
	words_free(&words);
	family_words_free(&family);
}

void recent_put_args(struct recent *recent, struct text *text, const char comm[PROCLIFE_COMM_LEN],
		     const struct command *command, unsigned int columns)
{
	const char *args = command->args;
	uint32_t bytes = command->bytes;
	struct recent_args *kept = find(recent, comm);
	unsigned int before = text->columns;
	size_t length = text->len;

	if (!kept || !put_news(text, kept, args, bytes, command_skip(command))) {
		cut_back(text, length, before);
		text_args(text, args, bytes, command->cut, command_skip(command));
	}
	if (columns && text->columns - before > columns)
		put_telling(text, length, before, kept, args, bytes, columns);
	keep(recent, kept, comm, args, bytes);
}

void recent_free(struct recent *recent)
{
	size_t i;

	for (i = 0; i < sizeof(recent->all) / sizeof(recent->all[0]); i++)
		free(recent->all[i].args.text);
}
