// SPDX-License-Identifier: GPL-2.0-only
/* What a life used: the program's whole path, where it began, its environment, bytes and users; judged by /proc and the child. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
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

#include "module.h"
#include "reading.h"

#define PROGRAM "/bin/true"
#define PARAMETERS "paths=1 env=USED_A,USED_B,USED_MISSING"

static struct proclife_source *source;
static struct proclife_tasks *tasks;
static pid_t wanted;
static char folder[] = "/tmp/used-XXXXXX";

/* About the process that is wanted, when it was gone. */
static struct {
	bool known;
	char exe[2 * PATH_MAX], cwd[2 * PATH_MAX]; /* empty: not known */
	char env[2 * PATH_MAX];
	uint32_t env_bytes, env_searched;
	uint32_t uid, first_uid;
	unsigned int uids;
	bool env_known, env_whole, io_known;
	struct proclife_io io;
} told;

static void gone(void *data, struct proclife_process *process)
{
	const struct proclife_program *program = proclife_process_program(process);
	const struct proclife_io *io = proclife_process_io(process);

	(void)data;
	if (process->tgid != (uint32_t)wanted)
		return;
	memset(&told, 0, sizeof(told));
	told.known = true;
	told.io_known = io;
	told.uid = process->uid;
	told.first_uid = proclife_process_uids(process, &told.uids)[0];
	if (io)
		told.io = *io;
	if (!program)
		return;
	snprintf(told.exe, sizeof(told.exe), "%s", program->exe ? program->exe : "");
	snprintf(told.cwd, sizeof(told.cwd), "%s", program->cwd ? program->cwd : "");
	told.env_known = program->env;
	told.env_whole = program->env_whole;
	told.env_searched = program->env_searched;
	told.env_bytes = program->env_bytes;
	if (program->env && program->env_bytes < sizeof(told.env))
		memcpy(told.env, program->env, program->env_bytes + 1);
}

static int begin(void **state)
{
	static const struct proclife_reports reports = { .size = sizeof(reports), .process_gone = gone };

	(void)state;
	if (!module_loaded() && module_load(PARAMETERS))
		return -1;
	source = open_source();
	return proclife_tasks_new(&tasks, source) || proclife_tasks_report(tasks, &reports, NULL);
}

static int end(void **state)
{
	(void)state;
	proclife_tasks_free(tasks);
	proclife_source_free(source);
	tasks = NULL;
	source = NULL;
	return 0;
}

static int unload(void **state)
{
	(void)state;
	rmdir(folder);
	return module_loaded() ? module_unload() : 0;
}

static bool has_paths(void)
{
	return proclife_source_header(source)->path_marks & PROCLIFE_HAS_PATH(PROCLIFE_PATH_EXE);
}

/* Waits until all of the process is freed: that can take seconds. */
static void look_for(pid_t pid)
{
	struct proclife_event event;

	wanted = pid;
	told.known = false;
	for (unsigned int i = 0; i < 300 && !told.known; i++) {
		uint64_t until = now();

		while (next_until(source, until, &event))
			assert_true(proclife_tasks_feed(tasks, &event) >= 0);
		if (!told.known)
			usleep(100000);
	}
	assert_true(told.known);
}

/* In a child that prepares itself. */
static void exec_after(void (*prepare)(void), const char *path, char *const argv[], char *const envp[])
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		if (prepare)
			prepare();
		execve(path, argv, envp);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	look_for(pid);
}

static void exec_true(void (*prepare)(void), char *const envp[])
{
	char *const argv[] = { PROGRAM, NULL };

	exec_after(prepare, PROGRAM, argv, envp);
}

static char output[2 * PATH_MAX];
static int output_pipe[2];

static void to_pipe(void)
{
	if (chdir("/usr/lib") || dup2(output_pipe[1], STDOUT_FILENO) < 0)
		_exit(98);
}

/* The kernel's own words, about this very exec. */
static void read_link(const char *link)
{
	char *const argv[] = { "readlink", "-n", (char *)link, NULL };
	ssize_t n;

	assert_int_equal(pipe(output_pipe), 0);
	exec_after(to_pipe, "/bin/readlink", argv, NULL);
	close(output_pipe[1]);
	n = read(output_pipe[0], output, sizeof(output) - 1);
	close(output_pipe[0]);
	assert_true(n > 0);
	output[n] = '\0';
}

static void test_witness(void **state)
{
	(void)state;
	if (!has_paths())
		skip();
	read_link("/proc/self/exe");
	assert_string_equal(told.exe, output);
	assert_string_equal(told.cwd, "/usr/lib");
	read_link("/proc/self/cwd");
	assert_string_equal(told.cwd, output);
}

#define LONG_NAME "a directory whose name is rather long, as some build systems like to have them, with 100 bytes of it"

static void go(unsigned int levels)
{
	if (chdir(folder))
		_exit(98);
	while (levels-- > 0)
		if ((mkdir(LONG_NAME, 0755) && errno != EEXIST) || chdir(LONG_NAME))
			_exit(97);
}

static void go_deep(void)
{
	go(20);
}

static void go_too_deep(void)
{
	go(50);
}

static void test_long(void **state)
{
	char expected[2 * PATH_MAX], command[PATH_MAX];

	(void)state;
	if (!has_paths())
		skip();
	strcpy(expected, folder);
	exec_true(go_deep, NULL);
	assert_int_equal(strlen(told.cwd), strlen(folder) + 20 * (1 + strlen(LONG_NAME)));
	for (int i = 0; i < 20; i++)
		strcat(strcat(expected, "/"), LONG_NAME);
	assert_string_equal(told.cwd, expected);
	exec_true(go_too_deep, NULL);
	assert_string_equal(told.cwd, ""); /* 4096 bytes or more */
	assert_true(*told.exe);
	snprintf(command, sizeof(command), "rm -rf '%s/" LONG_NAME "'", folder);
	assert_int_equal(system(command), 0);
}

static void go_and_remove(void)
{
	if (chdir(folder) || mkdir("removed", 0755) || chdir("removed") || rmdir("../removed"))
		_exit(98);
}

static void stay_outside(void)
{
	if (chdir("/tmp") || chroot("/usr"))
		_exit(98);
}

static void other_mounts(void)
{
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    chdir(folder) || mkdir("mounted", 0755) || mount("none", "mounted", "tmpfs", 0, NULL) || chdir("mounted") ||
	    mkdir("below", 0755) || chdir("below") || umount2("..", MNT_DETACH))
		_exit(98);
}

static const char *inside(const char *name)
{
	static char path[100];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void test_unreachable(void **state)
{
	(void)state;
	if (!has_paths())
		skip();
	exec_true(go_and_remove, NULL);
	assert_string_equal(told.cwd, inside("removed (deleted)"));
	exec_true(stay_outside, NULL);
	assert_string_equal(told.cwd, "/tmp");
	assert_string_equal(told.exe, "/bin/true");
	exec_true(other_mounts, NULL);
	assert_string_equal(told.cwd, "/below"); /* of a mount that is nowhere any more */
	assert_int_equal(rmdir(inside("mounted")), 0);
}

static void test_script(void **state)
{
	const char *path = inside("script");
	char *const argv[] = { "script", NULL };
	char *interpreter = realpath("/bin/sh", NULL);
	FILE *file = fopen(path, "w");

	(void)state;
	if (!has_paths())
		skip();
	assert_non_null(file);
	assert_true(fputs("#!/bin/sh\nexit 0\n", file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0755), 0);
	exec_after(NULL, path, argv, NULL);
	assert_string_equal(told.exe, interpreter);
	free(interpreter);
	unlink(path);
}

#define DIRECTORIES 2
static const char *const directories[DIRECTORIES] = { "/usr/share", "/var/log" };

static int change_directories(void *stop)
{
	for (unsigned int i = 0; !*(volatile bool *)stop; i++)
		if (chdir(directories[i % DIRECTORIES]))
			return 1;
	return 0;
}

static int many_execs(void *data)
{
	char *const argv[] = { PROGRAM, NULL };

	(void)data;
	execv(PROGRAM, argv);
	return 127;
}

/* Another process changes the directory of this one, too, as often as it can. */
static void test_shared(void **state)
{
	static char stacks[2][65536];
	volatile bool *stop = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int seen[DIRECTORIES] = { 0 };
	pid_t changer;
	int status;

	(void)state;
	if (!has_paths())
		skip();
	assert_ptr_not_equal(stop, MAP_FAILED);
	assert_int_equal(chdir(directories[0]), 0);
	changer = clone(change_directories, stacks[0] + sizeof(stacks[0]), CLONE_FS | SIGCHLD, (void *)stop);
	assert_true(changer > 0);
	for (int i = 0; i < 100; i++) {
		pid_t pid = clone(many_execs, stacks[1] + sizeof(stacks[1]), CLONE_FS | SIGCHLD, NULL);

		assert_true(pid > 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		look_for(pid);
		for (int k = 0; k < DIRECTORIES; k++)
			seen[k] += !strcmp(told.cwd, directories[k]);
	}
	*stop = true;
	assert_int_equal(waitpid(changer, &status, 0), changer);
	assert_int_equal(status, 0);
	assert_int_equal(seen[0] + seen[1], 100);
	assert_int_equal(chdir("/"), 0);
}

static void test_env(void **state)
{
	char *const envp[] = { "PATH=/bin", "USED_AB=no", "USED_B=", "USED_A=one = two", "USED_B=second", NULL };
	static const char expected[] = "USED_B=\0USED_A=one = two";

	(void)state;
	exec_true(NULL, envp);
	assert_true(told.env_known && told.env_whole);
	assert_int_equal(told.env_bytes, sizeof(expected));
	assert_memory_equal(told.env, expected, sizeof(expected));
	exec_true(NULL, (char *const[]){ NULL });
	assert_true(told.env_known && told.env_whole);
	assert_int_equal(told.env_bytes, 0);
}

/* A variable that is larger than the buffer, before one that is asked for; and one that is. */
static void test_large_env(void **state)
{
	static char other[10000], mine[5000];
	char *const envp[] = { other, "USED_A=1", mine, NULL };

	(void)state;
	memset(other, 'x', sizeof(other) - 1);
	memcpy(other, "OTHER=", 6);
	memset(mine, 'y', sizeof(mine) - 1);
	memcpy(mine, "USED_B=", 7);
	exec_true(NULL, envp);
	assert_true(told.env_known);
	assert_false(told.env_whole); /* it is cut */
	assert_string_equal(told.env, "USED_A=1");
	assert_int_equal(told.env_bytes, 4096);
	assert_memory_equal(told.env + 9, mine, 4096 - 9);
	assert_true(told.env_searched == sizeof(other) + 9 + sizeof(mine));
}

/* What is behind the first 32 KiB is not searched: then nobody knows. */
static void test_far_env(void **state)
{
	static char other[40000];
	char *const behind[] = { other, "USED_A=1", NULL }, *const before[] = { "USED_A=1", other, NULL };

	(void)state;
	memset(other, 'x', sizeof(other) - 1);
	memcpy(other, "OTHER=", 6);
	exec_true(NULL, behind);
	assert_true(told.env_known);
	assert_false(told.env_whole);
	assert_int_equal(told.env_bytes, 0);
	assert_int_equal(told.env_searched, 0);
	exec_true(NULL, before);
	assert_false(told.env_whole);
	assert_string_equal(told.env, "USED_A=1");
	assert_int_equal(told.env_searched, 9);
}

struct bytes {
	uint64_t read_bytes;
	uint64_t write_bytes;
};

static void read_own(struct bytes *bytes, const char *path)
{
	char line[100];
	unsigned long n;
	FILE *file = fopen(path, "r");

	if (!file)
		_exit(95);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "read_bytes: %lu", &n) == 1)
			bytes->read_bytes = n;
		if (sscanf(line, "write_bytes: %lu", &n) == 1)
			bytes->write_bytes = n;
	}
	fclose(file);
}

#define SIZE 1048576

/* What is read past the page cache comes from the disk for certain. */
static void use_disk(const char *path, size_t size)
{
	char *buffer = aligned_alloc(4096, size);
	int fd = open(path, O_RDWR), direct = open(path, O_RDONLY | O_DIRECT);

	memset(buffer, 1, size);
	if (fd < 0 || direct < 0 || pwrite(fd, buffer, size, 0) != (ssize_t)size || fsync(fd) ||
	    pread(direct, buffer, size / 2, 0) != (ssize_t)size / 2)
		_exit(96);
	close(fd);
	close(direct);
	free(buffer);
}

static void *in_thread(void *path)
{
	use_disk(path, SIZE);
	return NULL;
}

/* What the kernel shows of the whole process, just before it ends. An exec changes nothing. */
static void test_bytes(void **state)
{
	struct bytes *bytes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *disk = "/dev/ram0";
	int status;
	pid_t pid;

	(void)state;
	assert_ptr_not_equal(bytes, MAP_FAILED);
	if (access("/proc/self/io", R_OK) || system("modprobe -q brd rd_nr=1 rd_size=8192") || access(disk, W_OK))
		skip();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		pthread_t thread;

		use_disk(disk, SIZE);
		if (pthread_create(&thread, NULL, in_thread, disk) || pthread_join(thread, NULL))
			_exit(94);
		read_own(bytes, "/proc/self/io");
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	look_for(pid);
	assert_true(told.io_known);
	assert_true(bytes->write_bytes >= 2 * SIZE && bytes->read_bytes >= SIZE);
	assert_int_equal(told.io.read_bytes, bytes->read_bytes);
	assert_int_equal(told.io.write_bytes, bytes->write_bytes);
}

/* It becomes another user without an exec. */
static void test_user(void **state)
{
	uint32_t first = getuid();
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(setresuid(1234, 4321, 0));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	look_for(pid);
	assert_int_equal(told.uid, 1234);
	assert_int_equal(told.uids, 2);
	assert_int_equal(told.first_uid, first);
}

static void test_parameters(void **state)
{
	(void)state;
	end(NULL);
	assert_int_equal(module_unload(), 0);
	assert_int_equal(module_load("env=1A"), -EINVAL);
	assert_int_equal(module_load("env=A,,B"), -EINVAL);
	assert_int_equal(module_load("env=A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q"), -EINVAL);
	assert_int_equal(module_load("env=A ring_kb=16"), -EINVAL);
	assert_int_equal(module_load("env=A"), 0);
	source = open_source();
	assert_int_equal(proclife_source_header(source)->path_marks, PROCLIFE_HAS_PATH(PROCLIFE_PATH_ENV));
	assert_true(proclife_source_header(source)->features & PROCLIFE_HAS(PROCLIFE_PATH));
	proclife_source_free(source);
	source = NULL;
	assert_int_equal(module_unload(), 0);
	assert_int_equal(module_load(""), 0);
	source = open_source();
	assert_int_equal(proclife_source_header(source)->path_marks, 0);
	assert_false(proclife_source_header(source)->features & PROCLIFE_HAS(PROCLIFE_PATH));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_witness), TEST(test_long), TEST(test_unreachable), TEST(test_script), TEST(test_shared),
		TEST(test_env), TEST(test_large_env), TEST(test_far_env), TEST(test_bytes), TEST(test_user),
		TEST(test_parameters), /* it unloads the module */
	};

	if (!mkdtemp(folder))
		return 1;
	return cmocka_run_group_tests(tests, NULL, unload);
}
