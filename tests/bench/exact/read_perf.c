// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines of perf script --ns --show-lost-events, in the order of time. With --show-task-events:
 *
 *	COMM PID [CPU] SECONDS.NANOS: PERF_RECORD_FORK(PID:TID):(PARENT:TID)
 *	...: PERF_RECORD_EXIT(PID:TID):(PARENT:TID)
 *	...: PERF_RECORD_COMM: NAME:PID/TID, or PERF_RECORD_COMM exec: ...
 *	...: PERF_RECORD_LOST lost N
 *
 * Without it, the lines of the tracepoints:
 *
 *	COMM PID [CPU] SECONDS.NANOS: SYSTEM:EVENT: FIELDS
 *
 * Processes that were there before have events of time 0, which perf makes up.
 */
#include "lives.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t parse_time(const char *line, const char *event)
{
	uint64_t seconds, nanos;
	const char *at = event;

	while (at > line && at[-1] == ' ')
		at--;
	while (at > line && at[-1] != ' ')
		at--;
	return sscanf(at, "%" SCNu64 ".%" SCNu64 ":", &seconds, &nanos) == 2 ?
		       seconds * 1000000000 + nanos : 0;
}

static bool parse_name(struct lives *lives, uint64_t ts, char *text)
{
	char *name = strchr(text, ' '), *end = strrchr(text, ':');
	char kept[NAME_LEN];
	uint32_t pid, tid;

	if (!strncmp(text, " exec:", 6))
		name = strchr(text + 1, ' ');
	if (!name || !end || end < name || sscanf(end, ":%" SCNu32 "/%" SCNu32, &pid, &tid) != 2)
		return false;
	if (pid != tid || pid > MAX_PID)
		return true;
	copy_name(kept, name + 1, end);
	lives_name(lives, ts, pid, kept);
	return true;
}

/* A name in front of the CPU can hold brackets, too. */
static bool parse_tracepoint(struct lives *lives, char *line)
{
	uint64_t seconds, nanos;
	char event[64];
	char *at = line;
	int length = 0;

	while ((at = strchr(at, '['))) {
		if (sscanf(at, "[%*u] %" SCNu64 ".%" SCNu64 ": %*[a-z]:%63[^:]: %n", &seconds, &nanos,
			   event, &length) == 3 && length)
			return lives_tracepoint(lives, seconds * 1000000000 + nanos, event, at + length);
		at++;
	}
	return false;
}

static bool parse_line(struct lives *lives, char *line)
{
	char *event = strstr(line, "PERF_RECORD_"), *text;
	uint32_t pid, tid, parent;
	uint64_t ts, lost;

	if (!event)
		return parse_tracepoint(lives, line);
	ts = parse_time(line, event);
	text = event + strlen("PERF_RECORD_");
	if (sscanf(text, "FORK(%" SCNu32 ":%" SCNu32 "):(%" SCNu32 ":", &pid, &tid, &parent) == 3) {
		if (pid == tid && pid <= MAX_PID && parent <= MAX_PID)
			lives_fork(lives, ts, pid, parent);
		return true;
	}
	if (sscanf(text, "EXIT(%" SCNu32 ":%" SCNu32 ")", &pid, &tid) == 2) {
		if (pid == tid && pid <= MAX_PID)
			lives_exit(lives, ts, pid, -1);
		return true;
	}
	if (sscanf(text, "LOST lost %" SCNu64, &lost) == 1) {
		lives->lost += lost;
		return true;
	}
	if (!strncmp(text, "COMM", 4))
		return parse_name(lives, ts, text + 4);
	return true; /* of another kind */
}

uint64_t read_perf(struct lives *lives, FILE *in, uint64_t to_realtime)
{
	(void)to_realtime;
	lives->tells_lost = true;
	return each_line(lives, in, parse_line);
}
