// SPDX-License-Identifier: GPL-2.0-only
/* --metrics: the file's content, to the last digit, and where it is written. */
#include "marks.h"
#include "metrics_file.h"
#include "story.h"

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

static char *written(const char *options)
{
	struct output out = run_program(true, 0, "%s -i %s --metrics %s %s", program, folder.path, metrics_path, options);

	if (strstr(out.text, "--metrics") || out.status)
		fail_msg("%s: status %d: %s", options, out.status, out.text);
	free(out.text);
	return metrics_read();
}

static void expect(const char *text, const char *const *lines)
{
	assert_non_null(text);
	for (; *lines; lines++)
		if (!strstr(text, *lines))
			fail_msg("there is no '%s' in:\n%s", *lines, text);
}

#define EXPECT(text, ...) expect(text, (const char *const[]){ __VA_ARGS__, NULL })

/* A life of @ns that ends with this code. */
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

	metrics_set_path();
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
	       /* A zombie from before: at least as long as the trace. */
	       "proclife_oldest_zombie_seconds 24002.500045");
	free(text);
	text = written("--pid 107");
	EXPECT(text, "proclife_forks_total 1\n", "proclife_processes 0\n", "proclife_zombies 1\n",
	       "proclife_oldest_zombie_seconds 0.000000005\n");
	free(text);
	/* The same with another view and without. */
	text = written("--latency --interval 1m");
	EXPECT(text, "proclife_forks_total 9\n", "proclife_zombies 2\n");
	free(text);
	text = written("--events=exit");
	EXPECT(text, "proclife_forks_total 9\n", "proclife_execs_total 5\n", "proclife_zombies 2\n");
	free(text);
	/* The filter applies at the time of the record: a fork still has its parent's name. */
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
	/* A bound belongs to its bucket; larger values are only in the last one. */
	EXPECT(text, "# TYPE proclife_life_seconds histogram\nproclife_life_seconds_bucket{le=\"1e-05\"} 1\n",
	       "proclife_life_seconds_bucket{le=\"2.5e-05\"} 3\nproclife_life_seconds_bucket{le=\"5e-05\"} 3\n",
	       "proclife_life_seconds_bucket{le=\"1\"} 3\nproclife_life_seconds_bucket{le=\"2.5\"} 4\n",
	       "proclife_life_seconds_bucket{le=\"10000\"} 4\nproclife_life_seconds_bucket{le=\"+Inf\"} 5\n",
	       "proclife_life_seconds_sum 24002.500045001\nproclife_life_seconds_count 5\n",
	       "proclife_held_seconds_bucket{le=\"+Inf\"} 0\nproclife_held_seconds_sum 0.000000000\n",
	       "proclife_held_seconds_count 0\n");
	/* Nine phases, with 29 buckets each. */
	assert_int_equal(count_text(text, " histogram\n"), 9);
	assert_int_equal(count_text(text, "_bucket{le="), 9 * 29);
	free(text);
}

/* A gap on CPU 1, in the middle of a life. */
static void test_lost(void **state)
{
	struct who init = process_of_pid(1, "init"), who;
	struct output out;
	char *text;

	(void)state;
	metrics_set_path();
	story_abandon();
	folder_remove(&folder);
	folder_make(&folder);
	metrics_set_path();
	story_ring = 16;
	story_begin(folder.path);
	story_ring = STORY_RING;
	story_put(task_record(0, &init, &init));
	who = story_fork(&init, 100, "a");
	story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
	story_sync();
	for (uint32_t i = 0; i < 40; i++)
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
	story_exit(&who, &init, 0);
	story_reap(&who, &init);
	story_put(free_record(0, &who));
	story_end();
	out = run_program(false, 0, "%s -i %s --metrics %s", program, folder.path, metrics_path);
	assert_int_equal(out.status, 3);
	free(out.text);
	text = metrics_read();
	EXPECT(text, "proclife_records_lost_total 24\n", "proclife_incomplete_lives_total 1\n",
	       /* Init can have ended in the gap. */
	       "proclife_processes 0\n", "proclife_unknown 1\n",
	       "proclife_exits_total{status=\"ok\"} 1\n");
	free(text);
}

/* It exited before we began, so this exit is neither counted nor unknown. */
static void test_found(void **state)
{
	struct who init = process_of_pid(1, "init"), old = process_of_pid(60, "old");
	struct proclife_record record = task_record(0, &old, &init);
	char *text;

	(void)state;
	metrics_set_path();
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	record.state.exit_code = 9;
	story_put(task_record(0, &init, &init));
	story_put(record);
	story_reap(&old, &init);
	story_put(free_record(0, &old));
	story_end();
	text = written("");
	EXPECT(text, "status=\"ok\"} 0\n", "status=\"failed\"} 0\n", "status=\"signal\"} 0\n",
	       "status=\"unknown\"} 0\n", "proclife_zombies 0\n", "proclife_processes 1\n");
	free(text);
}

static int setup_with(void **state, uint64_t features)
{
	int ret;

	story_features = features;
	ret = story_setup(state);
	story_features = WITHOUT_EXITING;
	return ret;
}

static int setup_without_notify(void **state)
{
	return setup_with(state, WITHOUT_EXITING & ~PROCLIFE_HAS(PROCLIFE_NOTIFY));
}

/* If NOTIFY is not recorded, an exited process is a zombie. */
static void test_without_notify(void **state)
{
	struct who init = process_of_pid(1, "init"), who;
	char *text;

	(void)state;
	metrics_set_path();
	story_put(task_record(0, &init, &init));
	who = story_fork(&init, 100, "a");
	story_put(exit_record(0, &who, 0, 0));
	story_end();
	text = written("");
	EXPECT(text, "proclife_processes 1\n", "proclife_dying 0\n", "proclife_zombies 1\n",
	       "proclife_unknown 0\n");
	free(text);
}

static void put_mm(const struct who *who, uint32_t what, const struct who *owner)
{
	struct proclife_record r = mm_record(0, who, what, owner);

	r.mm.users = what == PROCLIFE_MM_LEFT ? 2 : r.mm.users;
	story_put(r);
}

static struct who begin_exit(uint32_t pid, const char *comm, const struct who *parent)
{
	struct who who = story_fork(parent, pid, comm);
	struct proclife_record record = exiting_record(0, &who, parent, NULL, 0);

	record.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	story_put(record);
	return who;
}

/* cat tears down the memory of held, when its process is gone; own's comes before; late does not end. */
static void test_memory(void **state)
{
	struct who init = process_of_pid(1, "init"), cat = process_of_pid(99, "cat"), held, own;
	char *text;

	(void)state;
	metrics_set_path();
	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &cat, &init));
	held = begin_exit(100, "held", &init);
	put_mm(&held, PROCLIFE_MM_LEFT, &held);
	story_die(&held, &init, 0, MS, 100);
	story_bury(&held, &init);
	put_mm(&cat, PROCLIFE_MM_TEARDOWN, &held);
	put_mm(&cat, PROCLIFE_MM_GONE, &held);
	own = begin_exit(101, "own", &init);
	put_mm(&own, PROCLIFE_MM_TEARDOWN, &own);
	put_mm(&own, PROCLIFE_MM_GONE, &own);
	story_die(&own, &init, 0, MS, 100);
	story_bury(&own, &init);
	begin_exit(102, "late", &init);
	/* Held until then, and torn down while its process is freed: each phase counts once. */
	held = begin_exit(103, "held", &init);
	put_mm(&held, PROCLIFE_MM_LEFT, &held);
	story_die(&held, &init, 0, MS, 100);
	put_mm(&cat, PROCLIFE_MM_TEARDOWN, &held);
	story_bury(&held, &init);
	put_mm(&cat, PROCLIFE_MM_GONE, &held);
	story_end();
	text = written("");
	EXPECT(text, "proclife_held_seconds_count 2\n", "proclife_unmap_seconds_count 3\n",
	       "proclife_dying 1\n", "proclife_processes 2\n", "proclife_zombies 0\n");
	free(text);
	text = written("--comm own");
	EXPECT(text, "proclife_held_seconds_count 0\n", "proclife_unmap_seconds_count 1\n");
	free(text);
}

/* Nothing that a process can choose is in it: no name, no path, no foreign byte. */
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

static void test_file(void **state)
{
	struct stat st;
	mode_t mask;
	char beside[2 * PATH_MAX], *text;

	(void)state;
	metrics_set_path();
	/* A killed run's file with our pid, and a link in its place, do no harm. */
	snprintf(beside, sizeof(beside), "%s.%d", metrics_path, (int)getpid());
	assert_int_equal(symlink("/nowhere/else", beside), 0);
	mask = umask(022);
	assert_int_equal(replace_file(metrics_path, "one\n", 4), 0);
	assert_int_equal(stat(metrics_path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	umask(027);
	assert_int_equal(replace_file(metrics_path, "two\n", 4), 0);
	assert_int_equal(stat(metrics_path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	umask(mask);
	text = metrics_read();
	assert_string_equal(text, "two\n");
	free(text);
	assert_int_equal(metrics_files(), 1);
	/* A file that cannot be replaced stays, and nothing is left beside it. */
	assert_int_equal(unlink(metrics_path), 0);
	assert_int_equal(mkdir(metrics_path, 0777), 0);
	assert_int_equal(replace_file(metrics_path, "three\n", 6), -EISDIR);
	assert_int_equal(metrics_files(), 1);
	assert_int_equal(rmdir(metrics_path), 0);
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
	out = run_program(true, 1000, "%s -i %s --metrics %s", program, folder.path, metrics_path);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "cannot write there: File too large"));
	free(out.text);
	assert_int_equal(metrics_files(), 0);
	out = run_program(true, 0, "%s --metrics %s --history", program, metrics_path);
	assert_int_equal(out.status, 129);
	assert_non_null(strstr(out.text, "would be counted again"));
	free(out.text);
	assert_int_equal(metrics_files(), 0);
}

/* Anything but a regular file stays. */
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

		assert_int_equal(i == 0 ? symlink(target, metrics_path) : i == 1 ? mkdir(metrics_path, 0700) : mkfifo(metrics_path, 0600), 0);
		assert_int_equal(lstat(metrics_path, &st), 0);
		mode = st.st_mode;
		out = run_program(true, 0, "%s -i %s --metrics %s", program, folder.path, metrics_path);
		assert_int_equal(out.status, 1);
		snprintf(wanted, sizeof(wanted), ": a %s has this name, and would be replaced; name another file\n",
			 names[i]);
		if (!strstr(out.text, wanted))
			fail_msg("%s", out.text);
		free(out.text);
		assert_int_equal(lstat(metrics_path, &st), 0);
		assert_int_equal(st.st_mode, mode);
		assert_int_equal(access(target, F_OK), -1);
		assert_int_equal(remove(metrics_path), 0);
	}
	/* At every later start, the file exists already. */
	free(written(""));
	free(written(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_counters), STORY(test_histograms), STORY(test_hostile),
		STORY(test_lost), STORY(test_found),
		cmocka_unit_test_setup_teardown(test_without_notify, setup_without_notify, story_teardown),
		cmocka_unit_test_setup_teardown(test_memory, story_setup_exiting, story_teardown),
		STORY(test_file), STORY(test_errors), STORY(test_place),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
