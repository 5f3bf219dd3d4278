// SPDX-License-Identifier: LGPL-2.1-or-later
#include "flight/bygone.h"
#include "base/array.h"

#include <stdlib.h>

/* To follow all lives is always right. */
static void give_up(struct proclife_bygone *bygone)
{
	bygone->unsure = true;
}

static void add(struct proclife_bygone *bygone, struct proclife_map *map, uint64_t key)
{
	if (proclife_map_add(map, key) < 0)
		give_up(bygone);
}

/* The record's; NULL: it was given up. */
static struct proclife_bygone_life *life_of(struct proclife_bygone *bygone, const struct proclife_record *record)
{
	uint64_t key = proclife_bygone_key(record->task, record->start);
	struct proclife_bygone_life *life = proclife_map_get(&bygone->lives, key);

	if (life && life->handle == record->task)
		return life;
	if (life || proclife_map_reserve(&bygone->lives) || proclife_slab_reserve(&bygone->slab)) {
		give_up(bygone);
		return NULL;
	}
	life = proclife_slab_get_zeroed(&bygone->slab);
	life->handle = record->task;
	life->tgid = record->tgid;
	life->all = bygone->all;
	bygone->all = life;
	proclife_map_put(&bygone->lives, key, life);
	return life;
}

static void note_use(struct proclife_bygone *bygone, const struct proclife_record *record)
{
	const struct proclife_bygone_use *latest = bygone->use_count ? &bygone->uses[bygone->use_count - 1] : NULL;
	struct proclife_bygone_life *life = life_of(bygone, record);

	if (!life || (latest && latest->mm == record->mm.mm && latest->life == life))
		return;
	if (PROCLIFE_ARRAY_RESERVE(bygone->uses, bygone->use_count, bygone->uses_size))
		give_up(bygone);
	else
		bygone->uses[bygone->use_count++] = (struct proclife_bygone_use){ record->mm.mm, life };
}

static void note_begin(struct proclife_bygone *bygone, const struct proclife_record *record)
{
	struct proclife_bygone_life *life = life_of(bygone, record);

	if (!life)
		return;
	life->begun = true;
	if (record->type == PROCLIFE_TASK) {
		add(bygone, &bygone->named, record->state.parent);
		return;
	}
	life->born = record->ts;
	life->parent = record->fork.parent;
	life->creator = record->fork.creator;
}

static void note_free(struct proclife_bygone *bygone, const struct proclife_record *record)
{
	struct proclife_bygone_life *life = life_of(bygone, record);

	if (life)
		life->freed = true;
}

static void note_gap(struct proclife_bygone *bygone, uint64_t to)
{
	bygone->gap_to = bygone->gap_to < to ? to : bygone->gap_to;
}

static void note_record(struct proclife_bygone *bygone, const struct proclife_record *record)
{
	if (record->task && record->pid != record->tgid)
		add(bygone, &bygone->threads, record->tgid);
	switch (record->type) {
	case PROCLIFE_FORK:
	case PROCLIFE_TASK:
		note_begin(bygone, record);
		break;
	case PROCLIFE_FREE:
		note_free(bygone, record);
		break;
	case PROCLIFE_MM:
		/* Otherwise it is the task that had it alone that tears it down. */
		if (record->mm.what != PROCLIFE_MM_TEARDOWN && record->mm.what != PROCLIFE_MM_GONE)
			add(bygone, &bygone->shared, record->mm.mm);
		if (record->task)
			note_use(bygone, record);
		break;
	case PROCLIFE_SUPPRESSED:
		if (record->suppressed.what == PROCLIFE_NONE) /* recording was stopped */
			note_gap(bygone, record->ts);
		break;
	default:
		break;
	}
}

void proclife_bygone_note(struct proclife_bygone *bygone, const struct proclife_event *event)
{
	if (bygone->unsure)
		return;
	if (event->record)
		note_record(bygone, event->record);
	else if (event->gap.lost || event->gap.from) /* otherwise a history begins */
		note_gap(bygone, event->gap.to);
}

struct settling {
	struct proclife_bygone *bygone;
	struct proclife_map by_handle;
	struct proclife_bygone_life **open; /* those that have become needed, and whose parents have not yet */
	size_t count;
	size_t size;
};

static void need(struct settling *s, struct proclife_bygone_life *life)
{
	if (life->needed)
		return;
	life->needed = true;
	if (PROCLIFE_ARRAY_RESERVE(s->open, s->count, s->size))
		give_up(s->bygone);
	else
		s->open[s->count++] = life;
}

/* All that have had this handle: which of them was the parent is not looked at. */
static void need_handle(struct settling *s, uint64_t handle)
{
	struct proclife_bygone_life *life = proclife_map_get(&s->by_handle, handle);

	for (; life; life = life->same)
		need(s, life);
	proclife_map_del(&s->by_handle, handle);
}

static void index_handles(struct settling *s)
{
	for (struct proclife_bygone_life *life = s->bygone->all; life; life = life->all) {
		if (proclife_map_reserve(&s->by_handle)) {
			give_up(s->bygone);
			return;
		}
		life->same = proclife_map_get(&s->by_handle, life->handle);
		proclife_map_put(&s->by_handle, life->handle, life);
	}
}

static bool is_before_gap(const struct proclife_bygone *bygone, const struct proclife_bygone_life *life)
{
	return bygone->gap_to && life->born <= bygone->gap_to;
}

static void need_memory(struct settling *s)
{
	struct proclife_bygone *bygone = s->bygone;
	size_t i;

	/* If the end of one that is open was lost, another's with the same handle shows that it is gone. */
	for (i = 0; i < bygone->use_count; i++)
		if (!bygone->uses[i].life->freed && is_before_gap(bygone, bygone->uses[i].life))
			add(bygone, &bygone->shared, bygone->uses[i].mm);
	for (i = 0; i < bygone->use_count && bygone->shared.used; i++)
		if (proclife_map_get(&bygone->shared, bygone->uses[i].mm))
			need(s, bygone->uses[i].life);
}

static void need_first(struct settling *s)
{
	struct proclife_bygone *bygone = s->bygone;

	for (struct proclife_bygone_life *life = bygone->all; life; life = life->all)
		/* What has no beginning here can have more to it, or can end what had its handle before. */
		if (!life->freed || !life->begun || is_before_gap(bygone, life) ||
		    proclife_map_get(&bygone->threads, life->tgid))
			need(s, life);
	need_memory(s);
	for (uint64_t i = 0; i <= bygone->named.mask; i++)
		if (bygone->named.entries[i].value)
			need_handle(s, bygone->named.entries[i].key);
}

void proclife_bygone_settle(struct proclife_bygone *bygone)
{
	struct settling s = { .bygone = bygone };

	if (proclife_map_init(&s.by_handle))
		give_up(bygone);
	else
		index_handles(&s);
	if (!bygone->unsure)
		need_first(&s);
	while (s.count && !bygone->unsure) {
		const struct proclife_bygone_life *life = s.open[--s.count];

		need_handle(&s, life->parent);
		need_handle(&s, life->creator);
	}
	proclife_map_free(&s.by_handle);
	free(s.open);
	bygone->settled = true;
}

int proclife_bygone_init(struct proclife_bygone *bygone)
{
	int err;

	*bygone = (struct proclife_bygone){ 0 };
	proclife_slab_init(&bygone->slab, sizeof(struct proclife_bygone_life));
	err = proclife_map_init(&bygone->lives);
	err = err ? err : proclife_map_init(&bygone->threads);
	err = err ? err : proclife_map_init(&bygone->shared);
	return err ? err : proclife_map_init(&bygone->named);
}

void proclife_bygone_free(struct proclife_bygone *bygone)
{
	proclife_map_free(&bygone->lives);
	proclife_map_free(&bygone->threads);
	proclife_map_free(&bygone->shared);
	proclife_map_free(&bygone->named);
	proclife_slab_free(&bygone->slab);
	free(bygone->uses);
}
