// SPDX-License-Identifier: GPL-2.0-only
/*
 * The raw log of auditd with rules on the calls that begin, change and end processes, whose keys are
 * fork, exec, name and exit:
 *
 *	type=SYSCALL msg=audit(SECONDS.MILLIS:SERIAL): ... exit=N a0=H a1=H a2=H a3=H items=N ppid=N
 *	pid=N ... comm="NAME" exe="PATH" ... key="KEY"
 *	type=EXECVE msg=audit(...): argc=N a0="TEXT" a1="TEXT" ...
 *
 * and "lost N" of auditctl -s. The time is that of the last tick before the call, the serial is given at its end.
 * So a child's records can be logged before the call that made it, but that call began no later: they are
 * sorted by their times and, within a tick, each fork comes before what its child does. A killed process
 * makes no call that would show its end.
 */
#include "lives.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum what { FORK, EXEC, NAME, EXIT };

struct record {
	uint64_t ts;
	uint64_t serial;
	uint32_t pid;
	uint32_t value; /* child or status */
	enum what what;
	bool done;
	char name[NAME_LEN];
	char *args;
};

static struct record *records;
static size_t count, room;
static uint64_t realtime_ahead;

#define EXECS 1024

/* Execs whose EXECVE may have yet to come, by serial, as indices + 1: the records of several CPUs are mixed. */
static size_t execs[EXECS];

static const char *field(const char *line, const char *key)
{
	const char *found = strstr(line, key);

	return found ? found + strlen(key) : NULL;
}

static uint64_t hex(const char *line, const char *key)
{
	const char *text = field(line, key);

	return text ? strtoull(text, NULL, 16) : 0;
}

/* Decodes text in double quotes, or hex without them if it has unusual characters. */
static size_t decode(const char *text, char *to, size_t room)
{
	unsigned int byte;
	size_t n = 0;

	if (*text == '"') {
		for (text++; *text && *text != '"' && n + 1 < room; text++)
			to[n++] = *text;
	} else {
		for (; n + 1 < room && isxdigit(text[0]) && isxdigit(text[1]); text += 2) {
			sscanf(text, "%2x", &byte);
			to[n++] = byte;
		}
	}
	to[n] = '\0';
	return n;
}

static bool take_call(uint64_t ts, uint64_t serial, const char *line)
{
	static const char *const keys[] = { "fork\"", "exec\"", "name\"", "exit\"" };
	const char *key = field(line, " key=\""), *comm = field(line, " comm=");
	const char *pid = field(line, " pid="), *result = field(line, " exit=");
	struct record *r;
	unsigned int i;

	if (!key || !comm || !pid)
		return false;
	for (i = 0; i < 4 && strncmp(key, keys[i], 5); i++)
		;
	if (i == 4 || (i != EXIT && !result) || strtoul(pid, NULL, 10) > MAX_PID ||
	    (i == FORK && strtoul(result, NULL, 10) > MAX_PID))
		return false;
	if (count == room) {
		room = 2 * room + 4096;
		records = reallocarray(records, room, sizeof(*records));
		if (!records)
			abort();
	}
	r = &records[count++];
	*r = (struct record){ .ts = ts, .serial = serial, .pid = strtoul(pid, NULL, 10), .what = i };
	r->value = i == EXIT ? (hex(line, " a0=") & 0xff) << 8 : strtoul(result, NULL, 10);
	decode(comm, r->name, sizeof(r->name)); /* the new name, for a PR_SET_NAME */
	if (i == EXEC)
		execs[serial % EXECS] = count;
	return true;
}

/* aN="TEXT"; a long one is aN_len=, aN[0]=, aN[1]= ..., which the next records can continue. */
static void take_args(struct record *r, char *line)
{
	size_t had = r->args ? strlen(r->args) : 0, n = had;
	char *args = realloc(r->args, had + 2 * strlen(line) + 1), *token;
	unsigned int i, part;
	int at;

	if (!args)
		abort();
	while ((token = strsep(&line, " "))) {
		at = 0;
		part = 0;
		if (sscanf(token, "a%u[%u]=%n", &i, &part, &at) != 2)
			sscanf(token, "a%u=%n", &i, &at);
		if (!at)
			continue;
		if (i && !part)
			args[n++] = ARG_END;
		n += decode(token + at, args + n, strlen(token));
	}
	args[n] = '\0';
	r->args = args;
}

static bool parse_line(struct lives *lives, char *line)
{
	uint64_t seconds, millis, serial, ts;
	const char *stamp;
	size_t at;

	if (sscanf(line, "lost %" SCNu64, &lives->lost) == 1) {
		lives->tells_lost = true;
		return true;
	}
	stamp = field(line, "msg=audit(");
	if (strncmp(line, "type=", 5) && strstr(line, " type=")) /* node=NAME is in front */
		line = strstr(line, " type=") + 1;
	if (!stamp || sscanf(stamp, "%" SCNu64 ".%3" SCNu64 ":%" SCNu64, &seconds, &millis, &serial) != 3)
		return false;
	ts = seconds * 1000000000 + millis * 1000000 - realtime_ahead;
	if (!strncmp(line, "type=SYSCALL", 12) && strstr(line, " key=\""))
		return take_call(ts, serial, line);
	at = execs[serial % EXECS];
	if (!strncmp(line, "type=EXECVE", 11) && at && records[at - 1].serial == serial)
		take_args(&records[at - 1], line);
	return true; /* of another kind: the daemon's own, paths */
}

static int by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static void tell(struct lives *lives, struct record *r)
{
	lives_name(lives, r->ts, r->pid, r->name);
	if (r->what == FORK)
		lives_fork(lives, r->ts, r->value, r->pid);
	else if (r->what == EXIT)
		lives_exit(lives, r->ts, r->pid, r->value);
	else if (r->args)
		lives_args(lives, lives_now(lives, r->ts, r->pid), r->args);
	free(r->args);
	r->done = true;
}

/* Is the fork that made this record's process also among @of, and not passed on yet? */
static bool waits(const struct record *r, const struct record *of, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!of[i].done && of[i].what == FORK && of[i].value == r->pid)
			return true;
	return false;
}

/* Passes on the records of one tick. */
static void tell_tick(struct lives *lives, struct record *of, size_t n)
{
	size_t told = 0, before, i;

	while (told < n) {
		before = told;
		for (i = 0; i < n; i++) {
			if (of[i].done || waits(&of[i], of, n))
				continue;
			tell(lives, &of[i]);
			told++;
			if (of[i].what == FORK)
				break; /* earlier records may have waited for it */
		}
		for (i = 0; told == before && i < n; i++) {
			if (of[i].done)
				continue;
			tell(lives, &of[i]);
			told++;
		}
	}
}

uint64_t read_audit(struct lives *lives, FILE *in, uint64_t to_realtime)
{
	uint64_t senseless;
	size_t i, n;

	realtime_ahead = to_realtime;
	lives->rounding = 100000000; /* more than a tick, since ticks of busy guests are late */
	senseless = each_line(lives, in, parse_line);
	if (count)
		qsort(records, count, sizeof(*records), by_time);
	for (i = 0; i < count; i += n) {
		for (n = 1; i + n < count && records[i + n].ts == records[i].ts; n++)
			;
		tell_tick(lives, &records[i], n);
	}
	free(records);
	return senseless;
}
