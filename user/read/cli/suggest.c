// SPDX-License-Identifier: GPL-2.0-only
#include "cli/options_table.h"
#include "cli/suggest.h"
#include <string.h>

#define LONGEST 32 /* names are shorter */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * How many letters have to be added, left out, changed, or exchanged with the next one, to get from
 * one word to the other: the Damerau-Levenshtein distance.
 */
static size_t distance(const char *a, size_t m, const char *b, size_t n)
{
	size_t rows[3][LONGEST + 1] = { 0 }, i, j;

	for (j = 0; j <= n; j++)
		rows[0][j] = j;
	for (i = 1; i <= m; i++) {
		size_t *row = rows[i % 3], *before = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];

		row[0] = i;
		for (j = 1; j <= n; j++) {
			row[j] = least(before[j - 1] + (a[i - 1] != b[j - 1]),
				       least(before[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], second[j - 2] + 1);
		}
	}
	return rows[m % 3][n];
}

const char *suggest_option(const struct argp_option *table, const char *name, size_t length)
{
	size_t closest = length / 3 + 1; /* beyond that, it is another word */
	const char *found = NULL;

	if (length > LONGEST)
		return NULL;
	for (; !option_is_end(table); table++) {
		size_t n = option_is_offered(table) ? strlen(table->name) : 0, far;

		if (!n || n > LONGEST)
			continue;
		far = distance(name, length, table->name, n);
		if (far < closest || (far == closest && !found)) {
			closest = far;
			found = table->name;
		}
	}
	return found;
}
