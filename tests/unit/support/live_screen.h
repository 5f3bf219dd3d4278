/* SPDX-License-Identifier: GPL-2.0-only */
/* --live in a terminal: how it begins there, and what it leaves. */
#ifndef TESTS_UNIT_LIVE_SCREEN_H
#define TESTS_UNIT_LIVE_SCREEN_H

#include "story.h"
#include "terminal.h"

#define HOSTILE "\x1b[31mred\x1b]0;t"

/* Of the shell that is typed at: where another one is between them, both are stopped at once, in no order. */
extern bool live_in_place;

/* For cmocka, after story_setup() and live_setup(). */
int live_screen_teardown(void **state);
int live_device_teardown(void **state);

/* A shell in a terminal of this size, and the program in it. */
void live_begin(unsigned int columns, unsigned int rows, const char *locale, const char *options);
/* The whole of the recording. */
void live_at_end(unsigned int columns, unsigned int rows, const char *locale);

/* The other one of the terminal's two; and the cursor is there. */
void expect_screen_left(void);
/* All that a screen changes is as it was. */
void expect_clean(void);

/* Ten seconds: deaths of all kinds, a zombie, a name that means harm. */
void live_tell(void);

#endif
