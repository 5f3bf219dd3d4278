// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines of trace-cmd report -t, in the order of time:
 *
 *	COMM-PID [CPU] SECONDS.NANOS: EVENT: FIELDS
 *
 * and "CPU:N [M EVENTS DROPPED]" where a buffer was overrun, without M if it is not known. The names
 * of the processes are those in the fields of the events, not those in front of the lines, which
 * trace-cmd guesses by pid.
 */
#include "lives.h"

#include <inttypes.h>
#include <string.h>

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
	if (!strncmp(line, "cpus=", 5) || !line[0])
		return true;
	while ((at = strchr(at, '['))) {
		/* From 3.3 on, flags stand between the two. */
		if ((sscanf(at, "[%*u] %" SCNu64 ".%" SCNu64 ": %63[^:]: %n", &seconds, &nanos, event,
			    &length) == 3 ||
		     sscanf(at, "[%*u] %*s %" SCNu64 ".%" SCNu64 ": %63[^:]: %n", &seconds, &nanos, event,
			    &length) == 3) && length)
			return lives_tracepoint(lives, seconds * 1000000000 + nanos, event, at + length);
		at++;
	}
	return false;
}

uint64_t read_trace_cmd(struct lives *lives, FILE *in, uint64_t to_realtime)
{
	(void)to_realtime;
	lives->tells_lost = true;
	return each_line(lives, in, parse_line);
}
