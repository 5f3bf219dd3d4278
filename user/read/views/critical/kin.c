// SPDX-License-Identifier: GPL-2.0-only
#include "output/array.h"
#include "output/message.h"
#include "views/critical/kin.h"
#include "views/share/pid_within.h"
#include "views/share/ended.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct creator {
	uint64_t id;
	uint64_t creator_id;
};

static uint32_t text_of(struct kin *kin, const char *s, size_t n)
{
	uint32_t number = number_of(&kin->texts, s, n);

	if (!number)
		die_no_memory();
	return number;
}

const char *kin_text(const struct kin *kin, uint32_t number, uint32_t *bytes)
{
	const struct numbered *text = number ? &kin->texts.all[number - 1] : NULL;

	if (bytes)
		*bytes = text ? text->length - 1 : 0;
	return text ? kin->texts.bytes + text->at : NULL;
}

static struct kin_life *add(struct kin *kin)
{
	if (kin->count >= NOBODY / 3 * 2)
		die_no_memory();
	ARRAY_GROW(kin->all, kin->count, kin->room);
	memset(&kin->all[kin->count], 0, sizeof(*kin->all));
	return &kin->all[kin->count++];
}

static void process_born(void *data, struct proclife_process *process,
			 struct proclife_process *parent, struct proclife_process *creator)
{
	struct kin *kin = data;
	struct creator *other;

	if (!creator || creator == parent)
		return;
	other = id_table_add(&kin->creators, process->id);
	other->creator_id = creator->id;
}

/* When its parent could go on: it is notified some time after the exit. */
static uint64_t end_of(const struct proclife_process *process)
{
	uint64_t announced = proclife_process_announced(process);
	uint64_t ended = announced ? announced : process_lived_to(process);

	return !ended || ended > process->seen ? ended : process->seen;
}

/*
 * Where nothing says when it was reaped, though it was, its reaper counts as having waited: what is
 * freed was reaped some time before.
 */
static void set_reaped(struct kin *kin, struct kin_life *life, const struct proclife_process *process)
{
	const struct proclife_marks *marks = &process->marks;

	life->reaper_id = process->reaper_id ? process->reaper_id : process->parent_id;
	if (marks->reaped)
		life->reaped = marks->reaped > life->ended ? marks->reaped : life->ended;
	else if (marks->freed || !run_has_reap(kin->run))
		life->reaped = life->ended;
}

/*
 * It can have left the cgroup of a --pid before its end. As it is selected, it was there, or descends from one that
 * was: that has no creator here.
 */
static bool is_named(struct run *run, const struct proclife_process *process)
{
	const struct pids *pids = &run->options->pids;
	size_t i;

	for (i = 0; i < pids->count; i++) {
		const struct pid_option *option = &pids->all[i];

		if (option->cgroup && process->ns_inum && process->ns_pid == option->pid)
			return true;
		if (pid_is_of(run, option, process) == PROCLIFE_MATCHES)
			return true;
	}
	return false;
}

static void keep(struct kin *kin, const struct proclife_process *process)
{
	const struct creator *other = id_table_get(&kin->creators, process->id);
	struct kin_life *life = add(kin);

	life->id = process->id;
	life->creator_id = other ? other->creator_id : process->parent_id;
	life->born = process->seen;
	life->ended = end_of(process);
	set_reaped(kin, life, process);
	life->runtime = process->runtime;
	life->tgid = process->tgid;
	life->comm = text_of(kin, process->comm, strlen(process->comm) + 1);
	if (process->path)
		life->path = text_of(kin, process->path, strlen(process->path) + 1);
	if (process->args)
		life->args = text_of(kin, process->args, (size_t)process->args_bytes + 1);
	life->args_cut = process->args_cut;
	life->script = process->script;
	life->named = is_named(kin->run, process);
	life->older = !process->marks.born;
	life->open = !life->ended &&
		     proclife_process_state(process) <= PROCLIFE_IS_DYING;
	life->incomplete = process->incomplete;
	life->kthread = process->flags & PROCLIFE_F_KTHREAD;
}

static void add_overtime(struct kin *kin, const struct proclife_process *process)
{
	const struct run *run = kin->run;

	if (!process->marks.exited)
		return;
	if (!kin->began) {
		overtime_begin(&kin->overtime, run_from(run));
		kin->overtime.limit = run->to;
		kin->began = true;
	}
	overtime_add(&kin->overtime, overtime_born(run, process),
		     process->marks.exited, process->runtime);
	kin->cpus[process->exit_cpu / 64] |= UINT64_C(1) << process->exit_cpu % 64;
	if (process->marks.freed)
		kin->cpus[process->free_cpu / 64] |= UINT64_C(1) << process->free_cpu % 64;
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct kin *kin = data;
	struct creator *other;

	add_overtime(kin, process);
	if (process->selected)
		keep(kin, process);
	other = id_table_get(&kin->creators, process->id);
	if (other)
		id_table_delete(&kin->creators, other);
}

int kin_init(struct kin *kin, struct run *run)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = process_born,
		.process_gone = process_gone,
	};

	kin->run = run;
	id_table_init(&kin->creators, sizeof(struct creator));
	return proclife_tasks_report(run->tasks, &reports, kin);
}

static void free_lists(struct kin_lists *lists)
{
	free(lists->first);
	free(lists->all);
}

void kin_free(struct kin *kin)
{
	free_lists(&kin->born);
	free_lists(&kin->done);
	free_lists(&kin->reaped);
	id_table_free(&kin->creators);
	numbers_free(&kin->texts);
	free(kin->all);
}

/*
 * Once all are there
 */

void kin_order(struct kin *kin)
{
	id_sort(kin->all, kin->count, sizeof(*kin->all));
}

static uint32_t find(const struct kin *kin, uint64_t id)
{
	return id_find(kin->all, kin->count, sizeof(*kin->all), id);
}

uint32_t kin_creator(const struct kin *kin, uint32_t life)
{
	return find(kin, kin->all[life].creator_id);
}

static void cut_at(struct kin_life *life, uint64_t to, bool await)
{
	if (!life->open && life->ended <= to)
		return;
	life->open = true;
	life->ended = life->born < to ? to : life->born;
	life->reaped = life->born < to && await ? to : 0;
	life->reaper_id = life->creator_id;
}

/* Entries without an owner are in no list. */
static void begin_lists(struct kin *kin, struct kin_lists *lists, uint32_t *(*of)(struct kin_life *))
{
	uint32_t i, *whose;

	lists->first = calloc((size_t)kin->count + 2, sizeof(*lists->first));
	lists->all = malloc(((size_t)kin->count + 1) * sizeof(*lists->all));
	if (!lists->first || !lists->all)
		die_no_memory();
	/* One further than it belongs: filling them moves it back. */
	for (i = 0; i < kin->count; i++) {
		whose = of(&kin->all[i]);
		if (*whose != NOBODY)
			lists->first[*whose + 2]++;
	}
	for (i = 2; i < kin->count + 2; i++)
		lists->first[i] += lists->first[i - 1];
	for (i = 0; i < kin->count; i++) {
		whose = of(&kin->all[i]);
		if (*whose != NOBODY)
			lists->all[lists->first[*whose + 1]++] = i;
	}
}

static uint32_t *creator_of(struct kin_life *life)
{
	return &life->creator;
}

static uint32_t *reaper_of(struct kin_life *life)
{
	return &life->reaper;
}

static int by_birth(const void *a, const void *b, void *all)
{
	const struct kin_life *x = (struct kin_life *)all + *(const uint32_t *)a;
	const struct kin_life *y = (struct kin_life *)all + *(const uint32_t *)b;

	return x->born < y->born ? -1 : x->born > y->born ? 1 : x < y ? -1 : x > y;
}

static int by_done(const void *a, const void *b, void *all)
{
	const struct kin_life *x = (struct kin_life *)all + *(const uint32_t *)a;
	const struct kin_life *y = (struct kin_life *)all + *(const uint32_t *)b;

	uint64_t p = kin_done(x), q = kin_done(y);

	return p < q ? -1 : p > q ? 1 : x < y ? -1 : x > y;
}

static int by_reap(const void *a, const void *b, void *all)
{
	const struct kin_life *x = (struct kin_life *)all + *(const uint32_t *)a;
	const struct kin_life *y = (struct kin_life *)all + *(const uint32_t *)b;

	return x->reaped < y->reaped ? -1 : x->reaped > y->reaped ? 1 : x < y ? -1 : x > y;
}

static void sort(struct kin *kin, struct kin_lists *lists, uint32_t life,
		 int (*compare)(const void *a, const void *b, void *all))
{
	uint32_t *list = lists->all + lists->first[life], n = kin_list_size(lists, life), i;

	for (i = 1; i < n && compare(&list[i - 1], &list[i], kin->all) < 0; i++)
		;
	if (i < n)
		qsort_r(list, n, sizeof(*list), compare, kin->all);
}

void kin_link(struct kin *kin, uint64_t to, bool await)
{
	uint32_t i;

	for (i = 0; i < kin->count; i++) {
		struct kin_life *life = &kin->all[i];

		cut_at(life, to, await);
		/* A task that reaps itself keeps no process waiting. */
		if (life->reaper_id == life->id || !life->reaped || !life->ended)
			life->reaper_id = 0;
		if (life->creator_id == life->id)
			life->creator_id = 0;
		life->reaper = find(kin, life->reaper_id);
		life->creator = find(kin, life->creator_id);
		if (life->ended < life->born)
			life->ended = life->born; /* not known: it counts for nothing */
	}
	begin_lists(kin, &kin->born, creator_of);
	begin_lists(kin, &kin->reaped, reaper_of);
	for (i = 0; i < kin->count; i++)
		sort(kin, &kin->born, i, by_birth);
	kin->done.all = malloc(((size_t)kin->count + 1) * sizeof(*kin->done.all));
	kin->done.first = malloc(((size_t)kin->count + 2) * sizeof(*kin->done.first));
	if (!kin->done.all || !kin->done.first)
		die_no_memory();
	memcpy(kin->done.first, kin->born.first, ((size_t)kin->count + 2) * sizeof(*kin->done.first));
}

void kin_sort_done(struct kin *kin, uint32_t life)
{
	uint32_t first = kin->born.first[life];

	memcpy(kin->done.all + first, kin->born.all + first,
	       kin_list_size(&kin->born, life) * sizeof(*kin->done.all));
	sort(kin, &kin->done, life, by_done);
}

void kin_sort_reaped(struct kin *kin, uint32_t life)
{
	sort(kin, &kin->reaped, life, by_reap);
}

unsigned int kin_cpus(const struct kin *kin)
{
	unsigned int cpus = 0;
	size_t i;

	for (i = 0; i < sizeof(kin->cpus) / sizeof(*kin->cpus); i++)
		cpus += (unsigned int)__builtin_popcountll(kin->cpus[i]);
	return cpus;
}
