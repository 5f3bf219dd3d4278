// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines of connector.c. Those of different CPUs can arrive in another order than they have by
 * their times, so they are sorted by these first.
 */
#include "lives.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line {
	uint64_t ts;
	uint64_t position;
	uint32_t pid;
	uint32_t number; /* parent or status */
	char what;
	char name[NAME_LEN];
};

static int by_time(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->position < y->position ? -1 : 1;
}

static bool parse(struct line *l, const char *text)
{
	char what[8];
	int at = 0;

	if (sscanf(text, "%7s %" SCNu64 " %" SCNu32 "%n", what, &l->ts, &l->pid, &at) != 3 ||
	    text[at] != ' ')
		return false;
	text += at + 1;
	if (!strcmp(what, "fork") || !strcmp(what, "exit")) {
		l->what = what[0];
		l->number = strtoul(text, NULL, 10);
		return true;
	}
	if (strcmp(what, "exec") && strcmp(what, "comm"))
		return false;
	l->what = 'n';
	copy_name(l->name, text, text + strcspn(text, "\n"));
	return true;
}

uint64_t read_connector(struct lives *lives, FILE *in, uint64_t to_realtime)
{
	size_t room = 0, count = 0, size = 0, i;
	uint64_t senseless = 0;
	struct line *lines = NULL;
	char *text = NULL;

	(void)to_realtime;
	lives->tells_status = true;
	while (getline(&text, &size, in) > 0) {
		if (sscanf(text, "lost %" SCNu64, &lives->lost) == 1) {
			lives->tells_lost = true;
			continue;
		}
		if (count == room) {
			room = 2 * room + 4096;
			lines = reallocarray(lines, room, sizeof(*lines));
			if (!lines)
				abort();
		}
		lines[count].position = count;
		if (parse(&lines[count], text))
			count++;
		else
			senseless++;
	}
	qsort(lines, count, sizeof(*lines), by_time);
	for (i = 0; i < count; i++) {
		const struct line *l = &lines[i];

		if (l->what == 'f')
			lives_fork(lives, l->ts, l->pid, l->number);
		else if (l->what == 'e')
			lives_exit(lives, l->ts, l->pid, l->number);
		else
			lives_name(lives, l->ts, l->pid, l->name);
	}
	free(lines);
	free(text);
	return senseless;
}
