// SPDX-License-Identifier: LGPL-2.1-or-later
/* The phases of lives, and their histograms: of all lives, and of groups. */
#include "base/array.h"
#include "recording/cgroups.h"
#include "results/group.h"
#include "results/phase.h"
#include "lives/report.h"
#include "base/siphash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct group {
	struct proclife_group group; /* what programs see; first */
	struct proclife_latency_counts counts;
	struct proclife_histogram *phases[PROCLIFE_PHASES]; /* NULL: no life has this phase */
	struct proclife_spent *spent; /* by phase; NULL: nothing is known of that */
	struct group *next; /* the next group with the same hash */
};

struct proclife_latency {
	struct proclife_tasks *tasks; /* NULL once they are freed */
	bool threads;
	struct group all; /* has all its histograms */
	enum proclife_by by;
	struct proclife_secret secret; /* since any user can choose a name */
	struct proclife_map by_hash;   /* if `by` is something */
	struct group **groups;
	size_t count;
	size_t room;
	uint64_t taken; /* how many numbers, from the highest down, other runs' cgroups have got */
};

/*
 * Groups
 */

static uint64_t hash_of(const struct proclife_latency *latency, const struct proclife_key *key)
{
	uint64_t words[1 + PROCLIFE_COMM_LEN / 8] = { key->number ^ (key->known ? 1ULL << 63 : 0) };

	memcpy(words + 1, key->name, PROCLIFE_COMM_LEN);
	return proclife_siphash(&latency->secret, words, sizeof(words));
}

static void free_phases(struct group *group)
{
	for (unsigned int phase = 0; phase < PROCLIFE_PHASES; phase++)
		proclife_histogram_free(group->phases[phase]);
	free(group->spent);
}

static int add_group(struct proclife_latency *latency, const struct proclife_key *key,
		     struct group **result)
{
	struct group *group;

	if (PROCLIFE_ARRAY_RESERVE(latency->groups, latency->count, latency->room))
		return -ENOMEM;
	group = calloc(1, sizeof(*group));
	if (!group)
		return -ENOMEM;
	group->group.known = key->known;
	group->group.number = key->number;
	memcpy(group->group.name, key->name, sizeof(key->name));
	latency->groups[latency->count++] = group;
	*result = group;
	return 0;
}

static struct group *find_group(const struct proclife_latency *latency, const struct proclife_key *key,
				uint64_t hash)
{
	struct group *group = proclife_map_get(&latency->by_hash, hash);

	while (group && (group->group.known != key->known || group->group.number != key->number ||
			 memcmp(group->group.name, key->name, sizeof(key->name))))
		group = group->next;
	return group;
}

static int get_group(struct proclife_latency *latency, const struct proclife_key *key,
		     struct group **result)
{
	uint64_t hash = hash_of(latency, key);
	struct group *group = find_group(latency, key, hash);
	int err;

	if (!group) {
		err = proclife_map_reserve(&latency->by_hash);
		if (!err)
			err = add_group(latency, key, &group);
		if (err)
			return err;
		group->next = proclife_map_get(&latency->by_hash, hash);
		proclife_map_put(&latency->by_hash, hash, group);
	}
	*result = group;
	return 0;
}

int proclife_latency_group_by(struct proclife_latency *latency, enum proclife_by by)
{
	int err;

	if ((unsigned int)by >= PROCLIFE_BYS)
		return -EINVAL;
	if (latency->all.counts.lives || latency->by != PROCLIFE_BY_NOTHING)
		return -EBUSY;
	if (by == PROCLIFE_BY_NOTHING)
		return 0;
	err = proclife_map_init(&latency->by_hash);
	if (err)
		return err;
	latency->secret = proclife_secret_new();
	latency->by = by;
	return 0;
}

const struct proclife_group *proclife_latency_group(const struct proclife_latency *latency,
						    size_t index)
{
	return index < latency->count ? &latency->groups[index]->group : NULL;
}

const struct proclife_latency_counts *proclife_group_counts(const struct proclife_group *group)
{
	return &((const struct group *)group)->counts;
}

const struct proclife_histogram *proclife_group_phase(const struct proclife_group *group,
						      enum proclife_phase phase)
{
	return (unsigned int)phase < PROCLIFE_PHASES ? ((const struct group *)group)->phases[phase] :
						       NULL;
}

const struct proclife_spent *proclife_group_spent(const struct proclife_group *group, enum proclife_phase phase)
{
	const struct proclife_spent *spent = ((const struct group *)group)->spent;

	return spent && (unsigned int)phase < PROCLIFE_PHASES && spent[phase].count ? &spent[phase] : NULL;
}

const struct proclife_spent *proclife_latency_spent(const struct proclife_latency *latency, enum proclife_phase phase)
{
	return proclife_group_spent(&latency->all.group, phase);
}

/*
 * Counting
 */

static int add_phase(struct group *group, unsigned int phase, uint64_t ns)
{
	struct proclife_histogram **histogram = &group->phases[phase];
	int err = *histogram ? 0 : proclife_histogram_new(histogram);

	return err ? err : proclife_histogram_add(*histogram, ns);
}

static int add_spent(struct group *group, unsigned int phase, const struct proclife_spent *more)
{
	struct proclife_spent *spent;

	if (!group->spent)
		group->spent = calloc(PROCLIFE_PHASES, sizeof(*group->spent));
	if (!group->spent)
		return -ENOMEM;
	spent = &group->spent[phase];
	spent->count += more->count;
	spent->exact += more->exact;
	proclife_sum(&spent->on_cpu, more->on_cpu);
	proclife_sum(&spent->waiting, more->waiting);
	proclife_sum(&spent->blocked, more->blocked);
	return 0;
}

static void count_open(struct proclife_latency_counts *counts, enum proclife_life_state state)
{
	counts->alive += state == PROCLIFE_IS_ALIVE;
	counts->dying += state == PROCLIFE_IS_DYING;
	counts->unreaped += state == PROCLIFE_IS_ZOMBIE;
	counts->unfreed += state == PROCLIFE_IS_UNFREED;
	counts->unknown += state == PROCLIFE_IS_UNKNOWN;
}

/* The relevant facts of a process or a task that is gone. */
struct life {
	struct proclife_ends ends;
	enum proclife_life_state state;
	bool incomplete;
	bool exited; /* EXIT was seen */
	int32_t exit_code;
	const struct proclife_process *process; /* NULL: a task */
};

static int add_splits(struct group *group, const struct proclife_process *process)
{
	int err = 0;

	for (unsigned int phase = 0; !err && phase < PROCLIFE_PHASES; phase++) {
		const struct proclife_split *split = proclife_process_split(process, phase);

		if (split)
			err = add_spent(group, phase, &(struct proclife_spent){
				.count = 1, .exact = split->exact, .on_cpu = split->on_cpu,
				.waiting = split->waiting, .blocked = split->blocked });
	}
	return err;
}

static int add_life(const struct proclife_latency *latency, struct group *group,
		    const struct life *life)
{
	struct proclife_latency_counts *counts = &group->counts;
	int err = 0;

	counts->lives++;
	counts->incomplete += life->incomplete;
	counts->partial += !life->ends.marks->born;
	counts->failed += life->exited && life->exit_code;
	if (latency->tasks->closing)
		count_open(counts, life->state);
	for (unsigned int phase = 0; !err && phase < PROCLIFE_PHASES; phase++) {
		uint64_t ns;

		if (proclife_phase_of(&life->ends, (enum proclife_phase)phase, &ns))
			err = add_phase(group, phase, ns);
	}
	return err || !life->process ? err : add_splits(group, life->process);
}

static void count(struct proclife_latency *latency, const struct life *life, const struct proclife_key *key)
{
	struct group *group;
	int err = add_life(latency, &latency->all, life);

	if (!err && latency->by != PROCLIFE_BY_NOTHING) {
		err = get_group(latency, key, &group);
		if (!err)
			err = add_life(latency, group, life);
	}
	if (err)
		latency->tasks->error = err;
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct proclife_latency *latency = data;
	const struct proclife_tracer *tracer = proclife_process_tracer(process);
	struct life life = {
		.ends = {
			.traced = tracer ? tracer->ts : 0,
			.marks = &process->marks,
			.births = proclife_process_births(process),
			.used = proclife_process_used(process),
			.memory = proclife_priv(process)->kept ? NULL :
								proclife_process_memory(process),
			.killed = proclife_process_killed(process),
			.notified_lost = process->notified_lost,
			.tracer_lost = process->tracer_lost,
		},
		.state = proclife_process_state(process),
		.incomplete = process->incomplete,
		.exited = proclife_priv(process)->exited,
		.exit_code = process->exit_code,
		.process = process,
	};
	struct proclife_key key;

	if (!process->selected || !process->matches)
		return;
	key = proclife_process_key(latency->by, process);
	count(latency, &life, &key);
}

/* What was not known of it when it was counted. */
static void process_over(void *data, struct proclife_process *process)
{
	struct proclife_latency *latency = data;
	struct group *group = &latency->all;
	struct proclife_key key;
	int err = 0;

	if (!proclife_priv(process)->kept || !process->selected || !process->matches)
		return;
	key = proclife_process_key(latency->by, process);
	if (latency->by != PROCLIFE_BY_NOTHING)
		err = get_group(latency, &key, &group);
	for (unsigned int phase = 0; !err && phase < PROCLIFE_PHASES; phase++) {
		uint64_t ns;

		if (!proclife_phase_info(phase)->of_memory ||
		    !proclife_process_phase(process, (enum proclife_phase)phase, &ns))
			continue;
		err = add_phase(&latency->all, phase, ns);
		if (!err && group != &latency->all)
			err = add_phase(group, phase, ns);
	}
	if (err)
		latency->tasks->error = err;
}

static void task_gone(void *data, struct proclife_task *task)
{
	struct proclife_latency *latency = data;
	struct life life = {
		.ends = { .marks = &task->marks, .births = proclife_task_births(task) },
		.state = proclife_task_state(task),
		.incomplete = task->incomplete,
		.exited = proclife_priv_task(task)->exited,
		.exit_code = task->exit_code,
	};
	struct proclife_key key;

	if (!task->process->selected || !task->process->matches)
		return;
	key = proclife_task_key(latency->by, task);
	count(latency, &life, &key);
}

static void merge_counts(struct proclife_latency_counts *into,
			 const struct proclife_latency_counts *from)
{
	into->lives += from->lives;
	into->alive += from->alive;
	into->dying += from->dying;
	into->unreaped += from->unreaped;
	into->unfreed += from->unfreed;
	into->unknown += from->unknown;
	into->incomplete += from->incomplete;
	into->partial += from->partial;
	into->failed += from->failed;
}

static int merge_group(struct group *into, const struct group *from)
{
	int err = 0;

	merge_counts(&into->counts, &from->counts);
	for (unsigned int phase = 0; !err && phase < PROCLIFE_PHASES; phase++) {
		if (!from->phases[phase])
			continue;
		if (!into->phases[phase])
			err = proclife_histogram_new(&into->phases[phase]);
		if (!err)
			err = proclife_histogram_merge(into->phases[phase], from->phases[phase]);
	}
	for (unsigned int phase = 0; !err && from->spent && phase < PROCLIFE_PHASES; phase++)
		err = add_spent(into, phase, &from->spent[phase]);
	return err;
}

/*
 * A number that no cgroup of @into has, if this one is taken. A kernel counts its numbers up, so
 * this counts down. A number that is taken stays taken.
 */
static uint64_t free_number(struct proclife_latency *into, struct proclife_cgroups *cgroups,
			    uint64_t number)
{
	struct proclife_key key = { .known = true, .number = number };

	while (proclife_cgroups_path(cgroups, key.number) ||
	       find_group(into, &key, hash_of(into, &key)))
		key.number = UINT64_MAX - into->taken++;
	return key.number;
}

/*
 * The number in this run of another run's cgroup: the one with the same path. A cgroup that has no path
 * there can only be the one with the same number here if that has no path either.
 */
static int translate(struct proclife_latency *into, struct proclife_cgroups *cgroups,
		     struct proclife_cgroups *others, struct proclife_key *key)
{
	const char *path = proclife_cgroups_path(others, key->number);
	uint64_t number;
	int err;

	if (!path) {
		if (proclife_cgroups_path(cgroups, key->number))
			*key = (struct proclife_key){ 0 };
		return 0;
	}
	err = proclife_cgroups_find(cgroups, path, &number);
	if (!err && !number) {
		number = free_number(into, cgroups, key->number);
		err = proclife_cgroups_add(cgroups, number, path);
	}
	key->number = number;
	return err;
}

int proclife_latency_merge(struct proclife_latency *into, struct proclife_cgroups *cgroups,
			   const struct proclife_latency *from, struct proclife_cgroups *others)
{
	bool by_path = into->by == PROCLIFE_BY_CGROUP && cgroups && others;
	int err;

	if (into->threads != from->threads || into->by != from->by)
		return -EINVAL;
	err = merge_group(&into->all, &from->all);
	for (size_t i = 0; !err && i < from->count; i++) {
		const struct group *other = from->groups[i];
		struct proclife_key key = { .known = other->group.known, .number = other->group.number };
		struct group *group;

		memcpy(key.name, other->group.name, sizeof(key.name));
		if (by_path && key.known)
			err = translate(into, cgroups, others, &key);
		if (!err)
			err = get_group(into, &key, &group);
		if (!err)
			err = merge_group(group, other);
	}
	return err;
}

static void tasks_freed(void *data)
{
	struct proclife_latency *latency = data;

	latency->tasks = NULL;
}

int proclife_latency_new(struct proclife_latency **result, struct proclife_tasks *tasks,
			 bool threads)
{
	struct proclife_reports reports = { .size = sizeof(reports) };
	struct proclife_latency *latency = calloc(1, sizeof(*latency));
	int err = -ENOMEM;

	if (!latency)
		return -ENOMEM;
	for (unsigned int phase = 0; phase < PROCLIFE_PHASES; phase++) {
		err = proclife_histogram_new(&latency->all.phases[phase]);
		if (err)
			goto fail;
	}
	if (threads) {
		reports.task_gone = task_gone;
	} else {
		reports.process_gone = process_gone;
		reports.process_over = process_over;
	}
	err = proclife_tasks_attach(tasks, &reports, latency, tasks_freed);
	if (err)
		goto fail;
	latency->tasks = tasks;
	latency->threads = threads;
	*result = latency;
	return 0;
fail:
	proclife_latency_free(latency);
	return err;
}

void proclife_latency_free(struct proclife_latency *latency)
{
	if (!latency)
		return;
	if (latency->tasks)
		proclife_tasks_detach(latency->tasks, latency);
	free_phases(&latency->all);
	for (size_t i = 0; i < latency->count; i++) {
		free_phases(latency->groups[i]);
		free(latency->groups[i]);
	}
	free(latency->groups);
	if (latency->by != PROCLIFE_BY_NOTHING)
		proclife_map_free(&latency->by_hash);
	free(latency);
}

const struct proclife_histogram *proclife_latency_phase(const struct proclife_latency *latency,
							enum proclife_phase phase)
{
	return (unsigned int)phase < PROCLIFE_PHASES ? latency->all.phases[phase] : NULL;
}

const struct proclife_latency_counts *
proclife_latency_counts(const struct proclife_latency *latency)
{
	return &latency->all.counts;
}
