/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that are too long for their columns. */
#ifndef READ_CUT_H
#define READ_CUT_H

#include "output/format.h"

/*
 * Appends a text, which can have colours, in at most this many columns; 0: no limit. A text that is
 * too long loses its end, and gets a mark there.
 */
void text_in(struct text *text, const struct text *what, unsigned int columns);

/* One that is too long, without colours, loses its beginning. */
void text_end_in(struct text *text, const struct text *what, unsigned int columns);

/* The same, but a path loses its beginning instead of its end. */
void text_word_in(struct text *text, const struct text *what, unsigned int columns);

/* The columns and the bytes of the character or escape sequence at s. The text is printable. */
unsigned int text_character(const char *s, size_t *bytes);

/* Appends the mark for something that is left out on purpose. */
void text_gap(struct text *text);
static inline unsigned int gap_columns(const struct screen *screen)
{
	return screen->utf8 ? 1 : 3;
}

#endif
