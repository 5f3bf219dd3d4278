// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "tools/diff/diff_parts.h"
#include <stdlib.h>
#include <string.h>

const char *figure_name(const struct diff *diff, enum figure figure)
{
	if (figure == FIGURE_FAILED)
		return "failed";
	if (figure == FIGURE_LIVES)
		return diff->options->threads ? "threads" : "processes";
	return figure == FIGURE_ALONE ? "alone" : proclife_phase_info(figure - FIGURE_PHASES)->name;
}

uint64_t row_lives(const struct diff *diff, const struct row *row, unsigned int side)
{
	size_t r = side ? diff->sides[0].count : 0, end = r + diff->sides[side].count;
	uint64_t sum = 0;

	for (; r < end; r++)
		add_count(&sum, row->cells[r].lives);
	return sum;
}

uint64_t row_failed(const struct diff *diff, const struct row *row, unsigned int side)
{
	size_t r = side ? diff->sides[0].count : 0, end = r + diff->sides[side].count;
	uint64_t sum = 0;

	for (; r < end; r++)
		add_count(&sum, row->cells[r].failed);
	return sum;
}

uint64_t row_fewest(const struct diff *diff, const struct row *row, unsigned int side)
{
	size_t r = side ? diff->sides[0].count : 0, end = r + diff->sides[side].count;
	uint64_t fewest = UINT64_MAX;

	for (; r < end; r++)
		if (row->cells[r].lives < fewest)
			fewest = row->cells[r].lives;
	return fewest;
}

/* A group of one of the runs. */
struct entry {
	const struct proclife_group *group;
	const char *path; /* a cgroup has another number after each boot, but the same path */
	size_t run;
};

static int compare_keys(const struct entry *x, const struct entry *y)
{
	if (x->group->known != y->group->known)
		return x->group->known ? -1 : 1;
	if (!x->path != !y->path)
		return x->path ? -1 : 1;
	if (x->path)
		return strcmp(x->path, y->path);
	if (x->group->number != y->group->number)
		return x->group->number < y->group->number ? -1 : 1;
	return strcmp(x->group->name, y->group->name);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = compare_keys(x, y);

	return order ? order : (x->run > y->run) - (x->run < y->run);
}

static size_t count_groups(const struct proclife_latency *latency)
{
	size_t n = 0;

	while (proclife_latency_group(latency, n))
		n++;
	return n;
}

/* The groups of all runs, sorted. */
static struct entry *list_groups(const struct diff *diff, size_t *count)
{
	struct entry *entries;
	size_t n = 0, r, i;

	for (r = 0; r < diff->runs; r++)
		n += count_groups(diff_run_of(diff, r)->run.latency);
	entries = calloc(n + 1, sizeof(*entries));
	if (!entries)
		die_no_memory();
	*count = n;
	for (n = 0, r = 0; r < diff->runs; r++) {
		const struct run *run = &diff_run_of(diff, r)->run;

		for (i = 0; (entries[n].group = proclife_latency_group(run->latency, i)); i++) {
			if (diff->by == PROCLIFE_BY_CGROUP && entries[n].group->known)
				entries[n].path = proclife_cgroups_path(run->cgroups,
									entries[n].group->number);
			entries[n++].run = r;
		}
	}
	qsort(entries, n, sizeof(*entries), compare_entries);
	return entries;
}

/* One more of the run that is the same group, such as a cgroup that was made again. */
static void add_times(struct cell *cell, enum figure figure, const struct proclife_histogram *times)
{
	struct proclife_histogram **owned = &cell->owned[figure];

	if (!times)
		return;
	if (!cell->times[figure]) {
		cell->times[figure] = times;
		return;
	}
	if (!*owned && (proclife_histogram_new(owned) ||
			proclife_histogram_merge(*owned, cell->times[figure])))
		die_no_memory();
	if (proclife_histogram_merge(*owned, times))
		die_no_memory();
	cell->times[figure] = *owned;
}

static void add_entry(const struct diff *diff, struct cell *cell, const struct entry *entry)
{
	const struct proclife_latency_counts *counts = proclife_group_counts(entry->group);
	const struct lineage *lineage = diff_lineage_of(diff, entry->run);
	enum figure figure;

	add_count(&cell->lives, counts->lives);
	add_count(&cell->failed, counts->failed);
	add_times(cell, FIGURE_ALONE, lineage_alone(lineage, entry->group->name));
	for (figure = FIGURE_PHASES; figure < FIGURE_TIMES; figure++)
		add_times(cell, figure, proclife_group_phase(entry->group, figure - FIGURE_PHASES));
}

void diff_table_make(struct diff *diff)
{
	struct entry *entries;
	struct row *row = NULL;
	size_t count, i, n = 0;

	entries = list_groups(diff, &count);
	for (i = 0; i < count; i++)
		n += !i || compare_keys(&entries[i - 1], &entries[i]);
	diff->rows = calloc(n + 1, sizeof(*diff->rows));
	diff->cells = calloc((n + 1) * diff->runs, sizeof(*diff->cells));
	if (!diff->rows || !diff->cells)
		die_no_memory();
	for (i = 0; i < count; i++) {
		if (!i || compare_keys(&entries[i - 1], &entries[i])) {
			row = &diff->rows[diff->row_count];
			row->cells = diff->cells + diff->row_count++ * diff->runs;
			row->group = entries[i].group;
			row->run = &diff_run_of(diff, entries[i].run)->run;
			row->path = entries[i].path;
		}
		add_entry(diff, &row->cells[entries[i].run], &entries[i]);
	}
	free(entries);
}

void diff_table_free(struct diff *diff)
{
	enum figure figure;
	size_t i;

	for (i = 0; i < diff->row_count * diff->runs; i++)
		for (figure = 0; figure < FIGURE_TIMES; figure++)
			proclife_histogram_free(diff->cells[i].owned[figure]);
	free(diff->cells);
	free(diff->rows);
}
