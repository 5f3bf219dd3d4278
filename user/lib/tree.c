// SPDX-License-Identifier: LGPL-2.1-or-later
/* Who started whom: a node for each selected process, kept after the process is gone. */
#include "intern.h"
#include "tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What only a process that is not gone needs: it alone gets children. */
struct open_node {
	struct proclife_node *node;
	struct proclife_node *last; /* child */
};

struct proclife_tree {
	struct proclife_tasks *tasks; /* NULL once they are freed */
	struct proclife_arena arena;
	struct proclife_intern texts;
	struct proclife_map open; /* processes that are not gone, by their ids */
	struct proclife_slab open_slab;
	struct proclife_node top; /* the roots are its children */
	struct open_node top_open;
	uint64_t size;
};

static struct open_node *open_of(struct proclife_tree *tree,
				 const struct proclife_process *process)
{
	return process ? proclife_map_get(&tree->open, process->id) : NULL;
}

/* Brothers and sisters are in the order of their ids, which is that of birth. */
static void link_node(struct proclife_tree *tree, struct proclife_node *node,
		      struct open_node *parent)
{
	struct open_node *to = parent ? parent : &tree->top_open;
	struct proclife_node **at = &to->node->child;

	node->parent = parent ? parent->node : NULL;
	if (to->last && to->last->id < node->id) {
		to->last->next = node;
		to->last = node;
		return;
	}
	while (*at && (*at)->id < node->id)
		at = &(*at)->next;
	node->next = *at;
	*at = node;
	if (!node->next)
		to->last = node;
}

static void unlink_node(struct proclife_tree *tree, struct proclife_node *node)
{
	struct proclife_node *from = node->parent ? node->parent : &tree->top, *before = NULL;
	struct open_node *open = node->parent ? proclife_map_get(&tree->open, from->id) :
						&tree->top_open;
	struct proclife_node **at = &from->child;

	while (*at != node) {
		before = *at;
		at = &before->next;
	}
	*at = node->next;
	if (open && open->last == node)
		open->last = before;
	node->next = NULL;
}

static void set_texts(struct proclife_tree *tree, struct proclife_node *node,
		      const struct proclife_process *process)
{
	const char *path = process->path, *args = process->args;

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
	node->older = !process->born;
	node->began = process->born ? process->born : process->seen;
}

static const void *keep(struct proclife_tree *tree, const void *what, size_t size)
{
	const void *kept = proclife_intern(&tree->texts, what, size);

	if (!kept)
		tree->tasks->error = -ENOMEM;
	return kept;
}

static const struct proclife_common nothing;

/* Many can fall to the same hand: without the time, that is the same for all. */
static void set_common(struct proclife_tree *tree, struct proclife_node *node,
		       const struct proclife_process *process)
{
	const struct proclife_killer *killer = proclife_process_killer(process);
	struct proclife_common common = {
		.cgroup = process->cgroup,
		.ns_pid = process->ns_pid == process->tgid ? 0 : process->ns_pid,
		.ns_inum = process->ns_inum,
	};
	struct proclife_killer timeless;
	const void *kept;

	if (killer) {
		timeless = *killer;
		timeless.ts = 0;
		common.killer = keep(tree, &timeless, sizeof(timeless));
	}
	kept = keep(tree, &common, sizeof(common));
	if (kept)
		node->common = kept;
}

static struct open_node *add(struct proclife_tree *tree, const struct proclife_process *process,
			     struct open_node *parent)
{
	struct proclife_node *node = NULL;
	struct open_node *open;

	if (!proclife_map_reserve(&tree->open) && !proclife_slab_reserve(&tree->open_slab))
		node = proclife_arena_get(&tree->arena, sizeof(*node));
	if (!node) {
		tree->tasks->error = -ENOMEM;
		return NULL;
	}
	memset(node, 0, sizeof(*node));
	node->id = process->id;
	set_began(node, process);
	node->tgid = process->tgid;
	node->parent_tgid = process->parent_tgid;
	node->creator_tgid = process->creator_tgid;
	node->uid = process->uid;
	node->flags = (uint16_t)process->flags;
	node->common = &nothing;
	set_texts(tree, node, process);
	link_node(tree, node, parent);
	open = proclife_slab_get(&tree->open_slab);
	*open = (struct open_node){ .node = node };
	proclife_map_put(&tree->open, process->id, open);
	tree->size++;
	return open;
}

static void process_born(void *data, struct proclife_process *process,
			 struct proclife_process *parent, struct proclife_process *creator)
{
	struct proclife_tree *tree = data;

	(void)creator;
	if (process->selected)
		add(tree, process, open_of(tree, parent));
}

static void process_linked(void *data, struct proclife_process *process,
			   struct proclife_process *parent)
{
	struct proclife_tree *tree = data;
	struct open_node *open = open_of(tree, process), *above = open_of(tree, parent);

	if (!process->selected)
		return;
	if (!open) {
		add(tree, process, above);
		return;
	}
	if (!above || above->node == open->node->parent)
		return;
	/* Handles that were reused unseen must not make a circle of the tree. */
	for (struct proclife_node *up = above->node; up; up = up->parent) {
		if (up == open->node)
			return;
	}
	unlink_node(tree, open->node);
	link_node(tree, open->node, above);
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct proclife_tree *tree = data;
	struct open_node *open = open_of(tree, process);
	struct proclife_node *node;

	if (!process->selected)
		return;
	if (!open)
		open = add(tree, process, NULL);
	if (!open)
		return;
	node = open->node;
	set_began(node, process);
	node->exited = process->exited;
	node->notified = process->notified;
	node->reaped = process->reaped;
	node->freed = process->freed;
	node->runtime = process->runtime;
	node->max_rss = process->max_rss < UINT32_MAX ? (uint32_t)process->max_rss : UINT32_MAX;
	node->parent_tgid = process->parent_tgid;
	node->creator_tgid = process->creator_tgid;
	node->uid = process->uid;
	node->threads = process->threads;
	node->flags = (uint16_t)process->flags;
	node->exit_code = process->exit_code;
	node->execs = process->execs < UINT16_MAX ? (uint16_t)process->execs : UINT16_MAX;
	node->reaper_tgid = process->reaper_tgid;
	node->incomplete = process->incomplete;
	node->matches = process->matches;
	node->state = (uint8_t)proclife_process_state(tree->tasks, process);
	node->gone = 1;
	set_texts(tree, node, process);
	set_common(tree, node, process);
	proclife_map_del(&tree->open, process->id);
	proclife_slab_put(&tree->open_slab, open);
}

static void tasks_freed(void *data)
{
	struct proclife_tree *tree = data;

	tree->tasks = NULL;
}

int proclife_tree_new(struct proclife_tree **result, struct proclife_tasks *tasks)
{
	static const struct proclife_reports reports = {
		.process_born = process_born,
		.process_gone = process_gone,
		.process_linked = process_linked,
	};
	struct proclife_tree *tree = calloc(1, sizeof(*tree));
	int err;

	if (!tree)
		return -ENOMEM;
	tree->top_open.node = &tree->top;
	proclife_slab_init(&tree->open_slab, sizeof(struct open_node));
	err = proclife_map_init(&tree->open);
	if (!err)
		err = proclife_tasks_attach(tasks, &reports, tree, tasks_freed);
	if (err) {
		proclife_tree_free(tree);
		return err;
	}
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
	proclife_slab_free(&tree->open_slab);
	proclife_intern_free(&tree->texts);
	proclife_arena_free(&tree->arena);
	free(tree);
}

const struct proclife_node *proclife_tree_roots(const struct proclife_tree *tree)
{
	return tree->top.child;
}

uint64_t proclife_tree_size(const struct proclife_tree *tree)
{
	return tree->size;
}
