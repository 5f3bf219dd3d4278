/* SPDX-License-Identifier: GPL-2.0-only */
/* A terminal that tmux(1) emulates: what is typed, and what its screen shows. */
#ifndef TESTS_UNIT_TERMINAL_H
#define TESTS_UNIT_TERMINAL_H

#include <stdbool.h>
#include <stdlib.h>

extern char *seen; /* as last read */

/* Another terminal; DO("new-session ...") has to begin it. */
void terminal_next(void);
void terminal_end(void);

/* The output of a tmux command; the caller frees it. */
char *ask(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define DO(...) free(ask(__VA_ARGS__))

void press(const char *keys);

/* Waits until the screen has this, or lacks it. */
void wait_for(const char *text, bool there);
#define SEE(text) wait_for(text, true)
#define SEE_NOT(text) wait_for(text, false)

/* The line of the screen with this number, from 0 on; the next call overwrites it. */
const char *row(unsigned int number);
/* Waits until that line has this. */
void see_in(unsigned int number, const char *text);

#endif
