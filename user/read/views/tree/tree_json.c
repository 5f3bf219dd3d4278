// SPDX-License-Identifier: GPL-2.0-only
/* The tree as JSON; proclife-read-json(5) documents the members. */
#include "output/quote.h"
#include "views/tree/tree.h"
#include <string.h>

/* What --depth, --min-life and --top have to say of it. */
static void json_cut(struct tree_view *view, const struct row *b)
{
	const struct cut_off *cut = row_cut_off(&view->rows, b);
	struct json *json = view->run->json;

	if (!cut_is_set(&view->run->options->cut))
		return;
	if (b->rank)
		json_uint(json, "rank", b->rank);
	json_bool(json, "context", b->context);
	json_uint(json, "descendants", b->below);
	json_uint(json, "hidden", cut->processes);
	json_uint(json, "hidden_failed", cut->failed);
	json_uint(json, "hidden_runtime", cut->runtime);
}

static void json_path(const struct run *run, struct json *json, uint64_t cgroup)
{
	const char *path = proclife_cgroups_path(run->cgroups, cgroup);

	if (path)
		json_string(json, "cgroup_path", path);
	else
		json_null(json, "cgroup_path");
}

static void json_node(struct tree_view *view, const struct row *b)
{
	const struct proclife_node *node = b->node;
	struct json *json = view->run->json;

	json_line(json, "process");
	json_uint(json, "id", node->id);
	if (node->parent)
		json_uint(json, "parent_id", node->parent->id);
	else
		json_null(json, "parent_id");
	json_uint(json, "pid", node->tgid);
	json_uint_if(json, "parent_pid", node->has_parent, node->parent_tgid);
	json_uint_or_null(json, "creator_pid", node->creator_tgid);
	json_uint_or_null(json, "start", node->start);
	json_uint_if(json, "uid", node->has_uid, node->common->uid);
	json_uint(json, "ns_pid", node->common->ns_pid ? node->common->ns_pid : node->tgid);
	json_uint(json, "ns_inum", node->common->ns_inum);
	json_uint(json, "cgroup", node->common->cgroup);
	json_path(view->run, json, node->common->cgroup);
	json_bytes(json, "comm", node->comm, PROCLIFE_COMM_LEN);
	if (node->path)
		json_string(json, "path", node->path);
	else
		json_null(json, "path");
	json_args(json, node->args, node->args_bytes, node->args_cut);
	json_bool(json, "kthread", node->flags & PROCLIFE_F_KTHREAD);
	json_uint(json, "threads", node->common->threads);
	json_uint(json, "execs", node->execs);
	json_bool(json, "script", node->flags & PROCLIFE_F_SCRIPT);
	json_bool(json, "by_fd", node->flags & PROCLIFE_F_BY_FD);
	json_uint_or_null(json, "born", node->older ? 0 : node->began);
	json_uint(json, "seen", node->began);
	json_uint_or_null(json, "exited", node->marks.exited);
	json_uint_or_null(json, "notified", node->marks.notified);
	json_uint_or_null(json, "reaped", node->marks.reaped);
	json_uint_or_null(json, "freed", node->marks.freed);
	json_wait_status(json, node->ended && node->exit_code >= 0, node->exit_code);
	json_killer(json, node->common->killer);
	json_failed_exec(json, node->common->failed_exec);
	json_uint_if(json, "runtime", node->has_cpu, node->runtime);
	json_uint_or_null(json, "max_rss", node->max_rss);
	json_uint_or_null(json, "reaper_pid", node->reaper_tgid);
	json_string(json, "state", proclife_state_name(node->state));
	json_bool(json, "incomplete", node->incomplete);
	json_cut(view, b);
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
		json_uint_or_null(json, "born", t->marks.born);
		json_uint(json, "seen", t->seen);
		json_uint_or_null(json, "exited", t->marks.exited);
		json_uint_or_null(json, "reaped", t->marks.reaped);
		json_uint_or_null(json, "freed", t->marks.freed);
		json_wait_status(json, t->marks.exited, t->exit_code);
		json_uint_if(json, "runtime", t->has_cpu, t->runtime);
		json_string(json, "state", proclife_state_name(t->state));
		json_bool(json, "incomplete", t->incomplete);
		json_line_end(json);
	}
}

/* Those that have no process to be counted at. */
static void json_cut_roots(struct tree_view *view)
{
	const struct cut_off *cut = row_cut_off(&view->rows, &view->rows.all[0]);
	struct json *json = view->run->json;

	json_line(json, "hidden");
	json_uint(json, "processes", cut->processes);
	json_uint(json, "failed", cut->failed);
	json_uint(json, "runtime", cut->runtime);
	json_uint(json, "older", view->rows.left_out);
	json_line_end(json);
}

void tree_print_json(struct tree_view *view)
{
	uint32_t i;

	for (i = 1; i < view->rows.count; i++) {
		const struct row *b = &view->rows.all[i];

		if (!b->shown)
			continue;
		json_node(view, b);
		if (view->run->options->threads)
			json_threads(view, b->node);
	}
	if (cut_is_set(&view->run->options->cut))
		json_cut_roots(view);
}
