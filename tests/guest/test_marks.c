// SPDX-License-Identifier: GPL-2.0-only
/*
 * The marks of a death that no tracepoint gives: where it begins, which process freed it. Each is judged by
 * the processes that caused it.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lives.h"
#include "marks.h"
#include "module.h"
#include "reading.h"
#include "slow_file.h"

#define MS 1000000ull

/* This kernel has all features that the header promises, and no others. */
static void test_all_there(void **state)
{
	(void)state;
	assert_true(marks_has(PROCLIFE_EXITING));
	assert_true(marks_has(PROCLIFE_MM));
	assert_true(marks_has(PROCLIFE_COREDUMP));
	assert_true(marks_has(PROCLIFE_NOTIFY));
	assert_true(marks_has(PROCLIFE_OOM));
	assert_int_equal(marks_header()->mm_marks,
			 PROCLIFE_HAS_MM(PROCLIFE_MM_LEFT) | PROCLIFE_HAS_MM(PROCLIFE_MM_ASYNC) |
				 PROCLIFE_HAS_MM(PROCLIFE_MM_EARLY) | PROCLIFE_HAS_MM(PROCLIFE_MM_TEARDOWN) |
				 PROCLIFE_HAS_MM(PROCLIFE_MM_GONE));
	assert_true(marks_header()->rss_error >= 64);
	assert_int_equal(marks_header()->marks_missed, 0);
}

/* Marks that are switched off have no hooks. */
static void test_not_wanted(void **state)
{
	static const struct {
		const char *parameters;
		uint64_t lacks;
	} cases[] = {
		{ "exiting=0 memory=1", PROCLIFE_HAS(PROCLIFE_EXITING) | PROCLIFE_HAS(PROCLIFE_COREDUMP) },
		{ "exiting=1 memory=0", PROCLIFE_HAS(PROCLIFE_MM) },
		{ "reap=0", PROCLIFE_HAS(PROCLIFE_NOTIFY) | PROCLIFE_HAS(PROCLIFE_REAP) },
	};
	uint64_t all = PROCLIFE_HAS(PROCLIFE_EXITING) | PROCLIFE_HAS(PROCLIFE_MM) | PROCLIFE_HAS(PROCLIFE_NOTIFY);
	size_t i;

	(void)state;
	proclife_source_free(marks_source);
	marks_source = NULL;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(module_unload(), 0);
		assert_int_equal(module_load(cases[i].parameters), 0);
		assert_int_equal(records_of_a_child() & all, all & ~cases[i].lacks);
		marks_source = open_source();
		assert_int_equal(marks_header()->features & cases[i].lacks, 0);
		proclife_source_free(marks_source);
		marks_source = NULL;
	}
	assert_int_equal(module_unload(), 0);
}

static void *sleep_on(void *data)
{
	ready_say();
	pause();
	return data;
}

/* Each thread's exit has its own beginning; the address space goes with the last one. */
static void test_threads(void **state)
{
	const unsigned int threads = 100;
	const struct proclife_record *r;
	unsigned int exiting = 0, group = 0, torn = 0, i;
	pid_t pid;

	(void)state;
	ready_prepare();
	pid = must_fork();
	if (!pid) {
		for (i = 0; i < threads; i++) {
			pthread_t thread;

			if (pthread_create(&thread, NULL, sleep_on, NULL))
				_exit(99);
		}
		pause();
	}
	ready_await(threads);
	usleep(100000);
	kill(pid, SIGKILL);
	marks_reap(pid);
	for (r = marks; r < marks + marks_count; r++) {
		if (r->tgid != (uint32_t)pid)
			continue;
		if (r->type == PROCLIFE_EXITING) {
			exiting++;
			group += !!(r->flags & PROCLIFE_F_GROUP_EXIT);
			assert_int_equal(r->exiting.exit_code, SIGKILL);
		}
		torn += r->type == PROCLIFE_MM && r->mm.what == PROCLIFE_MM_TEARDOWN;
	}
	assert_int_equal(exiting, threads + 1);
	assert_int_equal(group, threads + 1);
	assert_int_equal(torn, 1);
}

/* A process in an uninterruptible sleep cannot be killed: that is the phase kill. */
static void test_uninterruptible(void **state)
{
	const struct proclife_record *exiting;
	uint64_t killed, answered;
	struct slow_file file;
	struct told told;
	pid_t pid;

	(void)state;
	slow_file_begin(&file);
	pid = must_fork();
	if (!pid) {
		slow_file_read(&file);
		_exit(0);
	}
	slow_file_await(&file);
	kill(pid, SIGKILL);
	killed = now(); /* the kill may be a little earlier */
	usleep(400000);
	assert_int_equal(state_of(pid), 'D');
	answered = now();
	slow_file_answer(&file);
	marks_reap(pid);
	exiting = must_mark(PROCLIFE_EXITING, pid);
	assert_int_equal(exiting->exiting.exit_code, SIGKILL);
	compare("EXITING", "clock", exiting->ts > answered);
	told = marks_told(pid);
	assert_int_equal(told.phases[PROCLIFE_KILL], exiting->ts - must_mark(PROCLIFE_SIGNAL, pid)->ts);
	assert_true(told.phases[PROCLIFE_KILL] >= answered - killed);
	assert_true(told.phases[PROCLIFE_KILL] >= 400 * MS);
	slow_file_end(&file);
}

/* The tracer is named, and the time in which it holds the process counts. */
static void test_traced(void **state)
{
	const struct proclife_record *exiting, *exit_;
	pid_t pid = must_fork();
	int status;

	(void)state;
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)PTRACE_O_TRACEEXIT), 0);
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	usleep(300000); /* in PTRACE_EVENT_EXIT */
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	marks_reap(pid);
	exiting = must_mark(PROCLIFE_EXITING, pid);
	exit_ = must_mark(PROCLIFE_EXIT, pid);
	compare("tracer", "getpid", exiting->exiting.tracer_tgid == (uint32_t)getpid());
	assert_int_equal(exiting->exiting.tracer, exiting->exiting.parent);
	assert_int_equal(exiting->exiting.exit_code, 3 << 8);
	assert_true(exit_->ts > exiting->ts + 300 * MS);
}

/* Its parent ends first, and this process adopts it. */
static void test_adopted(void **state)
{
	int numbers[2];
	pid_t parent, child, adopter;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe2(numbers, O_CLOEXEC), 0);
	parent = must_fork();
	if (!parent) {
		parent = getpid();
		child = fork();
		if (!child) {
			while (getppid() == parent)
				usleep(1000);
			_exit(write(numbers[1], &(pid_t){ getppid() }, sizeof(pid_t)) != sizeof(pid_t));
		}
		_exit(write(numbers[1], &child, sizeof(child)) != sizeof(child));
	}
	assert_int_equal(read(numbers[0], &child, sizeof(child)), sizeof(child));
	marks_reap(parent);
	marks_reap(child);
	assert_int_equal(read(numbers[0], &adopter, sizeof(adopter)), sizeof(adopter));
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
	assert_int_equal(must_mark(PROCLIFE_FORK, child)->fork.parent_tgid, parent);
	compare("parent at exit", "getppid",
		must_mark(PROCLIFE_EXITING, child)->exiting.parent_tgid == (uint32_t)adopter);
	assert_int_equal(adopter, getpid());
	close(numbers[0]);
	close(numbers[1]);
}

/* @how: SIG_BLOCK, SIG_UNBLOCK. */
static void mask_sigterm(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(how, &set, NULL);
}

/* Sends this child a SIGTERM after @delay; returns its record. */
static const struct proclife_record *terminate(pid_t pid, useconds_t delay)
{
	const struct proclife_record *r;

	ready_await(1);
	usleep(delay);
	kill(pid, SIGTERM);
	marks_reap(pid);
	r = must_mark(PROCLIFE_SIGNAL, pid);
	assert_int_equal(r->signal.signo, SIGTERM);
	return r;
}

/* A signal that all threads block ends no process yet; one that a thread does not block may. */
static void test_blocked(void **state)
{
	sigset_t set;
	pid_t pid;

	(void)state;
	ready_prepare();
	pid = must_fork();
	if (!pid) {
		mask_sigterm(SIG_BLOCK);
		ready_say();
		usleep(300000);
		mask_sigterm(SIG_UNBLOCK);
		_exit(99);
	}
	compare("SIGNAL.blocked", "sigprocmask", terminate(pid, 0)->signal.blocked == 1);

	ready_prepare();
	pid = must_fork();
	if (!pid) {
		pthread_t thread;

		pthread_create(&thread, NULL, sleep_on, NULL);
		mask_sigterm(SIG_BLOCK);
		for (;;)
			pause();
	}
	compare("SIGNAL.blocked", "sigprocmask", terminate(pid, 100000)->signal.blocked == 0);

	/* A signal is out of the mask while a thread waits for it. */
	ready_prepare();
	pid = must_fork();
	if (!pid) {
		mask_sigterm(SIG_BLOCK);
		ready_say();
		sigemptyset(&set);
		sigaddset(&set, SIGTERM);
		_exit(sigwaitinfo(&set, NULL) == SIGTERM ? 0 : 99);
	}
	compare("SIGNAL.blocked", "sigwaitinfo", terminate(pid, 100000)->signal.blocked == 1);
	assert_int_equal(must_mark(PROCLIFE_EXITING, pid)->exiting.exit_code, 0);
}

#define FREES "/sys/kernel/tracing/events/sched/sched_process_free/enable"

static void trace_frees(const char *on)
{
	int fd = open(FREES, O_WRONLY | O_CLOEXEC);

	assert_int_equal(write(fd, on, 1), 1);
	close(fd);
}

struct runner {
	int pid; /* -1: not known */
	bool softirq;
};

/* The context in which it was freed, by the tracepoint. */
static struct runner traced_runner(pid_t pid)
{
	FILE *file = fopen("/sys/kernel/tracing/trace", "re");
	struct runner runner = { -1, false };
	char line[512], *at, *end;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		at = strstr(line, "sched_process_free: ");
		at = at ? strstr(at, " pid=") : NULL;
		if (!at || atoi(at + 5) != pid)
			continue;
		/* The name, a hyphen, the number, the CPU in brackets, and flags: the third is the context's. */
		end = strchr(line, '[');
		at = end ? strstr(end, "] ") : NULL;
		assert_true(at && strcspn(at + 2, " ") >= 4);
		runner.softirq = at[4] == 's' || at[4] == 'S';
		*end = '\0';
		runner.pid = atoi(strrchr(line, '-') + 1);
	}
	fclose(file);
	return runner;
}

/* Waits for the FREE of a process that has ended. */
static const struct proclife_record *must_be_freed(pid_t pid)
{
	const struct proclife_record *r = NULL;
	unsigned int tries;

	for (tries = 0; tries < 300 && !r; tries++) {
		usleep(100000);
		marks_read();
		r = mark_from(NULL, PROCLIFE_FREE, pid);
	}
	assert_non_null(r);
	return r;
}

/* The callback ran in some context, and nothing holds what it freed. */
static void test_freed(void **state)
{
	const struct proclife_record *r;
	struct runner runner;
	pid_t pid;

	(void)state;
	trace_frees("1");
	pid = must_fork();
	if (!pid)
		_exit(0);
	marks_reap(pid);
	r = must_be_freed(pid);
	trace_frees("0");
	runner = traced_runner(pid);
	compare("FREE.runner", "ftrace", (int)r->free.runner_pid == runner.pid);
	compare("FREE.softirq", "ftrace", !!(r->flags & PROCLIFE_F_SOFTIRQ) == runner.softirq);
	compare("FREE.users", "nobody", r->free.users == 0);
	/* The idle task of a CPU has pid 0, and a name. */
	assert_true(r->free.runner_comm[0]);
	assert_int_not_equal(r->free.runner, 0);
}

/* A perf counter of the task holds it. */
static void test_held(void **state)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	};
	const struct proclife_record *r;
	pid_t pid;
	int fd;

	(void)state;
	pid = must_fork();
	if (!pid)
		pause();
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	assert_true(fd >= 0);
	kill(pid, SIGKILL);
	marks_reap(pid);
	r = must_be_freed(pid);
	close(fd);
	compare("FREE.users", "perf", r->free.users == 1);
}

int main(void)
{
#define MARK(test) cmocka_unit_test_setup_teardown(test, marks_begin, marks_end)
	const struct CMUnitTest tests[] = {
		MARK(test_all_there), MARK(test_not_wanted), MARK(test_threads),
		MARK(test_uninterruptible), MARK(test_traced), MARK(test_adopted), MARK(test_blocked),
		MARK(test_freed), MARK(test_held),
	};

	return cmocka_run_group_tests(tests, NULL, marks_unload);
}
