/* SPDX-License-Identifier: GPL-2.0-only */
/* Names in files for other programs: the same in every locale, and one line. */
#ifndef READ_ESCAPE_H
#define READ_ESCAPE_H

#include "output/format.h"

/*
 * Appends untrusted bytes as valid UTF-8: \n, \\, \xNN and the like stand for the backslash, control
 * characters, bytes that are no UTF-8, characters that are invisible or change the direction of text,
 * and for each byte of @special, which is ASCII. So nothing is lost. All n bytes, NULs too.
 */
void text_escaped(struct text *text, const char *s, size_t n, const char *special);

#endif
