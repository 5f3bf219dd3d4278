// SPDX-License-Identifier: GPL-2.0-only
/* Latency of several runs together. */
#include "check.h"
#include "groups.h"
#include "records.h"

#include <errno.h>
#include <string.h>

/* A run of its own, as the next boot has it. */
static struct proclife_latency *run_of(uint64_t seed, enum proclife_by by, bool threads,
				       uint32_t kinds)
{
	struct proclife_latency *latency;
	struct proclife_tasks *tasks;

	assert_int_equal(proclife_tasks_new(&tasks), 0);
	assert_int_equal(proclife_latency_new(&latency, tasks, threads), 0);
	assert_int_equal(proclife_latency_group_by(latency, by), 0);
	feed_random(tasks, 0, seed, 600, kinds);
	proclife_tasks_free(tasks);
	return latency;
}

static void check_merge(enum proclife_by by, bool threads)
{
	struct proclife_latency *into = run_of(3, by, threads, 90);
	struct proclife_latency *from = run_of(4, by, threads, 150);
	struct proclife_latency *first = run_of(3, by, threads, 90);
	struct proclife_latency_counts counts, all = { 0 };
	const struct proclife_group *group;

	proclife_latency_counts(into, &counts);
	add_counts(&all, &counts);
	proclife_latency_counts(from, &counts);
	add_counts(&all, &counts);
	assert_int_equal(proclife_latency_merge(into, from), 0);
	proclife_latency_counts(into, &counts);
	assert_memory_equal(&counts, &all, sizeof(all));
	if (by != PROCLIFE_BY_NOTHING)
		check_sum(into);
	for (size_t i = 0; (group = proclife_latency_group(into, i)); i++) {
		const struct proclife_group *parts[] = {
			group_of(first, group->known, group->name, group->number),
			group_of(from, group->known, group->name, group->number),
		};

		memset(&all, 0, sizeof(all));
		for (int p = 0; p < 2; p++) {
			if (parts[p])
				add_counts(&all, &parts[p]->counts);
		}
		assert_memory_equal(&group->counts, &all, sizeof(all));
	}
	proclife_latency_free(first);
	proclife_latency_free(from);
	proclife_latency_free(into);
}

static void test_merge(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2 * PROCLIFE_BYS; i++)
		check_merge(i / 2, i % 2);
}

/* Two runs together are what one would be that had both. */
static void check_one_run(enum proclife_by by)
{
	struct proclife_latency *both = run_of(5, by, false, 50);
	struct proclife_latency *second = run_of(6, by, false, 90), *one;
	struct proclife_tasks *tasks;
	const struct proclife_group *group;

	assert_int_equal(proclife_latency_merge(both, second), 0);
	assert_int_equal(proclife_tasks_new(&tasks), 0);
	assert_int_equal(proclife_latency_new(&one, tasks, false), 0);
	assert_int_equal(proclife_latency_group_by(one, by), 0);
	feed_random(tasks, feed_random(tasks, 0, 5, 600, 50), 6, 600, 90);
	proclife_tasks_free(tasks);
	assert_int_equal(groups_of(both), groups_of(one));
	for (size_t i = 0; (group = proclife_latency_group(one, i)); i++) {
		const struct proclife_group *other;

		other = group_of(both, group->known, group->name, group->number);
		assert_non_null(other);
		assert_memory_equal(&other->counts, &group->counts, sizeof(group->counts));
		for (unsigned int p = 0; p < PROCLIFE_PHASES; p++)
			same_histogram(other->phases[p], group->phases[p]);
	}
	for (unsigned int p = 0; p < PROCLIFE_PHASES; p++)
		same_histogram(proclife_latency_phase(both, p), proclife_latency_phase(one, p));
	proclife_latency_free(one);
	proclife_latency_free(second);
	proclife_latency_free(both);
}

static void test_merge_is_one_run(void **state)
{
	(void)state;
	for (unsigned int by = 0; by < PROCLIFE_BYS; by++)
		check_one_run(by);
}

static void test_merge_of_others(void **state)
{
	struct proclife_latency *comm = run_of(1, PROCLIFE_BY_COMM, false, 3);
	struct proclife_latency *others[] = {
		run_of(1, PROCLIFE_BY_PARENT, false, 3),
		run_of(1, PROCLIFE_BY_NOTHING, false, 3),
		run_of(1, PROCLIFE_BY_COMM, true, 3),
	};
	struct proclife_latency_counts before, after;

	(void)state;
	proclife_latency_counts(comm, &before);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(proclife_latency_merge(comm, others[i]), -EINVAL);
		assert_int_equal(proclife_latency_merge(others[i], comm), -EINVAL);
		proclife_latency_free(others[i]);
	}
	proclife_latency_counts(comm, &after);
	assert_memory_equal(&before, &after, sizeof(after));
	proclife_latency_free(comm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_is_one_run),
		cmocka_unit_test(test_merge_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
