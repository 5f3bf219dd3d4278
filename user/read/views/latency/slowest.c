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
	struct slow all[MOST]; /* the slowest first */
	struct text line;
};

/* The first ones of equals are kept. */
static bool is_wanted(const struct slowest *slowest, const struct slow *slow)
{
	return slowest->count < MOST || slow_took(&slowest->all[MOST - 1]) < slow_took(slow);
}

/* What is wanted. */
static void keep(struct slowest *slowest, const struct slow *slow)
{
	size_t at = slowest->count;

	while (at && slow_took(&slowest->all[at - 1]) < slow_took(slow))
		at--;
	slowest->count += slowest->count < MOST;
	memmove(&slowest->all[at + 1], &slowest->all[at],
		(slowest->count - at - 1) * sizeof(slowest->all[0]));
	slowest->all[at] = *slow;
}

/* Still running, or partly unseen: it is not known how long its end took. */
static bool is_over(const struct slow *slow, bool outlives)
{
	return slow->life.marks.exited && (slow->life.marks.freed || outlives) &&
	       (!slow->life.marks.reaped || slow->life.marks.reaped >= slow->life.marks.exited);
}

static void set_notified(struct slow *slow, const struct run *run, const struct proclife_process *process)
{
	const struct proclife_process *notified = proclife_tasks_holder(run->tasks, process->notified_tgid);

	slow->notified_tgid = process->notified_tgid;
	slow->notified_known = notified && notified->id == process->notified_id;
	if (slow->notified_known)
		memcpy(slow->notified_comm, notified->comm, PROCLIFE_COMM_LEN);
}

static void process_over(void *data, struct proclife_process *process)
{
	struct slowest *slowest = data;
	size_t i;

	for (i = 0; i < slowest->count; i++)
		if (slowest->all[i].life.id == process->id)
			slowest->all[i].life.memory = memory_of(process);
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct slowest *slowest = data;
	struct slow slow = {
		.life = { .run = slowest->run, .marks = process->marks },
		.ended = slowest->run->ended,
		.leader_exited = process->leader_exited,
		.reaper_waited = process->reaper_waited,
		.pid = process->tgid,
		.reaper_pid = process->reaper_pid,
		.free_cpu = process->free_cpu,
		.tracer_lost = process->tracer_lost,
		.real_parent_tgid = process->real_parent_tgid,
		.ended_with_parent = process->ended_with_parent,
	};

	if (!process->selected || !process->matches || process->notified_lost ||
	    !is_over(&slow, process->outlives) || !is_wanted(slowest, &slow))
		return;
	life_set(&slow.life, process);
	set_notified(&slow, slowest->run, process);
	keep(slowest, &slow);
}

static void task_gone(void *data, struct proclife_task *task)
{
	struct slowest *slowest = data;
	const struct proclife_process *process = task->process;
	struct slow slow = {
		.life = {
			.run = slowest->run,
			.marks = task->marks,
			.state = proclife_task_state(task),
			.tgid = task->tgid,
			.parent_id = process->parent_id,
			.parent_tgid = process->parent_tgid,
			.has_parent = proclife_process_has_parent(process),
			.threads = process->threads,
			.reaper_tgid = task->reaper_tgid,
			.reaper_named = task->reaper_named,
		},
		.ended = slowest->run->ended,
		.group_exited = task->leader ? process->marks.exited : 0,
		.reaper_waited = task->reaper_waited,
		.pid = task->pid,
		.reaper_pid = task->reaper_pid,
		.free_cpu = task->free_cpu,
		.real_parent_tgid = process->real_parent_tgid,
		.ended_with_parent = process->ended_with_parent,
		.is_thread = true,
	};

	if (!process->selected || !process->matches ||
	    !is_over(&slow, !task->marks.freed && slowest->run->ended) || !is_wanted(slowest, &slow))
		return;
	memcpy(slow.life.comm, task->comm, PROCLIFE_COMM_LEN);
	memcpy(slow.life.parent_comm, process->parent_comm, PROCLIFE_COMM_LEN);
	memcpy(slow.life.reaper_comm, task->reaper_comm, PROCLIFE_COMM_LEN);
	keep(slowest, &slow);
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

static void show(struct text *line, const struct slow *slow, const char *rcu)
{
	unsigned int column;

	text_string(line, "  ");
	text_time_in(line, 8, slow_took(slow));
	text_string(line, "  ");
	column = line->columns;
	text_comm(line, slow->life.comm);
	text_string(line, " (");
	text_uint(line, slow->pid);
	if (slow->pid != slow->life.tgid) {
		text_string(line, "/");
		text_uint(line, slow->life.tgid);
	}
	text_string(line, ")");
	text_pad(line, column + 24);
	text_string(line, "  ");
	text_hang(line);
	text_why(line, slow, rcu);
	text_line(line);
}

static void show_json(struct json *json, struct text *why, const struct slow *slow,
		      const char *rcu)
{
	json_line(json, "slowest");
	json_uint(json, "pid", slow->life.tgid);
	json_uint(json, "tid", slow->pid);
	json_bytes(json, "comm", slow->life.comm, PROCLIFE_COMM_LEN);
	json_uint(json, "took", slow_took(slow));
	json_uint(json, "exited", slow->life.marks.exited);
	json_tracer(json, slow->life.tracer.tgid ? &slow->life.tracer : NULL);
	json_uint_or_null(json, "notified", slow->life.marks.notified);
	json_uint_or_null(json, "reaped", slow->life.marks.reaped);
	json_uint_or_null(json, "freed", slow->life.marks.freed);
	json_uint_if(json, "parent_pid", slow->life.has_parent, slow->life.parent_tgid);
	json_uint_or_null(json, "reaper_pid", slow->life.reaper_tgid);
	json_comm_or_null(json, "reaper_comm", slow->life.marks.reaped && slow->life.reaper_named,
			  slow->life.reaper_comm);
	json_uint_or_null(json, "reaper_waited", slow->reaper_waited);
	json_uint(json, "free_cpu", slow->free_cpu);
	text_clear(why);
	text_why(why, slow, rcu);
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
