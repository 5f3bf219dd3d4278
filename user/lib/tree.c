// SPDX-License-Identifier: LGPL-2.1-or-later
/* Who started whom: a node for each selected process, kept after the process is gone. */
#include "intern.h"
#include "tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct node {
	struct proclife_node node;
	struct node *last; /* child */
};

struct proclife_tree {
	struct proclife_tasks *tasks; /* NULL once they are freed */
	struct proclife_arena arena;
	struct proclife_intern texts;
	struct proclife_map open; /* nodes of processes that are not gone, by the process's id */
	struct node top;	  /* the roots are its children */
	uint64_t size;
};

static struct node *node_of(struct proclife_tree *tree, const struct proclife_process *process)
{
	return process ? proclife_map_get(&tree->open, process->id) : NULL;
}

/* Brothers and sisters are in the order of their ids, which is that of birth. */
static void link_node(struct proclife_tree *tree, struct node *node, struct node *parent)
{
	struct node *to = parent ? parent : &tree->top;
	struct proclife_node **at = &to->node.child;

	node->node.parent = parent ? &parent->node : NULL;
	if (to->last && to->last->node.id < node->node.id) {
		to->last->node.next = &node->node;
		to->last = node;
		return;
	}
	while (*at && (*at)->id < node->node.id)
		at = &(*at)->next;
	node->node.next = *at;
	*at = &node->node;
	if (!node->node.next)
		to->last = node;
}

static void unlink_node(struct proclife_tree *tree, struct node *node)
{
	struct node *from = node->node.parent ? (struct node *)node->node.parent : &tree->top;
	struct proclife_node **at = &from->node.child, *before = NULL;

	while (*at != &node->node) {
		before = *at;
		at = &before->next;
	}
	*at = node->node.next;
	if (from->last == node)
		from->last = (struct node *)before;
	node->node.next = NULL;
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
	node->args_bytes = args ? process->args_bytes : 0;
}

static struct node *add(struct proclife_tree *tree, const struct proclife_process *process,
			struct node *parent)
{
	struct node *node = NULL;

	if (!proclife_map_reserve(&tree->open))
		node = proclife_arena_get(&tree->arena, sizeof(*node));
	if (!node) {
		tree->tasks->error = -ENOMEM;
		return NULL;
	}
	memset(node, 0, sizeof(*node));
	node->node.id = process->id;
	node->node.born = process->born;
	node->node.seen = process->seen;
	node->node.tgid = process->tgid;
	node->node.parent_tgid = process->parent_tgid;
	node->node.creator_tgid = process->creator_tgid;
	node->node.uid = process->uid;
	node->node.flags = process->flags;
	set_texts(tree, &node->node, process);
	link_node(tree, node, parent);
	proclife_map_put(&tree->open, process->id, node);
	tree->size++;
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
	struct node *node = node_of(tree, process), *above = node_of(tree, parent);

	if (!process->selected)
		return;
	if (!node) {
		add(tree, process, above);
		return;
	}
	if (!above || &above->node == node->node.parent)
		return;
	/* Handles that were reused unseen must not make a circle of the tree. */
	for (struct proclife_node *up = &above->node; up; up = up->parent) {
		if (up == &node->node)
			return;
	}
	unlink_node(tree, node);
	link_node(tree, node, above);
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct proclife_tree *tree = data;
	struct node *wrapped = node_of(tree, process);
	struct proclife_node *node;

	if (!process->selected)
		return;
	if (!wrapped)
		wrapped = add(tree, process, NULL);
	if (!wrapped)
		return;
	node = &wrapped->node;
	node->born = process->born;
	node->seen = process->seen;
	node->exited = process->exited;
	node->reaped = process->reaped;
	node->freed = process->freed;
	node->runtime = process->runtime;
	node->max_rss = process->max_rss < UINT32_MAX ? (uint32_t)process->max_rss : UINT32_MAX;
	node->parent_tgid = process->parent_tgid;
	node->creator_tgid = process->creator_tgid;
	node->uid = process->uid;
	node->threads = process->threads;
	node->flags = process->flags;
	node->exit_code = process->exit_code;
	node->execs = process->execs;
	node->reaper_tgid = process->reaper_tgid;
	node->incomplete = process->incomplete;
	node->gone = 1;
	set_texts(tree, node, process);
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

const struct proclife_node *proclife_tree_roots(const struct proclife_tree *tree)
{
	return tree->top.node.child;
}

uint64_t proclife_tree_size(const struct proclife_tree *tree)
{
	return tree->size;
}
