// SPDX-License-Identifier: GPL-2.0-only
/* How the memory of a process comes back: who held it, who let go of it last, and when it was unmapped. */
#include "check.h"
#include "exits.h"
#include "marks.h"

#include <signal.h>
#include <string.h>

static struct proclife_latency *latency;

/* What memory_gone tells. */
static struct {
	unsigned int count;
	bool known;
	uint32_t tgid;
	struct proclife_memory memory;
	uint64_t held; /* 0: not known */
	uint64_t unmap;
} late;

/* What process_gone tells of the last one. */
static struct {
	bool known;
	struct proclife_memory memory;
	uint64_t held;
	uint64_t unmap;
} last;

static uint64_t phase_or_0(const struct proclife_process *process, enum proclife_phase phase)
{
	uint64_t ns;

	return proclife_process_phase(process, phase, &ns) ? ns : 0;
}

static void note_gone(void *data, struct proclife_process *process)
{
	const struct proclife_memory *memory = proclife_process_memory(process);

	(void)data;
	memset(&last, 0, sizeof(last));
	last.known = memory;
	if (memory)
		last.memory = *memory;
	last.held = phase_or_0(process, PROCLIFE_HELD);
	last.unmap = phase_or_0(process, PROCLIFE_UNMAP);
}

static void note_memory(void *data, struct proclife_process *process)
{
	const struct proclife_memory *memory = proclife_process_memory(process);

	(void)data;
	late.count++;
	late.tgid = process->tgid;
	late.known = memory;
	if (memory)
		late.memory = *memory;
	late.held = phase_or_0(process, PROCLIFE_HELD);
	late.unmap = phase_or_0(process, PROCLIFE_UNMAP);
}

static int begin(void **state)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_gone = note_gone,
		.memory_gone = note_memory,
	};
	int ret = begin_exits(state);

	memset(&late, 0, sizeof(late));
	memset(&last, 0, sizeof(last));
	if (ret || proclife_tasks_report(tasks, &reports, NULL) ||
	    proclife_latency_new(&latency, tasks, false))
		return -1;
	return proclife_latency_group_by(latency, PROCLIFE_BY_COMM);
}

static int end(void **state)
{
	proclife_latency_free(latency);
	return end_tasks(state);
}

#define MEMORY(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* By all its threads at once; it has an address space. */
static struct proclife_record dies(uint64_t ts, const struct who *who)
{
	struct proclife_record r = exiting_record(ts, who, &shell, NULL, 0);

	r.flags |= SOLE;
	return r;
}

static struct proclife_record shares(struct proclife_record fork)
{
	fork.flags |= PROCLIFE_F_SHARES;
	return fork;
}

static struct proclife_record execs(struct proclife_record mm)
{
	mm.flags |= PROCLIFE_F_EXECING;
	return mm;
}

static struct proclife_record by_kernel(struct proclife_record mm)
{
	mm.flags |= PROCLIFE_F_KTHREAD;
	return mm;
}

/* Its EXIT, REAP and FREE, one apart. */
static void bury(uint64_t ts, const struct who *who)
{
	feed(tasks, ended(ts, who, 0, 0));
	feed(tasks, reap_record(ts + 1, who, &shell));
	feed(tasks, free_record(ts + 2, who));
}

/* Another one holds its memory when it lets go of it, at 21; it is gone at 32. */
static void die_held(const struct who *who)
{
	feed(tasks, fork_record(10, who, &shell));
	feed(tasks, dies(20, who));
	feed(tasks, mm_record(21, who, PROCLIFE_MM_LEFT, who));
	bury(30, who);
}

static uint64_t count_of(enum proclife_phase phase)
{
	return proclife_histogram_count(proclife_latency_phase(latency, phase));
}

static void assert_forgotten(uint32_t tgid)
{
	assert_int_equal(late.count, 1);
	assert_int_equal(late.tgid, tgid);
	assert_false(late.known);
	assert_int_equal(count_of(PROCLIFE_HELD), 0);
	assert_int_equal(count_of(PROCLIFE_UNMAP), 0);
}

static void test_by_itself(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, dies(20, &a));
	assert_null(proclife_process_memory(process_of(&a)));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	assert_true(proclife_process_memory(process_of(&a))->open);
	feed(tasks, mm_record(29, &a, PROCLIFE_MM_GONE, &a));
	bury(30, &a);
	assert_true(last.known && last.memory.own && !last.memory.async && !last.memory.open);
	assert_int_equal(last.memory.left, 0);
	assert_int_equal(last.memory.teardown, 22);
	assert_int_equal(last.memory.gone, 29);
	assert_int_equal(last.memory.rss_anon, 101 * 200);
	assert_int_equal(last.memory.rss_file, 11 * 200);
	assert_int_equal(last.memory.rss_shmem, 6 * 200);
	assert_int_equal(last.memory.swap, 3 * 200);
	assert_int_equal(last.memory.last.tgid, 200);
	assert_int_equal(last.held, 0);
	assert_int_equal(last.unmap, 7);
	assert_int_equal(late.count, 0);
	assert_int_equal(count_of(PROCLIFE_HELD), 0);
	assert_int_equal(count_of(PROCLIFE_UNMAP), 1);
}

/* Somebody reads it, until long after it is freed. */
static void test_held(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");
	const struct proclife_group *group;

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	die_held(&a);
	assert_true(last.known && last.memory.open);
	assert_int_equal(last.memory.left, 21);
	assert_int_equal(last.memory.holders, 1);
	assert_int_equal(last.held, 0);
	assert_int_equal(count_of(PROCLIFE_LIFE), 1); /* counted, but for this */
	assert_int_equal(count_of(PROCLIFE_HELD), 0);
	feed(tasks, mm_record(1021, &cat, PROCLIFE_MM_TEARDOWN, &a));
	assert_int_equal(late.count, 0);
	feed(tasks, mm_record(1100, &cat, PROCLIFE_MM_GONE, &a));
	assert_int_equal(late.count, 1);
	assert_int_equal(late.tgid, 200);
	assert_false(late.memory.own || late.memory.open);
	assert_string_equal(late.memory.last.comm, "cat");
	assert_string_equal(late.memory.by.comm, "cat");
	assert_int_equal(late.memory.last.pid, 300);
	assert_int_equal(late.held, 1000);
	assert_int_equal(late.unmap, 79);
	assert_int_equal(count_of(PROCLIFE_LIFE), 1);
	assert_int_equal(count_of(PROCLIFE_HELD), 1);
	assert_int_equal(count_of(PROCLIFE_UNMAP), 1);
	group = proclife_latency_group(latency, 0);
	assert_string_equal(group->name, "app");
	assert_int_equal(proclife_histogram_max(proclife_group_phase(group, PROCLIFE_HELD)), 1000);
	assert_int_equal(proclife_histogram_max(proclife_group_phase(group, PROCLIFE_UNMAP)), 79);
	assert_null(proclife_latency_group(latency, 1));
}

/* The holder lets go before the process is reaped: all of it is part of the life. */
static void test_held_for_a_moment(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, dies(20, &a));
	feed(tasks, mm_record(21, &a, PROCLIFE_MM_LEFT, &a));
	feed(tasks, mm_record(24, &cat, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(26, &cat, PROCLIFE_MM_GONE, &a));
	bury(30, &a);
	assert_int_equal(last.held, 3);
	assert_int_equal(last.unmap, 2);
	assert_int_equal(late.count, 0);
	assert_int_equal(count_of(PROCLIFE_HELD), 1);
	assert_int_equal(count_of(PROCLIFE_UNMAP), 1);
}

/* Whoever lets go last may leave the work to the kernel. */
static void test_by_a_worker(void **state)
{
	struct who a = process_of_pid(200, "app"), ps = process_of_pid(300, "ps");
	struct who worker = process_of_pid(40, "kworker/0:1");

	(void)state;
	worker.flags = PROCLIFE_F_KTHREAD;
	die_held(&a);
	feed(tasks, mm_record(40, &ps, PROCLIFE_MM_ASYNC, &a));
	feed(tasks, by_kernel(mm_record(45, &worker, PROCLIFE_MM_TEARDOWN, &a)));
	feed(tasks, by_kernel(mm_record(50, &worker, PROCLIFE_MM_GONE, &a)));
	assert_true(late.memory.async);
	assert_string_equal(late.memory.last.comm, "ps");
	assert_string_equal(late.memory.by.comm, "kworker/0:1");
	assert_int_equal(late.held, 24);
	assert_int_equal(late.unmap, 5);
	/* Another one took hold of it in that moment. */
	a = process_of_pid(201, "app");
	die_held(&a);
	feed(tasks, mm_record(40, &ps, PROCLIFE_MM_ASYNC, &a));
	feed(tasks, mm_record(45, &shell, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(50, &shell, PROCLIFE_MM_GONE, &a));
	assert_false(late.memory.async);
	assert_string_equal(late.memory.last.comm, "sh");
}

/* All threads let go, one after the other: the last one tears it down. */
static void test_threads(void **state)
{
	struct who a = process_of_pid(200, "app"), t = thread_of(&a, 201);
	struct proclife_record r;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	r = dies(20, &a);
	r.flags = WHOLE;
	feed(tasks, r);
	r = exiting_record(20, &t, &shell, NULL, 0);
	r.flags |= WHOLE;
	feed(tasks, r);
	feed(tasks, mm_record(21, &t, PROCLIFE_MM_LEFT, &a));
	feed(tasks, mm_record(25, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(28, &a, PROCLIFE_MM_GONE, &a));
	feed(tasks, ended(29, &t, 0, 1));
	feed(tasks, reap_record(29, &t, &t));
	feed(tasks, free_record(29, &t));
	bury(30, &a);
	assert_true(last.memory.own);
	assert_int_equal(last.memory.left, 0);
	assert_int_equal(last.memory.holders, 0);
	assert_int_equal(last.unmap, 3);
	assert_int_equal(late.count, 0);
}

/* The OOM reaper comes before the victim can exit, and again. */
static void test_early(void **state)
{
	struct who a = process_of_pid(200, "hog"), b = process_of_pid(210, "other");
	struct who reaper = process_of_pid(61, "oom_reaper");
	struct proclife_record again = mm_record(19, &reaper, PROCLIFE_MM_EARLY, &a);

	(void)state;
	again.mm.rss_anon = 1;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, mm_record(15, &reaper, PROCLIFE_MM_EARLY, &a));
	feed(tasks, again);
	feed(tasks, dies(20, &a));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(29, &a, PROCLIFE_MM_GONE, &a));
	bury(30, &a);
	assert_int_equal(last.memory.early, 15);
	assert_int_equal(last.memory.early_anon, 101 * 200);
	assert_string_equal(last.memory.early_by.comm, "oom_reaper");
	assert_int_equal(last.unmap, 7);
	/* While it is torn down, too. */
	feed(tasks, fork_record(110, &b, &shell));
	feed(tasks, dies(120, &b));
	feed(tasks, mm_record(122, &b, PROCLIFE_MM_TEARDOWN, &b));
	feed(tasks, mm_record(124, &reaper, PROCLIFE_MM_EARLY, &b));
	feed(tasks, mm_record(129, &b, PROCLIFE_MM_GONE, &b));
	bury(130, &b);
	assert_int_equal(last.memory.early, 124);
	assert_int_equal(last.unmap, 7);
}

/* A gap between can hide that the handle has become another one's. */
static void test_early_before_a_gap(void **state)
{
	struct who a = process_of_pid(200, "hog"), reaper = process_of_pid(61, "oom_reaper");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, mm_record(15, &reaper, PROCLIFE_MM_EARLY, &a));
	feed_gap(tasks, 5, 16, 18);
	feed(tasks, dies(20, &a));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(29, &a, PROCLIFE_MM_GONE, &a));
	bury(30, &a);
	assert_int_equal(last.memory.early, 0);
	assert_int_equal(last.unmap, 7);
}

/* A vfork child has no memory of its own, whoever of the two lives longer. */
static void test_shared(void **state)
{
	struct who a = process_of_pid(200, "make"), child = process_of_pid(201, "make");
	uint64_t own = child.group;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, shares(fork_record(11, &child, &a)));
	child.group = a.group; /* that is what its records' handles are made of */
	feed(tasks, dies(12, &child));
	feed(tasks, mm_record(13, &child, PROCLIFE_MM_LEFT, &a));
	child.group = own;
	bury(14, &child);
	assert_false(last.known);
	feed(tasks, dies(20, &a));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(29, &a, PROCLIFE_MM_GONE, &a));
	bury(30, &a);
	assert_int_equal(last.unmap, 7);
	assert_int_equal(late.count, 0);
}

/* It is killed while its vfork child has yet to exec: the child holds its memory. */
static void test_held_by_a_child(void **state)
{
	struct who a = process_of_pid(200, "make"), child = process_of_pid(201, "make");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, shares(fork_record(11, &child, &a)));
	feed(tasks, dies(20, &a));
	feed(tasks, mm_record(21, &a, PROCLIFE_MM_LEFT, &a));
	bury(30, &a);
	feed(tasks, execs(mm_record(41, &child, PROCLIFE_MM_TEARDOWN, &a)));
	feed(tasks, execs(mm_record(44, &child, PROCLIFE_MM_GONE, &a)));
	assert_int_equal(late.held, 20);
	assert_int_equal(late.unmap, 3);
	feed(tasks, exec_record(45, &child, 201, "/bin/cc"));
	/* From here on it has its own. */
	feed(tasks, dies(50, &child));
	feed(tasks, mm_record(52, &child, PROCLIFE_MM_TEARDOWN, &child));
	feed(tasks, mm_record(58, &child, PROCLIFE_MM_GONE, &child));
	bury(60, &child);
	assert_true(last.memory.own);
	assert_int_equal(last.unmap, 6);
}

/* Of one that is older than the trace, it is not known whether it shares: others use it as theirs. */
static void test_shared_unseen(void **state)
{
	struct who a = process_of_pid(200, "make"), child = process_of_pid(201, "make");
	uint64_t own = child.group;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, found(11, &child, 0));
	child.group = a.group;
	feed(tasks, dies(12, &child));
	feed(tasks, mm_record(13, &child, PROCLIFE_MM_LEFT, &a));
	child.group = own;
	bury(14, &child);
	assert_int_equal(late.count, 0);
	feed(tasks, dies(20, &a));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	assert_forgotten(201);
	feed(tasks, mm_record(29, &a, PROCLIFE_MM_GONE, &a));
	bury(30, &a);
	assert_int_equal(last.unmap, 7);
}

static void test_exec_drops_it(void **state)
{
	struct who a = process_of_pid(200, "make"), child = process_of_pid(201, "make");
	uint64_t own = child.group;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, found(11, &child, 0));
	child.group = a.group;
	feed(tasks, dies(12, &child));
	feed(tasks, mm_record(13, &child, PROCLIFE_MM_LEFT, &a));
	child.group = own;
	bury(14, &child);
	feed(tasks, execs(mm_record(20, &a, PROCLIFE_MM_TEARDOWN, &a)));
	assert_forgotten(201);
}

/* A gap while it is held: what is torn down then can be another one with its handle. */
static void test_gap(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	die_held(&a);
	feed_gap(tasks, 3, 33, 34);
	feed(tasks, mm_record(40, &cat, PROCLIFE_MM_TEARDOWN, &a));
	assert_forgotten(200);
	feed(tasks, mm_record(41, &cat, PROCLIFE_MM_GONE, &a));
	assert_int_equal(late.count, 1);
}

static void test_gap_while_unmapped(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	die_held(&a);
	feed(tasks, mm_record(40, &cat, PROCLIFE_MM_TEARDOWN, &a));
	feed_gap(tasks, 3, 41, 42);
	feed(tasks, mm_record(43, &cat, PROCLIFE_MM_GONE, &a));
	assert_forgotten(200);
}

/* What a task does in its own exit is certain, whatever else was lost. */
static void test_own_gap(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, dies(20, &a));
	feed_gap(tasks, 3, 21, 21);
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed_gap(tasks, 3, 24, 25);
	feed(tasks, mm_record(29, &a, PROCLIFE_MM_GONE, &a));
	bury(30, &a);
	assert_int_equal(last.unmap, 7);
}

/* Whoever holds it need not end, and so its records can be suppressed. */
static void test_suppressed(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");
	struct proclife_record r = suppressed_record(PROCLIFE_MM, 35, 7);

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	die_held(&a);
	feed(tasks, suppressed_record(PROCLIFE_MM, 35, 0));
	r.ts = 36;
	feed(tasks, r);
	feed(tasks, mm_record(40, &cat, PROCLIFE_MM_TEARDOWN, &a));
	assert_forgotten(200);
}

/* Where there is nothing to unmap, there is no GONE; then the handle is another one's. */
static void test_nothing_to_unmap(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "next");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, dies(20, &a));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	bury(30, &a);
	assert_int_equal(last.memory.teardown, 22);
	assert_false(last.memory.open);
	assert_int_equal(last.unmap, 0);
	assert_int_equal(late.count, 0);
	b.group = a.group; /* the same address */
	feed(tasks, fork_record(40, &b, &shell));
	feed(tasks, dies(41, &b));
	feed(tasks, mm_record(42, &b, PROCLIFE_MM_TEARDOWN, &b));
	feed(tasks, mm_record(43, &b, PROCLIFE_MM_GONE, &b));
	bury(50, &b);
	assert_int_equal(last.unmap, 1);
	assert_int_equal(late.count, 0);
}

/* Another task's GONE, or a second TEARDOWN, is about another address space. */
static void test_not_its_own(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	die_held(&a);
	feed(tasks, mm_record(40, &cat, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(41, &shell, PROCLIFE_MM_GONE, &a));
	assert_forgotten(200);
	memset(&late, 0, sizeof(late));
	a = process_of_pid(201, "app");
	die_held(&a);
	feed(tasks, mm_record(40, &cat, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(41, &shell, PROCLIFE_MM_TEARDOWN, &a));
	assert_forgotten(201);
	memset(&late, 0, sizeof(late));
	a = process_of_pid(202, "app");
	die_held(&a);
	feed(tasks, mm_record(40, &cat, PROCLIFE_MM_GONE, &a));
	assert_forgotten(202);
}

/* An exiting task can let go of another's memory last, too. */
static void test_another_that_exits(void **state)
{
	struct who a = process_of_pid(200, "app"), cat = process_of_pid(300, "cat");

	(void)state;
	feed(tasks, fork_record(5, &cat, &shell));
	die_held(&a);
	feed(tasks, dies(40, &cat));
	feed(tasks, mm_record(41, &cat, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(42, &cat, PROCLIFE_MM_GONE, &a));
	assert_int_equal(late.tgid, 200);
	assert_int_equal(late.held, 20);
	assert_null(proclife_process_memory(process_of(&cat)));
}

static void test_end_of_trace(void **state)
{
	struct who a = process_of_pid(200, "app"), b = process_of_pid(201, "app");

	(void)state;
	die_held(&a);
	feed(tasks, fork_record(40, &b, &shell));
	feed(tasks, dies(41, &b));
	feed(tasks, mm_record(42, &b, PROCLIFE_MM_LEFT, &b));
	assert_int_equal(proclife_tasks_close(tasks), 0);
	assert_int_equal(late.count, 1); /* the other one was told with its process, which outlives it */
	assert_int_equal(late.tgid, 200);
	assert_int_equal(late.memory.left, 21);
	assert_int_equal(late.memory.gone, 0);
	assert_true(last.memory.open);
	assert_int_equal(last.memory.left, 42);
}

/* Its files count from when it is their last user. */
static void test_files(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, dies(20, &a));
	assert_int_equal(process_of(&a)->files, 0);
	feed(tasks, record_of(24, PROCLIFE_FILES, &a));
	assert_int_equal(process_of(&a)->files, 24);
}

/* Without EXITING, whose memory it is is not known. */
static void test_without_exiting(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, mm_record(22, &a, PROCLIFE_MM_TEARDOWN, &a));
	feed(tasks, mm_record(29, &a, PROCLIFE_MM_GONE, &a));
	bury(30, &a);
	assert_false(last.known);
}

/* Those that are held when the tasks are freed are not leaked. */
static void test_freed_while_held(void **state)
{
	struct who a = process_of_pid(200, "app");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exec_record(11, &a, 200, "/bin/app"));
	feed(tasks, signal_record(12, &a, SIGKILL, &shell));
	feed(tasks, dies(20, &a));
	feed(tasks, mm_record(21, &a, PROCLIFE_MM_LEFT, &a));
	bury(30, &a);
	assert_int_equal(late.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MEMORY(test_by_itself),
		MEMORY(test_held),
		MEMORY(test_held_for_a_moment),
		MEMORY(test_by_a_worker),
		MEMORY(test_threads),
		MEMORY(test_early),
		MEMORY(test_early_before_a_gap),
		MEMORY(test_shared),
		MEMORY(test_held_by_a_child),
		MEMORY(test_shared_unseen),
		MEMORY(test_exec_drops_it),
		MEMORY(test_gap),
		MEMORY(test_gap_while_unmapped),
		MEMORY(test_own_gap),
		MEMORY(test_suppressed),
		MEMORY(test_nothing_to_unmap),
		MEMORY(test_not_its_own),
		MEMORY(test_another_that_exits),
		MEMORY(test_end_of_trace),
		MEMORY(test_files),
		MEMORY(test_without_exiting),
		MEMORY(test_freed_while_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
