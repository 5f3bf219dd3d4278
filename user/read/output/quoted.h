/* SPDX-License-Identifier: GPL-2.0-only */
/* What comes from outside, in messages: paths, names, arguments. */
#ifndef READ_QUOTED_H
#define READ_QUOTED_H

#include <proclife.h>

/*
 * As it is if it is plain, otherwise so that a shell reads it back; nothing in it reaches a terminal
 * that is not printable. If it is very long, its middle is left out. For message(); what four calls
 * before the last one have returned is not valid any more.
 */
const char *quoted(const char *s);

/* Says what cannot be read, why, and the remedy. */
void say_fault(const struct proclife_fault *fault);

/*
 * From here on, to @safe false, what the C library itself says on standard error of the command line
 * is made printable.
 */
void quote_errors(bool safe);

#endif
