/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_INFO_LINES_H
#define READ_INFO_LINES_H

#include "output/format.h"
#include "tools/info/info.h"

#define INFO_MOST_SHOWN 5 /* damaged files, steps of the clock; the others are counted */

/*
 * A line, and those that it needs where the screen is too narrow: broken behind commas, or at spaces.
 */
void info_line(const struct info *info, const char *label, const struct text *what);
/* What is left of @count of a kind, beyond those that had a line each. */
void info_more(const struct info *info, const char *label, uint64_t count, const char *one,
	       const char *many, struct text *what);
/* For what has to be one line: its end is left out. */
void info_short(const struct info *info, const char *label, const struct text *what);

#endif
