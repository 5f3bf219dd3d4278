// SPDX-License-Identifier: GPL-2.0-only
/* How much is carried of lives with many records, and what is left out if there is no room for all. */
#include "check.h"
#include "records.h"

#include <flight/carry_lives.h>
#include <signal.h>

static struct proclife_carry *carry;
static struct proclife_carried carried;

static int setup(void **state)
{
	(void)state;
	return proclife_carry_new(&carry, NULL);
}

static int teardown(void **state)
{
	(void)state;
	proclife_carry_free(carry);
	return 0;
}

static void take(struct proclife_record record)
{
	const struct proclife_event event = { .record = &record };

	assert_int_equal(proclife_carry_take(carry, &event), 0);
}

static void choose(size_t most)
{
	assert_int_equal(proclife_carry_choose(carry, most, &carried), 0);
	assert_true(carried.count <= most);
}

/* Counts for a process; 0: for all. */
static size_t carried_of(uint32_t tgid, enum proclife_type type)
{
	size_t number = 0;

	for (size_t i = 0; i < carried.count; i++)
		number += carried.records[i].type == type && (!tgid || carried.records[i].tgid == tgid);
	return number;
}

static struct proclife_record mm_record(uint64_t ts, const struct who *who, uint32_t what, uint64_t mm)
{
	struct proclife_record record = record_of(ts, PROCLIFE_MM, who);

	record.mm.mm = mm;
	record.mm.what = what;
	record.mm.users = 1;
	return record;
}

static struct proclife_memory memory; /* of the zombie */

static void process_gone(void *data, struct proclife_process *process)
{
	const struct proclife_memory *of = proclife_process_memory(process);

	(void)data;
	if (of)
		memory = *of;
}

static void tell_carried(void)
{
	static const struct proclife_reports reports = { .size = sizeof(reports), .process_gone = process_gone };
	struct proclife_tasks *tasks;

	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	assert_int_equal(proclife_tasks_report(tasks, &reports, NULL), 0);
	for (size_t i = 0; i < carried.count; i++)
		feed(tasks, carried.records[i]);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	proclife_tasks_free(tasks);
}

/*
 * Others hold the memory of a zombie, and any process can do the same to it again and again. Records that
 * change nothing are not carried.
 */
static void test_memory_again(void **state)
{
	static const uint32_t what[] = { PROCLIFE_MM_EARLY, PROCLIFE_MM_LEFT };
	struct who init = process_of_pid(1, "init"), child = process_of_pid(2, "child");
	struct who other = process_of_pid(3, "other");
	struct proclife_record exiting = record_of(12, PROCLIFE_EXITING, &child);

	(void)state;
	exiting.exiting.mm = 77;
	take(fork_record(10, &child, &init));
	take(fork_record(11, &other, &init));
	take(exiting);
	take(mm_record(13, &child, PROCLIFE_MM_LEFT, 77));
	take(exit_record(14, &child, 0, 0));
	take(mm_record(15, &other, PROCLIFE_MM_EARLY, 77));
	take(notify_record(16, &child, &init));
	for (uint64_t i = 0; i < 3000; i++) /* the owner of memory 78 is not known */
		take(mm_record(17 + i, &other, what[i % 2], i % 5 ? 77 : 78));
	choose(SIZE_MAX);
	assert_int_equal(carried_of(0, PROCLIFE_MM), 3);
	tell_carried();
	assert_int_equal(memory.left, 13);
	assert_int_equal(memory.early, 15);
}

/* A process with arguments of @pieces pieces, and @threads threads besides its leader. */
static void live(uint32_t pid, uint32_t pieces, uint32_t threads)
{
	struct who init = process_of_pid(1, "init"), who = process_of_pid(pid, "any");

	take(fork_record(pid, &who, &init));
	take(exec_record(pid, &who, pid, "/bin/any"));
	for (uint32_t i = 0; i < pieces; i++) {
		struct proclife_record args = record_of(pid, PROCLIFE_ARGS, &who);

		args.args.len = 8;
		args.args.offset = (uint16_t)(8 * i);
		args.args.total = (uint16_t)(8 * pieces);
		take(args);
	}
	for (uint32_t i = 0; i < threads; i++) {
		struct who thread = thread_of(&who, 10000 + i);

		take(clone_record(pid, &thread, &init, &who));
	}
}

/* The life with the most arguments loses them first, then those with fewer. */
static void test_arguments(void **state)
{
	(void)state;
	live(100, 100, 0);
	for (uint32_t pid = 101; pid <= 120; pid++)
		live(pid, 3, 0);
	choose(202);
	assert_int_equal(carried.count, 2 + 100 + 20 * 5);
	choose(201);
	assert_int_equal(carried_of(100, PROCLIFE_ARGS), 1);
	assert_int_equal(carried_of(0, PROCLIFE_ARGS), 1 + 20 * 3);
	assert_int_equal(carried.count, 2 + 1 + 20 * 5);
	choose(102);
	assert_int_equal(carried_of(0, PROCLIFE_ARGS), 21);
	choose(62);
	assert_int_equal(carried_of(0, PROCLIFE_ARGS), 0);
	assert_int_equal(carried_of(0, PROCLIFE_FORK), 21);
	assert_int_equal(carried.left_out, 0);
}

/* A life that takes a large share is left out first; all others keep their arguments. */
static void test_large(void **state)
{
	(void)state;
	for (uint32_t pid = 100; pid < 110; pid++)
		live(pid, 1, 0);
	live(110, 1, 60);
	live(111, 1, 0);
	choose(95);
	assert_int_equal(carried_of(110, PROCLIFE_ARGS), 0);
	assert_int_equal(carried_of(110, PROCLIFE_FORK), 61);
	assert_int_equal(carried_of(111, PROCLIFE_ARGS), 1);
	choose(83);
	assert_int_equal(carried_of(110, PROCLIFE_FORK), 0);
	assert_int_equal(carried_of(0, PROCLIFE_FORK), 11);
	assert_int_equal(carried_of(0, PROCLIFE_ARGS), 11);
	assert_int_equal(carried.left_out, 62);
}

/* If all are small, the last ones are left out. */
static void test_last(void **state)
{
	(void)state;
	live(100, 0, 2);
	for (uint32_t pid = 101; pid < 150; pid++)
		live(pid, 1, 0);
	choose(64);
	assert_int_equal(carried_of(100, PROCLIFE_FORK), 3);
	assert_int_equal(carried_of(0, PROCLIFE_FORK), 3 + 30);
	assert_int_equal(carried_of(149, PROCLIFE_FORK), 0);
	assert_int_equal(carried.count, 64);
	assert_int_equal(carried.left_out, 2 * 19);
}

#define ROOM(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROOM(test_memory_again),
		ROOM(test_arguments),
		ROOM(test_large),
		ROOM(test_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
