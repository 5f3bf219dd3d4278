// SPDX-License-Identifier: GPL-2.0-only
/* When a cgroup gets its first task and loses its last one, and the OOM killer's victim in it. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cgroup.h"
#include "lives.h"
#include "marks.h"
#include "reading.h"

static char above[64], below[64];

static int begin(void **state)
{
	if (marks_begin(state))
		return -1;
	snprintf(above, sizeof(above), "%s/above", cgroup_root);
	snprintf(below, sizeof(below), "%s/above/below", cgroup_root);
	return mkdir(above, 0755) || mkdir(below, 0755) ? -1 : 0;
}

static int end(void **state)
{
	cgroup_remove(below);
	cgroup_remove(above);
	return marks_end(state);
}

/* Starts a child in the lower cgroup that calls @then. */
static pid_t start(void (*then)(void))
{
	pid_t pid = must_fork();

	if (!pid) {
		if (cgroup_write(below, "cgroup.procs", "0"))
			_exit(99);
		then();
		_exit(0);
	}
	return pid;
}

/* The first or last change of this cgroup, from @from on. */
static const struct proclife_record *change_of(uint64_t id, unsigned int populated)
{
	const struct proclife_record *r;

	for (r = marks; r < marks + marks_count; r++)
		if (r->type == PROCLIFE_CGROUP && r->cgroup.cgroup == id && r->cgroup.populated == populated)
			return r;
	return NULL;
}

static void stay(void)
{
	ready_say();
	pause();
}

/* Both cgroups change, since one lies below the other. The record is about no task. */
static void test_populated(void **state)
{
	const char *const folders[] = { above, below };
	const struct proclife_record *first, *last;
	uint64_t before, there, killed, left;
	unsigned int i, tries;
	pid_t pid;

	(void)state;
	ready_prepare();
	before = now();
	pid = start(stay);
	ready_await(1);
	for (i = 0; i < 2; i++)
		assert_int_equal(cgroup_read(folders[i], "cgroup.events", "populated"), 1);
	there = now();
	killed = now();
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (tries = 0; tries < 100 && cgroup_read(above, "cgroup.events", "populated"); tries++)
		usleep(100000);
	usleep(100000); /* cgroup.events can change first */
	left = now();
	marks_read();
	for (i = 0; i < 2; i++) {
		first = change_of(cgroup_number(folders[i]), 1);
		last = change_of(cgroup_number(folders[i]), 0);
		compare("CGROUP", "cgroup.events", first && before < first->ts && first->ts < there);
		compare("CGROUP", "cgroup.events", last && killed < last->ts && last->ts < left);
		assert_true(must_mark(PROCLIFE_FORK, pid)->ts < first->ts);
		assert_true(first->ts < must_mark(PROCLIFE_EXITING, pid)->ts);
		assert_true(must_mark(PROCLIFE_EXITING, pid)->ts < last->ts);
		assert_int_equal(last->task | last->start | last->pid | last->tgid | last->flags, 0);
		assert_int_equal(last->comm[0], 0);
	}
}

/* Takes more memory than it may: it is both the victim and the allocator. */
static void greedy(void)
{
	size_t size = 200ul << 20, at;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(99);
	for (at = 0; at < size; at += 4096)
		memory[at] = 1;
}

static void test_oom(void **state)
{
	const struct proclife_record *oom, *kill_;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(cgroup_write(cgroup_root, "cgroup.subtree_control", "+memory"), 0);
	assert_int_equal(cgroup_write(above, "memory.max", "33554432"), 0);
	cgroup_write(above, "memory.swap.max", "0"); /* where there is swap */
	pid = start(greedy);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	marks_read();
	compare("OOM", "memory.events", cgroup_read(above, "memory.events", "oom_kill") == 1 &&
						mark_from(NULL, PROCLIFE_OOM, pid));
	oom = must_mark(PROCLIFE_OOM, pid);
	kill_ = must_mark(PROCLIFE_SIGNAL, pid);
	assert_int_equal(oom->pid, pid);
	assert_int_equal(oom->oom.allocator, oom->task);
	assert_int_equal(oom->oom.allocator_pid, pid);
	assert_int_equal(oom->oom.allocator_tgid, pid);
	assert_memory_equal(oom->oom.allocator_comm, oom->comm, PROCLIFE_COMM_LEN);
	assert_int_equal(kill_->signal.signo, SIGKILL);
	assert_int_equal(kill_->signal.sender, oom->oom.allocator);
	assert_true(must_mark(PROCLIFE_EXITING, pid)->exiting.rss_anon > 16384);
	assert_true(oom->ts < must_mark(PROCLIFE_EXITING, pid)->ts);
}

static int unmount_root(void **state)
{
	return marks_unload(state) || cgroup_unmount() ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_populated, begin, end),
		cmocka_unit_test_setup_teardown(test_oom, begin, end),
	};

	return cmocka_run_group_tests(tests, cgroup_mount, unmount_root);
}
