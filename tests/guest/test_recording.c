// SPDX-License-Identifier: GPL-2.0-only
/* Recording is stopped and started again by its parameter: the rings say when that was, and nothing else is lost. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "module.h"
#include "reading.h"

#define PARAMETER "/sys/module/proclife/parameters/recording"

/* Returns 0 or a negative errno. */
static int set(const char *value)
{
	int fd = open(PARAMETER, O_WRONLY | O_CLOEXEC), ret;

	assert_true(fd >= 0);
	ret = write(fd, value, strlen(value)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

static char get(void)
{
	int fd = open(PARAMETER, O_RDONLY | O_CLOEXEC);
	char value = '\0';

	assert_true(fd >= 0);
	assert_int_equal(read(fd, &value, 1), 1);
	close(fd);
	return value;
}

static uint32_t rings_of(struct proclife_source *source)
{
	uint32_t cpus = proclife_source_header(source)->cpus, rings = 0, cpu;

	for (cpu = 0; cpu < cpus; cpu++)
		rings += proclife_source_ring(source, cpu) != NULL;
	return rings;
}

static uint64_t committed(struct proclife_source *source)
{
	uint64_t sum = 0;
	uint32_t cpu;

	for (cpu = 0; cpu < proclife_source_header(source)->cpus; cpu++) {
		const struct proclife_ring_ctl *ctl = proclife_source_ring(source, cpu);

		sum += ctl ? __atomic_load_n(&ctl->commit, __ATOMIC_ACQUIRE) : 0;
	}
	return sum;
}

struct told {
	unsigned int begun;
	unsigned int ended;
	uint64_t since;
	uint64_t until;
	unsigned int births; /* of this process's children */
	unsigned int stopped_births; /* between the last record of the beginning and the first of the end */
};

static void read_all(struct proclife_source *source, struct told *told)
{
	struct proclife_event event;
	uint64_t end = now();

	memset(told, 0, sizeof(*told));
	while (next_until(source, end, &event)) {
		const struct proclife_record *r = event.record;

		assert_non_null(r); /* nothing is lost */
		if (r->type == PROCLIFE_FORK && r->fork.creator_tgid == (uint32_t)getpid()) {
			told->births++;
			told->stopped_births += told->begun && !told->ended;
		}
		if (r->type != PROCLIFE_SUPPRESSED || r->suppressed.what != PROCLIFE_NONE)
			continue;
		assert_int_equal(r->pid, 0);
		assert_int_equal(r->suppressed.count, 0);
		assert_true(r->suppressed.since <= r->ts);
		assert_true(!told->since || told->since == r->suppressed.since);
		told->since = r->suppressed.since;
		told->until = r->ts;
		if (r->suppressed.ended)
			told->ended++;
		else
			told->begun++;
	}
}

static void test_stops_and_starts(void **state)
{
	struct proclife_source *source;
	uint64_t before, stopped;
	struct told told;

	(void)state;
	assert_int_equal(module_load("births=1 failures=1 times=1 cgroups=1"), 0);
	assert_int_equal(get(), 'Y');
	source = open_source();
	assert_int_equal(proclife_source_header(source)->stopped, 0);
	fork_many(3);
	assert_int_equal(set("1"), 0); /* it does already */
	assert_int_equal(set("2"), -EINVAL);
	before = now();
	assert_int_equal(set("0"), 0);
	assert_int_equal(get(), 'N');
	stopped = proclife_source_header(source)->stopped;
	assert_in_range(stopped, before, now());
	before = committed(source);
	fork_many(50);
	assert_int_equal(execl("/nowhere", "nowhere", (char *)NULL), -1);
	assert_int_equal(committed(source), before);
	assert_int_equal(set("0"), 0);
	assert_int_equal(committed(source), before);
	assert_int_equal(set("1"), 0);
	assert_int_equal(proclife_source_header(source)->stopped, 0);
	fork_many(5);
	read_all(source, &told);
	assert_int_equal(told.begun, 2 * rings_of(source));
	assert_int_equal(told.ended, rings_of(source));
	assert_true(told.since == stopped);
	assert_int_equal(told.births, 8);
	assert_int_equal(told.stopped_births, 0);
	/* All that there was is recorded again. */
	assert_int_equal(records_of_a_child() & PROCLIFE_HAS(PROCLIFE_EXITING), PROCLIFE_HAS(PROCLIFE_EXITING));
	proclife_source_free(source);
	assert_int_equal(module_unload(), 0);
}

/* A reader that comes while it is stopped knows that, and finds the tasks that there are. */
static void test_attaches_while_stopped(void **state)
{
	struct proclife_source *source;
	struct proclife_event event;
	unsigned int own = 0, stops = 0;
	uint64_t end;

	(void)state;
	assert_int_equal(module_load("recording=0"), 0);
	assert_int_equal(get(), 'N');
	fork_many(5);
	source = open_source();
	assert_true(proclife_source_header(source)->stopped);
	assert_int_equal(proclife_source_snapshot(source), 0);
	end = now();
	while (next_until(source, end, &event)) {
		assert_non_null(event.record);
		if (event.record->type == PROCLIFE_SUPPRESSED) {
			assert_int_equal(event.record->suppressed.what, PROCLIFE_NONE);
			assert_int_equal(event.record->suppressed.ended, 0);
			assert_true(event.record->suppressed.since == proclife_source_header(source)->stopped);
			stops++;
		} else {
			assert_int_equal(event.record->type, PROCLIFE_TASK);
			own += event.record->pid == (uint32_t)getpid();
		}
	}
	assert_int_equal(stops, rings_of(source));
	assert_int_equal(own, 1);
	assert_int_equal(set("1"), 0);
	assert_true(records_of_a_child() & PROCLIFE_HAS(PROCLIFE_FORK));
	proclife_source_free(source);
	assert_int_equal(module_unload(), 0);
}

/* A life that goes on while it is stopped is incomplete, and one that begins later is not. */
static void test_lives_are_not_wrong(void **state)
{
	struct proclife_source *source;
	struct proclife_event event;
	struct proclife_tasks *tasks;
	pid_t child, lasting;
	uint64_t end;
	unsigned int seen = 0;

	(void)state;
	assert_int_equal(module_load(""), 0);
	source = open_source();
	assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
	child = fork();
	if (!child) {
		end_with(getppid());
		pause();
		_exit(0);
	}
	lasting = fork();
	if (!lasting) {
		end_with(getppid());
		pause();
		_exit(0);
	}
	assert_int_equal(set("0"), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(set("1"), 0);
	end = now();
	while (next_until(source, end, &event)) {
		const struct proclife_process *life;

		assert_true(proclife_tasks_feed(tasks, &event) >= 0);
		if (!event.record || event.record->type != PROCLIFE_SUPPRESSED || !event.record->suppressed.ended)
			continue;
		/* Neither is taken for alive, or for dead. */
		for (life = proclife_tasks_next(tasks, NULL); life; life = proclife_tasks_next(tasks, life)) {
			if (life->tgid != (uint32_t)child && life->tgid != (uint32_t)lasting)
				continue;
			assert_int_equal(proclife_process_state(life), PROCLIFE_IS_UNKNOWN);
			seen++;
		}
	}
	assert_true(seen >= 2);
	kill(lasting, SIGKILL);
	waitpid(lasting, NULL, 0);
	proclife_tasks_free(tasks);
	proclife_source_free(source);
	assert_int_equal(module_unload(), 0);
}

/* Again and again while processes come and go, and CPUs too: each stop is in the rings, and nothing hangs. */
static void test_under_load(void **state)
{
	struct proclife_source *source;
	struct storm *storm;
	struct told told;
	unsigned int i;

	(void)state;
	assert_int_equal(module_load("ring_kb=8192"), 0);
	source = open_source();
	storm = storm_start(4);
	for (i = 0; i < 10; i++) {
		assert_int_equal(set("0"), 0);
		if (i == 4)
			cpu_set_online(1, false); /* a guest may have one only */
		assert_int_equal(set("1"), 0);
		if (i == 7)
			cpu_set_online(1, true);
		read_all(source, &told);
		assert_int_equal(told.begun, 2 * rings_of(source));
		assert_int_equal(told.ended, rings_of(source));
	}
	assert_int_equal(set("0"), 0);
	storm_stop(storm);
	proclife_source_free(source);
	assert_int_equal(module_unload(), 0); /* while it is stopped */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stops_and_starts),
		cmocka_unit_test(test_attaches_while_stopped),
		cmocka_unit_test(test_lives_are_not_wrong),
		cmocka_unit_test(test_under_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
