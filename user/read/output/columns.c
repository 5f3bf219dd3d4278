// SPDX-License-Identifier: GPL-2.0-only
#include "output/columns.h"

unsigned int columns_rank(const struct ranked_column *columns, unsigned int count,
			  unsigned int others, unsigned int width)
{
	unsigned int rank = count, taken, i;

	for (;; rank--) {
		for (taken = others, i = 0; i < count; i++)
			taken += columns[i].rank <= rank ? columns[i].width + 1 : 0;
		if (!width || !rank || taken <= width)
			return rank;
	}
}
