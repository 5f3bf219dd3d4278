// SPDX-License-Identifier: GPL-2.0-only
/*
 * proclife-read --record and -i as programs: a replay prints what the live view has printed, byte
 * for byte. The device is a file that a thread writes.
 */
#include "live_device.h"
#include "program.h"
#include "recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRIES 30000 /* a millisecond each */

static pid_t reader;
static bool leaves; /* the command has a child that outlives it */
static int held; /* the other end of what a command reads */

static void start(const char *line, int out, int err)
{
	reader = start_program(line, out, err, 0);
}

static void start_with_input(const char *line, int in, int out)
{
	int own = dup(STDIN_FILENO);

	assert_true(own >= 0);
	assert_int_equal(dup2(in, STDIN_FILENO), STDIN_FILENO);
	start(line, out, STDERR_FILENO);
	assert_int_equal(dup2(own, STDIN_FILENO), STDIN_FILENO);
	close(own);
}

static const char *const views[] = {
	"--tree", "--latency", "--events", "--tree --latency --threads", "--tree --json --threads",
	"--latency --json", "--events --json", "--tree --fold", "--events --count 57 --json",
	"--tree --count 9 --json", "--tree --pid 1004", "--events --json --pid 1004",
	"--tree --depth 1", "--tree --min-life 2us --json", "--tree --top 5:life",
	"--tree --no-fold", "--lives", "--lives --json", "--lives --count 7 --json",
	"--on failed --on zombie>1ms --on life>20ms --on lost>0 --on forks>5/s --lives --monotonic",
	"--on life>15ms --on signal==any --on lost>9 --on cc.life<1ms --calm 5ms --json",
	"--critical-path", "--critical-path --json", "--lives --sort alone --json", "--lives --sort exit_free --top 5", "--lives --pid 1004 --tree",
	"--latency --interval 20ms", "--summary --parents --interval 50ms",
	"--latency --parents --interval 30ms --json", "--latency --threads --by comm --interval 70ms --json",
};

static void check_views(const char *options)
{
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		const char *pid = strstr(views[i], "--pid");
		struct output live, again;
		char view[100];

		/* Without history, it has to be a process that lives. */
		if (pid && !strstr(options, "--history"))
			continue;
		live = run_program(false, 0, "%s --device %s --record %s %s %s", program,
				   live_path, folder.path, options, views[i]);
		snprintf(view, sizeof(view), "%s", views[i]);
		if (strstr(view, " --count")) /* the recorder had it, and so it is not needed */
			strcpy(strstr(view, " --count"), " --json");
		again = run_program(false, 0, "%s -i %s %s", program, folder.path, view);
		if (live.status != 0 && live.status != 3)
			fail_msg("%s: status %d", views[i], live.status);
		assert_true(live.size > (pid ? 50 : 200));
		if (live.size != again.size || memcmp(live.text, again.text, live.size))
			fail_msg("%s: live:\n%s\nreplayed:\n%s", views[i], live.text, again.text);
		assert_int_equal(live.status, again.status);
		free(live.text);
		free(again.text);
		folder_remove(&folder);
		folder_make(&folder);
	}
}

static void test_history(void **state)
{
	(void)state;
	live_open(4096);
	for (uint32_t n = 0; n < 300; n++)
		live_story(n);
	check_views("--history --duration 30ms");
}

/* Records from before the rings' history are not lost, live or replayed, nor for a reader of CTF. */
static void test_history_overwritten(void **state)
{
	struct output out;

	(void)state;
	live_open(256);
	for (uint32_t n = 0; n < 300; n++)
		live_story(n);
	check_views("--history --duration 30ms");
	out = run_program(true, 0, "%s --device %s --history --duration 20ms --record %s", program,
			  live_path, folder.path);
	assert_int_equal(out.status, 0);
	assert_non_null(strstr(out.text, "the history of 4 CPUs begins between "));
	assert_non_null(strstr(out.text, " 0 lost"));
	free(out.text);
	out = run_program(false, 0, "%s -i %s --events", program, folder.path);
	assert_int_equal(out.status, 0);
	assert_int_equal(count_text(out.text, "; what is older was overwritten --\n"), 4);
	free(out.text);
	out = run_program(true, 0, "babeltrace2 %s", folder.path);
	assert_string_equal(out.text, "");
	free(out.text);
	out = run_program(false, 0, "babeltrace2 %s", folder.path);
	assert_int_equal(out.status, 0);
	assert_int_equal(count_text(out.text, "\n"), 4 * 256);
	free(out.text);
}

static void test_live(void **state)
{
	(void)state;
	live_open(128);
	live_bursts();
	check_views("--duration 400ms");
}

/* A range that begins in the past goes on as long as was asked for, and one that ends in the future until then. */
static void test_range(void **state)
{
	static const char *const ranges[] = { "--history --from -10s --duration 400ms", "--to +400ms" };
	struct timespec begin, end;

	(void)state;
	live_open(4096);
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		struct output out;

		clock_gettime(CLOCK_MONOTONIC, &begin);
		out = run_program(false, 0, "%s --device %s --tree %s", program, live_path, ranges[i]);
		clock_gettime(CLOCK_MONOTONIC, &end);
		if (out.status || (end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000 < 400)
			fail_msg("%s: too early: status %d, %s", ranges[i], out.status, out.text);
		free(out.text);
	}
}

/* Writes the life of the reader's own child, its COMMAND, which lives until it is seen. */
static void *write_command(void *data)
{
	struct who who = process_of_pid(0, "proclife-read"), parent = who, child;
	struct who left = process_of_pid(2, "left");
	char path[100];
	int pid = 0;

	(void)data;
	for (unsigned int tries = TRIES; !pid && tries; tries--) {
		FILE *file;

		usleep(1000);
		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)reader, (int)reader);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fscanf(file, "%d", &pid) != 1)
			pid = 0;
		fclose(file);
	}
	if (!pid) {
		close(held);
		return NULL;
	}
	parent.pid = reader;
	parent.tgid = reader;
	child = process_of_pid(pid, "proclife-read");
	live_put(0, fork_record(0, &child, &parent));
	child.comm = "cat";
	live_put(1, exec_record(0, &child, pid, "/bin/cat"));
	if (leaves)
		live_put(1, fork_record(0, &left, &child));
	close(held);
	live_story(5);
	usleep(300000);
	live_put(1, exit_record(0, &child, 0, 0));
	live_put(0, reap_record(0, &child, &parent));
	live_put(0, free_record(0, &child));
	return NULL;
}

/* The command is cat, and the device has its records. */
static struct output run_command(const char *options)
{
	struct output live = { NULL, 0, 0 };
	char line[3 * PATH_MAX];
	pthread_t thread;
	int fds[2], hold[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(pipe2(hold, O_CLOEXEC), 0);
	held = hold[1];
	snprintf(line, sizeof(line), "%s --device %s --record %s %s -- cat", program, live_path,
		 folder.path, options);
	start_with_input(line, hold[0], fds[1]);
	close(hold[0]);
	close(fds[1]);
	pthread_create(&thread, NULL, write_command, NULL);
	collect_output(reader, fds[0], &live);
	close(fds[0]);
	pthread_join(thread, NULL);
	return live;
}

static void test_command(void **state)
{
	(void)state;
	live_open(1024);
	for (size_t i = 0; i < 8; i++) {
		struct output live = run_command(views[i]), again;

		assert_int_equal(live.status, 0);
		again = run_program(false, 0, "%s -i %s %s", program, folder.path, views[i]);
		if (strstr(views[i], "--tree") &&
		    !strstr(again.text, strstr(views[i], "--json") ? "/bin/cat" : "  cat"))
			fail_msg("%s", again.text);
		assert_int_equal(again.status, 0);
		if (live.size != again.size || memcmp(live.text, again.text, live.size))
			fail_msg("%s: live:\n%s\nreplayed:\n%s", views[i], live.text, again.text);
		free(live.text);
		free(again.text);
		folder_remove(&folder);
		folder_make(&folder);
	}
}

/* The reason for its end is shown, live and replayed. */
static void test_left(void **state)
{
	struct output out;

	(void)state;
	live_open(1024);
	leaves = true;
	out = run_command("--expect left==0 --left-after 50ms --json");
	leaves = false;
	assert_int_equal(out.status, 2);
	if (!strstr(out.text, "\"reason\":\"left\""))
		fail_msg("%s", out.text);
	free(out.text);
	out = run_program(false, 0, "%s -i %s --lives --json", program, folder.path);
	assert_non_null(strstr(out.text, "\"reason\":\"left\""));
	free(out.text);
}

/* The status is the one of a shell that cannot run it. */
static void test_no_command(void **state)
{
	static const char *const commands[] = { "nosuchcommand", "/no/command", "/etc/passwd" };

	(void)state;
	live_open(1024);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		struct output out = run_program(true, 0, "%s --device %s -- %s", program, live_path,
						commands[i]);

		assert_int_equal(out.status, i < 2 ? 127 : 126);
		assert_non_null(strstr(out.text, commands[i]));
		free(out.text);
	}
}

static void test_record_alone(void **state)
{
	struct output out;
	unsigned long long records, bytes, lost;

	(void)state;
	live_open(4096);
	for (uint32_t n = 0; n < 100; n++)
		live_story(n);
	out = run_program(true, 0, "%s --device %s --history --duration 20ms --record %s", program,
			  live_path, folder.path);
	assert_int_equal(out.status, 0);
	assert_non_null(strstr(out.text, folder.path));
	assert_int_equal(sscanf(strstr(out.text, folder.path) + strlen(folder.path),
				": %llu records, %llu bytes, %llu lost", &records, &bytes, &lost),
			 3);
	assert_int_equal(records, 1500);
	assert_int_equal(lost, 0);
	assert_true(bytes >= 1500 * 128);
	free(out.text);
	out = run_program(false, 0, "%s -i %s --events --monotonic", program, folder.path);
	assert_int_equal(count_text(out.text, "\n"), 1500);
	free(out.text);
	out = run_program(true, 0, "%s --device %s --duration 10ms --record %s", program,
			  live_path, folder.path);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "not empty"));
	assert_int_equal(count_text(out.text, "\n"), 1);
	free(out.text);
}

static bool have_babeltrace(void)
{
	return !system("babeltrace2 --version >/dev/null 2>&1");
}

/* kill -9: what was on disk is read, and what is missing is reported. */
static void test_killed(void **state)
{
	struct output out = { NULL, 0, 0 };
	char line[3 * PATH_MAX];

	(void)state;
	live_open(4096);
	for (uint32_t n = 0; n < 100; n++)
		live_story(n);
	snprintf(line, sizeof(line), "%s --device %s --history --record %s", program, live_path,
		 folder.path);
	start(line, STDOUT_FILENO, STDERR_FILENO);
	/* What was read is on disk after a second, if the machine has nothing else to do. */
	for (unsigned int attempt = 0; attempt < 20; attempt++) {
		size_t lines;

		usleep(1400000);
		out = run_program(false, 0, "babeltrace2 %s", folder.path);
		lines = count_text(out.text, "\n");
		free(out.text);
		if (lines == 1500)
			break;
	}
	kill(reader, SIGKILL);
	assert_int_equal(waitpid(reader, NULL, 0), reader);
	if (have_babeltrace()) {
		out = run_program(false, 0, "babeltrace2 %s", folder.path);
		assert_int_equal(out.status, 0);
		assert_int_equal(count_text(out.text, "\n"), 1500);
		free(out.text);
	}
	out = run_program(true, 0, "%s -i %s --events", program, folder.path);
	assert_int_equal(out.status, 3);
	assert_non_null(strstr(out.text, "cut off"));
	assert_int_equal(count_text(out.text, "\n"), 1);
	free(out.text);
	out = run_program(false, 0, "%s -i %s --events --json", program, folder.path);
	assert_int_equal(out.status, 3);
	assert_non_null(strstr(out.text, "\"reason\":\"cut\""));
	assert_int_equal(count_text(out.text, "\n"), 1500 + 2);
	free(out.text);
}

/* Ctrl-C is an end like any other. */
static void test_interrupted(void **state)
{
	struct output out;
	char line[3 * PATH_MAX];
	int status;

	(void)state;
	live_open(4096);
	for (uint32_t n = 0; n < 50; n++)
		live_story(n);
	snprintf(line, sizeof(line), "%s --device %s --history --record %s", program, live_path,
		 folder.path);
	start(line, STDOUT_FILENO, open("/dev/null", O_WRONLY));
	/* It handles signals before it creates this file; on a busy machine that takes a while. */
	snprintf(line, sizeof(line), "%s/metadata", folder.path);
	for (unsigned int tries = TRIES; access(line, F_OK) && tries; tries--)
		usleep(1000);
	kill(reader, SIGINT);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_int_equal(status, 0);
	out = run_program(false, 0, "%s -i %s --events --json", program, folder.path);
	assert_int_equal(out.status, 0);
	assert_non_null(strstr(out.text, "\"reason\":\"signal\""));
	free(out.text);
}

/* The view goes on, the recording stays readable, and the exit status shows the failure. */
static void test_disk_full(void **state)
{
	struct output out;

	(void)state;
	live_open(4096);
	for (uint32_t n = 0; n < 300; n++)
		live_story(n);
	out = run_program(false, 70000,
			  "%s --device %s --history --duration 50ms --tree --record %s", program,
			  live_path, folder.path);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "no loss"));
	free(out.text);
	out = run_program(false, 0, "%s -i %s --events", program, folder.path);
	assert_int_equal(out.status, 3);
	assert_true(count_text(out.text, "\n") > 100);
	free(out.text);
	folder_remove(&folder);
	folder_make(&folder);
	out = run_program(true, 70000, "%s --device %s --history --record %s", program, live_path,
			  folder.path);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "File too large"));
	free(out.text);
	out = run_program(true, 6000, "%s --device %s --history --record %s/other", program,
			  live_path, folder.base);
	assert_int_equal(out.status, 1);
	free(out.text);
}

static void test_bad_input(void **state)
{
	static const char *const inputs[] = { "/dev/null", "/nonexistent", "/usr", "/dev" };

	(void)state;
	for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++) {
		struct output out = run_program(true, 0, "%s -i %s --tree", program, inputs[i]);

		assert_int_equal(out.status, 1);
		assert_int_equal(strncmp(out.text, "proclife-read: ", 15), 0);
		assert_non_null(strstr(out.text, inputs[i]));
		assert_int_equal(count_text(out.text, "\n"), 1);
		free(out.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIVE(test_history),
		LIVE(test_history_overwritten),
		LIVE(test_live),
		LIVE(test_range),
		LIVE(test_command),
		LIVE(test_left),
		LIVE(test_no_command),
		LIVE(test_record_alone),
		LIVE(test_killed),
		LIVE(test_interrupted),
		LIVE(test_disk_full),
		LIVE(test_bad_input),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
