// SPDX-License-Identifier: GPL-2.0-only
// WRAP: fork
/* --exec where no process can be made. */
#include "check.h"

#include <errno.h>
#include <triggers/reaction.h>
#include <stdio.h>

static unsigned int forks, failing;

#define COMMAND 4000000 /* as if it ran */

pid_t __wrap_fork(void);

pid_t __wrap_fork(void)
{
	errno = EAGAIN;
	return forks++ < failing ? -1 : COMMAND;
}

/* @waiting runs are queued, and @fails forks fail: then nothing waits for ever. */
static struct reaction end_with(unsigned int waiting, unsigned int fails)
{
	struct options options = { .on = { .exec = "true" } };
	struct screen screen = { .out = stdout };
	struct run run = { .options = &options, .screen = &screen };
	struct condition condition;
	struct alert alert = { .condition = &condition };
	struct reaction reaction = { 0 };

	assert_null(condition_parse(&condition, "failed"));
	assert_int_equal(reaction_begin(&reaction, &run), 0);
	forks = 0;
	failing = fails;
	for (unsigned int i = 0; i < waiting; i++)
		assert_null(reaction_to(&reaction, &alert));
	reaction_finish(&reaction);
	assert_int_equal(reaction_is_busy(&reaction), fails < waiting);
	reaction_free(&reaction);
	return reaction;
}

static void test_no_process(void **state)
{
	(void)state;
	assert_int_equal(end_with(3, 3).unexecuted, 3);
	assert_int_equal(end_with(1, 1).unexecuted, 1);
}

static void test_some(void **state)
{
	struct reaction reaction = end_with(3, 1);

	(void)state;
	assert_int_equal(forks, 2);
	assert_int_equal(reaction.unexecuted, 1);
	assert_int_equal(reaction.waiting_count, 1);
	assert_int_equal(reaction.pid, COMMAND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_process),
		cmocka_unit_test(test_some),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
