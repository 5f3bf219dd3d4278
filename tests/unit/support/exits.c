// SPDX-License-Identifier: GPL-2.0-only
#include "exits.h"

int begin_exits(void **state)
{
	int ret = begin_unknown(state);

	if (ret)
		return ret;
	shell = (struct who){ .task = 1, .group = 2, .start = 1, .pid = 100, .tgid = 100, .comm = "sh" };
	trace_with_exiting(tasks);
	return 0;
}

struct proclife_record exiting(uint64_t ts, const struct who *who, uint32_t flags, int32_t code)
{
	struct proclife_record r = record_of(ts, PROCLIFE_EXITING, who);

	r.flags |= (uint16_t)flags;
	r.exiting.exit_code = code;
	return r;
}

struct proclife_record ended(uint64_t ts, const struct who *who, int32_t code, uint32_t live)
{
	struct proclife_record r = exit_record(ts, who, code, live);

	if (!live)
		r.flags |= PROCLIFE_F_GROUP_EXIT;
	return r;
}

struct proclife_record found(uint64_t ts, const struct who *who, uint32_t flags)
{
	struct proclife_record r = task_record(ts, who, &shell);

	r.flags |= (uint16_t)flags;
	return r;
}

const struct proclife_process *process_of(const struct who *who)
{
	return proclife_tasks_find(tasks, who->task)->process;
}
