/* SPDX-License-Identifier: GPL-2.0-only */
/* A library that knows one shell and is fed stories. */
#ifndef UNIT_FIXTURE_TASKS_H
#define UNIT_FIXTURE_TASKS_H

#include "records.h"

extern struct proclife_tasks *tasks;
extern struct who shell; /* known from the snapshot */

int begin_tasks(void **state);
int begin_unknown(void **state); /* not even the shell is known */
int end_tasks(void **state);

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_tasks, end_tasks)

#define LAST_GONE (&reported.gone[reported.gone_count - 1])
#define LAST_TASK (&reported.tasks[reported.task_count - 1])
#define LAST_BORN (&reported.born[reported.born_count - 1])

#endif
