// SPDX-License-Identifier: GPL-2.0-only
/* Several readers sleep in different ways: each is woken by its own watermark, and none too often. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "module.h"
#include "polling.h"
#include "reading.h"

/* An epoll that waits for this file with these events, such as EPOLLEXCLUSIVE. */
static int epoll_of(int fd, uint32_t events)
{
	struct epoll_event event = { .events = EPOLLIN | events };
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	assert_true(epoll >= 0);
	assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	return epoll;
}

static bool epoll_woken(int epoll)
{
	struct epoll_event event;
	uint64_t begin = now();

	return epoll_wait(epoll, &event, 1, PATIENCE_MS) == 1 &&
	       now() - begin < PATIENCE_MS * 1000000ull;
}

/* Children that sleep on an epoll each. */
static void sleep_on_epolls(const int *epolls, int *pids, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(epoll_woken(epolls[i]) ? 0 : 1);
	}
}

static void all_were_woken(const int *pids, unsigned int count)
{
	unsigned int i;
	int status;

	for (i = 0; i < count; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
}

/*
 * Exclusive waiters take no wake-up away from waiters on another file, or on the same one: first an epoll
 * that waits for far more than will come, then three epolls of one file, one of another file with a
 * watermark of its own, and a plain poll of a third.
 */
static void test_exclusive_sleepers_swallow_nothing(void **state)
{
	int files[3] = { open_device(0, 60), open_device(0, 80), open_device(0, 70) };
	int far = open_device(0, 1000000), far_epoll = epoll_of(far, EPOLLEXCLUSIVE);
	int epolls[4], pids[5], far_pid, child;
	unsigned int i;

	(void)state;
	sleep_on_epolls(&far_epoll, &far_pid, 1);
	usleep(300000);
	for (i = 0; i < 3; i++)
		epolls[i] = epoll_of(files[0], EPOLLEXCLUSIVE);
	epolls[3] = epoll_of(files[1], EPOLLEXCLUSIVE);
	sleep_on_epolls(epolls, pids, 4);
	pids[4] = fork();
	if (!pids[4])
		_exit(woken(files[2]) ? 0 : 1);
	child = forks_later(40);
	all_were_woken(pids, 5);
	waitpid(child, NULL, 0);
	kill(far_pid, SIGKILL);
	waitpid(far_pid, NULL, 0);
	close(far_epoll);
	close(far);
	for (i = 0; i < 4; i++)
		close(epolls[i]);
	for (i = 0; i < 3; i++)
		close(files[i]);
}

/* A sleeper is woken if another thread sets a watermark on its file that is reached already. */
static void test_a_lower_watermark_wakes(void **state)
{
	struct proclife_watermark w = { .records = 1 };
	int fd = open_device(0, 1000000), sleeper = fork();

	(void)state;
	if (!sleeper)
		_exit(woken(fd) ? 0 : 1);
	usleep(300000);
	/* The fork was one: nothing else has to come. */
	assert_int_equal(ioctl(fd, PROCLIFE_IOC_WATERMARK, &w), 0);
	all_were_woken(&sleeper, 1);
	close(fd);
}

/* Edge-triggered: between two events, nothing but the read touches the file. */
static void test_an_edge_follows_each_read(void **state)
{
	int fd = open_device(O_NONBLOCK, 20), epoll = epoll_of(fd, EPOLLET), i;
	struct storm *storm = storm_start(2);

	(void)state;
	for (i = 0; i < 50; i++) {
		assert_true(epoll_woken(epoll));
		read_count(fd);
	}
	storm_stop(storm);
	close(epoll);
	close(fd);
}

static void *record_all_the_time(void *end)
{
	while (!__atomic_load_n((bool *)end, __ATOMIC_RELAXED))
		prctl(PR_SET_NAME, "recorder");
	return NULL;
}

/*
 * The most eager reader, for which there is always a record, is woken at most once a
 * millisecond. Edge-triggered, each wake-up of the file's wait queue is an event.
 */
static void test_is_woken_once_a_millisecond(void **state)
{
	int fd = open_device(O_NONBLOCK, 1), epoll = epoll_of(fd, EPOLLET);
	uint64_t begin, events = 0, elapsed_ms;
	pthread_t recorder;
	bool end = false;

	(void)state;
	assert_int_equal(pthread_create(&recorder, NULL, record_all_the_time, &end), 0);
	begin = now();
	do {
		assert_true(epoll_woken(epoll));
		events++;
		read_count(fd);
		elapsed_ms = (now() - begin) / 1000000;
	} while (elapsed_ms < 2000 || events < 20);
	__atomic_store_n(&end, true, __ATOMIC_RELAXED);
	pthread_join(recorder, NULL);
	print_message("%llu events in %llu ms\n", (unsigned long long)events,
		      (unsigned long long)elapsed_ms);
	/* The first event may have been pending, and the last one comes at the end. */
	assert_true(events <= elapsed_ms + 2);
	close(epoll);
	close(fd);
}

#define LAST_WATERMARK 24
#define LAST_ROUNDS 400
#define LAST_PATIENCE_MS 10000

static struct {
	int fd;
	struct proclife_source *source;
	pthread_barrier_t begin, topped_up;
	uint64_t target;
	unsigned int woken; /* rounds whose poller has returned */
} last;

static uint64_t committed(void)
{
	uint32_t cpu, cpus = proclife_source_header(last.source)->cpus;
	uint64_t sum = 0;

	for (cpu = 0; cpu < cpus; cpu++) {
		const struct proclife_ring_ctl *ctl = proclife_source_ring(last.source, cpu);

		sum += ctl ? __atomic_load_n(&ctl->commit, __ATOMIC_ACQUIRE) : 0;
	}
	return sum;
}

static void record_until(uint64_t sum)
{
	while (committed() < sum)
		prctl(PR_SET_NAME, "recorder");
}

static void *record_on_the_way(void *cpu)
{
	unsigned int i;

	pin_to_cpu((int)(intptr_t)cpu);
	for (i = 0; i < LAST_ROUNDS; i++) {
		pthread_barrier_wait(&last.begin);
		record_until(last.target - 3); /* as many CPUs as may be in between */
		pthread_barrier_wait(&last.topped_up);
	}
	return NULL;
}

static void *sleep_through_rounds(void *unused)
{
	unsigned int i;

	(void)unused;
	for (i = 0; i < LAST_ROUNDS; i++) {
		pthread_barrier_wait(&last.begin);
		if (!ready(last.fd, -1))
			break;
		__atomic_store_n(&last.woken, i + 1, __ATOMIC_RELEASE);
		pthread_barrier_wait(&last.topped_up);
	}
	return NULL;
}

/*
 * CPUs record while a poller is about to sleep, and stop as soon as there is what it waits
 * for: the last record has to wake it, since none follows.
 */
static void test_the_last_record_wakes(void **state)
{
	pthread_t sleeper, recorder[3];
	unsigned int i, k;

	(void)state;
	last.fd = open_device(O_NONBLOCK, LAST_WATERMARK);
	last.source = open_source();
	assert_int_equal(pthread_barrier_init(&last.begin, NULL, 5), 0);
	assert_int_equal(pthread_barrier_init(&last.topped_up, NULL, 5), 0);
	assert_int_equal(pthread_create(&sleeper, NULL, sleep_through_rounds, NULL), 0);
	for (k = 0; k < 3; k++)
		assert_int_equal(pthread_create(&recorder[k], NULL, record_on_the_way,
						(void *)(intptr_t)(k % sysconf(_SC_NPROCESSORS_ONLN))),
				 0);
	while (!ready(last.fd, 0))
		fork_once(0);
	for (i = 0; i < LAST_ROUNDS; i++) {
		uint64_t begin;

		while (ready(last.fd, 0))
			last.target = read_count(last.fd) + LAST_WATERMARK;
		pthread_barrier_wait(&last.begin);
		record_until(last.target);
		begin = now();
		while (__atomic_load_n(&last.woken, __ATOMIC_ACQUIRE) <= i) {
			if (now() - begin > LAST_PATIENCE_MS * 1000000ull)
				fail_msg("round %u: asleep at %llu records of %d", i,
					 (unsigned long long)(committed() - last.target) + LAST_WATERMARK,
					 LAST_WATERMARK);
			usleep(100);
		}
		pthread_barrier_wait(&last.topped_up);
	}
	pthread_join(sleeper, NULL);
	for (k = 0; k < 3; k++)
		pthread_join(recorder[k], NULL);
	proclife_source_free(last.source);
	close(last.fd);
}

/* Context switches of the machine. */
static uint64_t switches(void)
{
	FILE *file = fopen("/proc/stat", "re");
	unsigned long long count = 0;
	char line[4096];

	assert_non_null(file);
	while (!count && fgets(line, sizeof(line), file))
		sscanf(line, "ctxt %llu", &count);
	fclose(file);
	assert_true(count > 0);
	return count;
}

/* Those of a second in which little happens. */
static uint64_t switches_meanwhile(void)
{
	uint64_t begin = switches();

	for (int i = 0; i < 10; i++) {
		fork_once(0);
		usleep(100000);
	}
	return switches() - begin;
}

struct sleeper {
	int fd;
	bool woken;
	long switches;
};

static void *sleep_a_while(void *data)
{
	struct sleeper *sleeper = data;
	struct rusage usage;

	sleeper->woken = ready(sleeper->fd, 4000);
	assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
	sleeper->switches = usage.ru_nvcsw;
	return NULL;
}

/* As long as there are fewer records than it waits for, no thread is woken for it. */
static void test_a_sleeper_costs_nothing(void **state)
{
	struct sleeper sleeper = { .fd = open_device(O_NONBLOCK, 2000) };
	uint64_t without, with;
	pthread_t thread;

	(void)state;
	/* Reads until more was read than it waits for. */
	do
		fork_many(100);
	while (!ready(sleeper.fd, 0) || read_count(sleeper.fd) < 10000);
	without = switches_meanwhile();
	assert_int_equal(pthread_create(&thread, NULL, sleep_a_while, &sleeper), 0);
	usleep(100000);
	with = switches_meanwhile();
	assert_int_equal(pthread_join(thread, NULL), 0);
	print_message("switches: %llu, with a sleeper %llu, its own %ld\n", (unsigned long long)without,
		      (unsigned long long)with, sleeper.switches);
	assert_false(sleeper.woken);
	assert_true(with < without + 300);
	assert_true(sleeper.switches < 20);
	close(sleeper.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exclusive_sleepers_swallow_nothing),
		cmocka_unit_test(test_a_lower_watermark_wakes),
		cmocka_unit_test(test_an_edge_follows_each_read),
		cmocka_unit_test(test_is_woken_once_a_millisecond),
		cmocka_unit_test(test_the_last_record_wakes),
		cmocka_unit_test(test_a_sleeper_costs_nothing),
	};

	return cmocka_run_group_tests(tests, load_fixture, unload_fixture);
}
