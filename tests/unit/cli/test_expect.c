// SPDX-License-Identifier: GPL-2.0-only
/* Expectations: which are accepted, which are refused and why, and how figures are judged. */
#include "check.h"
#include "records.h"

#include <cli/expect.h>
#include <string.h>

static struct proclife_tasks *tasks;
static struct proclife_latency *latency;
static struct proclife_latency *programs;

static int begin(void **state)
{
	struct who shell = process_of_pid(100, "sh");

	(void)state;
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	assert_int_equal(proclife_latency_new(&latency, tasks, false), 0);
	assert_int_equal(proclife_latency_new(&programs, tasks, false), 0);
	assert_int_equal(proclife_latency_group_by(programs, PROCLIFE_BY_COMM), 0);
	/* Lives of 100 ns, zombies of 1, 2, ... 10 ns; one is never reaped. */
	for (uint32_t i = 1; i <= 10; i++) {
		struct who a = process_of_pid(200 + i, "a");

		feed(tasks, fork_record(1000 * i, &a, &shell));
		feed(tasks, exit_record(1000 * i + 100, &a, 0, 0));
		feed(tasks, reap_record(1000 * i + 100 + i, &a, &shell));
		feed(tasks, free_record(1000 * i + 200, &a));
	}
	shell = process_of_pid(300, "z");
	feed(tasks, fork_record(20000, &shell, &shell));
	feed(tasks, exit_record(20100, &shell, 0, 0));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	proclife_latency_free(latency);
	proclife_latency_free(programs);
	proclife_tasks_free(tasks);
	return 0;
}

static void refuses(const char *text, const char *why)
{
	struct expectation e;
	const char *wrong = expect_parse(&e, text);

	if (!wrong || !strstr(wrong, why))
		fail_msg("\"%s\": \"%s\", not \"%s\"", text, wrong ? wrong : "taken", why);
}

static struct judgement judge(const char *text)
{
	struct expectation e;
	const char *wrong = expect_parse(&e, text);

	if (wrong)
		fail_msg("\"%s\": %s", text, wrong);
	assert_ptr_equal(e.text, text);
	return expect_judge(&e, &(struct measured){
		.latency = latency, .programs = programs, .lost = 7, .failed = 3,
	});
}

static void test_grammar(void **state)
{
	struct expectation e;

	(void)state;
	assert_null(expect_parse(&e, "exit_free.p99<50ms"));
	assert_int_equal(e.what, EXPECT_PHASE);
	assert_int_equal(e.phase, PROCLIFE_EXIT_FREE);
	assert_int_equal(e.statistic, STATISTIC_PERCENTILE);
	assert_float_equal(e.percent, 99, 0);
	assert_int_equal(e.relation, RELATION_BELOW);
	assert_int_equal(e.bound, 50000000);
	assert_true(expect_is_time(&e));
	assert_null(expect_parse(&e, "zombie.p99.9<=0.5us"));
	assert_int_equal(e.phase, PROCLIFE_ZOMBIE);
	assert_float_equal(e.percent, 99.9, 0);
	assert_int_equal(e.relation, RELATION_AT_MOST);
	assert_int_equal(e.bound, 500);
	assert_null(expect_parse(&e, "life.count>=1000"));
	assert_int_equal(e.statistic, STATISTIC_COUNT);
	assert_int_equal(e.relation, RELATION_AT_LEAST);
	assert_int_equal(e.bound, 1000);
	assert_false(expect_is_time(&e));
	assert_null(expect_parse(&e, "lost==0"));
	assert_int_equal(e.what, EXPECT_LOST);
	assert_int_equal(e.relation, RELATION_EQUAL);
	assert_null(expect_parse(&e, "zombies=0"));
	assert_int_equal(e.what, EXPECT_ZOMBIES);
	assert_null(expect_parse(&e, "rcu_free.max>2s"));
	assert_int_equal(e.bound, 2000000000);
	assert_null(expect_parse(&e, "teardown.min<1h"));
	assert_int_equal(e.bound, 3600000000000);
	assert_null(expect_parse(&e, "teardown.mean<1m"));
	assert_null(expect_parse(&e, "teardown.p100<1ns"));
	assert_int_equal(e.program, 0);
	assert_null(expect_parse(&e, "failed==0"));
	assert_int_equal(e.what, EXPECT_FAILED);
	assert_null(expect_parse(&e, "left==0"));
	assert_int_equal(e.what, EXPECT_LEFT);
	assert_null(expect_parse(&e, "cc1.life.p99.9<2s"));
	assert_int_equal(e.what, EXPECT_PHASE);
	assert_int_equal(e.program, 3);
	assert_int_equal(e.phase, PROCLIFE_LIFE);
	assert_float_equal(e.percent, 99.9, 0);
	assert_null(expect_parse(&e, "python3.11.zombie.max<1s"));
	assert_int_equal(e.program, 10);
	/* A program with the name of a phase. */
	assert_null(expect_parse(&e, "life.life.count==1"));
	assert_int_equal(e.program, 4);
	assert_int_equal(e.statistic, STATISTIC_COUNT);
}

static void test_refused(void **state)
{
	(void)state;
	refuses("", "the figure has to be");
	refuses("exit_free", "the figure has to be");
	refuses("exit_free<5ms", "the figure has to be");
	refuses("exit.p99<5ms", "the figure has to be");
	refuses(".p99<5ms", "the figure has to be");
	refuses("losts==0", "the figure has to be");
	refuses("cc1.p99<5ms", "the figure has to be");
	refuses("cc1.failed==0", "the figure has to be");
	refuses("cc1.life.often<5ms", "the statistic has to be");
	refuses("exit_free.<5ms", "the statistic has to be");
	refuses("exit_free.p<5ms", "the statistic has to be");
	refuses("exit_free.p0<5ms", "the statistic has to be");
	refuses("exit_free.p101<5ms", "the statistic has to be");
	refuses("exit_free.p-1<5ms", "the statistic has to be");
	refuses("exit_free.pinf<5ms", "the statistic has to be");
	refuses("exit_free.p9.9.9<5ms", "the statistic has to be");
	refuses("exit_free.median<5ms", "the statistic has to be");
	refuses("exit_free.p99", "there has to be a relation");
	refuses("exit_free.p99<", "a time with its unit");
	refuses("exit_free.p99<<5ms", "there has to be a relation");
	refuses("exit_free.p99=>5ms", "there has to be a relation");
	refuses("failed<>0", "there has to be a relation");
	refuses("failed===0", "there has to be a relation");
	refuses("exit_free.p99<-5ms", "a time with its unit");
	refuses("exit_free.p99<0x5ms", "a time with its unit");
	refuses("exit_free.p99<5", "a time with its unit");
	refuses("exit_free.p99<5 ms", "a time with its unit");
	refuses("exit_free.p99<5msec", "a time with its unit");
	refuses("exit_free.p99<99999999999h", "too large: the largest is 2499999h");
	refuses("exit_free.count<5ms", "a whole number");
	refuses("lost<0.5", "a whole number");
	refuses("lost<1s", "a whole number");
	refuses("lost<18446744073709551616", "too large: the largest is 18446744073709551615");
}

static void test_judged(void **state)
{
	struct judgement judgement;

	(void)state;
	judgement = judge("zombie.max<=10ns");
	assert_true(judgement.ok && judgement.measured);
	assert_int_equal(judgement.value, 10);
	assert_int_equal(judgement.count, 10);
	assert_false(judge("zombie.max<10ns").ok);
	assert_true(judge("zombie.min==1ns").ok);
	assert_true(judge("zombie.min>=1ns").ok);
	assert_false(judge("zombie.min>1ns").ok);
	assert_true(judge("zombie.p50==5ns").ok);
	assert_true(judge("zombie.p90==9ns").ok);
	assert_true(judge("zombie.mean==6ns").ok); /* 5.5 */
	assert_true(judge("zombie.count==10").ok);
	assert_true(judge("life.count==11").ok);
	assert_true(judge("life.max==100ns").ok);
	judgement = judge("exit_free.p99==100ns");
	assert_true(judgement.ok && judgement.is_max); /* of 11 lives */
	assert_true(judge("zombie.p91==10ns").is_max);
	assert_false(judge("zombie.p90==9ns").is_max || judge("zombie.max==10ns").is_max);
	assert_true(judge("zombies==1").ok);
	assert_false(judge("zombies==0").ok);
	assert_true(judge("failed==3").ok);
	assert_false(judge("failed==0").ok);
	assert_true(judge("a.life.count==10").ok);
	assert_true(judge("a.zombie.max==10ns").ok);
	assert_true(judge("z.life.count==1").ok);
	judgement = judge("z.zombie.max<1s");
	assert_false(judgement.ok || judgement.measured);
	judgement = judge("b.life.max<1s");
	assert_false(judgement.ok || judgement.measured);
	assert_true(judge("b.life.count==0").ok);
	/* Not a name that begins like it. */
	assert_true(judge("aa.life.count==0").ok);
	assert_true(judge("lost==7").ok);
	assert_true(judge("lost<8").ok);
	assert_false(judge("lost<7").ok);
}

/* Without values, there is no slowest one to judge. */
static void test_not_measured(void **state)
{
	struct judgement judgement = judge("teardown.max<1h");

	(void)state;
	assert_false(judgement.ok);
	assert_false(judgement.measured);
	assert_int_equal(judgement.count, 0);
	judgement = judge("teardown.count==0");
	assert_true(judgement.ok && judgement.measured);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grammar),
		cmocka_unit_test(test_refused),
		cmocka_unit_test_setup_teardown(test_judged, begin, end),
		cmocka_unit_test_setup_teardown(test_not_measured, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
