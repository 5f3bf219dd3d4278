// SPDX-License-Identifier: GPL-2.0-only
/* --sort alone: the part of a life during which none of its children lived. */
#include "marks.h"
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct who init;

/* The figure of this process by --sort alone. */
static void expect_alone(uint32_t pid, const char *figure)
{
	struct output out = run_program(false, 0, "%s -i %s --monotonic --sort alone", program, folder.path);
	char wanted[40], *at_pid, *column = strstr(out.text, "ALONE");

	assert_int_equal(out.status, 0);
	snprintf(wanted, sizeof(wanted), "%8u ", pid);
	at_pid = strchr(out.text, '\n') + 1;
	while (strncmp(at_pid + 15, wanted, strlen(wanted))) {
		at_pid = strchr(at_pid, '\n');
		if (!at_pid++)
			fail_msg("no %u in %s", pid, out.text);
	}
	at_pid += column - out.text + 5 - strlen(figure);
	if (strncmp(at_pid, figure, strlen(figure)) || at_pid[-1] != ' ')
		fail_msg("%u: not %s in\n%s", pid, figure, out.text);
	free(out.text);
}

/* Children can overlap, and outlive the process. */
static void test_alone(void **state)
{
	struct who make, a, b, daemon, old, child;

	(void)state;
	init = process_of_pid(1, "init");
	old = process_of_pid(60, "old");
	child = process_of_pid(61, "child");
	story_put(task_record(0, &child, &old)); /* before its parent */
	story_put(task_record(0, &old, &init));
	story_at(10);
	make = story_fork(&init, 100, "make");
	story_at(20);
	a = story_fork(&make, 101, "a");
	story_at(30);
	b = story_fork(&make, 102, "b");
	story_at(45);
	story_die(&a, &make, 0, MS, 1);
	story_at(60);
	story_die(&b, &make, 0, MS, 1); /* it was not alone from 20 to 60 */
	story_bury(&a, &make);
	story_bury(&b, &make);
	story_at(90);
	story_die(&child, &old, 0, MS, 1); /* old was never alone until now */
	story_at(110);
	daemon = story_fork(&make, 103, "daemon");
	story_at(120);
	story_die(&make, &init, 0, MS, 1);
	story_at(130);
	story_die(&old, &init, 0, MS, 1);
	story_die(&daemon, &init, 0, MS, 1);
	story_end();
	expect_alone(100, "60.0 ms");
	expect_alone(101, "25.0 ms");
	expect_alone(103, "20.0 ms");
	expect_alone(60, ">40.0 ms");
}

/* A zombie from before does not live; but a process lives if only its leader is a zombie. */
static void test_alone_with_the_dead(void **state)
{
	struct who careless, zombie, other, leader, thread, child;
	struct proclife_record record;

	(void)state;
	init = process_of_pid(1, "init");
	careless = process_of_pid(60, "careless");
	zombie = process_of_pid(61, "zombie");
	other = process_of_pid(70, "other");
	leader = process_of_pid(71, "leader");
	thread = thread_of(&leader, 72);
	story_put(task_record(0, &careless, &init));
	story_put(task_record(0, &other, &init));
	record = task_record(0, &zombie, &careless);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	story_put(record);
	record = task_record(0, &leader, &other);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	story_put(record);
	story_put(task_record(0, &thread, &other));
	story_at(5);
	child = story_fork(&other, 80, "child");
	story_at(8);
	story_die(&child, &other, 0, MS, 1);
	story_at(10);
	story_bury(&zombie, &careless);
	story_at(20);
	story_die(&careless, &init, 0, MS, 1);
	story_at(50);
	story_die(&thread, &other, 0, MS, 1);
	story_at(80);
	story_die(&other, &init, 0, MS, 1);
	story_end();
	expect_alone(60, ">20.0 ms");
	expect_alone(70, ">30.0 ms");
}

/* A child was found in its exit: it is not known whether that was over. */
static void test_alone_with_the_dying(void **state)
{
	struct who parent, child;
	struct proclife_record record;

	(void)state;
	init = process_of_pid(1, "init");
	parent = process_of_pid(60, "parent");
	child = process_of_pid(61, "child");
	story_put(task_record(0, &parent, &init));
	record = task_record(0, &child, &parent);
	record.flags |= PROCLIFE_F_EXITING;
	story_put(record);
	story_at(20);
	story_die(&parent, &init, 0, MS, 1);
	story_at(50);
	story_die(&child, &init, 0, MS, 1);
	story_end();
	expect_alone(60, "?");
}

/* An older process that is found late has lived all the time, too. */
static void test_alone_found_late(void **state)
{
	struct who other, thread, old, child;

	(void)state;
	init = process_of_pid(1, "init");
	other = process_of_pid(70, "other");
	thread = thread_of(&other, 71);
	old = process_of_pid(72, "old");
	story_put(task_record(0, &other, &init));
	story_at(5);
	child = story_fork(&other, 80, "child");
	story_at(8);
	story_die(&child, &other, 0, MS, 1);
	story_put(task_record(0, &old, &thread));
	story_put(task_record(0, &thread, &init));
	story_at(30);
	story_die(&old, &other, 0, MS, 1);
	story_at(40);
	story_put(exit_record(0, &thread, 0, 1));
	story_die(&other, &init, 0, MS, 1);
	story_end();
	expect_alone(70, ">10.0 ms");
}

/* A child that was dead when it was found did not live; nor does one that is found while its parent exits. */
static void test_alone_found_in_exit(void **state)
{
	struct who parent, zombie;
	struct proclife_record record;

	(void)state;
	init = process_of_pid(1, "init");
	parent = process_of_pid(60, "parent");
	zombie = process_of_pid(61, "zombie");
	story_put(task_record(0, &parent, &init));
	story_at(20);
	record = exiting_record(0, &parent, &init, NULL, 0);
	record.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	story_put(record);
	record = task_record(0, &zombie, &parent);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	story_put(record);
	story_at(30);
	story_die(&parent, &init, 0, MS, 1);
	story_end();
	expect_alone(60, ">20.0 ms");
}

/* The same if its parent is the first to die. */
static void test_alone_with_a_leader(void **state)
{
	struct who other, leader, thread;
	struct proclife_record record;

	(void)state;
	init = process_of_pid(1, "init");
	other = process_of_pid(70, "other");
	leader = process_of_pid(71, "leader");
	thread = thread_of(&leader, 72);
	story_put(task_record(0, &other, &init));
	record = task_record(0, &leader, &other);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	story_put(record);
	story_put(task_record(0, &thread, &other));
	story_at(20);
	story_die(&other, &init, 0, MS, 1);
	story_end();
	expect_alone(70, ">0 ns");
}

/* The EXITING of a thread was missed: it can have been before the others', which was reported. */
static void test_alone_withdrawn(void **state)
{
	struct who parent, child, thread;
	struct proclife_record record;

	(void)state;
	init = process_of_pid(1, "init");
	story_at(5);
	parent = story_fork(&init, 60, "parent");
	story_at(10);
	child = story_fork(&parent, 61, "child");
	thread = thread_of(&child, 62);
	story_put(fork_record(0, &thread, &parent));
	story_at(20);
	record = exiting_record(0, &child, &parent, NULL, 0);
	record.flags |= PROCLIFE_F_GROUP_EXIT;
	story_put(record);
	record = exit_record(0, &child, 0, 1);
	record.flags |= PROCLIFE_F_GROUP_EXIT;
	story_put(record);
	record = exit_record(0, &thread, 0, 1);
	record.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_GROUP_DEAD;
	record.exit.live = 0;
	story_put(record);
	story_at(40);
	record = exiting_record(0, &parent, &init, NULL, 0);
	record.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	story_put(record);
	story_die(&parent, &init, 0, MS, 1);
	story_end();
	expect_alone(61, "?");
	expect_alone(60, "?");
}

/* A child that the snapshot reaches after its parent has exited has lived before. */
static void test_alone_found_after(void **state)
{
	struct who parent, child;

	(void)state;
	init = process_of_pid(1, "init");
	parent = process_of_pid(60, "parent");
	child = process_of_pid(61, "child");
	story_put(task_record(0, &parent, &init));
	story_at(20);
	story_die(&parent, &init, 0, MS, 1);
	story_put(task_record(0, &child, &parent));
	story_at(30);
	story_die(&child, &init, 0, MS, 1);
	story_end();
	expect_alone(60, "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_alone),
		STORY(test_alone_with_the_dead),
		STORY(test_alone_with_the_dying),
		STORY(test_alone_found_late),
		cmocka_unit_test_setup_teardown(test_alone_found_in_exit, story_setup_exiting, story_teardown),
		STORY(test_alone_with_a_leader),
		STORY(test_alone_found_after),
		cmocka_unit_test_setup_teardown(test_alone_withdrawn, story_setup_exiting, story_teardown),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
