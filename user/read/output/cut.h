/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that are too long for the columns there are. */
#ifndef READ_CUT_H
#define READ_CUT_H

#include "output/format.h"

/*
 * Appends a text, which can be coloured, in so many columns; 0 for any. One that is too long loses its
 * end; a mark says so.
 */
void text_in(struct text *text, const struct text *what, unsigned int columns);

/* One that is too long, without colours, loses its beginning. */
void text_end_in(struct text *text, const struct text *what, unsigned int columns);

/* What is a path loses its beginning, everything else its end. */
void text_word_in(struct text *text, const struct text *what, unsigned int columns);

/* The columns of the character or the escape sequence at s, and its bytes; all are printable by now. */
unsigned int text_character(const char *s, size_t *bytes);

/* Appends what stands for something that is left out on purpose, and its columns. */
void text_gap(struct text *text);
static inline unsigned int gap_columns(const struct screen *screen)
{
	return screen->utf8 ? 1 : 3;
}

#endif
