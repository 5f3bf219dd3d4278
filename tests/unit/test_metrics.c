// SPDX-License-Identifier: GPL-2.0-only
/* --metrics: what the file has, to the last digit, and when it is written. */
#include "live_device.h"
#include "marks.h"
#include "story.h"

#include <dirent.h>
#include <output/replace.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIES 5000 /* a millisecond each */

static char path[PATH_MAX];

static void set_path(void)
{
	snprintf(path, sizeof(path), "%.*s/m.prom", PATH_MAX / 2, folder.base);
}

/* NULL: it is not there. */
static char *read_file(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = fopen(path, "r");

	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0)
		text = strdup("");
	fclose(file);
	return text;
}

/* The value of this series; or -1. */
static double value(const char *text, const char *series)
{
	size_t length = strlen(series);

	for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		if (!strncmp(text, series, length) && text[length] == ' ')
			return atof(text + length + 1);
	return -1;
}

static char *written(const char *options)
{
	struct output out = run_program(true, 0, "%s -i %s --metrics %s %s", program, folder.path, path, options);

	if (strstr(out.text, "--metrics") || out.status)
		fail_msg("%s: status %d: %s", options, out.status, out.text);
	free(out.text);
	return read_file();
}

static void expect(const char *text, const char *const *lines)
{
	assert_non_null(text);
	for (; *lines; lines++)
		if (!strstr(text, *lines))
			fail_msg("there is no '%s' in:\n%s", *lines, text);
}

#define EXPECT(text, ...) expect(text, (const char *const[]){ __VA_ARGS__, NULL })

/* A life of so many ns, that ends with this code. */
static void tell_life(uint32_t pid, const char *comm, const struct who *parent, uint64_t ns, int32_t code)
{
	struct who who = process_of_pid(pid, comm);
	uint64_t begin = machine->now;

	story_put(fork_record(0, &who, parent));
	story_put(exec_record(0, &who, pid, comm));
	machine->now = begin + ns;
	story_exit(&who, parent, code);
	story_reap(&who, parent);
	story_put(free_record(0, &who));
}

#define HOSTILE "\"} 1\n# TYPE x\n\\"

static void tell(void)
{
	struct who init = process_of_pid(1, "init"), sh = process_of_pid(50, "sh"), who;
	struct proclife_record record;

	set_path();
	who = process_of_pid(60, "old");
	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &sh, &init));
	record = task_record(0, &who, &sh);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	record.state.exit_code = 9;
	story_put(record);
	tell_life(100, "a", &sh, 10000, 0);
	tell_life(101, "a", &sh, 10001, 0);
	tell_life(102, HOSTILE, &sh, 2500 * MS, 3 << 8);
	tell_life(103, "a", &sh, 24000000 * MS, SIGKILL);
	tell_life(104, "a", &sh, 25000, SIGSEGV | 0x80);
	/* Its EXIT is not there. */
	who = story_fork(&sh, 105, "lost");
	story_reap(&who, &sh);
	story_put(free_record(0, &who));
	/* It is being torn down, a zombie, and alive. */
	who = story_fork(&sh, 106, "dying");
	story_put(exit_record(0, &who, 0, 0));
	who = story_fork(&sh, 107, "zombie");
	story_exit(&who, &sh, 1 << 8);
	story_fork(&sh, 108, "alive");
	record = suppressed_record(PROCLIFE_WAIT, machine->now, 0);
	story_put(record);
	story_put(suppressed_record(PROCLIFE_WAIT, machine->now, 77));
	story_end();
	metadata_set(folder.path, "began", "1000000000");
	metadata_set(folder.path, "to_realtime", "\"0x17979cfe3d85cd15\"");
}

static void test_counters(void **state)
{
	char *text;

	(void)state;
	tell();
	text = written("");
	EXPECT(text, "# TYPE proclife_start_time_seconds gauge\nproclife_start_time_seconds 1700000001.123456789\n",
	       "# TYPE proclife_forks_total counter\nproclife_forks_total 9\n", "proclife_execs_total 5\n",
	       "proclife_exits_total{status=\"ok\"} 3\nproclife_exits_total{status=\"failed\"} 2\n",
	       "proclife_exits_total{status=\"signal\"} 1\nproclife_exits_total{status=\"core\"} 1\n",
	       "proclife_exits_total{status=\"unknown\"} 1\n",
	       "proclife_records_lost_total 0\n", "proclife_records_suppressed_total{type=\"wait\"} 77\n",
	       "proclife_records_suppressed_total{type=\"mm\"} 0\n",
	       "proclife_processes 3\n", "proclife_dying 1\n", "proclife_zombies 2\n",
	       /* From before: as long as the trace. */
	       "proclife_oldest_zombie_seconds 24002.500045");
	free(text);
	text = written("--pid 107");
	EXPECT(text, "proclife_forks_total 1\n", "proclife_processes 0\n", "proclife_zombies 1\n",
	       "proclife_oldest_zombie_seconds 0.000000005\n");
	free(text);
	/* With another view and without, the same. */
	text = written("--latency --interval 1m");
	EXPECT(text, "proclife_forks_total 9\n", "proclife_zombies 2\n");
	free(text);
	text = written("--events=exit");
	EXPECT(text, "proclife_forks_total 9\n", "proclife_execs_total 5\n", "proclife_zombies 2\n");
	free(text);
	/* The filter as it is at the time: a fork has the name of its parent's record. */
	text = written("--comm a");
	EXPECT(text, "proclife_forks_total 4\n", "proclife_execs_total 4\n",
	       "proclife_exits_total{status=\"failed\"} 0\n", "proclife_zombies 0\n");
	free(text);
	text = written("--signal KILL");
	EXPECT(text, "proclife_exits_total{status=\"ok\"} 0\nproclife_exits_total{status=\"failed\"} 0\n",
	       "proclife_exits_total{status=\"signal\"} 1\n", "proclife_life_seconds_count 1\n");
	free(text);
}

static void test_histograms(void **state)
{
	char *text;

	(void)state;
	tell();
	text = written("");
	/* A bound belongs to its bucket; what is above all of them is in the last one alone. */
	EXPECT(text, "# TYPE proclife_life_seconds histogram\nproclife_life_seconds_bucket{le=\"1e-05\"} 1\n",
	       "proclife_life_seconds_bucket{le=\"2.5e-05\"} 3\nproclife_life_seconds_bucket{le=\"5e-05\"} 3\n",
	       "proclife_life_seconds_bucket{le=\"1\"} 3\nproclife_life_seconds_bucket{le=\"2.5\"} 4\n",
	       "proclife_life_seconds_bucket{le=\"10000\"} 4\nproclife_life_seconds_bucket{le=\"+Inf\"} 5\n",
	       "proclife_life_seconds_sum 24002.500045001\nproclife_life_seconds_count 5\n",
	       "proclife_held_seconds_bucket{le=\"+Inf\"} 0\nproclife_held_seconds_sum 0.000000000\n",
	       "proclife_held_seconds_count 0\n");
	/* Eight phases, with 29 buckets each. */
	assert_int_equal(count_text(text, " histogram\n"), 8);
	assert_int_equal(count_text(text, "_bucket{le="), 8 * 29);
	free(text);
}

/* Nothing that anybody has chosen is in it: not a name, not a path, not a byte that is none of ours. */
static void test_hostile(void **state)
{
	char *text, *line;

	(void)state;
	tell();
	text = written("");
	assert_null(strstr(text, "} 1\n# TYPE x"));
	assert_null(strchr(text, '\\'));
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		assert_true(!strncmp(line, "# HELP proclife_", 16) || !strncmp(line, "# TYPE proclife_", 16) ||
			    !strncmp(line, "proclife_", 9));
		for (const char *c = line; *c; c++)
			assert_in_range(*c, ' ', '~');
	}
	free(text);
}

static unsigned int count_files(void)
{
	DIR *dir = opendir(folder.base);
	unsigned int count = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		count += !strncmp(entry->d_name, "m.prom", 6);
	closedir(dir);
	return count;
}

static void test_file(void **state)
{
	struct stat st;
	mode_t mask;
	char beside[2 * PATH_MAX], *text;

	(void)state;
	set_path();
	/* What a killed one with our pid has left, and a link in its place, are in nobody's way. */
	snprintf(beside, sizeof(beside), "%s.%d", path, (int)getpid());
	assert_int_equal(symlink("/nowhere/else", beside), 0);
	mask = umask(022);
	assert_int_equal(replace_file(path, "one\n", 4), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	umask(027);
	assert_int_equal(replace_file(path, "two\n", 4), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	umask(mask);
	text = read_file();
	assert_string_equal(text, "two\n");
	free(text);
	assert_int_equal(count_files(), 1);
	/* What cannot be replaced stays, and nothing is left beside it. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_equal(replace_file(path, "three\n", 6), -EISDIR);
	assert_int_equal(count_files(), 1);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(replace_file("/nowhere/else/m.prom", "", 0), -ENOENT);
}

static void test_errors(void **state)
{
	struct output out;

	(void)state;
	tell();
	out = run_program(true, 0, "%s -i %s --metrics /nowhere/m.prom", program, folder.path);
	assert_int_equal(out.status, 1);
	assert_string_equal(out.text, "proclife-read: --metrics /nowhere/m.prom: cannot write there: No such file or "
			    "directory; name a file in a folder that exists and can be written\n");
	free(out.text);
	/* A disk that is full. */
	out = run_program(true, 1000, "%s -i %s --metrics %s", program, folder.path, path);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "cannot write there: File too large"));
	free(out.text);
	assert_int_equal(count_files(), 0);
	out = run_program(true, 0, "%s --metrics %s --history", program, path);
	assert_int_equal(out.status, 129);
	assert_non_null(strstr(out.text, "would be counted again"));
	free(out.text);
	assert_int_equal(count_files(), 0);
}

/* What is no regular file stays. */
static void test_place(void **state)
{
	static const char *const names[] = { "symbolic link", "directory", "fifo" };
	char target[PATH_MAX + 10], wanted[200];
	struct stat st;

	(void)state;
	tell();
	snprintf(target, sizeof(target), "%s/target", folder.base);
	for (size_t i = 0; i < 3; i++) {
		struct output out;
		mode_t mode;

		assert_int_equal(i == 0 ? symlink(target, path) : i == 1 ? mkdir(path, 0700) : mkfifo(path, 0600), 0);
		assert_int_equal(lstat(path, &st), 0);
		mode = st.st_mode;
		out = run_program(true, 0, "%s -i %s --metrics %s", program, folder.path, path);
		assert_int_equal(out.status, 1);
		snprintf(wanted, sizeof(wanted), ": a %s has this name, and would be replaced; name another file\n",
			 names[i]);
		if (!strstr(out.text, wanted))
			fail_msg("%s", out.text);
		free(out.text);
		assert_int_equal(lstat(path, &st), 0);
		assert_int_equal(st.st_mode, mode);
		assert_int_equal(access(target, F_OK), -1);
		assert_int_equal(remove(path), 0);
	}
	/* One that is there already is what every other start finds. */
	free(written(""));
	free(written(""));
}

static char *wait_for(const char *series, double wanted)
{
	char *text = NULL;

	for (int i = 0; i < TRIES; i++) {
		free(text);
		text = read_file();
		if (text && value(text, series) == wanted)
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

	set_path();
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	snprintf(line, sizeof(line), "%s --device %s --metrics %s %s", program, live_path, path, options);
	pid = start_program(line, fds[1], fds[1], 0);
	close(fds[1]);
	*err = fds[0];
	return pid;
}

/* It keeps the file up to date, says nothing, and writes the last state when it is told to end. */
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
	assert_true(value(text, "proclife_exits_total{status=\"failed\"}") == 1);
	assert_true(value(text, "proclife_processes") == 1); /* the daemon; of nobody else there was a record */
	free(text);
	live_story(2);
	kill(pid, SIGTERM);
	collect_output(pid, err, &out);
	close(err);
	assert_string_equal(out.text, "");
	assert_int_equal(out.status, 0);
	free(out.text);
	text = read_file();
	assert_true(value(text, "proclife_forks_total") == 6);
	free(text);
	assert_int_equal(count_files(), 1);
}

/* What the interval does not reach is written at the end, too. */
static void test_last(void **state)
{
	struct output out = { NULL, 0, 0 };
	char *text;
	pid_t pid;
	int err;

	(void)state;
	live_open(1 << 14);
	pid = start(&err, "");
	free(wait_for("proclife_forks_total", 0));
	live_story(1);
	kill(pid, SIGINT);
	collect_output(pid, err, &out);
	close(err);
	free(out.text);
	text = read_file();
	assert_true(value(text, "proclife_forks_total") == 3);
	free(text);
}

/* The folder is away for a while: one message, and another one when it is there again. */
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
		 "each interval\nproclife-read: --metrics %s: it is up to date again\n", path, path);
	assert_string_equal(out.text, wanted);
	assert_int_equal(out.status, 0);
	free(out.text);
}

/* Another one writes the same file: told once. Who removes it, or reads it, is none. */
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
	assert_int_equal(unlink(path), 0);
	free(wait_for("proclife_forks_total", 0));
	live_story(1);
	free(wait_for("proclife_forks_total", 3));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(replace_file(path, "other 1\n", 8), 0);
		free(wait_for("proclife_forks_total", 3));
	}
	kill(pid, SIGTERM);
	collect_output(pid, err, &out);
	close(err);
	snprintf(wanted, sizeof(wanted), "proclife-read: --metrics %s: something else writes it, too, so its counters "
		 "jump; give each a file of its own\n", path);
	assert_string_equal(out.text, wanted);
	assert_int_equal(out.status, 0);
	free(out.text);
}

/* Whoever reads it meanwhile finds all of it. */
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
		text = read_file();
		assert_non_null(text);
		if (strncmp(text, "# HELP proclife_build_info ", 27) ||
		    value(text, "proclife_exit_free_seconds_count") < 0 || text[strlen(text) - 1] != '\n')
			fail_msg("%s", text);
		free(text);
	}
	kill(pid, SIGTERM);
	collect_output(pid, err, &out);
	close(err);
	/* It is not read by node_exporter alone: what is lost is told there, too. */
	text = read_file();
	assert_true((value(text, "proclife_records_lost_total") > 0) == (out.status == 3));
	free(text);
	free(out.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_counters), STORY(test_histograms), STORY(test_hostile),
		STORY(test_file), STORY(test_errors), STORY(test_place),
		LIVE(test_live), LIVE(test_last), LIVE(test_failing), LIVE(test_shared), LIVE(test_atomic),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
