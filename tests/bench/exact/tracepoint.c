// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's tracepoints of tasks, as trace-cmd and perf print them. */
#include "lives.h"

#include "truth/trace.h"

bool lives_tracepoint(struct lives *lives, uint64_t ts, const char *event, char *text)
{
	struct trace_event e;

	if (!trace_parse(&e, event, text) || e.pid > MAX_PID || e.other > MAX_PID)
		return e.kind == TRACE_KINDS; /* of another kind */
	if (e.kind == TRACE_FORK)
		lives_fork(lives, ts, e.pid, e.other);
	if (e.kind == TRACE_EXEC)
		lives_name(lives, ts, e.pid, name_of_path(e.text));
	else if (e.kind == TRACE_FORK || e.kind == TRACE_EXIT || (e.kind == TRACE_RENAME && e.pid))
		lives_name(lives, ts, e.pid, e.text); /* the exit has what a rename without a pid leaves out */
	if (e.kind == TRACE_EXIT)
		lives_exit(lives, ts, e.pid, -1);
	return true;
}
