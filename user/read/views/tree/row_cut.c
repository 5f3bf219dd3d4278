// SPDX-License-Identifier: GPL-2.0-only
/* Which part of the tree is shown; the rest is counted where it is cut. */
#include "output/count.h"
#include "views/tree/row.h"
#include <errno.h>
#include <stdlib.h>

/* A life that may have been longer than was seen is not known to be too short. */
static bool too_short(const struct rows *rows, const struct row *b, uint64_t min_life)
{
	struct figures figures = row_figures(rows, b);

	return figures.life_known && !figures.at_least && figures.life < min_life;
}

/* Branches by key, and the first of those that are equal. */
struct ranking {
	const struct rows *rows;
	enum top_key key;
	const uint64_t *weights; /* NULL, or instead of the key */
};

static uint64_t value_of(const struct ranking *ranking, const struct row *b)
{
	switch (ranking->key) {
	case TOP_CPU:
		return b->node->runtime;
	case TOP_LIFE:
		return row_figures(ranking->rows, b).life;
	case TOP_RSS:
		return b->node->max_rss;
	case TOP_COUNT:
		return b->below;
	}
	return 0;
}

/* The larger one comes first; among equals, the older one, or a parent before its child. */
static int compare(const void *a, const void *b, void *data)
{
	const struct ranking *ranking = data;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct row *x = &ranking->rows->all[i], *y = &ranking->rows->all[j];
	uint64_t p, q;

	if (ranking->weights) {
		p = ranking->weights[i];
		q = ranking->weights[j];
		return p != q ? (p > q ? -1 : 1) : i < j ? -1 : i > j;
	}
	p = value_of(ranking, x);
	q = value_of(ranking, y);
	if (p != q)
		return p > q ? -1 : 1;
	return x->node->id < y->node->id ? -1 : 1;
}

/* In a heap of the best ones found so far, the last of them is on top: finds the place of order[i]. */
static void sift_down(uint32_t *order, uint32_t count, uint32_t i, struct ranking *ranking)
{
	for (;;) {
		uint32_t last = i, child = 2 * i + 1, kept;

		for (; child < count && child <= 2 * i + 2; child++)
			if (compare(&order[child], &order[last], ranking) > 0)
				last = child;
		if (last == i)
			return;
		kept = order[i];
		order[i] = order[last];
		order[last] = kept;
		i = last;
	}
}

/* Only the largest of the rows that are shown now stay; few are kept of many, not all sorted. */
static int keep_top(struct rows *rows, uint64_t top, struct ranking *ranking)
{
	uint32_t most = top < rows->count ? (uint32_t)top : rows->count;
	uint32_t *order = malloc(most * sizeof(*order));
	uint32_t count = 0, i, k;

	if (!order)
		return -ENOMEM;
	for (i = 1; i < rows->count; i++) {
		if (!rows->all[i].shown)
			continue;
		rows->all[i].shown = false;
		if (count < most) {
			order[count++] = i;
			for (k = count == most ? most / 2 : 0; k--;)
				sift_down(order, count, k, ranking);
		} else if (compare(&i, &order[0], ranking) < 0) {
			order[0] = i;
			sift_down(order, count, 0, ranking);
		}
	}
	qsort_r(order, count, sizeof(*order), compare, ranking);
	for (i = 0; i < count; i++) {
		rows->all[order[i]].shown = true;
		rows->all[order[i]].rank = i + 1;
	}
	free(order);
	return 0;
}

int rows_keep(struct rows *rows, uint32_t most, const uint64_t *weights)
{
	struct ranking ranking = { .rows = rows, .weights = weights };

	return keep_top(rows, most, &ranking);
}

static void show_ancestors(struct rows *rows)
{
	uint32_t i;

	for (i = rows->count - 1; i; i--) {
		struct row *parent = &rows->all[rows->all[i].parent];

		if (!rows->all[i].shown || parent->shown)
			continue;
		parent->shown = true;
		parent->context = true;
	}
}

/* Forwards, parents are met first: each that is cut is handed up to the nearest that is shown. */
static int count_what_is_cut(struct rows *rows)
{
	uint32_t i;

	for (i = 1; i < rows->count; i++) {
		struct row *b = &rows->all[i], *parent = &rows->all[b->parent];
		struct sums *sums;

		if (b->shown || !b->listed)
			continue;
		if (!parent->shown)
			b->parent = parent->parent;
		sums = row_sums(rows, &rows->all[b->parent]);
		if (!sums)
			return -ENOMEM;
		sums->cut.processes++;
		add_count(&sums->cut.runtime, b->node->runtime);
		sums->cut.failed += node_failed(b->node);
	}
	return 0;
}

int rows_cut(struct rows *rows, const struct cut *cut)
{
	struct ranking ranking = { .rows = rows, .key = cut->key };
	struct row *all = rows->all;
	uint32_t i;

	all[0].shown = true;
	/* Until siblings are linked, `next` keeps a row's level; the roots have 1. */
	for (i = 1; i < rows->count; i++) {
		all[i].next = all[all[i].parent].next + 1;
		all[i].shown = all[i].listed && all[i].next - 1 <= cut->depth &&
			       !(cut->min_life && too_short(rows, &all[i], cut->min_life)) &&
			       (!cut->matching || all[i].node->matches);
	}
	if (cut->top && keep_top(rows, cut->top, &ranking))
		return -ENOMEM;
	show_ancestors(rows);
	return cut_is_set(cut) ? count_what_is_cut(rows) : 0;
}
