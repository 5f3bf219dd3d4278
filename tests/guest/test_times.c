// SPDX-License-Identifier: GPL-2.0-only
/* Where the time of a phase went: TIMES, judged by /proc/PID/schedstat, and by what was planted. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lives.h"
#include "marks.h"
#include "module.h"
#include "reading.h"

#define MS UINT64_C(1000000)
#define PLANTED (300 * MS)

static int begin(void **state)
{
	if (!module_loaded() && module_load("times=1 births=1"))
		return -1;
	return marks_begin(state);
}

/* The kernel's own account, CONFIG_SCHED_INFO, is what the module reads. */
static bool is_counted(void)
{
	return !access("/proc/self/schedstat", R_OK);
}

/* Where it is there, a child to be judged by it. */
static pid_t counted_fork(void)
{
	if (!is_counted())
		skip();
	return must_fork();
}

/* What a child has seen of itself just before its exit. */
static struct seen {
	uint64_t ran;
	uint64_t waited;
	pthread_mutex_t mutex;
} *seen;

static void look(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "r");

	if (!file || fscanf(file, "%" SCNu64 " %" SCNu64, &seen->ran, &seen->waited) != 2)
		_exit(99);
	fclose(file);
}

static void work_for(uint64_t ns)
{
	uint64_t until = now() + ns;

	while (now() < until)
		;
}

/* All that is in a phase is in one of the three. */
static void check_sum(const struct told *told, enum proclife_phase phase)
{
	const struct proclife_split *split = &told->splits[phase];

	assert_true(split->known);
	assert_int_equal(split->on_cpu + split->waiting + split->blocked, told->phases[phase]);
	assert_true(!split->exact || !split->blocked);
}

static void test_all_there(void **state)
{
	(void)state;
	if (!is_counted())
		skip();
	assert_true(marks_has(PROCLIFE_TIMES));
	assert_true(records_of_a_child() & PROCLIFE_HAS(PROCLIFE_TIMES));
}

static void test_not_wanted(void **state)
{
	(void)state;
	proclife_source_free(marks_source);
	assert_int_equal(module_unload(), 0);
	assert_int_equal(module_load("births=1"), 0);
	assert_int_equal(records_of_a_child() & PROCLIFE_HAS(PROCLIFE_TIMES), 0);
	marks_source = open_source();
	assert_false(marks_has(PROCLIFE_TIMES));
	proclife_source_free(marks_source);
	marks_source = NULL;
	assert_int_equal(module_unload(), 0);
}

/* The kernel's own account of the same task, read a moment before. */
static void test_witness(void **state)
{
	const struct proclife_record *times;
	struct told told;
	pid_t pid;

	(void)state;
	pid = counted_fork();
	if (!pid) {
		work_for(50 * MS);
		usleep(20000);
		look();
		_exit(0);
	}
	marks_reap(pid);
	told = marks_told(pid);
	times = mark_from(must_mark(PROCLIFE_EXITING, pid), PROCLIFE_TIMES, pid);
	assert_non_null(times);
	assert_int_equal(times->times.what, PROCLIFE_TIMES_EXITING);
	compare("TIMES", "schedstat", times->times.delay >= seen->waited);
	compare("TIMES", "schedstat", times->times.runtime >= seen->ran && times->times.runtime - seen->ran < 50 * MS);
	compare("TIMES", "schedstat", times->times.delay - seen->waited < 100 * MS);
	compare("TIMES", "nvcsw", times->times.nvcsw >= 1);
	assert_true(told.used_known);
	assert_int_equal(told.used.waiting, times->times.delay);
	assert_int_equal(told.phases[PROCLIFE_PHASE_WAIT], times->times.delay);
	check_sum(&told, PROCLIFE_LIFE);
	check_sum(&told, PROCLIFE_TEARDOWN);
	assert_true(told.splits[PROCLIFE_LIFE].blocked > 15 * MS);
	assert_true(told.splits[PROCLIFE_LIFE].on_cpu > 25 * MS);
}

static void use_realtime(pid_t pid, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	assert_int_equal(sched_setscheduler(pid, SCHED_FIFO, &param), 0);
}

/*
 * As a task lets go of its address space, the kernel wakes what waits for a robust mutex that it holds: that takes
 * the CPU, on which both have to run, for as long as is planted.
 */
static pid_t spinner(void)
{
	pid_t pid = must_fork();

	if (pid)
		return pid;
	pin_to_cpu(0);
	use_realtime(0, 10);
	if (pthread_mutex_lock(&seen->mutex) != EOWNERDEAD)
		_exit(95);
	work_for(PLANTED);
	_exit(0);
}

static void make_mutex(void)
{
	pthread_mutexattr_t how;

	assert_int_equal(pthread_mutexattr_init(&how), 0);
	assert_int_equal(pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST), 0);
	assert_int_equal(pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED), 0);
	assert_int_equal(pthread_mutex_init(&seen->mutex, &how), 0);
}

static void test_wait(void **state)
{
	struct told told;
	pid_t other, pid;

	(void)state;
	if (!is_counted())
		skip();
	make_mutex();
	ready_prepare();
	pid = must_fork();
	if (!pid) {
		pin_to_cpu(0);
		pthread_mutex_lock(&seen->mutex);
		ready_say();
		usleep(200000); /* until the other one waits */
		_exit(0);
	}
	ready_await(1);
	other = spinner();
	marks_reap(pid);
	told = marks_told(pid);
	check_sum(&told, PROCLIFE_TEARDOWN);
	compare("TIMES, waiting", "planted", told.splits[PROCLIFE_TEARDOWN].waiting >= PLANTED * 9 / 10);
	compare("TIMES, waiting", "planted", told.splits[PROCLIFE_TEARDOWN].blocked < PLANTED / 10);
	compare("TIMES, waiting", "planted", told.splits[PROCLIFE_TEARDOWN].on_cpu < PLANTED);
	marks_reap(other);
}

/* Its tracer holds it where it begins to exit. */
static void test_block(void **state)
{
	struct told told;
	int status;
	pid_t pid;

	(void)state;
	pid = counted_fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACEEXIT), 0);
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status >> 8, SIGTRAP | PTRACE_EVENT_EXIT << 8);
	usleep(PLANTED / 1000);
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	marks_reap(pid);
	told = marks_told(pid);
	compare("TIMES, blocked", "planted", told.splits[PROCLIFE_TEARDOWN].blocked >= PLANTED * 9 / 10);
	check_sum(&told, PROCLIFE_TEARDOWN);
	assert_false(told.splits[PROCLIFE_TEARDOWN].exact);
	compare("TIMES, blocked", "planted", told.splits[PROCLIFE_TEARDOWN].waiting < PLANTED / 10);
}

/* Much memory is given back. */
static void test_work(void **state)
{
	const size_t size = 256 << 20;
	struct told told;
	pid_t pid;

	(void)state;
	pid = counted_fork();
	if (!pid) {
		char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		if (memory == MAP_FAILED)
			_exit(97);
		use_realtime(0, 5); /* nothing takes the CPU away */
		_exit(0);
	}
	marks_reap(pid);
	told = marks_told(pid);
	check_sum(&told, PROCLIFE_TEARDOWN);
	compare("TIMES, on CPU", "planted",
		told.splits[PROCLIFE_TEARDOWN].on_cpu > told.phases[PROCLIFE_TEARDOWN] * 8 / 10);
}

static void test_exec(void **state)
{
	static char *const program[] = { "/bin/true", NULL };
	struct told told;
	pid_t pid;

	(void)state;
	pid = counted_fork();
	if (!pid) {
		execv(program[0], program);
		_exit(99);
	}
	marks_reap(pid);
	told = marks_told(pid);
	check_sum(&told, PROCLIFE_PHASE_EXEC);
	assert_true(told.used_known);
	assert_int_equal(mark_from(must_mark(PROCLIFE_EXEC, pid), PROCLIFE_TIMES, pid)->times.what, PROCLIFE_TIMES_EXEC);
}

static void *nap(void *data)
{
	(void)data;
	work_for(5 * MS);
	return NULL;
}

/* What the threads waited is added up; how a life with threads was spent is not known. */
/* pthread_join(3) returns before a thread has exited; and of two that exit at once, nobody knows how the time is split. */
static void await_alone(void)
{
	struct stat st;

	while (!stat("/proc/self/task", &st) && st.st_nlink > 3) /* two, and one for each thread */
		usleep(1000);
}

static void test_threads(void **state)
{
	const struct proclife_record *r = marks;
	uint64_t delays = 0;
	unsigned int count = 0;
	struct told told;
	pid_t pid;

	(void)state;
	pid = counted_fork();
	if (!pid) {
		pthread_t threads[3];

		for (int i = 0; i < 3; i++)
			if (pthread_create(&threads[i], NULL, nap, NULL))
				_exit(96);
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		await_alone();
		_exit(0);
	}
	marks_reap(pid);
	told = marks_told(pid);
	for (; (r = mark_from(r, PROCLIFE_TIMES, pid)); r++)
		if (r->times.what == PROCLIFE_TIMES_EXITING) {
			delays += r->times.delay;
			count++;
		}
	assert_int_equal(count, 4);
	assert_true(told.used_known);
	assert_int_equal(told.used.waiting, delays);
	assert_false(told.splits[PROCLIFE_LIFE].known);
	check_sum(&told, PROCLIFE_TEARDOWN);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, marks_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all_there),
		TEST(test_witness),
		TEST(test_wait),
		TEST(test_block),
		TEST(test_work),
		TEST(test_exec),
		TEST(test_threads),
		TEST(test_not_wanted), /* it unloads the module */
	};

	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, marks_unload);
}
