// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trace is cut in three. The carried records at a cut and what follows it give each life the same report as
 * the whole trace does: every figure, for each process that ends after the cut or outlives the trace. The
 * second cut is made in what the first one left, like the parts of a flight recording.
 */
#include "check.h"
#include "marks.h"
#include "records.h"
#include "stories.h"
#include "recorded.h"

#include <bench/generate.h>
#include <flight/carry_lives.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct happening {
	struct proclife_event event;
	struct proclife_record record;
};

static struct happening *all;
static size_t count, room;
static uint64_t seed;

struct ended {
	struct proclife_process process;
	enum proclife_life_state state;
	char path[PROCLIFE_PATH_LEN + 4];
	char *args;
	struct proclife_killer killer;
	struct proclife_memory memory;
	struct proclife_births births;
	struct proclife_io io; /* zeros: not known */
	char exe[200]; /* empty: not known; and so is the next */
	char cwd[50];
	uint32_t env_bytes;
	struct proclife_failed_exec failed_exec;
	uint64_t first_run; /* since when that goes on */
	uint64_t killed;
	bool parent_there;
};

static struct ended *whole, *parts, *early, **told;
static size_t whole_count, parts_count, early_count, *told_count;
static struct proclife_tasks *tasks;

#define check(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fail_msg("seed %llu, process %u: %s", (unsigned long long)seed,            \
				 checked ? checked->tgid : 0, #condition);                         \
	} while (0)

static const struct proclife_process *checked;
static bool gaps; /* the trace has gaps: a name is as certain as the record that has it */

static void add_event(const struct proclife_event *event)
{
	if (count == room) {
		room = room ? 2 * room : 1024;
		all = realloc(all, room * sizeof(*all));
		assert_non_null(all);
	}
	all[count].event = *event;
	if (event->record)
		all[count].record = *event->record;
	count++;
}

/* Gives the events copies of their records, which stay. */
static void own_events(void)
{
	for (size_t i = 0; i < count; i++) {
		if (all[i].event.record)
			all[i].event.record = &all[i].record;
	}
}

/* The latest head of a task before this event; NULL: it is not known, or gone. */
static const struct proclife_record *head_of(size_t before, uint64_t task)
{
	while (before-- > 0) {
		const struct proclife_record *record = &all[before].record;

		if (all[before].event.record && record->task == task)
			return record->type == PROCLIFE_FREE ? NULL : record;
	}
	return NULL;
}

static void add_birth(const struct proclife_record *head, uint64_t ts, uint32_t what)
{
	struct proclife_record record = *head;

	if (record.type == PROCLIFE_FREE || record.type == PROCLIFE_SUPPRESSED || !record.task)
		return;
	record.ts = ts;
	record.type = PROCLIFE_BIRTH;
	record.flags &= PROCLIFE_F_THREAD | PROCLIFE_F_KTHREAD | PROCLIFE_F_WORKER;
	memset(record.words, 0, sizeof(record.words));
	record.birth.what = what;
	add_event(&(struct proclife_event){ .record = &record });
}

static void add_failed(const struct proclife_record *head, uint64_t ts, bool forks)
{
	struct proclife_record record = *head;

	add_birth(head, ts, forks ? PROCLIFE_BIRTH_FORKING : PROCLIFE_BIRTH_EXECING);
	record.ts = ts;
	record.type = PROCLIFE_FAIL;
	record.flags &= PROCLIFE_F_THREAD | PROCLIFE_F_KTHREAD | PROCLIFE_F_WORKER;
	memset(record.words, 0, sizeof(record.words));
	record.fail.what = forks ? PROCLIFE_FAIL_FORK : PROCLIFE_FAIL_EXEC;
	record.fail.error = (uint32_t)(ts % 100);
	record.flags |= ts % 3 ? 0 : PROCLIFE_F_BY_FD;
	add_event(&(struct proclife_event){ .record = &record });
}

static uint64_t time_of_last(void)
{
	const struct proclife_event *last = count ? &all[count - 1].event : NULL;

	if (!last)
		return UINT64_MAX;
	return last->record ? all[count - 1].record.ts : last->gap.to;
}

/* An event of the generator, which makes no births: also those that go with it, and some that fail. */
static void add_with_births(const struct proclife_event *event)
{
	struct proclife_record record = event->record ? *event->record : (struct proclife_record){ 0 };
	const struct proclife_record *head = NULL;

	/* Nothing but births shows that some of them have run. */
	if (record.tgid % 4 == 0 && (record.type == PROCLIFE_EXEC || record.type == PROCLIFE_ARGS || record.type == PROCLIFE_WAIT))
		return;
	if (record.type == PROCLIFE_FORK)
		head = head_of(count, record.fork.creator);
	if (record.type == PROCLIFE_EXEC)
		head = head_of(count, record.task);
	if (head)
		add_birth(head, record.ts, record.type == PROCLIFE_EXEC ? PROCLIFE_BIRTH_EXECING : PROCLIFE_BIRTH_FORKING);
	/* No task fails and begins again in a nanosecond: a RENAME can be of an exec that follows at once. */
	if (record.type == PROCLIFE_RENAME && count % 4 < 2 && time_of_last() < record.ts)
		add_failed(&record, record.ts - 1, count % 2);
	add_event(event);
	if (record.type == PROCLIFE_FORK && record.tgid % 4)
		add_birth(&record, record.ts, PROCLIFE_BIRTH_STARTED);
}

static void make(const struct trace_plan *plan)
{
	struct trace *trace = trace_new(plan);
	struct proclife_merge merge = { 0 };
	struct proclife_event event;

	count = 0;
	for (uint32_t cpu = 0; cpu < plan->cpus; cpu++)
		assert_int_equal(proclife_merge_add(&merge, trace_stream(trace, cpu)), 0);
	while (trace_round(trace, 5000)) {
		merge.horizon = trace_now(trace);
		proclife_merge_build(&merge);
		while (proclife_merge_next(&merge, &event) == 1)
			add_with_births(&event);
	}
	proclife_merge_free(&merge);
	trace_free(trace);
	own_events();
}
static void process_gone(void *data, struct proclife_process *process)
{
	bool at_least;
	struct ended *ended;
	const struct proclife_killer *killer = proclife_process_killer(process);
	const struct proclife_program *program = proclife_process_program(process);

	(void)data;
	if (!(*told_count & (*told_count + 1))) {
		*told = realloc(*told, 2 * (*told_count + 1) * sizeof(**told));
		assert_non_null(*told);
	}
	ended = &(*told)[(*told_count)++];
	*ended = (struct ended){ .process = *process, .state = proclife_process_state(process) };
	if (process->path)
		strcpy(ended->path, process->path);
	if (process->args) {
		ended->args = malloc(process->args_bytes + 1u);
		memcpy(ended->args, process->args, process->args_bytes);
	}
	if (killer)
		ended->killer = *killer;
	if (proclife_process_memory(process))
		ended->memory = *proclife_process_memory(process);
	if (proclife_process_failed_exec(process))
		ended->failed_exec = *proclife_process_failed_exec(process);
	if (program && program->exe)
		snprintf(ended->exe, sizeof(ended->exe), "%s", program->exe);
	if (program && program->cwd)
		snprintf(ended->cwd, sizeof(ended->cwd), "%s", program->cwd);
	if (program && program->env)
		ended->env_bytes = program->env_bytes;
	if (proclife_process_io(process))
		ended->io = *proclife_process_io(process);
	if (proclife_process_births(process))
		ended->births = *proclife_process_births(process);
	ended->first_run = proclife_process_phase_since(process, PROCLIFE_PHASE_FIRST_RUN, &at_least);
	ended->killed = proclife_process_killed(process);
	ended->parent_there = process->parent_id != 0;
}

static struct proclife_source *facts; /* the facts of the trace; NULL: none, but it has births */

static void take_facts(struct proclife_tasks *of)
{
	if (facts) {
		assert_int_equal(proclife_tasks_take_facts(of, facts), 0);
		return;
	}
	of->birth_marks = UINT32_MAX;
	proclife_tasks_make_room(of);
}

static void begin(struct ended **list, size_t *length)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_gone = process_gone,
	};

	told = list;
	told_count = length;
	*length = 0;
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	take_facts(tasks);
	assert_int_equal(proclife_tasks_report(tasks, &reports, NULL), 0);
}

static struct proclife_carry *begin_carry(struct proclife_bygone *bygone)
{
	struct proclife_carry *carry;

	assert_int_equal(proclife_carry_new(&carry, bygone), 0);
	take_facts(carry->tasks);
	return carry;
}

static void end(void)
{
	assert_int_equal(proclife_tasks_close(tasks), 0);
	proclife_tasks_free(tasks);
}

static void free_told(struct ended **list, size_t length)
{
	for (size_t i = 0; i < length; i++)
		free((*list)[i].args);
	free(*list);
	*list = NULL;
}

static int feed_whole(void *data, const struct proclife_event *event)
{
	(void)data;
	return proclife_tasks_feed(tasks, event) < 0;
}

/* What comes in a part. */
static struct happening *part;
static size_t part_count, part_room;
static uint64_t passed; /* records of lives that were not followed */

static int add_to_part(void *data, const struct proclife_event *event)
{
	struct happening *each;

	(void)data;
	if (part_count == part_room) {
		part_room = part_room ? 2 * part_room : 1024;
		part = realloc(part, part_room * sizeof(*part));
		assert_non_null(part);
	}
	each = &part[part_count++];
	each->event = *event;
	if (event->record)
		each->record = *event->record;
	return 0;
}

static void add_events(size_t from, size_t end)
{
	for (; from < end; from++)
		add_to_part(NULL, &all[from].event);
}

static struct proclife_carry *carry_part(struct proclife_bygone *bygone, struct proclife_carried *carried, size_t most)
{
	struct proclife_carry *carry = begin_carry(bygone);

	for (size_t i = 0; i < part_count; i++)
		part[i].event.record = part[i].event.record ? &part[i].record : NULL;
	for (size_t i = 0; i < part_count && bygone; i++) /* in any order */
		proclife_bygone_note(bygone, &part[part_count - 1 - i].event);
	if (bygone)
		proclife_bygone_settle(bygone);
	for (size_t i = 0; i < part_count; i++) {
		assert_int_equal(proclife_carry_take(carry, &part[i].event), 0);
		passed += bygone && part[i].event.record && proclife_bygone_of(bygone, part[i].event.record);
	}
	assert_int_equal(proclife_carry_choose(carry, most, carried), 0);
	return carry;
}

/* Chosen of what has come, whether all lives were followed or only those that have to be. */
static struct proclife_carry *carry_both(struct proclife_carried *carried, size_t most)
{
	struct proclife_carried of_all;
	struct proclife_carry *all_of = carry_part(NULL, &of_all, most), *carry;
	struct proclife_bygone bygone;

	assert_int_equal(proclife_bygone_init(&bygone), 0);
	carry = carry_part(&bygone, carried, most);
	proclife_bygone_free(&bygone);
	check(of_all.count == carried->count && of_all.left_out == carried->left_out);
	for (size_t i = 0; i < of_all.count; i++)
		check(!memcmp(&of_all.records[i], &carried->records[i], sizeof(of_all.records[i])));
	check(of_all.gap_count == carried->gap_count);
	check(!memcmp(of_all.gaps, carried->gaps, of_all.gap_count * sizeof(of_all.gaps[0])));
	proclife_carry_free(all_of);
	return carry;
}

/* Passes records and gaps on in the order in which they come out of their streams. */
static void put_carried(const struct proclife_carried *carried,
			int (*to)(void *data, const struct proclife_event *event), void *data)
{
	bool gap_put[PROCLIFE_CARRY_GAPS] = { false };
	size_t gaps_done = 0, records = 0;

	while (records < carried->count || gaps_done < carried->gap_count) {
		struct proclife_event event = { 0 };
		size_t next = PROCLIFE_CARRY_GAPS;

		for (size_t i = 0; i < carried->gap_count; i++)
			if (!gap_put[i] && (next == PROCLIFE_CARRY_GAPS ||
					    carried->gaps[i].from < carried->gaps[next].from))
				next = i;
		if (next < PROCLIFE_CARRY_GAPS && (records == carried->count ||
			carried->gaps[next].from <= carried->records[records].ts)) {
			event.gap = carried->gaps[next];
			gap_put[next] = true;
			gaps_done++;
		} else {
			event.record = &carried->records[records++];
			assert_true(records == 1 || event.record[-1].ts <= event.record->ts);
		}
		assert_int_equal(to(data, &event), 0);
	}
}

static const struct ended *find(const struct proclife_process *process)
{
	for (size_t i = 0; i < whole_count; i++) {
		const struct proclife_process *other = &whole[i].process;

		if (other->tgid == process->tgid && other->start == process->start &&
		    other->handle == process->handle)
			return &whole[i];
	}
	return NULL;
}

static bool same_actor(const struct proclife_actor *a, const struct proclife_actor *b)
{
	return a->pid == b->pid && a->tgid == b->tgid && !strcmp(a->comm, b->comm);
}

static bool same_memory(const struct proclife_memory *a, const struct proclife_memory *b)
{
	return a->left == b->left && a->early == b->early && a->teardown == b->teardown &&
	       a->gone == b->gone && a->early_anon == b->early_anon && a->rss_anon == b->rss_anon &&
	       a->rss_file == b->rss_file && a->rss_shmem == b->rss_shmem && a->swap == b->swap &&
	       a->holders == b->holders && a->own == b->own && a->async == b->async &&
	       a->open == b->open && same_actor(&a->last, &b->last) && same_actor(&a->by, &b->by) &&
	       same_actor(&a->early_by, &b->early_by);
}

/* The process that did it can be gone, and is then not reported. */
static bool may_be_memory(const struct proclife_memory *a, const struct proclife_memory *b)
{
	static const struct proclife_memory unknown;

	return same_memory(a, b) || (same_memory(b, &unknown) && (!a->own || a->early));
}

static bool same_killer(const struct proclife_killer *a, const struct proclife_killer *b)
{
	return a->ts == b->ts && a->task == b->task && a->signo == b->signo && a->code == b->code &&
	       a->pid == b->pid && a->tgid == b->tgid && !strcmp(a->comm, b->comm) &&
	       a->blocked == b->blocked && a->again == b->again;
}

static void check_same(const struct ended *a, const struct ended *b)
{
	const struct proclife_process *p = &a->process, *q = &b->process;

	checked = q;
	check(p->exit_code == q->exit_code);
	check(p->flags == q->flags);
	check(p->threads == q->threads);
	check(p->live == q->live);
	check(p->open == q->open);
	check(p->outlives == q->outlives);
	check(p->args_cut == q->args_cut);
	check(p->notified_lost == q->notified_lost);
	check(p->exit_cpu == q->exit_cpu);
	check(p->marks.born == q->marks.born && p->marks.exited == q->marks.exited);
	check(p->marks.notified == q->marks.notified && p->marks.reaped == q->marks.reaped);
	check(p->marks.freed == q->marks.freed);
	/* The first TASK of a process is of a thread, which can be gone. */
	check(p->seen == q->seen || (!p->marks.born && p->seen < q->seen));
	check(p->max_rss == q->max_rss);
	check(!strcmp(p->comm, q->comm));
	check(!strcmp(p->reaper_comm, q->reaper_comm));
	check(p->reaper_pid == q->reaper_pid && p->reaper_tgid == q->reaper_tgid);
	check(!strcmp(a->path, b->path));
	check(p->args_bytes == q->args_bytes);
	check(!p->args == !q->args && (!p->args || !memcmp(a->args, b->args, p->args_bytes)));
	check(p->execed == q->execed);
	check(p->parent_tgid == q->parent_tgid);
	check(p->creator_tgid == q->creator_tgid);
	/* The first TASK of a parent is of a thread, too. */
	check(!b->parent_there || !p->marks.born || gaps || !strcmp(p->parent_comm, q->parent_comm));
	check(p->ns_pid == q->ns_pid && p->ns_inum == q->ns_inum);
	check(p->cgroup == q->cgroup);
	check(p->uid == q->uid);
	check(p->execs == q->execs);
	check(p->runtime == q->runtime && p->utime == q->utime && p->stime == q->stime);
	check(p->min_flt == q->min_flt && p->maj_flt == q->maj_flt);
	check(p->nvcsw == q->nvcsw && p->nivcsw == q->nivcsw);
	check(!memcmp(&a->io, &b->io, sizeof(a->io)));
	check(!strcmp(a->exe, b->exe) && !strcmp(a->cwd, b->cwd) && a->env_bytes == b->env_bytes);
	check(p->real_parent_tgid == q->real_parent_tgid);
	check(p->leader_exited == q->leader_exited);
	check(p->exiting == q->exiting);
	check(p->reaper_waited == q->reaper_waited || !q->reaper_waited); /* the reaper is gone */
	check(p->waited == q->waited);
	check(a->state == b->state);
	check(same_killer(&a->killer, &b->killer));
	check(a->first_run == b->first_run);
	check(a->killed == b->killed);
	check(!memcmp(&a->births, &b->births, sizeof(a->births)));
	/* Another task can stand for the one that tried, at the cut. */
	check(a->failed_exec.ts <= b->failed_exec.ts && a->failed_exec.error == b->failed_exec.error);
	check(a->failed_exec.by_fd == b->failed_exec.by_fd);
	check(may_be_memory(&a->memory, &b->memory));
	checked = NULL;
}

/* The parts until the second cut, and what is carried over that; then the rest is fed. */
static void run_parts(size_t first, size_t second, size_t most)
{
	struct proclife_carried carried;
	struct proclife_carry *one, *two;
	struct proclife_event event;

	part_count = 0;
	add_events(0, first);
	one = carry_both(&carried, most);
	part_count = 0;
	put_carried(&carried, add_to_part, NULL);
	proclife_carry_free(one);
	add_events(first, second);
	two = carry_both(&carried, most);
	assert_int_equal(carried.left_out, 0);

	begin(&parts, &parts_count);
	put_carried(&carried, feed_whole, NULL);
	proclife_carry_free(two);
	for (size_t i = second; i < count; i++) {
		event = all[i].event;
		assert_int_equal(feed_whole(NULL, &event), 0);
	}
	end();
}

static void run_whole(void)
{
	begin(&whole, &whole_count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(feed_whole(NULL, &all[i].event), 0);
	end();
}

/* How many were gone before the cut: the parts report all others, and no more. */
static size_t gone_before(size_t cut)
{
	size_t number = 0;

	begin(&early, &early_count);
	for (size_t i = 0; i < cut; i++)
		assert_int_equal(feed_whole(NULL, &all[i].event), 0);
	number = early_count;
	end();
	free_told(&early, early_count);
	return number;
}

static bool is_among(const struct ended *list, size_t length, const struct proclife_process *process)
{
	for (; length--; list++)
		if (list->process.tgid == process->tgid && list->process.start == process->start)
			return true;
	return false;
}

/* For debugging: prints the processes that only one of them reports. */
static void tell_difference(size_t before)
{
	for (size_t i = before; i < whole_count; i++)
		if (!is_among(parts, parts_count, &whole[i].process))
			print_error("missing: %u, seen at %llu\n", whole[i].process.tgid,
				    (unsigned long long)whole[i].process.seen);
	for (size_t i = 0; i < parts_count; i++)
		if (!is_among(whole + before, whole_count - before, &parts[i].process))
			print_error("too many: %u, seen at %llu\n", parts[i].process.tgid,
				    (unsigned long long)parts[i].process.seen);
}

/* What the parts report, the whole reports exactly; and they report all that were not gone before. */
static void check_parts(size_t before)
{
	if (!gaps && parts_count != whole_count - before)
		tell_difference(before);
	check(gaps || parts_count == whole_count - before);
	for (size_t i = 0; i < parts_count; i++) {
		const struct ended *same = find(&parts[i].process);

		checked = &parts[i].process;
		check(gaps || !parts[i].process.incomplete);
		if (parts[i].process.incomplete)
			continue;
		check(same);
		check(!same->process.incomplete);
		check_same(same, &parts[i]);
	}
	checked = NULL;
}

static uint64_t seeds(uint64_t most)
{
	const char *more = getenv("PROPERTY_SEEDS");

	return more ? strtoull(more, NULL, 10) : most;
}

static void run_seed(void)
{
	struct trace_plan plan = trace_plan_of_seed(seed);
	uint64_t random = seed;
	size_t first, second;

	plan.snapshot = true;
	if (plan.processes > 3000)
		plan.processes = 3000;
	if (gaps) {
		plan.gap_every = 500 + (uint32_t)random_below(&random, 5000);
		plan.gap_records = 1 + (uint32_t)random_below(&random, 100);
	}
	make(&plan);
	first = random_below(&random, count);
	second = first + random_below(&random, count - first);
	run_whole();
	run_parts(first, second, SIZE_MAX);
	check_parts(gaps ? 0 : gone_before(second));
	free_told(&parts, parts_count);
	free_told(&whole, whole_count);
}

static void test_whole(void **state)
{
	(void)state;
	gaps = false;
	passed = 0;
	for (seed = 1; seed <= seeds(200); seed++)
		run_seed();
	assert_true(passed > 0);
}

static void test_gaps(void **state)
{
	(void)state;
	gaps = true;
	passed = 0;
	for (seed = 1; seed <= seeds(200); seed++)
		run_seed();
	assert_true(passed > 0);
}

static void add(struct proclife_record record)
{
	add_event(&(struct proclife_event){ .record = &record });
}

static void add_suppressed(uint64_t ts, uint32_t what)
{
	struct proclife_record record = suppressed_record(what, ts, 0);

	record.ts = ts;
	add(record);
}

static void add_forking(uint64_t ts, const struct who *who)
{
	struct proclife_record record = record_of(ts, PROCLIFE_BIRTH, who);

	record.birth.what = PROCLIFE_BIRTH_FORKING;
	add(record);
}

/* Chooses from a part of all that was added, and keeps only how many records that were. */
static void carry_all(struct proclife_carried *carried)
{
	own_events();
	part_count = 0;
	add_events(0, count);
	proclife_carry_free(carry_both(carried, SIZE_MAX));
}

/*
 * What a life that is not followed says of others: a budget is no longer used up, a wait(2) of its reaper is over, unless
 * that has exited.
 */
static void test_passed(void **state)
{
	struct who shell = process_of_pid(10, "sh"), over = process_of_pid(20, "cc"), zombie = process_of_pid(30, "ld"),
		   late = process_of_pid(40, "as"), init = process_of_pid(1, "init");
	struct proclife_carried carried;
	uint64_t before;

	(void)state;
	count = 0;
	gaps = false;
	add(task_record(1, &init, &init));
	add(fork_record(1, &shell, &init));
	add(fork_record(2, &zombie, &shell));
	add(fork_record(3, &over, &shell));
	add_suppressed(4, PROCLIFE_WAIT);
	add_suppressed(4, PROCLIFE_BIRTH);
	add(wait_record(5, &over));
	add_forking(5, &over);
	add(wait_record(6, &shell));
	add(reap_record(7, &zombie, &shell));
	add_forking(8, &shell);
	add(fork_record(9, &late, &shell));
	add(wait_record(10, &shell));
	add(exit_record(11, &shell, 0, 0));
	add(reap_record(12, &over, &shell));
	add(free_record(13, &over));
	before = passed;
	carry_all(&carried);
	assert_int_equal(passed - before, 5);
}

/* The end of one was lost: that it is gone is shown by a life that is over, too, with its handle or its group's. */
static void test_gone_unseen(void **state)
{
	enum { BY_HANDLE, BY_SNAPSHOT, BY_GROUP, BY_ALL };

	(void)state;
	for (int by = 0; by < BY_ALL; by++) {
		struct who shell = process_of_pid(10, "sh"), gone = process_of_pid(20, "cc"), over = process_of_pid(30, "ld");
		struct proclife_carried carried;

		count = 0;
		gaps = false;
		if (by == BY_GROUP)
			over.group = gone.group;
		else
			over.task = gone.task;
		add(task_record(1, &shell, &shell));
		add(fork_record(2, &gone, &shell));
		add(by == BY_SNAPSHOT ? task_record(4, &over, &shell) : fork_record(4, &over, &shell));
		add(exit_record(5, &over, 0, 0));
		add(reap_record(6, &over, &shell));
		add(free_record(7, &over));
		carry_all(&carried);
		assert_int_equal(carried.count, 1); /* the shell */
	}
}

/* Cut at each place: these have what the generator does not make, such as the marks of a death. */
static void test_stories(void **state)
{
	static const char *const names[] = { "build", "before", "old", "marks", "lossy" };

	(void)state;
	stories_tell();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct proclife_event event;
		char path[PATH_MAX];
		int ret;

		snprintf(path, sizeof(path), "%s/%s", folder.base, names[i]);
		seed = i;
		gaps = !strcmp(names[i], "lossy");
		count = 0;
		assert_int_equal(proclife_recording_open(&facts, path, NULL), 0);
		while ((ret = proclife_source_next(facts, &event)) >= 0)
			if (ret)
				add_event(&event);
		own_events();
		run_whole();
		for (size_t second = 0; second <= count; second++) {
			run_parts(second / 2, second, SIZE_MAX);
			check_parts(gaps ? 0 : gone_before(second));
			free_told(&parts, parts_count);
		}
		free_told(&whole, whole_count);
		proclife_source_free(facts);
		facts = NULL;
	}
	stories_forget();
}

static int teardown(void **state)
{
	(void)state;
	free(all);
	free(part);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_passed),
		cmocka_unit_test(test_gone_unseen),
		cmocka_unit_test_setup_teardown(test_stories, recorded_setup, recorded_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
