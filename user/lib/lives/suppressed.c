// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Types that the module did not record because their budget was used up. A CPU records when that
 * begins and when it ends. A task with such a record missing can have been on that CPU or another.
 *
 * Where it is about all types, recording was stopped: this is a gap on all CPUs.
 */
#include "lives/tasks.h"

#include <errno.h>
#include <stdlib.h>

#define CPUS (UINT16_MAX + 1)

struct proclife_suppressed_type {
	uint64_t until;		  /* when the suppression last ended, on any CPU */
	uint32_t open;		  /* on how many CPUs it has not ended */
	uint64_t cpus[CPUS / 64]; /* a bit for each of these */
};

static void set_open(struct proclife_suppressed_type *type, uint16_t cpu, bool open)
{
	uint64_t *word = &type->cpus[cpu / 64], bit = 1ULL << cpu % 64;

	if (open == !!(*word & bit))
		return;
	*word ^= bit;
	type->open += open ? 1 : -1u;
}

static void end(struct proclife_suppressed_type *type, uint16_t cpu, uint64_t ts)
{
	set_open(type, cpu, false);
	if (type->until < ts)
		type->until = ts;
}

int proclife_suppressed_feed(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	uint32_t what = record->suppressed.what;

	if (what >= PROCLIFE_TYPES)
		return 1;
	if (!tasks->suppressed[what])
		tasks->suppressed[what] = calloc(1, sizeof(*tasks->suppressed[what]));
	if (!tasks->suppressed[what])
		return -ENOMEM;
	tasks->renames_lack |= what == PROCLIFE_RENAME;
	/*
	 * At its beginning, too: it can be that nothing is recorded any more. The last records come before the last
	 * of its records, so none of those that are there is taken for all that there was.
	 */
	if (what == PROCLIFE_NONE)
		proclife_tasks_gap(tasks, record->ts, true);
	if (record->suppressed.ended)
		end(tasks->suppressed[what], record->cpu, record->ts);
	else
		set_open(tasks->suppressed[what], record->cpu, true);
	return 1;
}

void proclife_suppressed_over(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	struct proclife_suppressed_type *type = tasks->suppressed[record->type];

	/* The record of the suppression's end was lost. */
	if (type && type->cpus[record->cpu / 64] >> record->cpu % 64 & 1)
		end(type, record->cpu, record->ts);
}

bool proclife_tasks_may_lack(const struct proclife_tasks *tasks, enum proclife_type type,
			     uint64_t since)
{
	const struct proclife_suppressed_type *suppressed =
		(unsigned int)type < PROCLIFE_TYPES ? tasks->suppressed[type] : NULL;

	if (tasks->gap_to && tasks->gap_to >= since)
		return true;
	if (tasks->suppressed[PROCLIFE_NONE] && tasks->suppressed[PROCLIFE_NONE]->open)
		return true;
	return suppressed && (suppressed->open || suppressed->until >= since);
}

void proclife_suppressed_free(struct proclife_tasks *tasks)
{
	for (size_t type = 0; type < PROCLIFE_TYPES; type++)
		free(tasks->suppressed[type]);
}
