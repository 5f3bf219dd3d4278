// SPDX-License-Identifier: GPL-2.0-only
/* Conditions of --on: which are accepted, and which are refused and why. */
#include "check.h"

#include <cli/condition.h>
#include <signal.h>
#include <string.h>

static struct condition taken(const char *text)
{
	struct condition c;
	const char *wrong = condition_parse(&c, text);

	if (wrong)
		fail_msg("\"%s\": %s", text, wrong);
	assert_ptr_equal(c.text, text);
	return c;
}

static void refuses(const char *text, const char *why)
{
	struct condition c;
	const char *wrong = condition_parse(&c, text);

	if (!wrong || !strstr(wrong, why))
		fail_msg("\"%s\": \"%s\", not \"%s\"", text, wrong ? wrong : "taken", why);
}

static void test_grammar(void **state)
{
	struct condition c = taken("zombie>1s");

	(void)state;
	assert_int_equal(c.what, CONDITION_PHASE);
	assert_int_equal(c.phase, PROCLIFE_ZOMBIE);
	assert_int_equal(c.relation, RELATION_ABOVE);
	assert_int_equal(c.bound, 1000000000);
	assert_int_equal(c.program, 0);
	assert_string_equal(condition_figure(&c), "zombie");
	assert_true(condition_grows(&c) && condition_is_of_life(&c));
	assert_int_equal(condition_least(&c), 1000000001);
	c = taken("life>=0.5h");
	assert_int_equal(c.phase, PROCLIFE_LIFE);
	assert_int_equal(condition_least(&c), 1800000000000);
	assert_false(condition_grows(&(struct condition){ .relation = taken("life<1ms").relation }));
	assert_int_equal(taken("exit_free<=2us").relation, RELATION_AT_MOST);
	assert_int_equal(taken("failed").what, CONDITION_FAILED);
	c = taken("python3.11.failed");
	assert_int_equal(c.what, CONDITION_FAILED);
	assert_int_equal(c.program, 10);
	c = taken("cc1.kill>5s");
	assert_int_equal(c.phase, PROCLIFE_KILL);
	assert_int_equal(c.program, 3);
	/* A dot in a bound does not end a program's name. */
	assert_int_equal(taken("zombie>1.5s").program, 0);
	c = taken("status==127");
	assert_int_equal(c.what, CONDITION_STATUS);
	assert_int_equal(c.bound, 127);
	assert_int_equal(taken("status>=126").relation, RELATION_AT_LEAST);
	assert_int_equal(taken("signal==KILL").bound, SIGKILL);
	assert_int_equal(taken("signal=sigsegv").bound, SIGSEGV);
	assert_int_equal(taken("signal==9").bound, 9);
	assert_int_equal(taken("sh.signal==any").bound, 0);
	c = taken("forks>1000/s");
	assert_int_equal(c.what, CONDITION_FORKS);
	assert_int_equal(c.bound, 1000);
	assert_int_equal(c.per, 1000000000);
	assert_false(condition_is_of_life(&c));
	assert_int_equal(taken("forks>=1/min").per, 60000000000);
	assert_int_equal(taken("make.forks>1000000/h").per, 3600000000000);
	assert_int_equal(taken("forks>0/m").per, 60000000000);
	c = taken("lost>0");
	assert_int_equal(c.what, CONDITION_LOST);
	assert_int_equal(condition_least(&c), 1);
	assert_string_equal(condition_figure(&c), "lost");
	c = taken("thread_exit");
	assert_int_equal(c.what, CONDITION_THREAD_EXIT);
	assert_int_equal(c.bound, 0);
	assert_false(condition_is_of_life(&c));
	assert_string_equal(condition_figure(&c), "thread_exit");
	c = taken("io.worker.thread_exit==4711");
	assert_int_equal(c.bound, 4711);
	assert_int_equal(c.program, 9);
	assert_int_equal(taken("thread_exit=2147483647").bound, 2147483647);
}

static void test_refused(void **state)
{
	(void)state;
	refuses("", "the figure has to be");
	refuses("zombies>1", "the figure has to be");
	refuses("exit>1s", "the figure has to be");
	refuses("zombie.max>1s", "the figure has to be");
	refuses(".failed", "the figure has to be");
	refuses("failed.", "the figure has to be");
	refuses("failed>0", "failed stands alone");
	refuses("zombie", "there has to be a relation");
	refuses("zombie>>1s", "there has to be a relation");
	refuses("zombie!=1s", "the figure has to be");
	refuses("zombie>", "a time with its unit");
	refuses("zombie>1", "a time with its unit");
	refuses("zombie>-1s", "a time with its unit");
	refuses("status==256", "an exit status from 0 to 255");
	refuses("status==", "an exit status from 0 to 255");
	refuses("signal>9", "signal==KILL");
	refuses("signal==0", "the bound has to be a signal");
	refuses("signal==FOO", "the bound has to be a signal");
	refuses("forks<1/s", "> or >=");
	refuses("forks>1000", "a number up to 1000000 and its time");
	refuses("forks>1000/", "a number up to 1000000 and its time");
	refuses("forks>/s", "a number up to 1000000 and its time");
	refuses("forks>1000/d", "a number up to 1000000 and its time");
	refuses("forks>1000001/s", "a number up to 1000000 and its time");
	refuses("forks>=0/s", "a number up to 1000000 and its time");
	refuses("forks>1111111111111111111111111111111/s", "a number up to 1000000 and its time");
	refuses("lost==0", "> or >=");
	refuses("lost>1s", "a whole number");
	refuses("lost>18446744073709551615", "too large: the largest is 18446744073709551614");
	refuses("sh.lost>0", "of no program");
	refuses("thread_exit>1s", "a thread is the one or it is not");
	refuses("thread_exit==", "the ID of a thread");
	refuses("thread_exit==0", "the ID of a thread");
	refuses("thread_exit==worker", "its name stands before: worker.thread_exit");
	refuses("thread_exit==2147483648", "the ID of a thread");
	refuses("thread_exit!", "the figure has to be");
	/* Such a condition would never match. */
	refuses("systemd-journald.failed", "at most 15 bytes");
	assert_int_equal(taken("systemd-journal.failed").program, 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grammar),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
