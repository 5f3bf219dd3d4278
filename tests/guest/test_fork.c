// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parent and the creator of a new process, and where it was made: FORK, judged by the process that forks. And what
 * its handles reveal.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lives.h"
#include "marks.h"

#define SOMEBODY 4711

struct made {
	pid_t tid, child;
};

static void *fork_here(void *data)
{
	struct made *made = data;

	made->tid = (pid_t)syscall(SYS_gettid);
	made->child = must_fork();
	if (!made->child)
		_exit(0);
	return NULL;
}

/* The child of a thread has this thread as its parent, which wait(2) does not show. */
static void test_by_a_thread(void **state)
{
	const struct proclife_record *r;
	struct made made;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, fork_here, &made), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	marks_reap(made.child);
	r = must_mark(PROCLIFE_FORK, made.child);
	assert_int_not_equal(made.tid, getpid());
	assert_int_equal(r->fork.parent_pid, made.tid);
	assert_int_equal(r->fork.parent_tgid, getpid());
	assert_int_equal(r->fork.creator_pid, made.tid);
	assert_int_equal(r->fork.creator_tgid, getpid());
	assert_true(r->fork.parent && r->fork.parent == r->fork.creator);
	assert_int_equal(r->fork.ns_pid, made.child);
}

/* Its parent is its creator's parent. */
static void test_sibling(void **state)
{
	const struct proclife_record *r;
	pid_t creator = must_fork(), sibling;
	siginfo_t info;

	(void)state;
	if (!creator) {
		if (!syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL))
			_exit(0);
		pause();
	}
	/* The creator ends only when it is killed. */
	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
	sibling = info.si_pid;
	kill(creator, SIGKILL);
	marks_reap(sibling);
	marks_reap(creator);
	r = must_mark(PROCLIFE_FORK, sibling);
	assert_int_equal(r->fork.parent_pid, getpid());
	assert_int_equal(r->fork.parent_tgid, getpid());
	assert_int_equal(r->fork.creator_pid, creator);
	assert_int_equal(r->fork.creator_tgid, creator);
	assert_true(r->fork.parent && r->fork.creator && r->fork.parent != r->fork.creator);
	assert_true(must_mark(PROCLIFE_FORK, creator)->fork.parent == r->fork.parent);
}

struct elsewhere {
	pid_t first;
	ino_t namespace;
};

/* Forks the first process of a pid namespace, as another user. */
static void fork_elsewhere(int to)
{
	struct elsewhere made;
	struct stat of;

	if (unshare(CLONE_NEWPID) || setuid(SOMEBODY))
		_exit(1);
	made.first = must_fork();
	if (!made.first) {
		pause();
		_exit(0);
	}
	/* The namespace lives as long as its first process. */
	if (stat("/proc/self/ns/pid_for_children", &of))
		_exit(2);
	made.namespace = of.st_ino;
	kill(made.first, SIGKILL);
	if (waitpid(made.first, NULL, 0) != made.first || write(to, &made, sizeof(made)) != sizeof(made))
		_exit(3);
	_exit(0);
}

static void test_elsewhere(void **state)
{
	const struct proclife_record *r;
	struct elsewhere made;
	struct stat here;
	int ends[2];
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	child = must_fork();
	if (!child)
		fork_elsewhere(ends[1]);
	close(ends[1]);
	marks_reap(child);
	assert_int_equal(read(ends[0], &made, sizeof(made)), sizeof(made));
	close(ends[0]);
	assert_int_equal(stat("/proc/self/ns/pid", &here), 0);
	r = must_mark(PROCLIFE_FORK, child);
	assert_int_equal(r->fork.uid, 0);
	assert_int_equal(r->fork.ns_inum, here.st_ino);
	r = must_mark(PROCLIFE_FORK, made.first);
	assert_int_equal(r->fork.uid, SOMEBODY);
	assert_int_equal(r->fork.ns_inum, made.namespace);
	assert_int_equal(r->fork.ns_pid, 1);
}

#define ALIVE 256

static size_t repeated(const uint64_t *values, size_t count)
{
	size_t n = 0;

	for (size_t i = 1; i < count; i++)
		for (size_t j = 0; j < i; j++)
			n += values[i] == values[j];
	return n;
}

/*
 * The kernel places tasks that it makes in a row at the same distance from each other. If that, or
 * where they are, is in their handles, distances are repeated, or bits are the same.
 */
static void expect_no_pattern(const uint64_t handles[ALIVE])
{
	uint64_t sums[ALIVE - 1], xors[ALIVE - 1];

	for (size_t bit = 0; bit < 64; bit++) {
		size_t set = 0;

		for (size_t i = 0; i < ALIVE; i++)
			set += handles[i] >> bit & 1;
		assert_in_range(set, ALIVE * 3 / 10, ALIVE * 7 / 10); /* 6.4 standard deviations */
	}
	for (size_t i = 1; i < ALIVE; i++) {
		sums[i - 1] = handles[i] - handles[i - 1];
		xors[i - 1] = handles[i] ^ handles[i - 1];
	}
	assert_int_equal(repeated(sums, ALIVE - 1), 0);
	assert_int_equal(repeated(xors, ALIVE - 1), 0);
	assert_int_equal(repeated(handles, ALIVE), 0);
}

static void test_handles_reveal_nothing(void **state)
{
	uint64_t tasks[ALIVE], groups[ALIVE];
	pid_t children[ALIVE];

	(void)state;
	for (size_t i = 0; i < ALIVE; i++) {
		children[i] = must_fork();
		if (!children[i])
			for (;;)
				pause();
	}
	marks_read();
	for (size_t i = 0; i < ALIVE; i++) {
		const struct proclife_record *r = must_mark(PROCLIFE_FORK, children[i]);

		tasks[i] = r->task;
		groups[i] = r->fork.group;
	}
	for (size_t i = 0; i < ALIVE; i++)
		kill(children[i], SIGKILL);
	for (size_t i = 0; i < ALIVE; i++)
		assert_int_equal(waitpid(children[i], NULL, 0), children[i]);
	expect_no_pattern(tasks);
	expect_no_pattern(groups);
}

int main(void)
{
#define MARK(test) cmocka_unit_test_setup_teardown(test, marks_begin, marks_end)
	const struct CMUnitTest tests[] = {
		MARK(test_by_a_thread),
		MARK(test_sibling),
		MARK(test_elsewhere),
		MARK(test_handles_reveal_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, marks_unload);
}
