// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plain format, which README.md describes, for tools without a reader here. The lines of
 * different CPUs can be in another order than their times, so they are sorted by these first; but
 * not the lines of whole lives, which are in the order of their ends.
 */
#include "lives.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line {
	uint64_t ts; /* of the tool's clock */
	uint64_t number;
	char *text; /* behind the time */
};

struct plain {
	struct lives *lives;
	struct line *lines;
	size_t count;
	size_t room;
	uint64_t to_realtime;
	uint64_t early; /* ns that a child's lines can be before its fork */
};

static int by_time(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* Seconds with up to nine digits of a fraction, in ns. */
static bool parse_time(const char *text, uint64_t *ns)
{
	uint64_t unit = 100000000, value;
	char *at;

	if (!text || *text < '0' || *text > '9')
		return false;
	value = strtoull(text, &at, 10) * 1000000000;
	if (*at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++, unit /= 10)
			value += unit * (*at - '0');
	if (*at)
		return false;
	*ns = value;
	return true;
}

/* \xHH is any byte, such as a blank in a name. */
static char *unescape(char *text)
{
	char *from = text, *to = text;
	unsigned int byte;

	while (*from) {
		if (from[0] == '\\' && from[1] == 'x' && sscanf(from + 2, "%2x", &byte) == 1) {
			*to++ = byte;
			from += from[2] && from[3] ? 4 : 3;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return text;
}

static char *word(char **rest)
{
	char *found = strsep(rest, " \t");

	while (found && !*found)
		found = strsep(rest, " \t");
	return found;
}

static bool is_untold(const char *text)
{
	return !strcmp(text, "-");
}

/* False if the text is no number, or one above @most. */
static bool parse_number(const char *text, uint64_t most, uint32_t *value)
{
	unsigned long long n;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	n = strtoull(text, &end, 10);
	*value = n;
	return !*end && n <= most;
}

/* "-" leaves @value as it is. */
static bool number_or_untold(const char *text, uint64_t most, uint32_t *value)
{
	return text && (is_untold(text) || parse_number(text, most, value));
}

/* Empty if it is not reported; NULL if the field is missing. */
static const char *parse_name(char **rest)
{
	char *text = word(rest);

	if (text && is_untold(text))
		return "";
	return text ? unescape(text) : NULL;
}

/* Each of these returns what is wrong with the line, or NULL. */
static const char *life_line(struct plain *p, uint64_t ts, uint32_t pid, char **rest)
{
	struct lives *lives = p->lives;
	uint32_t parent = 0, status = -1, life;
	const char *name;

	if (!number_or_untold(word(rest), MAX_PID, &parent))
		return "no PARENT";
	if (!number_or_untold(word(rest), 0xffff, &status))
		return "no STATUS";
	name = parse_name(rest);
	if (!name)
		return "no NAME";
	life = lives_whole(lives, ts, pid, parent, status);
	copy_name(lives->life[life].name, name, name + strlen(name));
	return NULL;
}

static const char *fork_line(struct plain *p, uint64_t ts, uint32_t pid, char **rest)
{
	struct lives *lives = p->lives;
	uint32_t parent = 0, latest = pid < lives->pids ? lives->current[pid] : 0, life;
	bool named = latest && lives->life[latest - 1].name[0];
	const char *name;

	if (!number_or_untold(word(rest), MAX_PID, &parent))
		return "no PARENT";
	name = parse_name(rest);
	if (p->early) {
		life = lives_adopt(lives, ts, ts > p->early ? ts - p->early : 0, pid, parent);
		/* This line has the first name, and the child's own lines were earlier. */
		if (life + 1 == latest && named)
			return NULL;
	} else if (!parent) {
		life = lives_new(lives, ts, pid);
		lives->life[life].forked = true;
	} else {
		life = lives_fork(lives, ts, pid, parent);
	}
	/* Not by its pid: it may have ended. */
	if (name)
		copy_name(lives->life[life].name, name, name + strlen(name));
	return NULL;
}

static const char *name_line(struct plain *p, uint64_t ts, uint32_t pid, char **rest)
{
	const char *name = parse_name(rest);

	if (!name)
		return "no NAME";
	lives_name(p->lives, ts, pid, name);
	return NULL;
}

static const char *exec_line(struct plain *p, uint64_t ts, uint32_t pid, char **rest)
{
	const char *fault = name_line(p, ts, pid, rest);
	char *args, *to, *arg;

	if (fault || !*rest)
		return fault;
	args = to = malloc(strlen(*rest) + 2);
	if (!args)
		err(1, "reading");
	while ((arg = word(rest))) {
		to = stpcpy(to, unescape(arg));
		*to++ = ARG_END;
	}
	if (to != args) {
		to[-1] = '\0';
		lives_args(p->lives, lives_now(p->lives, ts, pid), args);
	}
	free(args);
	return NULL;
}

static const char *exit_line(struct plain *p, uint64_t ts, uint32_t pid, char **rest)
{
	const char *text = word(rest);
	uint32_t status = -1;

	if (text && !number_or_untold(text, 0xffff, &status))
		return "no STATUS as wait(2) gives it";
	lives_exit(p->lives, ts, pid, status);
	return NULL;
}

static const char *reap_line(struct plain *p, uint64_t ts, uint32_t pid, char **rest)
{
	uint32_t reaper = 0;

	(void)ts;
	if (!number_or_untold(word(rest), MAX_PID, &reaper))
		return "no REAPER";
	lives_reap(p->lives, pid, reaper);
	return NULL;
}

static const char *free_line(struct plain *p, uint64_t ts, uint32_t pid, char **rest)
{
	(void)p;
	(void)ts;
	(void)pid;
	(void)rest;
	return NULL;
}

static const char *take_event(struct plain *p, struct line *l)
{
	static const struct {
		const char *name;
		const char *(*take)(struct plain *p, uint64_t ts, uint32_t pid, char **rest);
	} events[] = {
		{ "fork", fork_line }, { "exec", exec_line }, { "name", name_line }, { "exit", exit_line },
		{ "reap", reap_line }, { "free", free_line }, { "life", life_line },
	};
	const char *event;
	char *rest = l->text;
	uint32_t pid;
	size_t i;
	const char *fault;

	if (l->ts < p->lives->behind)
		return "a TIME before the machine's start, with `clock realtime`";
	event = word(&rest);
	if (!parse_number(word(&rest), MAX_PID, &pid) || !pid)
		return "no PID";
	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
		if (strcmp(event, events[i].name))
			continue;
		fault = events[i].take(p, l->ts - p->lives->behind, pid, &rest);
		return fault ? fault : word(&rest) ? "more than there is in such a line" : NULL;
	}
	return "no such event";
}

static const char *no_seconds(const char *text, uint64_t *ns)
{
	return parse_time(text, ns) ? NULL : "no SECONDS";
}

/* Parses a line about the file as a whole. */
static const char *take_setting(struct plain *p, const char *what, char *rest)
{
	static const char unknown[] = "begins neither with a TIME nor with a word of the format";
	bool notified = !strcmp(what, "notified"), early = !strcmp(what, "early"), lost = !strcmp(what, "lost");
	bool rounding = !strcmp(what, "rounding"), clock = !strcmp(what, "clock");
	const char *value = notified ? "" : word(&rest);
	uint32_t n;

	if (!notified && !early && !rounding && !clock && !lost)
		return unknown;
	if (word(&rest))
		return "more than there is in such a line";
	if (early)
		return no_seconds(value, &p->early);
	if (rounding)
		return no_seconds(value, &p->lives->rounding);
	if (lost) {
		if (!parse_number(value, UINT32_MAX, &n))
			return "no number";
		p->lives->tells_lost = true;
		p->lives->lost += n;
	} else if (notified) {
		p->lives->tells_notified = true;
	} else if (value && !strcmp(value, "realtime")) {
		p->lives->behind = p->to_realtime;
	} else if (value && !strcmp(value, "monotonic")) {
		p->lives->behind = 0;
	} else {
		return "no clock that this knows: realtime or monotonic";
	}
	return NULL;
}

static const char *take_line(struct plain *p, uint64_t number, char *text)
{
	struct line l = { .number = number };
	char *rest = text, *first = word(&rest);

	if (!first || *first == '#')
		return NULL;
	if (*first < '0' || *first > '9')
		return take_setting(p, first, rest);
	if (!parse_time(first, &l.ts))
		return "no TIME in seconds";
	if (!rest || !rest[strspn(rest, " \t")])
		return "no event";
	if (p->count == p->room) {
		p->room = 2 * p->room + 4096;
		p->lines = reallocarray(p->lines, p->room, sizeof(*p->lines));
	}
	l.text = strdup(rest);
	if (!p->lines || !l.text)
		err(1, "reading");
	p->lines[p->count++] = l;
	return NULL;
}

static bool is_life(const struct line *l)
{
	return !strncmp(l->text + strspn(l->text, " \t"), "life", 4);
}

static uint64_t take_lines(struct plain *p, bool lives)
{
	uint64_t senseless = 0;
	size_t i;

	for (i = 0; i < p->count; i++) {
		struct line *l = &p->lines[i];
		char *kept;
		const char *fault;

		if (!l->text || is_life(l) != lives)
			continue;
		kept = p->lives->shown ? strdup(l->text) : NULL;
		fault = take_event(p, l);
		if (fault)
			senseless += lives_senseless(p->lives, l->number, fault, kept ? kept : "");
		free(kept);
		free(l->text);
		l->text = NULL;
	}
	return senseless;
}

uint64_t read_plain(struct lives *lives, FILE *in, uint64_t to_realtime)
{
	struct plain p = { .lives = lives, .to_realtime = to_realtime };
	uint64_t senseless = 0, number = 0;
	char *text = NULL, *kept = NULL;
	size_t size = 0;
	const char *fault;

	while (getline(&text, &size, in) > 0) {
		text[strcspn(text, "\r\n")] = '\0';
		kept = lives->shown ? strdup(text) : NULL;
		fault = take_line(&p, ++number, text);
		if (fault)
			senseless += lives_senseless(lives, number, fault, kept ? kept : "");
		free(kept);
	}
	senseless += take_lines(&p, true);
	if (p.count)
		qsort(p.lines, p.count, sizeof(*p.lines), by_time);
	senseless += take_lines(&p, false);
	lives_complete(lives);
	free(p.lines);
	free(text);
	return senseless;
}
