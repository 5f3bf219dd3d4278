// SPDX-License-Identifier: LGPL-2.1-or-later
/* What lives have in common. */
#include "results/group.h"

#include "lives/tasks.h"

#include <string.h>

const char *proclife_by_name(enum proclife_by by)
{
	static const char *const names[PROCLIFE_BYS] = {
		[PROCLIFE_BY_NOTHING] = "nothing", [PROCLIFE_BY_COMM] = "comm",
		[PROCLIFE_BY_PARENT] = "parent",   [PROCLIFE_BY_REAPER] = "reaper",
		[PROCLIFE_BY_CGROUP] = "cgroup",   [PROCLIFE_BY_CPU] = "cpu",
		[PROCLIFE_BY_UID] = "uid",
	};

	return (unsigned int)by < PROCLIFE_BYS ? names[by] : NULL;
}

static const char nobody[PROCLIFE_COMM_LEN] = "(itself)";

static void set_name(struct proclife_key *key, const char name[PROCLIFE_COMM_LEN])
{
	key->known = true;
	memcpy(key->name, name, strnlen(name, PROCLIFE_COMM_LEN - 1));
}

static void set_number(struct proclife_key *key, bool known, uint64_t number)
{
	key->known = known;
	key->number = known ? number : 0;
}

struct proclife_key proclife_process_key(enum proclife_by by, const struct proclife_process *process)
{
	struct proclife_key key = { 0 };

	switch (by) {
	case PROCLIFE_BY_COMM:
		set_name(&key, process->comm);
		break;
	case PROCLIFE_BY_PARENT:
		if (process->parent_id)
			set_name(&key, process->parent_comm);
		break;
	case PROCLIFE_BY_REAPER:
		if (process->marks.reaped && process->reaper_tgid == process->tgid)
			set_name(&key, nobody);
		else if (process->marks.reaped && process->reaper_named)
			set_name(&key, process->reaper_comm);
		break;
	case PROCLIFE_BY_CGROUP:
		set_number(&key, process->cgroup, process->cgroup);
		break;
	case PROCLIFE_BY_CPU:
		set_number(&key, proclife_priv(process)->exited, process->exit_cpu);
		break;
	case PROCLIFE_BY_UID:
		set_number(&key, proclife_process_has_uid(process), process->uid);
		break;
	case PROCLIFE_BY_NOTHING:
	case PROCLIFE_BYS:
		break;
	}
	return key;
}

struct proclife_key proclife_task_key(enum proclife_by by, const struct proclife_task *task)
{
	struct proclife_key key = { 0 };

	switch (by) {
	case PROCLIFE_BY_COMM:
		set_name(&key, task->comm);
		break;
	case PROCLIFE_BY_REAPER:
		if (task->marks.reaped && task->reaper_tgid == task->tgid)
			set_name(&key, nobody);
		else if (task->marks.reaped && task->reaper_named)
			set_name(&key, task->reaper_comm);
		break;
	case PROCLIFE_BY_CPU:
		set_number(&key, proclife_priv_task(task)->exited, task->exit_cpu);
		break;
	default:
		key = proclife_process_key(by, task->process);
		break;
	}
	return key;
}
