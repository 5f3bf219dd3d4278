// SPDX-License-Identifier: GPL-2.0-only
/*
 * The records' times are CLOCK_MONOTONIC, whatever happens to it: it is made faster and
 * slower, and read from another device. They never go back, on any CPU.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "module.h"
#include "reading.h"

#define FORKS 100
#define SOURCE "/sys/devices/system/clocksource/clocksource0/"

struct fork_seen {
	pid_t pid;
	uint64_t before, after; /* by this process's clock */
};

/* Each FORK is between what the clock said before and after it; all are in order. */
static void forks_are_where_the_clock_says(struct proclife_source *source)
{
	struct fork_seen forks[FORKS];
	struct proclife_event event;
	uint64_t last = 0, asked;
	unsigned int i, found = 0;

	for (i = 0; i < FORKS; i++) {
		forks[i].before = now();
		asked = proclife_source_now(source);
		assert_in_range(asked, forks[i].before, now());
		forks[i].before = asked;
		forks[i].pid = fork();
		if (!forks[i].pid)
			_exit(0);
		assert_true(forks[i].pid > 0);
		forks[i].after = now();
		assert_int_equal(waitpid(forks[i].pid, NULL, 0), forks[i].pid);
	}
	while (found < FORKS && next_until(source, now(), &event)) {
		const struct proclife_record *r = event.record;

		assert_non_null(r);
		assert_true(r->ts >= last);
		last = r->ts;
		if (r->type != PROCLIFE_FORK || r->fork.creator_tgid != (uint32_t)getpid() ||
		    r->pid != (uint32_t)forks[found].pid)
			continue;
		assert_in_range(r->ts, forks[found].before, forks[found].after);
		found++;
	}
	assert_int_equal(found, FORKS);
}

/* Sets the tick in µs (10,000 is normal), and the frequency in parts per million. */
static void set_pace(long tick, long ppm)
{
	struct timex t = { .modes = ADJ_TICK | ADJ_FREQUENCY, .tick = tick, .freq = ppm * 65536 };

	assert_true(adjtimex(&t) >= 0);
}

static pid_t flipper;

static int usual_pace(void **state)
{
	(void)state;
	if (flipper > 0) {
		kill(flipper, SIGKILL);
		waitpid(flipper, NULL, 0);
		flipper = 0;
	}
	set_pace(10000, 0);
	return 0;
}

/*
 * A slower pace can leave the module's clock ahead of the kernel's: by milliseconds, if the host stopped
 * this CPU while the kernel changed the pace. The kernel's catches up; see module/clock.h.
 */
static void until_clocks_agree(struct proclife_source *source)
{
	uint64_t end = now() + 10000000000, before, asked, after;

	do {
		before = now();
		asked = proclife_source_now(source);
		after = now();
		assert_true(asked >= before);
		assert_true(after < end);
	} while (asked > after);
}

static void test_another_pace(void **state)
{
	static const struct {
		long tick, ppm;
	} paces[] = { { 11000, 0 }, { 9000, 0 }, { 10000, 500 }, { 10000, -500 }, { 9001, 499 }, { 10000, 0 } };
	struct proclife_source *source = open_source();
	struct storm *storm = storm_start(4);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(paces) / sizeof(*paces); i++) {
		set_pace(paces[i].tick, paces[i].ppm);
		until_clocks_agree(source);
		forks_are_where_the_clock_says(source);
	}
	storm_stop(storm);
	assert_int_equal(proclife_source_lost(source), 0);
	proclife_source_free(source);
}

/* Checks that a child's records come in the order in which they happen. */
static void check_step(uint16_t *seen, uint16_t type)
{
	switch (type) {
	case PROCLIFE_FORK:
		assert_int_equal(*seen, 0);
		break;
	case PROCLIFE_EXIT:
		assert_int_equal(*seen, PROCLIFE_FORK);
		break;
	case PROCLIFE_REAP:
		assert_int_equal(*seen, PROCLIFE_EXIT);
		break;
	default:
		return;
	}
	*seen = type;
}

/* The clock's rate changes all the time while the records are read. */
static void test_flips_while_reading(void **state)
{
	enum { CHILDREN = 400 };
	static uint16_t seen[CHILDREN];
	static pid_t pids[CHILDREN];
	struct proclife_source *source = open_source();
	struct storm *storm = storm_start(4);
	struct proclife_event event;
	uint64_t last = 0, end = UINT64_MAX;
	unsigned int count = 0, i;
	pid_t parent = getpid();

	(void)state;
	flipper = fork();
	assert_true(flipper >= 0);
	if (!flipper) {
		end_with(parent);
		for (i = 0;; i++)
			set_pace(i % 2 ? 9000 : 11000, 0);
	}
	do {
		if (count < CHILDREN) {
			pids[count] = fork();
			if (!pids[count])
				_exit(0);
			assert_true(pids[count] > 0);
			assert_int_equal(waitpid(pids[count], NULL, 0), pids[count]);
			if (++count == CHILDREN)
				end = proclife_source_now(source);
		}
		while (last < end && proclife_source_next(source, &event) == 1) {
			const struct proclife_record *r = event.record;

			assert_non_null(r);
			assert_true(r->ts >= last);
			last = r->ts;
			for (i = count; i-- && count - i < 50;)
				if (r->pid == (uint32_t)pids[i])
					break;
			if (i < count && r->pid == (uint32_t)pids[i])
				check_step(&seen[i], r->type);
		}
	} while (last < end);
	usual_pace(state);
	storm_stop(storm);
	for (i = 0; i < CHILDREN; i++)
		assert_int_equal(seen[i], PROCLIFE_REAP);
	assert_int_equal(proclife_source_lost(source), 0);
	proclife_source_free(source);
}

static void read_source(const char *name, char *text, size_t size)
{
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), SOURCE "%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	n = read(fd, text, size - 1);
	assert_true(n > 0);
	text[n - 1] = '\0';
	close(fd);
}

static void use_source(const char *name)
{
	int fd = open(SOURCE "current_clocksource", O_WRONLY | O_CLOEXEC);
	char current[64];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, name, strlen(name)), (ssize_t)strlen(name));
	close(fd);
	read_source("current_clocksource", current, sizeof(current));
	assert_string_equal(current, name);
}

static void test_another_clocksource(void **state)
{
	char first[64], available[256], *name, *rest;
	struct proclife_source *source;
	struct storm *storm;
	unsigned int others = 0;

	(void)state;
	read_source("current_clocksource", first, sizeof(first));
	read_source("available_clocksource", available, sizeof(available));
	source = open_source();
	storm = storm_start(4);
	until_clocks_agree(source); /* the earlier paces are over, but can have left a floor */
	for (name = strtok_r(available, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		if (!strcmp(name, first))
			continue;
		use_source(name);
		forks_are_where_the_clock_says(source);
		use_source(first);
		forks_are_where_the_clock_says(source);
		others++;
	}
	storm_stop(storm);
	assert_int_equal(proclife_source_lost(source), 0);
	proclife_source_free(source);
	if (!others) {
		printf("%s is the only clocksource here\n", first);
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_another_pace, usual_pace),
		cmocka_unit_test_teardown(test_flips_while_reading, usual_pace),
		cmocka_unit_test(test_another_clocksource),
	};

	return cmocka_run_group_tests(tests, load_fixture, unload_fixture);
}
