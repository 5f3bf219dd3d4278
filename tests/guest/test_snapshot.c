// SPDX-License-Identifier: GPL-2.0-only
/* Compares the snapshot with /proc, and with the records around it. */
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
#include <time.h>
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
		.record_bytes = sizeof(*records),
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

/* A program that knows longer records than the module gets them as far apart, and 0 where nothing is. */
static void test_records_are_as_far_apart_as_asked_for(void **state)
{
	const uint32_t stride = sizeof(*records) + 72;
	struct proclife_snapshot snapshot = { .capacity = CAPACITY, .record_bytes = stride };
	const char zeros[72] = { 0 };
	unsigned int own = 0;
	char *longer = malloc(CAPACITY * stride);
	int fd = open(PROCLIFE_DEVICE, O_RDONLY | O_CLOEXEC);
	uint32_t i;

	(void)state;
	assert_non_null(longer);
	assert_true(fd >= 0);
	memset(longer, 0xee, CAPACITY * stride);
	snapshot.records = (uintptr_t)longer;
	assert_int_equal(ioctl(fd, PROCLIFE_IOC_SNAPSHOT, &snapshot), 0);
	assert_true(snapshot.count > 10);
	for (i = 0; i < snapshot.count; i++) {
		const struct proclife_record *r = (const void *)(longer + i * stride);

		assert_int_equal(r->type, PROCLIFE_TASK);
		own += r->pid == (uint32_t)getpid();
		assert_memory_equal((const char *)r + sizeof(*r), zeros, sizeof(zeros));
	}
	assert_int_equal(own, 1);
	assert_int_equal((unsigned char)longer[i * stride], 0xee);
	free(longer);
	close(fd);
}

/* A task in /proc. */
struct listed {
	int pid;
	int tgid;
	int parent;
	uint64_t start; /* ticks */
};

struct list {
	struct listed task[CAPACITY];
	unsigned int count;
};

/* Field n of a stat, counted from 1 as in proc(5); only for numbers behind the name. */
static uint64_t stat_field(const char *text, int n)
{
	const char *field = strrchr(text, ')') + 2;

	for (; n > 3; n--)
		field = strchr(field, ' ') + 1;
	return strtoull(field, NULL, 10);
}

/* Adds a task unless it is gone already. */
static void list_task(struct list *list, const char *tgid, const char *tid)
{
	char path[600], text[1024];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%s/task/%s/stat", tgid, tid);
	file = fopen(path, "r");
	if (!file)
		return;
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = '\0';
	if (!strchr(text, ')'))
		return;
	assert_true(list->count < CAPACITY);
	list->task[list->count++] = (struct listed){
		.pid = atoi(tid), .tgid = atoi(tgid),
		.parent = (int)stat_field(text, 4), .start = stat_field(text, 22),
	};
}

static void list_tasks(struct list *list)
{
	DIR *processes = opendir("/proc");
	struct dirent *process, *thread;

	assert_non_null(processes);
	list->count = 0;
	while ((process = readdir(processes))) {
		char path[300];
		DIR *threads;

		if (!atoi(process->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/task", process->d_name);
		threads = opendir(path);
		if (!threads)
			continue;
		while ((thread = readdir(threads)))
			if (atoi(thread->d_name))
				list_task(list, process->d_name, thread->d_name);
		closedir(threads);
	}
	closedir(processes);
}

static const struct listed *listed(const struct list *list, int pid, uint64_t start)
{
	unsigned int i;

	for (i = 0; i < list->count; i++)
		if (list->task[i].pid == pid && list->task[i].start == start)
			return &list->task[i];
	return NULL;
}

#define CROWD 60
#define CROWD_THREADS 3 /* of every fourth, besides its leader; every fifth is a zombie */

static void *pause_in_thread(void *data)
{
	(void)data;
	for (;;)
		pause();
	return NULL;
}

/* Returns the number of all their tasks. */
static unsigned int gather(pid_t crowd[CROWD])
{
	unsigned int i, k, tasks = 0;
	siginfo_t info;
	int ready[2];
	char c;

	assert_int_equal(pipe(ready), 0);
	for (i = 0; i < CROWD; i++) {
		bool zombie = i % 5 == 4, threads = !zombie && i % 4 == 3;
		pthread_t thread;

		crowd[i] = fork();
		assert_true(crowd[i] >= 0);
		if (!crowd[i]) {
			if (zombie)
				_exit(7);
			for (k = 0; threads && k < CROWD_THREADS; k++)
				if (pthread_create(&thread, NULL, pause_in_thread, NULL))
					_exit(1);
			if (write(ready[1], "", 1) != 1)
				_exit(1);
			pause_in_thread(NULL);
		}
		if (zombie)
			assert_int_equal(waitid(P_PID, (id_t)crowd[i], &info, WEXITED | WNOWAIT), 0);
		else
			assert_int_equal(read(ready[0], &c, 1), 1);
		tasks += 1 + (threads ? CROWD_THREADS : 0);
	}
	close(ready[0]);
	close(ready[1]);
	return tasks;
}

static void dismiss(const pid_t crowd[CROWD])
{
	unsigned int i;

	for (i = 0; i < CROWD; i++) {
		kill(crowd[i], SIGKILL);
		assert_int_equal(waitpid(crowd[i], NULL, 0), crowd[i]);
	}
}

/*
 * A task that is in /proc before and after the snapshot existed during it. Other tasks in it were born
 * while this test looked. For our own children the number of tasks is known.
 */
static void test_holds_every_task_of_proc(void **state)
{
	static struct list before, after;
	uint64_t tick = 1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK), began;
	unsigned int i, gathered, tasks = 0, zombies = 0, stayed = 0;
	pid_t crowd[CROWD];
	struct timespec ts;

	(void)state;
	gathered = gather(crowd);
	clock_gettime(CLOCK_BOOTTIME, &ts);
	began = ((uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec) / tick;
	list_tasks(&before);
	take_snapshot();
	list_tasks(&after);
	dismiss(crowd);

	for (i = 0; i < before.count; i++) {
		const struct listed *a = &before.task[i], *b = listed(&after, a->pid, a->start);
		const struct proclife_record *r = find_pid((uint32_t)a->pid);

		if (!b)
			continue;
		stayed++;
		if (!r)
			print_error("%d of %d is missing\n", a->pid, a->tgid);
		assert_non_null(r);
		assert_int_equal(r->type, PROCLIFE_TASK);
		assert_int_equal(r->tgid, a->tgid);
		assert_int_equal(r->start / tick, a->start);
		if (r->pid == r->tgid && a->parent == b->parent)
			assert_int_equal(r->state.parent_tgid, a->parent);
	}
	for (i = 0; i < count; i++) {
		const struct proclife_record *r = &records[i];

		if (!listed(&before, (int)r->pid, r->start / tick))
			assert_true(r->start / tick >= began);
	}
	for (i = 0; i < CROWD; i++) {
		unsigned int k;

		for (k = 0; k < count; k++) {
			tasks += records[k].tgid == (uint32_t)crowd[i];
			zombies += records[k].tgid == (uint32_t)crowd[i] &&
				   records[k].flags & PROCLIFE_F_ZOMBIE;
		}
	}
	assert_int_equal(tasks, gathered);
	assert_int_equal(zombies, CROWD / 5);
	assert_true(stayed >= gathered + 20);
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

static void *wait_for_signal(void *arg)
{
	pause();
	return arg;
}

/* The leader ends with a status of its own, which wait(2) does not return. */
static void test_a_zombie_has_the_code_of_its_group(void **state)
{
	const struct proclife_record *r;
	siginfo_t info;
	int pid = fork();

	(void)state;
	if (!pid) {
		pthread_t thread;

		signal(SIGTERM, SIG_DFL);
		pthread_create(&thread, NULL, wait_for_signal, NULL);
		syscall(SYS_exit, 3);
	}
	do {
		usleep(1000);
		take_snapshot();
		r = find_pid(pid);
		assert_non_null(r);
	} while (!(r->flags & PROCLIFE_F_ZOMBIE));
	assert_int_equal(r->state.exit_code, 3 << 8);
	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	take_snapshot();
	r = find_pid(pid);
	assert_non_null(r);
	assert_true(r->flags & PROCLIFE_F_GROUP_EXIT);
	assert_int_equal(r->state.exit_code, SIGTERM);
	waitpid(pid, NULL, 0);
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
	unsigned int orphans; /* forked in the stream by an unknown parent */
	uint64_t stranger; /* the last reap of a process that was neither forked in the stream nor in the snapshot */
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

/* A task that was reaped before the first record can leave only its FREE: it is no stranger. */
static void count_task(void *data, struct proclife_task *task)
{
	uint64_t end = task->marks.reaped ? task->marks.reaped : task->marks.exited;

	(void)data;
	if (!task->process->handle && end > lives.stranger)
		lives.stranger = end;
}

/* Attaching in the middle of a storm leaves no process unknown, a hundred times; on a slow machine, ten times. */
static void test_attaches_without_a_gap(void **state)
{
	const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = count_born,
		.process_gone = count_gone,
		.task_gone = count_task,
	};
	struct storm *storm = storm_start(4);
	time_t began = time(NULL);
	unsigned int i;

	(void)state;
	for (i = 0; i < 100 && (i < 10 || time(NULL) - began < 60); i++) {
		struct proclife_source *source;
		struct proclife_tasks *tasks;
		struct proclife_event event;
		uint64_t taken;
		int ret, n = 0;

		memset(&lives, 0, sizeof(lives));
		assert_int_equal(proclife_device_open(&source, NULL), 0);
		assert_int_equal(proclife_source_snapshot(source), 0);
		taken = proclife_source_now(source);
		assert_int_equal(proclife_tasks_new(&tasks, NULL), 0);
		assert_int_equal(proclife_tasks_report(tasks, &reports, NULL), 0);
		while (n < 600) {
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
		/* A process from before the positions are noted can be reaped before the walk reaches it. */
		assert_true(lives.stranger < taken);
		proclife_tasks_free(tasks);
		proclife_source_free(source);
	}
	storm_stop(storm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holds_every_task_of_proc),
		cmocka_unit_test(test_is_in_order_and_without_doubles),
		cmocka_unit_test(test_knows_parents_and_groups_by_handle),
		cmocka_unit_test(test_shows_a_zombie),
		cmocka_unit_test(test_a_zombie_has_the_code_of_its_group),
		cmocka_unit_test(test_shows_threads_in_their_group),
		cmocka_unit_test(test_attaches_without_a_gap),
		cmocka_unit_test(test_records_are_as_far_apart_as_asked_for),
	};

	return cmocka_run_group_tests(tests, load_fixture, unload_fixture);
}
