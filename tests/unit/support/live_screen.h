/* SPDX-License-Identifier: GPL-2.0-only */
/* --live in a terminal: how it begins, and what it leaves behind. */
#ifndef TESTS_UNIT_LIVE_SCREEN_H
#define TESTS_UNIT_LIVE_SCREEN_H

#include "story.h"
#include "terminal.h"

#define HOSTILE "\x1b[31mred\x1b]0;t"

/* Does the program replace the script's shell? Otherwise both are stopped at once, in no order. */
extern bool live_in_place;

/* For cmocka, after story_setup() and live_setup(). */
int live_screen_teardown(void **state);
int live_device_teardown(void **state);

/* A shell in a terminal of this size, and the program in it. */
void live_begin(unsigned int columns, unsigned int rows, const char *locale, const char *options);
/* Plays a recording to its end. */
void live_at_end(unsigned int columns, unsigned int rows, const char *locale);

/* Expects the terminal's normal screen, with a cursor. */
void expect_screen_left(void);
/* Expects all terminal state as it was before. */
void expect_clean(void);

/* A story of ten seconds: deaths of all kinds, a zombie, a hostile name. */
void live_tell(void);

#endif
