// SPDX-License-Identifier: GPL-2.0-only
#include "output/array.h"
#include "output/cut.h"
#include "output/message.h"
#include "output/quote.h"
#include "views/share/words.h"
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 1024 /* of a member, that the others are compared with */
#define LEAST_SCRIPT 32 /* bytes of an argument */
#define LEAST_COLUMNS 8 /* that are worth a word's end */

static const char spaces[] = " \t\n\v\f\r";

static void add(struct line_words *words, const char *s, size_t length, bool part)
{
	ARRAY_GROW(words->all, words->count, words->room);
	words->all[words->count++] = (struct word){ .s = s, .length = length, .part = part };
}

/* A NUL follows the arguments, even if they were cut. */
static void split(struct line_words *words, const char *args, uint32_t bytes, size_t most)
{
	size_t n, i, length;
	uint32_t at;

	words->count = 0;
	bytes = args ? bytes : 0;
	for (at = bytes ? strnlen(args, bytes) + 1 : 0; at < bytes && words->count < most;
	     at += n + 1) {
		const char *s = args + at;

		n = strnlen(s, bytes - at);
		/* A script has words of its own; what is short stands as a whole, in its quotes. */
		if (n < LEAST_SCRIPT || strcspn(s, spaces) == n) {
			add(words, s, n, false);
			continue;
		}
		for (i = 0; i < n; i += length + 1) {
			length = strcspn(s + i, spaces);
			if (length)
				add(words, s + i, length, true);
		}
	}
}

void family_words_add(struct family_words *family, struct line_words *scratch,
		      const char *args, uint32_t bytes)
{
	size_t i;

	family->members++;
	split(scratch, args, bytes, MOST_WORDS);
	for (i = 0; i < scratch->count; i++) {
		const struct word *word = &scratch->all[i];
		uint32_t number = number_of(&family->numbers, word->s, word->length);
		struct seen *seen;

		if (number > family->room) {
			uint32_t room = 2 * number + 64;

			family->seen = reallocarray(family->seen, room, sizeof(*family->seen));
			if (!family->seen)
				die_no_memory();
			memset(family->seen + family->room, 0,
			       (room - family->room) * sizeof(*family->seen));
			family->room = room;
		}
		if (!number)
			die_no_memory();
		seen = &family->seen[number - 1];
		seen->count += seen->last != family->members;
		seen->last = family->members;
	}
}

void family_words_free(struct family_words *family)
{
	numbers_free(&family->numbers);
	free(family->seen);
	*family = (struct family_words){ 0 };
}

static bool begins(const struct word *word, const char *with)
{
	size_t n = strlen(with);

	return word->length >= n && !memcmp(word->s, with, n);
}

static enum word_rank rank(const struct line_words *words, size_t i, const struct family_words *family)
{
	const struct word *word = &words->all[i];
	uint32_t number = number_found(&family->numbers, word->s, word->length);
	unsigned int seen = number ? family->seen[number - 1].count : 0;

	if (2 * seen > family->members)
		return WORD_SHARED;
	if (seen > 1)
		return WORD_RARE;
	if (begins(word, "-") || begins(word, "/tmp/") || begins(word, "/var/tmp/"))
		return WORD_OTHER;
	return i && begins(&words->all[i - 1], "-") ? WORD_VALUE : WORD_SUBJECT;
}

void words_split(struct line_words *words, const struct family_words *family,
		 const char *args, uint32_t bytes)
{
	size_t i;

	split(words, args, bytes, SIZE_MAX);
	for (i = 0; i < words->count; i++)
		words->all[i].rank = rank(words, i, family);
}

void words_free(struct line_words *words)
{
	free(words->all);
	*words = (struct line_words){ 0 };
}

/* Each character takes a column at least, and 6 bytes at most. */
static bool can_fit(const struct word *word, unsigned int columns)
{
	return word->length <= 6 * (size_t)columns;
}

static void put_word(struct text *text, const struct word *word)
{
	if (word->part)
		text_name(text, word->s, word->length);
	else
		text_word(text, word->s, word->length);
}

static bool is_chosen(const struct line_words *words, size_t i)
{
	return i >= words->count || words->all[i].chosen;
}

/* How many columns this word and its space take, with what they make of the gaps beside it. */
static int price(const struct line_words *words, size_t i, const struct text *word)
{
	bool before = !i || words->all[i - 1].chosen, after = is_chosen(words, i + 1);
	int gap = 1 + (int)gap_columns(word->screen);

	return (int)word->columns + 1 + (before && after ? -gap : before || after ? 0 : gap);
}

static void choose(struct line_words *words, size_t i, struct text *scratch, int *left)
{
	int taken;

	if (!can_fit(&words->all[i], *left + LEAST_COLUMNS))
		return;
	text_clear(scratch);
	put_word(scratch, &words->all[i]);
	taken = price(words, i, scratch);
	if (taken > *left)
		return;
	*left -= taken;
	words->all[i].chosen = true;
}

static const struct word *first_of(const struct line_words *words)
{
	const struct word *best = NULL;
	size_t i;

	for (i = 0; i < words->count; i++)
		if (words->all[i].rank < WORD_SHARED && (!best || words->all[i].rank <= best->rank))
			best = &words->all[i];
	return best;
}

static void put_gap(struct text *text)
{
	text_string(text, " ");
	text_gap(text);
}

static void put_chosen(struct text *text, const struct line_words *words)
{
	size_t i;

	for (i = 0; i < words->count; i++) {
		if (words->all[i].chosen) {
			text_string(text, " ");
			put_word(text, &words->all[i]);
		} else if (!i || words->all[i - 1].chosen) {
			put_gap(text);
		}
	}
}

bool words_put(struct text *text, struct line_words *words, unsigned int columns)
{
	const struct word *first = first_of(words);
	unsigned int gap = 1 + gap_columns(text->screen), r;
	int left = (int)columns - (int)gap; /* all of them left out are one gap */
	struct text scratch;
	size_t i;

	if (!first || columns < LEAST_COLUMNS)
		return false;
	text_init(&scratch, text->screen);
	/* What stands last says most; but what all have is understood from its beginning. */
	for (r = 0; r < WORD_SHARED; r++)
		for (i = words->count; i-- && left > 0;)
			if (words->all[i].rank == r)
				choose(words, i, &scratch, &left);
	if (first->chosen) {
		for (i = 0; i < words->count && left > 0; i++)
			if (words->all[i].rank == WORD_SHARED)
				choose(words, i, &scratch, &left);
		put_chosen(text, words);
	} else {
		text_clear(&scratch);
		words_put_first(&scratch, words);
		/* The mark of its own cut stands for the gap, too. */
		if (scratch.columns < columns || !strchr(scratch.s, '/')) {
			put_gap(text);
			columns -= gap;
		}
		text_string(text, " ");
		text_word_in(text, &scratch, columns - 1);
	}
	text_free(&scratch);
	return true;
}

bool words_put_first(struct text *text, const struct line_words *words)
{
	static const char around[] = "'\"`;()&|";
	const struct word *first = first_of(words);
	struct word word;

	if (!first)
		return false;
	word = *first;
	/* A script's punctuation says nothing. */
	while (word.part && word.length > 1 && strchr(around, word.s[word.length - 1]))
		word.length--;
	while (word.part && word.length > 1 && strchr(around, *word.s)) {
		word.s++;
		word.length--;
	}
	put_word(text, &word);
	return true;
}
