/* SPDX-License-Identifier: GPL-2.0-only */
/* A line of text that proclife-read writes. */
#ifndef UNIT_FIXTURE_TEXT_H
#define UNIT_FIXTURE_TEXT_H

#include <output/format.h>

extern struct screen screen;
extern struct text text; /* empty at the beginning of each test */

int begin_text(void **state);
int begin_utf8(void **state); /* on a terminal that shows it */
int end_text(void **state);

#endif
