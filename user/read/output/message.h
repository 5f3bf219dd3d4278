/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages on standard error, each one line that begins with the program's name. */
#ifndef READ_MESSAGE_H
#define READ_MESSAGE_H

#include <stdbool.h>

/* exit statuses, next to the command's own */
#define STATUS_ERROR 1
#define STATUS_FAILED 2 /* an expectation */
#define STATUS_LOST 3
#define STATUS_CANNOT_EXECUTE 126
#define STATUS_NOT_FOUND 127
#define STATUS_USAGE 129

void message(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool message_on_terminal(void); /* somebody reads standard error as it appears, and wants hints */
void message_quiet(void); /* no hints wanted */
/*
 * Shows a line on the terminal, in the place of the one that was shown so before; NULL takes it
 * away, and so does message(). It is ASCII, and cut at the terminal's width.
 */
void message_status(const char *line);
/* Ctrl-C was pressed: its ^C does not stay at the beginning or the end of a line of ours. */
void message_interrupted(void);
void die_no_memory(void) __attribute__((noreturn));

#endif
