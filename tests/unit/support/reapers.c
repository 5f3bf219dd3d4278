// SPDX-License-Identifier: GPL-2.0-only
#include "reapers.h"
#include "check.h"

#include <signal.h>

struct proclife_reapers *reapers;
struct who init;

int begin_reapers_unknown(void **state)
{
	begin_unknown(state);
	assert_int_equal(proclife_reapers_new(&reapers, tasks), 0);
	init = process_of_pid(1, "init");
	return 0;
}

int begin_reapers(void **state)
{
	begin_reapers_unknown(state);
	feed(tasks, task_record(1, &init, &init));
	feed(tasks, task_record(2, &shell, &init));
	return 0;
}

int end_reapers(void **state)
{
	/* Reapers may outlive the tasks that they are made from. */
	end_tasks(state);
	proclife_reapers_free(reapers);
	return 0;
}

size_t number_of_reapers(const struct proclife_reapers *reapers)
{
	const struct proclife_reaper *reaper;
	size_t number = 0;

	for (size_t i = 0; (reaper = proclife_reapers_get(reapers, i)); i++)
		number += (reaper->born | reaper->reaped | reaper->ignored | reaper->zombies) != 0;
	return number;
}

struct proclife_reaper reaper_of(const struct proclife_reapers *reapers, uint32_t tgid)
{
	const struct proclife_reaper *reaper, *found = NULL, *parent = NULL;

	for (size_t i = 0; (reaper = proclife_reapers_get(reapers, i)); i++) {
		if (reaper->tgid != tgid)
			continue;
		if (!(reaper->reaped | reaper->ignored | reaper->zombies)) {
			parent = reaper;
			continue;
		}
		assert_null(found);
		found = reaper;
	}
	found = found ? found : parent;
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
	feed(tasks, notify_record(ts + 2, who, parent));
}
