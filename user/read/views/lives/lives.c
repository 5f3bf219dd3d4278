// SPDX-License-Identifier: GPL-2.0-only
/*
 * One line per death: as it happens, or with --sort and --top all of them at the end, or the largest.
 * What comes after the EXIT is then part of it.
 */
#include "output/array.h"
#include "views/share/alone.h"
#include "views/share/id_table.h"
#include "views/lives/lives.h"
#include "views/share/when.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is of one recording, or of the one source. */
struct part {
	struct lives *lives;
	struct run *run;
	struct alone *alone; /* NULL: not needed */
	struct id_table dead; /* those that are not gone yet, of struct dead */
	bool announced; /* what follows is said to be of it */
};

struct lives {
	struct run *run; /* of the first part */
	struct part *parts;
	size_t part_count;
	enum sort_key sort; /* SORT_NONE: as they happen */
	struct lives_text text;
	bool begun; /* the head is there */
	struct lives_counts counts;
	struct life now;    /* the one that is reported */
	struct life **kept; /* with --top a heap, the last of them first */
	size_t kept_count;
	size_t kept_size;
};

struct dead {
	uint64_t id;
	struct life *life;
	bool unmatched; /* at its exit */
};

static enum sort_key sort_of(const struct options *options)
{
	return options->sort ? options->sort : options->cut.top ? SORT_CPU : SORT_NONE;
}

static bool streams(const struct options *options)
{
	return !sort_of(options);
}

static void show(struct lives *lives, const struct life *life)
{
	if (lives->run->options->json)
		lives_json_life(life);
	else
		lives_text_life(&lives->text, life);
}

/* Are they not all of one day? */
static bool has_days(const struct lives *lives)
{
	unsigned int days = 0;
	int64_t day = 0;
	size_t i;

	for (i = 0; i < lives->kept_count && days < 2; i++)
		days += lives->kept[i]->when &&
			when_is_new_day(lives->kept[i]->run, lives->kept[i]->when, &day);
	return days > 1;
}

/* Before the first line. */
static void announce(struct part *part)
{
	struct lives *lives = part->lives;

	if (part->announced || lives->run->options->json)
		return;
	part->announced = true;
	if (!lives->begun)
		lives_text_head(&lives->text, has_days(lives));
	lives->begun = true;
	if (part->run->number && !lives->sort)
		lives_text_recording(&lives->text, part->run);
}

/*
 * The largest of them: a heap whose first one is the first to go
 */

static void swap(struct life **a, struct life **b)
{
	struct life *other = *a;

	*a = *b;
	*b = other;
}

static void sift_up(struct life **heap, size_t i)
{
	for (; i && life_before(heap[(i - 1) / 2], heap[i]); i = (i - 1) / 2)
		swap(&heap[(i - 1) / 2], &heap[i]);
}

static void sift_down(struct life **heap, size_t count)
{
	size_t i = 0, child;

	while ((child = 2 * i + 1) < count) {
		if (child + 1 < count && life_before(heap[child], heap[child + 1]))
			child++;
		if (!life_before(heap[i], heap[child]))
			break;
		swap(&heap[i], &heap[child]);
		i = child;
	}
}

static void keep(struct lives *lives, struct life *life)
{
	uint64_t top = lives->run->options->cut.top;

	life->figure = life_figure(life, lives->sort, life->run->ended);
	/* Those of several recordings have no clock in common but this one. */
	if (life->run->number && lives->sort == SORT_TIME && life->figure.known)
		life->figure.value = proclife_source_realtime(life->run->source, life->when);
	if (top && lives->kept_count == top) {
		if (life_before(life, lives->kept[0]))
			swap(&life, &lives->kept[0]);
		sift_down(lives->kept, lives->kept_count);
		free(life);
		return;
	}
	ARRAY_GROW(lives->kept, lives->kept_count, lives->kept_size);
	lives->kept[lives->kept_count++] = life;
	if (top)
		sift_up(lives->kept, lives->kept_count - 1);
}

/*
 * What happens
 */

/* A child that was found only now can have lived before its parent ended. */
static void linked(void *data, struct proclife_process *process, struct proclife_process *parent)
{
	struct part *part = data;
	struct dead *dead = parent ? id_table_get(&part->dead, parent->id) : NULL;

	(void)process;
	if (dead && dead->life->alone_known)
		dead->life->alone_known = alone_of(part->alone, parent, &dead->life->alone);
}

static void born(void *data, struct proclife_process *process, struct proclife_process *parent,
		 struct proclife_process *creator)
{
	struct part *part = data;

	(void)creator;
	if (!part->lives->sort)
		announce(part);
	linked(part, process, parent);
}

static void take(const struct part *part, const struct proclife_process *process)
{
	struct lives *lives = part->lives;

	lives->now.run = part->run;
	life_set(&lives->now, process);
	lives->now.order = lives->counts.deaths;
}

/* Returns whether it is shown. */
static bool count(const struct part *part, const struct proclife_process *process)
{
	struct lives *lives = part->lives;

	if (!process->selected)
		return false;
	lives->counts.deaths++;
	if (!process->matches)
		return false;
	lives->counts.matched++;
	part->run->shown++;
	take(part, process);
	return true;
}

/* More of it is reported later. */
static void add_dead(struct part *part, const struct proclife_process *process)
{
	struct dead *dead = id_table_add(&part->dead, process->id);

	dead->life = life_keep(&part->lives->now);
	dead->unmatched = !process->matches;
}

/* Which user it was after its last exec is known when it is reaped. */
static bool may_match(const struct lives *lives, const struct proclife_process *process)
{
	const struct filter *filter = &lives->run->options->filter;

	return lives->sort && process->selected && (filter->uids.count || filter->users.count);
}

static void exited(void *data, struct proclife_process *process)
{
	struct part *part = data;
	struct lives *lives = part->lives;

	if (!count(part, process)) {
		if (!may_match(lives, process))
			return;
		take(part, process);
	}
	if (part->alone)
		lives->now.alone_known = alone_of(part->alone, process, &lives->now.alone);
	if (!lives->sort)
		show(lives, &lives->now);
	else
		add_dead(part, process);
}

/*
 * Its EXIT was lost, or was before the trace: then it was no death in it. Where its end was lost, too,
 * it can live on.
 */
static void gone_unseen(struct part *part, const struct proclife_process *process)
{
	struct lives *lives = part->lives;
	bool sure = process->marks.reaped || process->marks.freed;

	if (!process->incomplete || !part->run->lost || proclife_process_ended_before(process))
		return;
	if (!sure) {
		lives->counts.lost += process->selected && process->matches;
		return;
	}
	if (!count(part, process))
		return;
	lives->now.when = 0;
	if (!lives->sort)
		show(lives, &lives->now);
	else
		add_dead(part, process);
}

static void over(void *data, struct proclife_process *process)
{
	struct part *part = data;
	struct dead *dead = id_table_get(&part->dead, process->id);

	if (!dead)
		return;
	if (dead->unmatched && !process->matches) {
		free(dead->life);
		id_table_delete(&part->dead, dead);
		return;
	}
	if (dead->unmatched) {
		part->lives->counts.matched++;
		part->run->shown++;
	}
	life_set_phases(dead->life, process);
	life_set_open_phases(dead->life, process);
	keep(part->lives, dead->life);
	id_table_delete(&part->dead, dead);
}

static void gone(void *data, struct proclife_process *process)
{
	struct part *part = data;
	struct dead *dead = id_table_get(&part->dead, process->id);

	if (dead)
		life_end(dead->life, process);
	else if (!process->outlives && !proclife_process_has_exited(process))
		gone_unseen(part, process);
}

/*
 * The view
 */

static int begin_part(struct lives *lives, struct run *run)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = born,
		.process_linked = linked,
		.process_exited = exited,
		.process_gone = gone,
		.process_over = over,
	};
	struct part *part = &lives->parts[lives->part_count++];
	int ret = 0;

	part->lives = lives;
	part->run = run;
	id_table_init(&part->dead, sizeof(struct dead));
	/* First: then it knows of what is reported to us. */
	if (run->options->json || lives->sort == SORT_ALONE)
		ret = alone_new(&part->alone, run->tasks, run->source);
	return ret ? ret : proclife_tasks_report(run->tasks, &reports, part);
}

static int begin(struct run *run, void **state)
{
	struct lives *lives = calloc(1, sizeof(*lives));

	if (!lives)
		return -ENOMEM;
	*state = lives;
	lives->parts = calloc(run->options->inputs.count + 1, sizeof(*lives->parts));
	if (!lives->parts)
		return -ENOMEM;
	lives->run = run;
	lives->sort = sort_of(run->options);
	lives_text_init(&lives->text, run, lives->sort);
	return begin_part(lives, run);
}

static int next(struct run *run, void *state)
{
	struct lives *lives = state;
	int ret;

	if (!lives->sort)
		announce(&lives->parts[lives->part_count - 1]);
	ret = begin_part(lives, run);
	if (!ret && !lives->sort)
		announce(&lives->parts[lives->part_count - 1]);
	return ret;
}

static void end_part(struct part *part)
{
	size_t i;

	for (i = 0; i < part->dead.slots; i++)
		free(((struct dead *)(void *)part->dead.entries)[i].life);
	id_table_free(&part->dead);
	alone_free(part->alone);
}

static void end(void *state)
{
	struct lives *lives = state;
	size_t i;

	if (!lives)
		return;
	for (i = 0; i < lives->part_count; i++)
		end_part(&lives->parts[i]);
	free(lives->parts);
	for (i = 0; i < lives->kept_count; i++)
		free(lives->kept[i]);
	free(lives->kept);
	lives_text_free(&lives->text);
	free(lives);
}

static void print_open(const struct run *run, void *state)
{
	struct lives *lives = state;
	const struct proclife_process *process = NULL;

	while ((process = proclife_tasks_next(run->tasks, process)))
		if (process->selected && process->matches)
			lives->counts.states[proclife_process_state(process)]++;
}

static int compare(const void *a, const void *b)
{
	return life_before(*(struct life *const *)a, *(struct life *const *)b) ? -1 : 1;
}

static void print(const struct run *run, void *state)
{
	struct lives *lives = state;
	uint64_t shown = lives->sort ? lives->kept_count : lives->counts.matched;
	size_t i;

	announce(&lives->parts[0]);
	if (lives->kept_count)
		qsort(lives->kept, lives->kept_count, sizeof(*lives->kept), compare);
	for (i = 0; i < lives->kept_count; i++)
		show(lives, lives->kept[i]);
	if (run->options->json)
		lives_json_end(run, &lives->counts, shown);
	else
		lives_text_end(&lives->text, &lives->counts, shown);
}

const struct view view_lives = {
	.request = {
		.name = "lives",
		.help = "One line per death: life and end (default)",
		.takes = OF_TRACE | GIVEN(SORT) | GIVEN(TOP),
		.combines = true,
		.adds_up = true,
		.is_default = true,
	},
	.has_cgroups = true,
	.counts = true,
	.streams = streams,
	.begin = begin,
	.next = next,
	.print_open = print_open,
	.print = print,
	.free = end,
};
