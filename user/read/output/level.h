/* SPDX-License-Identifier: GPL-2.0-only */
/* One column of a graph. */
#ifndef READ_LEVEL_H
#define READ_LEVEL_H

#include "output/format.h"

/* Appends a block as high as this part of the line, from 0 to 1, or a digit; a space only for 0. */
void text_level(struct text *text, double part);

#endif
