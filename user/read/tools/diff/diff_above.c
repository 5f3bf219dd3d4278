// SPDX-License-Identifier: GPL-2.0-only
/* --diff: what has started those that have changed, and so lives longer or shorter with them. */
#include "output/message.h"
#include "tools/diff/diff_parts.h"
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *key, const void *row)
{
	return strcmp(key, ((const struct row *)row)->group->name);
}

/* By name they are sorted, and all are known. */
static struct row *find_row(const struct diff *diff, const char *comm)
{
	return bsearch(comm, diff->rows, diff->row_count, sizeof(*diff->rows), compare_names);
}

struct link {
	struct row *child;
	struct row *parent;
};

static int compare_links(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	return (x->child > y->child) - (x->child < y->child);
}

static struct link *list_links(const struct diff *diff, size_t *count)
{
	const struct lineage_link *link;
	struct link *links;
	size_t n = 0, r, i;

	for (r = 0; r < diff->runs; r++)
		for (i = 0; lineage_link(diff_lineage_of(diff, r), i); i++)
			n++;
	links = calloc(n + 1, sizeof(*links));
	if (!links)
		die_no_memory();
	for (*count = 0, r = 0; r < diff->runs; r++)
		for (i = 0; (link = lineage_link(diff_lineage_of(diff, r), i)); i++) {
			links[*count].child = find_row(diff, link->child);
			links[*count].parent = find_row(diff, link->parent);
			*count += links[*count].child && links[*count].parent;
		}
	qsort(links, *count, sizeof(*links), compare_links);
	return links;
}

/* In steps, so that each is looked at once. */
void diff_mark_above(struct diff *diff)
{
	struct row **rows = calloc(2 * diff->row_count + 1, sizeof(*rows)), *row;
	size_t count, n = 0, at, low, high, i;
	struct link *links = list_links(diff, &count);

	if (!rows)
		die_no_memory();
	for (i = 0; i < diff->row_count; i++)
		if (diff->rows[i].changed & (FIGURE(ALONE) | FIGURE(LIVES)))
			rows[n++] = &diff->rows[i];
	for (at = 0; at < n; at++) {
		for (low = 0, high = count; low < high;) {
			size_t middle = (low + high) / 2;

			if (links[middle].child < rows[at])
				low = middle + 1;
			else
				high = middle;
		}
		for (; low < count && links[low].child == rows[at]; low++) {
			row = links[low].parent;
			if (row->above)
				continue;
			row->above = true;
			rows[n++] = row;
		}
	}
	free(links);
	free(rows);
}
