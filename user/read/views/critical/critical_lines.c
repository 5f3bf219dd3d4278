// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which lines the table of the chain has, so that it fits a screen: the longest steps have a line each,
 * what lies between two of them has one together, and what is too short for that has none.
 */
#include "output/message.h"
#include "views/critical/critical.h"
#include <stdlib.h>
#include <string.h>

#define LEAST_LINE 200 /* a part of all: what is shorter has no line... */
#define LEAST_ALONE 5 /* ... except the longest steps, if all are shorter */

/* The steps that are the longest, the longest first; the earlier of two that are alike. */
static uint32_t find_longest(const struct critical *critical, uint32_t longest[CRITICAL_LINES])
{
	uint64_t least = (critical->to - critical->from) / LEAST_LINE;
	uint32_t count = 0, i, at;

	for (i = 0; i < critical->count; i++) {
		uint64_t time = critical_time(&critical->steps[i]);

		if ((count == CRITICAL_LINES &&
				     time <= critical_time(&critical->steps[longest[count - 1]])))
			continue;
		count += count < CRITICAL_LINES;
		for (at = count - 1; at && time > critical_time(&critical->steps[longest[at - 1]]); at--)
			longest[at] = longest[at - 1];
		longest[at] = i;
	}
	while (count > LEAST_ALONE && critical_time(&critical->steps[longest[count - 1]]) < least)
		count--;
	if (critical_time(&critical->steps[longest[0]]) >= least)
		while (critical_time(&critical->steps[longest[count - 1]]) < least)
			count--;
	return count;
}

static void add_line(struct critical_lines *lines, const struct critical *critical, uint32_t first,
		     uint32_t end, bool alone)
{
	uint64_t time;

	if (first == end)
		return;
	time = critical->steps[end - 1].to - critical->steps[first].from;
	if (!alone && time < (critical->to - critical->from) / LEAST_LINE) {
		lines->rest += time;
		lines->rest_steps += end - first;
		return;
	}
	if (lines->count < CRITICAL_LINES)
		lines->all[lines->count] = (struct critical_line){ first, end - first };
	lines->count++;
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* This many of the longest stand alone. Return: whether all lines fit. */
static bool make_lines(struct critical_lines *lines, const struct critical *critical,
		       const uint32_t longest[CRITICAL_LINES], uint32_t alone)
{
	uint32_t sorted[CRITICAL_LINES], next = 0, i;

	memcpy(sorted, longest, alone * sizeof(*sorted));
	qsort(sorted, alone, sizeof(*sorted), ascending);
	lines->count = 0;
	lines->rest = 0;
	lines->rest_steps = 0;
	for (i = 0; i < alone; i++) {
		add_line(lines, critical, next, sorted[i], false);
		add_line(lines, critical, sorted[i], sorted[i] + 1, true);
		next = sorted[i] + 1;
	}
	add_line(lines, critical, next, critical->count, false);
	return lines->count <= CRITICAL_LINES;
}

void critical_choose_lines(struct critical_lines *lines, const struct critical *critical)
{
	bool all = critical->count <= CRITICAL_LINES || critical->run->options->fold == FOLD_NEVER;
	uint32_t longest[CRITICAL_LINES], alone, i;

	lines->all = calloc(all ? (size_t)critical->count + 1 : CRITICAL_LINES, sizeof(*lines->all));
	if (!lines->all)
		die_no_memory();
	for (i = 0; all && i < critical->count; i++)
		lines->all[lines->count++] = (struct critical_line){ i, 1 };
	if (all)
		return;
	for (alone = find_longest(critical, longest); !make_lines(lines, critical, longest, alone); alone--)
		;
}
