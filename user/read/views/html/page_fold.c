// SPDX-License-Identifier: GPL-2.0-only
/*
 * More lives than a browser is to show: the longest stay, and those that failed, each with its
 * ancestors. Among all others, siblings of one program become one row, by level: below the same row, so
 * that the tree keeps its shape.
 */
#include "output/message.h"
#include "views/html/page.h"
#include <stdlib.h>

#define TRIES 24   /* each has about a third less of the lives that stay */
#define CLOSER 4   /* and this many come closer to where there is just no more room */

struct folding {
	struct page *page;
	const uint32_t *order; /* parents before their children */
	uint32_t count;
	uint32_t most;
	uint64_t *weights; /* of each in the order; a parent's is no less than its children's */
	uint32_t *ranked;  /* places in the order, the heaviest first */
	uint32_t *place;   /* of each life, in the order */
	uint32_t *line_of; /* of each place, the place whose row it is in */
	struct numbers keys;
};

static void *room_for(size_t n, size_t size)
{
	void *room = calloc(n + 1, size);

	if (!room)
		die_no_memory();
	return room;
}

static void weigh(struct folding *folding)
{
	const struct page *page = folding->page;
	uint32_t i, parent;

	for (i = 0; i < folding->count; i++)
		folding->place[folding->order[i]] = i;
	for (i = folding->count; i--;) {
		const struct page_life *life = &page->all[folding->order[i]];
		uint64_t weight = page_life_time(page, life) >> 1;

		if (life->failed && life->shown)
			weight |= UINT64_C(1) << 63;
		if (weight > folding->weights[i])
			folding->weights[i] = weight;
		if (life->parent == NOBODY)
			continue;
		parent = folding->place[life->parent];
		if (folding->weights[i] > folding->weights[parent])
			folding->weights[parent] = folding->weights[i];
	}
}

/* If two weigh the same, the parent comes first. */
static int by_weight(const void *a, const void *b, void *data)
{
	const uint64_t *weights = data;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	if (weights[i] != weights[j])
		return weights[i] > weights[j] ? -1 : 1;
	return i < j ? -1 : i > j;
}

struct key {
	uint32_t line;
	uint32_t comm;
	uint32_t context;
};

/*
 * Gives each place its row if the @alone heaviest have their own. Where there are more rows than there
 * may be, the rest goes into the last one, if that has to be. Return: how many rows there are.
 */
static uint32_t group(struct folding *folding, uint32_t alone, bool has_to_be)
{
	const struct page *page = folding->page;
	uint32_t rows = alone, i, last = NOBODY;
	uint32_t *first = room_for(folding->most, sizeof(*first)), number;

	numbers_clear(&folding->keys);
	for (i = 0; i < folding->count; i++)
		folding->line_of[i] = NOBODY;
	for (i = 0; i < alone; i++)
		folding->line_of[folding->ranked[i]] = folding->ranked[i];
	for (i = 0; i < folding->count && rows <= folding->most; i++) {
		const struct page_life *life = &page->all[folding->order[i]];
		struct key key = {
			.line = life->parent == NOBODY ? NOBODY :
				folding->line_of[folding->place[life->parent]],
			.comm = page_kin(page, life)->comm,
			.context = !life->shown,
		};

		if (folding->line_of[i] == i)
			continue;
		if (has_to_be && rows == folding->most) {
			number = number_found(&folding->keys, &key, sizeof(key));
			folding->line_of[i] = number ? first[number - 1] : last;
			continue;
		}
		number = page_number(&folding->keys, &key, sizeof(key));
		if (number > rows - alone) {
			first[number - 1] = i;
			last = i;
			rows++;
		}
		folding->line_of[i] = first[number - 1];
	}
	free(first);
	return rows;
}

static void find_lines(struct folding *folding)
{
	uint32_t alone = folding->most, too_many = folding->most, tries;

	for (tries = 0; tries < TRIES && group(folding, alone, false) > folding->most; tries++) {
		too_many = alone;
		alone -= alone / 3;
	}
	if (tries == TRIES) {
		group(folding, 0, true);
		return;
	}
	for (tries = 0; tries < CLOSER; tries++) {
		uint32_t middle = alone + (too_many - alone) / 2;

		if (group(folding, middle, false) <= folding->most)
			alone = middle;
		else
			too_many = middle;
	}
	group(folding, alone, false);
}

static void add_to(const struct page *page, struct page_fold *fold, const struct page_life *life)
{
	uint64_t seen = page_kin(page, life)->born, last = seen + page_life_time(page, life) - life->before;

	if (!fold->count || seen < fold->first)
		fold->first = seen;
	if (last > fold->last)
		fold->last = last;
	fold->count++;
	fold->ended += life->ended;
	fold->failed += life->failed;
	fold->unsure += life->unsure;
	add_count(&fold->runtime, page_kin(page, life)->runtime);
	if (life->max_rss > fold->max_rss)
		fold->max_rss = life->max_rss;
}

/* The longest of each row, which stands for the others. */
static void choose_longest(struct folding *folding, uint32_t *longest, uint32_t *members)
{
	const struct page *page = folding->page;
	uint32_t i;

	for (i = 0; i < folding->count; i++) {
		uint32_t line = folding->line_of[i];

		if (!members[line]++ || page_life_time(page, &page->all[folding->order[i]]) >
						page_life_time(page, &page->all[folding->order[longest[line]]]))
			longest[line] = i;
	}
}

/* Rows are in the order of the ids of those that stand for them. */
static void make_rows(struct folding *folding, uint32_t rows)
{
	struct page *page = folding->page;
	uint32_t *longest = room_for(folding->count, sizeof(*longest));
	uint32_t *members = room_for(folding->count, sizeof(*members));
	uint32_t *fold_of = room_for(rows, sizeof(*fold_of)), i, row;

	choose_longest(folding, longest, members);
	page->rows = room_for(rows, sizeof(*page->rows));
	page->folds = room_for(rows, sizeof(*page->folds));
	for (i = 0; i < folding->count; i++)
		if (folding->line_of[i] == i)
			page->row_of[folding->order[longest[i]]] = 0;
	for (i = 0; i < page->count; i++) {
		if (page->row_of[i] == NOBODY)
			continue;
		page->row_of[i] = page->row_count;
		page->rows[page->row_count++] = i;
	}
	for (i = 0; i < folding->count; i++) {
		uint32_t line = folding->line_of[i];

		row = page->row_of[folding->order[longest[line]]];
		page->row_of[folding->order[i]] = row;
		if (members[line] < 2)
			continue;
		if (!fold_of[row]) {
			page->folds[page->fold_count].row = row;
			fold_of[row] = ++page->fold_count;
		}
		add_to(page, &page->folds[fold_of[row] - 1], &page->all[folding->order[i]]);
		page->folded += page->all[folding->order[i]].shown;
	}
	free(longest);
	free(members);
	free(fold_of);
}

void page_fold(struct page *page, const uint32_t *order, uint32_t count, uint32_t most)
{
	struct folding folding = { .page = page, .order = order, .count = count, .most = most };
	uint32_t i, rows = 0;

	folding.weights = room_for(count, sizeof(*folding.weights));
	folding.ranked = room_for(count, sizeof(*folding.ranked));
	folding.line_of = room_for(count, sizeof(*folding.line_of));
	folding.place = room_for(page->count, sizeof(*folding.place));
	weigh(&folding);
	for (i = 0; i < count; i++)
		folding.ranked[i] = i;
	qsort_r(folding.ranked, count, sizeof(*folding.ranked), by_weight, folding.weights);
	find_lines(&folding);
	for (i = 0; i < count; i++)
		rows += folding.line_of[i] == i;
	make_rows(&folding, rows);
	numbers_free(&folding.keys);
	free(folding.weights);
	free(folding.ranked);
	free(folding.line_of);
	free(folding.place);
}
