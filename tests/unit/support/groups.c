// SPDX-License-Identifier: GPL-2.0-only
#include "groups.h"
#include "check.h"
#include "records.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

size_t groups_of(const struct proclife_latency *latency)
{
	size_t size = 0;

	while (proclife_latency_group(latency, size))
		size++;
	return size;
}

const struct proclife_group *group_of(const struct proclife_latency *latency, bool known,
				      const char *name, uint64_t number)
{
	const struct proclife_group *group, *found = NULL;

	for (size_t i = 0; (group = proclife_latency_group(latency, i)); i++) {
		if (group->known != known || strcmp(group->name, name) || group->number != number)
			continue;
		assert_null(found);
		found = group;
	}
	return found;
}

/* Histograms with the same percentiles, count, sum and ends count as equal. */
void same_histogram(const struct proclife_histogram *a, const struct proclife_histogram *b)
{
	if (!a || !b) {
		assert_int_equal(a ? proclife_histogram_count(a) : 0, 0);
		assert_int_equal(b ? proclife_histogram_count(b) : 0, 0);
		return;
	}
	assert_int_equal(proclife_histogram_count(a), proclife_histogram_count(b));
	assert_int_equal(proclife_histogram_min(a), proclife_histogram_min(b));
	assert_int_equal(proclife_histogram_max(a), proclife_histogram_max(b));
	assert_float_equal(proclife_histogram_mean(a), proclife_histogram_mean(b), 1e-6);
	for (int percent = 0; percent <= 100; percent++)
		assert_int_equal(proclife_histogram_percentile(a, percent),
				 proclife_histogram_percentile(b, percent));
}

void add_counts(struct proclife_latency_counts *to,
		       const struct proclife_latency_counts *counts)
{
	to->lives += counts->lives;
	to->alive += counts->alive;
	to->unreaped += counts->unreaped;
	to->unfreed += counts->unfreed;
	to->unknown += counts->unknown;
	to->incomplete += counts->incomplete;
	to->partial += counts->partial;
}

/* The groups add up to the whole. */
void check_sum(const struct proclife_latency *latency)
{
	struct proclife_latency_counts whole, sum = { 0 };
	struct proclife_histogram *phases[PROCLIFE_PHASES];
	const struct proclife_group *group;

	for (unsigned int p = 0; p < PROCLIFE_PHASES; p++)
		assert_int_equal(proclife_histogram_new(&phases[p]), 0);
	for (size_t i = 0; (group = proclife_latency_group(latency, i)); i++) {
		assert_ptr_equal(group_of(latency, group->known, group->name, group->number),
				 group);
		add_counts(&sum, proclife_group_counts(group));
		for (unsigned int p = 0; p < PROCLIFE_PHASES; p++) {
			if (proclife_group_phase(group, p))
				proclife_histogram_merge(phases[p], proclife_group_phase(group, p));
		}
	}
	whole = *proclife_latency_counts(latency);
	assert_memory_equal(&sum, &whole, sizeof(sum));
	for (unsigned int p = 0; p < PROCLIFE_PHASES; p++) {
		same_histogram(phases[p], proclife_latency_phase(latency, p));
		proclife_histogram_free(phases[p]);
	}
}


/*
 * Random lives
 */

uint64_t feed_random(struct proclife_tasks *tasks, uint64_t ts, uint64_t seed, uint32_t lives,
		     uint32_t kinds)
{
	struct who init = process_of_pid(1, "init"), shell = process_of_pid(100, "sh");

	feed(tasks, task_record(++ts, &shell, &init));
	for (uint32_t i = 0; i < lives; i++) {
		uint64_t kind = random_below(&seed, kinds), marks = random_below(&seed, 20);
		struct who a = process_of_pid(1000 + i, ""), t = thread_of(&a, 500000 + i);
		struct proclife_record record;
		char name[PROCLIFE_COMM_LEN];

		/* The first half is the same for all. Every second name has the full length. */
		snprintf(name, sizeof(name), "longname%05u%s", (unsigned int)kind % 100000,
			 kind % 2 ? "" : "xy");
		a.comm = name;
		record = fork_record(ts += 1 + random_below(&seed, 99), &a, &shell);
		record.fork.uid = (uint32_t)kind;
		record.fork.cgroup = kind << 32 | 1;
		feed(tasks, record);
		feed(tasks, clone_record(ts += 1 + random_below(&seed, 99), &t, &shell, &a));
		feed(tasks, exit_record(ts += 1, &t, 0, 1));
		feed(tasks, reap_record(ts += 1, &t, &t));
		feed(tasks, free_record(ts += 1 + random_below(&seed, 9999), &t));
		if (marks == 0)
			continue;
		record = exit_record(ts += 1 + random_below(&seed, 999), &a, 0, 0);
		record.cpu = (uint16_t)kind;
		feed(tasks, record);
		if (marks < 10)
			feed(tasks, notify_record(ts += random_below(&seed, 9), &a, &shell));
		if (marks == 1)
			continue;
		record = reap_record(ts += 1 + random_below(&seed, 999), &a, &shell);
		record.reap.cgroup = 0;
		feed(tasks, record);
		if (marks == 2)
			continue;
		feed(tasks, free_record(ts += 1 + random_below(&seed, 9999), &a));
		if (marks == 3)
			feed_gap(tasks, 1, ts, ts);
	}
	assert_int_equal(proclife_tasks_close(tasks), 0);
	return ts;
}
