// SPDX-License-Identifier: GPL-2.0-only
/* Parents of one program are one line; those with zombies come first, then the slowest. */
#include "output/message.h"
#include "views/parents/parents.h"
#include <stdlib.h>
#include <string.h>

static uint64_t longest(const struct proclife_reaper *reaper)
{
	return reaper->zombie ? proclife_histogram_max(reaper->zombie) : 0;
}

static int compare(const void *a, const void *b)
{
	const struct proclife_reaper *x = &((const struct parent *)a)->sum;
	const struct proclife_reaper *y = &((const struct parent *)b)->sum;

	if (x->zombies != y->zombies)
		return x->zombies > y->zombies ? -1 : 1;
	if (longest(x) != longest(y))
		return longest(x) > longest(y) ? -1 : 1;
	if (x->reaped != y->reaped)
		return x->reaped > y->reaped ? -1 : 1;
	if (x->born != y->born)
		return x->born > y->born ? -1 : 1;
	return x->tgid < y->tgid ? -1 : x->tgid > y->tgid;
}

const char *parent_role(const struct proclife_reaper *reaper)
{
	if (reaper->init)
		return reaper->tgid == 1 ? "init" : "init of its pid namespace";
	return reaper->adopted ? "subreaper" : NULL;
}

/* The same program in the same role. */
static int compare_kinds(const void *a, const void *b)
{
	const struct proclife_reaper *x = &((const struct parent *)a)->sum;
	const struct proclife_reaper *y = &((const struct parent *)b)->sum;
	const char *of_x = parent_role(x) ? parent_role(x) : "", *of_y = parent_role(y) ? parent_role(y) : "";
	int order;

	if (x->named != y->named)
		return x->named ? -1 : 1;
	if (!x->named)
		return x->tgid < y->tgid ? -1 : x->tgid > y->tgid;
	order = strncmp(x->comm, y->comm, sizeof(x->comm));
	if (!order)
		order = strcmp(of_x, of_y);
	if (!order)
		order = !x->zombies - !y->zombies;
	return order || !x->zombies ? order : x->gone - y->gone;
}

/* The shorter of its life and the trace, or of what is looked at of that. */
static void set_span(const struct run *run, struct parent *parent)
{
	const struct proclife_reaper *reaper = &parent->sum;
	uint64_t from = run_from(run), to = run_to(run);

	/* Children of before can be missing: then there is no rate. */
	if (reaper->since < whole_since(run->source))
		return;
	if (!reaper->id || (reaper->gone && !reaper->until))
		return;
	if (reaper->since > from)
		from = reaper->since;
	if (reaper->until && reaper->until < to)
		to = reaper->until;
	if (from >= to)
		return;
	parent->from = from;
	parent->to = to;
}

static void add_histogram(struct parent *parent, const struct proclife_histogram *more)
{
	struct proclife_histogram *own;

	if (!more)
		return;
	if (!parent->merged) {
		if (proclife_histogram_new(&own) ||
		    (parent->sum.zombie && proclife_histogram_merge(own, parent->sum.zombie)))
			die_no_memory();
		parent->sum.zombie = own;
		parent->merged = true;
	}
	if (proclife_histogram_merge(parent->sum.zombie, more))
		die_no_memory();
}

static void add(struct parent *parent, const struct parent *more)
{
	struct proclife_reaper *sum = &parent->sum;
	const struct proclife_reaper *other = &more->sum;

	parent->count++;
	sum->reaped += other->reaped;
	sum->adopted += other->adopted;
	sum->awaited += other->awaited;
	sum->belated += other->belated;
	sum->ignored += other->ignored;
	sum->ended_with += other->ended_with;
	sum->born += other->born;
	add_count(&sum->runtime, other->runtime);
	sum->coalesced += other->coalesced;
	sum->zombies += other->zombies;
	if (other->oldest < sum->oldest)
		sum->oldest = other->oldest;
	add_histogram(parent, other->zombie);
	if (!parent->to || !more->to) {
		parent->from = parent->to = 0;
		return;
	}
	parent->from = more->from < parent->from ? more->from : parent->from;
	parent->to = more->to > parent->to ? more->to : parent->to;
}

static void fold(struct parents *parents)
{
	size_t i, n = 0;

	qsort(parents->all, parents->count, sizeof(parents->all[0]), compare_kinds);
	for (i = 0; i < parents->count; i++) {
		if (n && !compare_kinds(&parents->all[n - 1], &parents->all[i]))
			add(&parents->all[n - 1], &parents->all[i]);
		else
			parents->all[n++] = parents->all[i];
	}
	parents->count = n;
}

struct parents parents_collect(const struct run *run, const struct proclife_reapers *all)
{
	struct parents parents = { 0 };
	const struct proclife_reaper *reaper;
	size_t n = 0, i;

	while (proclife_reapers_get(all, n))
		n++;
	parents.all = calloc(n + 1, sizeof(*parents.all));
	if (!parents.all)
		die_no_memory();
	for (i = 0; (reaper = proclife_reapers_get(all, i)); i++) {
		struct parent *parent = &parents.all[parents.count];

		if (!parent_is_shown(reaper))
			continue;
		parent->sum = *reaper;
		parent->count = 1;
		set_span(run, parent);
		parents.count++;
	}
	if (!run->options->json && run->options->fold != FOLD_NEVER)
		fold(&parents);
	qsort(parents.all, parents.count, sizeof(parents.all[0]), compare);
	return parents;
}

void parents_free(struct parents *parents)
{
	size_t i;

	for (i = 0; i < parents->count; i++)
		if (parents->all[i].merged)
			proclife_histogram_free(parents->all[i].sum.zombie);
	free(parents->all);
}
