// SPDX-License-Identifier: GPL-2.0-only
/* Calls within a report: results are added and freed while lives are reported. */
#include "check.h"
#include "fixture_tasks.h"

#define MANY 100

static struct proclife_latency *latency;
static struct proclife_tree *tree;
static struct proclife_reapers *reapers;
static unsigned int called, added;

static void count(void *data, struct proclife_process *process)
{
	unsigned int *counter = data;

	(void)process;
	++*counter;
}

static const struct proclife_reports counting = {
	.size = sizeof(counting), .process_gone = count,
};

static void add_many(void *data, struct proclife_process *process)
{
	(void)data;
	(void)process;
	if (called++)
		return;
	for (unsigned int i = 0; i < MANY; i++)
		assert_int_equal(proclife_tasks_report(tasks, &counting, &added), 0);
	assert_int_equal(proclife_latency_new(&latency, tasks, false), 0);
}

static void free_all(void *data, struct proclife_process *process)
{
	(void)data;
	(void)process;
	called++;
	proclife_latency_free(latency);
	proclife_tree_free(tree);
	proclife_reapers_free(reapers);
	latency = NULL;
	tree = NULL;
	reapers = NULL;
}

static void replace(void *data, struct proclife_process *process)
{
	(void)data;
	(void)process;
	proclife_latency_free(latency);
	assert_int_equal(proclife_latency_new(&latency, tasks, false), 0);
}

static void new_results(void)
{
	assert_int_equal(proclife_latency_new(&latency, tasks, false), 0);
	assert_int_equal(proclife_tree_new(&tree, tasks), 0);
	assert_int_equal(proclife_reapers_new(&reapers, tasks), 0);
}

static void live(uint32_t pid)
{
	struct who who = process_of_pid(pid, "child");

	feed_life(tasks, 100 * pid, &who, &shell);
}

static int end(void **state)
{
	free_all(NULL, NULL);
	called = 0;
	added = 0;
	return end_tasks(state);
}

#define REPORTS(name) cmocka_unit_test_setup_teardown(name, begin_tasks, end)

/* Added results get this life as well, since they come after the one that adds them. */
static void test_added_within_a_report(void **state)
{
	static const struct proclife_reports adding = {
		.size = sizeof(adding), .process_gone = add_many,
	};

	(void)state;
	assert_int_equal(proclife_tasks_report(tasks, &adding, NULL), 0);
	live(200);
	assert_int_equal(added, MANY);
	live(201);
	assert_int_equal(called, 2);
	assert_int_equal(added, 2 * MANY);
	assert_int_equal(proclife_latency_counts(latency)->lives, 2);
}

/* Results before and after the one that frees them; later ones get the report all the same. */
static void test_freed_within_a_report(void **state)
{
	static const struct proclife_reports freeing = {
		.size = sizeof(freeing), .process_gone = free_all,
	};
	struct proclife_latency *kept;

	(void)state;
	for (int behind = 0; behind < 2; behind++) {
		called = 0;
		added = 0;
		if (!behind)
			new_results();
		assert_int_equal(proclife_tasks_report(tasks, &freeing, NULL), 0);
		if (behind)
			new_results();
		assert_int_equal(proclife_tasks_report(tasks, &counting, &added), 0);
		assert_int_equal(proclife_latency_new(&kept, tasks, false), 0);
		live(200 + 2 * (uint32_t)behind);
		live(201 + 2 * (uint32_t)behind);
		assert_null(latency);
		assert_int_equal(proclife_latency_counts(kept)->lives, 2);
		assert_int_equal(added, behind ? 4 : 2); /* the first one's is still there */
		proclife_latency_free(kept);
	}
}

static void count_one(void *data, struct proclife_process *process)
{
	(void)data;
	(void)process;
	called++;
}

/* A program that uses the results as data of its own reports still gets them after these are freed. */
static void test_the_same_data(void **state)
{
	static const struct proclife_reports one = { .size = sizeof(one), .process_gone = count_one };

	(void)state;
	new_results();
	assert_int_equal(proclife_tasks_report(tasks, &one, latency), 0);
	live(200);
	proclife_latency_free(latency);
	latency = NULL;
	live(201);
	assert_int_equal(called, 2);
}

static void test_replaced_within_each_report(void **state)
{
	static const struct proclife_reports replacing = {
		.size = sizeof(replacing), .process_gone = replace,
	};

	(void)state;
	assert_int_equal(proclife_tasks_report(tasks, &replacing, NULL), 0);
	new_results();
	for (uint32_t pid = 200; pid < 300; pid++) {
		live(pid);
		assert_int_equal(proclife_latency_counts(latency)->lives, 1);
	}
	replace(NULL, NULL);
	replace(NULL, NULL);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	/* The shell was open, and the last results added count it. */
	assert_int_equal(proclife_latency_counts(latency)->lives, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REPORTS(test_added_within_a_report),
		REPORTS(test_freed_within_a_report),
		REPORTS(test_the_same_data),
		REPORTS(test_replaced_within_each_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
