// SPDX-License-Identifier: GPL-2.0-only
/* --expect left: the processes that are still alive when it is judged, as a tree. */
#include "output/array.h"
#include "output/percentiles.h"
#include "output/quote.h"
#include "views/share/lived.h"
#include "views/views.h"
#include <stdlib.h>

#define PID_COLUMNS 7

/* One that lives; they are in the order in which they appeared, the order of their ids. */
struct leftover {
	const struct proclife_process *process;
	size_t parent; /* from 1 on; 0: it does not live */
	size_t child;  /* the first; the next ones of one parent follow by next */
	size_t last;
	size_t next;
};

static size_t find(const struct leftover *all, size_t count, uint64_t id)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all[middle].process->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && all[low].process->id == id ? low + 1 : 0;
}

/* [0] stands above all; the caller frees it. */
static struct leftover *collect(const struct run *run, size_t *count)
{
	const struct proclife_process *process = NULL;
	struct leftover *all = NULL;
	size_t size = 0, n = 0, i;

	ARRAY_GROW(all, n, size);
	all[0] = (struct leftover){ .process = NULL };
	while ((process = proclife_tasks_next(run->tasks, process))) {
		if (!process->selected || !process->matches ||
		    proclife_process_state(process) != PROCLIFE_IS_ALIVE)
			continue;
		n++;
		ARRAY_GROW(all, n, size);
		all[n] = (struct leftover){ .process = process };
	}
	for (i = 1; i <= n; i++) {
		size_t parent = find(all + 1, n, all[i].process->parent_id);

		/* Where pids are met in any order, a parent can come later: then it is none here. */
		parent = parent < i ? parent : 0;
		all[i].parent = parent;
		*(all[parent].last ? &all[all[parent].last].next : &all[parent].child) = i;
		all[parent].last = i;
	}
	*count = n;
	return all;
}

static void put(const struct run *run, struct text *line, const struct proclife_process *process,
		unsigned int depth)
{
	uint64_t before = lived_before(run, process->marks.born, process->seen, process->start);

	text_uint_in(line, PID_COLUMNS, process->tgid);
	text_string(line, " ");
	if (process->marks.born || before)
		text_time_in(line, TIME_COLUMNS, run->ended - process->seen + before);
	else
		text_spaces(line, TIME_COLUMNS);
	text_string(line, "  ");
	text_spaces(line, 2 * depth);
	if (process->args && process->args_bytes)
		text_args(line, process->args, process->args_bytes, process->args_cut, 0);
	else
		text_comm(line, process->comm);
	text_line(line);
}

#define DEEPEST 20 /* levels that are indented */

void leftovers_print(const struct run *run)
{
	struct text line;
	size_t count, i;
	struct leftover *all = collect(run, &count);
	unsigned int depth = 0;

	text_init(&line, run->screen);
	if (count) {
		text_style(&line, STYLE_HEAD);
		text_printf(&line, "%*s %*s  %s", PID_COLUMNS, "LEFT", TIME_COLUMNS, "AGE", "PROCESS");
		text_style(&line, STYLE_PLAIN);
		text_line(&line);
	}
	for (i = all[0].child; i;) {
		put(run, &line, all[i].process, depth < DEEPEST ? depth : DEEPEST);
		if (all[i].child) {
			i = all[i].child;
			depth++;
			continue;
		}
		while (i && !all[i].next) {
			i = all[i].parent;
			depth -= i != 0;
		}
		i = i ? all[i].next : 0;
	}
	if (count)
		text_line(&line);
	text_free(&line);
	free(all);
}
