// SPDX-License-Identifier: GPL-2.0-only
#include "branch.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum state node_state(const struct proclife_node *node, bool reap_recorded)
{
	if (node->freed)
		return node->exited ? STATE_FREED : STATE_UNKNOWN;
	if (node->incomplete)
		return STATE_UNKNOWN;
	if (!node->exited)
		return node->flags & PROCLIFE_F_ZOMBIE ? STATE_ZOMBIE : STATE_ALIVE;
	return reap_recorded && !node->reaped ? STATE_ZOMBIE : STATE_UNFREED;
}

static void measure(struct branch *b, uint64_t ended)
{
	const struct proclife_node *node = b->node;
	uint64_t from = node->born ? node->born : node->seen;
	uint64_t to = node->exited ? node->exited : ended;

	b->count = 1;
	b->runtime = node->runtime;
	b->max_rss = node->max_rss;
	b->at_least = !node->born || !node->exited;
	/* That it exited when it was first seen says nothing about how long it had lived. */
	b->life_known = to >= from && (node->exited || (!node->incomplete && !node->freed)) &&
			(node->born || to > from);
	b->life = b->life_known ? to - from : 0;
}

/* The nodes in depth-first order. */
static int list_nodes(struct branches *branches, const struct proclife_tree *tree, uint64_t ended)
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
		measure(b, ended);
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

int branches_build(struct branches *branches, const struct proclife_tree *tree, uint64_t ended,
		   bool active_only)
{
	int ret;
	uint32_t i;

	memset(branches, 0, sizeof(*branches));
	ret = list_nodes(branches, tree, ended);
	if (ret)
		return ret;
	/* Backwards, children are met before their parents, and the last of siblings first. */
	for (i = branches->count - 1; i; i--) {
		struct branch *b = &branches->all[i];
		struct branch *parent = &branches->all[b->parent];

		if (!active_only || b->node->born || b->node->exited || b->node->freed)
			b->shown = true;
		if (!b->shown) {
			branches->left_out++;
			continue;
		}
		parent->shown = true;
		b->next = parent->child;
		parent->child = i;
	}
	return 0;
}

void branches_free(struct branches *branches)
{
	free(branches->all);
	branches->all = NULL;
}

/*
 * Folding
 */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ (hash >> 32);
}

/* Who brought it up, as far as a line tells: 0 for its parent. */
static uint32_t unusual(uint32_t tgid, const struct proclife_node *node)
{
	return tgid == node->parent_tgid || tgid == node->tgid ? 0 : tgid;
}

/* All that a line of the tree shows, but for the figures and the pid. */
static bool same_line(const struct branch *a, const struct branch *b)
{
	const struct proclife_node *x = a->node, *y = b->node;

	return x->comm == y->comm && x->path == y->path && x->args == y->args &&
	       x->exit_code == y->exit_code &&
	       x->threads == y->threads && !x->exited == !y->exited && !x->reaped == !y->reaped &&
	       !x->freed == !y->freed && !x->born == !y->born && x->incomplete == y->incomplete &&
	       unusual(x->creator_tgid, x) == unusual(y->creator_tgid, y) &&
	       unusual(x->reaper_tgid, x) == unusual(y->reaper_tgid, y);
}

static void hash_branch(const struct branches *branches, struct branch *b)
{
	const struct proclife_node *node = b->node;
	uint64_t hash = mix(0, (uintptr_t)node->comm);
	uint32_t i;

	hash = mix(hash, (uintptr_t)node->path);
	hash = mix(hash, (uintptr_t)node->args);
	hash = mix(hash, (uint32_t)node->exit_code);
	hash = mix(hash, node->threads);
	for (i = b->child; i; i = branches->all[i].next)
		hash = mix(hash, branches->all[i].hash + branches->all[i].count);
	b->hash = hash;
}

/* The branch after i, depth first, without leaving the one at root; 0 at the end. */
static uint32_t step(const struct branches *branches, uint32_t i, uint32_t root)
{
	if (branches->all[i].child)
		return branches->all[i].child;
	while (i != root && !branches->all[i].next)
		i = branches->all[i].parent;
	return i == root ? 0 : branches->all[i].next;
}

/* Counts are compared as they are in one of those that a branch already stands for. */
static bool alike(const struct branches *branches, uint32_t a, uint32_t b)
{
	uint64_t many_a = branches->all[a].count, many_b = branches->all[b].count;
	uint32_t i = a, j = b;

	if (branches->all[a].hash != branches->all[b].hash)
		return false;
	while (i && j) {
		const struct branch *x = &branches->all[i], *y = &branches->all[j];

		if (!same_line(x, y) || !x->child != !y->child ||
		    x->count * many_b != y->count * many_a || (i != a && !x->next != !y->next))
			return false;
		i = step(branches, i, a);
		j = step(branches, j, b);
	}
	return !i && !j;
}

static void merge(struct branches *branches, uint32_t a, uint32_t b)
{
	uint32_t i = a, j = b;

	while (i && j) {
		struct branch *x = &branches->all[i];
		const struct branch *y = &branches->all[j];

		x->count += y->count;
		x->runtime += y->runtime;
		if (y->life > x->life)
			x->life = y->life;
		if (y->max_rss > x->max_rss)
			x->max_rss = y->max_rss;
		i = step(branches, i, a);
		j = step(branches, j, b);
	}
}

/* A table of branches by hash; open addressing, always less than half full. */
struct fold_table {
	uint32_t *slots;
	uint32_t size; /* a power of two */
};

static int fold_table_reset(struct fold_table *table, uint32_t children)
{
	uint32_t size = 16;

	while (size / 2 <= children)
		size *= 2;
	if (size > table->size) {
		free(table->slots);
		table->slots = malloc(size * sizeof(*table->slots));
		if (!table->slots)
			return -ENOMEM;
		table->size = size;
	}
	memset(table->slots, 0, size * sizeof(*table->slots));
	return size;
}

/* The children of one branch have their final shape: fold those that are alike. */
static int fold_children(struct branches *branches, struct branch *parent, struct fold_table *table)
{
	uint32_t children = 0, i;
	uint32_t *link = &parent->child;
	int size;

	for (i = parent->child; i; i = branches->all[i].next)
		children++;
	if (children < 2)
		return 0;
	size = fold_table_reset(table, children);
	if (size < 0)
		return size;
	while ((i = *link)) {
		uint32_t slot = branches->all[i].hash & (size - 1);

		while (table->slots[slot] && !alike(branches, table->slots[slot], i))
			slot = (slot + 1) & (size - 1);
		if (table->slots[slot]) {
			merge(branches, table->slots[slot], i);
			*link = branches->all[i].next;
		} else {
			table->slots[slot] = i;
			link = &branches->all[i].next;
		}
	}
	return 0;
}

int branches_fold(struct branches *branches)
{
	struct fold_table table = { NULL, 0 };
	uint32_t i;
	int ret = 0;

	for (i = branches->count; i-- && !ret;) {
		struct branch *b = &branches->all[i];

		if (!b->shown && i)
			continue;
		ret = fold_children(branches, b, &table);
		if (i)
			hash_branch(branches, b);
	}
	free(table.slots);
	return ret;
}
