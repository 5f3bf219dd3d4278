// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "triggers/backlog.h"
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RECORDS 192    /* of a life: its arguments can have half of them */
#define MOST_ARGS (MOST_RECORDS / 2)
#define MOST_GENERATIONS 64 /* of ancestors that are gone; a program can start itself again for ever */
#define MOST_BYTES (64u << 20) /* of all */

struct kept {
	uint64_t order;
	struct proclife_record record;
};

struct kept_life {
	uint64_t id;
	struct kept_life *parent; /* NULL: not known, or not kept any more */
	uint64_t children;   /* whose parent this is */
	bool over;
	bool exits; /* what follows is of its end */
	unsigned int distance; /* to its nearest descendant that is there; for sweep() */
	size_t count;
	size_t size;
	struct kept *kept;
};

struct entry {
	uint64_t id;
	struct kept_life *life;
};

/* With what malloc() adds, and its share of a table that has just grown. */
#define LIFE_BYTES (sizeof(struct kept_life) + 4 * sizeof(struct entry) + 32)

static void loosen(struct backlog *backlog)
{
	backlog->generations = MOST_GENERATIONS;
	backlog->args = MOST_ARGS;
}

void backlog_init(struct backlog *backlog)
{
	*backlog = (struct backlog){ 0 };
	id_table_init(&backlog->lives, sizeof(struct entry));
	loosen(backlog);
}

static void free_life(struct kept_life *life)
{
	if (life)
		free(life->kept);
	free(life);
}

void backlog_free(struct backlog *backlog)
{
	size_t i;

	for (i = 0; i < backlog->lives.slots; i++)
		free_life(((struct entry *)(void *)backlog->lives.entries)[i].life);
	id_table_free(&backlog->lives);
}

static struct kept_life *find(const struct backlog *backlog, uint64_t id)
{
	struct entry *entry = id ? id_table_get(&backlog->lives, id) : NULL;

	return entry ? entry->life : NULL;
}

static void forget(struct backlog *backlog, struct entry *entry)
{
	backlog->bytes -= LIFE_BYTES + entry->life->size * sizeof(struct kept);
	free_life(entry->life);
	id_table_delete(&backlog->lives, entry);
}

/* Those that are over, and that no descendant needs any more. */
static void drop(struct backlog *backlog, struct kept_life *life)
{
	while (life && life->over && !life->children) {
		struct kept_life *parent = life->parent;

		forget(backlog, id_table_get(&backlog->lives, life->id));
		if (parent)
			parent->children--;
		life = parent;
	}
}

static void set_parent(struct kept_life *life, struct kept_life *parent)
{
	if (life->parent || !parent || parent == life)
		return;
	life->parent = parent;
	parent->children++;
}

static struct kept_life *add(struct backlog *backlog, uint64_t id)
{
	struct entry *entry = id_table_add(&backlog->lives, id);

	if (!entry->life) {
		entry->life = calloc(1, sizeof(*entry->life));
		if (!entry->life)
			die_no_memory();
		entry->life->id = id;
		backlog->bytes += LIFE_BYTES;
	}
	return entry->life;
}

void backlog_link(struct backlog *backlog, const struct proclife_process *process)
{
	struct kept_life *life = find(backlog, process->id);

	if (life && process->parent_id)
		set_parent(life, add(backlog, process->parent_id)); /* whose TASK can be the one that is fed */
}

static void resize(struct backlog *backlog, struct kept_life *life, size_t size)
{
	backlog->bytes += (size - life->size) * sizeof(*life->kept);
	life->size = size;
	life->kept = reallocarray(life->kept, size, sizeof(*life->kept));
	if (!life->kept)
		die_no_memory();
}

static void cut_args(struct backlog *backlog, struct kept_life *life)
{
	size_t from, to = 0;

	for (from = 0; from < life->count; from++)
		if ((life->kept[from].record.type != PROCLIFE_ARGS && life->kept[from].record.type != PROCLIFE_PATH) ||
		    from <= backlog->args)
			life->kept[to++] = life->kept[from];
	if (to < life->count)
		resize(backlog, life, to);
	life->count = to;
}

static void measure(const struct backlog *backlog, struct kept_life *life)
{
	struct kept_life *above = life->parent;
	unsigned int n;

	for (n = 1; above && above->over && n <= backlog->generations && n < above->distance; n++) {
		above->distance = n;
		above = above->parent;
	}
}

/* Brings all within the limits. An ancestor that is near to one of its descendants stays for all of them. */
static void sweep(struct backlog *backlog)
{
	struct entry *entries = (void *)backlog->lives.entries;
	struct kept_life *life;
	size_t i;

	for (i = 0; i < backlog->lives.slots; i++)
		if (entries[i].life)
			entries[i].life->distance = entries[i].life->over ? UINT_MAX : 0;
	for (i = 0; i < backlog->lives.slots; i++)
		if (entries[i].life && !entries[i].life->over)
			measure(backlog, entries[i].life);
	for (i = 0; i < backlog->lives.slots; i++) {
		life = entries[i].life;
		if (!life || !life->parent)
			continue;
		if (life->distance == UINT_MAX || life->parent->distance == UINT_MAX) {
			life->parent->children--;
			life->parent = NULL;
		}
	}
	for (i = 0; i < backlog->lives.slots;) {
		life = entries[i].life;
		if (life && life->distance == UINT_MAX) {
			forget(backlog, &entries[i]); /* another moves up */
			continue;
		}
		if (life)
			cut_args(backlog, life);
		i++;
	}
}

/*
 * The limits are the same for all, so the process that has the most loses it first: ancestors that are far away,
 * then all that are gone, then the ends of long arguments. What is left of each process that is there is
 * less than the library has of it.
 */
static void tighten(struct backlog *backlog)
{
	while (backlog->bytes > MOST_BYTES && (backlog->generations || backlog->args)) {
		if (backlog->generations)
			backlog->generations /= 2;
		else
			backlog->args /= 2;
		sweep(backlog);
	}
}

/* @life is not over. */
static void append(struct backlog *backlog, struct kept_life *life, const struct proclife_record *record)
{
	if (life->count == MOST_RECORDS)
		return;
	if (life->count == life->size)
		resize(backlog, life, life->size ? 2 * life->size : 4);
	life->kept[life->count++] = (struct kept){ backlog->order++, *record };
	tighten(backlog);
}

#define ALL_OF(type) PROCLIFE_HAS(PROCLIFE_##type)

static void take_out(struct kept_life *life, uint64_t types)
{
	size_t from, to = 0;

	for (from = 0; from < life->count; from++)
		if (!(PROCLIFE_HAS(life->kept[from].record.type) & types))
			life->kept[to++] = life->kept[from];
	life->count = to;
}

/* The first notices date its end. */
static bool is_of_end(const struct proclife_process *process, const struct proclife_record *record)
{
	return record->ts == process->marks.notified || record->ts == proclife_process_announced(process);
}

/* The process notified last as its parent is to reap it: one notified before is of no use any more. */
static bool takes_over(struct kept_life *life, const struct proclife_process *process,
		       const struct proclife_record *record)
{
	size_t from, to = 0;

	if (record->pid != record->tgid || !(record->flags & PROCLIFE_F_GROUP_DEAD) ||
	    record->flags & PROCLIFE_F_TRACER)
		return false;
	for (from = 0; life && from < life->count; from++)
		if (life->kept[from].record.type != PROCLIFE_NOTIFY || is_of_end(process, &life->kept[from].record))
			life->kept[to++] = life->kept[from];
	if (life)
		life->count = to;
	return true;
}

static bool kills(const struct proclife_process *process, const struct proclife_record *record)
{
	const struct proclife_killer *killer = proclife_process_sigkill(process);

	return record->signal.signo == SIGKILL && killer && killer->ts == record->ts;
}

/* The records of its birth can be other tasks', or of an exec that is left out: one says what they said. */
static void keep_births(struct backlog *backlog, struct kept_life *life, const struct proclife_process *process,
			const struct proclife_record *record)
{
	const struct proclife_births *births = backlog->births ? proclife_process_births(process) : NULL;
	struct proclife_record past = *record;
	size_t i = 0;

	if (!life || !births || !(births->forking | births->started | births->execed))
		return;
	past.type = PROCLIFE_BIRTH;
	past.birth = (struct proclife_birth){
		.forking = births->forking, .started = births->started, .execing = births->execing,
		.execed = births->execed, .what = PROCLIFE_BIRTH_PAST,
	};
	while (i < life->count && life->kept[i].record.type != PROCLIFE_BIRTH)
		i++;
	if (i < life->count)
		life->kept[i].record.birth = past.birth;
	else
		append(backlog, life, &past);
}

void backlog_keep(struct backlog *backlog, const struct proclife_process *process,
	       const struct proclife_record *record)
{
	bool leads = record->pid == record->tgid;
	struct kept_life *life = find(backlog, process->id);

	switch (record->type) {
	case PROCLIFE_FORK:
	case PROCLIFE_TASK:
		if (!leads || (life && life->count && record->type == PROCLIFE_TASK))
			return;
		life = add(backlog, process->id);
		backlog_link(backlog, process);
		break;
	case PROCLIFE_EXEC: /* it has the name, too */
		if (life)
			take_out(life, ALL_OF(EXEC) | ALL_OF(ARGS) | ALL_OF(PATH) | ALL_OF(RENAME));
		break;
	case PROCLIFE_RENAME:
		if (!leads)
			return;
		if (life)
			take_out(life, ALL_OF(RENAME));
		break;
	case PROCLIFE_ARGS:
	case PROCLIFE_PATH:
		if (life && life->count > backlog->args)
			return;
		break;
	case PROCLIFE_EXITING:
		if (life)
			life->exits = true;
		if (!leads)
			return;
		break;
	case PROCLIFE_EXIT:
	case PROCLIFE_REAP:
		if (!leads)
			return;
		break;
	case PROCLIFE_MM:
		if (!life || !life->exits)
			return;
		break;
	case PROCLIFE_SIGNAL:
		if (!kills(process, record))
			return;
		break;
	case PROCLIFE_BIRTH:
		if (leads && record->birth.what == PROCLIFE_BIRTH_STARTED)
			keep_births(backlog, life, process, record);
		return;
	case PROCLIFE_FAIL:
		if (!leads || record->fail.what != PROCLIFE_FAIL_EXEC)
			return;
		if (life)
			take_out(life, ALL_OF(FAIL));
		break;
	case PROCLIFE_NOTIFY:
		if (!is_of_end(process, record) && !takes_over(life, process, record))
			return;
		break;
	default:
		return;
	}
	if (life)
		append(backlog, life, record);
	if (record->type == PROCLIFE_FORK || record->type == PROCLIFE_EXEC)
		keep_births(backlog, life, process, record);
}

/* An ancestor that is too far away is not needed any more. */
static void cut(struct backlog *backlog, struct kept_life *life)
{
	struct kept_life *above = life;
	unsigned int n = 0;

	if (!backlog->generations) {
		backlog->bytes -= life->size * sizeof(*life->kept);
		free(life->kept);
		life->kept = NULL;
		life->size = life->count = 0;
	}
	while (above && above->over && ++n < backlog->generations)
		above = above->parent;
	if (!above || !above->over || !above->parent)
		return;
	life = above->parent;
	above->parent = NULL;
	life->children--;
	drop(backlog, life);
}

void backlog_end(struct backlog *backlog, const struct proclife_process *process,
	      const struct proclife_record *record)
{
	struct kept_life *life = find(backlog, process->id);

	if (life && record && record->type == PROCLIFE_FREE && record->tgid == process->tgid)
		append(backlog, life, record);
}

void backlog_over(struct backlog *backlog, const struct proclife_process *process)
{
	struct kept_life *life = find(backlog, process->id);

	if (!life)
		return;
	life->over = true;
	cut(backlog, life);
	drop(backlog, life);
	if (backlog->bytes < MOST_BYTES / 2)
		loosen(backlog);
}

static int compare(const void *a, const void *b)
{
	const struct kept *x = *(const struct kept *const *)a, *y = *(const struct kept *const *)b;

	return x->order < y->order ? -1 : x->order > y->order;
}

struct proclife_record *backlog_of(const struct backlog *backlog, uint64_t id, size_t *count)
{
	struct proclife_record *records;
	const struct kept_life *life;
	const struct kept **all;
	size_t n = 0, i;

	*count = 0;
	for (life = find(backlog, id); life; life = life->parent)
		*count += life->count;
	if (!*count)
		return NULL;
	records = reallocarray(NULL, *count, sizeof(*records));
	all = reallocarray(NULL, *count, sizeof(*all));
	if (!records || !all)
		die_no_memory();
	for (life = find(backlog, id); life; life = life->parent)
		for (i = 0; i < life->count; i++)
			all[n++] = &life->kept[i];
	qsort(all, n, sizeof(*all), compare);
	for (i = 0; i < n; i++)
		records[i] = all[i]->record;
	free(all);
	return records;
}
