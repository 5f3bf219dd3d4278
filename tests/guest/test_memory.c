// SPDX-License-Identifier: GPL-2.0-only
/* Which process tears an address space down, and when, judged by the processes that caused it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lives.h"
#include "marks.h"
#include "reading.h"
#include "smaps.h"

#define MIB 1048576ul

/* Older headers lack this. */
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* An ordinary death, with pages whose number is known: all marks in their order. */
static void test_pages(void **state)
{
	const unsigned long anon = 24 * MIB, shared = 9 * MIB;
	const struct proclife_record *exiting, *teardown, *gone, *exit_;
	uint64_t before, after, error;
	struct smaps mapped;
	struct told told;
	pid_t pid;

	(void)state;
	ready_prepare();
	pid = must_fork();
	if (!pid) {
		void *a = mmap(NULL, anon, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		void *s = mmap(NULL, shared, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		if (a == MAP_FAILED || s == MAP_FAILED)
			_exit(99);
		ready_say();
		pause();
	}
	ready_await(1);
	usleep(100000); /* it is in pause() */
	mapped = smaps_of(pid);
	assert_true(mapped.anon >= anon / 1024);
	before = now();
	assert_int_equal(kill(pid, SIGKILL), 0);
	marks_reap(pid);
	after = now();

	exiting = must_mark(PROCLIFE_EXITING, pid);
	exit_ = must_mark(PROCLIFE_EXIT, pid);
	teardown = mark_of_mm(exiting, exiting->exiting.mm, PROCLIFE_MM_TEARDOWN);
	gone = mark_of_mm(exiting, exiting->exiting.mm, PROCLIFE_MM_GONE);
	assert_true(teardown && gone);
	assert_true(before <= must_mark(PROCLIFE_SIGNAL, pid)->ts);
	assert_true(must_mark(PROCLIFE_SIGNAL, pid)->ts < exiting->ts);
	assert_true(exiting->ts < teardown->ts && teardown->ts < gone->ts);
	compare("EXITING", "clock", before < exiting->ts && exiting->ts < after);
	compare("MM TEARDOWN", "clock", before < teardown->ts && teardown->ts < after);
	compare("MM GONE", "clock", before < gone->ts && gone->ts < after);
	if (marks_header()->exit_mark == PROCLIFE_EXIT_AFTER_MM)
		assert_true(gone->ts < exit_->ts);
	else
		assert_true(exiting->ts < exit_->ts && exit_->ts < teardown->ts);

	assert_int_equal(exiting->exiting.exit_code, SIGKILL);
	assert_true(exiting->flags & PROCLIFE_F_GROUP_EXIT);
	compare("parent at exit", "getpid", exiting->exiting.parent_tgid == (uint32_t)getpid());
	assert_int_equal(exiting->exiting.parent, must_mark(PROCLIFE_FORK, pid)->fork.parent);
	assert_int_equal(exiting->exiting.tracer, 0);
	assert_int_equal(exiting->exiting.mm_users, 1);
	error = marks_header()->rss_error;
	assert_in_range(exiting->exiting.rss_anon, mapped.anon - error, mapped.anon + error);
	assert_in_range(exiting->exiting.rss_shmem, shared / 1024 - error, shared / 1024 + error);
	assert_in_range(teardown->mm.rss_anon, mapped.anon - error, mapped.anon + error);
	assert_in_range(teardown->mm.rss_shmem, shared / 1024 - error, shared / 1024 + error);
	assert_true(teardown->mm.tables >= (anon + shared) / 1024 / 512);
	/* By the process itself, not for an exec, and nothing is left. */
	assert_int_equal(teardown->tgid, pid);
	assert_int_equal(gone->tgid, pid);
	assert_int_equal(teardown->flags & PROCLIFE_F_EXECING, 0);
	assert_int_equal(gone->mm.rss_anon | gone->mm.rss_file | gone->mm.rss_shmem | gone->mm.tables, 0);
	assert_null(mark_of_mm(marks, exiting->exiting.mm, PROCLIFE_MM_LEFT));

	told = marks_told(pid);
	assert_true(told.known && told.memory.own);
	assert_int_equal(told.phases[PROCLIFE_UNMAP], gone->ts - teardown->ts);
	assert_int_equal(told.phases[PROCLIFE_HELD], 0);
	assert_int_equal(told.memory.rss_anon, teardown->mm.rss_anon);
}

/* The teardown by an exec is distinguished from the teardown by a death. */
static void test_exec(void **state)
{
	const struct proclife_record *r, *exiting;
	unsigned int dropped = 0;
	pid_t pid = must_fork();

	(void)state;
	if (!pid) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(99);
	}
	marks_reap(pid);
	exiting = must_mark(PROCLIFE_EXITING, pid);
	for (r = marks; r < marks + marks_count; r++) {
		if (r->type != PROCLIFE_MM || r->tgid != (uint32_t)pid)
			continue;
		assert_int_equal(!!(r->flags & PROCLIFE_F_EXECING), r < exiting);
		assert_int_equal(r->mm.mm == exiting->exiting.mm, r > exiting);
		dropped += r < exiting;
	}
	assert_int_equal(dropped, 2); /* its beginning and its end */
	assert_int_equal(exiting->exiting.exit_code, 0);
}

/* A region of this process; its readers wait until @uffd is closed. */
static void *slow_region(int *uffd)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	void *at = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	range.range.start = (uintptr_t)at;
	range.range.len = MIB;
	if (at == MAP_FAILED || *uffd < 0 || ioctl(*uffd, UFFDIO_API, &api) ||
	    ioctl(*uffd, UFFDIO_REGISTER, &range))
		_exit(99);
	return at;
}

/* Another process holds the memory while it reads it, and drops it last, so it tears it down. */
static void test_held(void **state)
{
	struct {
		int uffd;
		void *at;
	} victim;
	const struct proclife_record *exiting, *left, *teardown, *gone;
	int said[2], pidfd, uffd;
	uint64_t before, killed, let_go, after;
	struct told told;
	pid_t pid, holder;

	(void)state;
	assert_int_equal(pipe2(said, O_CLOEXEC), 0);
	pid = must_fork();
	if (!pid) {
		victim.at = slow_region(&victim.uffd);
		if (write(said[1], &victim, sizeof(victim)) != sizeof(victim))
			_exit(99);
		pause();
	}
	close(said[1]); /* else a child that fails would leave the read waiting */
	assert_int_equal(read(said[0], &victim, sizeof(victim)), sizeof(victim));
	close(said[0]);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	uffd = (int)syscall(SYS_pidfd_getfd, pidfd, victim.uffd, 0);
	assert_true(uffd >= 0);
	close(pidfd);
	holder = must_fork();
	if (!holder) {
		char buffer[16];
		struct iovec to = { buffer, sizeof(buffer) }, from = { victim.at, sizeof(buffer) };

		close(uffd);
		process_vm_readv(pid, &to, 1, &from, 1, 0);
		_exit(0);
	}
	usleep(300000); /* it waits */
	before = now();
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	killed = now();
	usleep(300000);
	let_go = now();
	close(uffd);
	marks_reap(holder);
	after = now();
	exiting = must_mark(PROCLIFE_EXITING, pid);
	assert_int_equal(exiting->exiting.mm_users, 2);
	left = mark_of_mm(exiting, exiting->exiting.mm, PROCLIFE_MM_LEFT);
	teardown = mark_of_mm(exiting, exiting->exiting.mm, PROCLIFE_MM_TEARDOWN);
	gone = mark_of_mm(exiting, exiting->exiting.mm, PROCLIFE_MM_GONE);
	assert_true(left && teardown && gone);
	assert_int_equal(left->tgid, pid);
	compare("MM LEFT", "holder", left->mm.users == 1);
	compare("MM LEFT", "clock", left->ts < killed);
	compare("MM TEARDOWN", "clock", let_go < teardown->ts);
	compare("MM TEARDOWN", "holder", teardown->tgid == (uint32_t)holder);
	compare("MM GONE", "holder", gone->tgid == (uint32_t)holder);
	compare("MM GONE", "clock", gone->ts < after);
	/* The holder did that before it began to exit itself. */
	assert_true(gone->ts < must_mark(PROCLIFE_EXITING, holder)->ts);

	told = marks_told(pid);
	assert_true(told.known && !told.memory.own && !told.memory.open);
	assert_int_equal(told.memory.holders, 1);
	assert_int_equal(told.memory.last.tgid, holder);
	assert_int_equal(told.phases[PROCLIFE_HELD], teardown->ts - left->ts);
	assert_true(told.phases[PROCLIFE_HELD] >= let_go - killed);
	assert_true(told.phases[PROCLIFE_HELD] < after - before);
	assert_int_equal(told.phases[PROCLIFE_UNMAP], gone->ts - teardown->ts);
}

/* An open file of /proc that is not being read does not hold the memory. */
static void test_open_holds_nothing(void **state)
{
	struct told told;
	char path[32];
	pid_t pid;
	int fd;

	(void)state;
	ready_prepare();
	pid = must_fork();
	if (!pid) {
		ready_say();
		pause();
	}
	ready_await(1);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	kill(pid, SIGKILL);
	marks_reap(pid);
	told = marks_told(pid);
	assert_true(told.known && told.memory.own);
	assert_true(told.phases[PROCLIFE_UNMAP] > 0);
	assert_int_equal(told.phases[PROCLIFE_HELD], 0);
	close(fd);
}

/*
 * A fork that fails after it has copied the address space, as the PID namespace has lost its init: that
 * memory belongs to no process.
 */
static void test_failed_fork(void **state)
{
	const struct proclife_record *exiting, *r;
	unsigned int torn = 0;
	struct told told;
	int failed = 0;
	pid_t pid = must_fork();

	(void)state;
	if (!pid) {
		if (unshare(CLONE_NEWPID))
			_exit(99);
		pid = fork();
		if (!pid)
			_exit(0);
		if (waitpid(pid, NULL, 0) != pid)
			_exit(99);
		pid = fork();
		_exit(pid < 0 && errno == ENOMEM ? 7 : 99);
	}
	assert_int_equal(waitpid(pid, &failed, 0), pid);
	assert_int_equal(failed, 7 << 8);
	marks_read();
	exiting = must_mark(PROCLIFE_EXITING, pid);
	for (r = marks; r < exiting; r++)
		if (r->type == PROCLIFE_MM && r->tgid == (uint32_t)pid && r->mm.what == PROCLIFE_MM_TEARDOWN) {
			assert_false(r->flags & PROCLIFE_F_EXECING);
			assert_true(r->mm.mm != exiting->exiting.mm);
			torn++;
		}
	assert_int_equal(torn, 1);
	told = marks_told(pid);
	assert_true(told.known && told.memory.own);
	assert_true(told.memory.teardown > exiting->ts);
	assert_int_equal(told.phases[PROCLIFE_HELD], 0);
}

/* A process that shares the address space outlives the other one, and tears it down. */
static int sharer(void *data)
{
	(void)data;
	ready_say();
	pause();
	return 0;
}

static void test_shared(void **state)
{
	const struct proclife_record *first, *second, *left, *teardown;
	int status, pids[2];
	uint64_t killed;
	pid_t pid, other;

	(void)state;
	ready_prepare();
	assert_int_equal(pipe2(pids, O_CLOEXEC), 0);
	pid = must_fork();
	if (!pid) {
		char *stack = malloc(65536);

		other = clone(sharer, stack + 65536, CLONE_VM | CLONE_PARENT | SIGCHLD, NULL);
		if (write(pids[1], &other, sizeof(other)) != sizeof(other))
			_exit(99);
		pause();
	}
	assert_int_equal(read(pids[0], &other, sizeof(other)), sizeof(other));
	ready_await(1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	usleep(200000);
	killed = now();
	kill(other, SIGKILL);
	marks_reap(other);
	first = must_mark(PROCLIFE_EXITING, pid);
	second = must_mark(PROCLIFE_EXITING, other);
	assert_int_equal(first->exiting.mm, second->exiting.mm);
	assert_int_equal(first->exiting.mm_users, 2);
	left = mark_of_mm(first, first->exiting.mm, PROCLIFE_MM_LEFT);
	teardown = mark_of_mm(first, first->exiting.mm, PROCLIFE_MM_TEARDOWN);
	assert_true(left && teardown);
	assert_int_equal(left->tgid, pid);
	compare("MM LEFT", "holder", left->mm.users == 1);
	compare("MM LEFT", "clock", left->ts < killed);
	compare("MM TEARDOWN", "clock", killed < teardown->ts);
	compare("MM TEARDOWN", "holder", teardown->tgid == (uint32_t)other);
	assert_false(must_mark(PROCLIFE_FORK, pid)->flags & PROCLIFE_F_SHARES);
	assert_true(must_mark(PROCLIFE_FORK, other)->flags & PROCLIFE_F_SHARES);
	/* The memory was the first process's, and the second one has none. */
	assert_true(marks_told(pid).phases[PROCLIFE_HELD] > 0);
	assert_int_equal(marks_told(pid).memory.last.tgid, other);
	assert_false(marks_told(other).known);
	close(pids[0]);
	close(pids[1]);
}

int main(void)
{
#define MARK(test) cmocka_unit_test_setup_teardown(test, marks_begin, marks_end)
	const struct CMUnitTest tests[] = {
		MARK(test_pages), MARK(test_exec), MARK(test_held),
		MARK(test_open_holds_nothing), MARK(test_failed_fork), MARK(test_shared),
	};

	return cmocka_run_group_tests(tests, NULL, marks_unload);
}
