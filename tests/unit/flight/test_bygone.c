// SPDX-License-Identifier: GPL-2.0-only
/* Which lives of a part are not followed for what is carried. test_carry.c compares what is carried then. */
#include "check.h"
#include "marks.h"
#include "records.h"

#include <flight/bygone.h>

#define MM 0x7770

static struct proclife_bygone bygone;
static struct who shell, child, grandchild, thread;

static int setup(void **state)
{
	(void)state;
	shell = process_of_pid(10, "sh");
	child = process_of_pid(20, "make");
	grandchild = process_of_pid(30, "cc");
	thread = thread_of(&child, 21);
	return proclife_bygone_init(&bygone);
}

static int teardown(void **state)
{
	(void)state;
	proclife_bygone_free(&bygone);
	return 0;
}

static void note(struct proclife_record record)
{
	proclife_bygone_note(&bygone, &(struct proclife_event){ .record = &record });
}

static void note_mm_of(const struct who *who, uint32_t what, uint64_t mm)
{
	struct proclife_record record = record_of(5, PROCLIFE_MM, who);

	record.mm.mm = mm;
	record.mm.what = what;
	note(record);
}

static void note_mm(const struct who *who, uint32_t what)
{
	note_mm_of(who, what, MM);
}

static void note_life(const struct who *who, const struct who *parent)
{
	note(free_record(9, who)); /* it does not matter in which order */
	note(fork_record(1, who, parent));
	note(exit_record(8, who, 0, 0));
}

static bool has(const struct who *who)
{
	struct proclife_record record = record_of(8, PROCLIFE_EXIT, who);

	return proclife_bygone_of(&bygone, &record) != NULL;
}

static void settle(void)
{
	proclife_bygone_settle(&bygone);
}

static void test_over(void **state)
{
	(void)state;
	note_life(&child, &shell);
	note_mm(&child, PROCLIFE_MM_TEARDOWN);
	note_mm(&child, PROCLIFE_MM_GONE);
	assert_false(has(&child)); /* it is not decided yet */
	settle();
	assert_true(has(&child));
	assert_false(has(&shell));
}

static void test_open(void **state)
{
	struct who same = grandchild;

	(void)state;
	same.task = child.task; /* a handle is used again */
	note_life(&child, &shell);
	note_life(&same, &shell);
	settle();
	assert_true(has(&child));
	assert_true(has(&same));
	teardown(state);
	setup(state);
	note_life(&child, &shell);
	note(fork_record(10, &same, &shell));
	settle();
	assert_true(has(&child));
	assert_false(has(&same));
}

static void test_threads(void **state)
{
	(void)state;
	note_life(&child, &shell);
	note(record_of(5, PROCLIFE_WAIT, &thread)); /* its FORK can be missing */
	settle();
	assert_false(has(&child));
}

static void test_child_is_left(void **state)
{
	(void)state;
	note_life(&shell, &shell);
	note_life(&child, &shell);
	note(fork_record(2, &grandchild, &child));
	settle();
	assert_false(has(&child));
	assert_false(has(&shell)); /* nor are those from which it descends */
}

static void leave_grandchild(struct proclife_record birth)
{
	note_life(&child, &shell);
	note(birth);
	settle();
	assert_false(has(&child));
}

static void test_child_is_left_of_creator(void **state)
{
	(void)state;
	leave_grandchild(clone_record(2, &grandchild, &shell, &child));
}

static void test_child_is_left_of_parent(void **state)
{
	(void)state;
	leave_grandchild(clone_record(2, &grandchild, &child, &shell));
}

static void test_child_was_there(void **state)
{
	(void)state;
	leave_grandchild(task_record(2, &grandchild, &child));
}

static void test_child_is_over(void **state)
{
	(void)state;
	note_life(&child, &shell);
	note_life(&grandchild, &child);
	settle();
	assert_true(has(&child));
	assert_true(has(&grandchild));
}

/* Some other task, an interrupt or a worker of the kernel lets go of the memory that it has, or had. */
static void test_shared_memory(void **state)
{
	static const uint32_t whats[] = { PROCLIFE_MM_LEFT, PROCLIFE_MM_ASYNC, PROCLIFE_MM_EARLY };

	for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]); i++) {
		note_mm(&child, PROCLIFE_MM_TEARDOWN);
		note_life(&child, &shell);
		note_mm(&shell, whats[i]);
		settle();
		assert_false(has(&child));
		teardown(state);
		setup(state);
	}
	note_mm(&child, PROCLIFE_MM_GONE);
	note_life(&child, &shell);
	note_mm(&(struct who){ .comm = "" }, PROCLIFE_MM_ASYNC);
	settle();
	assert_false(has(&child));
}

/* A handle is used again, and an exec tears another one down. */
static void test_several_memories(void **state)
{
	(void)state;
	thread.tgid = thread.pid;
	note_mm(&child, PROCLIFE_MM_TEARDOWN);
	note_mm(&grandchild, PROCLIFE_MM_TEARDOWN);
	note_mm_of(&grandchild, PROCLIFE_MM_TEARDOWN, MM + 1);
	note_mm_of(&thread, PROCLIFE_MM_TEARDOWN, MM + 1);
	note_mm_of(&thread, PROCLIFE_MM_TEARDOWN, MM + 2);
	note_mm_of(&shell, PROCLIFE_MM_LEFT, MM + 2);
	note_mm(&shell, PROCLIFE_MM_LEFT);
	note_life(&child, &shell);
	note_life(&grandchild, &shell);
	note_life(&thread, &shell);
	settle();
	assert_false(has(&child));
	assert_false(has(&grandchild));
	assert_false(has(&thread));
}

static void test_gaps(void **state)
{
	struct proclife_event gap = { .gap = { .to = 1, .cpu = 1 } };

	(void)state;
	note_life(&child, &shell);
	proclife_bygone_note(&bygone, &gap); /* a history begins */
	settle();
	assert_true(has(&child));
	gap.gap.lost = 1;
	proclife_bygone_note(&bygone, &gap);
	settle();
	assert_false(has(&child));
	thread.tgid = thread.pid;
	note_life(&grandchild, &shell); /* at 1, too */
	note(fork_record(2, &thread, &shell));
	note(free_record(3, &thread));
	settle();
	assert_false(has(&grandchild));
	assert_true(has(&thread));
}

static void test_stop(void **state)
{
	struct proclife_record record = suppressed_record(PROCLIFE_NONE, 2, 0);

	(void)state;
	record.ts = 2;
	note_life(&child, &shell);
	note(record);
	settle();
	assert_false(has(&child));
}

static void test_no_beginning(void **state)
{
	(void)state;
	note(free_record(9, &child));
	note(free_record(9, &grandchild));
	note(task_record(1, &grandchild, &shell));
	settle();
	assert_false(has(&child));
	assert_true(has(&grandchild));
}

/* Handles of memory are used again at once. But if records were lost, the end of the one before can be among them. */
static void test_memory_of_one_that_is_open(void **state)
{
	struct proclife_event gap = { .gap = { .lost = 1, .from = 2, .to = 3 } };

	for (int lost = 0; lost < 2; lost++) {
		note(fork_record(1, &grandchild, &shell));
		note_mm(&grandchild, PROCLIFE_MM_TEARDOWN);
		if (lost)
			proclife_bygone_note(&bygone, &gap);
		note(fork_record(4, &child, &shell));
		note_mm(&child, PROCLIFE_MM_TEARDOWN);
		note(free_record(9, &child));
		settle();
		assert_int_equal(has(&child), !lost);
		teardown(state);
		setup(state);
	}
}

/* If two share a key, neither is known to be over. */
static void test_same_key(void **state)
{
	(void)state;
	grandchild.task = child.task ^ proclife_bygone_key(0, child.start) ^ proclife_bygone_key(0, grandchild.start);
	note_life(&child, &shell);
	note(fork_record(2, &grandchild, &shell));
	settle();
	assert_false(has(&child));
	assert_false(has(&grandchild));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_over),
		TEST(test_open),
		TEST(test_threads),
		TEST(test_child_is_left),
		TEST(test_child_is_left_of_creator),
		TEST(test_child_is_left_of_parent),
		TEST(test_child_was_there),
		TEST(test_child_is_over),
		TEST(test_shared_memory),
		TEST(test_several_memories),
		TEST(test_gaps),
		TEST(test_stop),
		TEST(test_no_beginning),
		TEST(test_memory_of_one_that_is_open),
		TEST(test_same_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
