// SPDX-License-Identifier: GPL-2.0-only
/* When a cgroup gets its first task and loses its last one, and whom the OOM killer takes in it. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lives.h"
#include "marks.h"
#include "reading.h"

static char root[] = "/tmp/cgroups-XXXXXX", above[64], below[64];

static int write_to(const char *folder, const char *file, const char *text)
{
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	close(fd);
	return n == (ssize_t)strlen(text) ? 0 : -1;
}

static uint64_t id_of(const char *folder)
{
	struct stat st;

	assert_int_equal(stat(folder, &st), 0);
	return st.st_ino;
}

static int begin(void **state)
{
	if (marks_begin(state))
		return -1;
	snprintf(above, sizeof(above), "%s/above", root);
	snprintf(below, sizeof(below), "%s/above/below", root);
	return mkdir(above, 0755) || mkdir(below, 0755) ? -1 : 0;
}

static int end(void **state)
{
	int tries;

	/* The last task can still be on its way out. */
	for (tries = 0; rmdir(below) && errno == EBUSY && tries < 100; tries++)
		usleep(100000);
	rmdir(above);
	return marks_end(state);
}

/* A child in the lower cgroup, which does that. */
static pid_t start(void (*then)(void))
{
	pid_t pid = must_fork();

	if (!pid) {
		if (write_to(below, "cgroup.procs", "0"))
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

static void nothing(void)
{
}

/* Both of them, since one lies below the other. It is about no task. */
static void test_populated(void **state)
{
	const char *const folders[] = { above, below };
	const struct proclife_record *first, *last = NULL;
	pid_t pid = start(nothing);
	unsigned int i, tries;

	(void)state;
	marks_reap(pid);
	for (tries = 0; tries < 100 && !(last = change_of(id_of(below), 0)); tries++) {
		usleep(100000);
		marks_read();
	}
	assert_non_null(last);
	for (i = 0; i < 2; i++) {
		first = change_of(id_of(folders[i]), 1);
		last = change_of(id_of(folders[i]), 0);
		assert_true(first && last);
		assert_true(must_mark(PROCLIFE_FORK, pid)->ts < first->ts);
		assert_true(first->ts < must_mark(PROCLIFE_EXITING, pid)->ts);
		assert_true(must_mark(PROCLIFE_EXITING, pid)->ts < last->ts);
		assert_int_equal(last->task | last->start | last->pid | last->tgid | last->flags, 0);
		assert_int_equal(last->comm[0], 0);
	}
}

/* More than it may have: it is the victim, and the one that asked. */
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
	assert_int_equal(write_to(root, "cgroup.subtree_control", "+memory"), 0);
	assert_int_equal(write_to(above, "memory.max", "33554432"), 0);
	write_to(above, "memory.swap.max", "0"); /* where there is swap */
	pid = start(greedy);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	marks_read();
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

static int mount_root(void **state)
{
	(void)state;
	return !mkdtemp(root) || mount("cgroup2", root, "cgroup2", 0, NULL) ? -1 : 0;
}

static int unmount_root(void **state)
{
	return marks_unload(state) || umount(root) || rmdir(root) ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_populated, begin, end),
		cmocka_unit_test_setup_teardown(test_oom, begin, end),
	};

	return cmocka_run_group_tests(tests, mount_root, unmount_root);
}
