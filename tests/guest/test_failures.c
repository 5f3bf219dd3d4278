// SPDX-License-Identifier: GPL-2.0-only
/* Forks and execs that fail: FAIL, judged by the process that tries. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cgroup.h"
#include "flood.h"
#include "lives.h"
#include "marks.h"
#include "module.h"
#include "reading.h"

#define PROGRAM "/bin/true"
/* PROCLIFE_PATH_LEN is 48: one longer. */
#define LONG_PATH "/nowhere/to/be/found/is/a/folder/with/so/long/path"

static char *const program[] = { PROGRAM, NULL };
static char folder[] = "/tmp/failures-XXXXXX";

static int begin(void **state)
{
	if (!module_loaded() && module_load("failures=1"))
		return -1;
	return marks_begin(state);
}

/* The FAILs of this process, in their order; how many there are. */
static unsigned int fails_of(pid_t pid, const struct proclife_record *found[], unsigned int most)
{
	unsigned int count = 0;

	for (const struct proclife_record *r = marks; r < marks + marks_count; r++) {
		if (r->type != PROCLIFE_FAIL || r->tgid != (uint32_t)pid)
			continue;
		assert_true(count < most);
		found[count++] = r;
	}
	return count;
}

/* Calls @try in a child, which exits with what it returns: that must be 0. Returns the child's pid. */
static pid_t in_child(int (*try)(void))
{
	pid_t pid = must_fork();
	int status;

	if (!pid)
		_exit(try());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	marks_read();
	return pid;
}

static void check_exec(const struct proclife_record *r, unsigned int error, const char *path)
{
	const struct proclife_fail *fail = &r->fail;
	size_t len = strlen(path), skipped = len > PROCLIFE_PATH_LEN ? len - PROCLIFE_PATH_LEN : 0;

	compare("FAIL, exec", "errno", fail->what == PROCLIFE_FAIL_EXEC && fail->error == error && !fail->limit);
	compare("FAIL, exec", "path", fail->path_len == len && !strncmp(fail->path, path + skipped, PROCLIFE_PATH_LEN));
	assert_int_equal(!!(r->flags & PROCLIFE_F_TRUNCATED), skipped > 0);
	assert_false(r->flags & PROCLIFE_F_BY_FD);
}

/* One thing failed in this process: a fork. */
static void check_fork(pid_t pid, unsigned int error, unsigned int limit)
{
	const struct proclife_record *found[2], *r;

	assert_int_equal(fails_of(pid, found, 2), 1);
	r = found[0];
	compare("FAIL, fork", "errno", r->fail.what == PROCLIFE_FAIL_FORK && r->fail.error == error);
	compare("FAIL, fork", "limit", r->fail.limit == limit);
	assert_int_equal(r->fail.path_len, 0);
	assert_int_equal(r->fail.path[0], 0);
}

static void test_all_there(void **state)
{
	(void)state;
	assert_true(marks_has(PROCLIFE_FAIL));
	assert_int_equal(marks_has(PROCLIFE_SUPPRESSED), !module_is_bpf());
	assert_int_equal(marks_header()->marks_missed, 0);
	/* A fork and an exec that succeed leave none. */
	assert_int_equal(records_of_a_child() & PROCLIFE_HAS(PROCLIFE_FAIL), 0);
}

static void test_not_wanted(void **state)
{
	(void)state;
	proclife_source_free(marks_source);
	marks_source = NULL;
	assert_int_equal(module_unload(), 0);
	assert_int_equal(module_load(""), 0);
	marks_source = open_source();
	assert_false(marks_has(PROCLIFE_FAIL));
	proclife_source_free(marks_source);
	marks_source = NULL;
	assert_int_equal(module_unload(), 0);
}

static char script[64], secret[64], text[64];

static void make_file(const char *path, const char *contents, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, contents, strlen(contents)), strlen(contents));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static int make_files(void **state)
{
	(void)state;
	if (cgroup_mount(state) || !mkdtemp(folder) || chmod(folder, 0755))
		return -1;
	snprintf(script, sizeof(script), "%s/script", folder);
	make_file(script, "#!/nowhere/sh\n", 0755);
	snprintf(secret, sizeof(secret), "%s/secret", folder);
	make_file(secret, "#!/bin/sh\n", 0644);
	snprintf(text, sizeof(text), "%s/text", folder);
	make_file(text, "no program\n", 0755);
	return 0;
}

static int remove_files(void **state)
{
	unlink(script);
	unlink(secret);
	unlink(text);
	return rmdir(folder) || cgroup_unmount() ? -1 : marks_unload(state);
}

static bool fails_with(const char *path, char *const args[], int error)
{
	return execve(path, args, NULL) == -1 && errno == error;
}

#define MANY 40

static int exec_in_vain(void)
{
	char *many[MANY + 1] = { NULL }, *big = malloc(1 << 17);
	unsigned int i;

	if (!big)
		return 1;
	memset(big, 'x', 1 << 17);
	big[(1 << 17) - 1] = 0;
	for (i = 0; i < MANY; i++)
		many[i] = big;
	if (!fails_with("/nowhere", program, ENOENT) || !fails_with(LONG_PATH, program, ENOENT) ||
	    !fails_with(secret, program, EACCES) || !fails_with(script, program, ENOENT) ||
	    !fails_with(text, program, ENOEXEC) || !fails_with(PROGRAM, many, E2BIG) ||
	    !fails_with("", program, ENOENT))
		return 2;
	/* What cannot be read is not missed. */
	if (syscall(SYS_execve, 16L, program, NULL) != -1 || errno != EFAULT)
		return 3;
	return 0;
}

static void test_execs(void **state)
{
	const struct proclife_record *found[16];
	pid_t pid = in_child(exec_in_vain);

	(void)state;
	assert_int_equal(fails_of(pid, found, 16), 8);
	check_exec(found[0], ENOENT, "/nowhere");
	check_exec(found[1], ENOENT, LONG_PATH);
	check_exec(found[2], EACCES, secret);
	check_exec(found[3], ENOENT, script);
	check_exec(found[4], ENOEXEC, text);
	check_exec(found[5], E2BIG, PROGRAM);
	check_exec(found[6], ENOENT, "");
	check_exec(found[7], EFAULT, "");
	assert_int_equal(found[0]->pid, pid);
	assert_int_equal(found[0]->start, must_mark(PROCLIFE_FORK, pid)->start);
}

static int exec_at_in_vain(void)
{
	int fd = open(secret, O_PATH), at = open("/", O_PATH);

	if (fd < 0 || at < 0)
		return 1;
	if (syscall(SYS_execveat, fd, "", program, NULL, AT_EMPTY_PATH) != -1 || errno != EACCES)
		return 2;
	if (syscall(SYS_execveat, at, "nowhere", program, NULL, 0) != -1 || errno != ENOENT)
		return 3;
	return 0;
}

static void test_execs_at(void **state)
{
	const struct proclife_record *found[4];
	pid_t pid = in_child(exec_at_in_vain);

	(void)state;
	assert_int_equal(fails_of(pid, found, 4), 2);
	assert_int_equal(found[0]->fail.what, PROCLIFE_FAIL_EXEC);
	assert_int_equal(found[0]->fail.error, EACCES);
	assert_int_equal(found[0]->fail.path_len, 0);
	assert_true(found[0]->flags & PROCLIFE_F_BY_FD);
	check_exec(found[1], ENOENT, "nowhere");
}

static int search(void)
{
	setenv("PATH", "/nowhere:/nowhere/else:/bin", 1);
	execvp("true", program);
	return 99;
}

/* As a shell searches PATH: the EXEC follows those that failed. */
static void test_search(void **state)
{
	const struct proclife_record *found[4], *exec;
	pid_t pid = in_child(search);

	(void)state;
	assert_int_equal(fails_of(pid, found, 4), 2);
	check_exec(found[0], ENOENT, "/nowhere/true");
	check_exec(found[1], ENOENT, "/nowhere/else/true");
	exec = must_mark(PROCLIFE_EXEC, pid);
	assert_true(found[1]->ts < exec->ts);
	assert_int_equal(found[1]->task, exec->task);
}

/* A text that lies in two pages, of which the kernel has read both. */
static int exec_across(void)
{
	long size = sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *path = pages + size - 20;

	if (pages == MAP_FAILED)
		return 1;
	strcpy(path, LONG_PATH);
	return fails_with(path, program, ENOENT) ? 0 : 2;
}

static void test_across_pages(void **state)
{
	const struct proclife_record *found[2];
	pid_t pid = in_child(exec_across);

	(void)state;
	assert_int_equal(fails_of(pid, found, 2), 1);
	check_exec(found[0], ENOENT, LONG_PATH);
}

/* Forks in vain as a user who may not have more processes, and then may again. */
static int fork_in_vain(void)
{
	struct rlimit limit = { .rlim_max = 1000 };

	if (setuid(NOBODY) || setrlimit(RLIMIT_NPROC, &limit))
		return 1;
	if (fork() != -1 || errno != EAGAIN)
		return 2;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NPROC, &limit))
		return 3;
	if (!fork())
		_exit(0);
	return wait(NULL) > 0 ? 0 : 4;
}

static void test_of_user(void **state)
{
	(void)state;
	check_fork(in_child(fork_in_vain), EAGAIN, PROCLIFE_LIMIT_NPROC);
}

static char group[64];

static int fork_in_group(void)
{
	if (cgroup_write(group, "cgroup.procs", "0"))
		return 1;
	if (fork() != -1 || errno != EAGAIN)
		return 2;
	return 0;
}

static void test_of_cgroup(void **state)
{
	pid_t pid;

	(void)state;
	snprintf(group, sizeof(group), "%s/failures", cgroup_root);
	if (cgroup_write(cgroup_root, "cgroup.subtree_control", "+pids"))
		skip(); /* it is another hierarchy's */
	assert_int_equal(mkdir(group, 0755), 0);
	assert_int_equal(cgroup_write(group, "pids.max", "1"), 0);
	pid = in_child(fork_in_group);
	cgroup_remove(group);
	check_fork(pid, EAGAIN, PROCLIFE_LIMIT_PIDS_MAX);
}

/* As `unshare --pid` without --fork: what it makes first is the namespace's init, and ends. */
static int fork_without_init(void)
{
	pid_t pid;

	if (unshare(CLONE_NEWPID))
		return 1;
	pid = fork();
	if (!pid)
		_exit(0);
	if (waitpid(pid, NULL, 0) != pid)
		return 2;
	return fork() == -1 && errno == ENOMEM ? 0 : 3;
}

static void test_without_init(void **state)
{
	(void)state;
	check_fork(in_child(fork_without_init), ENOMEM, PROCLIFE_LIMIT_NO_INIT);
}

/* What the kernel refuses for another reason than a limit. */
static int fork_wrongly(void)
{
	return syscall(SYS_clone, CLONE_THREAD, 0, 0, 0, 0) == -1 && errno == EINVAL ? 0 : 1;
}

static void test_wrong_flags(void **state)
{
	(void)state;
	check_fork(in_child(fork_wrongly), EINVAL, 0);
}

/* The budget bounds what forks that fail leave: the kernel refuses these at once. */
static void test_flood(void **state)
{
	struct proclife_source *source;
	bool suppressed;
	uint64_t missed;

	(void)state;
	if (module_is_bpf()) /* which suppresses nothing */
		skip();
	source = open_source();
	suppressed = flood_is_bounded(source, PROCLIFE_FAIL);
	missed = proclife_source_header(source)->marks_missed;
	proclife_source_free(source);
	assert_int_equal(missed, 0);
	if (!suppressed)
		skip();
}

/* The hooks' returns can still be to come. */
static void test_unload_meanwhile(void **state)
{
	struct storm *storm;

	(void)state;
	storm = storm_start(2);
	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(module_unload(), 0);
		assert_int_equal(module_load("failures=1"), 0);
		storm_for(storm, 100);
	}
	storm_stop(storm);
}

/* The kernel lets no return of a function be hooked that the function tracer can trace. */
#ifdef __riscv
#define CAN_HOOK_RETURNS 0
#else
#define CAN_HOOK_RETURNS 1
#endif

static void test_not_there(void **state)
{
	(void)state;
	assert_false(marks_has(PROCLIFE_FAIL));
}

int main(void)
{
#define FAILURE(test) cmocka_unit_test_setup_teardown(test, begin, marks_end)
	const struct CMUnitTest tests[] = {
		FAILURE(test_all_there),
		FAILURE(test_not_wanted),
		FAILURE(test_execs),
		FAILURE(test_execs_at),
		FAILURE(test_search),
		FAILURE(test_across_pages),
		FAILURE(test_of_user),
		FAILURE(test_of_cgroup),
		FAILURE(test_without_init),
		FAILURE(test_wrong_flags),
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_unload_meanwhile),
	};
	const struct CMUnitTest none[] = { FAILURE(test_not_there) };

	if (!CAN_HOOK_RETURNS)
		return cmocka_run_group_tests(none, make_files, remove_files);
	return cmocka_run_group_tests(tests, make_files, remove_files);
}
