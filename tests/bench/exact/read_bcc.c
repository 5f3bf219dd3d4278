// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines of exitsnoop --utc --label exit and those of execsnoop --time, of bcc, in one file:
 *
 *	HH:MM:SS.MMM exit PCOMM PID PPID TID AGE EXIT_CODE
 *	HH:MM:SS PCOMM PID PPID RET ARGS
 *
 * exitsnoop has all of a life but its arguments. Its time is when it printed the line; minus the
 * age, it is the beginning. Its lines are not in the order of the ends, since each CPU has a buffer,
 * so the parent is the latest life of its pid that had begun before that. A line of execsnoop belongs to the
 * first life of its pid and name at that second that has no arguments yet, preferably of the same parent.
 * Both report losses as "Possibly lost N samples".
 */
#include "lives.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000ULL
#define DAY (86400 * SECOND)
#define LATE (SECOND / 2) /* how late a line can be printed, and so a life seem to begin, or a tick come */

/* The columns of exitsnoop. */
#define EXIT_LABEL 13
#define EXIT_NAME 19
#define NAME_WIDTH 17

struct exec {
	uint64_t ts;
	uint32_t pid;
	uint32_t parent; /* 0: not reported */
	char name[NAME_LEN];
	char *args;
};

struct life_more {
	uint64_t end;
	uint32_t parent;
	uint32_t next; /* life of this pid, + 1 */
};

static struct exec *execs;
static size_t exec_count, exec_room;
static struct life_more *more;
static size_t more_room;
static uint64_t midnight; /* the first one on CLOCK_MONOTONIC: times of the day count from it */
static uint64_t around;   /* each line's time of the day is less than half a day from this */

static void *grow(void *array, size_t *room, size_t count, size_t size)
{
	if (count < *room)
		return array;
	*room = 2 * *room + 4096;
	array = reallocarray(array, *room, size);
	if (!array)
		abort();
	return array;
}

static bool take_time(const char *line, uint64_t *ts)
{
	unsigned int hours, minutes, seconds, millis = 0;

	if (sscanf(line, "%2u:%2u:%2u.%3u", &hours, &minutes, &seconds, &millis) < 3)
		return false;
	*ts = (((hours * 60 + minutes) * 60 + seconds) * SECOND + millis * 1000000 + midnight) % DAY;
	while (*ts + DAY / 2 < around)
		*ts += DAY;
	return true;
}

/* Names are padded, and can hold blanks. */
static void take_name(char name[NAME_LEN], const char *column)
{
	const char *end = column + NAME_WIDTH;

	while (end > column && end[-1] == ' ')
		end--;
	copy_name(name, column, end);
}

static bool take_exit(struct lives *lives, const char *line)
{
	uint32_t pid, parent, life;
	int status, at = 0, value = 0;
	char name[NAME_LEN];
	const char *code;
	uint64_t ts, age;
	double seconds;

	if (strlen(line) < EXIT_NAME + NAME_WIDTH || !take_time(line, &ts) ||
	    sscanf(line + EXIT_NAME + NAME_WIDTH, "%" SCNu32 " %" SCNu32 " %*u %lf %n", &pid, &parent,
		   &seconds, &at) != 3 || !at || pid > MAX_PID || parent > MAX_PID)
		return false;
	code = line + EXIT_NAME + NAME_WIDTH + at;
	if (sscanf(code, "signal %d", &value) == 1)
		status = value | (strstr(code, "core dumped") ? 0x80 : 0);
	else if (sscanf(code, "code %d", &value) == 1)
		status = (value & 0xff) << 8;
	else if (*code == '0')
		status = 0;
	else
		return false;
	age = seconds * SECOND;
	take_name(name, line + EXIT_NAME);
	life = lives_new(lives, ts > age ? ts - age : 0, pid);
	lives->life[life].forked = true;
	lives_exit(lives, ts, pid, status);
	memcpy(lives->life[life].name, name, NAME_LEN);
	more = grow(more, &more_room, life, sizeof(*more));
	more[life] = (struct life_more){ .end = ts, .parent = parent };
	return true;
}

static bool take_exec(const char *line)
{
	struct exec e = {};
	char parent[8];
	int at = 0, status;

	if (!take_time(line, &e.ts) || strlen(line) < 9 + NAME_WIDTH)
		return false;
	take_name(e.name, line + 9);
	if (sscanf(line + 9 + NAME_WIDTH, "%" SCNu32 " %7s %d %n", &e.pid, parent, &status, &at) != 3 || !at)
		return false;
	e.parent = strtoul(parent, NULL, 10);
	if (status)
		return true;
	e.args = strdup(line + 9 + NAME_WIDTH + at);
	execs = grow(execs, &exec_room, exec_count, sizeof(*execs));
	execs[exec_count++] = e;
	return true;
}

/* A head is printed through another buffer than the lines, so it can be inside a line, and cuts it. */
static bool is_head(const char *line)
{
	static bool cut;
	uint64_t ts;

	if (strstr(line, "PCOMM")) {
		cut = take_time(line, &ts);
		return true;
	}
	if (cut && !take_time(line, &ts)) {
		cut = false;
		return true;
	}
	return false;
}

static bool parse_line(struct lives *lives, char *line)
{
	uint64_t lost;

	if (sscanf(line, "Possibly lost %" SCNu64 " samples", &lost) == 1) {
		lives->lost += lost;
		return true;
	}
	if (!*line || is_head(line))
		return true;
	if (strlen(line) > EXIT_NAME && !strncmp(line + EXIT_LABEL, "exit  ", 6))
		return take_exit(lives, line);
	return take_exec(line);
}

static bool belongs(const struct lives *lives, uint32_t life, const struct exec *e)
{
	const struct life *l = &lives->life[life];

	return !l->args && !memcmp(l->name, e->name, NAME_LEN) && e->ts + SECOND + LATE >= l->seen &&
	       e->ts <= more[life].end + SECOND;
}

/* The first life of each pid, + 1; `next` leads from one to the next. */
static uint32_t *chain(struct lives *lives)
{
	uint32_t *first = calloc(lives->pids + 1, sizeof(*first)), life;

	if (!first)
		abort();
	for (life = lives->count; life-- > 0;) {
		more[life].next = first[lives->life[life].pid];
		first[lives->life[life].pid] = life + 1;
	}
	return first;
}

/* A process adopted in between has another parent at the end. */
static void give_args(struct lives *lives, const uint32_t *first)
{
	uint32_t life, found;
	size_t i;

	for (i = 0; i < exec_count; i++) {
		life = execs[i].pid < lives->pids ? first[execs[i].pid] : 0;
		for (found = 0; life; life = more[life - 1].next) {
			if (!belongs(lives, life - 1, &execs[i]))
				continue;
			if (!found || more[life - 1].parent == execs[i].parent)
				found = life;
			if (more[life - 1].parent == execs[i].parent)
				break;
		}
		if (found)
			lives_args(lives, found - 1, execs[i].args);
		free(execs[i].args);
	}
}

/* A parent that was not reported was there before, or is still there. */
static void give_parents(struct lives *lives, const uint32_t *first, uint32_t pids)
{
	uint32_t count = lives->count, life, at, found;

	for (life = 0; life < count; life++) {
		found = NO_LIFE;
		for (at = more[life].parent < pids ? first[more[life].parent] : 0; at; at = more[at - 1].next)
			if (lives->life[at - 1].seen <= lives->life[life].seen + LATE &&
			    (found == NO_LIFE || lives->life[at - 1].seen > lives->life[found].seen))
				found = at - 1;
		if (found == NO_LIFE)
			found = lives_new(lives, UINT64_MAX, more[life].parent);
		lives->life[life].parent = found;
	}
}

uint64_t read_bcc(struct lives *lives, FILE *in, uint64_t to_realtime)
{
	uint32_t *first, pids;
	uint64_t senseless;

	midnight = DAY - to_realtime % DAY;
	around = lives->around;
	lives->rounding = SECOND;
	lives->joins_args = true;
	lives->tells_lost = true;
	lives->tells_notified = true;
	senseless = each_line(lives, in, parse_line);
	first = chain(lives);
	pids = lives->pids;
	give_args(lives, first);
	give_parents(lives, first, pids);
	free(first);
	free(execs);
	free(more);
	return senseless;
}
