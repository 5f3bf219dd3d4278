// SPDX-License-Identifier: GPL-2.0-only
/* The fields are taken from the end, because the names that stand between the numbers can hold anything. */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

const char *const trace_names[TRACE_KINDS] = {
	[TRACE_NEWTASK] = "task/task_newtask",	    [TRACE_FORK] = "sched/sched_process_fork",
	[TRACE_EXEC] = "sched/sched_process_exec",  [TRACE_EXIT] = "sched/sched_process_exit",
	[TRACE_FREE] = "sched/sched_process_free",  [TRACE_FORKING] = "truth/forking",
	[TRACE_STARTED] = "truth/started",	    [TRACE_EXECING] = "truth/execing",
	[TRACE_RENAME] = "task/task_rename",
};

const char *const trace_probes[TRACE_KINDS] = {
	[TRACE_FORKING] = "copy_process",
	[TRACE_STARTED] = "schedule_tail",
	[TRACE_EXECING] = "alloc_bprm",
};

/* Takes the text behind the last @key, and ends @text before it; false if there is no @key. */
static bool take_text(char *text, const char *key, const char **value)
{
	char *found = NULL;

	while ((text = strstr(text, key)))
		found = text++;
	if (!found)
		return false;
	*found = '\0';
	*value = found + strlen(key);
	return true;
}

static bool take_number(char *text, const char *key, uint32_t *number)
{
	const char *digits;

	if (!take_text(text, key, &digits))
		return false;
	*number = strtoul(digits, NULL, 10);
	return true;
}

/* Takes what is between the first quote behind @key and the last one. */
static bool take_quoted(char *text, const char *key, const char **value)
{
	char *end = strrchr(text, '"');

	if (!take_text(text, key, value) || !end || end < *value)
		return false;
	*end = '\0';
	return true;
}

static bool take_fields(struct trace_event *e, char *text)
{
	const char *rest;

	switch (e->kind) {
	case TRACE_NEWTASK: /* pid= comm= clone_flags= oom_score_adj= */
		e->pid = strtoul(text + strlen("pid="), NULL, 10);
		return take_text(text, " clone_flags=", &rest) && take_text(text, " comm=", &e->text);
	case TRACE_FORK: /* comm= pid= child_comm= child_pid= */
		return take_number(text, " child_pid=", &e->pid) && take_text(text, " child_comm=", &e->text) &&
		       take_number(text, " pid=", &e->other);
	case TRACE_EXEC: /* filename= pid= old_pid= */
		return take_number(text, " old_pid=", &e->other) && take_number(text, " pid=", &e->pid) &&
		       take_text(text, "filename=", &e->text);
	case TRACE_RENAME: /* pid= oldcomm= newcomm= oom_score_adj= */
		e->pid = strncmp(text, "pid=", 4) ? 0 : strtoul(text + 4, NULL, 10);
		return take_text(text, " oom_score_adj=", &rest) && take_text(text, " newcomm=", &e->text);
	case TRACE_FORKING: /* (FUNCTION+0x0/0xSIZE) comm="" */
	case TRACE_STARTED:
	case TRACE_EXECING:
		return take_quoted(text, " comm=\"", &e->text);
	default: /* comm= pid= prio=, and perhaps more */
		return take_number(text, " pid=", &e->pid) && take_text(text, "comm=", &e->text);
	}
}

bool trace_parse(struct trace_event *parsed, const char *event, char *text)
{
	*parsed = (struct trace_event){ 0 };
	while (parsed->kind < TRACE_KINDS && strcmp(event, strchr(trace_names[parsed->kind], '/') + 1))
		parsed->kind++;
	return parsed->kind < TRACE_KINDS && take_fields(parsed, text + strspn(text, " "));
}
