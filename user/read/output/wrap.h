/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines that are wider than the terminal. */
#ifndef READ_WRAP_H
#define READ_WRAP_H

#include "output/format.h"

/*
 * Breaks it into lines between words. All lines after the first are indented to the column where
 * text_hang() was called. Colours end before the end of each line, and begin again in the next.
 */
void text_wrap(struct text *text, unsigned int width);

/* Like text_line(), but in lines of readable length even if the screen is wider. */
void text_paragraph(struct text *text);

#endif
