// SPDX-License-Identifier: GPL-2.0-only
/*
 * paths - executes itself from files and in folders of which the paths are hard to find, as root, in a mount namespace of
 * its own and below the current folder, which has to be empty; and with odd environments.
 *
 * paths --renamed COUNT - executes itself as often in a deep folder, of which the first and the last name change all the
 * time, one after the other: P and x, P and y, Q and y, Q and z, P and z. There are never Q and x.
 */
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MUST(call) do { if ((call) < 0) err(1, "%s", #call); } while (0)

static const char *self; /* a copy of this program, its path from the root */
static int folder;	 /* the current one, at first */

static void execute(const char *path)
{
	execl(path, "paths", "--end", NULL);
	err(1, "%s", path);
}

static void copy(const char *to)
{
	int from = open(self, O_RDONLY | O_CLOEXEC), file = open(to, O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
	struct stat st;

	if (from < 0 || file < 0 || fstat(from, &st))
		err(1, "%s", to);
	if (sendfile(file, from, NULL, (size_t)st.st_size) != st.st_size)
		err(1, "%s", to);
	close(from);
	close(file);
}

static void execute_open(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	execute(path);
}

/* @also: MS_REC or 0 */
static void bind(const char *from, const char *to, unsigned long also)
{
	MUST(mkdir(to, 0700));
	MUST(mount(from, to, NULL, MS_BIND | also, NULL));
}

static void usual(void)
{
	execute(self);
}

static void at_root(void)
{
	MUST(chdir("/"));
	execute(self);
}

static void deleted_file(void)
{
	int fd;

	copy("deleted");
	fd = open("deleted", O_RDONLY);
	MUST(unlink("deleted"));
	execute_open(fd);
}

static void deleted_folder(void)
{
	MUST(mkdir("gone", 0700));
	MUST(mkdir("gone/inner", 0700));
	MUST(chdir("gone/inner"));
	MUST(rmdir("../inner"));
	MUST(rmdir("../../gone"));
	execute(self);
}

static void in_memory(void)
{
	int memory = memfd_create("a name", 0), from = open(self, O_RDONLY), fd;
	char path[64];
	struct stat st;

	if (memory < 0 || fstat(from, &st) || sendfile(memory, from, NULL, (size_t)st.st_size) != st.st_size)
		err(1, "memfd");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
	fd = open(path, O_RDONLY);
	close(memory); /* what is open for writing does not run */
	execute_open(fd);
}

static void bound(void)
{
	bind("here", "bound", 0);
	MUST(chdir("bound/inner"));
	execute("../program");
}

/* On top of each other, and one inside the other. */
static void mounted(void)
{
	MUST(mkdir("mounted", 0700));
	MUST(mount("none", "mounted", "tmpfs", 0, NULL));
	MUST(mount("none", "mounted", "tmpfs", 0, NULL));
	MUST(mkdir("mounted/x", 0700));
	MUST(mount("none", "mounted/x", "tmpfs", 0, NULL));
	MUST(chdir("mounted/x"));
	copy("program");
	execute("./program");
}

static void detached(void)
{
	bind("here", "detached", 0);
	MUST(chdir("detached/inner"));
	MUST(umount2("../../detached", MNT_DETACH));
	execute("../program");
}

static void detached_root(void)
{
	bind("here", "detached_root", 0);
	MUST(chdir("detached_root"));
	MUST(umount2("../detached_root", MNT_DETACH));
	execute("program");
}

/* Out of what is mounted. */
static void escaped(void)
{
	MUST(mkdir("from", 0700));
	MUST(mkdir("from/inner", 0700));
	bind("from", "escaped", 0);
	MUST(chdir("escaped/inner"));
	MUST(rename("../../from/inner", "../../outside"));
	copy("program");
	execute("./program");
}

static void escaped_deleted(void)
{
	MUST(mkdir("from2", 0700));
	MUST(mkdir("from2/inner", 0700));
	bind("from2", "escaped2", 0);
	MUST(chdir("escaped2/inner"));
	MUST(rename("../../from2/inner", "../../outside2"));
	MUST(unlinkat(folder, "outside2", AT_REMOVEDIR));
	execute(self);
}

/* The program's own root, and a working directory that is below it. */
static void in_chroot(void)
{
	bind("/", "root", MS_REC);
	MUST(chroot("root"));
	MUST(chdir("/usr"));
	execute("/usr/bin/true");
}

static void above_chroot(void)
{
	bind("/", "root2", MS_REC);
	MUST(chroot("root2"));
	execute("/usr/bin/true");
}

/* A root that is no mount's, with the libraries. */
static void plain_chroot(void)
{
	static const char *const libraries[] = { "usr", "lib", "lib64" };

	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		char from[16], to[32];

		snprintf(from, sizeof(from), "/%s", libraries[i]);
		snprintf(to, sizeof(to), "here/%s", libraries[i]);
		if (access(from, F_OK))
			continue;
		bind(from, to, 0);
	}
	MUST(chroot("here"));
	MUST(chdir("/inner"));
	execute("/program");
}

/* Into folders with names of the most bytes, until the path has as many as it is to have. */
static void go_deep(size_t bytes)
{
	char path[3 * PATH_MAX], name[256];
	size_t now;

	if (!getcwd(path, sizeof(path)))
		err(1, "getcwd");
	for (now = strlen(path); now < bytes; now += strlen(name) + 1) {
		size_t n = bytes - now - 1;

		n = n > 255 ? n > 256 + 1 ? 255 : 100 : n;
		memset(name, 'n', n);
		name[n] = '\0';
		if (mkdir(name, 0700) || chdir(name))
			err(1, "a folder of %zu bytes", n);
	}
}

#define DEEP(name, bytes)			\
	static void name(void)			\
	{					\
		MUST(mkdir(#name, 0700));	\
		MUST(chdir(#name));		\
		go_deep(bytes);			\
		copy("x");			\
		execute("./x");			\
	}

DEEP(deep_60, 60)
DEEP(deep_61, 61)
DEEP(deep_4000, 4000)
DEEP(deep_4093, 4093) /* its file has the most bytes that there can be */
DEEP(deep_4094, 4094)
DEEP(deep_4095, 4095)
DEEP(deep_4096, 4096)
DEEP(deep_9000, 9000)

static void deep_deleted(void)
{
	MUST(mkdir("deep_deleted", 0700));
	MUST(chdir("deep_deleted"));
	go_deep(4086);
	MUST(mkdir("x", 0700));
	MUST(chdir("x"));
	MUST(rmdir("../x"));
	execute(self);
}

/* 2000 names of a byte. */
static void steps(void)
{
	MUST(mkdir("steps", 0700));
	MUST(chdir("steps"));
	for (int i = 0; i < 1990; i++) {
		MUST(mkdir("s", 0700));
		MUST(chdir("s"));
	}
	copy("x");
	execute("./x");
}

static char *variable(const char *name, size_t bytes)
{
	size_t length = strlen(name);
	char *text = malloc(length + bytes + 2);

	if (!text)
		err(1, NULL);
	memcpy(text, name, length);
	text[length] = '=';
	memset(text + length + 1, 'v', bytes);
	text[length + 1 + bytes] = '\0';
	return text;
}

static void with(char *const *environment)
{
	execle(self, "paths", "--end", NULL, environment);
	err(1, "%s", self);
}

#define WITH(name, ...)							\
	static void name(void)						\
	{								\
		char *const environment[] = { __VA_ARGS__, NULL };	\
									\
		with(environment);					\
	}

WITH(without, NULL)
WITH(one, "PATHS_A=1")
WITH(all, "X=1", "PATHS_B=", "PATHS_A=1", "PATHS_C=3", "PATHS_A=2", "PATHS_A", "Y=")
WITH(similar, "PATHS_A", "PATHS_AB=1", "PATHS_=1", "=PATHS_A=1", "", "PATHS_B", "xPATHS_C=1", "PATHS_C=")
WITH(empty, "", "", "", "PATHS_B=1", "")
WITH(long_one, "X=1", variable("PATHS_A", 4087), "PATHS_B=1") /* it fills what there is, with its NUL */
WITH(longer, variable("PATHS_A", 4088), "PATHS_B=1")
WITH(longest, variable("PATHS_B", 20000), "PATHS_A=1", "Y=")
WITH(others, variable("X", 4093), variable("X", 4094), variable("X", 4095), variable("X", 9000), "PATHS_B=1")
WITH(far, variable("X", 32740), "PATHS_A=1", "PATHS_B=1", "PATHS_C=1", "Y=")
WITH(too_far, variable("X", 32750), "PATHS_A=1", "PATHS_B=1", "PATHS_C=1", "Y=")
WITH(too_long, variable("X", 40000), "PATHS_A=1")
WITH(found_early, "PATHS_C=1", "PATHS_B=1", "PATHS_A=1", variable("X", 3000), variable("Y", 3000))
WITH(found_long, "PATHS_C=1", "PATHS_B=1", variable("PATHS_A", 5000), "Y=")
WITH(found_late, variable("X", 4070), "PATHS_C=1", "PATHS_B=1", "PATHS_A=1", "Y=")
WITH(several, variable("PATHS_A", 3000), variable("PATHS_B", 3000), "PATHS_C=1")

static void (*const all_cases[])(void) = {
	usual, at_root, deleted_file, deleted_folder, in_memory, bound, mounted, detached, detached_root, escaped,
	escaped_deleted, in_chroot, above_chroot, plain_chroot, deep_60, deep_61, deep_4000, deep_4093, deep_4094,
	deep_4095, deep_4096, deep_9000, deep_deleted, steps, without, one, all, similar, empty, long_one, longer,
	longest, others, far, too_far, too_long, found_early, found_long, found_late, several,
};

#define RENAMED_DEPTH 300

static void rename_all_the_time(int top, int last)
{
	for (;;) {
		MUST(renameat(last, "x", last, "y"));
		MUST(renameat(top, "P", top, "Q"));
		MUST(renameat(last, "y", last, "z"));
		MUST(renameat(top, "Q", top, "P"));
		MUST(renameat(last, "z", last, "x"));
		usleep(20);
	}
}

/* An open folder that was made in an open one. */
static int enter(int at, const char *name)
{
	int fd;

	MUST(mkdirat(at, name, 0700));
	MUST(fd = openat(at, name, O_PATH | O_CLOEXEC));
	return fd;
}

static void renamed(int count, const char *program)
{
	int top, at;
	pid_t renamer;

	MUST(top = open(".", O_PATH | O_CLOEXEC));
	at = enter(top, "P");
	for (int i = 0; i < RENAMED_DEPTH; i++)
		at = enter(at, "s");
	MUST(fchdir(enter(at, "x")));
	MUST(renamer = fork());
	if (!renamer)
		rename_all_the_time(top, at);
	for (int i = 0; i < count; i++) {
		pid_t child = fork();

		if (!child)
			execute(program);
		if (child < 0 || waitpid(child, NULL, 0) < 0)
			err(1, "fork");
	}
	kill(renamer, SIGKILL);
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	int status;

	if (argc > 2) {
		renamed(atoi(argv[2]), argv[0]);
		return 0;
	}
	if (argc > 1)
		return 0;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		err(1, "a mount namespace");
	self = argv[0];
	MUST(folder = open(".", O_PATH | O_DIRECTORY));
	MUST(mkdir("here", 0700));
	MUST(mkdir("here/inner", 0700));
	copy("here/program");
	self = realpath("here/program", path);
	for (size_t i = 0; i < sizeof(all_cases) / sizeof(*all_cases); i++) {
		pid_t child = fork();

		if (!child)
			all_cases[i]();
		if (child < 0 || waitpid(child, &status, 0) < 0)
			err(1, "fork");
		if (status)
			warnx("case %zu: status %#x", i, status);
	}
	return 0;
}
