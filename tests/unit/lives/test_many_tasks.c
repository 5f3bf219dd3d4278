// SPDX-License-Identifier: GPL-2.0-only
/* Many tasks: thousands of lives at once, in no order, and records that make no sense. */
#include "check.h"
#include "fixture_tasks.h"

#include <string.h>

/* Many lives at once, in no order, checked against what is known of each. */
static void test_many(void **state)
{
	enum { LIVES = 1500, STEPS = 4 };
	static struct who who[LIVES];
	static uint64_t times[LIVES][STEPS];
	static unsigned int step[LIVES];
	uint64_t random = 1, ts = 10;
	unsigned int left = LIVES;

	(void)state;
	memset(step, 0, sizeof(step));
	for (unsigned int i = 0; i < LIVES; i++)
		who[i] = process_of_pid(200 + i % 37, "many"); /* pids are shared by dozens */
	while (left) {
		unsigned int i = random_below(&random, LIVES);

		if (step[i] == STEPS)
			continue;
		times[i][step[i]] = ++ts;
		switch (step[i]++) {
		case 0:
			feed(tasks, fork_record(ts, &who[i], &shell));
			break;
		case 1:
			feed(tasks, exit_record(ts, &who[i], 0, 0));
			break;
		case 2:
			feed(tasks, reap_record(ts, &who[i], &shell));
			break;
		case 3:
			feed(tasks, free_record(ts, &who[i]));
			assert_int_equal(LAST_GONE->handle, who[i].group);
			assert_int_equal(LAST_GONE->marks.born, times[i][0]);
			assert_int_equal(LAST_GONE->marks.exited, times[i][1]);
			assert_int_equal(LAST_GONE->marks.reaped, times[i][2]);
			assert_int_equal(LAST_GONE->marks.freed, times[i][3]);
			left--;
			break;
		}
	}
	assert_int_equal(reported.gone_count, LIVES);
	assert_int_equal(reported.task_count, LIVES);
	assert_int_equal(reported.born_count, LIVES + 1);
	assert_int_equal(proclife_tasks_selected_open(tasks), 1);
}

/* Random records, which may make no sense but must do no harm. */
static void test_rubbish(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		uint64_t random = seed;

		if (seed)
			begin_unknown(NULL);
		if (seed % 3 == 1)
			proclife_tasks_select_pid(tasks, 3);
		for (int i = 0; i < 500; i++) {
			struct proclife_record record = {
				.ts = random_below(&random, 1000),
				.type = random_below(&random, PROCLIFE_CGROUP + 2),
				.flags = random_below(&random, 2048),
				.task = random_below(&random, 12),
				.start = random_below(&random, 4),
				.pid = random_below(&random, 8),
				.tgid = random_below(&random, 8),
				.comm = "rubbish",
			};

			for (int w = 0; w < 9; w++)
				record.words[w] = random_below(&random, 10);
			if (random_below(&random, 4) == 0)
				memset(record.comm, 'x', sizeof(record.comm));
			if (random_below(&random, 50) == 0)
				feed_gap(tasks, 1, record.ts, record.ts + 5);
			feed(tasks, record);
			if (reported.gone_count > MOST_REPORTS / 2)
				memset(&reported, 0, sizeof(reported));
		}
		assert_int_equal(proclife_tasks_close(tasks), 0);
		assert_int_equal(proclife_tasks_selected_open(tasks), 0);
		if (seed != 199)
			end_tasks(NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_many),
		cmocka_unit_test_setup_teardown(test_rubbish, begin_unknown, end_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
