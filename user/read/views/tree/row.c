// SPDX-License-Identifier: GPL-2.0-only
/* One row of the tree's list, and what is kept beside it. */
#include "views/share/lived.h"
#include "views/tree/row.h"
#include <stdlib.h>
#include <string.h>

struct figures node_figures(const struct rows *rows, const struct proclife_node *node)
{
	uint64_t from = node->began;
	uint64_t to = node->marks.exited ? node->marks.exited : rows->run->ended;
	uint64_t before = node->older ? lived_before(rows->run, 0, from, node->start) : 0;
	struct figures figures = {
		.runtime = node->runtime,
		.max_rss = node->max_rss,
		.at_least = (node->older && !before) || !node->marks.exited,
	};

	/*
	 * That it exited when it was first seen says nothing about how long it had lived, unless its start
	 * does; nor does it that it was a zombie already.
	 */
	figures.life_known = to >= from &&
			     (node->marks.exited || (!node->incomplete &&
					       node->state == PROCLIFE_IS_ALIVE)) &&
			     (!node->older || before || to > from);
	figures.life = figures.life_known ? to - from + before : 0;
	return figures;
}

struct figures row_figures(const struct rows *rows, const struct row *b)
{
	return b->count > 1 ? rows->sums[b->sums].figures : node_figures(rows, b->node);
}

uint64_t row_born(const struct rows *rows, const struct row *b)
{
	const uint32_t *members = b->count > 1 ? rows->members + rows->sums[b->sums].members : NULL;
	uint64_t first = 0;
	uint32_t i;

	for (i = 0; i < b->count; i++) {
		const struct proclife_node *node = members ? rows->all[members[i]].node : b->node;

		if (!node->older && (!first || node->began < first))
			first = node->began;
	}
	return first;
}

const struct cut_off *row_cut_off(const struct rows *rows, const struct row *b)
{
	static const struct cut_off nothing;

	return b->sums ? &rows->sums[b->sums].cut : &nothing;
}

struct sums *row_sums(struct rows *rows, struct row *b)
{
	if (b->sums)
		return &rows->sums[b->sums];
	if (rows->sums_count == rows->sums_size) {
		uint32_t size = rows->sums_size ? rows->sums_size / 2 * 3 : 64;
		struct sums *sums = reallocarray(rows->sums, size, sizeof(*sums));

		if (!sums)
			return NULL;
		rows->sums = sums;
		rows->sums_size = size;
		if (!rows->sums_count) /* [0] stands for "none" */
			rows->sums_count = 1;
	}
	b->sums = rows->sums_count++;
	memset(&rows->sums[b->sums], 0, sizeof(*rows->sums));
	return &rows->sums[b->sums];
}
