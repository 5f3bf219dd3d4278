/* SPDX-License-Identifier: GPL-2.0-only */
/* Characters that nobody sees, or that change how others are seen. */
#ifndef READ_INVISIBLE_H
#define READ_INVISIBLE_H

#include <stdbool.h>
#include <wchar.h>

/*
 * A code point that shows nothing, turns the direction, or means nothing that others could know: two
 * names that differ by one look the same. Whatever the locale takes it for.
 */
bool is_invisible(wchar_t c);

#endif
