// SPDX-License-Identifier: GPL-2.0-only
/* What --save keeps of the lives: who they are, and their ancestors, and no more than that. */
#include "check.h"
#include "records.h"

#include <run/past.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static struct proclife_tasks *tasks;
static struct past past;
static uint64_t now;
static const struct proclife_record *fed;

static void gone(void *data, struct proclife_process *process)
{
	(void)data;
	past_end(&past, process, fed);
	past_over(&past, process);
}

static void linked(void *data, struct proclife_process *process, struct proclife_process *parent)
{
	(void)data;
	(void)parent;
	past_link(&past, process);
}

static int begin(void **state)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports), .process_gone = gone, .process_linked = linked,
	};

	(void)state;
	now = 1000;
	past_init(&past);
	assert_int_equal(proclife_tasks_new(&tasks), 0);
	return proclife_tasks_report(tasks, &reports, NULL);
}

static int end(void **state)
{
	(void)state;
	proclife_tasks_free(tasks);
	past_free(&past);
	return 0;
}

#define PAST(name) cmocka_unit_test_setup_teardown(name, begin, end)

static const struct proclife_process *process_of(const struct who *who)
{
	const struct proclife_task *task = proclife_tasks_find(tasks, who->task);

	return task ? task->process : NULL;
}

static void put(struct proclife_record record, const struct who *about)
{
	record.ts = ++now;
	fed = &record;
	feed(tasks, record);
	fed = NULL;
	if (process_of(about))
		past_keep(&past, process_of(about), &record);
}

static struct who born(const struct who *parent, uint32_t pid, const char *comm)
{
	struct who who = process_of_pid(pid, comm);

	put(fork_record(0, &who, parent), &who);
	return who;
}

static void die(const struct who *who, const struct who *parent)
{
	put(exit_record(0, who, 0, 0), who);
	put(sigchld_record(0, parent, who, CLD_EXITED), who);
	put(reap_record(0, who, parent), who);
	put(free_record(0, who), who);
}

/* The types of all that is kept of it and of its ancestors. */
static void expect(const struct who *who, const enum proclife_type *types)
{
	struct proclife_record *records;
	size_t count, i;

	records = past_of(&past, process_of(who)->id, &count);
	for (i = 0; i < count; i++) {
		assert_int_equal(records[i].type, types[i]);
		assert_true(!i || records[i].ts > records[i - 1].ts);
	}
	assert_int_equal(types[i], PROCLIFE_NONE);
	free(records);
}

#define EXPECT(who, ...) expect(who, (const enum proclife_type[]){ __VA_ARGS__, PROCLIFE_NONE })

static void test_life(void **state)
{
	struct who init = process_of_pid(1, "init"), sh, thread, other = process_of_pid(7, "other");

	(void)state;
	/* A child can be found before its parent. */
	sh = process_of_pid(100, "sh");
	put(task_record(0, &sh, &init), &sh);
	put(task_record(0, &init, &init), &init);
	put(task_record(0, &init, &init), &init);
	EXPECT(&sh, PROCLIFE_TASK, PROCLIFE_TASK);
	put(exec_record(0, &sh, 100, "/bin/a"), &sh);
	put(record_of(0, PROCLIFE_ARGS, &sh), &sh);
	put(rename_record(0, &sh, "b"), &sh);
	for (int i = 0; i < 1000; i++) /* the last one counts */
		put(rename_record(0, &sh, "c"), &sh);
	put(wait_record(0, &sh), &sh);
	thread = thread_of(&sh, 101);
	put(fork_record(0, &thread, &init), &thread);
	put(rename_record(0, &thread, "t"), &thread);
	EXPECT(&sh, PROCLIFE_TASK, PROCLIFE_TASK, PROCLIFE_EXEC, PROCLIFE_ARGS, PROCLIFE_RENAME);
	put(exec_record(0, &sh, 100, "/bin/d"), &sh);
	EXPECT(&sh, PROCLIFE_TASK, PROCLIFE_TASK, PROCLIFE_EXEC);
	put(signal_record(0, &sh, SIGTERM, &other), &sh);
	put(signal_record(0, &sh, SIGKILL, &other), &sh);
	put(signal_record(0, &sh, SIGKILL, &other), &sh);
	EXPECT(&sh, PROCLIFE_TASK, PROCLIFE_TASK, PROCLIFE_EXEC, PROCLIFE_SIGNAL);
}

/* Even the longest arguments leave room for how it ends. */
static void test_args(void **state)
{
	struct who init = process_of_pid(1, "init"), sh = born(&init, 100, "sh");
	struct proclife_record *records;
	size_t count;

	(void)state;
	put(exec_record(0, &sh, 100, "/bin/a"), &sh);
	for (int i = 0; i < 1000; i++)
		put(record_of(0, PROCLIFE_ARGS, &sh), &sh);
	put(exit_record(0, &sh, 0, 0), &sh);
	records = past_of(&past, process_of(&sh)->id, &count);
	assert_true(count < 200);
	assert_int_equal(records[count - 1].type, PROCLIFE_EXIT);
	free(records);
}

/* Who is gone is kept for its descendants, and no longer. */
static void test_ancestors(void **state)
{
	struct who init = process_of_pid(1, "init"), a, b, c;

	(void)state;
	put(task_record(0, &init, &init), &init);
	a = born(&init, 100, "a");
	b = born(&a, 101, "b");
	c = born(&b, 102, "c");
	die(&a, &init);
	die(&b, &init);
	EXPECT(&c, PROCLIFE_TASK, PROCLIFE_FORK, PROCLIFE_FORK, PROCLIFE_FORK, PROCLIFE_EXIT, PROCLIFE_SIGNAL,
	       PROCLIFE_REAP, PROCLIFE_FREE, PROCLIFE_EXIT, PROCLIFE_SIGNAL, PROCLIFE_REAP, PROCLIFE_FREE);
	assert_int_equal(past.lives.used, 4);
	die(&c, &init);
	assert_int_equal(past.lives.used, 1);
}

/* One that starts itself again and again does not fill the memory. */
static void test_for_ever(void **state)
{
	struct who init = process_of_pid(1, "init"), last = born(&init, 2, "again");

	(void)state;
	for (uint32_t i = 3; i < 1000; i++) {
		struct who next = born(&last, i, "again");

		die(&last, &init);
		last = next;
	}
	assert_in_range(past.lives.used, 60, 70);
	die(&last, &init);
	assert_true(past.lives.used <= 1); /* init has only been named */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAST(test_life), PAST(test_args), PAST(test_ancestors), PAST(test_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
