// SPDX-License-Identifier: GPL-2.0-only
/* --slice of a life whose end was lost: the record that shows that it is over goes into the slice, too. */
#include "slicing.h"

static void expect_end_lost(unsigned int times, const char *says)
{
	story_end();
	expect_said(0, "--comm victim", says);
	for (int i = 0; i < 2; i++)
		assert_int_equal(count(0, i ? part : folder.path, "--tree --comm victim", "end lost"),
				 times);
}

/* Its end was lost; another task with its handle shows that. Without it, it would be alive. */
static void test_handle_taken(void **state)
{
	struct who init = process_of_pid(1, "init"), victim, taker;

	(void)state;
	victim = story_fork(&init, 100, "victim");
	taker = process_of_pid(200, "taker");
	taker.task = victim.task;
	story_put(fork_record(0, &taker, &init));
	story_fork(&init, 201, "other");
	expect_end_lost(1, ": 1 process, and 1 more that it needs: ");
}

/* The handle is taken by another process's thread, in the last record. */
static void test_handle_taken_by_thread(void **state)
{
	struct who init = process_of_pid(1, "init"), victim, taker, thread;

	(void)state;
	taker = story_fork(&init, 200, "taker");
	victim = story_fork(&init, 100, "victim");
	thread = thread_of(&taker, 202);
	thread.task = victim.task;
	story_put(clone_record(0, &thread, &init, &taker));
	story_fork(&init, 201, "other");
	expect_end_lost(1, ": 1 process, and 1 more that it needs: ");
}

/* The last record of all shows it. */
static void test_handle_taken_at_the_end(void **state)
{
	struct who init = process_of_pid(1, "init"), victim, taker;

	(void)state;
	victim = story_fork(&init, 100, "victim");
	taker = process_of_pid(200, "taker");
	taker.task = victim.task;
	story_put(fork_record(0, &taker, &init));
	expect_end_lost(1, ": 1 process, and 1 more that it needs: ");
}

/* Nothing else is seen of it: a process, or the leader of a known thread. */
static void test_handle_freed_by_another(void **state)
{
	struct who init = process_of_pid(1, "init"), victim, taker, thread;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		victim = story_fork(&init, 100 + i, "victim");
		taker = process_of_pid(200 + i, "taker");
		thread = thread_of(&taker, 300);
		if (i)
			story_put(exit_record(0, &thread, 0, 1));
		taker.task = victim.task;
		story_put(free_record(0, &taker));
	}
	story_fork(&init, 210, "other");
	expect_end_lost(2, ": 2 processes, and 2 more that they need: ");
}

/* Only a thread of it was seen; it is over, since another process has its pid. */
static void test_pid_taken(void **state)
{
	struct who init = process_of_pid(1, "init"), victim, thread;

	(void)state;
	victim = process_of_pid(100, "victim");
	thread = thread_of(&victim, 101);
	story_put(exit_record(0, &thread, 0, 1));
	story_put(free_record(0, &thread));
	story_fork(&init, 100, "taker");
	story_fork(&init, 102, "other");
	story_end();
	expect_said(0, "--comm victim", ": 1 process, and 1 more that it needs: ");
}

static void test_group_taken(void **state)
{
	struct who init = process_of_pid(1, "init"), victim, taker;

	(void)state;
	victim = story_fork(&init, 100, "victim");
	taker = process_of_pid(200, "taker");
	taker.group = victim.group;
	story_put(fork_record(0, &taker, &init));
	expect_end_lost(1, ": 1 process, and 1 more that it needs: ");
}

/* The handle of each of its threads is taken by another one. */
static void test_threads_taken(void **state)
{
	struct who init = process_of_pid(1, "init"), victim, threads[3], taker;

	(void)state;
	victim = story_fork(&init, 100, "victim");
	for (uint32_t i = 0; i < 3; i++) {
		threads[i] = thread_of(&victim, 101 + i);
		story_put(clone_record(0, &threads[i], &init, &victim));
	}
	for (uint32_t i = 0; i < 4; i++) {
		taker = process_of_pid(200 + i, "taker");
		taker.task = i < 3 ? threads[i].task : victim.task;
		story_put(fork_record(0, &taker, &init));
	}
	story_fork(&init, 210, "other");
	expect_end_lost(1, ": 1 process, and 4 more that it needs: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_handle_taken),
		STORY(test_handle_taken_by_thread),
		STORY(test_handle_taken_at_the_end),
		STORY(test_handle_freed_by_another),
		STORY(test_pid_taken),
		STORY(test_group_taken),
		STORY(test_threads_taken),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
