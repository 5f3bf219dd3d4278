// SPDX-License-Identifier: GPL-2.0-only
/* read(2), poll(2) and epoll with a watermark: no reader sleeps past it, none is woken before it. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "module.h"
#include "polling.h"

static void test_read_counts_and_acknowledges(void **state)
{
	int fd = open_device(O_NONBLOCK, 1);
	uint64_t first, second;

	(void)state;
	fork_once(0);
	first = read_count(fd);
	fork_many(10);
	second = read_count(fd);
	/* A cycle is at least a fork, an exit and a reap. */
	assert_true(second - first >= 30);
	close(fd);
}

/* Kernel threads come and go in this guest: hence the large number. */
static void test_below_the_watermark_is_not_readable(void **state)
{
	int fd = open_device(O_NONBLOCK, 100000);
	uint64_t count;

	(void)state;
	fork_many(100);
	assert_false(ready(fd, 0));
	assert_false(ready(fd, 500));
	assert_int_equal(read(fd, &count, sizeof(count)), -1);
	assert_int_equal(errno, EAGAIN);
	close(fd);
}

static void test_at_the_watermark_it_is_readable(void **state)
{
	int fd = open_device(O_NONBLOCK, 300);

	(void)state;
	while (!ready(fd, 0))
		fork_once(0);
	read_count(fd);
	assert_false(ready(fd, 0));
	close(fd);
}

/* The sleeper is woken by records of other CPUs, and then as many are there as it asked for. */
static void sleep_until(uint64_t watermark, unsigned int forks)
{
	int fd, child;
	uint64_t before, after;

	fd = open_device(0, 1);
	fork_once(0);
	before = read_count(fd);
	close(fd);

	fd = open_device(0, watermark);
	child = forks_later(forks);
	assert_true(woken(fd));
	after = read_count(fd);
	assert_true(after - before >= watermark);
	waitpid(child, NULL, 0);
	close(fd);
}

static void test_poll_wakes_at_the_watermark(void **state)
{
	(void)state;
	sleep_until(1, 1);
	sleep_until(7, 10);
	sleep_until(1000, 600);
}

static void test_read_blocks_until_the_watermark(void **state)
{
	int fd = open_device(0, 500), child;
	uint64_t before, after;

	(void)state;
	fork_many(300);
	before = read_count(fd);
	child = forks_later(400);
	after = read_count(fd);
	assert_true(after - before >= 500);
	waitpid(child, NULL, 0);
	close(fd);
}

static void test_many_sleepers_with_different_watermarks(void **state)
{
	static const uint64_t watermarks[] = { 1, 10, 100, 1000, 3000 };
	enum { SLEEPERS = sizeof(watermarks) / sizeof(watermarks[0]) };
	int pids[SLEEPERS], child, status;
	unsigned int i;

	(void)state;
	for (i = 0; i < SLEEPERS; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			int fd = open_device(0, watermarks[i]);

			_exit(woken(fd) ? 0 : 1);
		}
	}
	child = forks_later(1500);
	for (i = 0; i < SLEEPERS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	waitpid(child, NULL, 0);
}

static void test_epoll_wakes_too(void **state)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = open_device(0, 200), child;
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	(void)state;
	assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	assert_int_equal(epoll_wait(epoll, &event, 1, 100), 0);
	child = forks_later(200);
	assert_int_equal(epoll_wait(epoll, &event, 1, PATIENCE_MS), 1);
	waitpid(child, NULL, 0);
	close(epoll);
	close(fd);
}

/* A thousand sleeps, each ended at once by one fork: a lost wake-up would last for minutes. */
static void test_no_wakeup_is_lost(void **state)
{
	int fd = open_device(0, 1);
	int ping[2], child;
	unsigned int i;
	char byte;

	(void)state;
	assert_int_equal(pipe(ping), 0);
	child = fork();
	if (!child) {
		close(ping[1]);
		while (read(ping[0], &byte, 1) == 1)
			fork_once(0);
		_exit(0);
	}
	close(ping[0]);
	for (i = 0; i < 1000; i++) {
		while (ready(fd, 0))
			read_count(fd);
		assert_int_equal(write(ping[1], "", 1), 1);
		if (!woken(fd))
			fail_msg("wake-up %u was lost", i);
	}
	close(ping[1]);
	waitpid(child, NULL, 0);
	close(fd);
}

/* Nothing else in the guest sends signals that can end a task. */
static void set_types(int fd, uint64_t records, uint64_t types)
{
	struct proclife_watermark watermark = { .records = records, .types = types };

	assert_int_equal(ioctl(fd, PROCLIFE_IOC_WATERMARK, &watermark), 0);
}

static void kill_one(void)
{
	int child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	assert_int_equal(kill(child, SIGTERM), 0);
	waitpid(child, NULL, 0);
}

static long sleeps(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_nvcsw;
}

#define OF_SIGNALS (PROCLIFE_HAS(PROCLIFE_SIGNAL) | PROCLIFE_HAS(PROCLIFE_OOM))

/* Where the host stopped a CPU in the middle of a record as this was acknowledged, it is ready once too early. */
static bool stays_unready(int fd, int ms)
{
	if (!ready(fd, ms))
		return true;
	read_count(fd);
	return !ready(fd, ms);
}

/* In a storm of forks, poll(2) sleeps once and to the end, as if nothing was recorded. */
static void test_other_types_do_not_wake(void **state)
{
	int fd = open_device(O_NONBLOCK, 1), all = open_device(O_NONBLOCK, 1);
	struct storm *storm = storm_start(2);
	uint64_t count, before;
	long slept;

	(void)state;
	set_types(fd, 1, OF_SIGNALS);
	before = read_count(all);
	slept = sleeps();
	assert_true(stays_unready(fd, 1000));
	assert_in_range(sleeps() - slept, 1, 3); /* the emulator may take longer for a system call, too */
	assert_int_equal(read(fd, &count, sizeof(count)), -1);
	assert_int_equal(errno, EAGAIN);
	assert_true(read_count(all) - before > 50);
	kill_one();
	assert_true(ready(fd, PATIENCE_MS));
	assert_true(read_count(fd) > before); /* which is the sum of all types */
	assert_true(stays_unready(fd, 300));
	set_types(fd, 3, OF_SIGNALS);
	kill_one();
	kill_one();
	assert_false(ready(fd, 300));
	kill_one();
	assert_true(ready(fd, PATIENCE_MS));
	set_types(fd, 1, PROCLIFE_HAS(63)); /* no module has this type: it never comes, but that is no error */
	assert_true(stays_unready(fd, 300));
	set_types(fd, 1, OF_SIGNALS); /* the signals from before count as acknowledged */
	assert_true(stays_unready(fd, 300));
	set_types(fd, 1, 0);
	assert_true(ready(fd, PATIENCE_MS));
	storm_stop(storm);
	close(all);
	close(fd);
}

/* One of its types wakes it each time, whatever else is recorded, and with another reader beside it. */
static void test_no_wakeup_by_a_type_is_lost(void **state)
{
	int fd = open_device(0, 1), child, other, ping[2];
	struct storm *storm = storm_start(1);
	unsigned int i;
	char byte;

	(void)state;
	set_types(fd, 1, OF_SIGNALS);
	assert_int_equal(pipe(ping), 0);
	child = fork();
	if (!child) {
		close(ping[1]);
		while (read(ping[0], &byte, 1) == 1)
			kill_one();
		_exit(0);
	}
	other = fork();
	if (!other) {
		int its = open_device(0, 1000000000);

		ready(its, PATIENCE_MS);
		_exit(0);
	}
	close(ping[0]);
	for (i = 0; i < 200; i++) {
		assert_int_equal(write(ping[1], "", 1), 1);
		if (!woken(fd))
			fail_msg("wake-up %u was lost", i);
		read_count(fd);
	}
	/* First: the other one has this end of the pipe, too. */
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	close(ping[1]);
	waitpid(child, NULL, 0);
	storm_stop(storm);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_counts_and_acknowledges),
		cmocka_unit_test(test_below_the_watermark_is_not_readable),
		cmocka_unit_test(test_at_the_watermark_it_is_readable),
		cmocka_unit_test(test_poll_wakes_at_the_watermark),
		cmocka_unit_test(test_read_blocks_until_the_watermark),
		cmocka_unit_test(test_many_sleepers_with_different_watermarks),
		cmocka_unit_test(test_epoll_wakes_too),
		cmocka_unit_test(test_no_wakeup_is_lost),
		cmocka_unit_test(test_other_types_do_not_wake),
		cmocka_unit_test(test_no_wakeup_by_a_type_is_lost),
	};

	return cmocka_run_group_tests(tests, load_fixture, unload_fixture);
}
