/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words of command lines: which of them most of a family share, and which distinguish one from the
 * others. A family is looked at by a sample, so that its size does not matter.
 */
#ifndef READ_WORDS_H
#define READ_WORDS_H

#include "output/format.h"
#include "views/share/numbers.h"

#define WORDS_SAMPLE 64 /* members */

/* An argument, or a word of one that has spaces in it, such as a script. */
struct word {
	const char *s;
	uint32_t length;
	uint8_t rank;	/* enum word_rank */
	bool part;	/* of an argument */
	bool chosen;
};

/* The most telling first. */
enum word_rank {
	WORD_SUBJECT,	/* no other has it, and it does not belong to an option: src/merge.c */
	WORD_VALUE,	/* no other has it: the value of an option, such as -o */
	WORD_OTHER,	/* no other has it: an option, or a temporary file */
	WORD_RARE,	/* few others have it */
	WORD_SHARED,	/* most of the family have it */
	WORD_RANKS,
};

struct line_words {
	struct word *all;
	size_t count;
	size_t room;
};

/* What a family shares. */
struct family_words {
	struct numbers numbers; /* of the words */
	struct seen {
		uint16_t count; /* members that have it */
		uint16_t last;
	} *seen; /* [number - 1] */
	uint32_t room;
	uint32_t members; /* that were looked at */
};

/*
 * One more member, by its arguments, each with its NUL; no more than WORDS_SAMPLE. Running out of
 * memory ends the program.
 */
void family_words_add(struct family_words *family, struct line_words *scratch,
		      const char *args, uint32_t bytes);
void family_words_free(struct family_words *family);

/* All of this command line but the first argument, with their ranks in the family. */
void words_split(struct line_words *words, const struct family_words *family,
		 const char *args, uint32_t bytes);
void words_free(struct line_words *words);

/*
 * Appends, each behind a space, as many words as fit in @columns, the most telling first; what is
 * left out between them is "…". Return: false, and nothing is appended, if no word is telling.
 */
bool words_put(struct text *text, struct line_words *words, unsigned int columns);

/* Appends the most telling word. Return: false if there is none. */
bool words_put_first(struct text *text, const struct line_words *words);

#endif
