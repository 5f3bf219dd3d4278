// SPDX-License-Identifier: GPL-2.0-only
#include "output/quote.h"
#include "triggers/alert.h"
#include "views/share/ended.h"
#include "views/share/when.h"
#include <inttypes.h>
#include <string.h>

/* The process that is to reap it, once a tracer has let it go; or its parent by birth. */
static uint32_t parent_of(const struct proclife_process *process)
{
	if (process->notified_tgid)
		return process->notified_tgid;
	return process->real_parent_tgid ? process->real_parent_tgid : process->parent_tgid;
}

static void put_parent(struct text *line, const struct run *run, const struct proclife_process *process)
{
	uint32_t tgid = parent_of(process);
	const struct proclife_process *parent = tgid ? proclife_tasks_holder(run->tasks, tgid) : NULL;

	if (!tgid)
		return;
	text_string(line, ", parent ");
	if (parent)
		text_who(line, parent->comm, tgid);
	else
		text_printf(line, "(%" PRIu32 ")", tgid);
}

static void put_tracer(struct text *line, const struct proclife_process *process)
{
	const struct proclife_tracer *tracer = proclife_process_tracer(process);

	text_string(line, ", by ");
	if (tracer->ts)
		text_who(line, tracer->comm, tracer->tgid);
	else
		text_printf(line, "(%u)", tracer->tgid);
}

static void put_phase(struct text *line, const struct run *run, const struct alert *alert)
{
	const struct proclife_process *process = alert->process;
	const struct proclife_killer *killer;

	text_string(line, condition_figure(alert->condition));
	text_string(line, alert->at_least ? " for at least " : " for ");
	text_time(line, alert->value);
	if (alert->open)
		text_string(line, " so far");
	switch (alert->condition->phase) {
	case PROCLIFE_KILL:
		killer = alert->open ? proclife_process_sigkill(process) : proclife_process_killer(process);
		if (killer) {
			text_string(line, ", signal");
			text_killer(line, killer, process->tgid, run->cgroups);
		}
		break;
	case PROCLIFE_TRACED:
		put_tracer(line, process);
		put_parent(line, run, process);
		break;
	case PROCLIFE_ZOMBIE:
		put_parent(line, run, process);
		break;
	default:
		break;
	}
}

static void put_what(struct text *line, const struct run *run, const struct alert *alert)
{
	switch (alert->condition->what) {
	case CONDITION_PHASE:
		put_phase(line, run, alert);
		break;
	case CONDITION_FAILED:
	case CONDITION_STATUS:
	case CONDITION_SIGNAL:
		text_exit(line, alert->process->exit_code, alert->process, run->cgroups);
		put_parent(line, run, alert->process);
		break;
	case CONDITION_FORKS:
		text_count(line, alert->by_most);
		text_string(line, " of ");
		text_plural(line, alert->value, "fork", "forks");
		text_string(line, " in ");
		text_time(line, alert->span);
		break;
	case CONDITION_LOST:
		text_plural(line, alert->value, "record was lost", "records were lost");
		break;
	case CONDITION_THREAD_EXIT: /* put_thread() */
		break;
	}
}

static void put_thread(struct text *line, const struct thread_end *end)
{
	text_exit(line, end->exit_code, NULL, NULL);
	text_string(line, ", ");
	text_plural(line, end->live, "thread lives on", "threads live on");
}

void alert_print(const struct run *run, const struct alert *alert, int64_t *day)
{
	struct text line;

	text_init(&line, run->screen);
	text_when_dated(&line, run, alert->ts, day);
	text_string(&line, " ");
	text_hang(&line);
	text_style(&line, STYLE_WARN);
	text_name(&line, alert->condition->text, SIZE_MAX);
	text_style(&line, STYLE_PLAIN);
	text_string(&line, ": ");
	if (alert->thread) {
		text_who(&line, alert->thread->task->comm, alert->thread->task->pid);
		text_string(&line, " of ");
	}
	if (alert->has_who) {
		text_who(&line, alert->comm, alert->tgid);
		text_string(&line, ", ");
	}
	if (alert->thread)
		put_thread(&line, alert->thread);
	else
		put_what(&line, run, alert);
	if (alert->suppressed) {
		text_string(&line, "; ");
		text_count(&line, alert->suppressed);
		text_string(&line, " before it not shown");
	}
	text_line(&line);
	text_free(&line);
}

/* What is known of the process by now. */
static void json_process(const struct run *run, const struct proclife_process *process)
{
	bool exited = proclife_process_has_exited(process) && process->exit_code >= 0;
	struct json *json = run->json;

	json_object(json, "process");
	json_uint(json, "id", process->id);
	json_uint_or_null(json, "start", process->start);
	json_uint_if(json, "uid", proclife_process_has_uid(process), process->uid);
	json_uint_if(json, "parent_pid", proclife_process_has_parent(process), process->parent_tgid);
	json_uint_or_null(json, "reaper_pid", process->notified_tgid ? process->notified_tgid : process->real_parent_tgid);
	json_tracer(json, proclife_process_tracer(process));
	json_uint(json, "cgroup", process->cgroup);
	json_string_or_null(json, "cgroup_path", proclife_cgroups_path(run->cgroups, process->cgroup));
	json_string_or_null(json, "path", process->path);
	json_args(json, process->args, process->args_bytes, process->args_cut);
	json_wait_status(json, exited, process->exit_code);
	json_killer(json, exited ? proclife_process_killer(process) : proclife_process_sigkill(process));
	json_object_end(json);
}

void alert_json(const struct run *run, const struct alert *alert)
{
	struct json *json = run->json;

	json_line(json, "fired");
	json_uint(json, "ts", alert->ts);
	json_string(json, "condition", alert->condition->text);
	json_string(json, "figure", condition_figure(alert->condition));
	json_uint(json, "value", alert->value);
	json_bool(json, "open", alert->open);
	json_bool(json, "at_least", alert->at_least);
	json_uint_or_null(json, "span", alert->span);
	json_uint_or_null(json, "by_most", alert->by_most);
	json_uint(json, "suppressed", alert->suppressed);
	json_string_or_null(json, "saved", alert->saved);
	if (alert->has_who)
		json_uint(json, "pid", alert->tgid);
	else
		json_null(json, "pid");
	json_comm_or_null(json, "comm", alert->has_who, alert->comm);
	if (alert->thread) {
		json_uint(json, "tid", alert->thread->task->pid);
		json_uint(json, "live", alert->thread->live);
	} else {
		json_null(json, "tid");
		json_null(json, "live");
	}
	json_comm_or_null(json, "thread_comm", alert->thread, alert->thread ? alert->thread->task->comm : "");
	if (alert->process)
		json_process(run, alert->process);
	else
		json_null(json, "process");
	json_line_end(json);
}
