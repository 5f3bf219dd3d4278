// SPDX-License-Identifier: GPL-2.0-only
#include "views/tree/row_kind.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All these are compared byte by byte: no padding, and zeros where there is nothing. */

/* The same program with the same kind of end. Names and paths are interned: compare addresses. */
struct program {
	uint64_t comm;
	uint64_t cgroup; /* this, uid and namespace where --show has them */
	uint32_t base;	 /* number; 0: it never called exec */
	uint32_t uid;
	uint32_t ns_inum;
	int32_t exit_code;
	uint32_t state;
	uint16_t kthread;
	uint8_t exited;
	uint8_t context;
};

/* All that a line shows, but for the figures and the pid. */
struct line {
	uint64_t program;
	uint64_t path;
	uint64_t args;
	uint64_t killer;
	uint64_t failed_exec;
	uint64_t own_pid; /* shown with its namespace: like no other */
	uint32_t threads;
	uint32_t parent;  /* of a root */
	uint32_t creator; /* 0: its parent, as usual */
	uint32_t reaper;
	uint32_t flags;
	uint32_t zero;
};

/* If the process did it itself, no pid is shown. */
static uint64_t killer_of(const struct proclife_node *node)
{
	const struct proclife_killer *killer = node_killer(node);

	if (!killer || killer->tgid != node->tgid)
		return (uintptr_t)killer;
	return UINT64_C(1) << 63 | (uint32_t)killer->code;
}

/* 0 if it never called exec, and without memory. */
static uint32_t base_of(struct kinds *kinds, const struct proclife_node *node)
{
	const char *base = node_base(node);

	return base ? number_of(&kinds->bases, base, strlen(base) + 1) : 0;
}

static uint32_t program_of(struct kinds *kinds, const struct row *b)
{
	const struct proclife_node *node = b->node;
	const struct proclife_common *common = node->common;
	unsigned int show = kinds->rows->show;
	struct program program = {
		.comm = (uintptr_t)node->comm,
		.cgroup = show & SHOW_CGROUP ? common->cgroup : 0,
		.base = base_of(kinds, node),
		.uid = show & SHOW_UID ? common->uid : 0,
		.ns_inum = show & SHOW_PIDNS ? common->ns_inum : 0,
		.exit_code = node_exit_code(node),
		.state = node->state,
		.kthread = !!(node->flags & PROCLIFE_F_KTHREAD),
		.exited = node->marks.exited != 0,
		.context = b->context,
	};

	if (node->path && !program.base)
		return 0;
	return number_of(&kinds->programs, &program, sizeof(program));
}

int kinds_init(struct kinds *kinds, struct rows *rows)
{
	uint32_t i;

	memset(kinds, 0, sizeof(*kinds));
	kinds->rows = rows;
	kinds->program = malloc(rows->count * sizeof(*kinds->program));
	if (!kinds->program)
		return -ENOMEM;
	for (i = 1; i < rows->count; i++) {
		if (!rows->all[i].shown)
			continue;
		kinds->program[i] = program_of(kinds, &rows->all[i]);
		if (!kinds->program[i])
			return -ENOMEM;
	}
	return 0;
}

void kinds_free(struct kinds *kinds)
{
	numbers_free(&kinds->numbers);
	numbers_free(&kinds->lines);
	numbers_free(&kinds->programs);
	numbers_free(&kinds->bases);
	free(kinds->program);
}

static uint32_t line_of(struct kinds *kinds, uint32_t i)
{
	const struct row *b = &kinds->rows->all[i];
	const struct proclife_node *node = b->node;
	const struct proclife_common *common = node->common;
	struct line line = {
		.program = kinds->program[i],
		.path = (uintptr_t)node->path,
		.args = (uintptr_t)node->args,
		.killer = killer_of(node),
		.failed_exec = (uintptr_t)common->failed_exec,
		.own_pid = kinds->rows->show & SHOW_PIDNS && common->ns_pid ? node->id : 0,
		.threads = common->threads,
		.parent = b->parent ? 0 : node->parent_tgid,
		.creator = node_creator(node),
		.reaper = node_reaper(node),
		.flags = node->args_cut << 5 | !node->marks.reaped << 4 | !node->marks.freed << 3 |
			 node->older << 2 | node->incomplete << 1 |
			 !row_cut_off(kinds->rows, b)->processes,
	};

	return number_of(&kinds->lines, &line, sizeof(line));
}

/* Programs that are one at this level, once they may have ended differently: number by number. */
static uint32_t *widen(struct kinds *kinds, enum fold_level level)
{
	uint32_t *wider = malloc((kinds->programs.count + 1) * sizeof(*wider)), i;
	struct program program;

	if (!wider)
		return NULL;
	numbers_clear(&kinds->numbers);
	for (i = 0; i < kinds->programs.count; i++) {
		memcpy(&program, kinds->programs.bytes + kinds->programs.all[i].at, sizeof(program));
		program.exit_code = level == FOLD_FAILURES && program.exit_code != 0;
		wider[i + 1] = number_of(&kinds->numbers, &program, sizeof(program));
		if (!wider[i + 1]) {
			free(wider);
			return NULL;
		}
	}
	return wider;
}

static int find_programs(struct kinds *kinds, enum fold_level level)
{
	uint32_t *wider = level > FOLD_ENDS ? widen(kinds, level) : NULL, i;
	struct rows *rows = kinds->rows;

	if (level > FOLD_ENDS && !wider)
		return -ENOMEM;
	for (i = 1; i < rows->count; i++)
		if (rows->all[i].shown)
			rows->all[i].kind = wider ? wider[kinds->program[i]] : kinds->program[i];
	free(wider);
	return 0;
}

/* Where a shape is put together: what the row is itself, then what is below it. */
struct shape {
	uint32_t *words;
	uint32_t *many; /* [kind]: how many children of it so far */
};

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static uint32_t shape_of(struct kinds *kinds, struct shape *shape, uint32_t i, bool with_counts)
{
	const struct row *all = kinds->rows->all;
	uint32_t *below = shape->words + 1, count = 0, child, k;

	shape->words[0] = all[i].kind;
	for (child = all[i].child; child; child = all[child].next)
		if (!shape->many[all[child].kind]++)
			below[count++] = all[child].kind;
	if (count > 1)
		qsort(below, count, sizeof(*below), compare);
	for (k = 0; k < count; k++) {
		if (with_counts)
			below[count + k] = shape->many[below[k]];
		shape->many[below[k]] = 0;
	}
	if (with_counts)
		count *= 2;
	return number_of(&kinds->numbers, shape->words, (count + 1) * sizeof(*shape->words));
}

/* Backwards, children are met before their parents; more than @most kinds never come together. */
static int find_shapes(struct kinds *kinds, enum fold_level level, uint32_t most)
{
	struct shape shape = {
		.words = malloc((2 * (size_t)most + 3) * sizeof(*shape.words)),
		.many = calloc((size_t)most + 2, sizeof(*shape.many)),
	};
	struct rows *rows = kinds->rows;
	int ret = shape.words && shape.many ? 0 : -ENOMEM;
	uint32_t i;

	for (i = rows->count - 1; i && !ret; i--) {
		struct row *b = &rows->all[i];

		if (!b->shown)
			continue;
		b->kind = level == FOLD_LINES ? line_of(kinds, i) : kinds->program[i];
		if (b->kind)
			b->kind = shape_of(kinds, &shape, i, level != FOLD_SHAPES);
		if (!b->kind)
			ret = -ENOMEM;
		else
			ret = kinds->numbers.count > most;
	}
	free(shape.words);
	free(shape.many);
	return ret;
}

int kinds_find(struct kinds *kinds, enum fold_level level, uint32_t most)
{
	if (level >= FOLD_ENDS)
		return find_programs(kinds, level);
	numbers_clear(&kinds->numbers);
	return find_shapes(kinds, level, most);
}
