// SPDX-License-Identifier: GPL-2.0-only
/* The arguments of an exec: the bytes that were passed, up to the module's limit. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "module.h"
#include "reading.h"

static struct proclife_source *source;

static void load(const char *parameters)
{
	assert_int_equal(module_load(parameters), 0);
	source = open_source();
}

static void unload(void)
{
	assert_int_equal(proclife_source_lost(source), 0);
	proclife_source_free(source);
	source = NULL;
	assert_int_equal(module_unload(), 0);
}

/* Unloads the module that a failed test leaves behind. */
static int clean_up(void **state)
{
	(void)state;
	proclife_source_free(source);
	source = NULL;
	return module_loaded() ? module_unload() : 0;
}

static pid_t exec_and_wait(char *const argv[])
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		execv("/bin/true", argv);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* The vector of the process as it was recorded: *bytes of it, *total there were, *pieces. */
static char *recorded(pid_t pid, size_t *bytes, size_t *total, bool *cut, unsigned int *pieces)
{
	char *text = calloc(1, 1 << 16);
	bool done = false, running = false;
	struct proclife_event event;
	uint64_t end = now();

	assert_non_null(text);
	*bytes = *total = *pieces = 0;
	*cut = false;
	while (next_until(source, end, &event)) {
		const struct proclife_record *r = event.record;

		assert_non_null(r);
		if (r->type == PROCLIFE_EXEC && r->pid == (uint32_t)pid) {
			assert_false(running);
			running = true;
			continue;
		}
		if (r->type == PROCLIFE_ARGS && r->pid == (uint32_t)pid) {
			assert_true(running && !done);
			assert_int_equal(r->args.offset, *bytes);
			assert_true(r->args.len <= PROCLIFE_ARGS_LEN);
			memcpy(text + *bytes, r->args.text, r->args.len);
			for (size_t i = r->args.len; i < PROCLIFE_ARGS_LEN; i++)
				assert_int_equal(r->args.text[i], 0);
			*bytes += r->args.len;
			*total = r->args.total;
			*cut = r->flags & PROCLIFE_F_TRUNCATED;
			done = *cut || *bytes == *total;
			++*pieces;
		}
	}
	return text;
}

/* Puts the vector together as the module has it. Returns its length. */
static size_t join(char *const argv[], char *all)
{
	size_t length = 0;

	for (; *argv; argv++) {
		strcpy(all + length, *argv);
		length += strlen(*argv) + 1;
	}
	return length;
}

/* The records must have @want bytes of the vector. */
static void check(char *const argv[], size_t want)
{
	size_t bytes, total, length = 0;
	unsigned int pieces;
	char *text, *all;
	bool cut;

	for (size_t i = 0; argv[i]; i++)
		length += strlen(argv[i]) + 1;
	all = malloc(length + 1);
	assert_non_null(all);
	assert_int_equal(join(argv, all), length);
	text = recorded(exec_and_wait(argv), &bytes, &total, &cut, &pieces);
	assert_int_equal(total, length);
	assert_int_equal(bytes, want < length ? want : length);
	assert_memory_equal(text, all, bytes);
	assert_int_equal(cut, bytes < length);
	assert_int_equal(pieces, (bytes + PROCLIFE_ARGS_LEN - 1) / PROCLIFE_ARGS_LEN);
	free(all);
	free(text);
}

static char name[] = "true", empty[] = "", space[] = "a b", quotes[] = "it's \"so\"";
static char newline[] = "two\nlines", bytes[] = "\xff\xfe\x80\x01", dollar[] = "$HOME *";

static void test_as_passed(void **state)
{
	char *const all[] = { name, empty, space, quotes, newline, bytes, dollar, empty, NULL };
	char *const none[] = { name, NULL };
	char *const only_empty[] = { empty, NULL };
	char exact[PROCLIFE_ARGS_LEN - sizeof(name)] = "", one_more[sizeof(exact) + 1] = "";
	char *const one_piece[] = { name, exact, NULL };
	char *const two_pieces[] = { name, one_more, NULL };

	(void)state;
	memset(exact, 'x', sizeof(exact) - 1);
	memset(one_more, 'y', sizeof(one_more) - 1);
	load("");
	check(all, 512);
	check(none, 512);
	check(only_empty, 512);
	check(one_piece, 512);
	check(two_pieces, 512);
	unload();
}

static void test_cut(void **state)
{
	static char long_one[100 * 1024 + 1], below[511 - sizeof(name)], at[512 - sizeof(name)],
		above[513 - sizeof(name)];
	char *const argv[] = { name, long_one, NULL };
	char *const argv_below[] = { name, below, NULL };
	char *const argv_at[] = { name, at, NULL };
	char *const argv_above[] = { name, above, NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(long_one) - 1; i++)
		long_one[i] = 'a' + (char)(i % 26);
	memset(below, 'b', sizeof(below) - 1);
	memset(at, 'c', sizeof(at) - 1);
	memset(above, 'd', sizeof(above) - 1);
	load("");
	check(argv, 512);
	check(argv_below, 512);
	check(argv_at, 512);
	check(argv_above, 512);
	unload();
	load("args_bytes=8192");
	check(argv, 8192);
	unload();
	load("args_bytes=100");
	check(argv, 100);
	unload();
	load("args_bytes=1");
	check(argv, 1);
	unload();
}

static void test_off(void **state)
{
	char *const argv[] = { name, space, NULL };
	size_t length, total;
	unsigned int pieces;
	char *text;
	bool cut;

	(void)state;
	load("args_bytes=0");
	assert_false(proclife_source_header(source)->features & PROCLIFE_HAS(PROCLIFE_ARGS));
	assert_int_equal(proclife_source_header(source)->args_bytes, 0);
	text = recorded(exec_and_wait(argv), &length, &total, &cut, &pieces);
	assert_int_equal(pieces, 0);
	free(text);
	unload();
	load("");
	assert_true(proclife_source_header(source)->features & PROCLIFE_HAS(PROCLIFE_ARGS));
	assert_int_equal(proclife_source_header(source)->args_bytes, 512);
	unload();
	assert_int_equal(module_load("args_bytes=8193"), -EINVAL);
}

/* One exec may take half of a ring: EXEC and 15 pieces of these 32, EXEC and 127 of these 256. */
static void test_small_rings(void **state)
{
	static char long_one[9000];
	char *const argv[] = { name, long_one, NULL };

	(void)state;
	memset(long_one, 'x', sizeof(long_one) - 1);
	assert_int_equal(module_load("ring_kb=4 args_bytes=961"), -EINVAL);
	assert_int_equal(module_load("ring_kb=32 args_bytes=8129"), -EINVAL);
	load("ring_kb=4"); /* the other parameter's default fits */
	unload();
	load("ring_kb=64 args_bytes=8192");
	unload();
	load("ring_kb=32 args_bytes=8128");
	check(argv, 8128);
	unload();
}

static void *exec_env(void *argv)
{
	execv("/usr/bin/env", argv);
	_exit(127);
}

/* A thread that does not lead its process executes the first one. */
static pid_t exec_by_thread(char *const argv[])
{
	pid_t pid = fork();
	pthread_t thread;

	assert_true(pid >= 0);
	if (!pid) {
		if (pthread_create(&thread, NULL, exec_env, (void *)argv))
			_exit(126);
		for (;;)
			pause();
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/*
 * Each env executes the rest of its arguments, so one task execs four times: each EXEC comes before its
 * own pieces, which are of the same task, in the order of their offsets, and complete before the next.
 */
static void test_in_turn(void **state)
{
	static char env[] = "env", text[150];
	char *const argv[] = { env, env, env, name, text, NULL };
	char all[sizeof(text) + 32] = "";
	size_t offset = 0, length = 0;
	struct proclife_event event;
	unsigned int execs = 0;
	uint64_t task = 0, end;
	pid_t pid;

	(void)state;
	memset(text, 't', sizeof(text) - 1);
	load("");
	pid = exec_by_thread(argv);
	end = now();
	while (next_until(source, end, &event)) {
		const struct proclife_record *r = event.record;

		assert_non_null(r);
		if (r->pid != (uint32_t)pid || (r->type != PROCLIFE_EXEC && r->type != PROCLIFE_ARGS))
			continue;
		if (!task) {
			assert_true(r->type == PROCLIFE_EXEC && r->exec.old_pid != r->pid);
			task = r->task;
		}
		assert_true(r->task == task);
		if (r->type == PROCLIFE_EXEC) {
			assert_int_equal(offset, length);
			assert_true(execs < 4);
			offset = 0;
			length = join(argv + execs++, all);
			continue;
		}
		assert_int_equal(r->args.offset, offset);
		assert_int_equal(r->args.total, length);
		assert_true(r->args.len && offset + r->args.len <= length);
		assert_memory_equal(r->args.text, all + offset, r->args.len);
		offset += r->args.len;
	}
	assert_int_equal(execs, 4);
	assert_int_equal(offset, length);
	unload();
}

/* Wakes up on this CPU all the time, by an interrupt that leaves a record. */
static pid_t start_alarms(void)
{
	pid_t pid = fork();
	sigset_t set;
	int signo;

	assert_true(pid >= 0);
	if (pid)
		return pid;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (;;) {
		const struct itimerval soon = { .it_value = { .tv_usec = 150 } };

		setitimer(ITIMER_REAL, &soon, NULL);
		sigwait(&set, &signo);
	}
}

/* On a real-time kernel timers expire in a thread, which cannot run while a probe does. */
static bool timers_interrupt(void)
{
	struct utsname kernel;

	assert_int_equal(uname(&kernel), 0);
	return !strstr(kernel.version, "PREEMPT_RT");
}

/* How many records lie between the pieces of vectors that were read so far, on CPU 0. */
static unsigned int records_between_pieces(void)
{
	struct proclife_event event;
	unsigned int between = 0;
	uint64_t end = now();
	bool inside = false;

	while (next_until(source, end, &event)) {
		const struct proclife_record *r = event.record;

		assert_non_null(r);
		if (r->cpu)
			continue;
		if (r->type == PROCLIFE_EXEC)
			inside = true;
		else if (r->type == PROCLIFE_ARGS)
			inside = !(r->flags & PROCLIFE_F_TRUNCATED) &&
				 r->args.offset + r->args.len < r->args.total;
		else
			between += inside;
	}
	return between;
}

/* Interrupts are enabled between the pieces: their records can end up there. */
static void test_interrupted(void **state)
{
	static char long_one[9000];
	char *const argv[] = { name, long_one, NULL };
	unsigned int between = 0;
	pid_t alarms;

	(void)state;
	if (!timers_interrupt())
		skip();
	memset(long_one, 'x', sizeof(long_one) - 1);
	load("args_bytes=8192 ring_kb=16384");
	pin_to_cpu(0);
	alarms = start_alarms();
	for (unsigned int round = 0; round < 20 && !between; round++) {
		for (unsigned int i = 0; i < 60; i++)
			exec_and_wait(argv);
		between = records_between_pieces();
	}
	kill(alarms, SIGKILL);
	waitpid(alarms, NULL, 0);
	unpin();
	assert_true(between > 0);
	unload();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_as_passed, clean_up),
		cmocka_unit_test_teardown(test_cut, clean_up),
		cmocka_unit_test_teardown(test_off, clean_up),
		cmocka_unit_test_teardown(test_small_rings, clean_up),
		cmocka_unit_test_teardown(test_in_turn, clean_up),
		cmocka_unit_test_teardown(test_interrupted, clean_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
