// SPDX-License-Identifier: GPL-2.0-only
/* What --save keeps of lives: their identities, and their ancestors, and no more than that. */
#include "check.h"
#include "marks.h"

#include <triggers/backlog.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static struct proclife_tasks *tasks;
static struct backlog backlog;
static uint64_t now;
static const struct proclife_record *fed;

static void gone(void *data, struct proclife_process *process)
{
	(void)data;
	backlog_end(&backlog, process, fed);
	backlog_over(&backlog, process);
}

static void linked(void *data, struct proclife_process *process, struct proclife_process *parent)
{
	(void)data;
	(void)parent;
	backlog_link(&backlog, process);
}

static int begin(void **state)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports), .process_gone = gone, .process_linked = linked,
	};

	(void)state;
	now = 1000;
	backlog_init(&backlog);
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	return proclife_tasks_report(tasks, &reports, NULL);
}

static int end(void **state)
{
	(void)state;
	proclife_tasks_free(tasks);
	backlog_free(&backlog);
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
		backlog_keep(&backlog, process_of(about), &record);
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
	put(notify_record(0, who, parent), who);
	put(reap_record(0, who, parent), who);
	put(free_record(0, who), who);
}

/* Expects these types of records to be kept of it and of its ancestors. */
static void expect(const struct who *who, const enum proclife_type *types)
{
	struct proclife_record *records;
	size_t count, i;

	records = backlog_of(&backlog, process_of(who)->id, &count);
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

/* Even the longest arguments leave room for the end of the life. */
/* The last of its adopters has to reap it; a tracer is notified of threads, too. */
static void test_inherited(void **state)
{
	struct who init = process_of_pid(1, "init"), sh = process_of_pid(100, "sh"), gdb = process_of_pid(7, "gdb");
	struct who who, thread;
	struct proclife_record *records, of_thread;
	size_t count;

	(void)state;
	put(task_record(0, &init, &init), &init);
	who = born(&init, 200, "child");
	thread = thread_of(&who, 201);
	put(fork_record(0, &thread, &init), &thread);
	of_thread = traced_record(0, &thread, &gdb, &init);
	of_thread.flags &= ~PROCLIFE_F_GROUP_DEAD;
	put(exit_record(0, &thread, 0, 1), &who);
	put(of_thread, &who);
	put(exit_record(0, &who, 0, 0), &who);
	put(traced_record(0, &who, &gdb, &sh), &who);
	put(notify_record(0, &who, &sh), &who);
	for (int i = 0; i < 1000; i++)
		put(notify_record(0, &who, i < 999 ? &sh : &init), &who);
	EXPECT(&who, PROCLIFE_TASK, PROCLIFE_FORK, PROCLIFE_EXIT, PROCLIFE_NOTIFY, PROCLIFE_NOTIFY, PROCLIFE_NOTIFY);
	records = backlog_of(&backlog, process_of(&who)->id, &count);
	assert_int_equal(records[3].notify.receiver_tgid, 7);
	assert_int_equal(records[4].notify.receiver_tgid, 100);
	assert_int_equal(records[5].notify.receiver_tgid, 1);
	free(records);
}

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
	records = backlog_of(&backlog, process_of(&sh)->id, &count);
	assert_true(count < 200);
	assert_int_equal(records[count - 1].type, PROCLIFE_EXIT);
	free(records);
}

/* A process that is gone is kept as long as it has descendants. */
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
	EXPECT(&c, PROCLIFE_TASK, PROCLIFE_FORK, PROCLIFE_FORK, PROCLIFE_FORK, PROCLIFE_EXIT, PROCLIFE_NOTIFY,
	       PROCLIFE_REAP, PROCLIFE_FREE, PROCLIFE_EXIT, PROCLIFE_NOTIFY, PROCLIFE_REAP, PROCLIFE_FREE);
	assert_int_equal(backlog.lives.used, 4);
	die(&c, &init);
	assert_int_equal(backlog.lives.used, 1);
}

/* A program that starts itself again and again does not fill the memory. */
static void test_for_ever(void **state)
{
	struct who init = process_of_pid(1, "init"), last = born(&init, 2, "again");

	(void)state;
	for (uint32_t i = 3; i < 1000; i++) {
		struct who next = born(&last, i, "again");

		die(&last, &init);
		last = next;
	}
	assert_in_range(backlog.lives.used, 60, 70);
	die(&last, &init);
	assert_true(backlog.lives.used <= 1); /* init has only been named */
}

/*
 * Without the library, which would take longer than the tested code
 */

#define MOST_BYTES (64u << 20)

static uint64_t last_id;

static struct proclife_process start(uint64_t parent, unsigned int args)
{
	struct who who = process_of_pid(100, "x");
	struct proclife_process process = { .id = ++last_id, .parent_id = parent, .tgid = who.tgid };
	struct proclife_record record = fork_record(++now, &who, &who);

	backlog_keep(&backlog, &process, &record);
	record = exec_record(++now, &who, who.pid, "/bin/x");
	backlog_keep(&backlog, &process, &record);
	for (unsigned int i = 0; i < args; i++) {
		record = record_of(++now, PROCLIFE_ARGS, &who);
		record.args.offset = (uint16_t)(i * PROCLIFE_ARGS_LEN);
		backlog_keep(&backlog, &process, &record);
	}
	return process;
}

/* The last one of a chain; the others have exited. */
static struct proclife_process start_below(uint64_t parent, unsigned int gone, unsigned int args)
{
	struct proclife_process process = start(parent, args), child;

	while (gone--) {
		child = start(process.id, args);
		backlog_over(&backlog, &process);
		process = child;
	}
	return process;
}

static size_t count_of(uint64_t id)
{
	size_t count;

	free(backlog_of(&backlog, id, &count));
	return count;
}

#define PER_LIFE 10 /* records; 8 of them are arguments */
#define LEAVES 4000

/* Many long chains of one user: other users lose nothing that is nearer than what the chains lose. */
static void test_many_chains(void **state)
{
	uint64_t server, worker, leaves[LEAVES];
	struct proclife_process process;
	size_t all = 0, i;

	(void)state;
	process = start_below(0, 2, 8);
	server = process.id;
	worker = start_below(server, 1, 8).id;
	assert_int_equal(count_of(worker), 5 * PER_LIFE);
	for (i = 0; i < LEAVES; i++) {
		leaves[i] = start_below(0, 64, 8).id;
		assert_in_range(count_of(leaves[i]), 3 * PER_LIFE, 65 * PER_LIFE);
	}
	for (i = 0; i < LEAVES; i++)
		all += count_of(leaves[i]);
	assert_in_range(all * sizeof(struct proclife_record), MOST_BYTES / 4, MOST_BYTES);
	assert_int_equal(count_of(worker), 5 * PER_LIFE);
	/* Whichever goes last, the remaining ones are not affected. */
	for (i = 0; i < LEAVES; i++)
		backlog_over(&backlog, &(struct proclife_process){ .id = leaves[i] });
	assert_int_equal(backlog.lives.used, 5);
	assert_int_equal(count_of(start_below(0, 64, 8).id), 65 * PER_LIFE);
	backlog_over(&backlog, &process);
	assert_int_equal(count_of(worker), 5 * PER_LIFE);
}

/* Within one family, too: an ancestor near to one process is not lost for being far from others. */
static void test_near_to_one(void **state)
{
	enum { FAMILIES = 16 }; /* so that the order of the walk does not matter */
	uint64_t near[FAMILIES], far[FAMILIES];
	size_t i;

	(void)state;
	for (i = 0; i < FAMILIES; i++) {
		uint64_t parent = start_below(0, 6, 8).id;

		near[i] = start(parent, 8).id;
		far[i] = start_below(parent, 2, 8).id;
		backlog_over(&backlog, &(struct proclife_process){ .id = parent });
	}
	for (i = 0; i < LEAVES; i++)
		start_below(0, 64, 8);
	for (i = 0; i < FAMILIES; i++) {
		assert_in_range(count_of(near[i]), 5 * PER_LIFE, 7 * PER_LIFE);
		assert_int_equal(count_of(far[i]), count_of(near[i]) + 2 * PER_LIFE);
	}
}

/* Many living processes with long arguments: the arguments are lost, and the rest of the identity stays. */
static void test_many_alive(void **state)
{
	enum { MANY = 20000 };
	uint64_t first = start_below(0, 1, 1).id, last;
	size_t all = 0;

	(void)state;
	for (size_t i = 0; i < MANY; i++)
		start_below(0, 1, 90);
	last = start_below(0, 1, 1).id;
	for (uint64_t id = first; id <= last; id++)
		all += count_of(id);
	assert_in_range(all * sizeof(struct proclife_record), MOST_BYTES / 4, MOST_BYTES);
	assert_int_equal(count_of(first), 3);
	assert_int_equal(count_of(last), 3);
}

/* Its creator's records are not kept, nor is its first exec; what they said of its birth is. */
static void test_births(void **state)
{
	struct who init = process_of_pid(1, "init"), sh = process_of_pid(100, "sh");
	static const enum proclife_type types[] = { PROCLIFE_FORK, PROCLIFE_BIRTH, PROCLIFE_EXEC };
	struct proclife_record *records;
	size_t count;

	(void)state;
	trace_with_births(tasks);
	backlog.births = true;
	put(birth_record(0, &init, PROCLIFE_BIRTH_FORKING), &init); /* at 1001 */
	put(fork_record(0, &sh, &init), &sh);
	put(birth_record(0, &sh, PROCLIFE_BIRTH_STARTED), &sh);
	put(birth_record(0, &sh, PROCLIFE_BIRTH_EXECING), &sh);
	put(exec_record(0, &sh, 100, "/bin/a"), &sh);
	put(exec_record(0, &sh, 100, "/bin/b"), &sh);
	records = backlog_of(&backlog, process_of(&sh)->id, &count);
	assert_int_equal(count, 3);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(records[i].type, types[i]);
	assert_int_equal(records[1].ts, 1002);
	assert_int_equal(records[1].birth.what, PROCLIFE_BIRTH_PAST);
	assert_int_equal(records[1].birth.forking, 1001);
	assert_int_equal(records[1].birth.started, 1003);
	assert_int_equal(records[1].birth.execing, 1004);
	assert_int_equal(records[1].birth.execed, 1005);
	free(records);
}

/* The last one that failed may be why the process ended. */
static void test_failures(void **state)
{
	struct who init = process_of_pid(1, "init"), sh = process_of_pid(100, "sh"), thread = thread_of(&sh, 101);
	struct proclife_record *records;
	size_t count;

	(void)state;
	put(fork_record(0, &sh, &init), &sh);
	put(failed_exec_record(0, &sh, ENOENT, "/bin/a"), &sh);
	put(failed_exec_record(0, &sh, EACCES, "/bin/b"), &sh);
	put(failed_fork_record(0, &sh, EAGAIN, 0), &sh);
	put(failed_exec_record(0, &thread, EACCES, "/bin/c"), &sh);
	records = backlog_of(&backlog, process_of(&sh)->id, &count);
	assert_int_equal(count, 2);
	assert_int_equal(records[1].type, PROCLIFE_FAIL);
	assert_string_equal(records[1].fail.path, "/bin/b");
	free(records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAST(test_life), PAST(test_inherited), PAST(test_args), PAST(test_ancestors), PAST(test_for_ever),
		PAST(test_many_chains), PAST(test_near_to_one), PAST(test_many_alive),
		PAST(test_births), PAST(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
