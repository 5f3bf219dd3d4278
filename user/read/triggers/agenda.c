// SPDX-License-Identifier: GPL-2.0-only
#include "output/array.h"
#include "output/message.h"
#include "triggers/agenda.h"
#include <stdlib.h>

#define NOT_DUE SIZE_MAX

struct entry {
	uint64_t id; /* of the process, or its address space */
	struct watched *watched;
};

/*
 * The heap
 */

static bool is_before(const struct watched *a, const struct watched *b)
{
	return a->due != b->due ? a->due < b->due : a->id < b->id;
}

static void put_at(struct agenda *agenda, size_t place, struct watched *watched)
{
	agenda->due[place] = watched;
	watched->place = place;
}

/* Where it belongs, from this place on, which is free. */
static void sift(struct agenda *agenda, size_t place, struct watched *watched)
{
	size_t child;

	for (; place && is_before(watched, agenda->due[(place - 1) / 2]); place = (place - 1) / 2)
		put_at(agenda, place, agenda->due[(place - 1) / 2]);
	while ((child = 2 * place + 1) < agenda->due_count) {
		child += child + 1 < agenda->due_count && is_before(agenda->due[child + 1], agenda->due[child]);
		if (!is_before(agenda->due[child], watched))
			break;
		put_at(agenda, place, agenda->due[child]);
		place = child;
	}
	put_at(agenda, place, watched);
}

void agenda_set_due(struct agenda *agenda, struct watched *watched, uint64_t due)
{
	size_t place = watched->place;

	if (watched->due == due)
		return;
	watched->due = due;
	if (due == UINT64_MAX) {
		watched->place = NOT_DUE;
		agenda->due_count--;
		if (place != agenda->due_count)
			sift(agenda, place, agenda->due[agenda->due_count]);
		return;
	}
	if (place == NOT_DUE) {
		ARRAY_GROW(agenda->due, agenda->due_count, agenda->due_size);
		place = agenda->due_count++;
	}
	sift(agenda, place, watched);
}

/*
 * What is watched
 */

struct watched *agenda_find(const struct agenda *agenda, uint64_t id)
{
	struct entry *entry = id_table_get(&agenda->watched, id);

	return entry ? entry->watched : NULL;
}

struct watched *agenda_add(struct agenda *agenda, const struct proclife_process *process)
{
	struct entry *entry = id_table_add(&agenda->watched, process->id);

	if (!entry->watched) {
		entry->watched = calloc(1, sizeof(*entry->watched));
		if (!entry->watched)
			die_no_memory();
		entry->watched->process = process;
		entry->watched->id = process->id;
		entry->watched->due = UINT64_MAX;
		entry->watched->place = NOT_DUE;
	}
	return entry->watched;
}

static void forget_held(struct agenda *agenda, struct watched *watched)
{
	if (watched->mm)
		id_table_delete(&agenda->held, id_table_get(&agenda->held, watched->mm));
	watched->mm = 0;
}

struct watched *agenda_find_held(const struct agenda *agenda, uint64_t mm)
{
	struct entry *entry = mm ? id_table_get(&agenda->held, mm) : NULL;

	return entry ? entry->watched : NULL;
}

/* Two can claim the same, where a handle is in use again and the end of the first is missing. */
void agenda_set_held(struct agenda *agenda, struct watched *watched, uint64_t mm)
{
	struct watched *before = agenda_find_held(agenda, mm);
	struct entry *entry;

	if (!mm || before == watched)
		return;
	if (before)
		forget_held(agenda, before);
	forget_held(agenda, watched);
	entry = id_table_add(&agenda->held, mm);
	entry->watched = watched;
	watched->mm = mm;
}

void agenda_forget(struct agenda *agenda, const struct proclife_process *process)
{
	struct entry *entry = id_table_get(&agenda->watched, process->id);

	if (!entry)
		return;
	agenda_set_due(agenda, entry->watched, UINT64_MAX);
	forget_held(agenda, entry->watched);
	free(entry->watched);
	id_table_delete(&agenda->watched, entry);
}

void agenda_init(struct agenda *agenda)
{
	*agenda = (struct agenda){ 0 };
	id_table_init(&agenda->watched, sizeof(struct entry));
	id_table_init(&agenda->held, sizeof(struct entry));
}

void agenda_free(struct agenda *agenda)
{
	size_t i;

	for (i = 0; i < agenda->watched.slots; i++)
		free(((struct entry *)(void *)agenda->watched.entries)[i].watched);
	id_table_free(&agenda->watched);
	id_table_free(&agenda->held);
	free(agenda->due);
}
