// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process without privilege cannot hide that it kills, by emptying the budget of signals before. And what
 * is exempt from the budget for that gives nobody a way around it.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "flood.h"
#include "module.h"
#include "reading.h"

struct told {
	unsigned int kills;
	bool suppressed;
};

/* What has been recorded of @pid so far; false if records were lost. */
static bool read_told(struct proclife_source *source, pid_t pid, int signo, struct told *told)
{
	uint64_t end = now();
	struct proclife_event event;

	while (next_until(source, end, &event)) {
		const struct proclife_record *r = event.record;

		if (!r)
			return false;
		told->suppressed |= r->type == PROCLIFE_SUPPRESSED &&
				    r->suppressed.what == PROCLIFE_SIGNAL;
		told->kills += r->type == PROCLIFE_SIGNAL && r->signal.signo == signo &&
			       r->tgid == (uint32_t)pid;
	}
	return true;
}

/* Blocked, and so pending from the second one on: it ends nobody, and each takes budget. */
static void empty_the_account(void)
{
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	for (unsigned int i = 0; i < 30000; i++)
		kill(getpid(), SIGUSR1);
}

static pid_t start_killer(pid_t victim, int signo)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		pin_to_cpu(0);
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(1);
		empty_the_account();
		kill(victim, signo);
		_exit(0);
	}
	return pid;
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static const int dumping[] = { SIGQUIT, SIGABRT, SIGSEGV, SIGSYS };

/* A victim of the killer's user. With @threads it has two. */
static pid_t fork_victim_of(bool threads)
{
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		pthread_t thread;

		/* cmocka catches some of them. */
		for (size_t i = 0; i < sizeof(dumping) / sizeof(dumping[0]); i++)
			signal(dumping[i], SIG_DFL);
		if (setgid(NOBODY) || setuid(NOBODY) ||
		    (threads && pthread_create(&thread, NULL, wait_for_ever, NULL)) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		wait_for_ever(NULL);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

/* Who empties the account first does not hide: what dumps core is recorded, too. */
static void test_killers_do_not_hide(void **state)
{
	unsigned int i = 0, whole = 0;

	(void)state;
	while (whole < 8) {
		struct proclife_source *source = open_source();
		int status, signo = dumping[i % 4];
		pid_t victim = fork_victim_of(i / 4 % 2), killer = start_killer(victim, signo);
		struct told told = { .kills = 0 };

		assert_true(i++ < 80);
		assert_int_equal(waitpid(victim, &status, 0), victim);
		assert_int_equal(WTERMSIG(status), signo);
		must_succeed(killer);
		if (read_told(source, victim, signo, &told) && told.suppressed) {
			assert_int_equal(told.kills, 1);
			whole++;
		}
		proclife_source_free(source);
	}
}

/* Sends signals that it discards before the other thread takes them. */
static void discard_in_threads(unsigned int times)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, usual = { .sa_handler = SIG_DFL };
	pthread_t thread;
	sigset_t quit;

	if (pthread_create(&thread, NULL, wait_for_ever, NULL))
		_exit(1);
	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	pthread_sigmask(SIG_BLOCK, &quit, NULL);
	while (times--) {
		sigaction(SIGQUIT, &usual, NULL);
		kill(getpid(), SIGQUIT);
		sigaction(SIGQUIT, &ignore, NULL);
	}
}

/* A tracer discards what its tracee was sent. */
static void discard_by_tracer(unsigned int times)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		wait_for_ever(NULL);
	}
	waitpid(pid, &status, 0);
	while (times--) {
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		kill(pid, SIGQUIT);
		waitpid(pid, &status, 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

/* What is discarded is no way around the budget. */
static void test_discarded_signals_need_budget(void **state)
{
	static void (*const discard[])(unsigned int) = { discard_in_threads, discard_by_tracer };
	struct proclife_source *source = open_source();
	uint64_t size = proclife_source_header(source)->records_per_ring;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		struct figures before = figures_of(source, 0), after;
		int status;
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			pin_to_cpu(0);
			empty_the_account();
			discard[i](20000);
			_exit(0);
		}
		/* The one with threads can lose its race with them. */
		assert_int_equal(waitpid(pid, &status, 0), pid);
		after = figures_of(source, 0);
		print_message("%llu signals recorded of %llu that may be, status %d\n",
			      (unsigned long long)(after.counts[PROCLIFE_SIGNAL] - before.counts[PROCLIFE_SIGNAL]),
			      (unsigned long long)flood_allowed(&before, &after, size), status);
		assert_true(after.counts[PROCLIFE_SIGNAL] - before.counts[PROCLIFE_SIGNAL] <=
			    flood_allowed(&before, &after, size));
	}
	proclife_source_free(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killers_do_not_hide),
		cmocka_unit_test(test_discarded_signals_need_budget),
	};

	setpgid(0, 0);
	return cmocka_run_group_tests(tests, load_fixture, unload_fixture);
}
