/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines that are longer than the terminal is wide. */
#ifndef READ_WRAP_H
#define READ_WRAP_H

#include "output/format.h"

/*
 * Breaks it into lines between words. Those behind the first are indented as far as text_hang() was
 * called at. Colours end before the end of each line, and begin again in the next.
 */
void text_wrap(struct text *text, unsigned int width);

/* As text_line() does, but in lines that can be read even if the screen is wider, or has no limit. */
void text_paragraph(struct text *text);

#endif
