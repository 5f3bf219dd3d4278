// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which of the names that were replaced are still needed: those with which a process became a parent. */
#include "base/array.h"
#include "flight/carry_lives.h"

#include <errno.h>
#include <stdlib.h>

/* A child is born, or its parent gets a name that was replaced later. */
struct moment {
	const struct proclife_kept_life *parent;
	uint64_t place;
	struct proclife_kept *name; /* NULL: a child is born */
};

static int by_parent(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return (x->name != NULL) - (y->name != NULL);
}

struct moments {
	struct moment *all;
	size_t count;
	size_t size;
};

static int add_moment(struct moments *moments, struct moment moment)
{
	if (PROCLIFE_ARRAY_RESERVE(moments->all, moments->count, moments->size))
		return -ENOMEM;
	moments->all[moments->count++] = moment;
	return 0;
}

static int add_moments(const struct proclife_carry *carry, struct moments *moments, const struct proclife_priv_process *own)
{
	const struct proclife_kept_life *life = own->process.user, *of = NULL;
	const struct proclife_kept *birth = proclife_kept_first(&own->process);
	const struct proclife_process *parent;
	int err = 0;

	for (struct proclife_kept *name = life ? life->names : NULL; name && !err; name = name->next)
		err = add_moment(moments, (struct moment){ life, name->place, name });
	parent = proclife_kept_process(carry, own->process.parent_tgid, own->process.parent_id);
	of = parent ? parent->user : NULL;
	if (err || !birth || !of || !of->names)
		return err;
	return add_moment(moments, (struct moment){ of, birth->place, NULL });
}

int proclife_kept_need_names(struct proclife_carry *carry)
{
	const struct proclife_priv_process *own = carry->tasks->first;
	struct moments moments = { 0 };
	struct moment *last = NULL; /* a name */
	int err = 0;

	for (; own && !err; own = own->next)
		err = add_moments(carry, &moments, own);
	if (!err && moments.count)
		qsort(moments.all, moments.count, sizeof(*moments.all), by_parent);
	for (size_t i = 0; !err && i < moments.count; i++) {
		struct moment *each = &moments.all[i];

		if (each->name)
			last = each;
		else if (last && last->parent == each->parent)
			last->name->needed = true;
	}
	free(moments.all);
	return err;
}
