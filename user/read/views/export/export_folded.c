// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks for flame graphs: the descent by name, and the CPU time that all of the same
 * descent have used themselves. Lives do not add up to their parent's, but CPU times do.
 */
#include "output/escape.h"
#include "output/message.h"
#include "views/export/export.h"
#include "views/share/ended.h"
#include "views/share/id_table.h"
#include <errno.h>
#include <search.h>
#include <stdlib.h>

/* What is deeper counts at the process at this depth: a chain of forks can have any length. */
#define MOST_FRAMES 256

/* All processes of one descent. */
struct frame {
	struct frame *parent;
	const char *name; /* the tree's: equal ones have the same address */
	struct frame *child; /* the first one */
	struct frame *last;  /* and the last */
	struct frame *next;  /* sibling */
	uint64_t runtime;
	size_t length; /* of the text in front of its own name */
};

struct folded {
	const struct export *export;
	struct proclife_tree *tree;
	struct frame root;
	struct id_table counted; /* lives whose CPU time counts */
	void *found; /* of tsearch(3): the frames but the root, by parent and name */
	uint64_t told; /* CPU time, so far */
};

static int compare(const void *a, const void *b)
{
	const struct frame *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->name == y->name ? 0 : x->name < y->name ? -1 : 1;
}

static struct frame *frame_of(struct folded *folded, struct frame *parent, const char *name)
{
	const struct frame key = { .parent = parent, .name = name };
	struct frame *frame, **found = tfind(&key, &folded->found, compare);

	if (found)
		return *found;
	frame = malloc(sizeof(*frame));
	if (!frame)
		die_no_memory();
	*frame = key;
	if (!tsearch(frame, &folded->found, compare))
		die_no_memory();
	*(parent->last ? &parent->last->next : &parent->child) = frame;
	parent->last = frame;
	return frame;
}

/* As --summary counts. */
static void process_gone(void *data, struct proclife_process *process)
{
	struct folded *folded = data;
	uint64_t ended = process_ended_by(process);

	if (process->selected && process->matches && ended && ended <= folded->export->run->to)
		id_table_add(&folded->counted, process->id);
}

/* Adds up the whole tree, without recursion. */
static void fold(struct folded *folded)
{
	const struct proclife_node *node = proclife_tree_roots(folded->tree);
	struct frame *frame = &folded->root;
	unsigned int depth = 0;

	while (node) {
		if (depth++ < MOST_FRAMES)
			frame = frame_of(folded, frame, node->comm);
		if (id_table_get(&folded->counted, node->id))
			add_count(&frame->runtime, node->runtime);
		if (node->child) {
			node = node->child;
			continue;
		}
		for (; node; node = node->parent) {
			if (--depth < MOST_FRAMES)
				frame = frame->parent;
			if (node->next)
				break;
		}
		node = node ? node->next : NULL;
	}
}

/* What is below a microsecond counts at one of the next: so the sum is right. */
static void put_line(struct folded *folded, struct text *line, const struct frame *frame)
{
	uint64_t before = folded->told / 1000;

	add_count(&folded->told, frame->runtime);
	if (folded->told / 1000 == before)
		return;
	fwrite_unlocked(line->s, 1, line->len, folded->export->out);
	fprintf(folded->export->out, " %llu\n", (unsigned long long)(folded->told / 1000 - before));
}

static void put_all(struct folded *folded)
{
	struct frame *frame = folded->root.child;
	struct text line;

	text_init(&line, NULL);
	while (frame) {
		frame->length = line.len;
		if (line.len)
			text_string(&line, ";");
		if (*frame->name)
			text_escaped(&line, frame->name, strlen(frame->name), "; ");
		else
			text_string(&line, "\"\"");
		put_line(folded, &line, frame);
		if (frame->child) {
			frame = frame->child;
			continue;
		}
		for (; frame; frame = frame->parent) {
			line.len = frame->length;
			if (frame->next)
				break;
		}
		frame = frame ? frame->next : NULL;
	}
	text_free(&line);
}

static int begin(const struct export *export, void **state)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports), .process_gone = process_gone,
	};
	struct folded *folded = calloc(1, sizeof(*folded));
	int ret;

	if (!folded)
		return -ENOMEM;
	folded->export = export;
	id_table_init(&folded->counted, sizeof(uint64_t));
	*state = folded;
	ret = proclife_tasks_report(export->run->tasks, &reports, folded);
	return ret ? ret : proclife_tree_new(&folded->tree, export->run->tasks);
}

static void end(void *state)
{
	fold(state);
	put_all(state);
}

static void free_all(void *state)
{
	struct folded *folded = state;

	if (!folded)
		return;
	tdestroy(folded->found, free);
	id_table_free(&folded->counted);
	proclife_tree_free(folded->tree);
	free(folded);
}

const struct export_format export_folded = {
	.format = { .name = "folded" },
	.begin = begin,
	.end = end,
	.free = free_all,
};
