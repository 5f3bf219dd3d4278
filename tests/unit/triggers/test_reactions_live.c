// SPDX-License-Identifier: GPL-2.0-only
/* --save and --exec with a live device. */
#include "check.h"
#include "live_device.h"
#include "program.h"
#include "recorded.h"
#include "watching.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What commands of --exec have written. */
static void read_said(const char *path, char *said, size_t size)
{
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	said[fread(said, 1, size - 1, file)] = '\0';
	fclose(file);
}

/* Records from before the start are saved with it, and what follows for a while. */
static void test_save(void **state)
{
	char options[2 * PATH_MAX], saved[PATH_MAX], dir[PATH_MAX];
	pid_t pid;
	char *line;
	FILE *out;

	(void)state;
	live_open(1 << 10);
	live_story(1);
	snprintf(options, sizeof(options), "--on zombie>100ms --save %s --after 300ms --count 1", folder.path);
	out = start_watching(&pid, options);
	free(next(out, "trace"));
	put_zombie(4000);
	line = next(out, "fired");
	line_text(line, "saved", saved);
	free(line);
	usleep(100000);
	live_story(2);
	line = next(out, "saved");
	assert_non_null(line);
	line_text(line, "dir", dir);
	assert_string_equal(dir, saved);
	assert_int_equal(strncmp(dir, folder.path, strlen(folder.path)), 0);
	assert_non_null(strstr(dir, "Z-zombie-100ms-pid4000"));
	assert_int_equal(number(line, "lost"), 0);
	free(line);
	assert_null(next(out, "saved"));
	fclose(out);
	expect_in(dir, "--info", " complete, because --on had it saved\n");
	expect_in(dir, "--lives", "\n5 deaths; at the end 2 alive, 1 zombie\n");
	expect_in(dir, "--on zombie>100ms", " zombie>100ms: child (4000), zombie for 100 ms so far, parent (1)\n");
}

/* The line about a save has the form of the others. */
static void test_line(void **state)
{
	struct output out;
	const char *line;
	char *end;

	(void)state;
	live_open(1 << 10);
	put_zombie(4000);
	out = run_program(false, 0, "%s --device %s --on failed --save %s --after 0 --history --monotonic --duration 100ms",
			  program, live_path, folder.path);
	assert_int_equal(out.status, 0);
	line = strchr(out.text, '\n');
	assert_non_null(line);
	assert_in_range(line[1], '1', '9');
	strtod(line + 1, &end);
	assert_int_equal(strncmp(end, " saved /", 8), 0);
	assert_non_null(strstr(end, "-failed-pid4000: 2 records\n"));
	free(out.text);
}

/* Overwrites each CPU's ring, a part at a time. */
static void overwrite(void)
{
	struct who other = process_of_pid(7, "other");

	for (int i = 0; i < 6; i++) {
		for (int n = 0; n < 64; n++)
			live_put((uint32_t)n % 4, wait_record(0, &other));
		usleep(200000);
	}
}

static struct proclife_record args_record(const struct who *who, const char *text, size_t size)
{
	struct proclife_record record = record_of(0, PROCLIFE_ARGS, who);

	record.args.total = (uint32_t)size;
	record.args.len = (uint16_t)size;
	memcpy(record.args.text, text, size);
	return record;
}

/*
 * The rings hold nothing any more of its ancestors, one of which is gone. But the reader has kept their
 * identities.
 */
static void test_ancestors(void **state)
{
	struct who server = process_of_pid(200, "sh"), worker = process_of_pid(201, "worker");
	struct who lone = process_of_pid(300, "lone"); /* no ancestor */
	char options[2 * PATH_MAX], dir[PATH_MAX];
	pid_t pid;
	char *line;
	FILE *out;

	(void)state;
	live_open(64);
	snprintf(options, sizeof(options), "--on zombie>100ms --save %s --after 0 --count 1", folder.path);
	out = start_watching(&pid, options);
	free(next(out, "trace"));
	first_process = process_of_pid(1, "init");
	live_put(0, fork_record(0, &server, &first_process));
	server.comm = "server";
	live_put(0, exec_record(0, &server, 200, "/usr/bin/server"));
	live_put(0, args_record(&server, "server\0--port\0" "80", 17));
	live_put(0, fork_record(0, &lone, &first_process));
	live_put(1, fork_record(0, &worker, &server));
	live_put(1, rename_record(0, &worker, "worker/3"));
	worker.comm = "worker/3";
	child = process_of_pid(202, "child");
	live_put(1, fork_record(0, &child, &worker));
	live_put(1, exit_record(0, &worker, 5 << 8, 0));
	live_put(2, reap_record(0, &worker, &server));
	live_put(2, free_record(0, &worker));
	overwrite();
	live_put(1, exit_record(0, &child, 0, 0));
	live_put(1, notify_record(0, &child, &first_process));
	line = next(out, "saved");
	assert_non_null(line);
	line_text(line, "dir", dir);
	free(line);
	fclose(out);
	expect_in(dir, "--tree", "  server --port 80  ");
	expect_in(dir, "--tree", "  `- worker/3  status 5, incomplete\n");
	expect_in(dir, "--tree", "     `- child  zombie, incomplete\n");
	expect_in(dir, "--tree", "\n3 processes, ");
}

static unsigned int saved_count(void)
{
	DIR *dir = opendir(folder.path);
	unsigned int count = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count;
}

/* The program prints this @times times; with what was there before, there are two folders. */
static void end_saves(pid_t pid, FILE *out, int fd, const char *text, unsigned int times)
{
	struct output errors = { NULL, 0, 0 };

	kill(pid, SIGTERM);
	assert_null(next(out, "fired"));
	fclose(out);
	collect_output(pid, fd, &errors);
	assert_int_equal(count_text(errors.text, text), times);
	free(errors.text);
	assert_int_equal(saved_count(), 2);
}

/* While a save is in progress, other matches join it; and there are no more recordings than were asked for. */
static void test_saves(void **state)
{
	char options[2 * PATH_MAX];
	int fds[2];
	pid_t pid;
	FILE *out;

	(void)state;
	live_open(1 << 10);
	snprintf(options, sizeof(options), "--on failed --save %s --after 200ms --calm 0 --saves 2", folder.path);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	out = start_with(&pid, options, fds[1]);
	close(fds[1]);
	free(next(out, "trace"));
	for (uint32_t i = 0; i < 4; i++) {
		put_zombie(4000 + 2 * i);
		put_zombie(4001 + 2 * i);
		for (int n = 0; n < 2; n++) {
			char *line = next(out, "fired");

			assert_true(!strstr(line, "\"saved\":null") == (i < 2));
			free(line);
		}
		if (i < 2)
			free(next(out, "saved"));
	}
	end_saves(pid, out, fds[0], ": it holds 2 recordings, and no more are made; remove some", 1);
}

/* All runs count: recordings in the folder, also new ones. Files of other programs do not count. */
static void test_saves_before(void **state)
{
	char options[2 * PATH_MAX], path[PATH_MAX + 64];
	int fds[2];
	char *line;
	pid_t pid;
	FILE *out;

	(void)state;
	live_open(1 << 10);
	assert_int_equal(mkdir(folder.path, 0700), 0);
	snprintf(path, sizeof(path), "%s/20261125-notes", folder.path);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/20261125T075502Z-failed-pid4000", folder.path);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(options, sizeof(options), "--on failed --save %s --after 0 --calm 0 --saves 1", folder.path);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	out = start_with(&pid, options, fds[1]);
	close(fds[1]);
	free(next(out, "trace"));
	for (uint32_t i = 0; i < 4; i++) {
		if (i == 2)
			assert_int_equal(rmdir(path), 0);
		put_zombie(4000 + i);
		line = next(out, "fired");
		assert_true(!strstr(line, "\"saved\":null") == (i == 2));
		free(line);
		if (i == 2)
			free(next(out, "saved"));
	}
	end_saves(pid, out, fds[0], ": it holds 1 recording, and no more are made; remove some", 2);
}

/* The program ends in the middle: what is there until then is saved. */
static void test_ended(void **state)
{
	char options[2 * PATH_MAX], dir[PATH_MAX];
	pid_t pid;
	char *line;
	FILE *out;

	(void)state;
	live_open(1 << 10);
	snprintf(options, sizeof(options), "--on failed --save %s --after 1h", folder.path);
	out = start_watching(&pid, options);
	free(next(out, "trace"));
	put_zombie(4000);
	free(next(out, "fired"));
	kill(pid, SIGTERM);
	line = next(out, "saved");
	assert_non_null(line);
	line_text(line, "dir", dir);
	free(line);
	fclose(out);
	expect_in(dir, "--lives", "\n1 death; at the end 1 zombie\n");
}

/* The reader of its lines is gone: it ends, and the save in progress is complete. */
static void test_unread(void **state)
{
	char options[2 * PATH_MAX], dir[PATH_MAX];
	pid_t pid;
	char *line;
	FILE *out;
	int status;

	(void)state;
	live_open(1 << 10);
	snprintf(options, sizeof(options), "--on failed --save %s --after 1h --calm 0 --exec true", folder.path);
	out = start_watching(&pid, options);
	free(next(out, "trace"));
	put_zombie(4000);
	line = next(out, "fired");
	line_text(line, "saved", dir);
	free(line);
	fclose(out);
	put_zombie(4001);
	for (int i = 0; i < 50; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid) {
			expect_in(dir, "--info", " complete, because --on had it saved\n");
			return;
		}
		usleep(100000);
	}
	kill(pid, SIGKILL);
	fail_msg("it still runs");
}

/* The command gets the facts of the match, and its own processes never match. */
static void test_exec(void **state)
{
	char options[3 * PATH_MAX], path[PATH_MAX], said[8192] = "", saved[PATH_MAX], wanted[2 * PATH_MAX];
	struct who own;
	pid_t pid;
	char *line;
	FILE *out;

	(void)state;
	live_open(1 << 10);
	setenv("PROCLIFE_PID", "of somebody else", 1);
	snprintf(path, sizeof(path), "%s/said", folder.base);
	snprintf(options, sizeof(options), "--on failed --on forks>1/h --save %s --after 0 --calm 0 --exec env>>%s --duration 1s",
		 folder.path, path);
	out = start_watching(&pid, options);
	unsetenv("PROCLIFE_PID");
	free(next(out, "trace"));
	put_zombie(4000);
	line = next(out, "fired");
	line_text(line, "saved", saved);
	free(line);
	/* It claims to be started by the program itself. */
	first_process = process_of_pid((uint32_t)pid, "proclife-read");
	own = process_of_pid(4100, "sh");
	live_put(0, fork_record(0, &own, &first_process));
	child = process_of_pid(4101, "child");
	live_put(0, fork_record(0, &child, &own));
	live_put(1, exit_record(0, &child, 1 << 8, 0));
	live_put(1, exit_record(0, &own, 1 << 8, 0));
	assert_null(next(out, "fired"));
	fclose(out);
	read_said(path, said, sizeof(said));
	assert_int_equal(count_text(said, "PROCLIFE_CONDITION=failed\n"), 1);
	assert_int_equal(count_text(said, "PROCLIFE_FIGURE=failed\n"), 1);
	assert_int_equal(count_text(said, "PROCLIFE_VALUE=3\n"), 1);
	assert_int_equal(count_text(said, "PROCLIFE_PID=4000\n"), 1);
	assert_int_equal(count_text(said, "PROCLIFE_COMM=child\n"), 1);
	assert_int_equal(count_text(said, "PROCLIFE_TID=\n"), 1);
	assert_int_equal(count_text(said, "PROCLIFE_THREAD=\n"), 1);
	assert_int_equal(count_text(said, "PROCLIFE_SUPPRESSED=0\n"), 1);
	assert_int_equal(count_text(said, "PROCLIFE_TIME=20"), 1);
	snprintf(wanted, sizeof(wanted), "PROCLIFE_SAVED=%s\n", saved);
	assert_int_equal(count_text(said, wanted), 1);
	expect_in(saved, "--info", " complete, because --on had it saved\n");
}

/* If a thread ends, it gets that and the process. */
static void test_exec_of_thread(void **state)
{
	struct who app = process_of_pid(4000, "app"), thread = thread_of(&app, 4001);
	struct proclife_record exiting;
	char options[3 * PATH_MAX], path[PATH_MAX], said[8192] = "";
	pid_t pid;
	FILE *out;

	(void)state;
	live_open(1 << 10);
	snprintf(path, sizeof(path), "%s/said", folder.base);
	snprintf(options, sizeof(options), "--on thread_exit==4001 --calm 0 --exec env>>%s --duration 1s", path);
	out = start_watching(&pid, options);
	free(next(out, "trace"));
	live_put(0, fork_record(0, &app, &first_process));
	live_put(0, clone_record(0, &thread, &first_process, &app));
	live_put(0, rename_record(0, &thread, "worker"));
	thread.comm = "worker";
	exiting = record_of(0, PROCLIFE_EXITING, &thread);
	exiting.exiting.exit_code = 3 << 8;
	live_put(1, exiting);
	live_put(1, exit_record(0, &thread, 3 << 8, 1));
	free(next(out, "fired"));
	assert_null(next(out, "fired"));
	fclose(out);
	read_said(path, said, sizeof(said));
	assert_int_equal(count_text(said, "PROCLIFE_FIGURE=thread_exit\n"), 1);
	assert_int_equal(count_text(said, "PROCLIFE_VALUE=3\n"), 1);
	assert_int_equal(count_text(said, "PROCLIFE_PID=4000\n"), 1);
	assert_int_equal(count_text(said, "PROCLIFE_COMM=app\n"), 1);
	assert_int_equal(count_text(said, "PROCLIFE_TID=4001\n"), 1);
	assert_int_equal(count_text(said, "PROCLIFE_THREAD=worker\n"), 1);
}

/* The followed command is not one that --exec has started. */
static void test_command(void **state)
{
	char path[PATH_MAX];
	struct who command;
	uint32_t own = 0;
	pid_t pid;
	char *line;
	FILE *out, *file;

	(void)state;
	live_open(1 << 10);
	out = start_watching(&pid, "--on failed --exec true -- sleep 5");
	free(next(out, "trace"));
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%" SCNu32, &own), 1);
	fclose(file);
	first_process = process_of_pid((uint32_t)pid, "proclife-read");
	command = process_of_pid(own, "sleep");
	live_put(0, fork_record(0, &command, &first_process));
	live_put(1, exit_record(0, &command, 1 << 8, 0));
	line = next(out, "fired");
	assert_non_null(line);
	assert_int_equal(number(line, "pid"), own);
	free(line);
	kill((pid_t)own, SIGKILL);
	kill(pid, SIGTERM);
	assert_null(next(out, "fired"));
	fclose(out);
}

/* The folder vanishes while it is being written: the command gets no folder, and writes to standard error. */
static void test_vanished(void **state)
{
	char options[3 * PATH_MAX], command[2 * PATH_MAX];
	struct output errors = { NULL, 0, 0 };
	int fds[2];
	pid_t pid;
	char *line;
	FILE *out;

	(void)state;
	live_open(1 << 10);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	snprintf(options, sizeof(options), "--on failed --save %s/save --after 300ms --duration 1s "
		 "--exec echo${IFS}saved=$PROCLIFE_SAVED.;kill${IFS}-KILL${IFS}$$", folder.base);
	out = start_with(&pid, options, fds[1]);
	close(fds[1]);
	free(next(out, "trace"));
	put_zombie(4000);
	free(next(out, "fired"));
	snprintf(command, sizeof(command), "rm -r %s/save", folder.base);
	assert_int_equal(system(command), 0);
	while ((line = next(out, ""))) {
		assert_null(strstr(line, "saved"));
		free(line);
	}
	fclose(out);
	collect_output(pid, fds[0], &errors);
	assert_int_equal(count_text(errors.text, "-failed-pid4000: No such file or directory\n"), 1);
	assert_int_equal(count_text(errors.text, "saved=.\n"), 1);
	assert_int_equal(count_text(errors.text, ": it was killed by signal 9\n"), 1);
	free(errors.text);
}

/* The error comes before anything is followed. */
static void test_no_folder(void **state)
{
	char path[PATH_MAX];
	struct output out;
	FILE *file;

	(void)state;
	live_open(1 << 10);
	snprintf(path, sizeof(path), "%s/file", folder.base);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	out = run_program(true, 0, "%s --device %s --on failed --save %s", program, live_path, path);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "/file: cannot write there: Not a directory; name a folder"));
	free(out.text);
	out = run_program(true, 0, "%s --device %s --on failed --save %s/a/b", program, live_path, folder.base);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "/a/b: cannot write there: No such file or directory; name a folder"));
	free(out.text);
}

/* The command's exit status is reported, and that too many matches are queued. */
static void test_busy(void **state)
{
	struct output rest = { NULL, 0, 0 };
	unsigned int told = 0, full = 0;
	char line[2 * PATH_MAX], *said = NULL;
	size_t size = 0;
	int fds[2];
	FILE *out;
	pid_t pid;

	(void)state;
	live_open(1 << 10);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	snprintf(line, sizeof(line), "%s --device %s --on failed --calm 0 --history --exec sleep${IFS}1;exit${IFS}7",
		 program, live_path);
	for (uint32_t i = 0; i < 20; i++)
		put_zombie(4000 + i);
	pid = start_program(line, fds[1], fds[1], 0);
	close(fds[1]);
	out = fdopen(fds[0], "r");
	setvbuf(out, NULL, _IONBF, 0);
	do {
		assert_true(getline(&said, &size, out) > 0);
		told += strstr(said, " failed: child ") != NULL;
		full += strstr(said, "--exec: 16 runs are already queued; further matches are printed but not executed") != NULL;
	} while (!strstr(said, "exit${IFS}7': it ended with status 7\n"));
	free(said);
	kill(pid, SIGTERM);
	collect_output(pid, fds[0], &rest);
	fclose(out);
	assert_int_equal(rest.status, 0);
	assert_int_equal(told, 20);
	assert_int_equal(full, 1);
	assert_non_null(strstr(rest.text, "proclife-read: --exec: in all, 18 times it was not executed\n"));
	free(rest.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIVE(test_save),
		LIVE(test_line),
		LIVE(test_ancestors),
		LIVE(test_saves),
		LIVE(test_saves_before),
		LIVE(test_ended),
		LIVE(test_unread),
		LIVE(test_exec),
		LIVE(test_exec_of_thread),
		LIVE(test_command),
		LIVE(test_vanished),
		LIVE(test_no_folder),
		LIVE(test_busy),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
