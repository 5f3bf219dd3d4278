// SPDX-License-Identifier: GPL-2.0-only
/*
 * An unprivileged process cannot hide that it kills by emptying the budget of signals first. And signals that
 * are exempt from the budget for this reason give no way around it.
 */
#include <err.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "flood.h"
#include "module.h"
#include "reading.h"
#include "victim.h"

struct told {
	unsigned int kills;
	bool suppressed;
};

/* Reads the records of @pid so far; false if records were lost. */
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

/* Shared by a child and this process. */
static struct {
	atomic_bool go;
	_Atomic pid_t tracee;
} *shared;

static void block_usr1(void)
{
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
}

/*
 * Sends signals until this process stops it. The signal is blocked, and pending from the second one on, so it
 * ends no process.
 */
static void empty_the_account(void)
{
	block_usr1();
	while (!shared->go)
		kill(getpid(), SIGUSR1);
}

static pid_t start_killer(pid_t victim, int signo)
{
	pid_t pid;

	shared->go = false;
	pid = fork();
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

/* A victim of the killer's user. */
static bool be_nobody(void)
{
	/* cmocka catches some of them. */
	for (size_t i = 0; i < sizeof(dumping) / sizeof(dumping[0]); i++)
		signal(dumping[i], SIG_DFL);
	return !setgid(NOBODY) && !setuid(NOBODY);
}

static bool be_two_threads(void)
{
	pthread_t thread;

	return be_nobody() && !pthread_create(&thread, NULL, wait_for_ever, NULL);
}

/* Empties the account first. False if this machine is too slow to empty it. */
static bool kill_and_read(struct proclife_source *source, unsigned int i, struct told *told, bool *whole)
{
	int status, signo = dumping[i % 4];
	pid_t victim = fork_victim(i / 4 % 2 ? be_two_threads : be_nobody);
	pid_t killer = start_killer(victim, signo);
	bool emptied = flood_suppressed(source, PROCLIFE_SIGNAL);

	shared->go = true;
	assert_int_equal(waitpid(victim, &status, 0), victim);
	assert_int_equal(WTERMSIG(status), signo);
	must_succeed(killer);
	*whole = read_told(source, victim, signo, told);
	return emptied;
}

/* Emptying the account first does not hide a kill, not even by a signal that dumps core. */
static void test_killers_do_not_hide(void **state)
{
	unsigned int tries = 0, seen = 0;

	(void)state;
	while (seen < 8) {
		struct proclife_source *source = open_source();
		struct told told = { .kills = 0 };
		bool whole, emptied = kill_and_read(source, seen, &told, &whole);

		proclife_source_free(source);
		if (!emptied)
			skip();
		assert_true(tries++ < 80);
		if (!whole || !told.suppressed)
			continue;
		assert_int_equal(told.kills, 1);
		seen++;
	}
}

/*
 * How many signals a tracer discards, and how many it sends itself before each. An account earns 8 per
 * millisecond, which lets the discarded ones have a share of one in 101 if the machine is fast enough.
 */
#define DISCARDED 300
#define BESIDES 100

/* A tracer discards its tracee's signals, while it keeps the account of signals empty. */
static void discard_by_tracer(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		wait_for_ever(NULL);
	}
	waitpid(pid, &status, 0);
	shared->tracee = pid;
	for (unsigned int i = 0; i < DISCARDED; i++) {
		for (unsigned int j = 0; j < BESIDES; j++)
			kill(getpid(), SIGUSR1); /* which it blocks */
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		kill(pid, SIGQUIT);
		waitpid(pid, &status, 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

/* Reads the records of it; false if some were lost. */
static bool read_discarded(struct told *told)
{
	struct proclife_source *source = open_source();
	pid_t pid = fork();
	bool whole;

	assert_true(pid >= 0);
	if (!pid) {
		pin_to_cpu(0);
		block_usr1();
		discard_by_tracer();
		_exit(0);
	}
	must_succeed(pid);
	*told = (struct told){ .kills = 0 };
	whole = read_told(source, shared->tracee, SIGQUIT, told);
	proclife_source_free(source);
	return whole;
}

/* Signals that a tracer discards are no way around the budget: they are suppressed, too. */
static void test_discarded_signals_need_budget(void **state)
{
	struct told told = { .kills = 0 };
	bool whole = false;

	(void)state;
	for (unsigned int i = 0; i < 10 && !whole; i++)
		whole = read_discarded(&told);
	if (!whole || !told.suppressed)
		skip(); /* too slow a machine */
	print_message("%u signals recorded of %u that were discarded\n", told.kills, DISCARDED);
	assert_true(told.kills < DISCARDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killers_do_not_hide),
		cmocka_unit_test(test_discarded_signals_need_budget),
	};

	setpgid(0, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		err(1, "mmap");
	return cmocka_run_group_tests(tests, load_fixture, unload_fixture);
}
