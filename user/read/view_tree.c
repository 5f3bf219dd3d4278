// SPDX-License-Identifier: GPL-2.0-only
/* Who started whom: collecting, and the JSON. */
#include "tree.h"
#include "say.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void collect_thread(void *data, struct proclife_task *task)
{
	struct tree_view *view = data;
	struct thread *t;

	if (task->leader || !task->process || !task->process->selected)
		return;
	if (view->thread_count == view->thread_size) {
		size_t size = view->thread_size ? view->thread_size * 2 : 256;

		t = reallocarray(view->threads, size, sizeof(*t));
		if (!t)
			die_no_memory();
		view->threads = t;
		view->thread_size = size;
	}
	t = &view->threads[view->thread_count++];
	t->process = task->process->id;
	t->born = task->born;
	t->seen = task->seen;
	t->exited = task->exited;
	t->freed = task->freed;
	t->runtime = task->runtime;
	t->tid = task->pid;
	t->exit_code = task->exit_code;
	t->incomplete = task->incomplete;
	memcpy(t->comm, task->comm, sizeof(t->comm));
}

int tree_view_new(struct tree_view **view, struct run *run)
{
	static const struct proclife_reports reports = { .task_gone = collect_thread };
	struct tree_view *v = calloc(1, sizeof(*v));
	int ret;

	if (!v)
		return -ENOMEM;
	v->run = run;
	text_init(&v->line, run->screen);
	text_init(&v->name, run->screen);
	text_init(&v->notes, run->screen);
	ret = proclife_tree_new(&v->tree, run->tasks);
	if (!ret && run->options->threads)
		ret = proclife_tasks_report(run->tasks, &reports, v);
	if (ret) {
		tree_view_free(v);
		return ret;
	}
	*view = v;
	return 0;
}

void tree_view_free(struct tree_view *view)
{
	if (!view)
		return;
	proclife_tree_free(view->tree);
	branches_free(&view->branches);
	text_free(&view->line);
	text_free(&view->name);
	text_free(&view->notes);
	free(view->threads);
	free(view->guides);
	free(view);
}

static int compare_threads(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;
	uint64_t p = x->born ? x->born : x->seen, q = y->born ? y->born : y->seen;

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

/*
 * JSON
 */

static const char *const state_names[] = {
	[STATE_ALIVE] = "alive", [STATE_ZOMBIE] = "zombie",   [STATE_UNFREED] = "unfreed",
	[STATE_FREED] = "freed", [STATE_UNKNOWN] = "unknown",
};

/* A time that was not seen is null. */
static void json_time(struct json *json, const char *name, uint64_t ns)
{
	if (ns)
		json_uint(json, name, ns);
	else
		json_null(json, name);
}

static void json_args(struct json *json, const struct proclife_node *node)
{
	size_t i, n;

	if (!node->args)
		return;
	json_array(json, "args");
	for (i = 0; i < node->args_bytes; i += n + 1) {
		n = strnlen(node->args + i, node->args_bytes - i);
		json_blob(json, NULL, node->args + i, n);
	}
	json_array_end(json);
}

static void json_node(struct tree_view *view, const struct proclife_node *node)
{
	struct json *json = view->run->json;

	json_line(json, "process");
	json_uint(json, "id", node->id);
	if (node->parent)
		json_uint(json, "parent_id", node->parent->id);
	else
		json_null(json, "parent_id");
	json_uint(json, "pid", node->tgid);
	json_uint(json, "parent_pid", node->parent_tgid);
	json_uint(json, "creator_pid", node->creator_tgid);
	json_uint(json, "uid", node->uid);
	json_bytes(json, "comm", node->comm, PROCLIFE_COMM_LEN);
	if (node->path)
		json_string(json, "path", node->path);
	else
		json_null(json, "path");
	json_args(json, node);
	json_bool(json, "kthread", node->flags & PROCLIFE_F_KTHREAD);
	json_uint(json, "threads", node->threads);
	json_uint(json, "execs", node->execs);
	json_time(json, "born", node->born);
	json_uint(json, "seen", node->seen);
	json_time(json, "exited", node->exited);
	json_time(json, "reaped", node->reaped);
	json_time(json, "freed", node->freed);
	if (node->exited)
		json_int(json, "exit_code", node->exit_code);
	else
		json_null(json, "exit_code");
	json_uint(json, "runtime", node->runtime);
	json_uint(json, "max_rss", node->max_rss);
	json_uint(json, "reaper_pid", node->reaper_tgid);
	json_string(json, "state", state_names[node_state(node, view->reap_recorded)]);
	json_bool(json, "incomplete", node->incomplete);
	json_line_end(json);
}

static void json_threads(struct tree_view *view, const struct proclife_node *node)
{
	struct json *json = view->run->json;
	const struct thread *t;
	size_t count, i;

	t = tree_threads_of(view, node->id, &count);
	for (i = 0; i < count; i++, t++) {
		json_line(json, "thread");
		json_uint(json, "process_id", node->id);
		json_uint(json, "tid", t->tid);
		json_bytes(json, "comm", t->comm, sizeof(t->comm));
		json_time(json, "born", t->born);
		json_uint(json, "seen", t->seen);
		json_time(json, "exited", t->exited);
		json_time(json, "freed", t->freed);
		if (t->exited)
			json_int(json, "exit_code", t->exit_code);
		else
			json_null(json, "exit_code");
		json_uint(json, "runtime", t->runtime);
		json_bool(json, "incomplete", t->incomplete);
		json_line_end(json);
	}
}

static void json_tree(struct tree_view *view)
{
	uint32_t i;

	for (i = 1; i < view->branches.count; i++) {
		json_node(view, view->branches.all[i].node);
		if (view->run->options->threads)
			json_threads(view, view->branches.all[i].node);
	}
}

void tree_view_print(struct tree_view *view)
{
	const struct proclife_header *header = proclife_source_header(view->run->source);
	const struct options *options = view->run->options;
	int ret;

	view->reap_recorded = header && header->features & PROCLIFE_HAS(PROCLIFE_REAP);
	if (view->thread_count)
		qsort(view->threads, view->thread_count, sizeof(*view->threads), compare_threads);
	ret = branches_build(&view->branches, view->tree, view->run->ended,
			     !options->command && !options->pid_count && !options->json);
	if (!ret && options->fold)
		ret = branches_fold(&view->branches);
	if (ret)
		die_no_memory();
	if (options->json) {
		json_tree(view);
		return;
	}
	tree_print_text(view);
}
