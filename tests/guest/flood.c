// SPDX-License-Identifier: GPL-2.0-only
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "flood.h"
#include "module.h"
#include "reading.h"

#define MS 1000000ULL

static void flood_once(unsigned int type)
{
	if (type == PROCLIFE_WAIT)
		waitpid(-1, NULL, WNOHANG);
	else if (type == PROCLIFE_RENAME)
		prctl(PR_SET_NAME, "x");
	else if (type == PROCLIFE_BIRTH || type == PROCLIFE_FAIL)
		syscall(SYS_clone, CLONE_THREAD, 0, 0, 0, 0); /* not without CLONE_SIGHAND */
	else
		kill(getpid(), SIGUSR1); /* which it blocks */
}

pid_t flood_start(unsigned int type, unsigned int ms)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		uint64_t end = now() + ms * MS;
		sigset_t blocked;

		sigemptyset(&blocked);
		sigaddset(&blocked, SIGUSR1);
		sigprocmask(SIG_BLOCK, &blocked, NULL);
		pin_to_cpu(0);
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(1);
		while (now() < end)
			for (unsigned int i = 0; i < 100; i++)
				flood_once(type);
		_exit(0);
	}
	return pid;
}

bool flood_suppressed(struct proclife_source *source, unsigned int type)
{
	uint64_t end = now() + 10000 * MS;

	while (!(proclife_source_ring(source, 0)->suppressing & PROCLIFE_HAS(type))) {
		if (now() > end) {
			print_message("This machine is too slow to empty the budget of a type.\n");
			return false;
		}
		usleep(1000);
	}
	return true;
}

void must_succeed(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

struct figures figures_of(struct proclife_source *source, uint32_t cpu)
{
	const struct proclife_ring_ctl *ctl = proclife_source_ring(source, cpu);
	struct figures f = { .at = now() };
	uint32_t type;

	assert_non_null(ctl);
	for (type = 0; type < PROCLIFE_TYPES; type++) {
		f.counts[type] = proclife_source_count(source, cpu, type);
		f.suppressed[type] = proclife_source_suppressed(source, cpu, type);
	}
	f.positions = ctl->reserve;
	return f;
}

uint64_t flood_allowed(const struct figures *from, const struct figures *to, uint64_t size)
{
	static const unsigned int working[] = { PROCLIFE_FORK, PROCLIFE_EXEC, PROCLIFE_REAP };
	uint64_t sum = 2 * (size / 16) + (8 * (to->at - from->at) / MS) + 2 * 80;

	for (unsigned int i = 0; i < 3; i++)
		sum += 4 * (to->counts[working[i]] - from->counts[working[i]]);
	return sum;
}

bool flood_is_bounded(struct proclife_source *source, unsigned int type)
{
	const uint64_t size = proclife_source_header(source)->records_per_ring;
	struct figures before = figures_of(source, 0), after = before;
	uint64_t made;
	unsigned int i;

	for (i = 0; i < 20 && after.suppressed[type] == before.suppressed[type]; i++) {
		must_succeed(flood_start(type, 500));
		after = figures_of(source, 0);
	}
	made = after.counts[type] - before.counts[type];
	print_message("%llu recorded of %llu that may be, %llu suppressed\n", (unsigned long long)made,
		      (unsigned long long)flood_allowed(&before, &after, size),
		      (unsigned long long)(after.suppressed[type] - before.suppressed[type]));
	assert_true(made > 0 && made <= flood_allowed(&before, &after, size));
	return after.suppressed[type] != before.suppressed[type];
}
