/* SPDX-License-Identifier: GPL-2.0-only */
/* Untrusted text in messages: paths, names, arguments. */
#ifndef READ_QUOTED_H
#define READ_QUOTED_H

#include <proclife.h>

/*
 * The text itself if it is plain, otherwise quoted so that a shell reads it back: everything in it
 * is printable. If it is very long, its middle is left out. For message(): only the results of the
 * last four calls are valid.
 */
const char *quoted(const char *s);

/* Prints what cannot be read, why, and the remedy. */
void say_fault(const struct proclife_fault *fault);

/*
 * From a call with @safe true to one with false, the C library's own messages on standard error
 * about the command line are made printable.
 */
void quote_errors(bool safe);

#endif
