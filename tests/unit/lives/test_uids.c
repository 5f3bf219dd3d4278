// SPDX-License-Identifier: GPL-2.0-only
/* The users that a process had: at its fork, after its execs, and when it was reaped. */
#include "check.h"
#include "exits.h"
#include "records.h"

static struct who a;

static int begin(void **state)
{
	int ret = begin_exits(state);
	struct proclife_record record;

	a = process_of_pid(200, "app");
	record = fork_record(1000, &a, &shell);
	record.fork.uid = 7;
	feed(tasks, record);
	return ret;
}

static void execs(uint64_t ts, uint32_t uid)
{
	struct proclife_record record = exec_record(ts, &a, a.pid, "/bin/a");

	record.exec.uid = uid;
	record.exec.euid = 0;
	feed(tasks, record);
}

static void expect(unsigned int count, uint32_t last, const uint32_t *uids)
{
	unsigned int found;
	const uint32_t *had = proclife_process_uids(process_of(&a), &found);

	assert_int_equal(found, count);
	for (unsigned int i = 0; i < count; i++)
		assert_int_equal(had[i], uids[i]);
	assert_int_equal(process_of(&a)->uid, last);
}

static void reaps(uint32_t flags)
{
	struct proclife_record record = reap_record(3000, &a, &shell);

	record.flags |= flags;
	record.reap.uid = flags ? 9 : 0;
	feed(tasks, exit_record(2000, &a, 0, 0));
	feed(tasks, record);
}

static void test_reaped(void **state)
{
	(void)state;
	expect(1, 7, (uint32_t[]){ 7 });
	execs(1100, 7);
	expect(1, 7, (uint32_t[]){ 7 });
	reaps(PROCLIFE_F_USER);
	expect(2, 9, (uint32_t[]){ 7, 9 });
}

/* An older module does not say it: 0 is not root. */
static void test_not_known(void **state)
{
	(void)state;
	reaps(0);
	expect(1, 7, (uint32_t[]){ 7 });
}

static void test_many(void **state)
{
	(void)state;
	for (uint32_t uid = 10; uid < 20; uid++)
		execs(1100 + uid, uid);
	expect(3, 19, (uint32_t[]){ 7, 10, 19 });
	execs(1200, 7); /* it has that again */
	expect(3, 7, (uint32_t[]){ 7, 10, 19 });
}

static void test_found(void **state)
{
	struct who b = process_of_pid(300, "b"), thread = thread_of(&b, 301);
	struct proclife_record record = task_record(1500, &thread, &shell);
	unsigned int count;

	(void)state;
	record.state.uid = 4;
	feed(tasks, record);
	record = task_record(1501, &b, &shell);
	record.state.uid = 5;
	feed(tasks, record);
	assert_int_equal(proclife_process_uids(process_of(&b), &count)[0], 5);
	assert_int_equal(count, 1);
}

int main(void)
{
#define USERS(name) cmocka_unit_test_setup_teardown(name, begin, end_tasks)
	const struct CMUnitTest tests[] = {
		USERS(test_reaped), USERS(test_not_known), USERS(test_many), USERS(test_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
