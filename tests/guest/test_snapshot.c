// SPDX-License-Identifier: GPL-2.0-only
/* The snapshot against what /proc says, and against the records around it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "module.h"

#define CAPACITY 4096

static struct proclife_record records[CAPACITY];
static uint32_t count;

static void take_snapshot(void)
{
	struct proclife_snapshot snapshot = {
		.records = (uintptr_t)records,
		.capacity = CAPACITY,
	};
	int fd = open(PROCLIFE_DEVICE, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ioctl(fd, PROCLIFE_IOC_SNAPSHOT, &snapshot), 0);
	count = snapshot.count;
	close(fd);
}

static const struct proclife_record *find_pid(uint32_t pid)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (records[i].pid == pid)
			return &records[i];
	return NULL;
}

/* Field n of /proc/PID/stat, counted from 1 as in proc(5); only numbers behind the name. */
static uint64_t stat_field(int pid, int n)
{
	char path[64], text[1024], *field;
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	assert_non_null(file);
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = '\0';
	field = strrchr(text, ')') + 2;
	for (; n > 3; n--)
		field = strchr(field, ' ') + 1;
	return strtoull(field, NULL, 10);
}

static void test_holds_every_task_of_proc(void **state)
{
	DIR *processes = opendir("/proc");
	struct dirent *process, *thread;
	long ticks = sysconf(_SC_CLK_TCK);
	unsigned int seen = 0;

	(void)state;
	take_snapshot();
	while ((process = readdir(processes))) {
		char path[300];
		DIR *threads;

		if (!atoi(process->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/task", process->d_name);
		threads = opendir(path);
		if (!threads)
			continue;
		while ((thread = readdir(threads))) {
			const struct proclife_record *r;
			int pid = atoi(thread->d_name);

			if (!pid)
				continue;
			r = find_pid(pid);
			if (!r) /* kernel threads come and go; nothing else does in this guest */
				continue;
			assert_int_equal(r->type, PROCLIFE_TASK);
			assert_int_equal(r->tgid, atoi(process->d_name));
			assert_int_equal(r->start / (1000000000 / ticks), stat_field(pid, 22));
			if (r->pid == r->tgid)
				assert_int_equal(r->state.parent_tgid, stat_field(pid, 4));
			seen++;
		}
		closedir(threads);
	}
	closedir(processes);
	assert_true(seen > 20);
	/* At most a few kernel threads apart. */
	assert_true(seen + 8 >= count && count + 8 >= seen);
}

static void test_is_in_order_and_without_doubles(void **state)
{
	uint32_t i, k;

	(void)state;
	take_snapshot();
	for (i = 0; i < count; i++) {
		if (i)
			assert_true(records[i - 1].ts <= records[i].ts);
		for (k = 0; k < i; k++)
			assert_true(records[k].task != records[i].task);
	}
}

static void test_knows_parents_and_groups_by_handle(void **state)
{
	const struct proclife_record *self, *parent;

	(void)state;
	take_snapshot();
	self = find_pid(getpid());
	parent = find_pid(getppid());
	assert_non_null(self);
	assert_non_null(parent);
	assert_true(self->state.parent == parent->task);
	assert_true(self->state.group != parent->state.group);
	assert_int_equal(self->state.uid, getuid());
	assert_int_equal(self->state.ns_pid, getpid());
	assert_string_equal(self->comm, "test_snapshot");
}

static void test_shows_a_zombie(void **state)
{
	const struct proclife_record *r;
	siginfo_t info;
	int pid = fork();

	(void)state;
	if (!pid)
		_exit(7);
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	take_snapshot();
	r = find_pid(pid);
	assert_non_null(r);
	assert_true(r->flags & PROCLIFE_F_ZOMBIE);
	assert_true(r->flags & PROCLIFE_F_EXITING);
	assert_int_equal(r->state.exit_code, 7 << 8);
	waitpid(pid, NULL, 0);
	take_snapshot();
	assert_null(find_pid(pid));
}

static void *sleep_in_thread(void *tid)
{
	*(volatile int *)tid = (int)syscall(SYS_gettid);
	pause();
	return NULL;
}

static void test_shows_threads_in_their_group(void **state)
{
	const struct proclife_record *r;
	volatile int tid = 0;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, sleep_in_thread, (void *)&tid), 0);
	while (!tid)
		usleep(1000);
	take_snapshot();
	r = find_pid(tid);
	assert_non_null(r);
	assert_true(r->flags & PROCLIFE_F_THREAD);
	assert_int_equal(r->tgid, getpid());
	assert_true(r->state.group == find_pid(getpid())->state.group);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

static struct {
	unsigned int born;
	unsigned int orphans; /* forked in the stream by nobody known */
	unsigned int strangers; /* not forked in the stream, not in the snapshot, yet alive after it */
} lives;

static void count_born(void *data, struct proclife_process *process,
		       struct proclife_process *parent, struct proclife_process *creator)
{
	(void)data;
	(void)parent;
	(void)creator;
	lives.born += process->marks.born != 0;
}

/* A parent that only the snapshot knows can come into the stream after its child. */
static void count_gone(void *data, struct proclife_process *process)
{
	(void)data;
	lives.orphans += process->marks.born && !process->parent_id;
}

/* A task that was reaped before the snapshot is not in it; of that, only the FREE can come. */
static void count_task(void *data, struct proclife_task *task)
{
	(void)data;
	lives.strangers += !task->process->handle && (task->marks.exited || task->marks.reaped);
}

/* Attaching in the middle of a storm leaves nobody unknown, a hundred times. */
static void test_attaches_without_a_gap(void **state)
{
	const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = count_born,
		.process_gone = count_gone,
		.task_gone = count_task,
	};
	struct storm *storm = storm_start(4);
	unsigned int i, strangers = 0;

	(void)state;
	for (i = 0; i < 100; i++) {
		struct proclife_source *source;
		struct proclife_tasks *tasks;
		struct proclife_event event;
		int ret, n = 0;

		memset(&lives, 0, sizeof(lives));
		assert_int_equal(proclife_device_open(&source, NULL), 0);
		assert_int_equal(proclife_source_snapshot(source), 0);
		assert_int_equal(proclife_tasks_new(&tasks), 0);
		assert_int_equal(proclife_tasks_report(tasks, &reports, NULL), 0);
		while (n < 400) {
			ret = proclife_source_next(source, &event);
			assert_true(ret >= 0);
			if (!ret) {
				proclife_source_wait(source, 1000);
				continue;
			}
			assert_non_null(event.record);
			n += event.record->type != PROCLIFE_TASK;
			assert_true(proclife_tasks_feed(tasks, &event) >= 0);
		}
		assert_true(lives.born > 50);
		assert_int_equal(lives.orphans, 0);
		strangers += lives.strangers;
		proclife_tasks_free(tasks);
		proclife_source_free(source);
	}
	storm_stop(storm);
	/*
	 * Between the note of the positions and the snapshot, a task from before both can be
	 * reaped: that is rare, and recognised.
	 */
	assert_true(strangers < 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holds_every_task_of_proc),
		cmocka_unit_test(test_is_in_order_and_without_doubles),
		cmocka_unit_test(test_knows_parents_and_groups_by_handle),
		cmocka_unit_test(test_shows_a_zombie),
		cmocka_unit_test(test_shows_threads_in_their_group),
		cmocka_unit_test(test_attaches_without_a_gap),
	};

	return cmocka_run_group_tests(tests, load_fixture, unload_fixture);
}
