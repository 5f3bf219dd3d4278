// SPDX-License-Identifier: GPL-2.0-only
/* Which process killed which, and when a process became a zombie: judged by the processes themselves. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lives.h"
#include "module.h"
#include "reading.h"

static void check_killer(const struct life *life, int signo, int code, pid_t tgid)
{
	char comm[PROCLIFE_COMM_LEN] = "test_signals";

	assert_true(life->killed);
	assert_int_equal(life->killer.signo, signo);
	assert_int_equal(life->killer.code, code);
	assert_int_equal(life->killer.tgid, tgid);
	assert_string_equal(life->killer.comm, comm);
	assert_true(life->killer.ts > life->process.marks.born);
	assert_true(life->killer.ts < life->process.marks.exited);
}

static void test_by_the_parent(void **state)
{
	pid_t pid = must_fork();

	(void)state;
	if (!pid)
		for (;;)
			pause();
	kill(pid, SIGKILL);
	check_killer(must_end(pid, SIGKILL), SIGKILL, SI_USER, getpid());
}

static void test_by_a_sibling(void **state)
{
	pid_t victim = must_fork(), killer;

	(void)state;
	if (!victim)
		for (;;)
			pause();
	killer = must_fork();
	if (!killer) {
		kill(victim, SIGTERM);
		_exit(0);
	}
	check_killer(must_end(victim, SIGTERM), SIGTERM, SI_USER, killer);
	assert_false(must_end(killer, 0)->killed);
}

static void no_core(void)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
}

static int *volatile nowhere = (int *)8;

static void test_by_itself(void **state)
{
	pid_t pid = must_fork();
	const struct life *life;

	(void)state;
	if (!pid) {
		no_core();
		signal(SIGABRT, SIG_DFL);
		abort();
	}
	check_killer(must_end(pid, SIGABRT), SIGABRT, SI_TKILL, pid);
	pid = must_fork();
	if (!pid) {
		no_core();
		signal(SIGSEGV, SIG_DFL);
		*nowhere = 1;
		_exit(0);
	}
	life = must_end(pid, SIGSEGV);
	check_killer(life, SIGSEGV, SEGV_MAPERR, pid);
}

static void test_by_a_timer(void **state)
{
	pid_t pid = must_fork();
	const struct life *life;

	(void)state;
	if (!pid) {
		const struct itimerval soon = { .it_value = { .tv_usec = 10000 } };

		setitimer(ITIMER_REAL, &soon, NULL);
		for (;;)
			pause();
	}
	life = must_end(pid, SIGALRM);
	assert_true(life->killed);
	assert_int_equal(life->killer.signo, SIGALRM);
	assert_int_equal(life->killer.code, SI_KERNEL);
	/* An interrupt sent it, or an interrupt's thread: no process. */
	assert_true(!life->killer.task || life->killer.tgid != (uint32_t)pid);
}

static void *sleep_for_ever(void *data)
{
	for (;;)
		pause();
	return data;
}

static void test_a_group(void **state)
{
	int ready[2];
	pid_t pid;
	char c;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = must_fork();
	if (!pid) {
		pthread_t thread;

		for (int i = 0; i < 5; i++)
			pthread_create(&thread, NULL, sleep_for_ever, NULL);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		sleep_for_ever(NULL);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	kill(pid, SIGKILL);
	check_killer(must_end(pid, SIGKILL), SIGKILL, SI_USER, getpid());
	assert_int_equal(life_of(pid)->process.threads, 6);
	close(ready[0]);
	close(ready[1]);
}

static bool was_killed(const struct life *life, pid_t pid)
{
	(void)pid;
	return life->killed;
}

/* Pids are in the initial namespace, whatever the killer's namespace. */
static void test_from_another_namespace(void **state)
{
	const struct life *life;
	pid_t outer = must_fork();
	int told[2];
	pid_t init;

	(void)state;
	if (!outer) {
		if (unshare(CLONE_NEWPID))
			_exit(1);
		init = fork();
		if (!init) {
			pid_t victim = fork();

			if (!victim)
				for (;;)
					pause();
			kill(victim, SIGKILL);
			_exit(waitpid(victim, NULL, 0) == victim && getpid() == 1 ? 0 : 1);
		}
		waitpid(init, told, 0);
		_exit(WIFEXITED(told[0]) && !WEXITSTATUS(told[0]) ? 0 : 1);
	}
	assert_int_equal(waitpid(outer, told, 0), outer);
	assert_int_equal(told[0], 0);
	life = life_that(was_killed, 0);
	assert_int_equal(life->process.ns_pid, 2);
	assert_int_not_equal(life->process.tgid, 2);
	assert_int_equal(life->killer.tgid, life->process.parent_tgid);
	assert_int_not_equal(life->killer.tgid, 1);
	check_killer(life, SIGKILL, SI_USER, (pid_t)life->process.parent_tgid);
}

static void exit_quietly(int signo)
{
	(void)signo;
	_exit(0);
}

/* A signal that is caught or ignored kills no process, and is not recorded. */
static void test_caught(void **state)
{
	struct proclife_event event;
	unsigned int fatal = 0;
	int ready[2];
	uint64_t until;
	pid_t pid;
	char c;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = must_fork();
	if (!pid) {
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, exit_quietly);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	kill(pid, SIGINT);
	kill(pid, SIGWINCH);
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	until = now();
	while (next_until(lives_source, until, &event)) {
		const struct proclife_record *r = event.record;

		assert_non_null(r);
		fatal += r->type == PROCLIFE_SIGNAL && r->pid == (uint32_t)pid;
		assert_true(proclife_tasks_feed(lives_tasks, &event) >= 0);
	}
	assert_int_equal(fatal, 0);
	assert_false(life_of(pid)->killed);
	close(ready[0]);
	close(ready[1]);
}

/* The parent is notified between the exit and the reap, whether it waits or not. */
static void test_teardown(void **state)
{
	uint64_t teardown, zombie, rcu_free, exit_free;
	const struct proclife_marks *marks;
	const struct life *life;
	pid_t pid = must_fork();
	siginfo_t info;

	(void)state;
	if (!pid)
		_exit(3);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	usleep(200000);
	life = must_end(pid, 0);
	marks = &life->process.marks;
	assert_true(marks->notified > marks->exited);
	assert_true(marks->notified < marks->reaped);
	assert_int_equal(life->process.reaper_tgid, getpid());
	assert_true(proclife_marks_phase(marks, PROCLIFE_TEARDOWN, &teardown));
	assert_true(proclife_marks_phase(marks, PROCLIFE_ZOMBIE, &zombie));
	assert_true(proclife_marks_phase(marks, PROCLIFE_RCU_FREE, &rcu_free));
	assert_true(proclife_marks_phase(marks, PROCLIFE_EXIT_FREE, &exit_free));
	assert_int_equal(teardown + zombie + rcu_free, exit_free);
	/* It was a zombie while we slept. */
	assert_true(zombie >= 200000000);
}

/* Its parent is notified without a signal, and no process has to reap it. */
static void test_sigchld_ignored(void **state)
{
	const struct life *life;
	pid_t pid;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	pid = must_fork();
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
	signal(SIGCHLD, SIG_DFL);
	life = life_of(pid);
	assert_true(life->process.marks.notified);
	assert_true(life->process.autoreaped);
	assert_int_equal(life->process.reaper_tgid, pid);
}

/*
 * The kernel sends SIGPIPE without siginfo, as if the writer had sent it to itself. The ring is so small
 * that each record lies where another one was: all of it has to be written.
 */
static void test_by_a_pipe(void **state)
{
	struct proclife_source *source;
	struct proclife_event event;
	unsigned int told = 0;

	(void)state;
	assert_int_equal(module_load("ring_kb=4"), 0);
	pin_to_cpu(0);
	fork_many(20);
	source = open_source();
	for (unsigned int i = 0; i < 40; i++) {
		uint64_t until;
		int ends[2], status;
		pid_t pid;

		assert_int_equal(pipe(ends), 0);
		close(ends[0]);
		pid = must_fork();
		if (!pid)
			_exit(write(ends[1], "x", 1) < 0);
		close(ends[1]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, SIGPIPE);
		until = now();
		while (next_until(source, until, &event)) {
			const struct proclife_record *r = event.record;

			if (!r || r->type != PROCLIFE_SIGNAL || r->pid != (uint32_t)pid)
				continue;
			assert_int_equal(r->signal.signo, SIGPIPE);
			assert_int_equal(r->signal.code, SI_USER);
			assert_int_equal(r->signal.sender_pid, pid);
			told++;
		}
	}
	assert_int_equal(told, 40);
	unpin();
	proclife_source_free(source);
	assert_int_equal(module_unload(), 0);
}

/* Before Linux 6.0, signals are queued for zombies, too. */
static void test_to_a_zombie(void **state)
{
	struct proclife_source *source;
	struct proclife_event event;
	pid_t pid = must_fork();
	siginfo_t info;
	uint64_t until;

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(module_load(""), 0);
	source = open_source();
	assert_int_equal(kill(pid, SIGKILL), 0);
	until = now();
	while (next_until(source, until, &event)) {
		const struct proclife_record *r = event.record;

		if (r && r->type == PROCLIFE_SIGNAL && r->pid == (uint32_t)pid)
			assert_true(r->flags & PROCLIFE_F_GROUP_DEAD);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	proclife_source_free(source);
	assert_int_equal(module_unload(), 0);
}

static void test_off(void **state)
{
	struct proclife_source *source;

	(void)state;
	assert_int_equal(module_load("signals=0"), 0);
	source = open_source();
	assert_false(proclife_source_header(source)->features & PROCLIFE_HAS(PROCLIFE_SIGNAL));
	fork_once(0);
	for (uint32_t cpu = 0; cpu < proclife_source_header(source)->cpus; cpu++)
		assert_int_equal(proclife_source_count(source, cpu, PROCLIFE_SIGNAL), 0);
	proclife_source_free(source);
	assert_int_equal(module_unload(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, lives_begin, lives_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_by_the_parent),
		TEST(test_by_a_sibling),
		TEST(test_by_itself),
		TEST(test_by_a_timer),
		TEST(test_a_group),
		TEST(test_from_another_namespace),
		TEST(test_caught),
		TEST(test_teardown),
		TEST(test_sigchld_ignored),
		cmocka_unit_test(test_by_a_pipe),
		cmocka_unit_test(test_to_a_zombie),
		cmocka_unit_test(test_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
