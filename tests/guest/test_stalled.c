// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that stand still at any instruction, as virtual ones do: in a guest of tests/vm/run --stall.
 * A CPU that stands still in the middle of a write holds the merge horizon and nothing else; one on
 * which a reader runs holds nothing at all.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "module.h"
#include "reading.h"

#define CPUS_MAX 64
#define READER_CPU 0

/* No write takes this long, even where the emulator has to wait for the machine. */
#define LONG 20000000ull

/* Stalls of each kind; on a slow machine, in a shorter time, fewer are enough. */
#define WANTED 20
#define LEAST 5
#define SECONDS_WANTED 100
#define SECONDS_MOST 300

/* A CPU's write as the reader last saw it. */
struct write {
	uint64_t position, since, until, horizon;
	uint64_t others; /* what the other CPUs had committed when it began ... */
	uint64_t more;   /* ... and have since */
};

/* Times that CPUs stood still, in the middle of a write and where the reader runs. */
struct times {
	unsigned int count, others_wrote;
	uint64_t longest, others;
};

static struct times in_a_write, in_the_reader;

static bool seen_each(unsigned int least)
{
	return in_a_write.count >= least && in_the_reader.count >= least;
}

static void add_time(struct times *times, uint64_t ns, uint64_t others)
{
	times->count++;
	times->others_wrote += others > 0;
	times->others += others;
	if (times->longest < ns)
		times->longest = ns;
}

static void say_times(const struct times *times, const char *where)
{
	print_message("%u times a CPU stood still %s, for up to %llu ms: in %u of them other CPUs wrote, "
		      "%llu records in all\n", times->count, where,
		      (unsigned long long)times->longest / 1000000, times->others_wrote,
		      (unsigned long long)times->others);
}

static uint64_t commit_of(const struct proclife_ring_ctl *ctl)
{
	return ctl ? __atomic_load_n(&ctl->commit, __ATOMIC_ACQUIRE) : 0;
}

static uint64_t committed_but(struct proclife_source *source, uint32_t but)
{
	uint32_t cpu, cpus = proclife_source_header(source)->cpus;
	uint64_t sum = 0;

	for (cpu = 0; cpu < cpus; cpu++)
		if (cpu != but)
			sum += commit_of(proclife_source_ring(source, cpu));
	return sum;
}

/* Many short writes: forks, and waits without children, which leave a record each. */
static void write_all_the_time(int cpu, uint64_t *forked)
{
	int i;

	pin_to_cpu(cpu);
	for (;;) {
		fork_once(0);
		__atomic_fetch_add(forked, 1, __ATOMIC_RELAXED);
		for (i = 0; i < 200; i++)
			waitpid(-1, NULL, WNOHANG);
		usleep(1000);
	}
}

/* For the record that was in flight: no horizon taken meanwhile may be above its time. */
static void check_time(struct proclife_source *source, const struct proclife_ring_ctl *ctl,
		       const struct write *write)
{
	const struct proclife_header *header = proclife_source_header(source);
	const struct proclife_record *records =
		(const void *)((const char *)ctl + header->records_offset);

	assert_true(records[write->position & (header->records_per_ring - 1)].ts >= write->horizon);
}

static void look_at(struct proclife_source *source, uint32_t cpu, struct write *write)
{
	const struct proclife_ring_ctl *ctl = proclife_source_ring(source, cpu);
	uint64_t reserve, commit, others, t, horizon = proclife_source_horizon(source);

	if (!ctl)
		return;
	commit = commit_of(ctl);
	reserve = __atomic_load_n(&ctl->reserve, __ATOMIC_ACQUIRE);
	t = now();
	if (write->since && commit != write->position) {
		check_time(source, ctl, write);
		if (write->until - write->since >= LONG)
			add_time(&in_a_write, write->until - write->since, write->more);
		write->since = 0;
	}
	/* If commit is still the same, this position was in flight when reserve was read. */
	if (reserve == commit || commit_of(ctl) != commit)
		return;
	others = committed_but(source, cpu);
	if (!write->since)
		*write = (struct write){ .position = commit, .since = t, .others = others };
	write->until = t;
	write->horizon = horizon;
	write->more = others - write->others;
}

/* Nothing here takes long unless the reader's own CPU stands still. */
static void watch(struct proclife_source *source, struct write *writes)
{
	uint32_t cpu, cpus = proclife_source_header(source)->cpus;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		uint64_t begin = now(), others = committed_but(source, READER_CPU), end;

		for (cpu = 0; cpu < cpus; cpu++)
			look_at(source, cpu, &writes[cpu]);
		others = committed_but(source, READER_CPU) - others;
		end = now();
		if (end - begin >= LONG)
			add_time(&in_the_reader, end - begin, others);
	}
}

static void test_cpus_that_stand_still(void **state)
{
	static struct write writes[CPUS_MAX];
	int cpu, cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), pids[CPUS_MAX];
	uint64_t *forked, freed = 0, last = 0, begin, quiet;
	struct proclife_source *source;
	unsigned int i;

	(void)state;
	if (!getenv("PROCLIFE_VM_STALL")) {
		print_message("skipped: no CPU stands still here, see tests/vm/run --stall\n");
		skip();
	}
	assert_in_range(cpus, 2, CPUS_MAX);
	assert_int_equal(module_load("ring_kb=16384"), 0);
	forked = mmap(NULL, sizeof(*forked), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(forked, MAP_FAILED);
	source = open_source();
	pin_to_cpu(READER_CPU);
	for (cpu = 0; cpu < cpus; cpu++) {
		if (cpu == READER_CPU)
			continue;
		pids[cpu] = fork();
		assert_true(pids[cpu] >= 0);
		if (!pids[cpu])
			write_all_the_time(cpu, forked);
	}
	begin = now();
	while (now() < begin + SECONDS_MOST * 1000000000ull &&
	       !seen_each(now() < begin + SECONDS_WANTED * 1000000000ull ? WANTED : LEAST)) {
		freed += read_in_order(source, 10000, &last);
		watch(source, writes);
	}
	for (cpu = 0; cpu < cpus; cpu++) {
		if (cpu == READER_CPU)
			continue;
		kill(pids[cpu], SIGTERM);
		assert_int_equal(waitpid(pids[cpu], NULL, 0), pids[cpu]);
	}
	quiet = now();
	for (i = 0; i < 300 && (freed < *forked + cpus - 1 || last < quiet); i++) {
		fork_once(0);
		usleep(100000);
		freed += read_in_order(source, 10000, &last);
	}
	say_times(&in_a_write, "in the middle of a write");
	say_times(&in_the_reader, "under the reader");
	print_message("%llu processes, %llu records lost\n", (unsigned long long)*forked,
		      (unsigned long long)proclife_source_lost(source));
	assert_true(freed >= *forked + cpus - 1);
	assert_int_equal(proclife_source_lost(source), 0);
	/* The horizon has advanced. */
	assert_true(proclife_source_horizon(source) >= quiet);
	assert_true(seen_each(LEAST));
	/* Not each time: an emulator that stops one CPU can be about to stop all for a moment. */
	assert_true(in_a_write.others_wrote >= in_a_write.count / 2);
	assert_true(in_the_reader.others_wrote >= in_the_reader.count / 2);
	proclife_source_free(source);
	assert_int_equal(module_unload(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus_that_stand_still),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
