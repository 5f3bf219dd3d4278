// SPDX-License-Identifier: GPL-2.0-only
#include "views/export/descent.h"

void descent_init(struct descent *descent, const struct run *run)
{
	descent->run = run;
	id_table_init(&descent->places, sizeof(struct place));
}

void descent_free(struct descent *descent)
{
	id_table_free(&descent->places);
}

bool descent_is_selected(const struct run *run)
{
	return run->command || run->options->pids.count;
}

/*
 * The start of a process that one of its threads announced can become known later. What was reported to others of
 * it stays.
 */
static struct place *settled(const struct descent *descent, const struct proclife_process *process)
{
	struct place *place = id_table_get(&descent->places, process->id);

	if (!place || place->span)
		return place;
	place->span = proclife_source_identity(descent->run->source, process->tgid, process->start);
	if (!place->root)
		place->root = place->span;
	return place;
}

/* Whose child can be in the same trace. One of the whole machine would have no end: what is older is in none. */
static const struct place *above(const struct descent *descent, const struct proclife_process *process)
{
	if (!process || !(process->marks.born || descent_is_selected(descent->run)))
		return NULL;
	return settled(descent, process);
}

/* By birth; but a process made with CLONE_PARENT is there because its creator is. */
void descent_add(struct descent *descent, const struct proclife_process *process,
		 const struct proclife_process *parent, const struct proclife_process *creator)
{
	const struct place *over = above(descent, parent);
	struct place new = { .id = process->id }, *place;

	if (!process->selected || id_table_get(&descent->places, process->id))
		return;
	if (!over)
		over = above(descent, creator);
	new.parent = over ? over->span : 0;
	new.root = over ? over->root : 0;
	place = id_table_add(&descent->places, process->id);
	*place = new;
}

void descent_forget(struct descent *descent, const struct proclife_process *process)
{
	struct place *place = id_table_get(&descent->places, process->id);

	if (place)
		id_table_delete(&descent->places, place);
}

struct place descent_place(const struct descent *descent, const struct proclife_process *process)
{
	const struct place *place = settled(descent, process);

	return place ? *place : (struct place){ 0 };
}
