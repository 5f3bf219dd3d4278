// SPDX-License-Identifier: GPL-2.0-only
/* A core that is dumped into a program that reads it slowly: the death waits for it. */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lives.h"
#include "marks.h"
#include "reading.h"

#define MS 1000000ull
#define SLOW (400 * MS)
#define THREADS 3

#define PATTERN "/proc/sys/kernel/core_pattern"
/* The limit of such programs at a time; a death waits for them unless it is 0. */
#define LIMIT "/proc/sys/kernel/core_pipe_limit"
static char pattern[256], limit[16];
static char script[] = "/tmp/slow-core-XXXXXX", result[] = "/tmp/slow-result-XXXXXX";

/* Times by the program's clock. */
struct dump {
	uint64_t begun, ended;
	uint64_t bytes;
};

/* This program, executed by the kernel as the dump's reader. Writes what it knows of the dump. */
static int take_dump(const char *path)
{
	struct dump dump = { .begun = now() };
	static char buffer[65536];
	ssize_t n;
	int fd;

	usleep(SLOW / 1000);
	while ((n = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0)
		dump.bytes += (uint64_t)n;
	dump.ended = now();
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, &dump, sizeof(dump)) != sizeof(dump);
}

static int get(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, size - 1);

	return close(fd) || n <= 0 ? -1 : 0;
}

static int set(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = write(fd, text, strlen(text));

	return close(fd) || n != (ssize_t)strlen(text) ? -1 : 0;
}

/* A pattern has room for 128 characters, and a path may be longer, so a script is used. */
static int begin_all(void **state)
{
	char self[PATH_MAX], mine[sizeof(script) + 1];
	int fd;

	(void)state;
	if (get(PATTERN, pattern, sizeof(pattern)) || get(LIMIT, limit, sizeof(limit)) ||
	    !realpath("/proc/self/exe", self))
		return -1;
	fd = mkstemp(result);
	if (fd < 0 || close(fd))
		return -1;
	fd = mkstemp(script);
	if (fd < 0 || dprintf(fd, "#!/bin/sh\nexec '%s' --dump %s\n", self, result) < 0 ||
	    fchmod(fd, 0755) || close(fd))
		return -1;
	snprintf(mine, sizeof(mine), "|%s", script);
	return set(PATTERN, mine) || set(LIMIT, "9") ? -1 : 0;
}

static int end_all(void **state)
{
	return set(PATTERN, pattern) || set(LIMIT, limit) || unlink(script) || unlink(result) ?
		       -1 :
		       marks_unload(state);
}

static void *sleep_on(void *data)
{
	ready_say();
	pause();
	return data;
}

/* It has more memory than a pipe has room. */
static pid_t start(unsigned int threads)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
	pid_t pid;

	ready_prepare();
	pid = must_fork();
	if (!pid) {
		setrlimit(RLIMIT_CORE, &unlimited);
		signal(SIGSEGV, SIG_DFL); /* cmocka has a handler */
		if (mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
			_exit(99);
		while (threads--) {
			pthread_t thread;

			if (pthread_create(&thread, NULL, sleep_on, NULL))
				_exit(99);
		}
		ready_say();
		pause();
	}
	ready_await(threads + 1);
	usleep(100000); /* all of them are in pause() */
	return pid;
}

static struct dump dumped(void)
{
	struct dump dump;
	int fd = open(result, O_RDWR | O_CLOEXEC);

	assert_int_equal(read(fd, &dump, sizeof(dump)), sizeof(dump));
	assert_int_equal(ftruncate(fd, 0), 0);
	close(fd);
	assert_true(dump.bytes > 1 << 20 && dump.ended - dump.begun >= SLOW);
	return dump;
}

/* The end begins with the dump, though the thread that dumps exits after it. */
static void dump_with(unsigned int threads)
{
	const struct proclife_record *r, *core, *signal_, *gone, *teardown, *last = NULL;
	uint64_t before, after, end;
	unsigned int others = 0;
	struct dump dump;
	struct told told;
	int status;
	pid_t pid;

	pid = start(threads);
	before = now();
	kill(pid, SIGSEGV);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	after = now();
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV && WCOREDUMP(status));
	marks_read();
	dump = dumped();
	signal_ = must_mark(PROCLIFE_SIGNAL, pid);
	core = must_mark(PROCLIFE_COREDUMP, pid);
	assert_int_equal(core->coredump.signo, SIGSEGV);
	assert_true(before <= signal_->ts && signal_->ts < core->ts);
	compare("COREDUMP", "dump's reader", core->ts < dump.begun);

	for (r = marks; r < marks + marks_count; r++) {
		if (r->tgid != (uint32_t)pid)
			continue;
		if (r->type == PROCLIFE_EXITING && r->task == core->task) {
			compare("EXITING", "dump's reader", dump.ended < r->ts && r->ts < after);
			assert_true(r->flags & PROCLIFE_F_GROUP_EXIT);
			assert_int_equal(r->exiting.exit_code, SIGSEGV | 0x80);
		} else if (r->type == PROCLIFE_EXITING) {
			others++;
			/* The dump waits for the other threads, and they for its end. */
			compare("EXITING", "dump's reader", core->ts < r->ts && r->ts < dump.begun);
			assert_true(r->flags & PROCLIFE_F_GROUP_EXIT);
			assert_int_equal(r->exiting.exit_code, SIGSEGV);
		} else if (r->type == PROCLIFE_EXIT) {
			assert_true(dump.ended < r->ts);
			assert_int_equal(r->exit.exit_code & 0x7f, SIGSEGV);
			/* Another one can have left before it and record that later. */
			if (r->flags & PROCLIFE_F_GROUP_DEAD)
				last = r;
		}
	}
	assert_int_equal(others, threads);
	assert_non_null(last);
	assert_true(last->flags & PROCLIFE_F_GROUP_EXIT);
	assert_int_equal(last->exit.exit_code, status);

	teardown = mark_of_mm(core, must_mark(PROCLIFE_EXITING, pid)->exiting.mm, PROCLIFE_MM_TEARDOWN);
	gone = mark_of_mm(core, must_mark(PROCLIFE_EXITING, pid)->exiting.mm, PROCLIFE_MM_GONE);
	assert_true(teardown && gone);
	compare("MM TEARDOWN", "dump's reader", dump.ended < teardown->ts);
	told = marks_told(pid);
	assert_int_equal(told.exiting, core->ts);
	assert_int_equal(told.exited, core->ts);
	assert_int_equal(told.phases[PROCLIFE_KILL], core->ts - signal_->ts);
	/* The dump is a part of its teardown, but not of its memory's. */
	end = told.exited + told.phases[PROCLIFE_TEARDOWN];
	assert_true(dump.ended < end && end < after);
	assert_true(told.known && told.memory.own);
	assert_int_equal(told.phases[PROCLIFE_UNMAP], gone->ts - teardown->ts);
	assert_int_equal(told.phases[PROCLIFE_HELD], 0);
}

static void test_alone(void **state)
{
	(void)state;
	dump_with(0);
}

static void test_threads(void **state)
{
	(void)state;
	dump_with(THREADS);
}

static uint64_t wait_for_end(uint64_t pid)
{
	int status;

	assert_int_equal(waitpid((pid_t)pid, &status, 0), pid);
	return (uint64_t)status;
}

/* A snapshot taken meanwhile shows that all threads are exiting. */
static void test_seen(void **state)
{
	struct proclife_source *source;
	struct proclife_event event;
	unsigned int seen = 0;
	uint64_t until;
	pid_t pid;

	(void)state;
	pid = start(THREADS);
	kill(pid, SIGSEGV);
	usleep(SLOW / 2000);
	source = open_source();
	assert_int_equal(proclife_source_snapshot(source), 0);
	until = now();
	while (next_until(source, until, &event)) {
		const struct proclife_record *r = event.record;

		if (!r || r->type != PROCLIFE_TASK || r->tgid != (uint32_t)pid)
			continue;
		seen++;
		assert_true(r->flags & PROCLIFE_F_GROUP_EXIT);
		assert_int_equal(r->flags & PROCLIFE_F_ZOMBIE, 0);
		if (r->flags & PROCLIFE_F_EXITING)
			assert_int_equal(r->state.exit_code, SIGSEGV);
	}
	proclife_source_free(source);
	assert_int_equal(seen, THREADS + 1);
	assert_int_equal(wait_for_end(pid), SIGSEGV | 0x80);
	assert_true(until < dumped().ended);
}

/* A SIGKILL ends the dump, and is what it died of. */
static void test_killed(void **state)
{
	const struct proclife_record *r, *core;
	unsigned int exits = 0;
	uint64_t killed;
	struct told told;
	pid_t pid;

	(void)state;
	pid = start(THREADS);
	kill(pid, SIGSEGV);
	usleep(SLOW / 2000);
	killed = now();
	kill(pid, SIGKILL);
	assert_int_equal(wait_for_end(pid), SIGKILL);
	marks_read();
	core = must_mark(PROCLIFE_COREDUMP, pid);
	compare("COREDUMP", "clock", core->ts < killed);
	for (r = core; r < marks + marks_count; r++) {
		if (r->tgid != (uint32_t)pid || (r->type != PROCLIFE_EXITING && r->type != PROCLIFE_EXIT))
			continue;
		if (r->type == PROCLIFE_EXIT) {
			exits++;
			assert_true(killed < r->ts);
			if (r->flags & PROCLIFE_F_GROUP_EXIT)
				assert_int_equal(r->exit.exit_code, SIGKILL);
			continue;
		}
		assert_true(r->flags & PROCLIFE_F_GROUP_EXIT);
		assert_int_equal(r->exiting.exit_code, r->ts < killed ? SIGSEGV : SIGKILL);
		assert_int_equal(r->task == core->task, r->ts > killed);
	}
	assert_int_equal(exits, THREADS + 1);
	told = marks_told(pid);
	assert_int_equal(told.exiting, core->ts);
	assert_int_equal(told.phases[PROCLIFE_KILL], 0); /* it was ending already */
}

int main(int argc, char **argv)
{
#define MARK(test) cmocka_unit_test_setup_teardown(test, marks_begin, marks_end)
	const struct CMUnitTest tests[] = {
		MARK(test_alone), MARK(test_threads), MARK(test_seen), MARK(test_killed),
	};

	if (argc == 3 && !strcmp(argv[1], "--dump"))
		return take_dump(argv[2]);
	return cmocka_run_group_tests(tests, begin_all, end_all);
}
