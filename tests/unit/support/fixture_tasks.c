// SPDX-License-Identifier: GPL-2.0-only
#include "fixture_tasks.h"

#include "check.h"

struct proclife_tasks *tasks;
struct who shell;

int begin_unknown(void **state)
{
	(void)state;
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	report_to(tasks);
	shell = process_of_pid(100, "sh");
	return 0;
}

int begin_tasks(void **state)
{
	struct who init;

	begin_unknown(state);
	init = process_of_pid(1, "init");
	feed(tasks, task_record(1, &shell, &init));
	return 0;
}

int end_tasks(void **state)
{
	(void)state;
	proclife_tasks_free(tasks);
	tasks = NULL;
	return 0;
}
