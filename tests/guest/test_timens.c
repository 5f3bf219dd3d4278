// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader in a time namespace, which has another clock, yields the same records, at once and
 * in order.
 */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "module.h"
#include "reading.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

#define SECOND 1000000000ull

enum { FINE, CANNOT_OPEN, LATE, DISORDER, LOST, WRONG_TIME };

static uint64_t clock_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

static bool is_near(uint64_t a, uint64_t b)
{
	return a - b + SECOND < 2 * SECOND;
}

/* Our fork is yielded within two seconds, and in order among the forks of the storm. */
static int read_here(void)
{
	struct proclife_source *source;
	struct proclife_event event;
	const struct proclife_header *header;
	uint64_t began, last = 0;
	pid_t pid;

	if (proclife_device_open(&source, NULL))
		return CANNOT_OPEN;
	header = proclife_source_header(source);
	/* The wall-clock time is the same in all namespaces. */
	if (!is_near(proclife_source_now(source) + header->to_realtime, clock_now(CLOCK_REALTIME)))
		return WRONG_TIME;
	pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	for (began = now(); now() - began < 2 * SECOND;) {
		int ret = proclife_source_next(source, &event);

		if (!ret) {
			proclife_source_wait(source, 20);
			continue;
		}
		if (ret < 0 || !event.record)
			return LOST;
		if (event.record->ts < last)
			return DISORDER;
		last = event.record->ts;
		if (event.record->type == PROCLIFE_EXIT && event.record->pid == (uint32_t)pid)
			pid = 0;
		if (!pid && now() - began > SECOND)
			return FINE;
	}
	return LATE;
}

/* Reads in a namespace where CLOCK_MONOTONIC is this many seconds ahead. */
static int read_in_namespace(long ahead)
{
	int pid = fork(), status;

	if (!pid) {
		FILE *offsets;

		if (unshare(CLONE_NEWTIME))
			_exit(77);
		offsets = fopen("/proc/self/timens_offsets", "w");
		if (!offsets || fprintf(offsets, "monotonic %ld 0\n", ahead) < 0 || fclose(offsets))
			_exit(78);
		pid = fork(); /* a child is the first one in it */
		if (!pid)
			_exit(read_here());
		waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 79);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_reader_in_a_time_namespace(void **state)
{
	static const long offsets[] = { 0, 1, 100000, 1000000000 };
	struct storm *storm;
	size_t i;

	(void)state;
	if (access("/proc/self/ns/time", F_OK)) {
		printf("this kernel has no time namespaces\n");
		skip();
	}
	storm = storm_start(4);
	for (i = 0; i < sizeof(offsets) / sizeof(*offsets); i++)
		assert_int_equal(read_in_namespace(offsets[i]), FINE);
	/* As far back as the clock of a guest that has just been booted can be set. */
	assert_int_equal(read_in_namespace(-(long)(now() / SECOND)), FINE);
	storm_stop(storm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reader_in_a_time_namespace),
	};

	return cmocka_run_group_tests(tests, load_fixture, unload_fixture);
}
