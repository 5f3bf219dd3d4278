// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines of trace-cmd report -t, in the order of time:
 *
 *	COMM-PID [CPU] SECONDS.NANOS: EVENT: FIELDS
 *
 * and "CPU:N [M EVENTS DROPPED]" where a buffer was overrun, without M if it does not know. The names
 * of the processes are those in the fields of the events, not those in front of the lines, which
 * trace-cmd guesses by pid.
 */
#include "lives.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "guest/exactness/fields.h"

static bool parse_event(struct lives *lives, uint64_t ts, const char *event, char *text)
{
	const char *name;
	uint32_t pid, parent;

	if (!strcmp(event, "sched_process_fork")) { /* comm= pid= child_comm= child_pid= */
		if (!take_number(text, " child_pid=", &pid) ||
		    !take_text(text, " child_comm=", &name) ||
		    !take_number(text, " pid=", &parent))
			return false;
		lives_fork(lives, ts, pid, parent);
		lives_name(lives, ts, pid, name);
	} else if (!strcmp(event, "sched_process_exec")) { /* filename= pid= old_pid= */
		if (!take_number(text, " pid=", &pid) || !take_text(text, "filename=", &name))
			return false;
		lives_name(lives, ts, pid, name_of_path(name));
	} else if (!strcmp(event, "task_rename")) { /* pid= oldcomm= newcomm= oom_score_adj= */
		pid = strtoul(text + strcspn(text, "0123456789"), NULL, 10);
		if (!take_number(text, " oom_score_adj=", &parent) ||
		    !take_text(text, " newcomm=", &name))
			return false;
		lives_name(lives, ts, pid, name);
	} else if (!strcmp(event, "sched_process_exit")) { /* comm= pid= prio= */
		if (!take_number(text, " pid=", &pid) || !take_text(text, "comm=", &name))
			return false;
		lives_name(lives, ts, pid, name);
		lives_exit(lives, ts, pid, -1);
	}
	return true;
}

/* The time is behind the CPU in brackets; a name in front of that can hold brackets, too. */
static bool parse_line(struct lives *lives, char *line)
{
	uint64_t seconds, nanos, lost;
	char event[64];
	char *at = line;
	int length = 0;

	if (!strncmp(line, "CPU:", 4) && strstr(line, "EVENTS DROPPED]")) {
		lives->lost += sscanf(line, "CPU:%*u [%" SCNu64, &lost) == 1 ? lost : 1;
		return true;
	}
	if (!strncmp(line, "cpus=", 5) || line[0] == '\n')
		return true;
	line[strcspn(line, "\n")] = '\0';
	while ((at = strchr(at, '['))) {
		if (sscanf(at, "[%*u] %" SCNu64 ".%" SCNu64 ": %63[^:]: %n", &seconds, &nanos,
			   event, &length) == 3 && length)
			return parse_event(lives, seconds * 1000000000 + nanos, event, at + length);
		at++;
	}
	return false;
}

uint64_t read_trace_cmd(struct lives *lives, FILE *in, uint64_t to_realtime)
{
	uint64_t senseless = 0;
	char *line = NULL;
	size_t room = 0;

	(void)to_realtime;
	lives->tells_lost = true;
	while (getline(&line, &room, in) > 0)
		if (!parse_line(lives, line))
			senseless++;
	free(line);
	return senseless;
}
