/* SPDX-License-Identifier: GPL-2.0-only */
/* Characters that are invisible, or change how others look. */
#ifndef READ_INVISIBLE_H
#define READ_INVISIBLE_H

#include <stdbool.h>
#include <wchar.h>

/*
 * A code point that shows nothing, changes the direction of text, or has no defined meaning: two
 * names that differ only in such a one can look the same. This is independent of the locale.
 */
bool is_invisible(wchar_t c);

#endif
