// SPDX-License-Identifier: GPL-2.0-only
/* Latency of several runs together. */
#include "check.h"
#include "groups.h"
#include "records.h"

#include <recording/cgroups.h>
#include <errno.h>
#include <string.h>

/* A run of its own, like another boot's. */
static struct proclife_latency *run_of(uint64_t seed, enum proclife_by by, bool threads,
				       uint32_t kinds)
{
	struct proclife_latency *latency;
	struct proclife_tasks *tasks;

	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
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

	counts = *proclife_latency_counts(into);
	add_counts(&all, &counts);
	counts = *proclife_latency_counts(from);
	add_counts(&all, &counts);
	assert_int_equal(proclife_latency_merge(into, NULL, from, NULL), 0);
	counts = *proclife_latency_counts(into);
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
				add_counts(&all, proclife_group_counts(parts[p]));
		}
		assert_memory_equal(proclife_group_counts(group), &all, sizeof(all));
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

/* Two merged runs equal one run that had both. */
static void check_one_run(enum proclife_by by)
{
	struct proclife_latency *both = run_of(5, by, false, 50);
	struct proclife_latency *second = run_of(6, by, false, 90), *one;
	struct proclife_tasks *tasks;
	const struct proclife_group *group;

	assert_int_equal(proclife_latency_merge(both, NULL, second, NULL), 0);
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	assert_int_equal(proclife_latency_new(&one, tasks, false), 0);
	assert_int_equal(proclife_latency_group_by(one, by), 0);
	feed_random(tasks, feed_random(tasks, 0, 5, 600, 50), 6, 600, 90);
	proclife_tasks_free(tasks);
	assert_int_equal(groups_of(both), groups_of(one));
	for (size_t i = 0; (group = proclife_latency_group(one, i)); i++) {
		const struct proclife_group *other;

		other = group_of(both, group->known, group->name, group->number);
		assert_non_null(other);
		assert_memory_equal(proclife_group_counts(other), proclife_group_counts(group),
				    sizeof(struct proclife_latency_counts));
		for (unsigned int p = 0; p < PROCLIFE_PHASES; p++)
			same_histogram(proclife_group_phase(other, p), proclife_group_phase(group, p));
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
	before = *proclife_latency_counts(comm);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(proclife_latency_merge(comm, NULL, others[i], NULL), -EINVAL);
		assert_int_equal(proclife_latency_merge(others[i], NULL, comm, NULL), -EINVAL);
		proclife_latency_free(others[i]);
	}
	after = *proclife_latency_counts(comm);
	assert_memory_equal(&before, &after, sizeof(after));
	proclife_latency_free(comm);
}

struct cgroup {
	uint64_t number;
	const char *path; /* NULL: it is not known */
};

/* A life in each of them, in a run that knows their paths. */
static struct proclife_latency *run_in(struct proclife_cgroups **paths, const struct cgroup *cgroups,
				       size_t count)
{
	struct who shell = process_of_pid(100, "sh");
	struct proclife_latency *latency;
	struct proclife_tasks *tasks;

	assert_int_equal(proclife_cgroups_new(paths, "/nowhere", NULL), 0);
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	assert_int_equal(proclife_latency_new(&latency, tasks, false), 0);
	assert_int_equal(proclife_latency_group_by(latency, PROCLIFE_BY_CGROUP), 0);
	for (size_t i = 0; i < count; i++) {
		struct who a = process_of_pid(200, "a");
		struct proclife_record record = fork_record(10 * i + 1, &a, &shell);

		record.fork.cgroup = cgroups[i].number;
		feed(tasks, record);
		feed(tasks, exit_record(10 * i + 2, &a, 0, 0));
		record = reap_record(10 * i + 3, &a, &shell);
		record.reap.cgroup = 0;
		feed(tasks, record);
		feed(tasks, free_record(10 * i + 4, &a));
		if (cgroups[i].path)
			assert_int_equal(proclife_cgroups_add(*paths, cgroups[i].number,
							      cgroups[i].path), 0);
	}
	proclife_tasks_free(tasks);
	return latency;
}

#define RUN_IN(paths, ...)                                             \
	run_in((paths), (const struct cgroup[]){ __VA_ARGS__ },        \
	       sizeof((const struct cgroup[]){ __VA_ARGS__ }) / sizeof(struct cgroup))

static const char no_name[PROCLIFE_COMM_LEN];

static uint64_t lives_in(const struct proclife_latency *latency, uint64_t number)
{
	const struct proclife_group *group = group_of(latency, number, no_name, number);

	return group ? proclife_group_counts(group)->lives : 0;
}

static void merge_and_free(struct proclife_latency *into, struct proclife_cgroups *cgroups,
			   struct proclife_latency *from, struct proclife_cgroups *others)
{
	assert_int_equal(proclife_latency_merge(into, cgroups, from, others), 0);
	proclife_latency_free(from);
	proclife_cgroups_free(others);
}

/* As after another boot: cgroups are merged by path. */
static void test_merge_by_path(void **state)
{
	struct proclife_cgroups *cgroups, *others;
	struct proclife_latency *into, *from;

	(void)state;
	into = RUN_IN(&cgroups, { 1, "/a" }, { 2, "/b" }, { 3, NULL }, { 4, NULL });
	from = RUN_IN(&others, { 1, "/b" }, { 2, NULL }, { 3, NULL }, { 4, "/four" }, { 5, "/a" },
		      { 6, "/six" }, { 7, NULL }, { 8, "/a" });
	merge_and_free(into, cgroups, from, others);
	assert_int_equal(lives_in(into, 1), 3); /* with 5 and 8 of the other */
	assert_int_equal(lives_in(into, 2), 2); /* with 1 */
	assert_int_equal(lives_in(into, 3), 2);
	assert_int_equal(lives_in(into, 4), 1);
	assert_int_equal(lives_in(into, UINT64_MAX), 1); /* /four is not that 4 */
	assert_string_equal(proclife_cgroups_path(cgroups, UINT64_MAX), "/four");
	assert_int_equal(lives_in(into, 6), 1);
	assert_string_equal(proclife_cgroups_path(cgroups, 6), "/six");
	assert_int_equal(lives_in(into, 7), 1);
	assert_int_equal(lives_in(into, 0), 1); /* 2 is /b here, and unknown in the other run */
	assert_int_equal(groups_of(into), 8);
	check_sum(into);

	/* One more run, which has to find the groups that the other has added. */
	from = RUN_IN(&others, { 1, "/four" }, { 6, "/other" }, { 4, "/more" }, { 8, "/six" });
	merge_and_free(into, cgroups, from, others);
	assert_int_equal(lives_in(into, UINT64_MAX), 2);
	assert_int_equal(lives_in(into, UINT64_MAX - 1), 1);
	assert_string_equal(proclife_cgroups_path(cgroups, UINT64_MAX - 1), "/other");
	assert_int_equal(lives_in(into, UINT64_MAX - 2), 1);
	assert_string_equal(proclife_cgroups_path(cgroups, UINT64_MAX - 2), "/more");
	assert_int_equal(lives_in(into, 6), 2);
	assert_int_equal(groups_of(into), 10);
	check_sum(into);
	proclife_latency_free(into);
	proclife_cgroups_free(cgroups);
}

/* Without paths, the numbers decide. */
static void test_merge_by_number(void **state)
{
	struct proclife_cgroups *cgroups, *others;
	struct proclife_latency *into, *from;

	(void)state;
	into = RUN_IN(&cgroups, { 1, "/a" }, { 2, NULL });
	from = RUN_IN(&others, { 1, "/b" }, { 2, NULL });
	proclife_cgroups_free(cgroups);
	merge_and_free(into, NULL, from, others);
	assert_int_equal(lives_in(into, 1), 2);
	assert_int_equal(lives_in(into, 2), 2);
	assert_int_equal(groups_of(into), 2);
	proclife_latency_free(into);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_is_one_run),
		cmocka_unit_test(test_merge_of_others),
		cmocka_unit_test(test_merge_by_path),
		cmocka_unit_test(test_merge_by_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
