// SPDX-License-Identifier: GPL-2.0-only
// WRAP: ioctl
/*
 * Every line that --json prints matches user/schema, in every view; all types and members of
 * the schema occur, and it refuses damaged lines. schema.py does the checking.
 */
#include "marks.h"
#include "given_ioctl.h"
#include "program.h"
#include "recorded.h"
#include "records.h"
#include "sleeper.h"

#include <errno.h>
#include <recording/ctf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS 1000000
#define RING 64

static struct fake_device *device;
static struct proclife_source *source;
static struct proclife_recorder *recorder;
static struct log passed;
static char files[4 * PATH_MAX]; /* what was printed, for schema.py */
static unsigned int file_count;
static uint64_t reap_delay; /* of the processes with odd names, in ns */

static int begin(void **state)
{
	(void)state;
	folder_make(&folder);
	device = fake_device_new(2, RING);
	fake_device_add_rings(device);
	device->header->features = WITHOUT_EXITING & ~PROCLIFE_HAS(PROCLIFE_HANG);
	device->header->reap_source = PROCLIFE_REAP_CGROUP_RELEASE;
	device->header->to_realtime = 1700000000000000000;
	strcpy(device->header->release, "6.1\xff"); /* texts of a recording can hold anything */
	strcpy(device->header->version, "0\xff");
	device->header->args_bytes = 512;
	device->header->hz = 250;
	device->now = 1000 * MS;
	files[0] = '\0';
	file_count = 0;
	reap_delay = 5 * MS;
	return 0;
}

static int end(void **state)
{
	(void)state;
	proclife_recorder_free(recorder);
	recorder = NULL;
	proclife_source_free(source);
	source = NULL;
	log_free(&passed);
	fake_device_free(device);
	folder_remove(&folder);
	return 0;
}

static void put_on(uint32_t cpu, struct proclife_record record)
{
	struct proclife_record *slot = fake_device_begin(device, cpu);

	record.ts = device->now;
	device->now += 1000;
	record.cpu = cpu;
	*slot = record;
	proclife_ring_commit(&device->rings[cpu], record.type);
}

/* Puts a record; nothing is lost but what should be. */
static void put(struct proclife_record record)
{
	put_on(0, record);
	if (source)
		assert_int_equal(log_source(&passed, source, UINT64_MAX), 0);
}

static void put_args(const struct who *who, const char *args, uint32_t total, uint32_t recorded)
{
	for (uint32_t offset = 0; offset < recorded; offset += PROCLIFE_ARGS_LEN) {
		struct proclife_record record = record_of(0, PROCLIFE_ARGS, who);
		uint32_t len = recorded - offset;

		if (len > PROCLIFE_ARGS_LEN)
			len = PROCLIFE_ARGS_LEN;
		record.args.total = total;
		record.args.offset = offset;
		record.args.len = len;
		memcpy(record.args.text, args + offset, len);
		if (recorded < total && offset + len == recorded)
			record.flags |= PROCLIFE_F_TRUNCATED;
		put(record);
	}
}

static void put_tasks(const struct who *init)
{
	struct who older = process_of_pid(7, "zombie");
	struct proclife_record record = task_record(0, init, init);

	put(record);
	record = task_record(0, &older, init);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	record.state.exit_code = 9;
	put(record);
	older = process_of_pid(8, "exiting");
	older.flags = PROCLIFE_F_KTHREAD;
	record = task_record(0, &older, init);
	record.flags |= PROCLIFE_F_EXITING;
	put(record);
}

/* Enough for --diff to compare, reaped slowly enough to be listed. */
static void put_many(const struct who *parent)
{
	struct who who;

	for (uint32_t i = 0; i < 25; i++) {
		who = process_of_pid(400 + i, parent->comm);
		put(fork_record(0, &who, parent));
		put(exit_record(0, &who, 0, 0));
		put(notify_record(0, &who, parent));
		device->now += reap_delay;
		put(record_of(0, PROCLIFE_WAIT, parent));
		put(reap_record(0, &who, parent));
		put(free_record(0, &who));
	}
}

/* Only in the second recording, with a name and a cgroup of its own. */
static void put_new(const struct who *parent)
{
	struct who who = process_of_pid(500, parent->comm), odd_tracer = process_of_pid(501, "gdb\xff");
	struct proclife_record record;

	put(fork_record(0, &who, parent));
	record = rename_record(0, &who, "new\xff");
	record.rename.cgroup = 78;
	put(record);
	who.comm = "new\xff";
	put(exit_record(0, &who, 0, 0));
	put(traced_record(0, &who, &odd_tracer, parent));
	put(notify_record(0, &who, parent));
	record = reap_record(0, &who, parent);
	record.reap.cgroup = 78;
	put(record);
	put(free_record(0, &who));
}

/* A zombie that was killed, whose parent has an odd name, too. */
static void put_odd_zombie(const struct who *parent)
{
	struct who who = process_of_pid(312, parent->comm);
	struct proclife_record record;

	put(fork_record(0, &who, parent));
	put(signal_record(0, &who, SIGTERM, parent));
	record = exit_record(0, &who, SIGTERM, 0);
	record.exit.parent_tgid = parent->tgid;
	put(record);
	put(notify_record(0, &who, parent));
}

static void put_program(const struct who *who)
{
	for (uint32_t what = PROCLIFE_PATH_EXE; what <= PROCLIFE_PATH_ENV; what++) {
		struct proclife_record record = { .type = PROCLIFE_NONE };

		path_record(&record, who, what, "A=\xff\xfe", what == PROCLIFE_PATH_ENV ? 5 : 4);
		put(record);
	}
}

/* Names that are no UTF-8, in every field with a name. */
static void put_odd_names(const struct who *init)
{
	static const char args[130] = "odd\0\xff\xfe, which goes on for so long that it takes a second "
				      "piece of the vector, and then a third one, which is cut";
	struct who odd = process_of_pid(300, "o\xff" "d");
	struct who thread = thread_of(&odd, 301), victim = process_of_pid(310, "victim\xff");
	struct proclife_record record;

	put(fork_record(0, &odd, init));
	put(exec_record(0, &odd, odd.pid,
			"/a/path/that/is/longer/than/what/a/record/has/room/for/\xff/odd"));
	put_args(&odd, args, 500, 128);
	put(clone_record(0, &thread, init, &odd));
	put(rename_record(0, &thread, "n\xff"));
	thread.comm = "n\xff";
	put(record_of(0, PROCLIFE_EXITING, &thread));
	put(exit_record(0, &thread, 0, 1));
	put(reap_record(0, &thread, &thread));
	put(free_record(0, &thread));
	thread = thread_of(&odd, 302);
	thread.flags |= PROCLIFE_F_WORKER;
	put(clone_record(0, &thread, init, &odd));
	put(fork_record(0, &victim, &odd));
	put(signal_record(0, &victim, SIGKILL, &odd));
	put(exit_record(0, &victim, SIGKILL, 0));
	put(notify_record(0, &victim, &odd));
	record = reap_record(0, &victim, &odd);
	record.reap.cgroup = 79; /* it was alone there */
	put(record);
	put(cgroup_record(0, 79, false));
	put(free_record(0, &victim));
	/* By an interrupt: there is no sender. */
	victim = process_of_pid(311, "victim");
	put(fork_record(0, &victim, &odd));
	record = signal_record(0, &victim, SIGALRM, init);
	memset(&record.signal, 0, offsetof(struct proclife_signal, signo));
	put(record);
	put(exec_record(0, &victim, victim.pid, "/odd/\xff"));
	put_program(&victim);
	put(exit_record(0, &victim, SIGALRM, 0));
	put_many(&odd);
	if (reap_delay != 5 * MS)
		put_new(&odd);
	put_odd_zombie(&odd);
}

/* A shell and its children, which end or do not end. */
static void put_shell(const struct who *init)
{
	static const char args[] = "cc\0-c\0" "a \"file\".c\0-DX='\\\n\t\xc3\xa4\x7f'";
	struct who sh = process_of_pid(200, "sh"), cc = process_of_pid(201, "cc"), more;
	struct proclife_record record;

	put(fork_record(0, &sh, init));
	put(exec_record(0, &sh, sh.pid, "/bin/sh"));
	put(fork_record(0, &cc, &sh));
	put(exec_record(0, &cc, cc.pid, "/usr/bin/cc"));
	put_args(&cc, args, sizeof(args), sizeof(args));
	record = record_of(0, PROCLIFE_WAIT, &sh);
	record.wait.wanted = cc.pid;
	record.wait.what = PROCLIFE_WAIT_PID;
	put(record);
	put(record_of(0, PROCLIFE_HANG, &cc));
	put(exit_record(0, &cc, 1 << 8, 0));
	put(notify_record(0, &cc, &sh));
	device->now += 3 * MS;
	record = reap_record(0, &cc, &sh);
	record.flags |= PROCLIFE_F_USER;
	put(record);
	put(free_record(0, &cc));
	put_many(&sh);
	for (uint32_t i = 0; i < 3; i++) {
		more = process_of_pid(210 + i, "job");
		put(fork_record(0, &more, &sh));
		put(failed_exec_record(0, &more, ENOENT, i ? "/bin/\xff" : ""));
		put(exit_record(0, &more, 0, 0));
		if (i)
			put(reap_record(0, &more, &sh));
	}
}

/* More than the ring of CPU 1 holds, before it is read. */
static void put_gap(const struct who *init)
{
	for (uint32_t i = 0; i < RING + 9; i++)
		put_on(1, record_of(0, PROCLIFE_WAIT, init));
}

/* A type that is suppressed, and one that this program does not know. */
static void put_suppressed(void)
{
	for (uint32_t i = 0; i < 4; i++) {
		struct proclife_record record = { .type = PROCLIFE_SUPPRESSED };

		record.suppressed.what = i < 2 ? PROCLIFE_RENAME : 77;
		record.suppressed.ended = i % 2;
		record.suppressed.since = device->now - i % 2;
		record.suppressed.count = i;
		put(record);
	}
}

/* Recording was stopped, and started again. */
static void put_stop(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		struct proclife_record record = { .type = PROCLIFE_SUPPRESSED };

		record.suppressed.what = PROCLIFE_NONE;
		record.suppressed.ended = i;
		record.suppressed.since = device->now - i;
		put(record);
	}
}

/* The marks of a process with an odd name that is killed by another such one. */
static void put_marks(const struct who *init)
{
	struct who odd = process_of_pid(320, "odd\xff"), thread = thread_of(&odd, 321);
	struct proclife_record record;

	put(oom_record(0, &odd, &thread));
	put(oom_record(0, &odd, &odd));
	put(coredump_record(0, &odd, SIGSEGV));
	put(exiting_record(0, &odd, init, &thread, SIGSEGV));
	put(exiting_record(0, &thread, init, NULL, 1 << 8));
	put(mm_record(0, &odd, PROCLIFE_MM_GONE + 1, init));
	put(cgroup_record(0, 77, true));
	put(cgroup_record(0, 78, false));
	put(freed_record(0, &thread, &odd));
	for (uint32_t what = PROCLIFE_MM_LEFT; what <= PROCLIFE_MM_GONE; what++) {
		record = mm_record(0, &odd, what, init);
		record.flags |= PROCLIFE_F_EXECING;
		put(record);
	}
}

static void put_story(void)
{
	struct who init = process_of_pid(1, "init");

	if (source)
		put_tasks(&init);
	put_shell(&init);
	put_odd_names(&init);
	put_marks(&init);
	put_suppressed();
}

static void write_file(const char *recording, const char *name, const char *line)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", recording, name);
	write_file_text(path, line);
}

static void record_story(const char *path)
{
	struct proclife_run_info run = {
		.size = sizeof(run),
		.began = 1, .command_status = -1, .reason = "signal \xff",
	};
	struct who init = process_of_pid(1, "init");

	source = fake_device_open(device);
	snapshot_tasks = 3;
	assert_int_equal(proclife_source_snapshot(source), 0);
	assert_int_equal(proclife_recorder_new(&recorder, source, path, &run), 0);
	put_story();
	put_stop();
	put_gap(&init);
	put_story();
	run.ended = ++device->now;
	run.command_status = 3;
	assert_int_equal(log_source(&passed, source, UINT64_MAX), 0);
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	recorder = NULL;
	proclife_source_free(source);
	source = NULL;
	metadata_set(path, "hostname", "\"odd\\377\"");
	metadata_set(path, "rcu", "\"odd\\377\"");
	write_file(path, ".cgroups", "77 /odd/\xff\n79 /\xff\n");
	write_file(path, ".users", "1000 odd\xff\n");
}

/* Keeps the output as a file for schema.py. */
static void keep(const struct output *output)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%u", folder.base, file_count++);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(output->text, 1, output->size, file), output->size);
	assert_int_equal(fclose(file), 0);
	strcat(strcat(files, " "), path);
}

static void print(const char *from, const char *options, int status)
{
	struct output out = run_program(false, 0, "%s --json %s %s", program, from, options);

	if (out.status != status)
		fail_msg("%s: status %d:\n%s", options, out.status, out.text);
	keep(&out);
	free(out.text);
}

/* Is schema.py's verdict as expected? If not, its output is shown. */
static void check(const char *mode, const char *what, bool good)
{
	struct output out = run_program(true, 0, "python3 %s/tests/unit/support/schema.py %s "
					"%s/user/schema/proclife-read-1.json %s", SOURCE, mode,
					SOURCE, what);

	if (out.status != !good)
		fail_msg("%s: status %d\n%s", mode, out.status, out.text);
	free(out.text);
}

static void test_all_views(void **state)
{
	static const char *const views[] = {
		"--lives", "--lives --sort zombie", "--lives --sort alone --top 3", "--lives --pid 300",
		"--events", "--events --pid 300", "--events --count 5", "--tree",
		"--tree --threads", "--tree --depth 1 --threads", "--tree --top 2",
		"--tree --top 3:life --min-life 1ms", "--tree --pid 200", "--latency",
		"--latency --threads", "--latency --pid 77777", "--tree --latency",
		"--latency --expect life.count>=1",
		"--events --duration 5ms", "--latency --by comm", "--latency --by cgroup", "--latency --by cpu",
		"--latency --by uid --threads", "--latency --by reaper --comm o*", "--parents", "--summary", "--summary --by uid", "--summary --by dir", "--summary --by cgroup",
		"--critical-path", "--critical-path --pid 200", "--critical-path --pid 300",
		"--latency --by comm --interval 10ms", "--parents --summary --interval 3ms",
		"--latency --threads --interval 20ms", "--on o\377d.zombie>=0s --on thread_exit==301",
		"--on failed --on zombie>1ms --on forks>1/s --on lost>0 --calm 1ms",
		"--zombies", "--zombies --top 1", "--tree --comm odd*", "--events --comm c*",
	};
	char from[6 * PATH_MAX], other[2 * PATH_MAX], third[2 * PATH_MAX];
	struct who init = process_of_pid(1, "init"), sleeper = sleeper_begin("odd\xff");
	struct proclife_record past = record_of(0, PROCLIFE_PAST, &init); /* a gap touches it */

	(void)state;
	past.flags = PROCLIFE_F_TRUNCATED;
	record_story(folder.path);
	snprintf(from, sizeof(from), "-i %s", folder.path);
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
		print(from, views[i], strstr(views[i], "duration") || strstr(views[i], "count 5") ?
			      0 : 3);
	print(from, "--expect lost==0 --expect teardown.p99<1s --expect zombies<=1 "
		    "--expect life.count>=1 --pid 77777", 2);
	/* Another recording, which has an odd name, too. */
	reap_delay = MS;
	snprintf(other, sizeof(other), "%s/\xff", folder.base);
	record_story(other);
	snprintf(from, sizeof(from), "--diff %s %s", folder.path, other);
	print(from, "", 2);
	print(from, "--by cgroup", 2);
	print(from, "--factor 100", 3);
	snprintf(from, sizeof(from), "--diff %s %s", other, folder.path);
	print(from, "--threads --by cpu", 2);
	snprintf(third, sizeof(third), "%s/third", folder.base);
	record_story(third);
	snprintf(from, sizeof(from), "--diff %s --against %s %s", folder.path, other, third);
	print(from, "--factor 100 --expect life.count>0", 3);
	print(from, "--by cgroup", 2);
	snprintf(from, sizeof(from), "-i %s -i %s", folder.path, other);
	print(from, "--latency --by comm", 3);
	print(from, "--lives", 3);
	file_flip(other, "snapshot", offsetof(struct proclife_packet, uuid), 0xff);
	file_flip(other, "cpu_1", offsetof(struct proclife_packet, uuid), 0xff);
	print(from, "--latency --by comm", 3);
	snprintf(from, sizeof(from), "-i %s", other);
	print(from, "--info", 3);
	print(from, "--events", 3);
	print(from, "--tree --expect lost>0", 3);
	snprintf(third, sizeof(third), "%s/hole", folder.base);
	record_hole(third);
	snprintf(from, sizeof(from), "-i %s", third);
	print(from, "--events", 3);
	snprintf(from, sizeof(from), "--diff %s %s", folder.path, other);
	print(from, "", 2);
	/* Live: lines that no recording has. */
	snprintf(from, sizeof(from), "--device /proc/%d/fd/%d", (int)getpid(), device->fd);
	put_on(0, record_of(0, 24, &init));
	put_on(0, past);
	put_on(0, record_of(0, PROCLIFE_BIRTH, &init));
	put_on(0, record_of(0, PROCLIFE_FAIL, &init));
	put_on(0, failed_exec_record(0, &init, ENOENT, "/bin/\xff"));
	put_on(0, failed_exec_record(0, &init, EACCES, "/home/a folder/with/quite/some/others/below/it/server"));
	for (uint32_t what = 0; what <= PROCLIFE_TIMES_FORK; what++)
		put_on(0, times_record(0, &init, what, 3, 2, 1));
	device->header->reap_source = PROCLIFE_REAP_NONE;
	device->header->exit_mark = 0;
	device->header->mm_marks = device->header->birth_marks = device->header->path_marks = UINT32_MAX;
	device->header->features |= PROCLIFE_HAS(PROCLIFE_BIRTH);
	print(from, "--events --history --duration 10ms", 0);
	print(from, "--summary --interval 4ms --history --duration 10ms", 0);
	print(from, "--status", 0);
	snprintf(third, sizeof(third), "--on o\377d.zombie>0s --history --duration 10ms --after 0 --save %s/s\xff", folder.base);
	print(from, third, 0);
	put_on(0, fork_record(0, &sleeper, &init));
	put_on(0, signal_record(0, &sleeper, SIGKILL, &init));
	print(from, "--dying", 0);
	sleeper_end(&sleeper);
	check("cover", files, true);
}

/* schema.py finds errors, and returns them as its status. */
static void test_bad_lines(void **state)
{
	static const char *const bad[] = {
		"{\"v\":1,\"type\":\"ring\",\"cpu\":0,\"commit\":1}\n",
		"{\"v\":1,\"type\":\"ring\",\"cpu\":0,\"commit\":1,\"reserve\":1,\"more\":1}\n",
		"{\"v\":1,\"type\":\"ring\",\"cpu\":0,\"commit\":1,\"reserve\":\"1\"}\n",
		"{\"v\":1,\"type\":\"ring\",\"cpu\":0,\"commit\":1,\"reserve\":1,\"cpu\":0}\n",
		"{\"v\":1,\"type\":\"ring\",\"cpu\":0,\"commit\":1,\"reserve\":-1}\n",
		"{\"v\":1,\"type\":\"ring\",\"cpu\":0,\"commit\":NaN,\"reserve\":1}\n",
		"{\"v\":2,\"type\":\"ring\",\"cpu\":0,\"commit\":1,\"reserve\":1}\n",
		"{\"v\":1,\"type\":\"rings\",\"cpu\":0,\"commit\":1,\"reserve\":1}\n",
		"{\"v\":1,\"type\":\"ring\",\"cpu\":0,\"commit\":1,\"reserve\":1}",
		"\n", "[]\n", "",
	};
	const char *good = "{\"v\":1,\"type\":\"ring\",\"cpu\":0,\"commit\":1,\"reserve\":1}\n";
	struct output line = { (char *)good, strlen(good), 0 };

	(void)state;
	keep(&line);
	check("lines", files, true);
	check("bad", files, false);
	/* One line of one type does not cover the schema. */
	check("cover", files, false);
	files[0] = '\0';
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		line = (struct output){ (char *)bad[i], strlen(bad[i]), 0 };
		keep(&line);
		if (!i)
			check("lines", files, false);
	}
	check("bad", files, true);
}

static void test_page(void **state)
{
	char page[PATH_MAX];

	(void)state;
	snprintf(page, sizeof(page), "%s/user/man/proclife-read-json.5", SOURCE);
	check("page", page, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all_views, begin, end),
		cmocka_unit_test_setup_teardown(test_bad_lines, begin, end),
		cmocka_unit_test_setup_teardown(test_page, begin, end),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
