/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages on standard error, each one line that begins with the program's name. */
#ifndef READ_MESSAGE_H
#define READ_MESSAGE_H

#include <stdbool.h>

/* exit statuses, besides the command's */
#define STATUS_ERROR 1
#define STATUS_FAILED 2 /* an expectation */
#define STATUS_LOST 3
#define STATUS_CANNOT_EXECUTE 126
#define STATUS_NOT_FOUND 127
#define STATUS_USAGE 129

void message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* While the terminal is a screen: what is said is kept, and said once that is over. */
void message_hold(void);
void message_release(void);
/* What was said last meanwhile, or NULL. */
const char *message_held(void);
bool message_on_terminal(void); /* standard error is a terminal, and hints are wanted */
bool message_is_quiet(void); /* hints are not wanted */
void message_quiet(void); /* turns hints off */
/*
 * Shows a line on the terminal, in place of the last one; NULL removes it, and so does message().
 * It is ASCII, and cut at the terminal's width.
 */
void message_status(const char *line);
/* Ctrl-C was pressed: keeps the terminal's ^C off the beginning and the end of our lines. */
void message_interrupted(void);
void die_no_memory(void) __attribute__((noreturn));

#endif
