// SPDX-License-Identifier: GPL-2.0-only
#include "live/deaths.h"
#include "output/message.h"
#include <stdlib.h>
#include <string.h>

#define MOST_ARGS 4096 /* bytes of a death: any process can have megabytes of them */

struct dead {
	uint64_t id;
	struct kept_death *kept;
};

void death_hold(struct kept_death *kept)
{
	kept->holders++;
}

void death_release(struct kept_death *kept)
{
	if (--kept->holders)
		return;
	free(kept->life);
	free(kept->cgroup);
	free(kept->ancestors);
	free(kept);
}

const struct life *death_life(struct kept_death *kept)
{
	if (kept->process) {
		life_end(kept->life, kept->process);
		life_set_open_phases(kept->life, kept->process);
	}
	return kept->life;
}

struct kept_death *deaths_get(const struct deaths *deaths, uint64_t back)
{
	if (back >= deaths->count || back >= MOST_DEATHS)
		return NULL;
	return deaths->ring[(deaths->count - 1 - back) % MOST_DEATHS];
}

/* The parent by birth, and so on, as far as they are there. */
static void set_ancestors(struct kept_death *kept, const struct run *run,
			  const struct proclife_process *process)
{
	struct ancestor ancestors[MOST_ANCESTORS];
	const struct proclife_process *parent;
	unsigned int n = 0;

	for (; process->parent_tgid && process->parent_tgid != process->tgid && n < MOST_ANCESTORS; process = parent) {
		parent = proclife_tasks_holder(run->tasks, process->parent_tgid);
		ancestors[n].tgid = process->parent_tgid;
		/* Another one can have its pid. */
		if (parent && parent->id != process->parent_id)
			parent = NULL;
		memcpy(ancestors[n].comm, parent ? parent->comm : process->parent_comm, PROCLIFE_COMM_LEN);
		n++;
		if (!parent)
			break;
	}
	kept->ancestors = n ? malloc(n * sizeof(*ancestors)) : NULL;
	if (n && !kept->ancestors)
		die_no_memory();
	if (n)
		memcpy(kept->ancestors, ancestors, n * sizeof(*ancestors));
	kept->ancestor_count = n;
}

static struct kept_death *keep(struct deaths *deaths, struct life *life,
			       const struct proclife_process *process)
{
	const char *path = proclife_cgroups_path(deaths->run->cgroups, process->cgroup);
	struct kept_death **slot = &deaths->ring[deaths->count % MOST_DEATHS], *kept;

	life->order = ++deaths->count;
	if (life->args && life->args_bytes > MOST_ARGS) {
		life->args_bytes = MOST_ARGS;
		life->args_cut = true;
	}
	kept = calloc(1, sizeof(*kept));
	if (!kept)
		die_no_memory();
	kept->life = life_keep(life);
	if (kept->life->args) /* where it was cut, there is no NUL */
		((char *)(uintptr_t)kept->life->args)[kept->life->args_bytes] = '\0';
	kept->cgroup = path ? strdup(path) : NULL;
	if (path && !kept->cgroup)
		die_no_memory();
	set_ancestors(kept, deaths->run, process);
	if (*slot)
		death_release(*slot);
	*slot = kept;
	death_hold(kept);
	return kept;
}

/* More of it is reported later. */
static void add(struct deaths *deaths, struct life *life, const struct proclife_process *process)
{
	struct dead *dead = id_table_add(&deaths->dead, process->id);

	dead->kept = keep(deaths, life, process);
	dead->kept->process = process;
	death_hold(dead->kept);
}

static void exited(void *data, struct proclife_process *process)
{
	struct deaths *deaths = data;
	struct life life = { .run = deaths->run };

	if (!filter_passes(process))
		return;
	deaths->run->shown++;
	life_set(&life, process);
	life.alone_known = alone_of(deaths->alone, process, &life.alone);
	add(deaths, &life, process);
}

/* As --lives has it: its EXIT was lost, and it is gone for certain. */
static void gone_unseen(struct deaths *deaths, const struct proclife_process *process)
{
	struct life life = { .run = deaths->run };

	if (!process->incomplete || !deaths->run->lost || !filter_passes(process))
		return;
	if (!process->marks.reaped && !process->marks.freed) {
		deaths->lost++;
		return;
	}
	deaths->run->shown++;
	life_set(&life, process);
	life.when = 0;
	add(deaths, &life, process);
}

static void over(void *data, struct proclife_process *process)
{
	struct deaths *deaths = data;
	struct dead *dead = id_table_get(&deaths->dead, process->id);

	if (!dead)
		return;
	death_life(dead->kept);
	dead->kept->process = NULL;
	death_release(dead->kept);
	id_table_delete(&deaths->dead, dead);
}

static void gone(void *data, struct proclife_process *process)
{
	struct deaths *deaths = data;

	if (!process->outlives && !proclife_process_has_exited(process) && !id_table_get(&deaths->dead, process->id))
		gone_unseen(deaths, process);
}

int deaths_begin(struct deaths *deaths, struct run *run)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_exited = exited,
		.process_gone = gone,
		.process_over = over,
	};
	int ret;

	deaths->run = run;
	id_table_init(&deaths->dead, sizeof(struct dead));
	/* First: then it knows of what is reported to us. */
	ret = alone_new(&deaths->alone, run->tasks, run->source);
	return ret ? ret : proclife_tasks_report(run->tasks, &reports, deaths);
}

void deaths_free(struct deaths *deaths)
{
	struct dead *dead = (void *)deaths->dead.entries;
	size_t i;

	for (i = 0; i < deaths->dead.slots; i++) {
		if (!dead[i].kept)
			continue;
		dead[i].kept->process = NULL; /* it goes, and a life that is shown can stay */
		death_release(dead[i].kept);
	}
	id_table_free(&deaths->dead);
	for (i = 0; i < MOST_DEATHS; i++)
		if (deaths->ring[i])
			death_release(deaths->ring[i]);
	alone_free(deaths->alone);
}
