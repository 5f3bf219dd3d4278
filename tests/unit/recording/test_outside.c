// SPDX-License-Identifier: GPL-2.0-only
/*
 * Input from outside: the files .cgroups and .users of a recording and others, and whatever lies in their
 * place; and paths and arguments in messages, whatever they hold.
 */
#include "story.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/resource.h>
#include <unistd.h>

static void tell(void)
{
	struct who init = process_of_pid(1, "init"), child = process_of_pid(100, "child");
	struct proclife_record record;

	story_begin(folder.path);
	story_put(task_record(0, &init, &init));
	record = fork_record(0, &child, &init);
	record.fork.cgroup = 77;
	story_put(record);
	machine->now += MS;
	story_exit(&child, &init, 0);
	story_reap(&child, &init);
	story_put(free_record(0, &child));
	story_end();
}

static int begin(void **state)
{
	(void)state;
	folder_make(&folder);
	tell();
	return 0;
}

static const char *path_of(const char *name)
{
	static char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder.path, name);
	return path;
}

/* AddressSanitizer reserves more than any limit allows. */
#ifdef __SANITIZE_ADDRESS__
#define MEMORY RLIM_INFINITY
#else
#define MEMORY (1 << 30)
#endif

/* Expects this on standard output and standard error; a hang or 1 GiB more memory fails. */
static void expect(const char *options, int status, const char *out, const char *error)
{
	struct rlimit limit, tight;
	struct output output;

	assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
	tight = (struct rlimit){ .rlim_cur = MEMORY, .rlim_max = limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
	for (int errors = 0; errors < 2; errors++) {
		const char *wanted = errors ? error : out;

		output = run_program(errors, 0, "%s -i %s %s", program, folder.path, options);
		if (output.status != status || (wanted && !strstr(output.text, wanted)) ||
		    (errors && !wanted && output.size))
			fail_msg("%s: status %d instead of %d, no '%s' in '%s'", options,
				 output.status, status, wanted ? wanted : "nothing", output.text);
		free(output.text);
	}
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

#define CGROUPS "--latency --by cgroup"

static void test_cgroups(void **state)
{
	char line[9000];
	FILE *file;

	(void)state;
	unlink(path_of(".cgroups"));
	expect(CGROUPS, 0, "\ncgroup 77, 1 alive\n", NULL); /* there need not be one */
	expect("--latency --cgroup /a", 0, "0 processes\n\nPHASE", "no process matched --cgroup /a\n");
	expect("--tree --cgroup /a", 0, "", "2 processes may match, but are left out: not known: path of the cgroup\n");
	story_cgroups(folder.path, "77 /a b\n");
	expect(CGROUPS, 0, "\n/a b, 1 alive\n", NULL);
	expect("--latency --cgroup /a", 0, "0 processes\n\nPHASE", "no process matched --cgroup /a\n");
	story_cgroups(folder.path, "77 /a\n77 /b\n77 /a\n");
	expect(CGROUPS, 0, "\n/a, 1 alive\n", "damaged: 1 of its lines is no number and path");
	/* A line that was being written when the recorder was killed. */
	story_cgroups(folder.path, "77 /a\n78 /b");
	expect(CGROUPS, 0, "\n/a, 1 alive\n", NULL);
	story_cgroups(folder.path, "x\n77 /a\n 78 /b\n");
	expect(CGROUPS, 0, "\n/a, 1 alive\n", "/.cgroups: damaged: 2 of its lines are no number and path; "
	       "copy the recording again");
	file = fopen(path_of(".cgroups"), "w");
	fwrite("77 /a\0b\n", 1, 8, file);
	fclose(file);
	expect(CGROUPS, 0, "\ncgroup 77, 1 alive\n", "/.cgroups: damaged: 1 of its lines is no number");
	memset(line, 'a', sizeof(line));
	memcpy(line, "77 /", 4);
	line[sizeof(line) - 1] = '\0';
	story_cgroups(folder.path, line);
	expect(CGROUPS, 0, "\ncgroup 77, 1 alive\n", "/.cgroups: damaged: a line is too long");
	/* A file larger than memory. */
	assert_int_equal(truncate(path_of(".cgroups"), (off_t)1 << 40), 0);
	expect(CGROUPS, 0, "\ncgroup 77, 1 alive\n", "/.cgroups: damaged: a line is too long");
}

/* The same for names; a uid has a smaller range. */
static void test_users(void **state)
{
	char line[2000];

	(void)state;
	unlink(path_of(".users"));
	expect("--lives", 0, " 1 1000 ", NULL);
	story_users(folder.path, "1000 al ice\n0 root\n4294967295 last\n");
	expect("--lives", 0, " 1 al ice ", NULL);
	expect("--latency --by uid", 0, "\nal ice, 1 alive\n", NULL);
	story_users(folder.path, "1000 alice\n1000 bob\n4294967296 carol\n1 \n2\n18446744073709551616 d\n");
	expect("--lives", 0, " 1 alice ", "/.users: damaged: 5 of its lines are no number and name; "
	       "copy the recording again");
	story_users(folder.path, "1000 alice\n1000 bo");
	expect("--lives", 0, " 1 alice ", NULL);
	memset(line, 'a', sizeof(line));
	memcpy(line, "1000 ", 5);
	line[sizeof(line) - 1] = '\0';
	story_users(folder.path, line);
	expect("--lives", 0, " 1 1000 ", "/.users: damaged: a line is too long for a name");
	assert_int_equal(truncate(path_of(".users"), (off_t)1 << 40), 0);
	expect("--lives", 0, " 1 1000 ", "/.users: damaged: a line is too long for a name");
	unlink(path_of(".users"));
	assert_int_equal(mkfifo(path_of(".users"), 0600), 0);
	expect("--lives", 0, " 1 1000 ", "/.users: a FIFO, not a plain file");
	unlink(path_of(".users"));
	assert_int_equal(symlink("/dev/zero", path_of(".users")), 0);
	expect("--lives", 0, " 1 1000 ", "/.users: a symbolic link, not a plain file, as the files of a "
	       "recording are; copy the recording again from where it was made; names of users are "
	       "not known without it\n");
}

/* Makes @count paths of this length; the first one has a known number. */
static void many_cgroups(unsigned int count, unsigned int length)
{
	FILE *file = fopen(path_of(".cgroups"), "w");

	assert_non_null(file);
	fputs("77 /a\n", file);
	for (unsigned int i = 1000; i < 1000 + count; i++)
		fprintf(file, "%u /%0*x\n", i, (int)length, i);
	assert_int_equal(fclose(file), 0);
}

/* Reading stops at a limit, and so does the memory that it takes. */
static void test_many_cgroups(void **state)
{
	struct rusage usage;

	(void)state;
	many_cgroups(2000000, 4);
	expect(CGROUPS, 0, "\n/a, 1 alive\n", "/.cgroups: only the first 524288 paths are read");
	many_cgroups(400000, 100);
	expect(CGROUPS, 0, "\n/a, 1 alive\n", "/.cgroups: only the first 32 MiB are read");
	many_cgroups(500000, 40);
	expect(CGROUPS, 0, "\n/a, 1 alive\n", NULL);
	assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
	if (MEMORY != RLIM_INFINITY)
		assert_in_range(usage.ru_maxrss, 1, 128 << 10);
}

/* A lease on one that is not given up: an open(2) would have to wait for that. */
static void test_lease(void **state)
{
	static const char *const names[] = { "metadata", "cpu_0", ".cgroups" };
	static const char *const out[] = { "", "-- 6 records lost on CPU 0 ", " fork " };
	static const int status[] = { 1, 3, 0 };
	char said[128];

	(void)state;
	story_cgroups(folder.path, "77 /a\n");
	signal(SIGIO, SIG_IGN);
	for (size_t i = 0; i < 3; i++) {
		int fd = open(path_of(names[i]), O_RDWR | O_CLOEXEC);

		assert_true(fd >= 0);
		if (fcntl(fd, F_SETLEASE, F_WRLCK)) { /* there are file systems without them */
			close(fd);
			skip();
		}
		snprintf(said, sizeof(said), "/%s: cannot open: a program that holds a lease on it "
			 "was asked to give it up", names[i]);
		expect("--events", status[i], out[i], said);
		assert_int_equal(fcntl(fd, F_SETLEASE, F_UNLCK), 0);
		close(fd);
	}
	expect("--events", 0, " fork ", NULL);
}

/* Something else in its place: the views still work. */
static void test_no_cgroups(void **state)
{
	(void)state;
	unlink(path_of(".cgroups"));
	assert_int_equal(mkfifo(path_of(".cgroups"), 0600), 0);
	expect(CGROUPS, 0, "\ncgroup 77, 1 alive\n", "/.cgroups: a FIFO, not a plain file");
	expect("--events", 0, " fork  ", "/.cgroups: a FIFO, not a plain file");
	unlink(path_of(".cgroups"));
	assert_int_equal(symlink("/dev/zero", path_of(".cgroups")), 0);
	expect(CGROUPS, 0, "\ncgroup 77, 1 alive\n", "/.cgroups: a symbolic link, not a plain file");
	unlink(path_of(".cgroups"));
	assert_int_equal(mkdir(path_of(".cgroups"), 0700), 0);
	expect(CGROUPS, 0, "\ncgroup 77, 1 alive\n",
	       "/.cgroups: a folder, not a plain file, as the files of a recording are; copy the "
	       "recording again from where it was made; paths of cgroups are not known without it"
	       "\n");
}

/* Tested in the library, since root can read any file. */
static void test_unreadable(void **state)
{
	struct proclife_cgroups *cgroups = NULL;
	struct proclife_fault fault;
	uid_t uid = geteuid();

	(void)state;
	story_cgroups(folder.path, "77 /a\n");
	assert_int_equal(chmod(path_of(".cgroups"), 0), 0);
	assert_int_equal(chmod(folder.base, 0755), 0);
	assert_int_equal(chmod(folder.path, 0755), 0);
	if (!uid)
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(proclife_cgroups_new(&cgroups, folder.path, &fault), 0);
	assert_int_equal(seteuid(uid), 0);
	assert_string_equal(fault.path, path_of(".cgroups"));
	assert_string_equal(fault.text,
			    "cannot open: Permission denied; read it as its owner, or as root");
	assert_null(proclife_cgroups_path(cgroups, 77));
	proclife_cgroups_free(cgroups);
	assert_int_equal(proclife_cgroups_new(&cgroups, "/nonexistent", &fault), 0);
	assert_string_equal(fault.text, "");
	proclife_cgroups_free(cgroups);
	assert_int_equal(proclife_cgroups_new(&cgroups, "/dev/null", &fault), 0);
	assert_string_equal(fault.path, "/dev/null");
	proclife_cgroups_free(cgroups);
}

/* The folder itself, and a run's folder in it. */
static void test_unreadable_folder(void **state)
{
	struct proclife_source *source;
	struct proclife_fault fault;
	char path[PATH_MAX];
	uid_t uid = geteuid();

	(void)state;
	snprintf(path, sizeof(path), "%s/flight", folder.base);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/flight/000001-20261125T075502Z", folder.base);
	assert_int_equal(mkdir(path, 0), 0);
	assert_int_equal(chmod(folder.base, 0755), 0);
	assert_int_equal(chmod(folder.path, 0), 0);
	if (!uid)
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(proclife_recording_open(&source, folder.path, &fault), -EACCES);
	assert_string_equal(fault.path, folder.path);
	assert_string_equal(fault.text,
			    "cannot open: Permission denied; read it as its owner, or as root");
	*strrchr(path, '/') = '\0';
	assert_int_equal(proclife_recording_open(&source, path, &fault), -EACCES);
	assert_string_equal(fault.path, path);
	assert_string_equal(fault.text,
			    "cannot read: Permission denied; read it as its owner, or as root");
	assert_int_equal(seteuid(uid), 0);
	assert_int_equal(chmod(folder.path, 0700), 0);
}

/* The same for the metadata, and for a stream. */
static void test_files(void **state)
{
	static const char *const names[] = { "metadata", "cpu_0" };
	static const char *const out[] = { "", "-- 6 records lost on CPU 0 " };
	char message[100];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char kept[PATH_MAX + 8], *path = strdup(path_of(names[i]));

		snprintf(kept, sizeof(kept), "%s/kept", folder.base);
		assert_int_equal(rename(path, kept), 0);
		assert_int_equal(mkfifo(path, 0600), 0);
		snprintf(message, sizeof(message), "/%s: a FIFO, not a plain file", names[i]);
		expect("--events", i ? 3 : 1, out[i], message);
		unlink(path);
		assert_int_equal(mkdir(path, 0700), 0);
		snprintf(message, sizeof(message), "/%s: a folder, not a plain file", names[i]);
		expect("--events", i ? 3 : 1, out[i], message);
		rmdir(path);
		/* A link is refused even if it points to the real file. */
		assert_int_equal(symlink(kept, path), 0);
		snprintf(message, sizeof(message), "/%s: a symbolic link, not a plain file",
			 names[i]);
		expect("--events", i ? 3 : 1, out[i], message);
		unlink(path);
		assert_int_equal(rename(kept, path), 0);
		free(path);
	}
	expect("--events", 0, " fork ", NULL);
	assert_int_equal(truncate(path_of("metadata"), (off_t)1 << 40), 0);
	expect("--events", 1, "", "/metadata: not a recording: too large");
}

/* Takes separate words, since they can have spaces; returns standard error. */
static struct output run(const char *locale, const char *option, const char *value)
{
	int null = open("/dev/null", O_WRONLY), fds[2];
	struct output output = { NULL, 0, 0 };
	pid_t pid;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(null, STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		setenv("LC_ALL", locale, 1);
		alarm(60);
		execl(program, program, option, value, NULL);
		_exit(99);
	}
	close(fds[1]);
	close(null);
	collect_output(pid, fds[0], &output);
	close(fds[0]);
	return output;
}

static void expect_error(const char *locale, const char *option, const char *value, int status,
			 const char *message)
{
	struct output output = run(locale, option, value);

	if (output.status != status || !strstr(output.text, message))
		fail_msg("%s %s: status %d, '%s' instead of '%s'", option, value, output.status,
			 output.text, message);
	free(output.text);
}

static void test_messages(void **state)
{
	(void)state;
	expect_error("C", "-i", "/no/a", 1, "proclife-read: /no/a: cannot open: No such file");
	expect_error("C", "-i", "/no/a b", 1, "proclife-read: '/no/a b': cannot open: No such");
	expect_error("C", "-i", "/no/\033[31m\n\xff", 1,
		     "proclife-read: $'/no/\\x1b[31m\\n\\xff': cannot open: No such file");
	expect_error("C", "-i", "/no/\xc3\xa4", 1, "proclife-read: $'/no/\\xc3\\xa4': cannot open");
	expect_error("C.UTF-8", "-i", "/no/\xc3\xa4", 1, "proclife-read: '/no/\xc3\xa4': cannot open");
	expect_error("C.UTF-8", "-i", "", 1, "proclife-read: '': cannot open: No such file");
	if (access("/var/lib/proclife/flight", F_OK) && errno == ENOENT)
		expect_error("C", "-i", "/var/lib/proclife/flight", 1,
			     ": No such file or directory; the service proclife-recorder makes it: ");
	expect_error("C", "--device", "/no/\033", 1, "proclife-read: $'/no/\\x1b': No such file");
	expect_error("C", "--diff=/no/\033", "/no/b", 1, "proclife-read: $'/no/\\x1b': cannot open");
	/* The command line; some messages are the C library's. */
	expect_error("C", "--pid", "\033\n1", 129, "proclife-read: --pid $'\\x1b\\n1': not a process");
	expect_error("C", "--expect", "\033", 129, "proclife-read: --expect $'\\x1b': the figure");
	expect_error("C", "--uid", "no\nbody", 129, "proclife-read: --uid $'no\\nbody': neither a user name");
	expect_error("C", "--no\033\nsuch", "", 129,
		     "proclife-read: $'--no\\x1b\\nsuch': there is no such option; --help=all lists them\n");
	expect_error("C", "--\xff", "", 129, "proclife-read: $'--\\xff': there is no such option; ");
	expect_error("C", "a\033", "", 129, "proclife-read: $'a\\x1b': unexpected word; put '--' before a command, or -i before a recording\n");
}

/* Whatever the length, the message has the reason and the remedy. */
static void test_long_paths(void **state)
{
	char path[20000];
	struct output output;

	(void)state;
	for (size_t length = 200; length < sizeof(path); length += length / 7) {
		memset(path, 'x', length);
		for (size_t i = 0; i < length; i += 100)
			path[i] = '/';
		memcpy(path, "/begin", 6);
		memcpy(path + length - 4, "/end", 5);
		output = run("C", "-i", path);
		assert_int_equal(output.status, 1);
		assert_non_null(strstr(output.text, "/begin"));
		assert_non_null(strstr(output.text, "/end: cannot open: "));
		assert_true(output.size < 400);
		assert_int_equal(strstr(output.text, "...") != NULL, length > 240);
		free(output.text);
	}
}

/* The same for a recording that exists, and is broken. */
static void test_long_folder(void **state)
{
	char path[PATH_MAX], deep[PATH_MAX], name[150];
	struct output output;
	size_t length;
	int fd;

	(void)state;
	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	length = (size_t)snprintf(deep, sizeof(deep), "%s", folder.base);
	/* Two bytes of UTF-8 each, so that the path is cut inside a character. */
	for (size_t i = 1; i < sizeof(name) - 1; i += 2)
		memcpy(name + i, "\xc3\xa4", 2);
	while (length + sizeof(name) + 12 < PATH_MAX) {
		length += (size_t)snprintf(deep + length, sizeof(deep) - length, "/%s", name);
		assert_int_equal(mkdir(deep, 0700), 0);
	}
	memcpy(path, deep, length);
	strcpy(path + length, "/metadata");
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	output = run("C.UTF-8", "-i", deep);
	assert_int_equal(output.status, 1);
	assert_non_null(strstr(output.text, "\xe2\x80\xa6"));
	assert_null(strstr(output.text, "\\x"));
	assert_non_null(strstr(output.text, "/metadata': not a recording: not written by "
			       "proclife-read --record\n"));
	free(output.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cgroups, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_users, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_many_cgroups, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_lease, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_no_cgroups, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_unreadable, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_unreadable_folder, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_files, begin, story_teardown),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_long_paths),
		cmocka_unit_test_setup_teardown(test_long_folder, begin, story_teardown),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
