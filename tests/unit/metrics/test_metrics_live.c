// SPDX-License-Identifier: GPL-2.0-only
/* --metrics of a live device: when the file is written, and what may happen to it meanwhile. */
#include "live_device.h"
#include "metrics_file.h"
#include "program.h"
#include "recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <output/replace.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRIES 5000 /* a millisecond each */

static char *wait_for(const char *series, double wanted)
{
	char *text = NULL;

	for (int i = 0; i < TRIES; i++) {
		free(text);
		text = metrics_read();
		if (text && metrics_value(text, series) == wanted)
			return text;
		usleep(1000);
	}
	fail_msg("%s is not %g in:\n%s", series, wanted, text ? text : "(no file)");
	return NULL;
}

static pid_t start(int *err, const char *options)
{
	char line[3 * PATH_MAX];
	int fds[2];
	pid_t pid;

	metrics_set_path();
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	snprintf(line, sizeof(line), "%s --device %s --metrics %s %s", program, live_path, metrics_path, options);
	pid = start_program(line, fds[1], fds[1], 0);
	close(fds[1]);
	*err = fds[0];
	return pid;
}

/* Returns its status. */
static int end(pid_t pid, int err, int signo)
{
	struct output out = { NULL, 0, 0 };

	kill(pid, signo);
	collect_output(pid, err, &out);
	close(err);
	free(out.text);
	return out.status;
}

/* It keeps the file up to date, prints nothing, and writes the last state on SIGTERM. */
static void test_live(void **state)
{
	struct output out = { NULL, 0, 0 };
	pid_t pid;
	char *text;
	int err;

	(void)state;
	live_open(1 << 14);
	pid = start(&err, "--interval 20ms");
	free(wait_for("proclife_forks_total", 0));
	live_story(1);
	text = wait_for("proclife_forks_total", 3);
	assert_true(metrics_value(text, "proclife_exits_total{status=\"failed\"}") == 1);
	assert_true(metrics_value(text, "proclife_processes") == 1); /* the daemon; no other process has a record */
	free(text);
	live_story(2);
	kill(pid, SIGTERM);
	collect_output(pid, err, &out);
	close(err);
	assert_string_equal(out.text, "");
	assert_int_equal(out.status, 0);
	free(out.text);
	text = metrics_read();
	assert_true(metrics_value(text, "proclife_forks_total") == 6);
	free(text);
	assert_int_equal(metrics_files(), 1);
}

/* Only misses since we began count, not since the module was loaded; the device had one before. */
static void test_missed(void **state)
{
	pid_t pid;
	int err;

	(void)state;
	live_open(1 << 14);
	pid = start(&err, "--interval 20ms");
	free(wait_for("proclife_marks_missed_total", 0));
	live_missed(2, 4);
	free(wait_for("proclife_marks_missed_total", 6));
	end(pid, err, SIGTERM);
}

/* The last, incomplete interval is written at the end, too. */
static void test_last(void **state)
{
	char *text;
	pid_t pid;
	int err;

	(void)state;
	live_open(1 << 14);
	pid = start(&err, "");
	free(wait_for("proclife_forks_total", 0));
	live_story(1);
	end(pid, err, SIGINT);
	text = metrics_read();
	assert_true(metrics_value(text, "proclife_forks_total") == 3);
	free(text);
}

/* Then the status is a shell's for the signal: the command's is not known. */
static void test_command_runs(void **state)
{
	pid_t pid;
	int err;

	(void)state;
	live_open(1 << 14);
	pid = start(&err, "--interval 20ms -- sleep 1");
	free(wait_for("proclife_forks_total", 0));
	assert_int_equal(end(pid, err, SIGTERM), 128 + SIGTERM);
}

/* The folder is missing for a while: one message, and another one when it is back. */
static void test_failing(void **state)
{
	char away[PATH_MAX + 10], wanted[3 * PATH_MAX];
	struct output out = { NULL, 0, 0 };
	pid_t pid;
	int err;

	(void)state;
	live_open(1 << 14);
	pid = start(&err, "--interval 10ms");
	free(wait_for("proclife_forks_total", 0));
	snprintf(away, sizeof(away), "%s.away", folder.base);
	assert_int_equal(rename(folder.base, away), 0);
	live_story(1);
	usleep(300000);
	assert_int_equal(rename(away, folder.base), 0);
	free(wait_for("proclife_forks_total", 3));
	kill(pid, SIGTERM);
	collect_output(pid, err, &out);
	close(err);
	snprintf(wanted, sizeof(wanted),
		 "proclife-read: --metrics %s: No such file or directory; it stays as it was, and is tried again at "
		 "each interval\nproclife-read: --metrics %s: it is up to date again\n", metrics_path, metrics_path);
	assert_string_equal(out.text, wanted);
	assert_int_equal(out.status, 0);
	free(out.text);
}

/* Another program writes the same file: reported once. Removing or reading it is not reported. */
static void test_shared(void **state)
{
	struct output out = { NULL, 0, 0 };
	char wanted[2 * PATH_MAX];
	pid_t pid;
	int err;

	(void)state;
	live_open(1 << 14);
	pid = start(&err, "--interval 20ms");
	free(wait_for("proclife_forks_total", 0));
	assert_int_equal(unlink(metrics_path), 0);
	free(wait_for("proclife_forks_total", 0));
	live_story(1);
	free(wait_for("proclife_forks_total", 3));
	for (int i = 0; i < 2; i++) {
		usleep(20000); /* the file's time is not that exact */
		assert_int_equal(replace_file(metrics_path, "other 1\n", 8), 0);
		free(wait_for("proclife_forks_total", 3));
	}
	kill(pid, SIGTERM);
	collect_output(pid, err, &out);
	close(err);
	snprintf(wanted, sizeof(wanted), "proclife-read: --metrics %s: something else writes it, too, so its counters "
		 "jump; give each a file of its own\n", metrics_path);
	assert_string_equal(out.text, wanted);
	assert_int_equal(out.status, 0);
	free(out.text);
}

/* A reader always finds the whole file. */
static void test_atomic(void **state)
{
	struct output out = { NULL, 0, 0 };
	char *text;
	pid_t pid;
	int err;

	(void)state;
	live_open(1 << 10);
	live_bursts();
	pid = start(&err, "--interval 1ms --latency --json");
	free(wait_for("proclife_build_info{version=\"0.1.0\"}", 1));
	for (int i = 0; i < 3000; i++) {
		text = metrics_read();
		assert_non_null(text);
		if (strncmp(text, "# HELP proclife_build_info ", 27) ||
		    metrics_value(text, "proclife_exit_free_seconds_count") < 0 || text[strlen(text) - 1] != '\n')
			fail_msg("%s", text);
		free(text);
	}
	kill(pid, SIGTERM);
	collect_output(pid, err, &out);
	close(err);
	/* The file reports losses, as the exit status does. */
	text = metrics_read();
	assert_true((metrics_value(text, "proclife_records_lost_total") > 0) == (out.status == 3));
	free(text);
	free(out.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIVE(test_live), LIVE(test_missed), LIVE(test_last), LIVE(test_command_runs), LIVE(test_failing),
		LIVE(test_shared), LIVE(test_atomic),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
