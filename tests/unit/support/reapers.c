// SPDX-License-Identifier: GPL-2.0-only
#include "reapers.h"
#include "check.h"

#include <signal.h>

size_t number_of_reapers(const struct proclife_reapers *reapers)
{
	size_t number = 0;

	while (proclife_reapers_get(reapers, number))
		number++;
	return number;
}

struct proclife_reaper reaper_of(const struct proclife_reapers *reapers, uint32_t tgid)
{
	const struct proclife_reaper *reaper, *found = NULL;

	for (size_t i = 0; (reaper = proclife_reapers_get(reapers, i)); i++) {
		if (reaper->tgid != tgid)
			continue;
		assert_null(found);
		found = reaper;
	}
	return found ? *found : (struct proclife_reaper){ 0 };
}

struct proclife_record exit_below_record(uint64_t ts, const struct who *who,
					 const struct who *parent)
{
	struct proclife_record record = exit_record(ts, who, 0, 0);

	record.exit.parent_tgid = parent->tgid;
	return record;
}

void feed_zombie(struct proclife_tasks *tasks, uint64_t ts, const struct who *who,
		 const struct who *parent)
{
	feed(tasks, fork_record(ts, who, parent));
	feed(tasks, exit_below_record(ts + 1, who, parent));
	feed(tasks, sigchld_record(ts + 2, parent, who, CLD_EXITED));
}
