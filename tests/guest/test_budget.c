// SPDX-License-Identifier: GPL-2.0-only
/*
 * An unprivileged process cannot overwrite the rings faster than the module's budget allows; and it
 * does not suppress the records of other processes' deaths and execs.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "flood.h"
#include "module.h"
#include "reading.h"
#include "victim.h"

#define MS 1000000ULL

static const unsigned int types[] = { PROCLIFE_WAIT, PROCLIFE_RENAME, PROCLIFE_SIGNAL };

/* This machine cannot make more records than are allowed, as seen on arm64, emulated on a busy host. */
static bool too_slow;

static void skip_if_too_slow(void)
{
	if (too_slow)
		skip();
}

/* On a slow machine, it takes a while to use up what CPU 0 has saved. */
static void flood_until_suppressed(struct proclife_source *source, unsigned int type,
				   const struct figures *before, struct figures *after)
{
	for (unsigned int i = 0; i < 20; i++) {
		must_succeed(flood_start(type, 500));
		*after = figures_of(source, 0);
		if (after->suppressed[type] > before->suppressed[type])
			break;
	}
}

static void test_flood(void **state)
{
	struct proclife_source *source = open_source();
	uint64_t size = proclife_source_header(source)->records_per_ring;

	(void)state;
	for (unsigned int i = 0; i < 3 && !too_slow; i++) {
		unsigned int type = types[i];
		struct figures before = figures_of(source, 0), after;
		uint64_t made, not_made, most;

		flood_until_suppressed(source, type, &before, &after);
		made = after.counts[type] - before.counts[type];
		not_made = after.suppressed[type] - before.suppressed[type];
		most = flood_allowed(&before, &after, size);
		print_message("type %u: %llu recorded of %llu that may be, %llu suppressed, "
			      "%llu positions\n", type, (unsigned long long)made,
			      (unsigned long long)most, (unsigned long long)not_made,
			      (unsigned long long)(after.positions - before.positions));
		assert_true(made > 0 && made <= most);
		too_slow = !not_made; /* after ten seconds */
		assert_true(after.positions - before.positions < 2 * most);
	}
	proclife_source_free(source);
	skip_if_too_slow();
}

/* Waits until CPU 0 has saved up enough to go on. */
static void let_it_end(void)
{
	usleep(100000);
	pin_to_cpu(0);
	waitpid(-1, NULL, WNOHANG);
	unpin();
}

/* Each suppression begins and ends in the stream, with no such record in between; the counts agree. */
static void test_stream_tells(void **state)
{
	struct proclife_source *source;
	struct figures before, after;
	struct proclife_event event;
	uint64_t end, told = 0, since = 0;
	unsigned int times = 0;

	(void)state;
	skip_if_too_slow();
	let_it_end();
	source = open_source();
	before = figures_of(source, 0);
	flood_until_suppressed(source, PROCLIFE_WAIT, &before, &after);
	let_it_end();
	after = figures_of(source, 0);
	end = now();
	while (next_until(source, end, &event)) {
		const struct proclife_record *r = event.record;

		assert_non_null(r);
		if (r->cpu)
			continue;
		if (r->type == PROCLIFE_WAIT)
			assert_true(since == 0);
		if (r->type != PROCLIFE_SUPPRESSED || r->suppressed.what != PROCLIFE_WAIT)
			continue;
		assert_int_equal(r->task | r->start | r->flags | r->pid | r->tgid | r->comm[0], 0);
		assert_int_equal(r->suppressed.ended, since != 0);
		if (since) {
			assert_true(r->suppressed.since == since);
			told += r->suppressed.count;
			since = 0;
		} else {
			assert_true(r->suppressed.since == r->ts);
			assert_int_equal(r->suppressed.count, 0);
			since = r->ts;
			times++;
		}
	}
	assert_true(times > 0);
	assert_true(since == 0);
	assert_int_equal(told, after.suppressed[PROCLIFE_WAIT] - before.suppressed[PROCLIFE_WAIT]);
	assert_int_equal(proclife_source_ring(source, 0)->suppressing, 0);
	proclife_source_free(source);
}

static void test_work_is_not_suppressed(void **state)
{
	struct proclife_source *source = open_source();
	uint32_t cpus = proclife_source_header(source)->cpus;
	uint64_t before = 0, after = 0;

	(void)state;
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		for (unsigned int i = 0; proclife_source_ring(source, cpu) && i < 3; i++)
			before += figures_of(source, cpu).suppressed[types[i]];
	for (unsigned int i = 0; i < 300; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			if (i % 3)
				_exit(0);
			execl("/bin/true", "true", NULL);
			_exit(127);
		}
		must_succeed(pid);
	}
	/* Also many at once. */
	for (unsigned int i = 0; i < 200; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid)
			for (;;)
				pause();
	}
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	signal(SIGTERM, SIG_DFL);
	while (wait(NULL) > 0 || errno == EINTR)
		;
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		for (unsigned int i = 0; proclife_source_ring(source, cpu) && i < 3; i++)
			after += figures_of(source, cpu).suppressed[types[i]];
	assert_int_equal(after, before);
	proclife_source_free(source);
}

#define KILLED 100

static const int fatal[] = { SIGKILL, SIGTERM, SIGUSR1 };

struct told {
	unsigned int kills;
	unsigned int ends;
	bool suppressed;
};

/*
 * Reads the records of @pid so far. The flood, though within its budget, overwrites the ring in
 * seconds: false if the machine was so slow that records were lost.
 */
static bool read_told(struct proclife_source *source, pid_t pid, int signo, struct told *told)
{
	uint64_t end = now();
	struct proclife_event event;
	bool whole = true;

	while (next_until(source, end, &event)) {
		const struct proclife_record *r = event.record;

		if (!r) {
			whole = false;
			continue;
		}
		told->suppressed |= r->type == PROCLIFE_SUPPRESSED &&
				    r->suppressed.what == PROCLIFE_SIGNAL;
		if (r->tgid != (uint32_t)pid)
			continue;
		told->kills += r->type == PROCLIFE_SIGNAL && r->signal.signo == signo;
		told->ends += r->type == PROCLIFE_NOTIFY;
	}
	return whole;
}

/* While signals are suppressed on a CPU, the killing signal and the parent's notification are recorded. */
static void test_deaths_are_told(void **state)
{
	struct told told = { .suppressed = false };
	struct proclife_source *source;
	struct figures before, after;
	unsigned int whole = 0;
	pid_t flooding;

	(void)state;
	skip_if_too_slow();
	source = open_source();
	before = figures_of(source, 0);
	flooding = flood_start(PROCLIFE_SIGNAL, 60000);
	too_slow = !flood_suppressed(source, PROCLIFE_SIGNAL);
	pin_to_cpu(0);
	for (unsigned int i = 0; whole < KILLED && !too_slow; i++) {
		int status, signo = fatal[i % 3];
		pid_t pid = fork_victim(NULL);

		assert_true(i < 10 * KILLED);
		read_told(source, pid, signo, &told);
		told.kills = told.ends = 0;
		kill(pid, signo);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(WTERMSIG(status), signo);
		if (!read_told(source, pid, signo, &told))
			continue;
		assert_int_equal(told.kills, 1);
		assert_int_equal(told.ends, 1);
		whole++;
	}
	after = figures_of(source, 0);
	unpin();
	kill(flooding, SIGKILL);
	waitpid(flooding, NULL, 0);
	proclife_source_free(source);
	skip_if_too_slow();
	assert_true(told.suppressed);
	assert_true(after.suppressed[PROCLIFE_SIGNAL] > before.suppressed[PROCLIFE_SIGNAL]);
}

#define EXECS 10

/* While renames are suppressed on a CPU, an exec's own rename, which has the cgroup, is recorded. */
static void test_execs_are_told(void **state)
{
	struct proclife_source *source;
	unsigned int whole = 0;
	pid_t flooding;

	(void)state;
	skip_if_too_slow();
	source = open_source();
	flooding = flood_start(PROCLIFE_RENAME, 60000);
	too_slow = !flood_suppressed(source, PROCLIFE_RENAME);
	pin_to_cpu(0);
	for (unsigned int i = 0; whole < EXECS && !too_slow; i++) {
		struct proclife_event event;
		unsigned int renamed = 0;
		bool lost = false;
		pid_t pid = fork();
		uint64_t end;

		assert_true(pid >= 0);
		assert_true(i < 10 * EXECS);
		if (!pid) {
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		must_succeed(pid);
		/* At once: the flood is still enough to overwrite the ring in some seconds. */
		end = now();
		while (next_until(source, end, &event)) {
			lost |= !event.record;
			renamed += event.record && event.record->type == PROCLIFE_RENAME &&
				   event.record->tgid == (uint32_t)pid;
		}
		if (lost)
			continue;
		assert_int_equal(renamed, 1);
		whole++;
	}
	unpin();
	kill(flooding, SIGKILL);
	waitpid(flooding, NULL, 0);
	proclife_source_free(source);
	skip_if_too_slow();
}

/*
 * Records outside the budget: how many a cycle of each loop leaves, and how soon a default ring
 * is overwritten. The manual has these figures.
 */

#define CYCLES 300

static void fork_cycles(void)
{
	fork_many(CYCLES);
}

static void *end_at_once(void *arg)
{
	return arg;
}

static void thread_cycles(void)
{
	for (unsigned int i = 0; i < CYCLES; i++) {
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, end_at_once, NULL), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
	}
}

/* Fewer: each maps the program and its libraries again, which takes long under emulation. */
#define EXEC_CYCLES 30

static char itself[] = "/proc/self/exe", exec_loop[] = "--exec";

static void exec_again(unsigned int times)
{
	char left[16];
	char *const argv[] = { itself, exec_loop, left, NULL };

	if (!times)
		_exit(0);
	snprintf(left, sizeof(left), "%u", times - 1);
	execv(itself, argv);
	_exit(127);
}

static void exec_cycles(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		exec_again(EXEC_CYCLES);
	must_succeed(pid);
}

static void test_costs(void **state)
{
	static const struct {
		const char *name;
		void (*run)(void);
		unsigned int cycles;
		unsigned int records; /* at least, each cycle */
	} loops[] = {
		{ "fork, _exit, waitpid", fork_cycles, CYCLES, 5 },
		{ "pthread_create, pthread_join", thread_cycles, CYCLES, 3 },
		{ "execve", exec_cycles, EXEC_CYCLES, 3 },
	};
	struct proclife_source *source = open_source();
	uint64_t size = proclife_source_header(source)->records_per_ring;

	(void)state;
	pin_to_cpu(0);
	for (unsigned int i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
		struct figures before = figures_of(source, 0), after;
		uint64_t records;

		loops[i].run();
		after = figures_of(source, 0);
		records = after.positions - before.positions;
		print_message("%s: %.1f records, %.0f us; a ring is overwritten in %.2f s\n",
			      loops[i].name, (double)records / loops[i].cycles,
			      (double)(after.at - before.at) / 1000 / loops[i].cycles,
			      (double)(after.at - before.at) / 1e9 * (double)size / (double)records);
		assert_true(records >= loops[i].records * loops[i].cycles);
		for (unsigned int j = 0; j < 3; j++)
			assert_int_equal(after.suppressed[types[j]], before.suppressed[types[j]]);
	}
	unpin();
	proclife_source_free(source);
}

/* For a reader that opens in the middle of a suppression, the library makes a record with the time of the open. */
static void test_comes_later(void **state)
{
	const struct proclife_ring_ctl *ctl;
	struct proclife_source *source, *later;
	uint64_t end, came, said;
	struct proclife_event event;
	pid_t flood;

	(void)state;
	skip_if_too_slow();
	let_it_end();
	source = open_source();
	ctl = proclife_source_ring(source, 0);
	flood = flood_start(PROCLIFE_WAIT, 60000);
	end = now() + 20000 * MS;
	/* A flood is suppressed for most of the time, but not for all. */
	for (;;) {
		assert_true(now() < end);
		if (!(ctl->suppressing & PROCLIFE_HAS(PROCLIFE_WAIT)))
			continue;
		said = proclife_source_count(source, 0, PROCLIFE_SUPPRESSED);
		later = open_source();
		came = now();
		/* On a slow machine, the suppression can end meanwhile, and another one begin. */
		if (ctl->suppressing & PROCLIFE_HAS(PROCLIFE_WAIT) &&
		    proclife_source_count(source, 0, PROCLIFE_SUPPRESSED) == said)
			break;
		proclife_source_free(later);
	}
	kill(flood, SIGKILL);
	waitpid(flood, NULL, 0);
	let_it_end();
	do {
		assert_true(next_until(later, now(), &event));
		assert_non_null(event.record);
	} while (event.record->type != PROCLIFE_SUPPRESSED || event.record->cpu ||
		 event.record->suppressed.what != PROCLIFE_WAIT);
	assert_int_equal(event.record->suppressed.ended, 0);
	assert_int_equal(event.record->suppressed.since, 0);
	assert_true(event.record->ts <= came);
	proclife_source_free(later);
	proclife_source_free(source);
}

#define ZOMBIES 300
#define INHERITORS 100

/* The last process leaves zombies; each exits after its child, so all of them inherit the zombies in turn. */
static void inherit(uint64_t *began)
{
	siginfo_t info;

	for (unsigned int i = 0; i < INHERITORS; i++) {
		pid_t pid;

		prctl(PR_SET_CHILD_SUBREAPER, 1);
		pid = fork();
		if (pid) {
			waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
			_exit(0);
		}
	}
	for (unsigned int i = 0; i < ZOMBIES; i++)
		if (!fork())
			_exit(0);
	usleep(300000);
	*began = now();
	_exit(0);
}

/* A zombie costs one fork. Reparenting it again and again must not fill the ring. */
static void test_handed_on(void **state)
{
	uint64_t *began = mmap(NULL, sizeof(*began), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct proclife_source *source = open_source();
	uint64_t size = proclife_source_header(source)->records_per_ring, announced, suppressed, most;
	struct figures before = figures_of(source, 0), after;
	siginfo_t info;
	pid_t pid;

	(void)state;
	assert_ptr_not_equal(began, MAP_FAILED);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		pin_to_cpu(0);
		inherit(began);
	}
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	after = figures_of(source, 0);
	while (waitpid(-1, NULL, 0) > 0)
		;
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	proclife_source_free(source);
	announced = after.counts[PROCLIFE_NOTIFY] - before.counts[PROCLIFE_NOTIFY];
	suppressed = after.suppressed[PROCLIFE_NOTIFY] - before.suppressed[PROCLIFE_NOTIFY];
	/* While the zombies are reparented, nothing is forked, executed or reaped. */
	memcpy(before.counts, after.counts, sizeof(before.counts));
	before.at = *began;
	munmap(began, sizeof(*began));
	most = flood_allowed(&before, &after, size);
	print_message("%u handed on, in %llu ms: %llu ends announced, %llu suppressed\n", ZOMBIES * INHERITORS,
		      (unsigned long long)(after.at - before.at) / MS, (unsigned long long)announced,
		      (unsigned long long)suppressed);
	if (announced + suppressed <= most)
		skip(); /* too slow a machine */
	assert_true(suppressed > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_work_is_not_suppressed),
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_stream_tells),
		cmocka_unit_test(test_comes_later),
		cmocka_unit_test(test_deaths_are_told),
		cmocka_unit_test(test_execs_are_told),
		cmocka_unit_test(test_handed_on),
	};

	if (argc == 3 && !strcmp(argv[1], exec_loop))
		exec_again((unsigned int)atoi(argv[2]));
	setpgid(0, 0);
	return cmocka_run_group_tests(tests, load_fixture, unload_fixture);
}
