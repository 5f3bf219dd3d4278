// SPDX-License-Identifier: GPL-2.0-only
/* Dying processes, by records and by a /proc that was written for the test. */
#include "proc_files.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_killed(void **state)
{
	struct who a = victim(200), t = thread(&a, 201), u = thread(&a, 202), v = thread(&a, 203);
	struct dying_list list;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	put_thread(&a, 'D', "io_schedule", 0, 0);
	put_thread(&t, 'S', "0", 0, 0);
	put_thread(&u, 'D', "io_schedule\n", 0, 0);
	put_thread(&v, 'Z', "0", 0, 0);
	expect_nobody(); /* it lives, and may go on */
	kill_at(20, &a);
	list = collect();
	assert_int_equal(list.count, 1);
	assert_int_equal(list.all->process->tgid, 200);
	assert_int_equal(list.all->since, 20);
	assert_non_null(list.all->sigkill);
	assert_int_equal(list.all->sigkill->tgid, shell.tgid);
	assert_int_equal(list.all->proc.found, PROC_THERE);
	assert_int_equal(list.all->proc.count, 3); /* one has ended */
	expect_thread(list.all, 0, 200, 'D', "io_schedule");
	expect_thread(list.all, 1, 202, 'D', "io_schedule");
	expect_thread(list.all, 2, 201, 'S', "");
	dying_free(&list);
}

/* Its parent is notified as the last thread becomes a zombie: the process is then a zombie, and not dying. */
static void test_zombie(void **state)
{
	struct who a = victim(200), b = victim(300);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	kill_at(20, &a);
	feed(tasks, exit_record(21, &a, SIGKILL, 0));
	put_thread(&a, 'Z', "0", EXITING, 0);
	put_status(&a, shell.tgid, 0);
	/* It has no SIGCHLD, and is reported all the same. */
	feed(tasks, fork_record(10, &b, &shell));
	feed(tasks, exit_record(21, &b, 0, 0));
	put_thread(&b, 'X', "0", EXITING, 0);
	expect_nobody();
}

/* A tracer is notified of the end first: the process is a zombie then, as in all views. */
static void test_held_by_a_tracer(void **state)
{
	struct who a = victim(200);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_record(21, &a, 0, 0));
	put_thread(&a, 'Z', "0", EXITING, 0);
	put_status(&a, shell.tgid, 301);
	expect_nobody();
}

/* The parent is not notified before the tracer of another thread, also a zombie, has waited for it. */
static void test_held_thread(void **state)
{
	struct who a = victim(200), t = thread(&a, 201);
	struct dying_list list;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exit_record(20, &t, 0, 1));
	feed(tasks, exit_record(21, &a, 0, 0));
	put_thread(&a, 'Z', "0", EXITING, 0);
	put_thread(&t, 'Z', "0", EXITING, 0);
	expect_nobody(); /* it is about to release itself */
	put_file("Name:\tt\nPPid:\t100\nTracerPid:\t301\n", "%u/task/%u/status", a.tgid, t.pid);
	list = collect();
	assert_int_equal(list.count, 1);
	assert_int_equal(list.all->process->tgid, 200);
	assert_int_equal(list.all->proc.count, 0);
	assert_int_equal(list.all->proc.tracer, 301);
	dying_free(&list);
}

/* Process 1 of a namespace waits for all others there, and a zombie of these for its reaper. */
static void test_stuck_init(void **state)
{
	struct who first = victim(200), zombie = victim(300), other = victim(400), outside = victim(500);
	struct who *const all[] = { &first, &zombie, &other, &outside };
	const struct proclife_process *found;
	struct dying_list list;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct proclife_record record = fork_record(10 + i, all[i], &shell);

		record.fork.ns_pid = i + 1;
		record.fork.ns_inum = all[i] == &outside ? 0xeffffffc : 7;
		feed(tasks, record);
	}
	feed(tasks, exit_record(20, &zombie, 0, 0));
	feed(tasks, notify_record(21, &zombie, &shell));
	put_thread(&first, 'S', "do_wait", 0, 0);
	kill_at(22, &first);
	list = collect();
	assert_int_equal(list.count, 1);
	assert_null(dying_waits_for(&run, list.all, NULL)); /* its end has not reached that point */
	dying_free(&list);
	put_thread(&first, 'D', "zap_pid_ns_processes", EXITING, 0);
	list = collect();
	found = dying_waits_for(&run, list.all, NULL);
	assert_non_null(found);
	assert_int_equal(found->tgid, 300);
	found = dying_waits_for(&run, list.all, found);
	assert_non_null(found);
	assert_int_equal(found->tgid, 400);
	assert_null(dying_waits_for(&run, list.all, found));
	dying_free(&list);
	/* If /proc has no place, EXIT has it. */
	put_thread(&first, 'D', "0", EXITING, 0);
	feed(tasks, exit_record(30, &first, SIGKILL, 0));
	feed(tasks, reap_record(31, &zombie, &shell));
	list = collect();
	found = dying_waits_for(&run, list.all, NULL);
	assert_non_null(found);
	assert_int_equal(found->tgid, 400);
	dying_free(&list);
}

static void test_leader_exited(void **state)
{
	struct who a = victim(200), t = thread(&a, 201);
	struct dying_list list;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	feed(tasks, exit_record(20, &a, 0, 1));
	put_thread(&a, 'Z', "0", EXITING, 0);
	put_thread(&t, 'S', "pipe_read", 0, 0);
	list = collect();
	assert_int_equal(list.count, 1);
	assert_null(list.all->sigkill);
	assert_int_equal(list.all->since, 20);
	assert_int_equal(list.all->proc.count, 1);
	expect_thread(list.all, 0, 201, 'S', "pipe_read");
	dying_free(&list);
	/* Killed later, it has been dying since its leader's exit. */
	kill_at(30, &a);
	list = collect();
	assert_int_equal(list.all->since, 20);
	assert_int_equal(list.all->sigkill->ts, 30);
	dying_free(&list);
}

/* If EXIT comes before the teardown of the address space, that can take long. */
static void test_teardown(void **state)
{
	struct who a = victim(200);
	struct dying_list list;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exit_record(20, &a, 0, 0));
	put_thread(&a, 'D', "unmap_vmas", EXITING, 0);
	list = collect();
	assert_int_equal(list.count, 1);
	assert_int_equal(list.all->since, 20);
	dying_free(&list);
	/* Only its memory is left. */
	feed(tasks, reap_record(30, &a, &shell));
	expect_nobody();
}

/* /proc still shows what happened before the trace. */
static void test_unrecorded(void **state)
{
	struct who a = victim(200), b = victim(300), c = victim(400), d = victim(500);
	struct who t = thread(&c, 401), u = thread(&d, 501), e = victim(600);
	struct dying_list list;

	(void)state;
	feed(tasks, task_record(10, &a, &shell));
	feed(tasks, task_record(10, &b, &shell));
	feed(tasks, task_record(10, &c, &shell));
	feed(tasks, task_record(10, &d, &shell));
	put_thread(&a, 'D', "io_schedule", 0, KILLED);
	put_thread(&b, 'D', "io_schedule", EXITING, 0);
	/* The exec of one thread kills the others: the process is not dying. */
	put_thread(&c, 'D', "io_schedule", 0, KILLED);
	put_thread(&t, 'S', "0", 0, 0);
	put_thread(&d, 'Z', "0", EXITING, 0);
	put_thread(&u, 'S', "futex_wait", 0, 0);
	/* It began to exit, but does not have the flag yet: a tracer holds it. */
	feed(tasks, task_record(10, &e, &shell));
	put_thread(&e, 't', "ptrace_stop", 0, 0);
	e.flags = KILLED;
	put_status(&e, shell.tgid, 0);
	list = collect();
	assert_int_equal(list.count, 4);
	assert_true(list.all[3].proc.killed);
	assert_false(list.all[0].proc.killed);
	assert_int_equal(list.all[0].process->tgid, 200); /* the oldest task first */
	assert_int_equal(list.all[1].process->tgid, 300);
	assert_int_equal(list.all[2].process->tgid, 500);
	assert_int_equal(list.all[0].since, 0);
	assert_null(list.all[0].sigkill);
	dying_free(&list);
}

/* Its PID belongs to another process now, which is not taken for it. */
static void test_reused_pid(void **state)
{
	struct who a = victim(200), b = victim(200), c = victim(300);

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	kill_at(20, &a);
	b.start += TICK;
	put_thread(&b, 'R', "0", 0, 0);
	feed(tasks, fork_record(10, &c, &shell)); /* there is nothing of that PID */
	kill_at(20, &c);
	expect_nobody();
}

/* Waits until the process's status is read, and puts another process there. */
static void *replace(void *data)
{
	struct who other = *(const struct who *)data;
	char path[PATH_MAX + 32];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%u/status", folder.base, other.pid);
	file = fopen(path, "we");
	other.start += TICK;
	put_thread(&other, 'R', "0", 0, 0);
	fclose(file);
	return NULL;
}

static void test_reused_meanwhile(void **state)
{
	struct who a = victim(200);
	char path[PATH_MAX + 32];
	struct dying_list list;
	pthread_t thread;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	kill_at(20, &a);
	put_thread(&a, 'D', "io_schedule", 0, 0);
	list = collect();
	assert_int_equal(list.count, 1);
	dying_free(&list);
	snprintf(path, sizeof(path), "%s/200/status", folder.base);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pthread_create(&thread, NULL, replace, &a), 0);
	expect_nobody();
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* What cannot be read is not known; processes that are dying by the records are listed all the same. */
static void test_refused(void **state)
{
	struct who a = victim(200), b = victim(300), c = victim(400);
	struct dying_list list;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	kill_at(20, &a);
	put_file(NULL, "200/stat");
	feed(tasks, fork_record(11, &b, &shell));
	kill_at(21, &b);
	put_file("300 (victim) D 1 1 1 0 -1 0 0", "300/stat");
	feed(tasks, fork_record(12, &c, &shell));
	kill_at(22, &c);
	put_thread(&c, 'D', NULL, 0, 0); /* its wchan */
	list = collect();
	assert_int_equal(list.count, 3);
	assert_int_equal(list.all[0].proc.found, PROC_REFUSED);
	assert_int_equal(list.all[0].proc.count, 0);
	assert_int_equal(list.all[1].proc.found, PROC_REFUSED);
	assert_int_equal(list.all[2].proc.found, PROC_THERE);
	expect_thread(&list.all[2], 0, 400, 'D', "");
	dying_free(&list);
	/* The parent of this one has been notified: it is a zombie. */
	feed(tasks, exit_record(30, &a, SIGKILL, 0));
	feed(tasks, notify_record(31, &a, &shell));
	list = collect();
	assert_int_equal(list.count, 2);
	assert_int_equal(list.all[0].process->tgid, 300);
	dying_free(&list);
	/* A thread's files, too. */
	put_file("400 (victim", "400/task/400/stat");
	list = collect();
	expect_thread(&list.all[1], 0, 400, 0, "");
	dying_free(&list);
	/* So is this one, although the beginning of that can be lost. */
	feed_gap(tasks, 1, 32, 33);
	feed(tasks, notify_record(34, &b, &shell));
	list = collect();
	assert_int_equal(list.count, 1);
	assert_int_equal(list.all[0].process->tgid, 400);
	dying_free(&list);
}

/* A name that reads like the rest of stat, and files that no task has. */
static void test_hostile(void **state)
{
	static const char *const names[] = { ") R 1 (", "a) Z 1 1 1", ")", "", ") ) D", "x\\n) Z 0" };
	struct who a = victim(200);
	struct dying_list list;
	char long_wchan[4096];

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	kill_at(20, &a);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		a.comm = names[i];
		put_thread(&a, 'D', "io_schedule", 0, 0);
		list = collect();
		assert_int_equal(list.count, 1);
		expect_thread(list.all, 0, 200, 'D', "io_schedule");
		dying_free(&list);
	}
	memset(long_wchan, 'x', sizeof(long_wchan) - 1);
	long_wchan[sizeof(long_wchan) - 1] = '\0';
	put_thread(&a, 'D', long_wchan, 0, 0);
	put_file("", "200/task/none/stat");
	put_file("", "200/task/99999999999999999999/stat");
	put_file("", "200/task/-1/stat");
	put_file("", "200/task/20x/stat");
	list = collect();
	assert_int_equal(list.all->proc.count, 1);
	assert_int_equal(strlen(list.all->proc.threads->wchan), PROC_WCHAN_LEN - 1);
	dying_free(&list);
	put_thread(&a, 'D', "io\33[31m", 0, 0);
	list = collect();
	expect_thread(list.all, 0, 200, 'D', "");
	dying_free(&list);
	/* Neither a valid state nor a valid start. */
	put_file("200 (victim)", "200/stat");
	list = collect();
	assert_int_equal(list.all->proc.found, PROC_REFUSED);
	dying_free(&list);
	put_file("", "200/stat");
	list = collect();
	assert_int_equal(list.all->proc.found, PROC_REFUSED);
	dying_free(&list);
}

/* In another time namespace, /proc shows other starts. */
static void test_time_namespace(void **state)
{
	struct who a = victim(200), seen;
	struct dying_list list;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	kill_at(20, &a);
	seen = a;
	seen.start += 7000000000 - TICK / 2;
	put_thread(&seen, 'D', "io_schedule", 0, 0);
	expect_nobody();
	put_file("monotonic           3         0\nboottime            7         0\n",
		 "self/timens_offsets");
	list = collect();
	assert_int_equal(list.count, 1);
	dying_free(&list);
	put_file("monotonic           0         0\nboottime           -1 999999999\n",
		 "self/timens_offsets");
	expect_nobody();
}

/* Only the selected ones, the oldest first. */
static void test_selected(void **state)
{
	struct who a = victim(200), b = victim(300), c = victim(400);
	struct dying_list list;

	(void)state;
	assert_int_equal(proclife_tasks_select_pid(tasks, 200), 0);
	assert_int_equal(proclife_tasks_select_pid(tasks, 300), 0);
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, fork_record(11, &b, &shell));
	feed(tasks, fork_record(12, &c, &shell));
	kill_at(22, &a);
	kill_at(21, &b);
	kill_at(20, &c);
	put_thread(&a, 'D', "a", 0, 0);
	put_thread(&b, 'D', "b", 0, 0);
	put_thread(&c, 'D', "c", 0, 0);
	list = collect();
	assert_int_equal(list.count, 2);
	assert_int_equal(list.all[0].process->tgid, 300);
	assert_int_equal(list.all[1].process->tgid, 200);
	dying_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DYING(test_killed),
		DYING(test_zombie),
		DYING(test_held_by_a_tracer),
		DYING(test_held_thread),
		DYING(test_stuck_init),
		DYING(test_leader_exited),
		DYING(test_teardown),
		DYING(test_unrecorded),
		DYING(test_reused_pid),
		DYING(test_reused_meanwhile),
		DYING(test_refused),
		DYING(test_hostile),
		DYING(test_time_namespace),
		DYING(test_selected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
