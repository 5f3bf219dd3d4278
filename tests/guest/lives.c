// SPDX-License-Identifier: GPL-2.0-only
#include "lives.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "module.h"
#include "reading.h"

struct proclife_source *lives_source;
struct proclife_tasks *lives_tasks;
struct proclife_reapers *lives_reapers;
struct life lives[MOST_LIVES];
unsigned int lives_count;

static void process_gone(void *data, struct proclife_process *process)
{
	const struct proclife_killer *killer = proclife_process_killer(process);

	(void)data;
	if (lives_count == MOST_LIVES)
		return;
	lives[lives_count].process = *process;
	lives[lives_count].killed = killer;
	if (killer)
		lives[lives_count].killer = *killer;
	lives_count++;
}

int lives_begin(void **state)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports), .process_gone = process_gone,
	};

	(void)state;
	lives_count = 0;
	if (module_load(""))
		return -1;
	lives_source = open_source();
	return proclife_source_snapshot(lives_source) || proclife_tasks_new(&lives_tasks, NULL) ||
	       proclife_tasks_report(lives_tasks, &reports, NULL) ||
	       proclife_reapers_new(&lives_reapers, lives_tasks);
}

int lives_end(void **state)
{
	(void)state;
	proclife_reapers_free(lives_reapers);
	proclife_tasks_free(lives_tasks);
	proclife_source_free(lives_source);
	return module_unload();
}

pid_t must_fork(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	return pid;
}

const struct life *life_that(bool (*is)(const struct life *life, pid_t pid), pid_t pid)
{
	uint64_t give_up = now() + 30000000000ull;
	struct proclife_event event;
	unsigned int seen = 0;

	for (;;) {
		for (; seen < lives_count; seen++) {
			if (is(&lives[seen], pid))
				return &lives[seen];
		}
		assert_true(next_until(lives_source, give_up, &event));
		assert_non_null(event.record);
		assert_true(proclife_tasks_feed(lives_tasks, &event) >= 0);
	}
}

static bool has_pid(const struct life *life, pid_t pid)
{
	return life->process.tgid == (uint32_t)pid;
}

const struct life *life_of(pid_t pid)
{
	return life_that(has_pid, pid);
}

void follow_until_now(void)
{
	uint64_t until = now();
	struct proclife_event event;

	while (next_until(lives_source, until, &event)) {
		assert_non_null(event.record);
		assert_true(proclife_tasks_feed(lives_tasks, &event) >= 0);
	}
}

const struct life *must_end(pid_t pid, int signo)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (signo) {
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signo);
	}
	return life_of(pid);
}
