// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plain format, which README.md describes, for tools that no reader here is made for. The lines of
 * different CPUs can arrive in another order than they have by their times, so they are sorted by
 * these first; but not those that tell a whole life, which are in the order of its ends.
 */
#include "lives.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line {
	uint64_t ts;
	uint64_t position;
	uint32_t pid;
	char *event;
	char *rest; /* behind the pid */
};

struct plain {
	struct lives *lives;
	struct line *lines;
	size_t count;
	size_t room;
	uint64_t behind; /* its clock's distance to CLOCK_MONOTONIC */
	bool early;	 /* a child's lines can be earlier than its fork */
};

static int by_time(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->position < y->position ? -1 : 1;
}

/* Seconds with up to nine digits of a fraction, in ns. */
static bool parse_time(const char *text, uint64_t *ns)
{
	uint64_t unit = 100000000;
	char *at;

	if (*text < '0' || *text > '9')
		return false;
	*ns = strtoull(text, &at, 10) * 1000000000;
	if (*at != '.')
		return !*at;
	for (at++; *at >= '0' && *at <= '9'; at++, unit /= 10)
		*ns += unit * (*at - '0');
	return !*at;
}

/* \xHH is any byte, such as a blank in a name. */
static void unescape(char *text)
{
	unsigned int byte;
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && text[1] == 'x' && sscanf(text + 2, "%2x", &byte) == 1) {
			*to++ = byte;
			text += text[2] && text[3] ? 3 : 2;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

static char *word(char **rest)
{
	char *found = strsep(rest, " \t");

	while (found && !*found)
		found = strsep(rest, " \t");
	return found;
}

/* False if there is none; "-" is one that is not told, and leaves @value as it is. */
static bool number(const char *text, uint32_t *value)
{
	char *end;
	uint32_t n;

	if (!text)
		return false;
	if (!strcmp(text, "-"))
		return true;
	n = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end)
		return false;
	*value = n;
	return true;
}

static void set_name(struct lives *lives, const struct line *l, char *name)
{
	if (!strcmp(name, "-"))
		return;
	unescape(name);
	lives_name(lives, l->ts, l->pid, name);
}

static bool whole(struct lives *lives, struct line *l)
{
	uint32_t parent, status = -1;
	char *name;

	if (!number(word(&l->rest), &parent) || !number(word(&l->rest), &status))
		return false;
	name = word(&l->rest);
	if (!name)
		return false;
	unescape(name);
	lives_whole(lives, l->ts, l->pid, parent, status);
	if (strcmp(name, "-")) {
		copy_name(lives->life[lives->count - 1].name, name, name + strlen(name));
		lives->tells_names = true;
	}
	return true;
}

static bool take_fork(struct lives *lives, struct line *l, bool early)
{
	uint32_t parent = 0, life = l->pid < lives->pids ? lives->current[l->pid] : 0;
	/* Its own lines were earlier than this, which tells the name that it had at first. */
	bool named = early && life && !lives->life[life - 1].forked && lives->life[life - 1].name[0];
	char *name;

	if (!number(word(&l->rest), &parent))
		return false;
	if (early)
		lives_adopt(lives, l->ts, l->pid, parent);
	else
		lives_fork(lives, l->ts, l->pid, parent);
	name = word(&l->rest);
	if (name && !named)
		set_name(lives, l, name);
	return true;
}

static bool take_event(struct lives *lives, struct line *l, bool early)
{
	uint32_t value = -1;
	char *name;

	if (!strcmp(l->event, "fork")) {
		return take_fork(lives, l, early);
	} else if (!strcmp(l->event, "exec")) {
		name = word(&l->rest);
		if (!name)
			return false;
		set_name(lives, l, name);
		if (l->rest && *l->rest) {
			unescape(l->rest);
			lives_args(lives, lives_now(lives, l->ts, l->pid), l->rest);
		}
	} else if (!strcmp(l->event, "name")) {
		name = word(&l->rest);
		if (!name)
			return false;
		set_name(lives, l, name);
	} else if (!strcmp(l->event, "exit")) {
		name = word(&l->rest);
		if (name && !number(name, &value))
			return false;
		lives_exit(lives, l->ts, l->pid, value);
	} else if (!strcmp(l->event, "reap")) {
		if (!number(word(&l->rest), &value))
			return false;
		lives_reap(lives, l->pid, value);
	} else {
		return !strcmp(l->event, "free");
	}
	return true;
}

/* What is said of the file as a whole. */
static bool take_setting(struct plain *p, const char *what, char *rest, uint64_t to_realtime)
{
	const char *value = word(&rest);
	char *end;

	if (!strcmp(what, "early")) {
		p->early = true;
		return true;
	}
	if (!strcmp(what, "notified")) {
		p->lives->tells_notified = true;
		return true;
	}
	if (!value)
		return false;
	if (!strcmp(what, "lost")) {
		p->lives->tells_lost = true;
		p->lives->lost += strtoull(value, &end, 10);
		return end != value && !*end;
	}
	if (!strcmp(what, "rounding"))
		return parse_time(value, &p->lives->rounding);
	if (!strcmp(what, "clock")) {
		p->behind = strcmp(value, "realtime") ? 0 : to_realtime;
		return p->behind || !strcmp(value, "monotonic");
	}
	return false;
}

static bool take_line(struct plain *p, char *text, uint64_t to_realtime)
{
	struct line l = { .position = p->count };
	char *rest = text, *first = word(&rest);

	if (!first || *first == '#')
		return true;
	if (*first < '0' || *first > '9')
		return take_setting(p, first, rest, to_realtime);
	l.event = word(&rest);
	if (!parse_time(first, &l.ts) || l.ts < p->behind || !l.event || !rest ||
	    !number(word(&rest), &l.pid) || !l.pid)
		return false;
	l.ts -= p->behind;
	l.rest = rest;
	if (!strcmp(l.event, "life"))
		return whole(p->lives, &l);
	if (p->count == p->room) {
		p->room = 2 * p->room + 4096;
		p->lines = reallocarray(p->lines, p->room, sizeof(*p->lines));
		if (!p->lines)
			abort();
	}
	l.event = strdup(l.event);
	l.rest = strdup(rest ? rest : "");
	if (!l.event || !l.rest)
		abort();
	p->lines[p->count++] = l;
	return true;
}

uint64_t read_plain(struct lives *lives, FILE *in, uint64_t to_realtime)
{
	struct plain p = { .lives = lives };
	uint64_t senseless = 0;
	char *text = NULL, *rest;
	size_t size = 0, i;

	while (getline(&text, &size, in) > 0) {
		text[strcspn(text, "\n")] = '\0';
		if (!take_line(&p, text, to_realtime))
			senseless += lives_senseless(lives, text);
	}
	if (p.count)
		qsort(p.lines, p.count, sizeof(*p.lines), by_time);
	for (i = 0; i < p.count; i++) {
		rest = p.lines[i].rest;
		if (!take_event(lives, &p.lines[i], p.early))
			senseless += lives_senseless(lives, p.lines[i].event);
		free(rest);
		free(p.lines[i].event);
	}
	lives_complete(lives);
	free(p.lines);
	free(text);
	return senseless;
}
