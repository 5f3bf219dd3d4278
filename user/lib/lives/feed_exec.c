// SPDX-License-Identifier: LGPL-2.1-or-later
/* What EXEC, ARGS and PATH mean: the program that a process runs, its arguments, and more of it. */
#include "lives/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void begin_args(const struct proclife_tasks *tasks, struct proclife_process *process)
{
	process->args = NULL;
	process->args_bytes = 0;
	process->args_cut = false;
	proclife_priv(process)->args_gaps = (uint32_t)tasks->gaps;
}

int proclife_feed_exec(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	const struct proclife_exec *exec = &record->exec;
	struct proclife_task *task = proclife_known_task(tasks, record, exec->group);
	struct proclife_process *process;
	char *path, *to;

	if (proclife_unlikely(!task))
		return -ENOMEM;
	process = task->process;
	proclife_priv(process)->shown_alive = true;
	path = proclife_priv(process)->path_text;
	to = path;
	proclife_set_name(task, record->comm);
	process->execed = record->ts;
	if (proclife_unlikely(tasks->birth_marks))
		proclife_birth_execed(tasks, task, record->ts);
	process->execs++;
	proclife_failed_exec_forget(tasks, process->id);
	proclife_priv(process)->shares = false;
	process->max_rss = 0; /* that was of the address space before */
	if (proclife_priv(process)->memory)
		proclife_priv(process)->memory->peak = 0;
	proclife_set_uid(process, exec->uid);
	if (record->flags & PROCLIFE_F_TRUNCATED) {
		memcpy(to, "...", 3);
		to += 3;
	}
	memcpy(to, exec->path, PROCLIFE_PATH_LEN);
	to[PROCLIFE_PATH_LEN] = 0;
	process->path = path;
	process->script = record->flags & PROCLIFE_F_SCRIPT;
	process->by_fd = record->flags & PROCLIFE_F_BY_FD;
	begin_args(tasks, process);
	if (proclife_unlikely(proclife_priv(process)->program != NULL))
		proclife_program_free(proclife_priv(process));
	proclife_filter(tasks, process); /* the arguments of the program before are none of this one's */
	return proclife_wanted(process);
}

/* Bytes that get their room with the first piece, which says how many there will be. */
#define ARGS_AT_ONCE 511

/*
 * The pieces follow their EXEC in order, with records of other tasks between them. If one is lost,
 * the rest is of no use. After a gap, a piece that seems to fit can belong to another EXEC.
 */
int proclife_feed_args(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	const struct proclife_args *args = &record->args;
	struct proclife_task *task = proclife_known_task(tasks, record, 0);
	uint32_t end = (uint32_t)args->offset + args->len;
	struct proclife_process *process;
	struct proclife_priv_process *own;

	if (proclife_unlikely(!task))
		return -ENOMEM;
	process = task->process;
	own = proclife_priv(process);
	if (!args->offset)
		begin_args(tasks, process);
	process->args_cut = true;
	if (args->len > PROCLIFE_ARGS_LEN || end > args->total || end > UINT16_MAX ||
	    args->offset != process->args_bytes || own->args_gaps != (uint32_t)tasks->gaps)
		return proclife_wanted(process);
	if (!own->args_text || end >> own->args_room) {
		uint32_t at_once = args->total < ARGS_AT_ONCE ? args->total : ARGS_AT_ONCE;
		uint32_t needed = end > at_once ? end : at_once;
		uint8_t room = own->args_room;
		char *text;

		while (needed >> room)
			room++;
		text = realloc(own->args_text, (size_t)1 << room);
		if (!text)
			return -ENOMEM;
		own->args_text = text;
		own->args_room = room;
	}
	memcpy(own->args_text + args->offset, args->text, args->len);
	own->args_text[end] = 0;
	process->args = own->args_text;
	process->args_bytes = (uint16_t)end;
	process->args_cut = end < args->total;
	if (!process->args_cut || record->flags & PROCLIFE_F_TRUNCATED)
		proclife_filter(tasks, process);
	return proclife_wanted(process);
}

int proclife_feed_path(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	struct proclife_task *task = proclife_known_task(tasks, record, 0);

	if (proclife_unlikely(!task))
		return -ENOMEM;
	return proclife_program_note(proclife_priv(task->process), record) ?: proclife_wanted(task->process);
}
