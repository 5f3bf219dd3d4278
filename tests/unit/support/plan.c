// SPDX-License-Identifier: GPL-2.0-only
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { FORKED, EXECED, EXITED, REAPED, FREED };

struct moment {
	uint64_t at; /* ns */
	size_t order;
	enum kind kind;
	uint32_t pid;
	uint32_t parent; /* or reaper */
	uint32_t creator; /* 0: the parent */
	const char *text; /* the name, or a line of arguments */
	uint64_t cpu;
};

static struct moment plan[200000];
static size_t planned;
struct who plan_whos[50000];
static char names[50000][PROCLIFE_COMM_LEN];
static uint64_t runtime[50000];
unsigned int plan_cpus;
bool plan_without_reaps;

static struct moment *happens(double ms, enum kind kind, uint32_t pid)
{
	struct moment *moment = &plan[planned];

	assert_true(planned < sizeof(plan) / sizeof(*plan));
	*moment = (struct moment){
		.at = (uint64_t)(ms * MS), .order = planned++, .kind = kind, .pid = pid,
	};
	return moment;
}

void plan_fork(uint32_t parent, uint32_t pid, const char *line, double at)
{
	happens(at, FORKED, pid)->parent = parent;
	happens(at, EXECED, pid)->text = line;
}

void plan_clone(uint32_t parent, uint32_t pid, uint32_t creator, double at)
{
	struct moment *moment = happens(at, FORKED, pid);

	moment->parent = parent;
	moment->creator = creator;
}

void plan_exec(uint32_t pid, const char *line, double at)
{
	happens(at, EXECED, pid)->text = line;
}

void plan_exit(uint32_t parent, uint32_t pid, double at, double cpu)
{
	struct moment *moment = happens(at, EXITED, pid);

	moment->parent = parent;
	moment->cpu = (uint64_t)(cpu * MS);
}

void plan_reap(uint32_t reaper, uint32_t pid, double at)
{
	happens(at, REAPED, pid)->parent = reaper;
	happens(at + 0.03, FREED, pid);
}

void plan_life(uint32_t parent, uint32_t pid, const char *line, double from, double to)
{
	plan_fork(parent, pid, line, from);
	plan_exit(parent, pid, to, (to - from) / 10);
	plan_reap(parent, pid, to + 0.01);
}

static int compare(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* "/bin/cc -c a.c" runs cc with two arguments. */
static void execs(struct who *who, const char *line)
{
	char path[200], args[200];
	size_t n = strlen(line);

	memcpy(args, line, n + 1);
	memcpy(path, line, n + 1);
	path[strcspn(path, " ")] = '\0';
	snprintf(names[who->pid], sizeof(names[0]), "%s", strrchr(path, '/') + 1);
	who->comm = names[who->pid];
	story_put(exec_record(0, who, who->pid, path));
	for (size_t i = 0; i < n; i++)
		args[i] = args[i] == ' ' ? '\0' : args[i];
	story_args(who, args, n + 1);
}

static void happen(const struct moment *moment)
{
	struct who *who = &plan_whos[moment->pid], *other = &plan_whos[moment->parent];
	struct proclife_record record;

	machine->now = 1000 * MS + moment->at > machine->now ? 1000 * MS + moment->at : machine->now;
	switch (moment->kind) {
	case FORKED:
		*who = process_of_pid(moment->pid, other->comm);
		story_put(moment->creator ? clone_record(0, who, other, &plan_whos[moment->creator]) :
					    fork_record(0, who, other));
		break;
	case EXECED:
		execs(who, moment->text);
		break;
	case EXITED:
		record = exit_record(0, who, 0, 0);
		record.exit.runtime = moment->cpu;
		runtime[moment->pid] = moment->cpu;
		record.exit.parent_tgid = other->tgid;
		story_put_on(plan_cpus ? moment->pid % plan_cpus : 0, record);
		story_put(notify_record(0, who, other));
		break;
	case REAPED:
		if (!plan_without_reaps)
			story_put(reap_record(0, who, other));
		break;
	case FREED:
		record = free_record(0, who);
		record.free.runtime = runtime[moment->pid];
		story_put(record);
		break;
	}
}

void plan_tell_so_far(void)
{
	qsort(plan, planned, sizeof(*plan), compare);
	for (size_t i = 0; i < planned; i++)
		happen(&plan[i]);
	planned = 0;
}

void plan_tell(void)
{
	plan_tell_so_far();
	machine->now += MS;
	story_end();
}

void plan_begin(void)
{
	planned = 0;
	plan_cpus = 0;
	plan_without_reaps = false;
	plan_whos[1] = process_of_pid(1, "init");
	story_put(task_record(0, &plan_whos[1], &plan_whos[1]));
}
