// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines of strace -f --seccomp-bpf -ttt -e trace=%process,prctl -e signal=!chld -o FILE:
 *
 *	PID SECONDS.MICROS CALL(ARGUMENTS) = RESULT
 *	PID SECONDS.MICROS CALL(ARGUMENTS <unfinished ...>
 *	PID SECONDS.MICROS <... CALL resumed>ARGUMENTS) = RESULT
 *	PID SECONDS.MICROS +++ exited with N +++, or killed by SIGNAME
 *
 * A child's own lines, even its last one, can come before the call that made it returns. So a new
 * pid begins a life, and the call that returns this pid gives a parent to the latest life with this
 * pid that has none. The name that such a process had before it took one of its own is known only
 * then, and so are the names of its children.
 */
#include "lives.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* The call that a process is in. */
struct call {
	uint64_t began;
	char name[NAME_LEN]; /* the process's name if the call succeeds */
	char args[256];	     /* the process's arguments if the call succeeds */
	bool makes_thread;
	char parent_name[NAME_LEN]; /* that the caller has as it begins */
};

struct strace {
	struct lives *lives;
	struct call *call; /* by pid */
	uint32_t calls;
	char (*inherited)[NAME_LEN]; /* of each life: the name that it began with */
	uint32_t room;
};

static struct call *call_of(struct strace *s, uint32_t pid)
{
	if (pid >= s->calls) {
		uint32_t calls = 2 * pid + 1024;

		s->call = reallocarray(s->call, calls, sizeof(*s->call));
		if (!s->call)
			abort();
		memset(s->call + s->calls, 0, (calls - s->calls) * sizeof(*s->call));
		s->calls = calls;
	}
	return &s->call[pid];
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool makes_process(const char *call)
{
	return starts(call, "clone") || starts(call, "fork") || starts(call, "vfork");
}

/* One character of C's strings, of which @text points behind the backslash; it is moved on. */
static char escaped(const char **text)
{
	static const char letters[] = "n\nt\tr\rv\vf\f";
	const char *letter = strchr(letters, **text);
	unsigned int byte = 0, digits;

	if (**text >= '0' && **text <= '7') {
		for (digits = 0; digits < 3 && **text >= '0' && **text <= '7'; digits++)
			byte = 8 * byte + *(*text)++ - '0';
		return byte;
	}
	if (**text && letter && (letter - letters) % 2 == 0) {
		++*text;
		return letter[1];
	}
	return **text ? *(*text)++ : '\\';
}

/* Copies what is in the next pair of double quotes, as far as there is room. Return: the text behind it. */
static const char *quoted(const char *text, char *to, size_t room)
{
	char *end = to + room - 1;

	text = strchr(text, '"');
	for (text = text ? text + 1 : ""; *text && *text != '"';) {
		char c = *text++;

		if (c == '\\')
			c = escaped(&text);
		if (to < end)
			*to++ = c;
	}
	*to = '\0';
	return *text ? text + 1 : text;
}

/* ["NAME", "ARGUMENT", ...]; dots behind an argument or the last one: it was cut. None ends with dots here. */
static void take_args(const char *text, char *to, size_t room)
{
	const char *begin = to, *end = to + room;

	while ((*text == ',' || *text == ' ' || *text == '[') && to + 2 < end) {
		text += strspn(text, ",[ ");
		if (*text != '"')
			break;
		text = quoted(text, to, end - to - 1);
		to += strlen(to);
		*to++ = ARG_END;
	}
	/* No separator behind the last one, unless some are missing. */
	to -= to > begin && *text == ']';
	*to = '\0';
}

static void take_exec(const char *text, struct call *call)
{
	char path[4096];

	text = quoted(text, path, sizeof(path));
	copy_name(call->name, name_of_path(path), name_of_path(path) + strlen(name_of_path(path)));
	text += strspn(text, ", ");
	if (*text == '[')
		take_args(text, call->args, sizeof(call->args));
}

static void set_name(struct lives *lives, uint64_t ts, uint32_t pid, const struct call *call)
{
	lives_name(lives, ts, pid, call->name);
	if (call->args[0])
		lives_args(lives, lives_now(lives, ts, pid), call->args);
}

static void attach(struct strace *s, uint32_t pid, uint32_t parent_pid, const struct call *call)
{
	struct lives *lives = s->lives;
	uint32_t parent = lives_now(lives, call->began, parent_pid);
	uint32_t child = pid < lives->pids ? lives->current[pid] : 0;

	if (!child || lives->life[child - 1].forked || lives->life[child - 1].seen < call->began)
		child = lives_new(lives, call->began, pid) + 1;
	child--;
	lives->life[child].forked = true;
	lives->life[child].parent = parent;
	lives->life[child].seen = call->began;
	if (child >= s->room) {
		uint32_t room = 2 * child + 1024;

		s->inherited = reallocarray(s->inherited, room, NAME_LEN);
		if (!s->inherited)
			abort();
		memset(s->inherited[s->room], 0, (room - s->room) * NAME_LEN);
		s->room = room;
	}
	memcpy(s->inherited[child], call->parent_name, NAME_LEN);
	if (!lives->life[child].name[0])
		memcpy(lives->life[child].name, call->parent_name, NAME_LEN);
}

/* A caller whose own parent was not known yet had the name that it had inherited. */
static void complete_names(struct strace *s)
{
	uint32_t i;

	for (i = 0; i < s->lives->count && i < s->room; i++) {
		struct life *life = &s->lives->life[i];

		if (!s->inherited[i][0] && life->parent < s->room)
			memcpy(s->inherited[i], s->inherited[life->parent], NAME_LEN);
		if (!life->name[0])
			memcpy(life->name, s->inherited[i], NAME_LEN);
	}
}

static void call_begins(struct strace *s, uint32_t pid, uint64_t ts, const char *text)
{
	uint32_t life = lives_now(s->lives, ts, pid);
	struct call *call = call_of(s, pid);

	memset(call, 0, sizeof(*call));
	call->began = ts;
	memcpy(call->parent_name, s->lives->life[life].name, NAME_LEN);
	if (starts(text, "execve")) {
		take_exec(text, call);
	} else if (starts(text, "prctl(PR_SET_NAME")) {
		quoted(text, call->name, sizeof(call->name));
	}
	call->makes_thread = strstr(text, "CLONE_THREAD") && makes_process(text);
}

/* @result: the text behind the last " = " of the line */
static void call_ends(struct strace *s, uint32_t pid, uint64_t ts, const char *name,
		      const char *result)
{
	struct call *call = call_of(s, pid);
	long value = strtol(result, NULL, 10);

	if (makes_process(name) && value > 0 && value <= MAX_PID && !call->makes_thread)
		attach(s, value, pid, call);
	else if (starts(name, "wait") && value > 0 && value <= MAX_PID)
		lives_reap(s->lives, value, pid);
	else if (call->name[0] && result[0] == '0')
		set_name(s->lives, ts, pid, call);
}

static int signal_number(const char *name)
{
	int i;

	if (starts(name, "IO "))
		return SIGIO;
	if (sscanf(name, "RT_%d", &i) == 1)
		return 32 + i;
	for (i = 1; i < NSIG; i++) {
		const char *known = sigabbrev_np(i);

		if (known && starts(name, known) && name[strlen(known)] == ' ')
			return i;
	}
	return -1;
}

static bool parse_line(struct strace *s, char *line, uint64_t to_realtime)
{
	uint64_t seconds, fraction, ts;
	uint32_t pid;
	char *text, *result = NULL, *at;
	int length = 0, from = 0, to = 0, status;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNu32 " %" SCNu64 ".%n%" SCNu64 "%n %n", &pid, &seconds, &from, &fraction, &to,
		   &length) != 3 || !length || pid > MAX_PID)
		return false;
	text = line + length;
	for (; to - from < 9; to++)
		fraction *= 10;
	ts = seconds * 1000000000 + fraction - to_realtime;
	if (sscanf(text, "+++ exited with %d +++", &status) == 1) {
		lives_exit(s->lives, ts, pid, (status & 0xff) << 8);
		return true;
	}
	if (starts(text, "+++ killed by SIG")) {
		status = signal_number(text + strlen("+++ killed by SIG"));
		lives_exit(s->lives, ts, pid, status < 0 || !strstr(text, "(core dumped)") ? status : status | 0x80);
		return true;
	}
	for (at = text; (at = strstr(at, " = ")); at++)
		result = at + 3;
	if (starts(text, "<... ")) {
		if (result)
			call_ends(s, pid, ts, text + strlen("<... "), result);
		return true;
	}
	if (starts(text, "--- ")) /* a signal, or a stop */
		return true;
	call_begins(s, pid, ts, text);
	if (result && !strstr(text, "<unfinished ...>"))
		call_ends(s, pid, ts, text, result);
	return true;
}

uint64_t read_strace(struct lives *lives, FILE *in, uint64_t to_realtime)
{
	struct strace s = { .lives = lives };
	uint64_t senseless = 0, number = 0;
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, in) > 0) {
		number++;
		if (!parse_line(&s, line, to_realtime))
			senseless += lives_senseless(lives, number, "makes no sense", line);
	}
	complete_names(&s);
	free(s.inherited);
	free(s.call);
	free(line);
	return senseless;
}
