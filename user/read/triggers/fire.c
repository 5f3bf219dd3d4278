// SPDX-License-Identifier: GPL-2.0-only
#include "output/quote.h"
#include "views/share/ended.h"
#include "triggers/fire.h"
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

static void put_phase(struct text *line, const struct run *run, const struct fire *fire)
{
	const struct proclife_process *process = fire->process;
	const struct proclife_killer *killer;

	text_string(line, condition_figure(fire->condition));
	text_string(line, fire->at_least ? " for at least " : " for ");
	text_time(line, fire->value);
	if (fire->open)
		text_string(line, " so far");
	switch (fire->condition->phase) {
	case PROCLIFE_KILL:
		killer = fire->open ? proclife_process_sigkill(process) : proclife_process_killer(process);
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

static void put_what(struct text *line, const struct run *run, const struct fire *fire)
{
	switch (fire->condition->what) {
	case CONDITION_PHASE:
		put_phase(line, run, fire);
		break;
	case CONDITION_FAILED:
	case CONDITION_STATUS:
	case CONDITION_SIGNAL:
		text_exit(line, fire->process->exit_code, fire->process, run->cgroups);
		put_parent(line, run, fire->process);
		break;
	case CONDITION_FORKS:
		text_count(line, fire->by_most);
		text_string(line, " of ");
		text_plural(line, fire->value, "fork", "forks");
		text_string(line, " in ");
		text_time(line, fire->span);
		break;
	case CONDITION_LOST:
		text_plural(line, fire->value, "record was lost", "records were lost");
		break;
	}
}

void fire_print(const struct run *run, const struct fire *fire, int64_t *day)
{
	struct text line;

	text_init(&line, run->screen);
	text_when_dated(&line, run, fire->ts, day);
	text_string(&line, " ");
	text_hang(&line);
	text_style(&line, STYLE_WARN);
	text_name(&line, fire->condition->text, SIZE_MAX);
	text_style(&line, STYLE_PLAIN);
	text_string(&line, ": ");
	if (fire->has_who) {
		text_who(&line, fire->comm, fire->tgid);
		text_string(&line, ", ");
	}
	put_what(&line, run, fire);
	if (fire->suppressed) {
		text_string(&line, "; ");
		text_count(&line, fire->suppressed);
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
	json_uint(json, "parent_pid", process->parent_tgid);
	json_uint(json, "reaper_pid", process->notified_tgid ? process->notified_tgid : process->real_parent_tgid);
	json_tracer(json, proclife_process_tracer(process));
	json_uint(json, "cgroup", process->cgroup);
	json_string_or_null(json, "cgroup_path", proclife_cgroups_path(run->cgroups, process->cgroup));
	json_string_or_null(json, "path", process->path);
	json_args(json, process->args, process->args_bytes, process->args_cut);
	json_wait_status(json, exited, process->exit_code);
	json_killer(json, exited ? proclife_process_killer(process) : proclife_process_sigkill(process));
	json_object_end(json);
}

void fire_json(const struct run *run, const struct fire *fire)
{
	struct json *json = run->json;

	json_line(json, "fired");
	json_uint(json, "ts", fire->ts);
	json_string(json, "condition", fire->condition->text);
	json_string(json, "figure", condition_figure(fire->condition));
	json_uint(json, "value", fire->value);
	json_bool(json, "open", fire->open);
	json_bool(json, "at_least", fire->at_least);
	json_uint_or_null(json, "span", fire->span);
	json_uint_or_null(json, "by_most", fire->by_most);
	json_uint(json, "suppressed", fire->suppressed);
	json_string_or_null(json, "saved", fire->saved);
	if (fire->has_who)
		json_uint(json, "pid", fire->tgid);
	else
		json_null(json, "pid");
	json_comm_or_null(json, "comm", fire->has_who, fire->comm);
	if (fire->process)
		json_process(run, fire->process);
	else
		json_null(json, "process");
	json_line_end(json);
}
