// SPDX-License-Identifier: GPL-2.0-only
/* The message about what a command left behind, and when it comes. */
#include "check.h"
#include "reapers.h"

#include <output/message.h>
#include <session/watch.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

static struct watch watch;
static struct who left[6];

static int begin(void **state)
{
	begin_reapers(state);
	watch = (struct watch){ 0 };
	assert_int_equal(watch_begin(&watch, tasks), 0);
	assert_int_equal(proclife_tasks_select_child(tasks, 3, shell.pid), 0);
	return 0;
}

static int end(void **state)
{
	watch_end(&watch);
	return end_reapers(state);
}

#define WATCH(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* The command, and @count children that outlive it. */
static void leave(unsigned int count)
{
	struct who command = process_of_pid(3, "make");

	feed(tasks, fork_record(10, &command, &shell));
	for (unsigned int i = 0; i < count; i++) {
		left[i] = process_of_pid(4 + i, "sleep");
		feed(tasks, fork_record(11 + i, &left[i], &command));
	}
	feed(tasks, exit_record(20, &command, 0, 0));
	feed(tasks, notify_record(21, &command, &shell));
	feed(tasks, reap_record(22, &command, &shell));
	feed(tasks, free_record(23, &command));
}

/* Expects this message @seconds after the end of the command, on standard error that is no terminal. */
static void expect_note(unsigned int seconds, const char *text)
{
	int fds[2], err = dup(STDERR_FILENO);
	char said[1024] = "";

	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
	watch_note(&watch, 100 * SECOND, (100 + seconds) * SECOND);
	dup2(err, STDERR_FILENO);
	close(err);
	assert_true(read(fds[0], said, sizeof(said) - 1) >= 0);
	close(fds[0]);
	if (*text)
		assert_string_equal(strstr(said, ": ") ?: said, text);
	else
		assert_string_equal(said, "");
}

#define WAITING ": the command has ended; waiting for what it left; "
#define REMEDY "; with --left-after 1s it waits no longer than that\n"

/* Without a terminal, not before ten seconds, and then less and less often. */
static void test_when(void **state)
{
	(void)state;
	leave(1);
	expect_note(9, "");
	expect_note(10, WAITING "running: sleep (4)" REMEDY);
	expect_note(29, "");
	expect_note(30, WAITING "running: sleep (4)" REMEDY);
	expect_note(31, "");
}

static void test_names(void **state)
{
	(void)state;
	leave(6);
	feed(tasks, exit_record(30, &left[0], 0, 0));
	feed(tasks, notify_record(31, &left[0], &shell));
	feed(tasks, exit_record(32, &left[1], 0, 0));
	feed(tasks, notify_record(33, &left[1], &shell));
	feed(tasks, reap_record(34, &left[1], &shell));
	expect_note(10, WAITING "running: sleep (9), sleep (6), sleep (7) and 1 more; zombie: sleep (4); to be freed (RCU): 1"
		    REMEDY);
}

/* Nothing that it left runs, and there is nothing to do but wait for the kernel. */
static void test_unfreed(void **state)
{
	(void)state;
	leave(1);
	feed(tasks, exit_record(30, &left[0], 0, 0));
	feed(tasks, notify_record(31, &left[0], &shell));
	feed(tasks, reap_record(32, &left[0], &shell));
	expect_note(10, WAITING "to be freed (RCU): 1\n");
}

/* Its end can be among the lost records. */
static void test_lost(void **state)
{
	(void)state;
	leave(1);
	feed_gap(tasks, 1, 30, 40);
	expect_note(10, WAITING "not known to have ended, as records were lost: sleep (4)" REMEDY);
}

/* --quiet */
static void test_quiet(void **state)
{
	(void)state;
	leave(1);
	message_quiet();
	expect_note(100, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WATCH(test_when),
		WATCH(test_names),
		WATCH(test_unfreed),
		WATCH(test_lost),
		WATCH(test_quiet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
