// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which process started which: a node for each selected process, kept after the process is gone. */
#include "base/intern.h"
#include "lives/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct proclife_tree {
	struct proclife_tasks *tasks; /* NULL once they are freed */
	struct proclife_arena arena;
	struct proclife_intern texts;
	const struct proclife_common *common; /* of the last process that was gone */
	struct proclife_map open; /* processes that are not gone, by their ids */
	struct proclife_node top; /* the roots are its children */
	uint64_t size;
	uint64_t latest; /* the id that was added last */
	bool linked;	 /* nodes know their children, not only their parents */
	bool moved;	 /* some nodes got their parent later: there can be a cycle */
	bool mixed;	 /* nodes were not added in the order of their ids */
};

static struct proclife_node *node_of(const struct proclife_tree *tree,
				     const struct proclife_process *process)
{
	return process ? proclife_map_get(&tree->open, process->id) : NULL;
}

static void set_texts(struct proclife_tree *tree, struct proclife_node *node,
		      const struct proclife_process *process)
{
	const char *path = process->path, *args = process->args;

	if (!node->comm || strcmp(node->comm, process->comm))
		node->comm = proclife_intern(&tree->texts, process->comm, strlen(process->comm));
	if (path)
		path = proclife_intern(&tree->texts, path, strlen(path));
	if (args)
		args = proclife_intern(&tree->texts, args, process->args_bytes);
	if (!node->comm || !path != !process->path || !args != !process->args)
		tree->tasks->error = -ENOMEM;
	if (!node->comm)
		node->comm = "";
	node->path = path;
	node->args = args;
	node->args_bytes = args ? (uint16_t)process->args_bytes : 0;
	node->args_cut = process->args_cut;
}

static void set_began(struct proclife_node *node, const struct proclife_process *process)
{
	node->older = !process->marks.born;
	node->began = process->marks.born ? process->marks.born : process->seen;
	node->start = process->start;
}

static const void *keep(struct proclife_tree *tree, const void *what, size_t size)
{
	const void *kept = proclife_intern(&tree->texts, what, size);

	if (!kept)
		tree->tasks->error = -ENOMEM;
	return kept;
}

static const struct proclife_common nothing;

/* One process can kill many: without the time, all of them share one killer. */
static void set_common(struct proclife_tree *tree, struct proclife_node *node,
		       const struct proclife_process *process)
{
	const struct proclife_killer *killer = proclife_process_killer(process);
	struct proclife_common common = {
		.cgroup = process->cgroup,
		.ns_pid = process->ns_pid == process->tgid ? 0 : process->ns_pid,
		.ns_inum = process->ns_inum,
		.uid = process->uid,
		.threads = process->threads,
	};
	const struct proclife_common *kept = tree->common;
	const struct proclife_failed_exec *failed = proclife_process_failed_exec(process);
	struct proclife_failed_exec timeless_exec;
	struct proclife_killer timeless;

	if (killer) {
		timeless = *killer;
		timeless.ts = 0;
		common.killer = keep(tree, &timeless, sizeof(timeless));
	}
	if (failed) {
		timeless_exec = *failed;
		timeless_exec.ts = 0;
		common.failed_exec = keep(tree, &timeless_exec, sizeof(timeless_exec));
	}
	/* It is mostly the same as for the last process. */
	if (memcmp(kept, &common, sizeof(common)))
		kept = keep(tree, &common, sizeof(common));
	if (!kept)
		return;
	tree->common = kept;
	node->common = kept;
}

static uint16_t flags_of(const struct proclife_process *process)
{
	return (uint16_t)(process->flags | (process->script ? PROCLIFE_F_SCRIPT : 0) |
			  (process->by_fd ? PROCLIFE_F_BY_FD : 0));
}

static struct proclife_node *add(struct proclife_tree *tree,
				 const struct proclife_process *process,
				 struct proclife_node *parent)
{
	struct proclife_node *node = NULL;

	if (!proclife_map_reserve(&tree->open))
		node = proclife_arena_get(&tree->arena, sizeof(*node));
	if (!node) {
		tree->tasks->error = -ENOMEM;
		return NULL;
	}
	memset(node, 0, sizeof(*node));
	node->id = process->id;
	node->parent = parent;
	set_began(node, process);
	node->tgid = process->tgid;
	node->parent_tgid = process->parent_tgid;
	node->has_parent = proclife_process_has_parent(process);
	node->creator_tgid = process->creator_tgid;
	node->flags = flags_of(process);
	node->common = &nothing;
	/* It is mostly the name of its parent. */
	if (parent)
		node->comm = parent->comm;
	set_texts(tree, node, process);
	proclife_map_put(&tree->open, process->id, node);
	tree->size++;
	tree->linked = false;
	tree->mixed |= node->id < tree->latest;
	tree->latest = node->id;
	return node;
}

static void process_born(void *data, struct proclife_process *process,
			 struct proclife_process *parent, struct proclife_process *creator)
{
	struct proclife_tree *tree = data;

	(void)creator;
	if (process->selected)
		add(tree, process, node_of(tree, parent));
}

static void process_linked(void *data, struct proclife_process *process,
			   struct proclife_process *parent)
{
	struct proclife_tree *tree = data;
	struct proclife_node *node = node_of(tree, process), *above = node_of(tree, parent);

	if (!process->selected)
		return;
	if (!node) {
		add(tree, process, above);
	} else if (above) {
		node->parent = above;
		tree->linked = false;
		tree->moved = true;
	}
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct proclife_tree *tree = data;
	struct proclife_node *node = node_of(tree, process);

	if (!process->selected)
		return;
	if (!node)
		node = add(tree, process, NULL);
	if (!node)
		return;
	set_began(node, process);
	node->marks = process->marks;
	node->runtime = process->runtime;
	node->max_rss = process->max_rss < UINT32_MAX ? (uint32_t)process->max_rss : UINT32_MAX;
	node->parent_tgid = process->parent_tgid;
	node->has_parent = proclife_process_has_parent(process);
	node->creator_tgid = process->creator_tgid;
	node->flags = flags_of(process);
	node->exit_code = process->exit_code;
	node->execs = process->execs < UINT16_MAX ? (uint16_t)process->execs : UINT16_MAX;
	node->reaper_tgid = process->reaper_tgid;
	node->incomplete = process->incomplete;
	node->exited = proclife_process_has_exited(process);
	node->ended = proclife_process_has_ended(process);
	node->has_cpu = proclife_process_has_cpu(process);
	node->matches = process->matches;
	node->has_uid = proclife_process_has_uid(process);
	node->state = proclife_process_state(process) & 0xf;
	node->gone = 1;
	set_texts(tree, node, process);
	set_common(tree, node, process);
	proclife_map_del(&tree->open, process->id);
}

static void tasks_freed(void *data)
{
	struct proclife_tree *tree = data;

	tree->tasks = NULL;
}

int proclife_tree_new(struct proclife_tree **result, struct proclife_tasks *tasks)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = process_born,
		.process_gone = process_gone,
		.process_linked = process_linked,
	};
	struct proclife_tree *tree = calloc(1, sizeof(*tree));
	int err;

	if (!tree)
		return -ENOMEM;
	err = proclife_map_init(&tree->open);
	if (!err)
		err = proclife_tasks_attach(tasks, &reports, tree, tasks_freed);
	if (err) {
		proclife_tree_free(tree);
		return err;
	}
	tree->common = &nothing;
	tree->tasks = tasks;
	*result = tree;
	return 0;
}

void proclife_tree_free(struct proclife_tree *tree)
{
	if (!tree)
		return;
	if (tree->tasks)
		proclife_tasks_detach(tree->tasks, tree);
	proclife_map_free(&tree->open);
	proclife_intern_free(&tree->texts);
	proclife_arena_free(&tree->arena);
	free(tree);
}

/*
 * Children are linked only when the tree is asked for. So no node has to be inserted in order
 * among any number of siblings, again and again.
 */

static void unlink_node(void *data, void *object)
{
	struct proclife_node *node = object;

	(void)data;
	node->child = NULL;
	node->next = NULL;
}

/*
 * Handles that were reused unseen must not put a cycle into the tree: the first node of a cycle
 * becomes a root. Until nodes are linked, a node's `next` is the node from which it was visited.
 */
static void cut_circle(void *data, void *object)
{
	struct proclife_node *from = object, *up = from, *first;

	(void)data;
	for (; up && !up->next; up = up->parent)
		up->next = from;
	if (!up || up->next != from)
		return;
	first = up;
	for (struct proclife_node *node = up->parent; node != up; node = node->parent)
		first = node->id < first->id ? node : first;
	first->parent = NULL;
}

static void link_node(void *data, void *object)
{
	struct proclife_tree *tree = data;
	struct proclife_node *node = object, *parent = node->parent ? node->parent : &tree->top;

	node->next = parent->child;
	parent->child = node;
}

static struct proclife_node *merge(struct proclife_node *a, struct proclife_node *b)
{
	struct proclife_node *merged = NULL, **to = &merged;

	while (a && b) {
		struct proclife_node **first = a->id < b->id ? &a : &b;

		*to = *first;
		to = &(*to)->next;
		*first = *to;
	}
	*to = a ? a : b;
	return merged;
}

/* Siblings are in the order of their ids, the order of birth. */
static void sort_children(void *data, void *object)
{
	struct proclife_node *parent = object, *node = parent->child, *next, *runs[64] = { NULL };
	unsigned int i, most = 0;

	(void)data;
	while (node && node->next && node->id < node->next->id)
		node = node->next;
	if (!node || !node->next)
		return;
	for (node = parent->child; node; node = next) {
		next = node->next;
		node->next = NULL;
		for (i = 0; runs[i]; i++) {
			node = merge(runs[i], node);
			runs[i] = NULL;
		}
		runs[i] = node;
		most = i > most ? i : most;
	}
	for (node = NULL, i = 0; i <= most; i++)
		node = merge(runs[i], node);
	parent->child = node;
}

const struct proclife_node *proclife_tree_roots(struct proclife_tree *tree)
{
	const size_t size = sizeof(struct proclife_node);

	if (tree->linked)
		return tree->top.child;
	tree->top.child = NULL;
	proclife_arena_each(&tree->arena, size, unlink_node, tree);
	if (tree->moved)
		proclife_arena_each(&tree->arena, size, cut_circle, tree);
	proclife_arena_each(&tree->arena, size, link_node, tree);
	if (tree->mixed) {
		proclife_arena_each(&tree->arena, size, sort_children, tree);
		sort_children(tree, &tree->top);
	}
	tree->linked = true;
	return tree->top.child;
}

uint64_t proclife_tree_size(const struct proclife_tree *tree)
{
	return tree->size;
}
