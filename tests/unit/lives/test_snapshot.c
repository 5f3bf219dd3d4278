// SPDX-License-Identifier: GPL-2.0-only
/*
 * A snapshot's TASK records mean the same in any order: children before their parents, threads
 * before their leaders, zombies anywhere. Each of hundreds of made-up machines is fed in order of
 * age and in other orders, and the result has to be the same.
 */
#include "check.h"
#include "records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSES 40
#define MOST_TASKS (PROCESSES * 4)
#define ORDERS 8
#define MACHINES 300

static struct proclife_record machine[MOST_TASKS];
static size_t task_count;
static uint64_t random_state;

static uint64_t below(uint64_t bound)
{
	return random_below(&random_state, bound);
}

static struct proclife_record found(const struct who *who, const struct who *parent)
{
	struct proclife_record record = task_record(10, who, parent);

	record.state.uid = 1000 + (uint32_t)below(3);
	record.state.cgroup = 1 + below(5);
	if (!below(4)) {
		record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
		record.state.exit_code = (int32_t)below(3) << 8;
	}
	return record;
}

/*
 * All threads of a process have the same parent, but that can be any thread of the parent process, also one
 * that is younger than the child.
 */
static void make_machine(void)
{
	static struct who leaders[PROCESSES], threads[PROCESSES][3], parents[PROCESSES];

	task_count = 0;
	for (uint32_t i = 0; i < PROCESSES; i++)
		leaders[i] = process_of_pid(100 + i * 10, "process");
	for (uint32_t i = 0; i < PROCESSES; i++) {
		uint64_t of = i ? below(i) : 0, n = below(4), which = below(4);

		for (uint32_t t = 0; t < n; t++) {
			threads[i][t] = thread_of(&leaders[i], 101 + i * 10 + t);
			threads[i][t].comm = "thread";
		}
		parents[i] = leaders[of];
		if (i && which && threads[of][which - 1].tgid == leaders[of].tgid)
			parents[i] = threads[of][which - 1];
		machine[task_count++] = found(&leaders[i], &parents[i]);
		for (uint32_t t = 0; t < n; t++)
			machine[task_count++] = found(&threads[i][t], &parents[i]);
		for (uint64_t t = n; t < 3; t++)
			threads[i][t].tgid = 0;
	}
	/* The first one has no known parent. */
	for (size_t i = 0; i < task_count; i++) {
		if (machine[i].tgid == leaders[0].tgid)
			machine[i].state.parent = 0;
	}
}

static void shuffle(void)
{
	for (size_t i = task_count; i > 1; i--) {
		size_t other = below(i);
		struct proclife_record kept = machine[i - 1];

		machine[i - 1] = machine[other];
		machine[other] = kept;
	}
}

/* What is known of the process with this pid. */
struct known {
	uint32_t parent;
	uint32_t tgid;
	uint32_t uid;
	uint32_t threads;
	uint64_t cgroup;
	int32_t exit_code;
	uint32_t state;
	char comm[PROCLIFE_COMM_LEN];
};

static void note(struct known known[PROCESSES], const struct proclife_node *node)
{
	struct known *to = &known[(node->tgid - 100) / 10];

	assert_int_equal(to->tgid, 0);
	to->tgid = node->tgid;
	to->parent = node->parent ? node->parent->tgid : 0;
	to->uid = node->common->uid;
	to->threads = node->common->threads;
	to->cgroup = node->common->cgroup;
	to->exit_code = node->exit_code;
	to->state = node->state;
	strcpy(to->comm, node->comm);
}

static void tell(struct known known[PROCESSES])
{
	struct proclife_tasks *tasks;
	struct proclife_tree *tree;
	const struct proclife_node *node;

	memset(known, 0, PROCESSES * sizeof(*known));
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	assert_int_equal(proclife_tree_new(&tree, tasks), 0);
	for (size_t i = 0; i < task_count; i++)
		feed(tasks, machine[i]);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(proclife_tree_size(tree), PROCESSES);
	for (node = proclife_tree_roots(tree); node;) {
		note(known, node);
		if (node->child) {
			node = node->child;
			continue;
		}
		while (node && !node->next)
			node = node->parent;
		node = node ? node->next : NULL;
	}
	proclife_tree_free(tree);
	proclife_tasks_free(tasks);
}

static void test_any_order(void **state)
{
	struct known first[PROCESSES], then[PROCESSES];

	(void)state;
	for (uint64_t seed = 1; seed <= MACHINES; seed++) {
		random_state = seed;
		make_machine();
		tell(first);
		for (size_t i = 1; i < PROCESSES; i++)
			assert_int_not_equal(first[i].parent, 0);
		for (unsigned int order = 0; order < ORDERS; order++) {
			shuffle();
			tell(then);
			for (size_t i = 0; i < PROCESSES; i++) {
				if (memcmp(&first[i], &then[i], sizeof(first[i])))
					fail_msg("seed %u: %u is below %u, %u threads, %s, user %u; "
						 "in another order below %u, %u, %s, %u",
						 (unsigned int)seed, first[i].tgid, first[i].parent,
						 first[i].threads,
						 proclife_state_name(first[i].state), first[i].uid,
						 then[i].parent, then[i].threads,
						 proclife_state_name(then[i].state), then[i].uid);
			}
		}
	}
}

/*
 * A parent exits between the TASKs of two threads: the first of them is nearest to the birth, and
 * the parent's process ID and name belong together, whichever parent is known sooner.
 */
static void test_parent_exits_meanwhile(void **state)
{
	struct who init = process_of_pid(1, "init"), maker = process_of_pid(100, "maker");
	struct who child = process_of_pid(200, "child"), thread = thread_of(&child, 201);
	struct proclife_record zombie = task_record(14, &maker, &init);
	const struct proclife_node *node;
	struct proclife_tasks *tasks;
	struct proclife_tree *tree;

	(void)state;
	zombie.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	assert_int_equal(proclife_tree_new(&tree, tasks), 0);
	feed(tasks, task_record(10, &init, &init));
	feed(tasks, task_record(11, &thread, &maker));
	feed(tasks, task_record(13, &child, &init));
	feed(tasks, zombie);
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(proclife_tree_size(tree), 3);
	node = proclife_tree_roots(tree)->child;
	assert_int_equal(node->tgid, 100);
	assert_null(node->next);
	assert_int_equal(node->child->tgid, 200);
	assert_int_equal(node->child->parent_tgid, 100);
	proclife_tree_free(tree);
	proclife_tasks_free(tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_parent_exits_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
