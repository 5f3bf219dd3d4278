// SPDX-License-Identifier: GPL-2.0-only
/* Where forks and execs begin, and the first run of a task: BIRTH, judged by the process that forks. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "flood.h"
#include "lives.h"
#include "marks.h"
#include "module.h"
#include "reading.h"

#define PROGRAM "/bin/true"

static char *const program[] = { PROGRAM, NULL };

static int begin(void **state)
{
	if (!module_loaded() && module_load("births=1"))
		return -1;
	return marks_begin(state);
}

/* The last BIRTH of this kind by this task before @before, or NULL; how many there are since @since. */
static const struct proclife_record *birth_before(const struct proclife_record *before, uint32_t what, uint64_t task,
						  uint64_t since, unsigned int *count)
{
	const struct proclife_record *r, *last = NULL;

	*count = 0;
	for (r = marks; r < before; r++) {
		if (r->type != PROCLIFE_BIRTH || r->birth.what != what || r->task != task || r->ts < since)
			continue;
		last = r;
		(*count)++;
	}
	return last;
}

static const struct proclife_record *started(uint64_t task)
{
	const struct proclife_record *r;

	for (r = marks; r < marks + marks_count; r++)
		if (r->type == PROCLIFE_BIRTH && r->birth.what == PROCLIFE_BIRTH_STARTED && r->task == task)
			return r;
	fail_msg("no STARTED of it");
	return NULL;
}

/* Its fork was called between these two times: checks what is before its exec, and returns its FORKING. */
static const struct proclife_record *check_fork(const struct proclife_record *fork, uint64_t from, uint64_t to)
{
	const struct proclife_record *forking, *first = started(fork->task);
	unsigned int count;

	forking = birth_before(fork, PROCLIFE_BIRTH_FORKING, fork->fork.creator, from, &count);
	assert_non_null(forking);
	assert_int_equal(count, 1);
	assert_int_equal(forking->pid, fork->fork.creator_pid);
	assert_int_equal(forking->tgid, fork->fork.creator_tgid);
	assert_int_equal(first->pid, fork->pid);
	assert_int_equal(first->start, fork->start);
	compare("FORKING", "clock", from <= forking->ts && forking->ts <= fork->ts && fork->ts <= to);
	compare("STARTED", "FORK", fork->ts <= first->ts);
	return forking;
}

/* The same for a process that has execed, with this many EXECINGs. */
static void check_spawn(pid_t pid, uint64_t from, uint64_t to, unsigned int execings)
{
	const struct proclife_record *fork = must_mark(PROCLIFE_FORK, pid), *exec = must_mark(PROCLIFE_EXEC, pid);
	const struct proclife_record *forking = check_fork(fork, from, to), *execing;
	const struct told told = marks_told(pid);
	unsigned int count;

	execing = birth_before(exec, PROCLIFE_BIRTH_EXECING, exec->task, fork->ts, &count);
	assert_non_null(execing);
	assert_int_equal(count, execings);
	compare("EXECING", "STARTED", started(exec->task)->ts <= execing->ts && execing->ts <= exec->ts);
	assert_int_equal(told.phases[PROCLIFE_PHASE_FORK], fork->ts - forking->ts);
	assert_int_equal(told.phases[PROCLIFE_PHASE_FIRST_RUN], started(fork->task)->ts - fork->ts);
	assert_int_equal(told.phases[PROCLIFE_PHASE_EXEC], exec->ts - execing->ts);
	assert_int_equal(told.phases[PROCLIFE_PHASE_SPAWN], exec->ts - forking->ts);
}

static void test_all_there(void **state)
{
	(void)state;
	assert_true(marks_has(PROCLIFE_BIRTH));
	assert_int_equal(marks_has(PROCLIFE_SUPPRESSED), !module_is_bpf());
	assert_int_equal(marks_header()->birth_marks, PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_FORKING) |
							      PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_STARTED) |
							      PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_EXECING));
	assert_int_equal(marks_header()->marks_missed, 0);
	assert_true(records_of_a_child() & PROCLIFE_HAS(PROCLIFE_BIRTH));
}

static void test_not_wanted(void **state)
{
	(void)state;
	proclife_source_free(marks_source);
	assert_int_equal(module_unload(), 0);
	assert_int_equal(module_load(""), 0);
	assert_int_equal(records_of_a_child() & PROCLIFE_HAS(PROCLIFE_BIRTH), 0);
	marks_source = open_source();
	assert_false(marks_has(PROCLIFE_BIRTH));
	assert_int_equal(marks_header()->birth_marks, 0);
	proclife_source_free(marks_source);
	marks_source = NULL;
	assert_int_equal(module_unload(), 0);
}

/* As a shell searches PATH. */
static void test_search(void **state)
{
	uint64_t from = now(), to;
	pid_t pid = must_fork();

	(void)state;
	if (!pid) {
		execve("/nowhere/true", program, NULL);
		execve("/nowhere/else/true", program, NULL);
		execve(PROGRAM, program, NULL);
		_exit(99);
	}
	to = now();
	marks_reap(pid);
	check_spawn(pid, from, to, 3);
}

/* The parent goes on before EXEC: once the child has let go of its memory. */
static void test_vfork(void **state)
{
	uint64_t from = now(), to;
	pid_t pid = vfork();

	(void)state;
	if (!pid) {
		execve(PROGRAM, program, NULL);
		_exit(99);
	}
	to = now();
	assert_true(pid > 0);
	marks_reap(pid);
	check_spawn(pid, from, to, 1);
}

static void test_spawn(void **state)
{
	uint64_t from = now(), to;
	pid_t pid;

	(void)state;
	assert_int_equal(posix_spawn(&pid, PROGRAM, NULL, NULL, program, NULL), 0);
	to = now();
	marks_reap(pid);
	check_spawn(pid, from, to, 1);
}

static void *note_tid(void *tid)
{
	*(pid_t *)tid = (pid_t)syscall(SYS_gettid);
	return NULL;
}

static void test_thread(void **state)
{
	const struct proclife_record *fork;
	uint64_t from = now(), to;
	pthread_t thread;
	pid_t tid;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, note_tid, &tid), 0);
	to = now();
	assert_int_equal(pthread_join(thread, NULL), 0);
	marks_read();
	fork = must_mark(PROCLIFE_FORK, getpid());
	assert_int_equal(fork->pid, tid);
	check_fork(fork, from, to);
}

/* Its creator is not its parent. */
static void test_sibling(void **state)
{
	pid_t creator = must_fork(), sibling;
	siginfo_t info;

	(void)state;
	if (!creator) {
		if (!syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL))
			_exit(0);
		pause();
	}
	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
	sibling = info.si_pid;
	kill(creator, SIGKILL);
	marks_reap(sibling);
	marks_reap(creator);
	check_fork(must_mark(PROCLIFE_FORK, sibling), must_mark(PROCLIFE_FORK, creator)->ts, now());
}

/* Forks in vain as a user who may not have more processes, and then may again. */
static void fork_in_vain(void)
{
	struct rlimit limit = { .rlim_max = 1000 };
	unsigned int i;

	if (setuid(NOBODY) || setrlimit(RLIMIT_NPROC, &limit))
		_exit(1);
	for (i = 0; i < 3; i++)
		if (fork() != -1 || errno != EAGAIN)
			_exit(2);
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NPROC, &limit))
		_exit(3);
	if (!fork())
		_exit(0);
	_exit(wait(NULL) > 0 ? 0 : 4);
}

static void test_failed_forks(void **state)
{
	const struct proclife_record *fork, *forking, *r;
	pid_t pid = must_fork();
	unsigned int count;
	int status;

	(void)state;
	if (!pid)
		fork_in_vain();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	marks_read();
	fork = NULL;
	for (r = marks; r < marks + marks_count; r++)
		if (r->type == PROCLIFE_FORK && r->fork.creator_pid == (uint32_t)pid)
			fork = r;
	assert_non_null(fork);
	forking = birth_before(fork, PROCLIFE_BIRTH_FORKING, fork->fork.creator, 0, &count);
	assert_int_equal(count, 4);
	assert_int_equal(marks_told((pid_t)fork->tgid).phases[PROCLIFE_PHASE_FORK], fork->ts - forking->ts);
}

/* The budget bounds what forks that fail leave: the kernel refuses these at once. */
static void test_flood(void **state)
{
	struct proclife_source *source;
	bool suppressed;

	(void)state;
	if (module_is_bpf()) /* which suppresses nothing */
		skip();
	source = open_source();
	suppressed = flood_is_bounded(source, PROCLIFE_BIRTH);
	proclife_source_free(source);
	if (!suppressed)
		skip();
}

int main(void)
{
#define BIRTH(test) cmocka_unit_test_setup_teardown(test, begin, marks_end)
	const struct CMUnitTest tests[] = {
		BIRTH(test_all_there),
		BIRTH(test_not_wanted),
		BIRTH(test_search),
		BIRTH(test_vfork),
		BIRTH(test_spawn),
		BIRTH(test_thread),
		BIRTH(test_sibling),
		BIRTH(test_failed_forks),
		cmocka_unit_test(test_flood),
	};

	return cmocka_run_group_tests(tests, NULL, marks_unload);
}
