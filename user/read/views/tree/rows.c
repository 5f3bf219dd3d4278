// SPDX-License-Identifier: GPL-2.0-only
/* The tree's list: what is listed, linked and cut. */
#include "views/tree/row.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The nodes in depth-first order. */
static int list_nodes(struct rows *rows, struct proclife_tree *tree)
{
	const struct proclife_node *node = proclife_tree_roots(tree);
	uint64_t size = proclife_tree_size(tree);
	uint32_t parent = 0;

	if (size >= UINT32_MAX)
		return -EOVERFLOW;
	rows->all = calloc(size + 1, sizeof(*rows->all));
	if (!rows->all)
		return -ENOMEM;
	rows->count = 1;
	while (node) {
		uint32_t i = rows->count++;
		struct row *b = &rows->all[i];

		b->node = node;
		b->parent = parent;
		b->count = 1;
		if (node->child) {
			parent = i;
			node = node->child;
			continue;
		}
		while (!node->next && parent) {
			node = rows->all[parent].node;
			parent = rows->all[parent].parent;
		}
		node = node->next;
	}
	return 0;
}

/* It is not older than the trace, or something has happened to it. */
static bool has_news(const struct proclife_node *node)
{
	return !node->older || node->exited || node->marks.reaped || node->marks.freed ||
	       node->state == PROCLIFE_IS_FREED;
}

/* Backwards, children are met before their parents. */
static void count_below(struct rows *rows, bool active_only)
{
	uint32_t i;

	for (i = rows->count - 1; i; i--) {
		struct row *b = &rows->all[i];
		struct row *parent = &rows->all[b->parent];

		if (!active_only || has_news(b->node))
			b->listed = true;
		if (!b->listed) {
			rows->left_out++;
			continue;
		}
		parent->listed = true;
		parent->below += b->below + 1;
	}
}

/* Backwards, the last of siblings is met first. */
static void link_shown(struct rows *rows)
{
	uint32_t i;

	for (i = rows->count - 1; i; i--) {
		struct row *b = &rows->all[i];
		struct row *parent = &rows->all[b->parent];

		if (!b->shown)
			continue;
		b->next = parent->child;
		parent->child = i;
		rows->lines++;
	}
}

int rows_build(struct rows *rows, struct proclife_tree *tree, const struct run *run,
	       bool active_only, const struct cut *cut)
{
	int ret;

	memset(rows, 0, sizeof(*rows));
	rows->run = run;
	ret = list_nodes(rows, tree);
	if (ret)
		return ret;
	count_below(rows, active_only);
	ret = rows_cut(rows, cut);
	if (ret)
		return ret;
	link_shown(rows);
	return 0;
}

void rows_free(struct rows *rows)
{
	free(rows->all);
	free(rows->sums);
	free(rows->line_of);
	free(rows->members);
}
