// SPDX-License-Identifier: GPL-2.0-only
/* Siblings that are alike become one line. */
#include "views/row.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Who does not know where it begins and what it is multiplied by cannot choose what it comes to. */
static uint64_t mix(const struct rows *rows, uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * rows->secret[1];
	return hash ^ (hash >> 32);
}

/* Who brought it up, as far as a line tells: 0 for its parent. */
static uint32_t unusual(uint32_t tgid, const struct proclife_node *node)
{
	return tgid == node->parent_tgid || tgid == node->tgid ? 0 : tgid;
}

/* As a line shows it: of a zombie that is older than the trace, it says nothing of the end. */
static int32_t exit_code(const struct proclife_node *node)
{
	return node->marks.exited ? node->exit_code : 0;
}

static const struct proclife_killer *killer(const struct proclife_node *node)
{
	return exit_code(node) ? node->common->killer : NULL;
}

static bool same_killer(const struct proclife_node *x, const struct proclife_node *y)
{
	const struct proclife_killer *a = killer(x), *b = killer(y);

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
	return !(show & SHOW_UID) || x->common->uid == y->common->uid;
}

/* All that a line of the tree shows, but for the figures and the pid. */
static bool same_line(const struct rows *rows, const struct row *a,
		      const struct row *b)
{
	const struct proclife_node *x = a->node, *y = b->node;

	if (!row_cut_off(rows, a)->processes != !row_cut_off(rows, b)->processes)
		return false;
	return a->context == b->context && x->comm == y->comm && x->path == y->path &&
	       x->args == y->args && x->args_cut == y->args_cut && same_killer(x, y) &&
	       exit_code(x) == exit_code(y) && x->common->threads == y->common->threads &&
	       same_extras(rows->show, x, y) && x->state == y->state &&
	       !x->marks.exited == !y->marks.exited &&
	       !x->marks.reaped == !y->marks.reaped &&
	       !x->marks.freed == !y->marks.freed && x->older == y->older &&
	       x->incomplete == y->incomplete &&
	       unusual(x->creator_tgid, x) == unusual(y->creator_tgid, y) &&
	       unusual(x->reaper_tgid, x) == unusual(y->reaper_tgid, y);
}

/* Of all that has to be the same: those that differ in anything are not compared again and again. */
static void hash_row(const struct rows *rows, struct row *b)
{
	const struct proclife_node *node = b->node;
	const struct proclife_common *common = node->common;
	uint64_t words[] = {
		(uintptr_t)node->comm,
		(uintptr_t)node->path,
		(uintptr_t)node->args,
		(uint64_t)node->common->threads << 32 | (uint32_t)exit_code(node),
		(uint64_t)unusual(node->creator_tgid, node) << 32 |
			unusual(node->reaper_tgid, node),
		rows->show & SHOW_CGROUP ? common->cgroup : 0,
		rows->show & SHOW_UID ? node->common->uid : 0,
		!killer(node)			   ? 0 :
		killer(node)->tgid != node->tgid ? (uintptr_t)killer(node) :
						   (uint32_t)killer(node)->code,
		rows->show & SHOW_PIDNS && common->ns_pid ? node->id : 0, /* like no other */
		(uint64_t)(rows->show & SHOW_PIDNS ? common->ns_inum : 0) << 32 |
			(uint64_t)node->state << 8 | node->args_cut << 7 |
			!node->marks.exited << 6 | !node->marks.reaped << 5 |
			!node->marks.freed << 4 | node->older << 3 |
			node->incomplete << 2 | b->context << 1 |
			!row_cut_off(rows, b)->processes,
	};
	uint64_t hash = rows->secret[0];
	uint32_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hash = mix(rows, hash, words[i]);
	for (i = b->child; i; i = rows->all[i].next)
		hash = mix(rows, hash,
			   (uint64_t)rows->all[i].hash << 32 | rows->all[i].count);
	b->hash = (uint32_t)hash;
}

/* The row after i, depth first, without leaving the one at root; 0 at the end. */
static uint32_t step(const struct rows *rows, uint32_t i, uint32_t root)
{
	if (rows->all[i].child)
		return rows->all[i].child;
	while (i != root && !rows->all[i].next)
		i = rows->all[i].parent;
	return i == root ? 0 : rows->all[i].next;
}

/* Counts are compared as they are in one of those that a row already stands for. */
static bool alike(const struct rows *rows, uint32_t a, uint32_t b)
{
	uint64_t many_a = rows->all[a].count, many_b = rows->all[b].count;
	uint32_t i = a, j = b;

	if (rows->all[a].hash != rows->all[b].hash)
		return false;
	while (i && j) {
		const struct row *x = &rows->all[i], *y = &rows->all[j];

		if (!same_line(rows, x, y) || !x->child != !y->child ||
		    x->count * many_b != y->count * many_a || (i != a && !x->next != !y->next))
			return false;
		i = step(rows, i, a);
		j = step(rows, j, b);
	}
	return !i && !j;
}

static int merge_line(struct rows *rows, struct row *x, struct row *y)
{
	struct figures of_x = row_figures(rows, x), of_y = row_figures(rows, y);
	struct cut_off cut = *row_cut_off(rows, y);
	struct sums *sums = row_sums(rows, x);

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

static int merge(struct rows *rows, uint32_t a, uint32_t b)
{
	uint32_t i = a, j = b;

	while (i && j) {
		if (merge_line(rows, &rows->all[i], &rows->all[j]))
			return -ENOMEM;
		rows->lines--;
		rows->folded = true;
		i = step(rows, i, a);
		j = step(rows, j, b);
	}
	return 0;
}

/* A table of rows by hash; open addressing, always less than half full. */
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

/* The children of one row have their final shape: fold those that are alike. */
static int fold_children(struct rows *rows, struct row *parent, struct fold_table *table)
{
	uint32_t children = 0, i;
	uint32_t *link = &parent->child;
	int size;

	for (i = parent->child; i; i = rows->all[i].next)
		children++;
	if (children < 2)
		return 0;
	size = fold_table_reset(table, children);
	if (size < 0)
		return size;
	while ((i = *link)) {
		uint32_t slot = rows->all[i].hash & (size - 1);

		while (table->slots[slot] && !alike(rows, table->slots[slot], i))
			slot = (slot + 1) & (size - 1);
		if (table->slots[slot]) {
			if (merge(rows, table->slots[slot], i))
				return -ENOMEM;
			*link = rows->all[i].next;
		} else {
			table->slots[slot] = i;
			link = &rows->all[i].next;
		}
	}
	return 0;
}

int rows_fold(struct rows *rows, unsigned int show)
{
	struct fold_table table = { NULL, 0 };
	uint32_t i;
	int ret = 0;

	rows->show = show;
	/* If it is not to be had, addresses have to do. */
	if (getrandom(rows->secret, sizeof(rows->secret), GRND_NONBLOCK) !=
	    sizeof(rows->secret))
		rows->secret[0] = rows->secret[1] = (uintptr_t)rows->all;
	rows->secret[1] |= 1;
	for (i = rows->count; i-- && !ret;) {
		struct row *b = &rows->all[i];

		if (!b->shown && i)
			continue;
		ret = fold_children(rows, b, &table);
		if (i)
			hash_row(rows, b);
	}
	free(table.slots);
	return ret;
}
