// SPDX-License-Identifier: GPL-2.0-only
#include "views/row.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct figures branch_figures(const struct branches *branches, const struct branch *b)
{
	const struct proclife_node *node = b->node;
	uint64_t from = node->began;
	uint64_t to = node->exited ? node->exited : branches->ended;
	struct figures figures = {
		.runtime = node->runtime,
		.max_rss = node->max_rss,
		.at_least = node->older || !node->exited,
	};

	if (b->count > 1)
		return branches->sums[b->sums].figures;
	/*
	 * That it exited when it was first seen says nothing about how long it had lived, nor does
	 * it that it was a zombie already.
	 */
	figures.life_known = to >= from &&
			     (node->exited || (!node->incomplete &&
					       node->state == PROCLIFE_IS_ALIVE)) &&
			     (!node->older || to > from);
	figures.life = figures.life_known ? to - from : 0;
	return figures;
}

const struct cut_off *branch_cut_off(const struct branches *branches, const struct branch *b)
{
	static const struct cut_off nothing;

	return b->sums ? &branches->sums[b->sums].cut : &nothing;
}

struct sums *branch_sums(struct branches *branches, struct branch *b)
{
	if (b->sums)
		return &branches->sums[b->sums];
	if (branches->sums_count == branches->sums_size) {
		uint32_t size = branches->sums_size ? branches->sums_size / 2 * 3 : 64;
		struct sums *sums = reallocarray(branches->sums, size, sizeof(*sums));

		if (!sums)
			return NULL;
		branches->sums = sums;
		branches->sums_size = size;
		if (!branches->sums_count) /* [0] stands for "none" */
			branches->sums_count = 1;
	}
	b->sums = branches->sums_count++;
	memset(&branches->sums[b->sums], 0, sizeof(*branches->sums));
	return &branches->sums[b->sums];
}

/* The nodes in depth-first order. */
static int list_nodes(struct branches *branches, struct proclife_tree *tree)
{
	const struct proclife_node *node = proclife_tree_roots(tree);
	uint64_t size = proclife_tree_size(tree);
	uint32_t parent = 0;

	if (size >= UINT32_MAX)
		return -EOVERFLOW;
	branches->all = calloc(size + 1, sizeof(*branches->all));
	if (!branches->all)
		return -ENOMEM;
	branches->count = 1;
	while (node) {
		uint32_t i = branches->count++;
		struct branch *b = &branches->all[i];

		b->node = node;
		b->parent = parent;
		b->count = 1;
		if (node->child) {
			parent = i;
			node = node->child;
			continue;
		}
		while (!node->next && parent) {
			node = branches->all[parent].node;
			parent = branches->all[parent].parent;
		}
		node = node->next;
	}
	return 0;
}

/* It is not older than the trace, or something has happened to it. */
static bool has_news(const struct proclife_node *node)
{
	return !node->older || node->exited || node->reaped || node->freed ||
	       node->state == PROCLIFE_IS_FREED;
}

/* Backwards, children are met before their parents. */
static void count_below(struct branches *branches, bool active_only)
{
	uint32_t i;

	for (i = branches->count - 1; i; i--) {
		struct branch *b = &branches->all[i];
		struct branch *parent = &branches->all[b->parent];

		if (!active_only || has_news(b->node))
			b->listed = true;
		if (!b->listed) {
			branches->left_out++;
			continue;
		}
		parent->listed = true;
		parent->below += b->below + 1;
	}
}

/* Backwards, the last of siblings is met first. */
static void link_shown(struct branches *branches)
{
	uint32_t i;

	for (i = branches->count - 1; i; i--) {
		struct branch *b = &branches->all[i];
		struct branch *parent = &branches->all[b->parent];

		if (!b->shown)
			continue;
		b->next = parent->child;
		parent->child = i;
		branches->lines++;
	}
}

int branches_build(struct branches *branches, struct proclife_tree *tree, uint64_t ended,
		   bool active_only, const struct cut *cut)
{
	int ret;

	memset(branches, 0, sizeof(*branches));
	branches->ended = ended;
	ret = list_nodes(branches, tree);
	if (ret)
		return ret;
	count_below(branches, active_only);
	ret = branches_cut(branches, cut);
	if (ret)
		return ret;
	link_shown(branches);
	return 0;
}

void branches_free(struct branches *branches)
{
	free(branches->all);
	free(branches->sums);
	branches->all = NULL;
	branches->sums = NULL;
}
