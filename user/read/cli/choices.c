// SPDX-License-Identifier: GPL-2.0-only
#include "cli/choices.h"
#include "options.h"
#include "output/format.h"
#include "output/percentiles.h"
#include <stdio.h>
#include <string.h>

const char *choice_by(unsigned int number)
{
	return number + 1 < PROCLIFE_BYS ? proclife_by_name(number + 1) : NULL;
}

const char *choice_summary_by(unsigned int number)
{
	static const char *const names[SUMMARY_BYS] = {
		[SUMMARY_BY_COMM] = "comm",
		[SUMMARY_BY_PATH] = "path",
		[SUMMARY_BY_DIR] = "dir",
		[SUMMARY_BY_CGROUP] = "cgroup",
		[SUMMARY_BY_UID] = "uid",
		[SUMMARY_BY_PARENT] = "parent",
	};

	return number < SUMMARY_BYS ? names[number] : NULL;
}

const char *choice_top(unsigned int number)
{
	static const char *const names[] = {
		[TOP_CPU] = "cpu",
		[TOP_LIFE] = "life",
		[TOP_RSS] = "rss",
		[TOP_COUNT] = "count",
	};

	return number < sizeof(names) / sizeof(names[0]) ? names[number] : NULL;
}

const char *choice_sort(unsigned int number)
{
	static const char *const names[SORT_PHASES] = {
		[SORT_TIME] = "time",
		[SORT_LIFE] = "life",
		[SORT_ALONE] = "alone",
		[SORT_CPU] = "cpu",
		[SORT_RSS] = "rss",
		[SORT_READ] = "read",
		[SORT_WRITTEN] = "written",
	};
	unsigned int key = number + 1;

	return key < SORT_PHASES ? names[key] : key < SORTS ? proclife_phase_info(sort_phase(key))->name : NULL;
}

const char *choice_show(unsigned int number)
{
	static const char *const names[] = { "pidns", "cgroup", "uid" };

	return number < sizeof(names) / sizeof(names[0]) ? names[number] : NULL;
}

const char *choice_color(unsigned int number)
{
	static const char *const names[COLORS] = {
		[COLOR_AUTO] = "auto",
		[COLOR_ALWAYS] = "always",
		[COLOR_NEVER] = "never",
	};

	return number < COLORS ? names[number] : NULL;
}

const char *choice_tracks(unsigned int number)
{
	static const char *const names[TRACKS] = {
		[TRACKS_SLOTS] = "slots",
		[TRACKS_PROCESSES] = "processes",
	};

	return number < TRACKS ? names[number] : NULL;
}

const char *choice_event(unsigned int number)
{
	return number + 1 < PROCLIFE_TYPES ? proclife_type_name(number + 1) : NULL;
}

const char *choice_phase(unsigned int number)
{
	return number < PROCLIFE_PHASES ? proclife_phase_info(number)->name : NULL;
}

const char *choice_statistic(unsigned int number)
{
	return number < STATISTICS ? statistics[number].name : NULL;
}

bool choice_find(choice_name *name, const char *word, size_t length, unsigned int *number)
{
	const char *each;

	for (*number = 0; (each = name(*number)); ++*number)
		if (strlen(each) == length && !strncmp(each, word, length))
			return true;
	return false;
}

const char *choice_list(choice_name *name, const char *separator, const char *last)
{
	static char lists[2][256];
	static unsigned int latest;
	char *list = lists[latest++ % 2];
	unsigned int i;
	size_t n = 0;

	for (i = 0; name(i); i++)
		n += (size_t)snprintf(list + n, sizeof(lists[0]) - n, "%s%s",
				      !i ? "" : name(i + 1) ? separator : last, name(i));
	return list;
}
