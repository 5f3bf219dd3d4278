// SPDX-License-Identifier: GPL-2.0-only
/*
 * The raw log of auditd with rules on the calls that begin, change and end processes, whose keys are
 * fork, exec, name and exit:
 *
 *	type=SYSCALL msg=audit(SECONDS.MILLIS:SERIAL): ... exit=N a0=H a1=H a2=H a3=H items=N ppid=N
 *	pid=N ... comm="NAME" exe="PATH" ... key="KEY"
 *	type=EXECVE msg=audit(...): argc=N a0="TEXT" a1="TEXT" ...
 *
 * and "lost N" of auditctl -s. A time is that of the last tick before the call. A child's own
 * records can be logged before the call that made it, so this call gives a parent to the latest
 * life with this pid that has none. A process that is killed makes no call that would tell its end.
 */
#include "lives.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EXECS 1024

/* Execs whose EXECVE may have yet to come, by serial: the records of several CPUs are mixed. */
static struct {
	uint64_t serial;
	uint32_t life;
} execs[EXECS];

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

/* In double quotes; in hex without them if there is anything unusual in it. */
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

static bool take_call(struct lives *lives, uint64_t ts, uint64_t serial, const char *line)
{
	const char *key = field(line, " key=\""), *comm = field(line, " comm=");
	const char *pid_text = field(line, " pid="), *result = field(line, " exit=");
	char name[NAME_LEN];
	uint32_t pid;

	if (!key || !comm || !pid_text)
		return false;
	pid = strtoul(pid_text, NULL, 10);
	decode(comm, name, sizeof(name));
	if (!strncmp(key, "exit\"", 5)) {
		lives_name(lives, ts, pid, name);
		lives_exit(lives, ts, pid, (hex(line, " a0=") & 0xff) << 8);
		return true;
	}
	if (!result)
		return false;
	lives_name(lives, ts, pid, name);
	if (!strncmp(key, "fork\"", 5)) {
		lives_adopt(lives, ts, strtoul(result, NULL, 10), pid);
	} else if (!strncmp(key, "exec\"", 5)) {
		execs[serial % EXECS].serial = serial;
		execs[serial % EXECS].life = lives_now(lives, ts, pid);
	} else {
		return !strncmp(key, "name\"", 5); /* comm is the new one */
	}
	return true;
}

static void take_args(struct lives *lives, uint32_t life, const char *line)
{
	char args[4096], key[16];
	unsigned int i;
	size_t n = 0;

	for (i = 0; n + 2 < sizeof(args); i++) {
		const char *text;

		snprintf(key, sizeof(key), " a%u=", i);
		text = field(line, key);
		if (!text)
			break;
		if (i)
			args[n++] = ' ';
		n += decode(text, args + n, sizeof(args) - n);
	}
	args[n] = '\0';
	lives_args(lives, life, args);
}

static uint64_t realtime_ahead;

static bool parse_line(struct lives *lives, char *line)
{
	uint64_t seconds, millis, serial, ts;
	const char *stamp;

	if (sscanf(line, "lost %" SCNu64, &lives->lost) == 1) {
		lives->tells_lost = true;
		return true;
	}
	stamp = field(line, "msg=audit(");
	if (!stamp || sscanf(stamp, "%" SCNu64 ".%3" SCNu64 ":%" SCNu64, &seconds, &millis, &serial) != 3)
		return false;
	ts = seconds * 1000000000 + millis * 1000000 - realtime_ahead;
	if (!strncmp(line, "type=SYSCALL", 12) && strstr(line, " key=\""))
		return take_call(lives, ts, serial, line);
	if (!strncmp(line, "type=EXECVE", 11) && serial == execs[serial % EXECS].serial)
		take_args(lives, execs[serial % EXECS].life, line);
	return true; /* of another kind: the daemon's own, paths */
}

uint64_t read_audit(struct lives *lives, FILE *in, uint64_t to_realtime)
{
	realtime_ahead = to_realtime;
	lives->rounding = 100000000; /* more than a tick, for those of busy guests are late */
	return each_line(lives, in, parse_line);
}
