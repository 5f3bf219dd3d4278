// SPDX-License-Identifier: GPL-2.0-only
/* The tree of processes: collects it, and decides how much of it to show. */
#include "output/array.h"
#include "output/message.h"
#include "views/tree/tree.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void collect_thread(void *data, struct proclife_task *task)
{
	struct tree_view *view = data;
	struct thread *t;

	if (task->leader || !task->process || !task->process->selected)
		return;
	ARRAY_GROW(view->threads, view->thread_count, view->thread_size);
	t = &view->threads[view->thread_count++];
	t->process = task->process->id;
	t->seen = task->seen;
	t->start = task->start;
	t->marks = task->marks;
	t->runtime = task->runtime;
	t->tid = task->pid;
	t->exit_code = task->exit_code;
	t->incomplete = task->incomplete;
	t->state = proclife_task_state(task);
	t->has_cpu = task->marks.exited || t->state == PROCLIFE_IS_FREED ||
		     (task->runtime && !(task->incomplete && t->state == PROCLIFE_IS_UNFREED));
	memcpy(t->comm, task->comm, sizeof(t->comm));
}

static void end(void *state)
{
	struct tree_view *view = state;

	if (!view)
		return;
	proclife_tree_free(view->tree);
	rows_free(&view->rows);
	text_free(&view->line);
	text_free(&view->name);
	text_free(&view->args);
	text_free(&view->notes);
	text_free(&view->below);
	words_free(&view->words);
	tree_families_free(view->families);
	free(view->threads);
	free(view->guides);
	free(view);
}

static int begin(struct run *run, void **state)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports), .task_gone = collect_thread,
	};
	struct tree_view *v = calloc(1, sizeof(*v));
	int ret;

	if (!v)
		return -ENOMEM;
	v->run = run;
	text_init(&v->line, run->screen);
	text_init(&v->name, run->screen);
	text_init(&v->args, run->screen);
	text_init(&v->notes, run->screen);
	text_init(&v->below, run->screen);
	ret = proclife_tree_new(&v->tree, run->tasks);
	if (!ret && run->options->threads)
		ret = proclife_tasks_report(run->tasks, &reports, v);
	*state = v;
	return ret;
}

static int compare_threads(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;
	uint64_t p = x->marks.born ? x->marks.born : x->seen;
	uint64_t q = y->marks.born ? y->marks.born : y->seen;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (p != q)
		return p < q ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

const struct thread *tree_threads_of(const struct tree_view *view, uint64_t process, size_t *count)
{
	size_t low = 0, high = view->thread_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (view->threads[middle].process < process)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < view->thread_count; high++)
		if (view->threads[high].process != process)
			break;
	*count = high - low;
	return &view->threads[low];
}

/* It depends on the records alone, not on the terminal, so that a replay folds as well. */
static bool is_folded(const struct tree_view *view)
{
	const struct options *options = view->run->options;

	if (options->fold != FOLD_IF_LONG)
		return options->fold == FOLD_ALWAYS;
	return view->rows.lines > TREE_MANY_LINES && !options->json && !options->threads &&
	       !options->cut.top;
}

static void print(const struct run *run, void *state)
{
	struct tree_view *view = state;
	const struct options *options = run->options;
	/* JSON lists all there are, unless it is to list less. */
	bool active_only = !options->command && !options->pids.count &&
			   (!options->json || cut_is_set(&options->cut));
	int ret;

	if (view->thread_count)
		qsort(view->threads, view->thread_count, sizeof(*view->threads), compare_threads);
	ret = rows_build(&view->rows, view->tree, view->run, active_only, &options->cut);
	if (!ret && is_folded(view))
		ret = rows_fold(&view->rows, options->show, options->fold == FOLD_ALWAYS,
				TREE_MANY_LINES);
	if (ret)
		die_no_memory();
	if (options->json)
		tree_print_json(view);
	else
		tree_print_text(view);
}

const struct view view_tree = {
	.request = {
		.name = "tree",
		.help = "Which process started which, their lives and ends",
		.range = RANGE_OF_LIVES,
		.takes = OF_TRACE | GIVEN(THREADS) | GIVEN(DEPTH) | GIVEN(MIN_LIFE) | GIVEN(TOP) |
			 GIVEN(TOP_KEY) | GIVEN(FOLD) | GIVEN(NO_FOLD) | GIVEN(SHOW),
		.combines = true,
	},
	.has_cgroups = true,
	.begin = begin,
	.print = print,
	.free = end,
};
