// SPDX-License-Identifier: GPL-2.0-only
/*
 * Siblings that are alike become one line, and so do their children: by the first level of likeness
 * at which the tree is short enough. Where none makes it short enough, the lines that cost least are cut.
 */
#include "output/count.h"
#include "views/tree/row_kind.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int remember(uint32_t **first, uint32_t *room, uint32_t number, uint32_t i)
{
	if (number >= *room) {
		uint32_t *moved = reallocarray(*first, 2 * (size_t)number + 64, sizeof(*moved));

		if (!moved)
			return -ENOMEM;
		*first = moved;
		*room = 2 * number + 64;
	}
	(*first)[number] = i;
	return 0;
}

/*
 * Puts each row into the line of the first one of its kind below the same line. Parents stand before
 * their children, so one pass is enough. Return: 0; 1 if there are more lines than @most; a negative
 * errno.
 */
static int group(struct rows *rows, struct numbers *numbers, uint32_t most)
{
	uint32_t *first = NULL, room = 0, i;
	int ret = 0;

	numbers_clear(numbers);
	for (i = 1; i < rows->count && !ret; i++) {
		const uint32_t key[] = { rows->line_of[rows->all[i].parent], rows->all[i].kind };
		uint32_t before = numbers->count, number;

		if (!rows->all[i].shown)
			continue;
		number = number_of(numbers, key, sizeof(key));
		ret = number ? number > most : -ENOMEM;
		if (!ret && number > before)
			ret = remember(&first, &room, number, i);
		if (!ret) /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): one was remembered */
			rows->line_of[i] = first[number];
	}
	free(first);
	return ret;
}

/* The lines stay linked, and each of their parents is a line. */
static void link_lines(struct rows *rows)
{
	uint32_t i;

	for (i = 0; i < rows->count; i++)
		rows->all[i].child = 0;
	rows->lines = 0;
	for (i = rows->count - 1; i; i--) {
		struct row *b = &rows->all[i], *parent;

		if (!b->shown || rows->line_of[i] != i)
			continue;
		b->parent = rows->line_of[b->parent];
		parent = &rows->all[b->parent];
		b->next = parent->child;
		parent->child = i;
		rows->lines++;
	}
}

/* Puts the members of each line side by side, and counts them. @members: room for all rows. */
static void order_members(struct rows *rows, uint32_t *members)
{
	struct row *all = rows->all;
	uint32_t next = 0, i;

	for (i = 1; i < rows->count; i++)
		if (all[i].shown && rows->line_of[i] != i)
			all[rows->line_of[i]].count++;
	/* `kind` has served: where the next member of the line goes. */
	for (i = 1; i < rows->count; i++) {
		if (!all[i].shown || rows->line_of[i] != i)
			continue;
		all[i].kind = next;
		next += all[i].count;
	}
	for (i = 1; i < rows->count; i++)
		if (all[i].shown)
			members[all[rows->line_of[i]].kind++] = i;
	rows->members = members;
}

static void add_figures(struct rows *rows, struct sums *sums, uint32_t i)
{
	struct figures figures = node_figures(rows, rows->all[i].node);

	add_count(&sums->figures.runtime, figures.runtime);
	if (figures.max_rss > sums->figures.max_rss)
		sums->figures.max_rss = figures.max_rss;
	if (!figures.life_known ||
	    (sums->figures.life_known && figures.life <= sums->figures.life))
		return;
	sums->figures.life_known = true;
	sums->figures.life = figures.life;
	sums->figures.at_least = figures.at_least;
	sums->slowest = i;
}

static bool same_killer(const struct proclife_node *x, const struct proclife_node *y)
{
	const struct proclife_killer *a = node_killer(x), *b = node_killer(y);

	if (a == b)
		return true;
	/* If the process did it itself, no pid is shown. */
	return a && b && a->tgid == x->tgid && b->tgid == y->tgid && a->code == b->code && a->cause == b->cause &&
	       a->oom_cgroup == b->oom_cgroup;
}

static unsigned int differ(const struct proclife_node *x, const struct proclife_node *y)
{
	return (node_exit_code(x) == node_exit_code(y) ? 0 : DIFFER_END) |
	       (same_killer(x, y) ? 0 : DIFFER_KILLER) |
	       (x->common->threads == y->common->threads ? 0 : DIFFER_THREADS) |
	       (node_creator(x) == node_creator(y) ? 0 : DIFFER_CREATOR) |
	       (node_reaper(x) == node_reaper(y) ? 0 : DIFFER_REAPER) |
	       (x->parent_tgid == y->parent_tgid ? 0 : DIFFER_PARENT) |
	       (x->common->failed_exec == y->common->failed_exec ? 0 : DIFFER_FAILED_EXEC);
}

/* A table of addresses; open addressing, at most half full. */
struct addresses {
	uintptr_t *slots;
	size_t size; /* a power of two */
};

/* How many different texts there are: they are interned, so their addresses differ. */
static int count_command_lines(struct rows *rows, struct sums *sums, uint32_t count,
			       struct addresses *seen, uint64_t secret)
{
	const uint32_t *members = rows->members + sums->members;
	size_t size = 16, at;
	uint32_t i;

	while (size < 2 * (size_t)count)
		size *= 2;
	if (size > seen->size) {
		free(seen->slots);
		seen->size = 0;
		seen->slots = malloc(size * sizeof(*seen->slots));
		if (!seen->slots)
			return -ENOMEM;
		seen->size = size;
	}
	memset(seen->slots, 0, size * sizeof(*seen->slots));
	for (i = 0; i < count; i++) {
		const struct proclife_node *node = rows->all[members[i]].node;
		uintptr_t text = (uintptr_t)(node->args ? node->args : node->path);

		/* One without either differs from all others, and is 1 here: no address is. */
		text = text ? text : 1;
		at = numbers_mix(text, 0, secret) & (size - 1);
		while (seen->slots[at] && seen->slots[at] != text)
			at = (at + 1) & (size - 1);
		sums->command_lines += !seen->slots[at];
		seen->slots[at] = text;
	}
	return 0;
}

/* The figures of a line that stands for several. */
static int add_up(struct rows *rows, uint32_t line, struct addresses *seen, uint64_t secret)
{
	struct row *b = &rows->all[line];
	struct sums *sums = row_sums(rows, b);
	uint32_t i;

	if (!sums)
		return -ENOMEM;
	rows->several = true;
	sums->members = b->kind - b->count;
	sums->slowest = line;
	sums->figures.at_least = node_figures(rows, b->node).at_least;
	for (i = 0; i < b->count; i++) {
		uint32_t member = rows->members[sums->members + i];
		const struct row *other = &rows->all[member];
		const struct cut_off *cut = row_cut_off(rows, other);

		add_figures(rows, sums, member);
		sums->failed += node_failed(other->node);
		if (sums->execs < other->node->execs)
			sums->execs = other->node->execs;
		sums->incomplete += other->node->incomplete;
		sums->differ |= differ(b->node, other->node);
		if (member == line)
			continue;
		sums->cut.processes += cut->processes;
		sums->cut.failed += cut->failed;
		add_count(&sums->cut.runtime, cut->runtime);
	}
	return count_command_lines(rows, sums, b->count, seen, secret);
}

static int add_up_lines(struct rows *rows, uint64_t secret)
{
	struct addresses seen = { NULL, 0 };
	int ret = 0;
	uint32_t i;

	for (i = 1; i < rows->count && !ret; i++)
		if (rows->all[i].shown && rows->line_of[i] == i && rows->all[i].count > 1)
			ret = add_up(rows, i, &seen, secret);
	free(seen.slots);
	return ret;
}

/* What a line that is not shown any more stands for is counted at the nearest one above that is. */
static int count_hidden_lines(struct rows *rows)
{
	struct row *all = rows->all;
	uint32_t i;

	for (i = 1; i < rows->count; i++) {
		uint32_t line = rows->line_of[i], parent = all[line].parent;
		const struct proclife_node *node = all[i].node;
		struct cut_off before;
		struct sums *sums;

		if (!line)
			continue;
		if (all[line].shown) {
			all[i].shown = true;
			continue;
		}
		if (line == i && !all[parent].shown)
			parent = all[i].parent = all[parent].parent;
		before = line == i ? *row_cut_off(rows, &all[i]) : (struct cut_off){ 0 };
		sums = row_sums(rows, &all[parent]);
		if (!sums)
			return -ENOMEM;
		sums->cut.processes += 1 + before.processes;
		sums->cut.failed += node_failed(node) + before.failed;
		add_count(&sums->cut.runtime, node->runtime);
		add_count(&sums->cut.runtime, before.runtime);
	}
	return 0;
}

/* A line weighs its CPU time and the time of all below it: so no line stays without its parent. */
static int keep_most(struct rows *rows, uint32_t most)
{
	uint64_t *weights = calloc(rows->count, sizeof(*weights));
	uint32_t i;
	int ret;

	if (!weights)
		return -ENOMEM;
	for (i = rows->count - 1; i; i--) {
		uint32_t line = rows->line_of[i];

		if (!line)
			continue;
		weights[line] += rows->all[i].node->runtime;
		if (line == i)
			weights[rows->all[i].parent] += weights[i];
		rows->all[i].shown = line == i;
	}
	ret = rows_keep(rows, most, weights);
	free(weights);
	rows->cheap_cut = true;
	return ret ? ret : count_hidden_lines(rows);
}

/* The lines stand; now their figures, and what is linked. */
static int make_lines(struct rows *rows, struct kinds *kinds, uint32_t most)
{
	int ret;

	order_members(rows, kinds->program);
	kinds->program = NULL;
	ret = add_up_lines(rows, kinds->programs.secret[1]);
	link_lines(rows);
	if (!ret && rows->lines > most) {
		ret = keep_most(rows, most);
		link_lines(rows);
	}
	return ret;
}

int rows_fold(struct rows *rows, unsigned int show, bool more, uint32_t most)
{
	enum fold_level level = more ? FOLD_COUNTS : FOLD_LINES;
	uint32_t before = rows->lines;
	struct kinds kinds;
	int ret;

	rows->show = show;
	rows->line_of = calloc(rows->count, sizeof(*rows->line_of));
	ret = kinds_init(&kinds, rows);
	if (!rows->line_of)
		ret = -ENOMEM;
	for (; !ret; level++) {
		uint32_t limit = level < FOLD_PROGRAMS ? most : UINT32_MAX;

		ret = kinds_find(&kinds, level, most);
		if (!ret)
			ret = group(rows, &kinds.numbers, limit);
		if (ret <= 0)
			break;
		ret = 0;
	}
	if (!ret)
		ret = make_lines(rows, &kinds, most);
	if (rows->lines < before)
		rows->unfolded = before;
	rows->by_program = level >= FOLD_ENDS;
	kinds_free(&kinds);
	return ret;
}
