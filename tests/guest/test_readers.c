// SPDX-License-Identifier: GPL-2.0-only
/* Readers of a running kernel: two at once, one that falls behind, and CPUs that come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "module.h"
#include "reading.h"

static void test_two_readers_see_the_same(void **state)
{
	struct proclife_source *first, *second;
	struct proclife_event a, b;
	struct storm *storm;
	uint64_t begin, end, n = 0;

	(void)state;
	assert_int_equal(module_load(""), 0);
	first = open_source();
	second = open_source();
	begin = now();
	/* Counted, not timed: enough to compare, and less than the rings hold. */
	storm = storm_start(4);
	while (storm_forked(storm) < 500)
		usleep(1000);
	storm_stop(storm);
	end = now();

	/* They began a moment apart: both have all from `begin` on. */
	do
		assert_true(next_until(first, end, &a));
	while (a.record->ts < begin);
	do
		assert_true(next_until(second, end, &b));
	while (b.record->ts < begin);
	for (;;) {
		bool more = next_until(first, end, &a);

		assert_int_equal(next_until(second, end, &b), more);
		if (!more)
			break;
		assert_non_null(a.record);
		assert_non_null(b.record);
		assert_memory_equal(a.record, b.record, sizeof(*a.record));
		n++;
	}
	assert_true(n > 1000);
	assert_int_equal(proclife_source_lost(first), 0);
	assert_int_equal(proclife_source_lost(second), 0);
	proclife_source_free(first);
	proclife_source_free(second);
	assert_int_equal(module_unload(), 0);
}

/* All events also come slice by slice: the event that ends a slice is the first of the next. */
static void test_slices_make_up_the_whole(void **state)
{
	struct proclife_source *whole, *sliced;
	struct proclife_event a, b;
	uint64_t begin, end, slice, n = 0;

	(void)state;
	assert_int_equal(module_load(""), 0);
	whole = open_source();
	sliced = open_source();
	begin = now();
	fork_many(200);
	end = now();
	/* They began a moment apart. */
	while (next_until(whole, begin, &a))
		;
	while (next_until(sliced, begin, &b))
		;
	for (slice = 1; slice <= 50; slice++) {
		while (next_until(sliced, begin + (end - begin) * slice / 50, &b)) {
			assert_true(next_until(whole, end, &a));
			assert_non_null(a.record);
			assert_non_null(b.record);
			assert_memory_equal(a.record, b.record, sizeof(*a.record));
			n++;
		}
	}
	assert_false(next_until(whole, end, &a));
	assert_true(n >= 3 * 200);
	proclife_source_free(whole);
	proclife_source_free(sliced);
	assert_int_equal(module_unload(), 0);
}

#define MAX_CPUS 64

/* What each CPU has committed now. */
static void committed(struct proclife_source *source, uint64_t commit[MAX_CPUS])
{
	uint32_t cpu, cpus = proclife_source_header(source)->cpus;

	assert_true(cpus <= MAX_CPUS);
	for (cpu = 0; cpu < cpus; cpu++) {
		const struct proclife_ring_ctl *ctl = proclife_source_ring(source, cpu);

		commit[cpu] = ctl ? __atomic_load_n(&ctl->commit, __ATOMIC_ACQUIRE) : 0;
	}
}

/*
 * On each CPU, what is yielded and what is lost make up what was committed. The counts are read
 * just before and just after the reader begins, and ends: if a CPU was idle in between, as it
 * nearly always is, this is exact.
 */
static void test_an_overrun_is_counted_exactly(void **state)
{
	uint64_t begin[2][MAX_CPUS] = {}, end[2][MAX_CPUS] = {}, got[MAX_CPUS] = {};
	struct proclife_source *source, *watch;
	struct proclife_event event;
	uint64_t last = 0, gaps = 0, stop;
	struct storm *storm;
	unsigned int i, exact = 0;
	uint32_t cpu;

	(void)state;
	assert_int_equal(module_load("ring_kb=4"), 0);
	watch = open_source();
	assert_int_equal(proclife_source_header(watch)->records_per_ring, 32);
	committed(watch, begin[0]);
	source = open_source();
	committed(watch, begin[1]);

	storm = storm_start(4);
	for (i = 0; i < 21; i++) {
		/* On slow machines, too: more on one CPU than its ring holds. */
		pin_to_cpu(0);
		fork_many(40);
		unpin();
		if (i == 20) {
			storm_stop(storm);
			sleep(1);
			committed(watch, end[0]);
			stop = now();
			committed(watch, end[1]);
		} else {
			stop = 0; /* take what is left */
		}
		for (;;) {
			if (stop ? !next_until(source, stop, &event) :
				   proclife_source_next(source, &event) != 1)
				break;
			assert_true((event.record ? event.record->ts : event.gap.from) >= last);
			last = event.record ? event.record->ts : event.gap.from;
			if (event.record) {
				got[event.record->cpu]++;
			} else {
				assert_true(event.gap.lost > 0);
				assert_true(event.gap.from <= event.gap.to);
				got[event.gap.cpu] += event.gap.lost;
				gaps++;
			}
		}
	}
	for (cpu = 0; cpu < proclife_source_header(source)->cpus; cpu++) {
		assert_true(got[cpu] >= end[0][cpu] - begin[1][cpu]);
		assert_true(got[cpu] <= end[1][cpu] - begin[0][cpu]);
		exact += got[cpu] == end[0][cpu] - begin[0][cpu] && got[cpu];
	}
	assert_true(exact > 0);
	assert_true(gaps > 4);
	assert_true(proclife_source_lost(source) > 100);
	proclife_source_free(source);
	proclife_source_free(watch);
	assert_int_equal(module_unload(), 0);
}

/* A CPU that was off when the module was loaded gets its ring as it comes up. */
static void test_a_cpu_that_comes_up_has_a_ring(void **state)
{
	struct proclife_source *source;
	struct proclife_event event;
	unsigned int forked = 0;
	uint64_t end;
	int cpu = (int)sysconf(_SC_NPROCESSORS_CONF) - 1;

	(void)state;
	if (cpu < 1)
		skip();
	assert_int_equal(cpu_set_online(cpu, false), 0);
	assert_int_equal(module_load(""), 0);
	source = open_source();
	assert_null(proclife_source_ring(source, cpu));

	assert_int_equal(cpu_set_online(cpu, true), 0);
	pin_to_cpu(cpu);
	fork_many(100);
	unpin();
	end = now();
	while (next_until(source, end, &event)) {
		assert_non_null(event.record);
		if (event.record->type == PROCLIFE_FORK && event.record->cpu == cpu &&
		    event.record->fork.parent_tgid == (uint32_t)getpid())
			forked++;
	}
	assert_int_equal(forked, 100);
	assert_non_null(proclife_source_ring(source, cpu));
	assert_int_equal(proclife_source_lost(source), 0);
	proclife_source_free(source);
	assert_int_equal(module_unload(), 0);
}

/* Nothing is lost and nothing out of order while CPUs go down and up in a storm. */
static void test_cpus_come_and_go_in_a_storm(void **state)
{
	struct proclife_source *source;
	struct proclife_event event;
	uint64_t forks = 0, frees = 0, last = 0, end, stormed;
	struct storm *storm;
	int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	unsigned int i;

	(void)state;
	if (cpus < 2)
		skip();
	assert_int_equal(module_load("ring_kb=16384"), 0);
	source = open_source();
	storm = storm_start(4);
	for (i = 0; i < 10; i++) {
		int cpu = 1 + (int)i % (cpus - 1);

		assert_int_equal(cpu_set_online(cpu, false), 0);
		usleep(20000);
		assert_int_equal(cpu_set_online(cpu, true), 0);
	}
	stormed = storm_stop(storm);
	/* RCU may be lazy: since Linux 6.2, it can be ten seconds until the last ones are freed. */
	for (i = 0; i < 30 && frees < stormed + 4; i++) {
		sleep(1);
		end = now();
		while (next_until(source, end, &event)) {
			assert_non_null(event.record);
			assert_true(event.record->ts >= last);
			last = event.record->ts;
			forks += event.record->type == PROCLIFE_FORK;
			frees += event.record->type == PROCLIFE_FREE;
		}
	}
	assert_int_equal(proclife_source_lost(source), 0);
	assert_true(forks >= stormed + 4);
	assert_true(frees >= stormed + 4);
	proclife_source_free(source);
	assert_int_equal(module_unload(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_readers_see_the_same),
		cmocka_unit_test(test_slices_make_up_the_whole),
		cmocka_unit_test(test_an_overrun_is_counted_exactly),
		cmocka_unit_test(test_a_cpu_that_comes_up_has_a_ring),
		cmocka_unit_test(test_cpus_come_and_go_in_a_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
