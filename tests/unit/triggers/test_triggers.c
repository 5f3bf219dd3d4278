// SPDX-License-Identifier: GPL-2.0-only
/* What --on reports of a recording, to the last character, and when. */
#include "fires.h"
#include "marks.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A zombie that is never reaped is reported once, when it is old enough, and not at the end of the recording. */
static void test_zombie(void **state)
{
	struct who late = story_fork(&sh, 101, "late"), soon = story_fork(&sh, 102, "soon");

	(void)state;
	die(20, &late, &sh, 0, 0);
	die(30, &soon, &sh, 0, 0);
	story_at(80);
	story_bury(&soon, &sh);
	story_at(500);
	story_put(record_of(0, PROCLIFE_WAIT, &pid1));
	expect("--on zombie>100ms",
	       "1.120000002 zombie>100ms: late (101), zombie for 100 ms so far, parent sh (100)\n");
	expect("--on zombie>49ms",
	       "1.069000002 zombie>49ms: late (101), zombie for 49.0 ms so far, parent sh (100)\n"
	       "1.079000002 zombie>49ms: soon (102), zombie for 49.0 ms so far, parent sh (100)\n");
	expect("--on zombie>481ms", "");
	/* If it ends exactly when this is due, the condition held. */
	expect("--on zombie>=49999999ns --comm soon",
	       "1.080000000 zombie>=49999999ns: soon (102), zombie for 50.0 ms so far, parent sh (100)\n");
	expect("--on zombie>49999999ns --comm soon", "");
}

/* A snapshot has found the zombie: it has been one for longer than is known. */
static void test_found(void **state)
{
	struct who old = process_of_pid(60, "old");
	struct proclife_record r = task_record(0, &old, &pid1);

	(void)state;
	r.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	story_put(r);
	story_at(200);
	expect("--on zombie>=100ms --on life>10ms --on teardown>1ms",
	       "1.020000001 life>10ms: sh (100), life for 10.0 ms so far\n"
	       "1.110000001 zombie>=100ms: old (60), zombie for at least 100 ms so far, parent init (1)\n");
}

/* It is killed and goes on, tears down, and its parent is notified late: each is reported while it lasts. */
static void test_slow_death(void **state)
{
	struct who stuck = story_fork(&sh, 101, "stuck");

	(void)state;
	story_at(20);
	story_put(signal_record(0, &stuck, SIGTERM, &pid1));
	story_at(30);
	story_put(signal_record(0, &stuck, SIGKILL, &sh));
	die(90, &stuck, &sh, SIGKILL, 60);
	story_at(151);
	story_put(reap_record(0, &stuck, &sh));
	story_at(190);
	story_put(free_record(0, &stuck));
	story_at(500);
	expect("--on kill>50ms --on teardown>50ms --on zombie>100ms --on rcu_free>30ms --on exit_free>=99ms",
	       "1.080000001 kill>50ms: stuck (101), kill for 50.0 ms so far, signal from sh (100)\n"
	       "1.140000001 teardown>50ms: stuck (101), teardown for 50.0 ms so far\n"
	       "1.181000001 rcu_free>30ms: stuck (101), rcu_free for 30.0 ms so far\n"
	       "1.189000000 exit_free>=99ms: stuck (101), exit_free for 99.0 ms so far\n");
	expect("--on kill>60ms --on teardown>61ms --on rcu_free>39ms", "");
	/* A short phase can be reported only when it is over. */
	expect("--on kill<61ms --on teardown<=60000000ns --on rcu_free==39ms --on life<1ms",
	       "1.190000000 kill<61ms: stuck (101), kill for 60.0 ms, signal from sh (100)\n"
	       "1.190000000 rcu_free==39ms: stuck (101), rcu_free for 39.0 ms\n");
}

/* It has exited, and its parent is notified only later: until then it is no zombie. */
static void test_late_notice(void **state)
{
	struct who late = story_fork(&sh, 101, "late");
	struct proclife_record r = record_of(0, PROCLIFE_EXITING, &late);

	(void)state;
	r.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	story_at(20);
	story_put(r);
	r = exit_record(0, &late, 0, 0);
	r.exit.parent_tgid = sh.tgid;
	story_put(r);
	story_at(200);
	story_put(notify_record(0, &late, &sh));
	story_at(500);
	expect("--on zombie>50ms --on teardown>=50ms",
	       "1.070000000 teardown>=50ms: late (101), teardown for 50.0 ms so far\n"
	       "1.250000001 zombie>50ms: late (101), zombie for 50.0 ms so far, parent sh (100)\n");
}

/* Its tracer has been notified: its teardown is over, whatever its parent waits for. */
static void test_traced(void **state)
{
	struct who held = story_fork(&sh, 101, "held"), gdb = story_fork(&sh, 102, "gdb");
	struct proclife_record r = record_of(0, PROCLIFE_EXITING, &held);

	(void)state;
	r.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	story_at(20);
	story_put(r);
	r = exit_record(0, &held, 0, 0);
	r.exit.parent_tgid = sh.tgid;
	story_put(r);
	story_at(50);
	story_put(traced_record(0, &held, &gdb, &sh));
	story_at(500);
	expect("--on teardown>100ms --on zombie>100ms --on traced>100ms",
	       "1.150000001 traced>100ms: held (101), traced for 100 ms so far, by gdb (102), parent sh (100)\n");
}

/* The beginning of its exit is known only after all its threads have exited, one by one. */
static void test_known_late(void **state)
{
	struct who slow = story_fork(&sh, 101, "slow");

	(void)state;
	story_at(20);
	story_put(record_of(0, PROCLIFE_EXITING, &slow));
	story_at(200);
	story_die(&slow, &sh, 0, MS, 100);
	story_bury(&slow, &sh);
	expect("--on exit_free>50ms --on teardown>=50ms --on zombie>1us --on slow.life>100ms",
	       "1.200000000 teardown>=50ms: slow (101), teardown for 180 ms so far\n"
	       "1.200000000 exit_free>50ms: slow (101), exit_free for 180 ms so far\n");
}

/* Its exit began long before its EXIT: that is since when it goes on. */
static void test_stuck(void **state)
{
	struct who stuck = story_fork(&sh, 101, "stuck");
	struct proclife_record exiting = record_of(0, PROCLIFE_EXITING, &stuck);

	(void)state;
	exiting.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	story_at(20);
	story_put(exiting);
	story_at(200);
	expect("--on exit_free>50ms", "1.070000001 exit_free>50ms: stuck (101), exit_free for 50.0 ms so far\n");
}

static int begin_without_notify(void **state)
{
	uint64_t features = story_features;
	int ret;

	story_features &= ~PROCLIFE_HAS(PROCLIFE_NOTIFY);
	ret = story_setup(state);
	story_features = features;
	pid1 = process_of_pid(1, "init");
	story_put(task_record(0, &pid1, &pid1));
	story_at(10);
	sh = story_fork(&pid1, 100, "sh");
	return ret;
}

/* Without NOTIFY it is a zombie from its exit on. */
static void test_zombie_without_notify(void **state)
{
	struct who left = story_fork(&sh, 101, "left");
	struct proclife_record r = exit_record(0, &left, 0, 0);

	(void)state;
	r.exit.parent_tgid = sh.tgid;
	story_at(20);
	story_put(r);
	story_at(200);
	expect("--on zombie>50ms",
	       "1.070000001 zombie>50ms: left (101), zombie for 50.0 ms so far, parent sh (100)\n");
}

/* It gets the name only after the condition was due: then it is reported at once. */
static void test_renamed(void **state)
{
	struct who cc = story_fork(&sh, 101, "cc"), other;

	(void)state;
	other = story_fork(&sh, 102, "other");
	story_at(100);
	cc.comm = "cc1";
	story_put(exec_record(0, &cc, 101, "/bin/cc1"));
	story_at(120);
	other.comm = "cc1";
	story_put(rename_record(0, &other, "cc1"));
	story_at(130);
	expect("--on cc1.life>50ms --on cc1.life>115ms",
	       "1.100000000 cc1.life>50ms: cc1 (101), life for 90.0 ms so far\n"
	       "1.120000000 cc1.life>50ms: cc1 (102), life for 110 ms so far\n"
	       "1.125000002 cc1.life>115ms: cc1 (101), life for 115 ms so far\n"
	       "1.125000003 cc1.life>115ms: cc1 (102), life for 115 ms so far\n");
}

/* There is nothing to unmap, or its own exit goes on: no unmap is in progress. */
static void test_unmapped(void **state)
{
	struct who own = story_fork(&sh, 101, "own"), empty = story_fork(&sh, 102, "empty");
	struct proclife_record r;

	(void)state;
	story_at(20);
	for (int i = 0; i < 2; i++) {
		const struct who *who = i ? &empty : &own;

		r = record_of(0, PROCLIFE_EXITING, who);
		r.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
		r.exiting.mm = mm_record(0, who, PROCLIFE_MM_TEARDOWN, who).mm.mm;
		story_put(r);
		r = mm_record(0, who, PROCLIFE_MM_TEARDOWN, who);
		if (i)
			r.mm.rss_anon = r.mm.rss_file = r.mm.rss_shmem = r.mm.swap = 0;
		story_put(r);
	}
	story_at(100);
	story_die(&own, &sh, 0, MS, 100);
	story_at(500);
	expect("--on unmap>50ms --on unmap>100ms", "1.070000002 unmap>50ms: own (101), unmap for 50.0 ms so far\n");
}

/* With another signal than SIGKILL, the kill is known only after the signal has ended it. */
static void test_killed(void **state)
{
	struct who deaf = story_fork(&sh, 101, "deaf"), blocks = story_fork(&sh, 102, "blocks");
	struct proclife_record r;

	(void)state;
	story_at(20);
	story_put(signal_record(0, &deaf, SIGTERM, &sh));
	r = signal_record(0, &blocks, SIGTERM, &sh);
	r.signal.blocked = 1;
	story_put(r);
	die(90, &deaf, &sh, SIGTERM, 0);
	die(95, &blocks, &sh, SIGTERM, 0);
	expect("--on kill>50ms --on signal==TERM --on signal==KILL --on blocks.signal==any --on failed "
	       "--on status>0 --on status==0",
	       "1.090000000 kill>50ms: deaf (101), kill for 70.0 ms, signal from sh (100)\n"
	       "1.090000000 signal==TERM: deaf (101), killed by SIGTERM from sh (100), parent sh (100)\n"
	       "1.090000000 failed: deaf (101), killed by SIGTERM from sh (100), parent sh (100)\n"
	       "1.095000000 signal==TERM: blocks (102), killed by SIGTERM from sh (100), parent sh (100)\n"
	       "1.095000000 blocks.signal==any: blocks (102), killed by SIGTERM from sh (100), parent sh (100)\n"
	       "1.095000000 failed: blocks (102), killed by SIGTERM from sh (100), parent sh (100)\n");
}

static void test_status(void **state)
{
	static const char evil[] = "\x1b[31m\n\xff" "evil";
	struct who child;

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		child = story_fork(&sh, 101 + i, i == 3 ? evil : "child");
		die(20 + i, &child, &sh, (int32_t)(i == 3 ? 127 : i) << 8, 0);
		story_bury(&child, &sh);
	}
	expect("--on status==127 --on status>=2 --on failed --comm *evil",
	       "1.023000000 status==127: \\x1b[31m\\n\\xffevil (104), status 127, parent sh (100)\n"
	       "1.023000000 status>=2: \\x1b[31m\\n\\xffevil (104), status 127, parent sh (100)\n"
	       "1.023000000 failed: \\x1b[31m\\n\\xffevil (104), status 127, parent sh (100)\n");
	expect("--on status==0 --on child.status==1 --on chil.failed",
	       "1.020000000 status==0: child (101), status 0, parent sh (100)\n"
	       "1.021000000 child.status==1: child (102), status 1, parent sh (100)\n");
	/* After one, further matches are counted, and reported with the next and at the end. */
	expect("--on failed --on status<2 --calm 2ms",
	       "1.020000000 status<2: child (101), status 0, parent sh (100)\n"
	       "1.022000000 failed: child (103), status 2, parent sh (100); 2 before it not shown\n");
	expect("--on failed --count 2",
	       "1.021000000 failed: child (102), status 1, parent sh (100)\n"
	       "1.022000000 failed: child (103), status 2, parent sh (100)\n");
}

/* The memory outlives its process, and is reported under the process's name. */
static void test_memory(void **state)
{
	struct who big = story_fork(&sh, 101, "big");
	struct proclife_record r = record_of(0, PROCLIFE_EXITING, &big);

	(void)state;
	r.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	r.exiting.mm = big.task ^ 0xc000;
	story_at(20);
	r.exiting.mm = mm_record(0, &big, PROCLIFE_MM_LEFT, &big).mm.mm;
	story_put(r);
	story_mm(21, &big, PROCLIFE_MM_LEFT, &big);
	story_at(22);
	story_die(&big, &sh, 0, MS, 100);
	story_bury(&big, &sh);
	story_mm(100, &pid1, PROCLIFE_MM_TEARDOWN, &big);
	story_mm(300, &pid1, PROCLIFE_MM_GONE, &big);
	story_at(500);
	expect("--on held>50ms --on unmap>=150ms --on unmap>1s",
	       "1.071000001 held>50ms: big (101), held for 50.0 ms so far\n"
	       "1.250000000 unmap>=150ms: big (101), unmap for 150 ms so far\n");
	expect("--on held<1s --on unmap==200ms",
	       "1.300000000 held<1s: big (101), held for 79.0 ms\n"
	       "1.300000000 unmap==200ms: big (101), unmap for 200 ms\n");
}

/* The last thread to leave is known only when it has left; while it is a zombie, another process unmaps the memory. */
static void test_memory_of_threads(void **state)
{
	struct who big = story_fork(&sh, 101, "big"), thread = thread_of(&big, 102);
	const struct who *const tasks[] = { &big, &thread };

	(void)state;
	story_put(clone_record(0, &thread, &sh, &big));
	story_at(20);
	for (int i = 0; i < 2; i++) {
		struct proclife_record r = record_of(0, PROCLIFE_EXITING, tasks[i]);

		r.exiting.mm = mm_record(0, &big, PROCLIFE_MM_LEFT, &big).mm.mm;
		story_put(r);
	}
	for (int i = 0; i < 2; i++)
		story_mm(21 + i, tasks[i], PROCLIFE_MM_LEFT, &big);
	story_at(23);
	story_put(exit_record(0, &thread, 0, 0));
	story_put(reap_record(0, &thread, &thread));
	story_put(free_record(0, &thread));
	story_die(&big, &sh, 0, MS, 100);
	story_mm(100, &pid1, PROCLIFE_MM_TEARDOWN, &big);
	story_mm(300, &pid1, PROCLIFE_MM_GONE, &big);
	story_at(500);
	expect("--on held>50ms --on unmap>=150ms --on unmap>1s",
	       "1.072000001 held>50ms: big (101), held for 50.0 ms so far\n"
	       "1.250000000 unmap>=150ms: big (101), unmap for 150 ms so far\n");
}

/* Too many forks in some time; later ones are counted from 0 again. */
static void test_forks(void **state)
{
	struct who other = story_fork(&pid1, 200, "other");

	(void)state;
	for (uint32_t i = 0; i < 10; i++) {
		story_at(20 + 10 * i);
		story_fork(i % 3 ? &sh : &other, 300 + i, "child");
	}
	story_at(2000);
	story_fork(&other, 400, "child");
	expect("--on forks>4/s --on forks>=6/h --on child.forks>2/s",
	       "1.040000000 forks>4/s: init (1), 2 of 5 forks in 30.0 ms\n"
	       "1.040000000 child.forks>2/s: sh (100), 2 of 3 forks in 20.0 ms\n"
	       "1.050000000 forks>=6/h: init (1), 2 of 6 forks in 40.0 ms\n"
	       "1.070000000 child.forks>2/s: sh (100), 2 of 3 forks in 20.0 ms\n"
	       "1.090000000 forks>4/s: sh (100), 3 of 5 forks in 40.0 ms\n"
	       "1.100000000 child.forks>2/s: sh (100), 2 of 3 forks in 20.0 ms\n"
	       "1.110000000 forks>=6/h: sh (100), 4 of 6 forks in 50.0 ms\n");
}

/* Two processes had the same pid, one after the other: neither made most of them. */
static void test_reused(void **state)
{
	struct who first = story_fork(&pid1, 200, "first"), second;

	(void)state;
	story_at(20);
	story_fork(&first, 300, "child");
	story_fork(&first, 301, "child");
	story_die(&first, &pid1, 0, MS, 100);
	story_bury(&first, &pid1);
	second = story_fork(&sh, 200, "second");
	story_fork(&sh, 302, "child");
	story_fork(&sh, 303, "child");
	story_fork(&second, 304, "child");
	story_fork(&second, 305, "child");
	expect("--on forks>=9/s", "1.020000010 forks>=9/s: sh (100), 3 of 9 forks in 10.0 ms\n");
}

/* Another thread has begun the exit of the whole group: the kill is over, whatever the leader still does. */
static void test_ending(void **state)
{
	struct who leader = story_fork(&sh, 101, "leader"), thread = thread_of(&leader, 102);
	struct proclife_record r = record_of(0, PROCLIFE_EXITING, &thread);

	(void)state;
	story_put(clone_record(0, &thread, &sh, &leader));
	story_put(signal_record(0, &leader, SIGKILL, &sh));
	story_at(30);
	r.flags |= PROCLIFE_F_GROUP_EXIT;
	story_put(r);
	story_at(200);
	expect("--on kill>50ms --on kill>10ms --on leader.life>100ms",
	       "1.020000004 kill>10ms: leader (101), kill for 10.0 ms so far, signal from sh (100)\n");
}

/* The number that was not shown is reported with each, and at the end; --count counts what a view shows. */
static void test_counts(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 8; i++) {
		struct who child = story_fork(&sh, 101 + i, i ? "child" : "first");

		die(20 + i, &child, &sh, 1 << 8, 0);
		story_bury(&child, &sh);
	}
	story_end();
	story_users(folder.path, "1000 alice\n");
	expect("--on failed --calm 3ms",
	       "1.020000000 failed: first (101), status 1, parent sh (100)\n"
	       "1.023000000 failed: child (104), status 1, parent sh (100); 2 before it not shown\n"
	       "1.026000000 failed: child (107), status 1, parent sh (100); 2 before it not shown\n");
	expect_messages("--on failed --calm 3ms", "proclife-read: --calm: 5 of 8 matches of --on were not shown\n");
	/* The filter has matched. */
	expect_messages("--on failed --comm first", "");
	expect_messages("--on failed --comm last", "proclife-read: no process matched --comm last\n");
	expect("--on failed --on first.status==1 --lives --count 2",
	       "           TIME     PID    PPID USER          LIFE      CPU STATUS   COMMAND\n"
	       "    1.020000000     101     100 alice      10.0 ms  1.00 ms 1        first\n"
	       "1.020000000 failed: first (101), status 1, parent sh (100)\n"
	       "1.020000000 first.status==1: first (101), status 1, parent sh (100)\n"
	       "    1.021000000     102     100 alice      1.00 ms  1.00 ms 1        child\n"
	       "1.021000000 failed: child (102), status 1, parent sh (100)\n"
	       "\n2 deaths; at the end 2 alive, 1 dying\n");
}

/* Beside a view, each line comes when the condition holds. */
static void test_beside(void **state)
{
	struct who child = story_fork(&sh, 101, "child");

	(void)state;
	die(20, &child, &sh, 1 << 8, 0);
	story_bury(&child, &sh);
	story_end();
	story_users(folder.path, "1000 alice\n");
	expect("--on failed --lives",
	       "           TIME     PID    PPID USER          LIFE      CPU STATUS   COMMAND\n"
	       "    1.020000000     101     100 alice      10.0 ms  1.00 ms 1        child\n"
	       "1.020000000 failed: child (101), status 1, parent sh (100)\n"
	       "\n1 death; at the end 2 alive\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRIGGERS(test_zombie),
		TRIGGERS(test_found),
		TRIGGERS(test_slow_death),
		TRIGGERS(test_late_notice),
		TRIGGERS(test_traced), TRIGGERS(test_known_late), TRIGGERS(test_stuck),
		cmocka_unit_test_setup_teardown(test_zombie_without_notify, begin_without_notify, story_teardown),
		TRIGGERS(test_renamed),
		TRIGGERS(test_unmapped),
		TRIGGERS(test_killed),
		TRIGGERS(test_status),
		TRIGGERS(test_memory),
		TRIGGERS(test_memory_of_threads),
		TRIGGERS(test_forks),
		TRIGGERS(test_reused),
		TRIGGERS(test_ending),
		TRIGGERS(test_counts),
		TRIGGERS(test_beside),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
