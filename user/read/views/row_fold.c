// SPDX-License-Identifier: GPL-2.0-only
/* Siblings that are alike become one line. */
#include "views/row.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Who does not know where it begins and what it is multiplied by cannot choose what it comes to. */
static uint64_t mix(const struct branches *branches, uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * branches->secret[1];
	return hash ^ (hash >> 32);
}

/* Who brought it up, as far as a line tells: 0 for its parent. */
static uint32_t unusual(uint32_t tgid, const struct proclife_node *node)
{
	return tgid == node->parent_tgid || tgid == node->tgid ? 0 : tgid;
}

static bool same_killer(const struct proclife_node *x, const struct proclife_node *y)
{
	const struct proclife_killer *a = x->common->killer, *b = y->common->killer;

	if (a == b)
		return true;
	/* Of who did it himself, no pid is shown. */
	return a && b && a->tgid == x->tgid && b->tgid == y->tgid && a->code == b->code;
}

static bool same_extras(unsigned int show, const struct proclife_node *x,
			const struct proclife_node *y)
{
	if (show & SHOW_PIDNS && (x->common->ns_pid || y->common->ns_pid ||
				  x->common->ns_inum != y->common->ns_inum))
		return false;
	if (show & SHOW_CGROUP && x->common->cgroup != y->common->cgroup)
		return false;
	return !(show & SHOW_UID) || x->uid == y->uid;
}

/* All that a line of the tree shows, but for the figures and the pid. */
static bool same_line(const struct branches *branches, const struct branch *a,
		      const struct branch *b)
{
	const struct proclife_node *x = a->node, *y = b->node;

	if (!branch_cut_off(branches, a)->processes != !branch_cut_off(branches, b)->processes)
		return false;
	return a->context == b->context && x->comm == y->comm && x->path == y->path &&
	       x->args == y->args && x->args_cut == y->args_cut && same_killer(x, y) &&
	       x->exit_code == y->exit_code && x->threads == y->threads &&
	       same_extras(branches->show, x, y) && x->state == y->state &&
	       !x->exited == !y->exited &&
	       !x->reaped == !y->reaped &&
	       !x->freed == !y->freed && x->older == y->older && x->incomplete == y->incomplete &&
	       unusual(x->creator_tgid, x) == unusual(y->creator_tgid, y) &&
	       unusual(x->reaper_tgid, x) == unusual(y->reaper_tgid, y);
}

/* Of all that has to be the same: those that differ in anything are not compared again and again. */
static void hash_branch(const struct branches *branches, struct branch *b)
{
	const struct proclife_node *node = b->node;
	const struct proclife_common *common = node->common;
	uint64_t words[] = {
		(uintptr_t)node->comm,
		(uintptr_t)node->path,
		(uintptr_t)node->args,
		(uint64_t)node->threads << 32 | (uint32_t)node->exit_code,
		(uint64_t)unusual(node->creator_tgid, node) << 32 |
			unusual(node->reaper_tgid, node),
		branches->show & SHOW_CGROUP ? common->cgroup : 0,
		branches->show & SHOW_UID ? node->uid : 0,
		!common->killer			      ? 0 :
		common->killer->tgid != node->tgid ? (uintptr_t)common->killer :
						     (uint32_t)common->killer->code,
		branches->show & SHOW_PIDNS && common->ns_pid ? node->id : 0, /* like no other */
		(uint64_t)(branches->show & SHOW_PIDNS ? common->ns_inum : 0) << 32 |
			(uint64_t)node->state << 8 | node->args_cut << 7 | !node->exited << 6 |
			!node->reaped << 5 | !node->freed << 4 | node->older << 3 |
			node->incomplete << 2 | b->context << 1 |
			!branch_cut_off(branches, b)->processes,
	};
	uint64_t hash = branches->secret[0];
	uint32_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hash = mix(branches, hash, words[i]);
	for (i = b->child; i; i = branches->all[i].next)
		hash = mix(branches, hash,
			   (uint64_t)branches->all[i].hash << 32 | branches->all[i].count);
	b->hash = (uint32_t)hash;
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

		if (!same_line(branches, x, y) || !x->child != !y->child ||
		    x->count * many_b != y->count * many_a || (i != a && !x->next != !y->next))
			return false;
		i = step(branches, i, a);
		j = step(branches, j, b);
	}
	return !i && !j;
}

static int merge_line(struct branches *branches, struct branch *x, struct branch *y)
{
	struct figures of_x = branch_figures(branches, x), of_y = branch_figures(branches, y);
	struct cut_off cut = *branch_cut_off(branches, y);
	struct sums *sums = branch_sums(branches, x);

	if (!sums)
		return -ENOMEM;
	x->count += y->count;
	sums->figures = of_x;
	sums->figures.runtime += of_y.runtime;
	if (of_y.life > of_x.life)
		sums->figures.life = of_y.life;
	if (of_y.life_known)
		sums->figures.life_known = true;
	if (of_y.max_rss > of_x.max_rss)
		sums->figures.max_rss = of_y.max_rss;
	sums->cut.runtime += cut.runtime;
	sums->cut.processes += cut.processes;
	sums->cut.failed += cut.failed;
	return 0;
}

static int merge(struct branches *branches, uint32_t a, uint32_t b)
{
	uint32_t i = a, j = b;

	while (i && j) {
		if (merge_line(branches, &branches->all[i], &branches->all[j]))
			return -ENOMEM;
		branches->lines--;
		branches->folded = true;
		i = step(branches, i, a);
		j = step(branches, j, b);
	}
	return 0;
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
			if (merge(branches, table->slots[slot], i))
				return -ENOMEM;
			*link = branches->all[i].next;
		} else {
			table->slots[slot] = i;
			link = &branches->all[i].next;
		}
	}
	return 0;
}

int branches_fold(struct branches *branches, unsigned int show)
{
	struct fold_table table = { NULL, 0 };
	uint32_t i;
	int ret = 0;

	branches->show = show;
	/* If it is not to be had, addresses have to do. */
	if (getrandom(branches->secret, sizeof(branches->secret), GRND_NONBLOCK) !=
	    sizeof(branches->secret))
		branches->secret[0] = branches->secret[1] = (uintptr_t)branches->all;
	branches->secret[1] |= 1;
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
