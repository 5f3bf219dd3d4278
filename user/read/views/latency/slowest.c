// SPDX-License-Identifier: GPL-2.0-only
#include "output/quote.h"
#include "views/share/memory.h"
#include "views/share/rcu.h"
#include "views/latency/slowest.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST 5

struct slowest {
	struct run *run;
	size_t count;
	struct death all[MOST]; /* the slowest first */
	struct text line;
};

static void keep(struct slowest *slowest, const struct death *death)
{
	size_t at = slowest->count;

	/* Of those that are equal, the first one. */
	while (at && death_took(&slowest->all[at - 1]) < death_took(death))
		at--;
	if (at == MOST)
		return;
	slowest->count += slowest->count < MOST;
	memmove(&slowest->all[at + 1], &slowest->all[at],
		(slowest->count - at - 1) * sizeof(slowest->all[0]));
	slowest->all[at] = *death;
}

/* Still running, or partly unseen: it is not known how long its end took. */
static bool is_over(const struct death *death, bool outlives)
{
	return death->marks.exited && (death->marks.freed || outlives) &&
	       (!death->marks.reaped || death->marks.reaped >= death->marks.exited);
}

static void set_parent(struct death *death, const struct proclife_process *process)
{
	death->parent_tgid = process->parent_tgid;
	death->real_parent_tgid = process->real_parent_tgid;
	death->parent_known = process->parent_id;
	death->ended_with_parent = process->ended_with_parent;
	memcpy(death->parent_comm, process->parent_comm, PROCLIFE_COMM_LEN);
}

static void set_notified(struct death *death, const struct run *run, const struct proclife_process *process)
{
	const struct proclife_process *notified = proclife_tasks_holder(run->tasks, process->notified_tgid);

	death->notified_tgid = process->notified_tgid;
	death->notified_known = notified && notified->id == process->notified_id;
	if (death->notified_known)
		memcpy(death->notified_comm, notified->comm, PROCLIFE_COMM_LEN);
}

static void process_over(void *data, struct proclife_process *process)
{
	struct slowest *slowest = data;
	size_t i;

	for (i = 0; i < slowest->count; i++)
		if (slowest->all[i].id == process->id)
			slowest->all[i].memory = memory_of(process);
}

static void process_gone(void *data, struct proclife_process *process)
{
	const struct proclife_killer *killer = proclife_process_killer(process);
	const struct proclife_tracer *tracer = proclife_process_tracer(process);
	struct slowest *slowest = data;
	struct death death = {
		.marks = process->marks,
		.ended = slowest->run->ended,
		.state = proclife_process_state(process),
		.leader_exited = process->leader_exited,
		.reaper_waited = process->reaper_waited,
		.max_rss = process->max_rss,
		.id = process->id,
		.killed = proclife_process_killed(process),
		.memory = memory_of(process),
		.pid = process->tgid,
		.tgid = process->tgid,
		.threads = process->threads,
		.reaper_pid = process->reaper_pid,
		.reaper_tgid = process->reaper_tgid,
		.free_cpu = process->free_cpu,
		.reaper_named = process->reaper_named,
		.cgroups = slowest->run->cgroups,
		.autoreaped = process->autoreaped,
		.tracer_lost = process->tracer_lost,
	};

	death.is_held = death.state == PROCLIFE_IS_ZOMBIE && proclife_process_is_held(process);
	if (!process->selected || !process->matches || process->notified_lost ||
	    !is_over(&death, process->outlives))
		return;
	if (killer)
		death.killer = *killer;
	if (tracer)
		death.tracer = *tracer;
	set_parent(&death, process);
	set_notified(&death, slowest->run, process);
	memcpy(death.comm, process->comm, PROCLIFE_COMM_LEN);
	memcpy(death.reaper_comm, process->reaper_comm, PROCLIFE_COMM_LEN);
	keep(slowest, &death);
}

static void task_gone(void *data, struct proclife_task *task)
{
	struct slowest *slowest = data;
	const struct proclife_process *process = task->process;
	struct death death = {
		.marks = task->marks,
		.ended = slowest->run->ended,
		.state = proclife_task_state(task),
		.group_exited = task->leader ? process->marks.exited : 0,
		.reaper_waited = task->reaper_waited,
		.pid = task->pid,
		.tgid = task->tgid,
		.threads = process->threads,
		.reaper_pid = task->reaper_pid,
		.reaper_tgid = task->reaper_tgid,
		.free_cpu = task->free_cpu,
		.is_thread = true,
		.reaper_named = task->reaper_named,
		.cgroups = slowest->run->cgroups,
	};

	if (!process->selected || !process->matches ||
	    !is_over(&death, !task->marks.freed && slowest->run->ended))
		return;
	set_parent(&death, process);
	memcpy(death.comm, task->comm, PROCLIFE_COMM_LEN);
	memcpy(death.reaper_comm, task->reaper_comm, PROCLIFE_COMM_LEN);
	keep(slowest, &death);
}

int slowest_new(struct slowest **result, struct run *run)
{
	struct proclife_reports reports = { .size = sizeof(reports) };
	struct slowest *slowest = calloc(1, sizeof(*slowest));

	if (!slowest)
		return -ENOMEM;
	slowest->run = run;
	text_init(&slowest->line, run->screen);
	if (run->options->threads) {
		reports.task_gone = task_gone;
	} else {
		reports.process_gone = process_gone;
		reports.process_over = process_over;
	}
	*result = slowest;
	return proclife_tasks_report(run->tasks, &reports, slowest);
}

void slowest_clear(struct slowest *slowest)
{
	slowest->count = 0;
}

void slowest_free(struct slowest *slowest)
{
	if (!slowest)
		return;
	text_free(&slowest->line);
	free(slowest);
}

static void show(struct text *line, const struct death *death, const char *rcu)
{
	unsigned int column;

	text_string(line, "  ");
	text_time_in(line, 8, death_took(death));
	text_string(line, "  ");
	column = line->columns;
	text_comm(line, death->comm);
	text_string(line, " (");
	text_uint(line, death->pid);
	if (death->pid != death->tgid) {
		text_string(line, "/");
		text_uint(line, death->tgid);
	}
	text_string(line, ")");
	text_pad(line, column + 24);
	text_string(line, "  ");
	text_hang(line);
	text_why(line, death, rcu);
	text_line(line);
}

static void show_json(struct json *json, struct text *why, const struct death *death,
		      const char *rcu)
{
	json_line(json, "slowest");
	json_uint(json, "pid", death->tgid);
	json_uint(json, "tid", death->pid);
	json_bytes(json, "comm", death->comm, PROCLIFE_COMM_LEN);
	json_uint(json, "took", death_took(death));
	json_uint(json, "exited", death->marks.exited);
	json_tracer(json, death->tracer.tgid ? &death->tracer : NULL);
	json_uint_or_null(json, "notified", death->marks.notified);
	json_uint_or_null(json, "reaped", death->marks.reaped);
	json_uint_or_null(json, "freed", death->marks.freed);
	json_uint(json, "parent_pid", death->parent_tgid);
	json_uint(json, "reaper_pid", death->reaper_tgid);
	json_comm_or_null(json, "reaper_comm", death->marks.reaped && death->reaper_named,
			  death->reaper_comm);
	json_uint_or_null(json, "reaper_waited", death->reaper_waited);
	json_uint(json, "free_cpu", death->free_cpu);
	text_clear(why);
	text_why(why, death, rcu);
	json_string(json, "why", why->s);
	json_line_end(json);
}

void slowest_print(const struct slowest *slowest)
{
	struct text *line = (struct text *)&slowest->line;
	const struct run *run = slowest->run;
	char words[64];
	size_t i;

	if (!slowest->count)
		return;
	if (run->recorded_rcu)
		snprintf(words, sizeof(words), "%s", run->recorded_rcu);
	else
		rcu_describe(words, sizeof(words));
	if (!run->options->json) {
		text_line(line);
		text_style(line, STYLE_HEAD);
		text_string(line, "SLOWEST FROM EXIT TO FREE, AND WHY");
		text_style(line, STYLE_PLAIN);
		text_line(line);
	}
	for (i = 0; i < slowest->count; i++) {
		if (run->options->json)
			show_json(run->json, line, &slowest->all[i], words);
		else
			show(line, &slowest->all[i], words);
	}
	text_clear(line);
}
