// SPDX-License-Identifier: GPL-2.0-only
/* --pid of what is there now: which processes have it, by a /proc that is written for the test. */
#include "proc_files.h"

#include <fcntl.h>
#include <limits.h>
#include <session/pids_now.h>

/* Makes a process with this PID, that one in its own namespace, and that cgroup; all in one namespace. */
static void put_process(uint32_t pid, uint32_t own, const char *cgroup)
{
	char text[200], path[PATH_MAX], link_path[PATH_MAX];

	snprintf(text, sizeof(text), "Name:\tx\nTgid:\t%u\nPid:\t%u\nNSpid:\t%u\t77\t%u\nNSsid:\t0\t0\t9\n", pid, pid,
		 pid, own);
	put_file(text, "%u/status", pid);
	snprintf(text, sizeof(text), "9:memory:/elsewhere\n0::%s\n", cgroup);
	put_file(text, "%u/cgroup", pid);
	put_file("", "%u/ns/other", pid);
	snprintf(path, sizeof(path), "%s/ns", folder.base);
	snprintf(link_path, sizeof(link_path), "%s/%u/ns/pid", folder.base, pid);
	assert_int_equal(symlink(path, link_path), 0);
}

static uint32_t inode_of(const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", folder.base, name);
	assert_int_equal(stat(path, &st), 0);
	return (uint32_t)st.st_ino;
}

static struct pid_option option(uint32_t pid, const char *cgroup)
{
	return (struct pid_option){ .text = "X", .pid = pid, .within = true,
				    .ns = cgroup ? 0 : inode_of("ns"), .cgroup = cgroup };
}

/* Expects these, or that message. */
static void expect(struct pid_option option, const char *found, const char *message)
{
	char path[PATH_MAX], said[500] = "", text[200] = "";
	struct pids_now now = { 0 };
	int stderr_fd = dup(STDERR_FILENO), fd;
	bool any;

	snprintf(path, sizeof(path), "%s/said", folder.base);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	any = pids_now_find(&now, &option, folder.base);
	assert_true(dup2(stderr_fd, STDERR_FILENO) >= 0);
	assert_true(pread(fd, said, sizeof(said) - 1, 0) >= 0);
	close(fd);
	close(stderr_fd);
	/* In any order. */
	for (uint32_t pid = 0; pid < 2000; pid++)
		for (size_t i = 0; i < now.count; i++)
			if (now.all[i] == pid)
				snprintf(text + strlen(text), sizeof(text) - strlen(text), "%u ", pid);
	free(now.all);
	assert_string_equal(text, found);
	assert_int_equal(any, *found != '\0');
	if (!*message)
		assert_string_equal(said, "");
	else if (!strstr(said, message))
		fail_msg("no \"%s\" in \"%s\"", message, said);
}

static void test_within(void **state)
{
	(void)state;
	put_file("", "ns");
	put_file("", "init");
	put_process(100, 1, "/machine.slice/web");
	put_process(101, 42, "/machine.slice/web/below");
	put_process(102, 42, "/machine.slice/website");
	put_file("Tgid:\t900\n", "900/status"); /* of a kernel that has no more */
	expect(option(42, NULL), "101 102 ", "");
	expect(option(1, NULL), "100 ", "");
	expect(option(42, "/machine.slice/web"), "101 ", "");
	expect(option(42, "/machine.slice"), "101 102 ", "");
	expect(option(42, "/"), "101 102 ", "");
	/* Not the PIDs of other levels, which the line has, too. */
	expect(option(77, NULL), "", "--pid X: no process has it now; in there are 1 and 42\n");
	expect(option(7, "/machine.slice/web/below"), "", "no process has it now; in there are 42\n");
	expect(option(101, NULL), "", "process 101 has PID 42 in there; use --pid 101\n");
	expect(option(42, "/db"), "", "no process is in this cgroup now; 'systemd-cgls' shows which there are\n");
	expect((struct pid_option){ .text = "X", .pid = 42, .within = true, .ns = inode_of("init") }, "",
	       "no process has this as its own PID namespace now; 'lsns -t pid' shows which there are\n");
}

static void test_of_machine(void **state)
{
	char from[PATH_MAX], to[PATH_MAX];

	(void)state;
	put_file("", "ns");
	put_file("", "init");
	put_file("", "self/ns/other");
	snprintf(from, sizeof(from), "%s/init", folder.base);
	snprintf(to, sizeof(to), "%s/self/ns/pid", folder.base);
	assert_int_equal(symlink(from, to), 0);
	put_process(101, 42, "/");
	put_file("Tgid:\t101\n", "103/status");
	expect((struct pid_option){ .pid = 101 }, "101 ", "");
	expect((struct pid_option){ .pid = 42 }, "", "--pid 42: no such process\n");
	expect((struct pid_option){ .pid = 103 }, "", "--pid 103: this is a thread of process 101; use --pid 101\n");
	/* We are in the initial namespace, in which all have a PID. */
	expect((struct pid_option){ .pid = 101, .within = true, .ns = inode_of("init") }, "101 ", "");
	expect(option(42, NULL), "101 ", "");
}

/* The lowest ones, in order, each once. */
static void test_some(void **state)
{
	struct some_pids some = { 0 };
	char text[100] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");

	(void)state;
	for (uint32_t pid = 20; pid; pid--) {
		pids_note(&some, pid);
		pids_note(&some, pid);
		pids_note(&some, 0);
		assert_int_equal(some.more, pid < 13);
	}
	pids_note(&some, 30);
	pids_note(&some, 8);
	assert_non_null(file);
	pids_put(file, &some, "in ");
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, "in 1, 2, 3, 4, 5, 6, 7, 8 and others");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DYING(test_within),
		DYING(test_of_machine),
		cmocka_unit_test(test_some),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
