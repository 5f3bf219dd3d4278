// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is taken from a process before it drops it: the process is killed while it sleeps where no
 * signal wakes it, so the taker is certain to come in time.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cgroup.h"
#include "lives.h"
#include "marks.h"
#include "reading.h"
#include "slow_file.h"
#include "smaps.h"

#define MIB 1048576ul
#define SIZE (40 * MIB)
#define KIB (SIZE / 1024)
#define OWN 4096 /* KiB: the most that the program has beside that; 2.5 MiB on arm64 */

/* Older headers lack this. */
#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif

static char folder[64];
static struct slow_file file;

static int begin(void **state)
{
	if (marks_begin(state))
		return -1;
	snprintf(folder, sizeof(folder), "%s/small", cgroup_root);
	slow_file_begin(&file);
	return mkdir(folder, 0755);
}

static int end(void **state)
{
	slow_file_end(&file);
	return cgroup_remove(folder) || marks_end(state) ? -1 : 0;
}

static void use_memory(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;

	if (mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
		_exit(99);
}

/* The victim has that much memory, and reads the file. */
static pid_t start_victim(void)
{
	pid_t pid = must_fork();

	if (!pid) {
		if (cgroup_write(folder, "cgroup.procs", "0"))
			_exit(99);
		cgroup_write("/proc/self", "oom_score_adj", "1000");
		use_memory();
		slow_file_read(&file);
		_exit(0);
	}
	slow_file_await(&file);
	return pid;
}

static void must_be_killed(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

/* All of it was taken between these readings of the clock; the later teardown has only the rest. */
static const struct proclife_record *must_be_taken(pid_t pid, uint64_t from, uint64_t to)
{
	const struct proclife_record *exiting = must_mark(PROCLIFE_EXITING, pid), *early, *teardown;
	uint64_t error = marks_header()->rss_error, anon;
	struct told told = marks_told(pid);

	early = mark_of_mm(marks, exiting->exiting.mm, PROCLIFE_MM_EARLY);
	teardown = mark_of_mm(exiting, exiting->exiting.mm, PROCLIFE_MM_TEARDOWN);
	assert_true(early && teardown);
	compare("MM EARLY", "clock", from < early->ts && early->ts < to);
	compare("EXITING", "clock", to < exiting->ts);
	anon = early->mm.rss_anon;
	compare("MM EARLY", "mmap", anon + error >= KIB && anon <= KIB + OWN + error);
	assert_in_range(teardown->mm.rss_anon, 0, OWN + error);
	assert_int_equal(early->mm.users, 0);

	assert_true(told.known && told.memory.own);
	assert_int_equal(told.memory.early, early->ts);
	assert_int_equal(told.memory.early_anon, early->mm.rss_anon);
	assert_int_equal(told.memory.early_by.pid, early->pid);
	assert_int_equal(told.memory.early_by.tgid, early->tgid);
	assert_string_equal(told.memory.early_by.comm, early->comm);
	assert_int_equal(told.memory.rss_anon, teardown->mm.rss_anon);
	return early;
}

/*
 * Another process asks for more than there is. It waits until the OOM reaper has taken the victim's memory, as
 * the victim cannot free it itself.
 */
static void test_oom_reaper(void **state)
{
	const struct proclife_record *oom, *kill_, *early;
	char name[PROCLIFE_COMM_LEN], path[32];
	uint64_t before, after, kills;
	int status = 0;
	FILE *comm;
	pid_t pid, greedy;

	(void)state;
	assert_int_equal(cgroup_write(cgroup_root, "cgroup.subtree_control", "+memory"), 0);
	assert_int_equal(cgroup_write(folder, "memory.max", "67108864"), 0);
	cgroup_write(folder, "memory.swap.max", "0"); /* where there is swap */
	pid = start_victim();
	before = now();
	greedy = must_fork();
	if (!greedy) {
		if (cgroup_write(folder, "cgroup.procs", "0"))
			_exit(99);
		use_memory();
		_exit(0);
	}
	assert_int_equal(waitpid(greedy, &status, 0), greedy);
	after = now();
	assert_int_equal(status, 0);
	assert_int_equal(state_of(pid), 'D');
	kills = cgroup_read(folder, "memory.events", "oom_kill");
	assert_int_equal(kills, 1);
	slow_file_answer(&file);
	must_be_killed(pid);
	marks_read();

	for (oom = marks; (oom = mark_from(oom, PROCLIFE_OOM, pid)); oom++)
		kills--;
	compare("OOM", "memory.events", !kills);
	oom = must_mark(PROCLIFE_OOM, pid);
	kill_ = must_mark(PROCLIFE_SIGNAL, pid);
	assert_int_equal(oom->pid, pid);
	assert_int_equal(oom->oom.allocator_pid, greedy);
	compare("OOM", "allocator", oom->oom.allocator_tgid == (uint32_t)greedy);
	assert_int_equal(oom->oom.allocator, must_mark(PROCLIFE_FORK, greedy)->task);
	assert_string_equal(oom->oom.allocator_comm, oom->comm); /* both are this program */
	assert_int_equal(kill_->signal.signo, SIGKILL);
	assert_int_equal(kill_->signal.sender, oom->oom.allocator);
	assert_int_equal(kill_->signal.sender_tgid, greedy);
	compare("OOM", "clock", before < kill_->ts && kill_->ts <= oom->ts && oom->ts < after);

	early = must_be_taken(pid, oom->ts, after);
	assert_true(early->flags & PROCLIFE_F_KTHREAD);
	snprintf(path, sizeof(path), "/proc/%u/comm", early->pid);
	comm = fopen(path, "re");
	assert_non_null(comm);
	assert_non_null(fgets(name, sizeof(name), comm));
	fclose(comm);
	assert_string_equal(name, "oom_reaper\n");
	compare("MM EARLY", "/proc/PID/comm", !strcmp(early->comm, "oom_reaper"));
}

/* The killer takes the memory. */
static void test_mrelease(void **state)
{
	const struct proclife_record *early;
	uint64_t before, after;
	struct smaps smaps;
	int pidfd, ret;
	pid_t pid;

	(void)state;
	pid = start_victim();
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	assert_true(pidfd >= 0);
	assert_true(smaps_of(pid).anon >= KIB);
	kill(pid, SIGKILL);
	before = now();
	ret = (int)syscall(SYS_process_mrelease, pidfd, 0) ? errno : 0;
	after = now();
	close(pidfd);
	smaps = smaps_of(pid);
	slow_file_answer(&file);
	must_be_killed(pid);
	marks_read();
	if (ret == ENOSYS) {
		print_message("this kernel has no process_mrelease(2): Linux 5.15 has it\n");
		early = must_mark(PROCLIFE_EXITING, pid);
		assert_null(mark_of_mm(marks, early->exiting.mm, PROCLIFE_MM_EARLY));
		skip();
	}
	assert_int_equal(ret, 0);
	early = must_be_taken(pid, before, after);
	compare("MM EARLY", "getpid", early->tgid == (uint32_t)getpid());
	assert_int_equal(early->flags & PROCLIFE_F_KTHREAD, 0);
	assert_in_range(smaps.anon, 0, 64);
}

static int unmount_root(void **state)
{
	return marks_unload(state) || cgroup_unmount() ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_oom_reaper, begin, end),
		cmocka_unit_test_setup_teardown(test_mrelease, begin, end),
	};

	return cmocka_run_group_tests(tests, cgroup_mount, unmount_root);
}
