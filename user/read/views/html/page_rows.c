// SPDX-License-Identifier: GPL-2.0-only
/* Which lives are rows of the page: those that are shown, and for the tree, their ancestors. */
#include "output/message.h"
#include "views/html/page.h"
#include <stdlib.h>

static void link_parents(struct page *page)
{
	uint32_t i;

	for (i = 0; i < page->count; i++)
		page->all[i].parent = id_find(page->all, page->count, sizeof(*page->all), page->all[i].parent_id);
}

/* The first child and the next sibling of each life; the roots are children of the last entry. */
struct below {
	uint32_t *child;
	uint32_t *next;
};

static uint32_t *none(size_t n)
{
	uint32_t *all = malloc(n * sizeof(*all));
	size_t i;

	if (!all)
		die_no_memory();
	for (i = 0; i < n; i++)
		all[i] = NOBODY;
	return all;
}

/* Backwards, the last of siblings is met first. */
static void link_children(struct page *page, struct below *below)
{
	uint32_t i, parent;

	below->child = none((size_t)page->count + 1);
	below->next = none(page->count);
	for (i = page->count; i--;) {
		parent = page->all[i].parent == NOBODY ? page->count : page->all[i].parent;
		below->next[i] = below->child[parent];
		below->child[parent] = i;
	}
}

/* All that descend from this one, which is put behind @count others, parents before their children. */
static uint32_t add_below(const struct below *below, uint32_t *order, uint32_t count, uint32_t first,
			  bool *reached)
{
	uint32_t at = count, child;

	order[count++] = first;
	reached[first] = true;
	for (; at < count; at++) {
		for (child = below->child[order[at]]; child != NOBODY; child = below->next[child]) {
			if (reached[child]) /* where a circle closes */
				continue;
			reached[child] = true;
			order[count++] = child;
		}
	}
	return count;
}

/* Where handles made a circle of some, the first of them becomes a root. */
static void put_in_order(struct page *page, uint32_t *order)
{
	bool *reached = calloc((size_t)page->count + 1, sizeof(*reached));
	uint32_t count = 0, i;
	struct below below;

	if (!reached)
		die_no_memory();
	link_children(page, &below);
	for (i = below.child[page->count]; i != NOBODY; i = below.next[i])
		count = add_below(&below, order, count, i, reached);
	for (i = 0; i < page->count; i++) {
		if (reached[i])
			continue;
		page->all[i].parent = NOBODY;
		count = add_below(&below, order, count, i, reached);
	}
	free(below.child);
	free(below.next);
	free(reached);
}

/* Backwards, children are met before their parents. Returns how many of the order are left. */
static uint32_t leave_out(struct page *page, uint32_t *order)
{
	uint32_t i, kept = 0;

	for (i = page->count; i--;) {
		const struct page_life *life = &page->all[order[i]];

		if ((life->shown || life->context) && life->parent != NOBODY)
			page->all[life->parent].context = !page->all[life->parent].shown;
	}
	for (i = 0; i < page->count; i++)
		if (page->all[order[i]].shown || page->all[order[i]].context)
			order[kept++] = order[i];
	return kept;
}

/* Without a record, or with --from and --to beyond them all, there is nothing to show: no time. */
uint64_t page_from(const struct run *run)
{
	uint64_t from = run_from(run), to = run_to(run);

	return from && from < to ? from : to;
}

static void find_begin(struct page *page)
{
	uint32_t i;

	page->begin = page_from(page->run);
	for (i = 0; i < page->count; i++) {
		const struct page_life *life = &page->all[i];

		if ((life->shown || life->context) && (!page->begin || page_kin(page, life)->born < page->begin))
			page->begin = page_kin(page, life)->born;
	}
}

uint64_t page_life_time(const struct page *page, const struct page_life *life)
{
	uint64_t seen = page_kin(page, life)->born;
	uint64_t end = life->lived_to ? life->lived_to : page->run->ended;

	return (end > seen ? end - seen : 0) + life->before;
}

/* Each life has its own row. */
static void make_rows(struct page *page, uint32_t count)
{
	uint32_t i;

	page->rows = malloc(((size_t)count + 1) * sizeof(*page->rows));
	if (!page->rows)
		die_no_memory();
	for (i = 0; i < page->count; i++) {
		if (!page->all[i].shown && !page->all[i].context)
			continue;
		page->row_of[i] = page->row_count;
		page->rows[page->row_count++] = i;
	}
}

void page_choose_rows(struct page *page, uint32_t most)
{
	uint32_t *order, count;

	id_sort(page->all, page->count, sizeof(*page->all));
	order = none((size_t)page->count + 1);
	page->row_of = none((size_t)page->count + 1);
	link_parents(page);
	put_in_order(page, order);
	count = leave_out(page, order);
	find_begin(page);
	if (count > most)
		page_fold(page, order, count, most);
	else
		make_rows(page, count);
	free(order);
}
