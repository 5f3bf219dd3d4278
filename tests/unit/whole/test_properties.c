// SPDX-License-Identifier: GPL-2.0-only
/*
 * Properties that hold for every trace, by seed: see tests/bench/generate.h.
 *
 * Without loss: the merge yields every record, in the only order; every life is reported once, and
 * each figure of it is right, to the nanosecond; so are the tree and the sums of all latencies.
 *
 * With gaps: lost records are counted exactly. A process that no gap touches is reported once,
 * complete and right, and so are its tasks. Of the others, each report is about one real life: each
 * of its marks (birth, exit, reap, free, parent) is 0 or right, and so is each phase between them;
 * its state is right or not known; and it is incomplete unless all of it is right. It can be reported
 * in pieces.
 */
#include "property.h"

#include "lives/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CPUS 1024

static struct proclife_tasks *tasks;

static bool touched_process(const struct truth *truth)
{
	return touched(truth->began, truth->open ? 0 : truth->freed);
}

/* A thread can be taken for another process's if there is a gap in what is known of its own. */
static bool touched_task(const struct truth *truth, const struct truth_task *own)
{
	return touched(own->began, own->freed) || touched_process(truth);
}

static bool zero_or(uint64_t mark, uint64_t truth)
{
	return !mark || mark == truth;
}

/* Is nothing in this report wrong if it is about this life? */
static bool consistent(const struct proclife_process *process, const struct truth *truth)
{
	return process->tgid == truth->tgid && zero_or(process->start, truth->start) &&
	       zero_or(process->marks.born, truth->born) &&
	       zero_or(process->marks.exited, truth->exited) &&
	       zero_or(process->marks.notified, truth->notified) &&
	       zero_or(process->marks.reaped, truth->reaped) &&
	       zero_or(process->marks.freed, truth->open ? 0 : truth->freed) &&
	       (!process->marks.exited || process->exit_code == truth->exit_code) &&
	       zero_or(process->parent_tgid, truth->parent_tgid) &&
	       zero_or(process->creator_tgid, truth->creator_tgid) &&
	       zero_or(process->max_rss, truth->max_rss);
}

/* For debugging: prints what was reported, and the truth. */
static void tell(const struct proclife_process *p, const struct truth *t)
{
	typedef unsigned long long ull;

	print_error("%u reported: start %llu seen %llu born %llu exited %llu reaped %llu freed "
		    "%llu code %d parent %u threads %u live %u incomplete %d state %s\n",
		    p->tgid, (ull)p->start, (ull)p->seen, (ull)p->marks.born, (ull)p->marks.exited,
		    (ull)p->marks.reaped, (ull)p->marks.freed, p->exit_code, p->parent_tgid,
		    p->threads, p->live,
		    p->incomplete, proclife_state_name(proclife_process_state(p)));
	if (t)
		print_error("%u true: start %llu began %llu born %llu exited %llu reaped %llu "
			    "freed %llu code %d parent %u threads %u open %u\n",
			    t->tgid, (ull)t->start, (ull)t->began, (ull)t->born, (ull)t->exited,
			    (ull)t->reaped, (ull)t->freed, t->exit_code, t->parent_tgid,
			    t->threads, t->open);
}

static struct truth *truth_of(const struct proclife_process *process)
{
	struct truth *truth;

	if (process->start)
		return trace_truth(trace, process->start);
	truth = trace_truth_by_tgid(trace, process->tgid);
	while (truth && !(consistent(process, truth) && process->seen >= truth->began))
		truth = truth->next;
	return truth;
}

static void check_path(const struct proclife_process *process, const struct truth *truth)
{
	size_t length = strlen(truth->path);
	size_t skip = length > PROCLIFE_PATH_LEN ? length - PROCLIFE_PATH_LEN : 0;

	check(!process->path == !truth->execs);
	if (!process->path)
		return;
	if (skip)
		check(!strncmp(process->path, "...", 3));
	check(!strcmp(process->path + (skip ? 3 : 0), truth->path + skip));
	check(process->args_bytes == truth->args_bytes);
}

static void check_exact(const struct proclife_process *process, const struct truth *truth)
{
	check(!process->incomplete);
	check(consistent(process, truth));
	check(process->handle == truth->group);
	check(process->start == truth->start);
	check(process->seen == truth->began || !truth->born);
	check(process->marks.born == truth->born);
	check(process->execed == truth->execed);
	check(process->marks.exited == truth->exited);
	check(process->marks.notified == truth->notified);
	check(process->marks.reaped == truth->reaped);
	check(process->marks.freed == (truth->open ? 0 : truth->freed));
	check(process->parent_tgid == truth->parent_tgid);
	check(process->creator_tgid == truth->creator_tgid);
	check(process->reaper_tgid == truth->reaper_tgid);
	check(process->execs == truth->execs);
	check(process->threads == truth->threads);
	check(process->uid == truth->uid);
	check(process->max_rss == truth->max_rss);
	check(truth->open || process->runtime == truth->runtime);
	check(!strcmp(process->comm, truth->comm));
	check_path(process, truth);
}

static void process_born(void *data, struct proclife_process *process,
			 struct proclife_process *parent, struct proclife_process *creator)
{
	struct truth *truth = truth_of(process);

	(void)data;
	check(process->id == ids + 1);
	if (!(ids & (ids + 1))) {
		truth_of_id = realloc(truth_of_id, 2 * (ids + 1) * sizeof(*truth_of_id));
		assert_non_null(truth_of_id);
	}
	truth_of_id[ids++] = NULL;
	if (!truth || touched_process(truth) || truth->buried)
		return;
	process->user = truth;
	if (parent && parent->user)
		check(((struct truth *)parent->user)->start == truth->parent);
	if (creator && creator->user)
		check(((struct truth *)creator->user)->start == truth->creator);
}

/* Only its leader's FREE is in the trace. */
static void check_end(const struct proclife_process *process, const struct truth *truth)
{
	check(!process->incomplete);
	check(consistent(process, truth));
	check(process->start == truth->start);
	check(process->threads == 1);
	check(!process->marks.exited && !process->marks.reaped);
	check(process->marks.freed == truth->freed);
	check(process->runtime == truth->runtime);
	check(!process->outlives && !truth->open);
}

static bool trace_notify; /* it has NOTIFYs */

static enum proclife_life_state true_state(const struct truth *truth)
{
	if (!truth->open)
		return PROCLIFE_IS_FREED;
	if (truth->reaped || truth->buried)
		return PROCLIFE_IS_UNFREED;
	if (truth->live)
		return PROCLIFE_IS_ALIVE;
	return trace_notify && truth->exited && !truth->notified ? PROCLIFE_IS_DYING : PROCLIFE_IS_ZOMBIE;
}

/* Checks the state at the end of the trace; it may be unknown only if something was lost. */
static void check_state(const struct proclife_process *process, const struct truth *truth)
{
	enum proclife_life_state state = proclife_process_state(process);

	if (state == PROCLIFE_IS_UNKNOWN)
		check(process->incomplete || touched_process(truth));
	else if (state == PROCLIFE_IS_FREED && process->incomplete)
		check(!truth->open || truth->reaped); /* an unseen thread may not be freed */
	else
		check(state == true_state(truth));
	check((state == PROCLIFE_IS_FREED || state == PROCLIFE_IS_UNKNOWN) || process->outlives);
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct truth *truth = truth_of(process);

	(void)data;
	if (!truth) {
		for (truth = trace_truth_by_tgid(trace, process->tgid); truth; truth = truth->next)
			tell(process, truth);
	} else if (!consistent(process, truth)) {
		tell(process, truth);
	}
	check(truth);
	if (process->start)
		truth_of_id[process->id - 1] = truth;
	add_process_phases(process, truth);
	check_state(process, truth);
	if (!process->start || (!truth->born && !snapshot) ||
	    (touched_process(truth) && process->incomplete)) {
		check(consistent(process, truth));
		return;
	}
	check(!truth->reports++);
	if (truth->buried)
		check_end(process, truth);
	else
		check_exact(process, truth);
	if (!streaming)
		return;
	check(!truth->open);
	trace_truth_done(trace, truth);
}

static struct truth_task *task_truth(struct truth *truth, const struct proclife_task *task)
{
	for (struct truth_task *own = truth->tasks; own; own = own->next) {
		/* A thread that takes over gets its process's start. */
		if (own->handle == task->handle && task->seen >= own->began &&
		    (task->start == own->start || task->start == truth->start) &&
		    (!own->freed || task->seen <= own->freed))
			return own;
	}
	return NULL;
}

/*
 * The handle was also another task's of the same process. As each thread that execs gets the
 * process's start, the two can look like one if everything between them was lost.
 */
static bool ambiguous(const struct truth *truth, const struct truth_task *own)
{
	for (const struct truth_task *task = truth->tasks; task; task = task->next) {
		if (task != own && task->handle == own->handle)
			return true;
	}
	return false;
}

static void check_task(const struct truth *truth, struct truth_task *own,
		       const struct proclife_task *task)
{
	check(zero_or(task->marks.born, own->born));
	check(zero_or(task->marks.exited, own->exited));
	check(zero_or(task->marks.reaped, own->reaped));
	check(zero_or(task->marks.freed, own->freed));
	add_task_phases(task, own, true);
	check(!own->before || truth->buried);
	if (touched_task(truth, own) && task->incomplete)
		return;
	check(!own->reports++);
	check(!task->incomplete);
	check(task->marks.born == own->born);
	check(task->marks.exited == own->exited);
	check(task->marks.reaped == own->reaped);
	check(task->marks.freed == own->freed);
	check(task->pid == own->pid);
	check(task->reaper_pid == own->reaper_pid || !own->reaped);
	check(!own->freed || task->runtime == own->runtime);
	check(!own->exited || task->exit_code == own->exit_code);
}

static void task_gone(void *data, struct proclife_task *task)
{
	struct truth *truth = trace_truth_by_tgid(trace, task->tgid);
	struct truth_task *own = NULL;

	(void)data;
	while (truth && !(own = task_truth(truth, task)))
		truth = truth->next;
	check(own);
	if (ambiguous(truth, own) && task->incomplete) {
		add_task_phases(task, own, false);
		return;
	}
	check_task(truth, own, task);
}

/*
 * Feeds what the merge yields, which must be all records, in order: ascending by (ts, CPU),
 * and on each CPU one after the other.
 */
static void feed_round(struct proclife_merge *merge, uint32_t cpus, uint64_t *lost)
{
	static const struct proclife_record *due[MOST_CPUS];
	struct proclife_event event;
	uint64_t ts = 0, count;
	uint32_t cpu = 0;

	for (uint32_t i = 0; i < cpus; i++)
		due[i] = trace_records(trace, i, &count);
	merge->horizon = trace_now(trace);
	proclife_merge_build(merge);
	while (proclife_merge_next(merge, &event) == 1) {
		const struct proclife_record *record = event.record;
		uint64_t at = record ? record->ts : event.gap.from;
		uint32_t on = record ? record->cpu : event.gap.cpu;

		check(at > ts || (at == ts && on >= cpu));
		ts = at;
		cpu = on;
		now = at;
		if (record)
			check(record == due[on]++);
		else
			*lost += event.gap.lost;
		check(proclife_tasks_feed(tasks, &event) == 1);
	}
	for (uint32_t i = 0; i < cpus; i++) {
		const struct proclife_record *first = trace_records(trace, i, &count);

		check(due[i] == first + count);
	}
}

/* A task that was reaped before the trace has no reports, or only the leader's FREE. */
static uint32_t expected_reports(const struct truth *truth, const struct truth_task *own)
{
	if (!own->before)
		return 1;
	return truth->buried && own->pid == truth->tgid && own->freed;
}

static void check_all_reported(void)
{
	struct truth *truth;
	uint64_t cursor = 0;

	while ((truth = trace_truth_next(trace, &cursor))) {
		if (!truth->born && !snapshot)
			continue;
		if (truth->buried && truth->open)
			check(!truth->reports); /* not even its end was seen */
		else
			check(truth->reports == (truth->threads > 0) || touched_process(truth));
		for (struct truth_task *own = truth->tasks; own; own = own->next)
			check(own->reports == expected_reports(truth, own) ||
			      touched_task(truth, own));
	}
}

static void run(const struct trace_plan *plan)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = process_born,
		.process_gone = process_gone,
		.task_gone = task_gone,
	};
	struct proclife_latency *latency, *thread_latency;
	struct proclife_merge merge = { 0 };
	uint64_t random = plan->seed, lost = 0;
	struct proclife_tree *tree;

	now = 0;
	snapshot = plan->snapshot;
	ids = 0;
	process_sums = task_sums = (struct sums){ 0 };
	trace = trace_new(plan);
	trace_notify = plan->notify;
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	tasks->with_notify = trace_notify;
	assert_int_equal(proclife_tasks_report(tasks, &reports, NULL), 0);
	assert_int_equal(proclife_tree_new(&tree, tasks), 0);
	assert_int_equal(proclife_latency_new(&latency, tasks, false), 0);
	assert_int_equal(proclife_latency_new(&thread_latency, tasks, true), 0);
	for (uint32_t cpu = 0; cpu < plan->cpus; cpu++)
		assert_int_equal(proclife_merge_add(&merge, trace_stream(trace, cpu)), 0);
	while (trace_round(trace, 1 + random_below(&random, 5000)))
		feed_round(&merge, plan->cpus, &lost);
	streaming = false;
	check(proclife_tasks_close(tasks) == 0);
	check(lost == trace_lost(trace));
	check_all_reported();
	check_latency(latency, &process_sums);
	check_latency(thread_latency, &task_sums);
	if (plan->processes <= 10000)
		check_tree(tree);
	proclife_latency_free(thread_latency);
	proclife_latency_free(latency);
	proclife_tree_free(tree);
	proclife_tasks_free(tasks);
	proclife_merge_free(&merge);
	trace_free(trace);
	free(truth_of_id);
	truth_of_id = NULL;
}

static uint64_t seeds(uint64_t most)
{
	const char *more = getenv("PROPERTY_SEEDS");

	return more ? strtoull(more, NULL, 10) : most;
}

static void test_whole(void **state)
{
	(void)state;
	for (seed = 1; seed <= seeds(300); seed++) {
		struct trace_plan plan = trace_plan_of_seed(seed);

		run(&plan);
	}
}

static void test_gaps(void **state)
{
	(void)state;
	for (seed = 1; seed <= seeds(300); seed++) {
		struct trace_plan plan = trace_plan_of_seed(seed);
		uint64_t random = seed;

		plan.gap_every = 20 + (uint32_t)random_below(&random, 2000);
		plan.gap_records = 1 + (uint32_t)random_below(&random, 100);
		run(&plan);
	}
}

/* Without a snapshot, earlier processes are not known. */
static void test_without_snapshot(void **state)
{
	(void)state;
	for (seed = 1; seed <= seeds(100); seed++) {
		struct trace_plan plan = trace_plan_of_seed(seed);

		plan.snapshot = false;
		plan.before = 0;
		run(&plan);
	}
}

/* Long enough for pids and handles to be reused a hundred times, and for a leak to be noticed. */
static void test_long(void **state)
{
	struct trace_plan plan = trace_plan_of_seed(1);

	(void)state;
	seed = 1;
	plan.processes = 100000;
	plan.pids = 1000;
	plan.alive = 200;
	plan.cpus = 8;
	plan.before = 0;
	streaming = true;
	run(&plan);
}

/* Enough processes at a time that their memory is prefetched, and lies in huge pages. */
static void test_crowd(void **state)
{
	struct trace_plan plan = trace_plan_of_seed(2);

	(void)state;
	seed = 2;
	plan.processes = 60000;
	plan.pids = 80000;
	plan.alive = 20000;
	plan.cpus = 4;
	plan.before = 0;
	streaming = true;
	run(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_without_snapshot),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_crowd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
