// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process without privilege cannot hide that it kills, by emptying the budget of signals before. And what
 * is exempt from the budget for that gives nobody a way around it.
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

/* What a child and this process tell each other. */
static struct {
	atomic_bool go;
	_Atomic pid_t tracee;
} *shared;

/* Until this process says so. Blocked, and so pending from the second one on: it ends nobody. */
static void empty_the_account(void)
{
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
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

/* The account empties first. False if this machine is too slow to empty it. */
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

/* Emptying the account first does not hide a kill: what dumps core is recorded, too. */
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

/* More than an account hands out at once when suppression ends. */
#define DISCARDED 1000

/* A tracer discards what its tracee was sent. */
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
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		kill(pid, SIGQUIT);
		waitpid(pid, &status, 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

/* Counts those that are recorded; false if some of the records were lost. */
static bool count_discarded(unsigned int *kills)
{
	struct proclife_source *source = open_source();
	struct told told = { .kills = 0 };
	pid_t pid = fork();
	bool whole;

	assert_true(pid >= 0);
	if (!pid) {
		pin_to_cpu(0);
		discard_by_tracer();
		_exit(0);
	}
	must_succeed(pid);
	whole = read_told(source, shared->tracee, SIGQUIT, &told);
	proclife_source_free(source);
	*kills = told.kills;
	return whole;
}

/* What a tracer discards is no way around the budget: while signals are suppressed, these are, too. */
static void test_discarded_signals_need_budget(void **state)
{
	struct proclife_source *source = open_source();
	pid_t flooding = flood_start(PROCLIFE_SIGNAL, 600000);
	bool seen = false, emptied = flood_suppressed(source, PROCLIFE_SIGNAL);
	unsigned int kills = 0;

	(void)state;
	proclife_source_free(source);
	for (unsigned int i = 0; i < 10 && emptied && !seen; i++)
		seen = count_discarded(&kills);
	kill(flooding, SIGKILL);
	waitpid(flooding, NULL, 0);
	if (!seen)
		skip(); /* too slow a machine */
	print_message("%u signals recorded of %u that were discarded\n", kills, DISCARDED);
	assert_true(kills < DISCARDED);
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
