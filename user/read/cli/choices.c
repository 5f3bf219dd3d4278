// SPDX-License-Identifier: GPL-2.0-only
#include "cli/choices.h"
#include "options.h"
#include "output/format.h"
#include "output/percentiles.h"
#include <stdio.h>
#include <string.h>

static const char *by(unsigned int number)
{
	return number + 1 < PROCLIFE_BYS ? proclife_by_name(number + 1) : NULL;
}

static const char *summary_by(unsigned int number)
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

static const char *top(unsigned int number)
{
	static const char *const names[] = {
		[TOP_CPU] = "cpu",
		[TOP_LIFE] = "life",
		[TOP_RSS] = "rss",
		[TOP_COUNT] = "count",
	};

	return number < sizeof(names) / sizeof(names[0]) ? names[number] : NULL;
}

static const char *sort(unsigned int number)
{
	static const char *const names[SORT_PHASES] = {
		[SORT_TIME] = "time",
		[SORT_LIFE] = "life",
		[SORT_ALONE] = "alone",
		[SORT_CPU] = "cpu",
		[SORT_RSS] = "rss",
	};

	unsigned int key = number + 1;

	return key < SORT_PHASES ? names[key] : key < SORTS ? proclife_phase_info(sort_phase(key))->name : NULL;
}

/* In the order of the bits. */
static const char *show(unsigned int number)
{
	static const char *const names[] = { "pidns", "cgroup", "uid" };

	return number < sizeof(names) / sizeof(names[0]) ? names[number] : NULL;
}

static const char *color(unsigned int number)
{
	static const char *const names[COLORS] = {
		[COLOR_AUTO] = "auto",
		[COLOR_ALWAYS] = "always",
		[COLOR_NEVER] = "never",
	};

	return number < COLORS ? names[number] : NULL;
}

static const char *export(unsigned int number)
{
	static const char *const names[EXPORTS] = {
		[EXPORT_CSV] = "csv",
		[EXPORT_FOLDED] = "folded",
		[EXPORT_OTLP] = "otlp",
		[EXPORT_PERFETTO] = "perfetto",
	};

	return number < EXPORTS ? names[number] : NULL;
}

static const char *tracks(unsigned int number)
{
	static const char *const names[TRACKS] = {
		[TRACKS_SLOTS] = "slots",
		[TRACKS_PROCESSES] = "processes",
	};

	return number < TRACKS ? names[number] : NULL;
}

/* The type is the next number. */
static const char *event(unsigned int number)
{
	return number + 1 < PROCLIFE_TYPES ? proclife_type_name(number + 1) : NULL;
}

static const char *phase(unsigned int number)
{
	return number < PROCLIFE_PHASES ? proclife_phase_info(number)->name : NULL;
}

static const char *statistic(unsigned int number)
{
	return number < STATISTICS ? statistics[number].name : NULL;
}

const char *choice_name(enum choice choice, unsigned int number)
{
	static const char *(*const names[])(unsigned int) = {
		[CHOICE_BY] = by,
		[CHOICE_SUMMARY_BY] = summary_by,
		[CHOICE_TOP] = top,
		[CHOICE_SORT] = sort,
		[CHOICE_SHOW] = show,
		[CHOICE_COLOR] = color,
		[CHOICE_EXPORT] = export,
		[CHOICE_TRACKS] = tracks,
		[CHOICE_EVENT] = event,
		[CHOICE_PHASE] = phase,
		[CHOICE_STATISTIC] = statistic,
	};

	return names[choice](number);
}

bool choice_find(enum choice choice, const char *word, size_t length, unsigned int *number)
{
	const char *name;

	for (*number = 0; (name = choice_name(choice, *number)); ++*number)
		if (strlen(name) == length && !strncmp(name, word, length))
			return true;
	return false;
}

const char *choice_list(enum choice choice, const char *separator, const char *last)
{
	static char lists[CHOICES][256];
	char *list = lists[choice];
	unsigned int i;
	size_t n = 0;

	for (i = 0; choice_name(choice, i); i++)
		n += (size_t)snprintf(list + n, sizeof(lists[0]) - n, "%s%s",
				      !i ? "" : choice_name(choice, i + 1) ? separator : last,
				      choice_name(choice, i));
	return list;
}
