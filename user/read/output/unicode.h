/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_UNICODE_H
#define READ_UNICODE_H

#include <stddef.h>

/*
 * The length of the well-formed UTF-8 sequence that begins at s, which has n bytes, or 0: no overlong
 * forms, no surrogates, nothing above U+10FFFF.
 */
size_t utf8_length(const unsigned char *s, size_t n);

#endif
