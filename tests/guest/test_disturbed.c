// SPDX-License-Identifier: GPL-2.0-only
/* Disturbs a recorded machine: its clock is set, CPUs go, a reader stands still. */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "module.h"
#include "reading.h"

static void step_clock(int64_t seconds)
{
	struct timespec ts;

	assert_int_equal(clock_gettime(CLOCK_REALTIME, &ts), 0);
	ts.tv_sec += seconds;
	assert_int_equal(clock_settime(CLOCK_REALTIME, &ts), 0);
}

static void test_the_clock_is_set_in_a_storm(void **state)
{
	static const int64_t steps[] = { 3600, -7200, 1, -1, 86400 * 365, -86400 * 365 + 3600 };
	struct proclife_source *source;
	uint64_t freed = 0, last = 0, stormed;
	struct storm *storm;
	size_t i;

	(void)state;
	assert_int_equal(module_load("ring_kb=16384"), 0);
	source = open_source();
	storm = storm_start(4);
	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		storm_for(storm, 50);
		step_clock(steps[i]);
		storm_for(storm, 50);
		freed += read_in_order(source, UINT_MAX, &last);
	}
	stormed = storm_stop(storm) + 4;
	read_until_freed(source, freed, stormed, &last);
	proclife_source_free(source);
	assert_int_equal(module_unload(), 0);
}

/* Turns off all CPUs but one at once: their records are read, and they go on there later. */
static void test_one_cpu_is_left_in_a_storm(void **state)
{
	struct proclife_source *source;
	uint64_t freed = 0, last = 0, stormed;
	int cpu, cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	struct storm *storm;
	unsigned int i;

	(void)state;
	if (cpus < 2)
		skip();
	assert_int_equal(module_load("ring_kb=16384"), 0);
	source = open_source();
	storm = storm_start(4);
	for (i = 0; i < 3; i++) {
		storm_for(storm, 50);
		for (cpu = 1; cpu < cpus; cpu++)
			assert_int_equal(cpu_set_online(cpu, false), 0);
		storm_for(storm, 50);
		freed += read_in_order(source, UINT_MAX, &last);
		for (cpu = cpus - 1; cpu > 0; cpu--)
			assert_int_equal(cpu_set_online(cpu, true), 0);
		storm_for(storm, 50);
		freed += read_in_order(source, UINT_MAX, &last);
	}
	stormed = storm_stop(storm) + 4;
	read_until_freed(source, freed, stormed, &last);
	proclife_source_free(source);
	assert_int_equal(module_unload(), 0);
}

static uint64_t committed(struct proclife_source *source)
{
	uint32_t cpu, cpus = proclife_source_header(source)->cpus;
	uint64_t sum = 0;

	for (cpu = 0; cpu < cpus; cpu++) {
		const struct proclife_ring_ctl *ctl = proclife_source_ring(source, cpu);

		sum += ctl ? __atomic_load_n(&ctl->commit, __ATOMIC_ACQUIRE) : 0;
	}
	return sum;
}

/* Reads all the time. Given an end, it reads up to that and answers with what it got and lost. */
static void reader(int from, int to)
{
	struct proclife_source *source;
	struct proclife_event event;
	uint64_t total = 0, end = 0;

	if (try_open_source(&source) || write(to, "", 1) != 1)
		_exit(1);
	while (!end) {
		struct timespec moment = { .tv_nsec = 1000000 };

		while (proclife_source_next(source, &event) == 1)
			total += event.record ? 1 : event.gap.lost;
		nanosleep(&moment, NULL);
		if (read(from, &end, sizeof(end)) != sizeof(end))
			end = 0; /* no end yet: the pipe does not block */
	}
	while (next_until(source, end, &event))
		total += event.record ? 1 : event.gap.lost;
	_exit(write(to, &total, sizeof(total)) != sizeof(total));
}

/* Forks per minute, over seconds in which each ring is overwritten a few times. */
static uint64_t storm_pace(const struct storm *storm, struct proclife_source *watch)
{
	const struct proclife_header *header = proclife_source_header(watch);
	uint64_t begin = now(), forked = storm_forked(storm), before = committed(watch), end = begin;
	uint64_t progress = begin, last = before, count;

	while (end - begin < 2000000000ull ||
	       last - before < 4 * header->cpus * header->records_per_ring) {
		usleep(10000);
		end = now();
		count = committed(watch);
		if (last != count)
			progress = end;
		last = count;
		/* Not even a slow machine takes this long. */
		assert_true(end - progress < 60000000000ull);
	}
	return (storm_forked(storm) - forked) * 60000000000ull / (end - begin);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * The rings are overwritten many times while it is stopped: writers wait for no reader. And when it
 * goes on, it knows how much it has missed.
 */
static void test_a_reader_is_stopped_in_a_storm(void **state)
{
	struct proclife_source *watch;
	uint64_t begin[2], end[2], running = 0, stopped = 0, total, until;
	int to[2], from[2], pid, status;
	struct storm *storm;
	unsigned int i;
	char ready;

	(void)state;
	assert_int_equal(module_load("ring_kb=8"), 0);
	assert_int_equal(pipe2(to, O_NONBLOCK), 0);
	assert_int_equal(pipe(from), 0);
	watch = open_source();
	begin[0] = committed(watch);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		reader(to[0], from[1]);
	assert_int_equal(read(from[0], &ready, 1), 1);
	begin[1] = committed(watch);

	storm = storm_start(4);
	/* In turns, and the best of each, since other guests slow the machine at times. */
	for (i = 0; i < 3; i++) {
		running = larger(running, storm_pace(storm, watch));
		assert_int_equal(kill(pid, SIGSTOP), 0);
		stopped = larger(stopped, storm_pace(storm, watch));
		assert_int_equal(kill(pid, SIGCONT), 0);
	}
	if (stopped < running / 4) /* which is more than a busy host explains */
		fail_msg("%llu forks per minute while the reader runs, %llu while it is stopped",
			 (unsigned long long)running, (unsigned long long)stopped);
	storm_stop(storm);
	sleep(1);
	end[0] = committed(watch);
	until = now();
	end[1] = committed(watch);
	assert_int_equal(write(to[1], &until, sizeof(until)), sizeof(until));
	assert_int_equal(read(from[0], &total, sizeof(total)), sizeof(total));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* The reader's start and the wait for its end add some records. */
	assert_in_range(total, end[0] - begin[1], end[1] - begin[0] + 16);
	proclife_source_free(watch);
	assert_int_equal(module_unload(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_clock_is_set_in_a_storm),
		cmocka_unit_test(test_one_cpu_is_left_in_a_storm),
		cmocka_unit_test(test_a_reader_is_stopped_in_a_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
