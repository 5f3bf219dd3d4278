// SPDX-License-Identifier: GPL-2.0-only
/* Which process reaped, and was it waiting? Judged by the processes themselves. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lives.h"
#include "reading.h"

/* P_PIDFD, which glibc has from 2.36 on. */
#define BY_PIDFD ((idtype_t)3)

#define MS 1000000ull

/* What the library reports of this reaper now. */
static const struct proclife_reaper *reaper(uint32_t tgid)
{
	const struct proclife_reaper *found;

	for (size_t i = 0; (found = proclife_reapers_get(lives_reapers, i)); i++) {
		if (found->tgid == tgid)
			return found;
	}
	fail_msg("%u has not reaped anybody", tgid);
	return NULL;
}

static pid_t child_for(unsigned int ms)
{
	pid_t pid = must_fork();

	if (!pid) {
		usleep(ms * 1000);
		_exit(0);
	}
	return pid;
}

static void test_in_wait(void **state)
{
	const struct proclife_process *process;
	uint64_t before;
	pid_t pid = child_for(200);

	(void)state;
	before = now();
	process = &must_end(pid, 0)->process;
	assert_int_equal(process->reaper_tgid, getpid());
	assert_int_equal(process->reaper_pid, getpid());
	assert_true(process->reaper_waited >= before);
	assert_true(process->reaper_waited < process->marks.notified);
	assert_int_equal(reaper(getpid())->reaped, 1);
	assert_int_equal(reaper(getpid())->awaited, 1);
	assert_int_equal(reaper(getpid())->belated, 0);
	assert_int_equal(reaper(getpid())->adopted, 0);
	assert_string_equal(reaper(getpid())->comm, "test_reapers");
}

static void test_too_late(void **state)
{
	const struct proclife_process *process;
	uint64_t came;
	pid_t pid = child_for(0);

	(void)state;
	usleep(300000);
	came = now();
	process = &must_end(pid, 0)->process;
	assert_true(process->reaper_waited >= came);
	assert_true(process->reaper_waited < process->marks.reaped);
	assert_true(process->reaper_waited > process->marks.notified + 100 * MS);
	assert_int_equal(reaper(getpid())->belated, 1);
	assert_int_equal(reaper(getpid())->awaited, 0);
}

/* Each call is a wait of its own: the call that finds the zombie came too late. */
static void test_polling(void **state)
{
	const struct proclife_process *process;
	pid_t pid = child_for(300);
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++)
		assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	/* Away from the end itself, when a call can begin before it and still find the zombie. */
	usleep(600000);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), pid);
	process = &life_of(pid)->process;
	assert_true(process->reaper_waited > process->marks.notified + 100 * MS);
	assert_int_equal(reaper(getpid())->belated, 1);
}

/* One wait(2), one reap: the second child's is another one. */
static void test_two(void **state)
{
	const struct proclife_process *process;
	pid_t first = child_for(300), second = child_for(600);

	(void)state;
	assert_int_equal(waitpid(-1, NULL, 0), first);
	usleep(600000);
	process = &must_end(second, 0)->process;
	assert_true(process->reaper_waited > process->marks.notified + 50 * MS);
	assert_int_equal(reaper(getpid())->awaited, 1);
	assert_int_equal(reaper(getpid())->belated, 1);
}

static pid_t wanted;
static pid_t waiter_tid;

static void *wait_for_it(void *data)
{
	waiter_tid = (pid_t)syscall(SYS_gettid);
	waitpid(wanted, NULL, 0);
	return data;
}

static void test_by_a_thread(void **state)
{
	const struct proclife_process *process;
	pthread_t thread;

	(void)state;
	wanted = child_for(400);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_it, NULL), 0);
	pthread_join(thread, NULL);
	process = &life_of(wanted)->process;
	assert_int_equal(process->reaper_tgid, getpid());
	assert_int_equal(process->reaper_pid, waiter_tid);
	assert_int_not_equal(waiter_tid, getpid());
	assert_true(process->reaper_waited && process->reaper_waited < process->marks.notified);
}

static void expect_wanted(uint32_t what, pid_t pid)
{
	const struct proclife_process *self;

	follow_until_now();
	self = proclife_tasks_holder(lives_tasks, (uint32_t)getpid());
	assert_non_null(self);
	assert_int_equal(self->waited_what, what);
	assert_int_equal(self->waited_for, pid);
}

/* The child leads a process group of the same number: only the system call says which is meant. */
static void test_wanted(void **state)
{
	siginfo_t info;
	pid_t pid = child_for(2000);
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	(void)state;
	assert_int_equal(setpgid(pid, pid), 0);
	assert_true(fd >= 0);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	expect_wanted(PROCLIFE_WAIT_PID, pid);
	assert_int_equal(waitpid(-pid, NULL, WNOHANG), 0);
	expect_wanted(PROCLIFE_WAIT_GROUP, pid);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), 0);
	expect_wanted(PROCLIFE_WAIT_ANY, 0);
	waitpid(0, NULL, WNOHANG);
	expect_wanted(PROCLIFE_WAIT_GROUP, getpgrp());
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG), 0);
	expect_wanted(PROCLIFE_WAIT_PID, pid);
	assert_int_equal(waitid(P_PGID, (id_t)pid, &info, WEXITED | WNOHANG), 0);
	expect_wanted(PROCLIFE_WAIT_GROUP, pid);
	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG), 0);
	expect_wanted(PROCLIFE_WAIT_ANY, 0);
	assert_int_equal(waitid(BY_PIDFD, (id_t)fd, &info, WEXITED | WNOHANG), 0);
	expect_wanted(PROCLIFE_WAIT_PID, pid);
	/* No process and no group has a number above kernel.pid_max. */
	assert_int_equal(waitpid(INT_MAX, NULL, WNOHANG), -1);
	expect_wanted(PROCLIFE_WAIT_PID, 0);
	assert_int_equal(waitpid(-INT_MAX, NULL, WNOHANG), -1);
	expect_wanted(PROCLIFE_WAIT_GROUP, 0);
	close(fd);
	must_end(pid, 0);
}

/* Forks an orphan, which outlives its parent, and writes its pid. */
static void make_orphan(int to)
{
	pid_t pid = fork();

	if (!pid) {
		pid = fork();
		if (!pid) {
			usleep(300000);
			_exit(0);
		}
		if (write(to, &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void test_init(void **state)
{
	const struct proclife_process *process;
	int pids[2];
	pid_t orphan;

	(void)state;
	assert_int_equal(pipe(pids), 0);
	make_orphan(pids[1]);
	assert_int_equal(read(pids[0], &orphan, sizeof(orphan)), sizeof(orphan));
	process = &life_of(orphan)->process;
	assert_int_equal(process->reaper_tgid, 1);
	assert_int_equal(process->real_parent_tgid, 1);
	assert_int_not_equal(process->parent_tgid, 1);
	assert_string_equal(process->parent_comm, "test_reapers");
	assert_true(reaper(1)->init);
	assert_int_equal(reaper(1)->adopted, 1);
	close(pids[0]);
	close(pids[1]);
}

static void test_subreaper(void **state)
{
	const struct proclife_process *process;
	pid_t orphan, subreaper;
	int pids[2];

	(void)state;
	assert_int_equal(pipe(pids), 0);
	subreaper = must_fork();
	if (!subreaper) {
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		make_orphan(pids[1]);
		while (wait(NULL) > 0)
			;
		_exit(0);
	}
	must_end(subreaper, 0);
	assert_int_equal(read(pids[0], &orphan, sizeof(orphan)), sizeof(orphan));
	process = &life_of(orphan)->process;
	assert_int_equal(process->reaper_tgid, subreaper);
	assert_int_equal(process->real_parent_tgid, subreaper);
	assert_int_not_equal(process->parent_tgid, subreaper);
	assert_int_equal(reaper(subreaper)->adopted, 1);
	assert_int_equal(reaper(subreaper)->reaped, 2);
	assert_false(reaper(subreaper)->init);
	assert_true(reaper(subreaper)->gone);
	close(pids[0]);
	close(pids[1]);
}

/* Counts the notifications to this process since @father ended, and when it was notified of @father. */
static unsigned int count_notified(struct proclife_source *source, pid_t father, uint64_t *own)
{
	uint64_t end = now(), exited = 0;
	struct proclife_event event;
	unsigned int count = 0;

	while (next_until(source, end, &event)) {
		const struct proclife_record *r = event.record;

		assert_non_null(r);
		if (r->type == PROCLIFE_EXIT && (pid_t)r->tgid == father)
			exited = r->ts;
		if (r->type != PROCLIFE_NOTIFY || !exited)
			continue;
		assert_int_equal(r->notify.receiver_tgid, getpid());
		assert_int_equal(r->notify.parent_tgid, getpid());
		assert_true(r->flags & PROCLIFE_F_GROUP_DEAD);
		if ((pid_t)r->tgid == father)
			*own = r->ts;
		count++;
	}
	return count;
}

/* Its zombies are reparented: the new parent is notified of them before it is notified of this process. */
static void test_leaves_zombies(void **state)
{
	struct proclife_source *source = open_source();
	const struct proclife_process *process;
	uint64_t last = 0;
	pid_t daemon;

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	daemon = must_fork();
	if (!daemon) {
		siginfo_t info;

		for (unsigned int i = 0; i < 3; i++) {
			pid_t pid = fork();

			if (!pid)
				_exit(0);
			waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
		}
		_exit(0);
	}
	process = &must_end(daemon, 0)->process;
	assert_int_equal(count_notified(source, daemon, &last), 4);
	assert_int_equal(process->marks.notified, last);
	assert_true(process->marks.exited < process->marks.notified);
	assert_true(process->marks.notified < process->marks.reaped);
	for (unsigned int i = 0; i < 3; i++)
		assert_true(wait(NULL) > 0);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	proclife_source_free(source);
}

static bool is_adopted(const struct life *life, pid_t pid)
{
	(void)pid;
	return life->process.reaper_tgid != life->process.parent_tgid;
}

static void test_init_of_a_namespace(void **state)
{
	const struct proclife_process *process;
	pid_t outer = must_fork(), init;
	int pids[2], status;

	(void)state;
	if (!outer) {
		if (unshare(CLONE_NEWPID) || pipe(pids))
			_exit(1);
		init = fork();
		if (!init) {
			make_orphan(pids[1]);
			while (wait(NULL) > 0)
				;
			_exit(0);
		}
		waitpid(init, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	assert_int_equal(waitpid(outer, &status, 0), outer);
	assert_int_equal(status, 0);
	process = &life_that(is_adopted, 0)->process;
	life_of((pid_t)process->reaper_tgid); /* how the reaper waited is certain at its own end */
	assert_int_equal(process->ns_pid, 3);
	assert_true(reaper(process->reaper_tgid)->init);
	assert_int_not_equal(process->reaper_tgid, 1);
	assert_int_equal(reaper(process->reaper_tgid)->adopted, 1);
}

/* A tracer's wait(2) takes a zombie's status and leaves the reap to its parent. */
static void test_tracer(void **state)
{
	const struct proclife_process *process;
	pid_t tracee = child_for(400), tracer = must_fork();
	int status;

	(void)state;
	if (!tracer) {
		if (ptrace(PTRACE_SEIZE, tracee, NULL, NULL))
			_exit(1);
		_exit(waitpid(tracee, &status, 0) == tracee && WIFEXITED(status) ? 0 : 2);
	}
	assert_int_equal(waitpid(tracer, &status, 0), tracer);
	assert_int_equal(status, 0);
	process = &must_end(tracee, 0)->process;
	assert_int_equal(process->reaper_tgid, getpid());
	assert_int_equal(process->parent_tgid, getpid());
}

static void test_ignored(void **state)
{
	const struct proclife_process *process;
	pid_t pid;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	pid = child_for(0);
	assert_int_equal(waitpid(pid, NULL, 0), -1);
	signal(SIGCHLD, SIG_DFL);
	process = &life_of(pid)->process;
	assert_int_equal(process->reaper_tgid, pid);
	assert_int_equal(process->reaper_waited, 0);
	assert_int_equal(reaper(getpid())->ignored, 1);
	assert_int_equal(reaper(getpid())->reaped, 0);
}

/* Its zombie is still there when the trace ends: the library knows the parent, and since when. */
static void test_left_open(void **state)
{
	uint64_t before = now();
	pid_t pid = child_for(0);
	siginfo_t info;

	(void)state;
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	follow_until_now();
	assert_int_equal(proclife_tasks_close(lives_tasks), 0);
	assert_int_equal(reaper(getpid())->zombies, 1);
	assert_true(reaper(getpid())->oldest > before && reaper(getpid())->oldest < now());
	assert_false(reaper(getpid())->gone);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* The thread that execs releases the leader and takes over its pid: no process waited for that. */
static void *exec_true(void *data)
{
	usleep(400000); /* so that its parent is in wait(2) when it ends */
	execl("/bin/true", "true", NULL);
	return data;
}

static void test_exec_of_a_thread(void **state)
{
	const struct proclife_process *process;
	pid_t pid = must_fork();

	(void)state;
	if (!pid) {
		pthread_t thread;

		pthread_create(&thread, NULL, exec_true, NULL);
		for (;;)
			pause();
	}
	process = &must_end(pid, 0)->process;
	assert_int_equal(process->threads, 2);
	assert_int_equal(process->reaper_tgid, getpid());
	assert_true(process->reaper_waited && process->reaper_waited < process->marks.notified);
	assert_int_equal(reaper(getpid())->reaped, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, lives_begin, lives_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_in_wait),
		TEST(test_too_late),
		TEST(test_polling),
		TEST(test_two),
		TEST(test_by_a_thread),
		TEST(test_wanted),
		TEST(test_init),
		TEST(test_subreaper),
		TEST(test_leaves_zombies),
		TEST(test_init_of_a_namespace),
		TEST(test_tracer),
		TEST(test_ignored),
		TEST(test_left_open),
		TEST(test_exec_of_a_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
