/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables whose columns drop by rank where the terminal is too narrow for all of them. */
#ifndef READ_COLUMNS_H
#define READ_COLUMNS_H

struct ranked_column {
	const char *title;
	unsigned int width;
	unsigned int rank; /* the columns of the highest are left out first */
};

/*
 * The highest rank that there is room for, with a space beside each column and @others more columns of
 * the terminal; @width 0: all.
 */
unsigned int columns_rank(const struct ranked_column *columns, unsigned int count,
			  unsigned int others, unsigned int width);

#endif
