// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's tracepoints of tasks, as trace-cmd and perf print them. */
#include "lives.h"

#include <stdlib.h>
#include <string.h>

#include "guest/exactness/fields.h"

bool lives_tracepoint(struct lives *lives, uint64_t ts, const char *event, char *text)
{
	const char *name;
	uint32_t pid, parent;

	if (!strcmp(event, "sched_process_fork")) { /* comm= pid= child_comm= child_pid= */
		if (!take_number(text, " child_pid=", &pid) ||
		    !take_text(text, " child_comm=", &name) ||
		    !take_number(text, " pid=", &parent) || pid > MAX_PID || parent > MAX_PID)
			return false;
		lives_fork(lives, ts, pid, parent);
		lives_name(lives, ts, pid, name);
	} else if (!strcmp(event, "sched_process_exec")) { /* filename= pid= old_pid= */
		if (!take_number(text, " pid=", &pid) || !take_text(text, "filename=", &name) ||
		    pid > MAX_PID)
			return false;
		lives_name(lives, ts, pid, name_of_path(name));
	} else if (!strcmp(event, "task_rename")) { /* pid= oldcomm= newcomm= oom_score_adj= */
		text += strspn(text, " ");
		/* Kernels from 2026 on lack the pid; the event of the exit has the name, too. */
		if (strncmp(text, "pid=", 4))
			return true;
		pid = strtoul(text + 4, NULL, 10);
		if (!take_number(text, " oom_score_adj=", &parent) ||
		    !take_text(text, " newcomm=", &name) || pid > MAX_PID)
			return false;
		lives_name(lives, ts, pid, name);
	} else if (!strcmp(event, "sched_process_exit")) { /* comm= pid= prio= */
		if (!take_number(text, " pid=", &pid) || !take_text(text, "comm=", &name) || pid > MAX_PID)
			return false;
		lives_name(lives, ts, pid, name);
		lives_exit(lives, ts, pid, -1);
	}
	return true;
}
