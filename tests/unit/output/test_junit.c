// SPDX-License-Identifier: GPL-2.0-only
/* --junit: the file's content with any names, and what happens to a file that was there. */
#include "story.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char file[PATH_MAX];

static int begin(void **state)
{
	story_setup(state);
	snprintf(file, sizeof(file), "%s/verdicts.xml", folder.base);
	return 0;
}

/* Puts @count lives; some of them fail. */
static void put_lives(const char *comm, unsigned int count, unsigned int failed, uint64_t life)
{
	struct who init = process_of_pid(1, "init");

	for (unsigned int i = 0; i < count; i++) {
		struct who who = process_of_pid(1000 + i, comm);

		if (i < failed) {
			story_put(fork_record(0, &who, &init));
			machine->now += life;
			story_exit(&who, &init, 1 << 8);
			story_reap(&who, &init);
			story_put(free_record(0, &who));
		} else {
			story_live(&who, &init, life, MS, MS);
		}
	}
}

static struct output run(int status, const char *options)
{
	struct output out = run_program(true, 0, "%s %s --junit %s", program, options, file);

	if (out.status != status)
		fail_msg("%s: status %d: %s", options, out.status, out.text);
	return out;
}

/* Expects this content, as a reader of XML sees it. */
static void expect_file(const char *text)
{
	struct output out = run_program(false, 0, "python3 %s/tests/unit/support/junit.py %s", SOURCE,
					file);

	assert_int_equal(out.status, 0);
	assert_string_equal(out.text, text);
	free(out.text);
}

static void expect_cases(int status, const char *options, const char *text)
{
	char line[4 * PATH_MAX];
	struct output out;

	snprintf(line, sizeof(line), "-i %s %s", folder.path, options);
	out = run(status, line);
	free(out.text);
	expect_file(text);
}

static void test_expectations(void **state)
{
	(void)state;
	put_lives("cc", 30, 2, 20 * MS);
	story_end();
	expect_cases(0, "--expect lost==0 --expect life.max<1s",
		     "expect|lost==0\nexpect|life.max<1s\n");
	expect_cases(2, "--expect failed==0 --expect life.p50>1s --expect ld.life.max<1s --tree",
		     "expect|failed==0|failure: it is 2\n"
		     "expect|life.p50>1s|failure: it is 20.0 ms of 30 processes\n"
		     "expect|ld.life.max<1s|error: not measured\n");
}

/* A new file has the usual mode of new files. */
static void test_mode(void **state)
{
	mode_t mask = umask(027);
	struct stat st;

	(void)state;
	put_lives("cc", 3, 0, MS);
	story_end();
	expect_cases(0, "--expect lost==0", "expect|lost==0\n");
	umask(mask);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

/* A recording that is cut off: its verdicts are valid, but not complete. */
static void test_incomplete(void **state)
{
	(void)state;
	put_lives("cc", 3, 0, MS);
	story_sync();
	story_abandon();
	expect_cases(3, "--expect lost==0",
		     "expect|lost==0\nproclife-read|complete|error: the result is incomplete; standard "
		     "error says why\n");
}

static void test_not_judged(void **state)
{
	struct output out;

	(void)state;
	out = run(1, "-i /no/such --expect lost==0");
	free(out.text);
	expect_file("proclife-read|judged|error: it could not be judged; standard error says why\n");
}

/* Control characters, which XML does not allow, markup, bytes that are no UTF-8, U+FFFF, and UTF-8. */
static void test_hostile_names(void **state)
{
	static const struct {
		const char *comm, *shown;
	} names[] = {
		{ "\x01\x1b[2J\x7f", "\\\\x01\\\\x1b[2J\\\\x7f" }, { "<a b=\"'&]]>", "<a b=\"'&]]>" },
		{ "\xff\xc3(\xed\xa0\x80", "\\\\xff\\\\xc3(\\\\xed\\\\xa0\\\\x80" },
		{ "\xef\xbf\xbf\xc2\x85", "\\\\xef\\\\xbf\\\\xbf\\\\xc2\\\\x85" },
		{ "\xc3\xa4\xf0\x9f\x90\xa7", "\\xe4\\U0001f427" },
		{ "\xc3\x80\xc2\xa0", "\\xc0\\xa0" },
	};
	char line[4 * PATH_MAX], other[2 * PATH_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		put_lives(names[i].comm, 20, 0, MS);
	story_end();
	snprintf(other, sizeof(other), "%s/other", folder.base);
	story_begin(other);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		put_lives(names[i].comm, 20, 0, MS);
	story_end();
	setenv("LC_ALL", "C.UTF-8", 1);
	snprintf(line, sizeof(line), "--diff %s %s", folder.path, other);
	free(run(0, line).text);
	struct output out = run_program(false, 0, "python3 %s/tests/unit/support/junit.py %s", SOURCE,
					file);

	setenv("LC_ALL", "C", 1);
	assert_int_equal(out.status, 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char wanted[128];

		snprintf(wanted, sizeof(wanted), "diff|%s: alone\n", names[i].shown);
		if (!strstr(out.text, wanted))
			fail_msg("%s\nwithout %s", out.text, wanted);
	}
	free(out.text);
	/* Also if the name is part of the figure. */
	snprintf(line, sizeof(line), "-i %s --expect \x01&\xff\xc2\x9b.life.max<1s", folder.path);
	free(run(2, line).text);
	expect_file("expect|\\\\x01&\\\\xff\\\\xc2\\\\x9b.life.max<1s|error: not measured\n");
}

static void test_diff(void **state)
{
	char line[4 * PATH_MAX], other[2 * PATH_MAX];

	(void)state;
	put_lives("cc", 100, 0, 20 * MS);
	put_lives("ld", 40, 0, 20 * MS);
	put_lives("once", 3, 0, 20 * MS);
	story_end();
	snprintf(other, sizeof(other), "%s/other", folder.base);
	story_begin(other);
	put_lives("cc", 100, 0, 30 * MS);
	put_lives("ld", 50, 20, 20 * MS);
	put_lives("once", 3, 0, 20 * MS);
	put_lives("new", 25, 0, 20 * MS);
	story_end();
	snprintf(line, sizeof(line), "--diff %s %s --expect failed==0 --comm [!il]*", folder.path, other);
	free(run(2, line).text);
	expect_file("diff|cc: alone|failure: p50 20.0 ms to 30.0 ms, 1.5 times\n"
		    "diff|cc: teardown\ndiff|cc: zombie\ndiff|cc: rcu_free\ndiff|cc: exit_free\n"
		    "diff|cc: processes\n"
		    "diff|new: processes|failure: 0 to 25\n"
		    "diff|once|skipped: too few lives, or on one side alone\n"
		    "expect|failed==0\n");
	snprintf(line, sizeof(line), "--diff %s %s --comm ld", folder.path, other);
	free(run(2, line).text);
	struct output out = run_program(false, 0, "python3 %s/tests/unit/support/junit.py %s", SOURCE,
					file);

	if (!strstr(out.text, "diff|ld: failed|failure: 0 to 20 of 40 and 50\n"))
		fail_msg("%s", out.text);
	free(out.text);
}

/* The file shows that --force was used; that is no failure. */
static void test_forced(void **state)
{
	char line[4 * PATH_MAX], other[2 * PATH_MAX];

	(void)state;
	put_lives("cc", 30, 0, 20 * MS);
	story_end();
	snprintf(other, sizeof(other), "%s/other", folder.base);
	story_begin_on(other, "6.1", PROCLIFE_EXIT_AFTER_MM);
	put_lives("cc", 30, 0, 20 * MS);
	story_end();
	snprintf(line, sizeof(line), "--force --diff %s %s --comm cc", folder.path, other);
	free(run(0, line).text);
	expect_file("diff|comparable|skipped: exits begin before the address space is torn down in A, after "
		    "the address space is torn down in B, so life, kill, teardown and exit_free mean "
		    "different times\n"
		    "diff|cc: alone\ndiff|cc: life\ndiff|cc: teardown\ndiff|cc: zombie\ndiff|cc: rcu_free\n"
		    "diff|cc: exit_free\ndiff|cc: processes\n");
}

static void write_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

/* The error comes before a command is run, and before a recording is read. */
static void test_unwritable(void **state)
{
	char line[4 * PATH_MAX], text[3 * PATH_MAX];
	struct output out;

	(void)state;
	put_lives("cc", 3, 0, MS);
	story_end();
	snprintf(file, sizeof(file), "%s/no/such", folder.base);
	snprintf(text, sizeof(text), "proclife-read: --junit: %s: No such file or directory; name a file "
		 "that can be written\n", file);
	snprintf(line, sizeof(line), "-i %s --expect lost==0", folder.path);
	for (int i = 0; i < 2; i++) {
		out = run(1, i ? "--diff /no/a /no/b" : line);
		assert_string_equal(out.text, text);
		free(out.text);
	}
	snprintf(file, sizeof(file), "/dev/full");
	out = run(1, line);
	assert_non_null(strstr(out.text, "--junit: /dev/full: No space left on device; name a file"));
	free(out.text);
	snprintf(file, sizeof(file), "%s", folder.base);
	out = run(1, line);
	assert_non_null(strstr(out.text, ": Is a directory; name a file"));
	free(out.text);
	snprintf(line, sizeof(line), "--device /dev/null --expect lost==0 --junit=%s -- touch %s/there",
		 folder.base, folder.base);
	out = run_program(true, 0, "%s %s", program, line);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, ": Is a directory; name a file"));
	free(out.text);
	snprintf(line, sizeof(line), "%s/there", folder.base);
	assert_int_equal(access(line, F_OK), -1);
}

/* The number of files whose names begin like the verdicts'. */
static unsigned int count_files(void)
{
	struct output out = run_program(false, 0, "ls -a %s", folder.base);
	unsigned int count = count_text(out.text, "verdicts.xml");

	free(out.text);
	return count;
}

/* The file is written in place and keeps its mode, whatever its folder allows. */
static void test_in_place(void **state)
{
	char line[4 * PATH_MAX], link[PATH_MAX];
	struct stat st, same;
	struct output out;

	(void)state;
	put_lives("cc", 3, 0, MS);
	story_end();
	snprintf(line, sizeof(line), "-i %s --expect lost==0", folder.path);
	write_text(file, "as it was, and a text that is longer than what is written into it now\n");
	assert_int_equal(truncate(file, 100000), 0);
	assert_int_equal(chmod(file, 0640), 0);
	assert_int_equal(stat(file, &st), 0);
	free(run(0, line).text);
	expect_file("expect|lost==0\n");
	assert_int_equal(stat(file, &same), 0);
	assert_int_equal(same.st_ino, st.st_ino);
	assert_int_equal(same.st_mode & 0777, 0640);
	/* A link stays a link, also if its target does not exist yet. */
	snprintf(link, sizeof(link), "%s/link", folder.base);
	assert_int_equal(symlink(file, link), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(unlink(file), 0);
		if (i)
			write_text(file, "as it was\n");
		out = run_program(true, 0, "%s %s --junit %s", program, line, link);
		assert_int_equal(out.status, 0);
		free(out.text);
		assert_int_equal(lstat(link, &st), 0);
		assert_true(S_ISLNK(st.st_mode));
		expect_file("expect|lost==0\n");
	}
	assert_int_equal(unlink(file), 0);
	assert_int_equal(symlink(link, file), 0);
	out = run(1, line);
	assert_non_null(strstr(out.text, "Too many levels of symbolic links; name a file"));
	free(out.text);
	/* Anything but a plain file is only written to. */
	out = run_program(false, 0, "%s %s --junit /dev/stdout --ktap", program, line);
	assert_int_equal(out.status, 0);
	assert_non_null(strstr(out.text, "</testsuites>\n"));
	free(out.text);
}

/* A file that is half written does not look whole. */
static void test_full(void **state)
{
	struct output out;

	(void)state;
	put_lives("cc", 3, 0, MS);
	story_end();
	write_text(file, "as it was\n");
	out = run_program(true, 100, "%s -i %s --expect lost==0 --junit %s", program, folder.path, file);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "verdicts.xml: File too large; name a file"));
	free(out.text);
	expect_file_text(file, "");
	assert_int_equal(count_files(), 1);
}

static bool has_open(pid_t pid, const char *path)
{
	char name[64], target[PATH_MAX];
	bool found = false;

	for (int fd = 3; fd < 16 && !found; fd++) {
		snprintf(name, sizeof(name), "/proc/%d/fd/%d", pid, fd);
		found = readlink(name, target, sizeof(target)) >= (ssize_t)strlen(path) &&
			!memcmp(target, path, strlen(path));
	}
	return found;
}

/* Whatever ends the program: the old file is there, and nothing beside it. */
static void test_killed(void **state)
{
	char line[4 * PATH_MAX], text[4096] = "";
	int null = open("/dev/null", O_WRONLY), fds[2], status;
	pid_t pid;

	(void)state;
	put_lives("cc", 30, 0, MS);
	story_end();
	write_text(file, "as it was\n");
	/* It waits for a reader of its output. */
	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	while (write(fds[1], text, sizeof(text)) > 0)
		;
	assert_int_equal(fcntl(fds[1], F_SETFL, 0), 0);
	snprintf(line, sizeof(line), "%s -i %s --events --expect lost==0 --junit %s", program, folder.path,
		 file);
	pid = start_program(line, fds[1], null, 0);
	while (!has_open(pid, file))
		assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	close(fds[0]);
	close(fds[1]);
	close(null);
	expect_file_text(file, "as it was\n");
	assert_int_equal(count_files(), 1);
}

/* Its output has no reader any more: it ends as other filters do. */
static void test_nobody_reads(void **state)
{
	int null = open("/dev/null", O_WRONLY), fds[2], status;
	char line[4 * PATH_MAX];
	pid_t pid;

	(void)state;
	put_lives("cc", 3, 0, MS);
	story_end();
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	close(fds[0]);
	snprintf(line, sizeof(line), "%s -i %s --events", program, folder.path);
	pid = start_program(line, fds[1], null, 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
	close(fds[1]);
	close(null);
}

static void test_fifo(void **state)
{
	char text[4096] = "";
	struct output out;
	int fd;

	(void)state;
	put_lives("cc", 3, 0, MS);
	story_end();
	assert_int_equal(mkfifo(file, 0600), 0);
	out = run_program(true, 0, "timeout 5 %s -i %s --expect lost==0 --junit %s", program,
			  folder.path, file);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "verdicts.xml: nothing reads from it; start what reads it first"));
	free(out.text);
	fd = open(file, O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	out = run_program(true, 0, "%s -i %s --expect lost==0 --junit %s", program, folder.path, file);
	assert_int_equal(out.status, 0);
	free(out.text);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	assert_non_null(strstr(text, "</testsuites>\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_expectations, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_forced, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_mode, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_incomplete, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_not_judged, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_hostile_names, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_diff, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_unwritable, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_in_place, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_full, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_killed, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_nobody_reads, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_fifo, begin, story_teardown),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
