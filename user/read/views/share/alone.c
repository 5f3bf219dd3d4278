// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process is alone while no child of it lives, by birth. A child lives from its fork to its exit;
 * one that is older than the trace has lived since its parent was first seen. One that is found
 * dead may have died long before; but what was found can be its leader alone, and its other threads
 * live: so it waits aside until it is known.
 */
#include "views/share/alone.h"
#include "views/share/id_table.h"
#include "views/views.h"
#include <errno.h>
#include <stdlib.h>

struct alone {
	struct id_table lives; /* of struct living */
	uint64_t whole; /* since when no child is missing */
};

struct living {
	uint64_t id;
	uint64_t parent; /* by birth; 0: not known */
	uint64_t since;	 /* it is alone, if it has no children now */
	uint64_t alone;	 /* before that */
	uint64_t last;	 /* when a child was born or died */
	uint64_t found; /* the latest of its children that were found dead; 0: none */
	uint64_t before; /* its parent's children that were found dead: the one before and the one after it */
	uint64_t after;
	const struct proclife_process *process;
	uint32_t children;
	bool aside; /* it was found dead */
	bool exited;
	bool unsure; /* when a child died is not known, or whether there was one */
};

static void add_alone(struct living *living, uint64_t to)
{
	if (to > living->since)
		living->alone += to - living->since;
}

static void put_aside(struct alone *alone, struct living *above, struct living *child)
{
	struct living *before = above->found ? id_table_get(&alone->lives, above->found) : NULL;

	child->aside = true;
	child->before = above->found;
	if (before)
		before->after = child->id;
	above->found = child->id;
}

static void take_out(struct alone *alone, const struct living *child)
{
	struct living *above = id_table_get(&alone->lives, child->parent);
	struct living *before = child->before ? id_table_get(&alone->lives, child->before) : NULL;
	struct living *after = child->after ? id_table_get(&alone->lives, child->after) : NULL;

	if (before)
		before->after = child->after;
	if (after)
		after->before = child->before;
	else if (above)
		above->found = child->before;
}

static void attach(struct alone *alone, const struct proclife_process *process,
		   const struct proclife_process *parent)
{
	struct living *child = id_table_get(&alone->lives, process->id);
	struct living *above = parent ? id_table_get(&alone->lives, parent->id) : NULL;

	if (!above || !child || child->parent)
		return;
	if (above->exited) { /* a snapshot came to its child when its exit had begun, before its EXIT */
		above->unsure |= !process->marks.born && (process->live || child->exited);
		return;
	}
	if (child->exited) { /* it has lived, which was not known of its parent then */
		uint64_t when = process->marks.exited ? process->marks.exited : process->exiting;

		above->unsure |= !when || when > parent->seen;
		return;
	}
	child->parent = parent->id;
	if (!process->live) {
		put_aside(alone, above, child);
		return;
	}
	if (!process->marks.born)
		above->alone = 0;
	else if (!above->children)
		add_alone(above, process->seen);
	above->children++;
	above->last = process->seen;
}

static void born(void *data, struct proclife_process *process, struct proclife_process *parent,
		 struct proclife_process *creator)
{
	struct alone *alone = data;
	struct living *living = id_table_add(&alone->lives, process->id);

	(void)creator;
	living->process = process;
	living->since = process->seen;
	living->unsure = process->seen < alone->whole;
	attach(alone, process, parent);
}

static void linked(void *data, struct proclife_process *process, struct proclife_process *parent)
{
	attach(data, process, parent);
}

/* @when: 0 if that is not known. */
static void child_died(struct alone *alone, const struct living *child, uint64_t when)
{
	struct living *above = child->parent ? id_table_get(&alone->lives, child->parent) : NULL;

	if (!above || above->exited)
		return;
	if (child->aside) { /* it has lived all the time; unless it died before */
		above->alone = when ? 0 : above->alone;
		above->since = when > above->since ? when : above->since;
		return;
	}
	/* What happened since its exit began counted it as alive. */
	above->unsure |= when < above->last;
	above->last = when;
	if (!--above->children)
		above->since = when;
}

/* Does one of those live that were found dead? Not known if one had only begun to exit then. */
static bool lives_aside(const struct alone *alone, struct living *living)
{
	const struct living *child;
	uint64_t id;

	for (id = living->found; id; id = child->before) {
		child = id_table_get(&alone->lives, id);
		if (child->exited)
			continue;
		if (child->process->live)
			return true;
		living->unsure |= !(child->process->flags & PROCLIFE_F_ZOMBIE);
	}
	return false;
}

/* @when: as above. */
static void end(struct alone *alone, const struct proclife_process *process, uint64_t when)
{
	struct living *living = id_table_get(&alone->lives, process->id);

	if (!living || living->exited)
		return;
	living->exited = true;
	living->unsure |= !when || when < living->last;
	if (lives_aside(alone, living))
		living->alone = 0;
	else if (!living->children)
		add_alone(living, when);
	child_died(alone, living, when);
}

static void exiting(void *data, struct proclife_process *process)
{
	end(data, process, process->exiting);
}

/* The EXITING of one of its threads was missed: it can have begun to exit before what was reported. */
static void withdraw(struct alone *alone, struct living *living)
{
	struct living *above = living->parent ? id_table_get(&alone->lives, living->parent) : NULL;

	living->unsure = true;
	if (above)
		above->unsure = true;
}

static void exited(void *data, struct proclife_process *process)
{
	struct living *living = id_table_get(&((struct alone *)data)->lives, process->id);

	if (living && living->exited && !process->marks.exited)
		withdraw(data, living);
	else
		end(data, process, process->marks.exited);
}

static void gone(void *data, struct proclife_process *process)
{
	struct alone *alone = data;
	struct living *living = id_table_get(&alone->lives, process->id);

	if (!living)
		return;
	if (!living->exited)
		child_died(alone, living, 0);
	if (living->aside)
		take_out(alone, living);
	id_table_delete(&alone->lives, living);
}

int alone_new(struct alone **result, struct proclife_tasks *tasks, const struct proclife_source *source)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = born,
		.process_linked = linked,
		.process_exiting = exiting,
		.process_exited = exited,
		.process_gone = gone,
	};
	struct alone *alone = calloc(1, sizeof(*alone));
	int ret;

	if (!alone)
		return -ENOMEM;
	alone->whole = whole_since(source);
	id_table_init(&alone->lives, sizeof(struct living));
	ret = proclife_tasks_report(tasks, &reports, alone);
	if (ret) {
		alone_free(alone);
		return ret;
	}
	*result = alone;
	return 0;
}

void alone_free(struct alone *alone)
{
	if (!alone)
		return;
	id_table_free(&alone->lives);
	free(alone);
}

bool alone_of(const struct alone *alone, const struct proclife_process *process, uint64_t *ns)
{
	const struct living *living = id_table_get(&alone->lives, process->id);

	if (!living || !living->exited || living->unsure)
		return false;
	*ns = living->alone;
	return true;
}
