/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_SESSION_H
#define READ_SESSION_H

#include "options.h"
#include "output/format.h"

/*
 * Opens the source, feeds the views until the end, and prints them. The signals that must not
 * interrupt us are blocked already. Returns the exit status; or minus a signal's number if that signal ended us without a result (SIGPIPE).
 */
int session_run(const struct options *options, const struct screen *screen);

/* Blocks the signals that a session takes from a descriptor. */
void session_block_signals(void);

#endif
