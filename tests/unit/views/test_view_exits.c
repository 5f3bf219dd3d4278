// SPDX-License-Identifier: GPL-2.0-only
/* Views of exits that begin at EXITING, and of exits whose beginning was not seen. */
#include "story.h"
#include "fake_device.h"

#include <recording/ctf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct who init, make;

static int begin(void **state)
{
	int ret = story_setup_exiting(state);

	init = process_of_pid(1, "init");
	return ret;
}

#define VIEW(name) cmocka_unit_test_setup_teardown(name, begin, story_teardown)

#define SOLE (PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE)

static void exiting(uint64_t ms, const struct who *who, unsigned int flags, int32_t code)
{
	struct proclife_record r = record_of(0, PROCLIFE_EXITING, who);

	r.flags |= (uint16_t)flags;
	r.exiting.exit_code = code;
	story_at(ms);
	story_put(r);
}

static void ended(uint64_t ms, const struct who *who, const struct who *parent, int32_t code)
{
	story_at(ms);
	story_die(who, parent, code, MS, 100);
	story_bury(who, parent);
}

static struct who born(uint64_t ms, const struct who *parent, uint32_t pid, const char *comm)
{
	story_at(ms);
	return story_fork(parent, pid, comm);
}

/* Loses records of another CPU; the gap does not affect later records of this CPU. */
static void lose_some(uint64_t ms)
{
	story_at(ms);
	story_sync();
	for (uint32_t i = 0; i < STORY_RING + 5; i++)
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
}

static void expect(const char *options, const char *text)
{
	char line[3 * PATH_MAX];

	snprintf(line, sizeof(line), "%s -i %s --monotonic %s", program, folder.path, options);
	expect_output(false, 0, line, text);
}

/* Expects this part in the output. */
static void expect_part(const char *options, const char *part)
{
	struct output out = run_program(false, 0, "%s -i %s %s", program, folder.path, options);

	if (!strstr(out.text, part))
		fail_msg("%s:\n%s\nwithout\n%s", options, out.text, part);
	free(out.text);
}

static void expect_status(const char *options, int status)
{
	struct output out = run_program(false, 0, "%s -i %s %s", program, folder.path, options);

	if (out.status != status)
		fail_msg("%s: %d", options, out.status);
	free(out.text);
}

/* Expects make's figure, in ns, or null. */
static void expect_alone(const char *figure)
{
	char part[40];

	snprintf(part, sizeof(part), "\"alone\":%s,", figure);
	expect_part("--lives --sort alone --json --comm make", part);
}

static void expect_ms(unsigned int ms, unsigned int ns)
{
	char figure[20];

	snprintf(figure, sizeof(figure), "%u", ms * (unsigned int)MS + ns);
	expect_alone(figure);
}

/* They end in another order than they begin to: the beginnings count. */
static void test_alone_in_another_order(void **state)
{
	struct who a, b;

	(void)state;
	make = born(10, &init, 100, "make");
	a = born(20, &make, 101, "a");
	b = born(30, &make, 102, "b");
	exiting(40, &a, SOLE, 0);
	exiting(50, &b, SOLE, 0);
	ended(60, &b, &make, 0);
	ended(70, &a, &make, 0);
	exiting(90, &make, SOLE, 0);
	ended(95, &make, &init, 0);
	story_end();
	expect_ms(50, 0);
}

/* A process whose threads exit one by one is known to have ended only later, so figures in between are wrong. */
static void test_alone_one_by_one(void **state)
{
	struct who a, b;

	(void)state;
	make = born(10, &init, 100, "make");
	a = born(20, &make, 101, "a");
	exiting(40, &a, 0, 0);
	b = born(50, &make, 102, "b");
	ended(60, &a, &make, 0);
	exiting(70, &b, SOLE, 0);
	ended(75, &b, &make, 0);
	exiting(90, &make, SOLE, 0);
	ended(95, &make, &init, 0);
	story_end();
	expect_alone("null");
}

/* The same if another child ended meanwhile. */
static void test_alone_overtaken(void **state)
{
	struct who a, b;

	(void)state;
	make = born(10, &init, 100, "make");
	a = born(20, &make, 101, "a");
	b = born(30, &make, 102, "b");
	exiting(40, &a, 0, 0);
	exiting(50, &b, SOLE, 0);
	ended(60, &a, &make, 0);
	ended(75, &b, &make, 0);
	exiting(90, &make, SOLE, 0);
	ended(95, &make, &init, 0);
	story_end();
	expect_alone("null");
}

/* The same for a parent: a thread of it forked after the last EXITING that was seen... */
static void test_alone_forks_late(void **state)
{
	struct who a;

	(void)state;
	make = born(10, &init, 100, "make");
	exiting(40, &make, 0, 0);
	a = born(50, &make, 101, "a");
	exiting(55, &a, SOLE, 0);
	ended(56, &a, &make, 0);
	ended(60, &make, &init, 0);
	story_end();
	expect_alone("null");
}

/* The snapshot found it exiting: its status is known, the beginning of its exit is not. */
static void test_began_before(void **state)
{
	struct who sh = process_of_pid(50, "sh"), old = process_of_pid(60, "old"), thread;
	struct proclife_record r;

	(void)state;
	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &sh, &init));
	r = task_record(0, &old, &sh);
	r.flags |= PROCLIFE_F_EXITING;
	story_put(r);
	thread = thread_of(&old, 61);
	r = task_record(0, &thread, &sh);
	r.flags |= PROCLIFE_F_EXITING;
	story_put(r);
	story_at(5);
	story_put(exit_record(0, &thread, 3 << 8, 1));
	story_put(reap_record(0, &thread, &thread));
	story_put(free_record(0, &thread));
	ended(10, &old, &sh, 3 << 8);
	story_at(500);
	story_end();
	story_users(folder.path, "0 root\n1000 alice\n");
	expect("--lives",
	       "           TIME     PID    PPID USER          LIFE      CPU STATUS   COMMAND\n"
	       "              ?      60      50 alice            ?  1.00 ms 3        old  began to exit before\n"
	       "\n1 death; at the end 2 alive\n");
	/* No process that ended counts as living until the end. */
	expect_part("--tree --threads", "     60         ?   900 ms  100 KiB     `- old  status 3, 2 threads\n"
					"     61         ?   120 ns                 `- {old}\n");
	expect_part("--lives --json", "\"wait_status\":768,\"status\":3,");
	expect_part("--lives --json", "\"killed\":null,\"exited\":null,");
	expect_part("--tree --json", "\"wait_status\":768,\"status\":3,");
	expect_part("--lives --failed", "old  began to exit before\n\n1 of 1 death matched");
	expect_part("--summary", "\n1 process ended, 1 failed, 2 did not ");
	expect_status("--expect failed==0", 2);
	expect_status("--expect failed==1", 0);
}

/* It is not reaped until the end of the trace: it has ended all the same, with its status. */
static void test_began_before_and_zombie(void **state)
{
	struct who old = process_of_pid(60, "old");
	struct proclife_record r = task_record(0, &old, &init);

	(void)state;
	r.flags |= PROCLIFE_F_EXITING;
	story_put(r);
	story_at(10);
	story_die(&old, &init, 3 << 8, MS, 100);
	story_at(100);
	story_end();
	expect_status("--expect failed==1", 0);
	expect_part("--lives --failed", "old  began to exit before\n\n1 of 1 death matched");
	expect_part("--tree --json", "\"wait_status\":768,\"status\":3,");
	expect_part("--tree", "old  status 3");
}

/* After a gap, another thread can have begun before, or the EXIT itself be lost. */
static void test_behind_a_gap(void **state)
{
	struct who a, b;

	(void)state;
	a = born(10, &init, 100, "behind");
	b = born(11, &init, 101, "lost");
	lose_some(20);
	exiting(30, &a, PROCLIFE_F_GROUP_EXIT, 3 << 8);
	ended(40, &a, &init, 3 << 8);
	story_bury(&b, &init);
	story_end();
	expect_part("--lives", "behind  incomplete\n");
	expect_part("--lives", "lost  EXIT lost\n");
}

/* A gap can hide the notice to its parent, which is not blamed for the time until the reap. */
static void test_notified_in_a_gap(void **state)
{
	struct who a = born(10, &init, 100, "told"), b = born(11, &init, 101, "doubtful");
	struct output out;

	(void)state;
	exiting(12, &a, SOLE, 0);
	ended(13, &a, &init, 0);
	exiting(20, &b, SOLE, 0);
	story_at(30);
	story_put(exit_record(0, &b, 0, 0));
	lose_some(40);
	story_at(900);
	story_bury(&b, &init);
	story_end();
	expect_part("--latency", "  told (100) ");
	out = run_program(false, 0, "%s -i %s --latency", program, folder.path);
	if (strstr(out.text, "doubtful"))
		fail_msg("%s", out.text);
	free(out.text);
}

/* From the SIGTERM to the beginning of the exit, however long the exit takes. */
static void test_kill(void **state)
{
	struct who a, b;

	(void)state;
	a = born(10, &init, 100, "killed");
	b = born(11, &init, 101, "exits");
	story_at(20);
	story_put(signal_record(0, &a, SIGTERM, &init));
	exiting(25, &a, SOLE, SIGTERM);
	exiting(30, &b, SOLE, 0);
	ended(40, &a, &init, SIGTERM);
	ended(50, &b, &init, 0);
	story_end();
	expect_part("--lives --sort kill --json", "\"killed\":1020000000,\"exited\":1025000000,");
	expect_part("--lives --sort kill --json", "\"kill\":5000000,");
	expect_part("--lives --json --comm exits", "\"kill\":null,");
	expect_part("--lives --sort kill", " 5.00 ms killed ");
	expect_part("--lives --sort kill", "       ? exits");
	expect_part("--latency", "kill      signal>exit          1 ");
	expect_part("--latency", "\nExits begin where do_exit() begins: exit_free contains the teardown of the");
	/* As a consequence, life counts until the exit begins. */
	expect_part("--events=exit", "life 15.0 ms, ");
}

/* It blocked the signal: the kill begins only when it is unblocked. */
static void test_kill_blocked(void **state)
{
	struct proclife_record record;
	struct output out;
	struct who a;

	(void)state;
	a = born(10, &init, 100, "blocks");
	record = signal_record(0, &a, SIGTERM, &init);
	record.signal.blocked = 1;
	story_at(20);
	story_put(record);
	exiting(25, &a, SOLE, SIGTERM);
	ended(40, &a, &init, SIGTERM);
	story_end();
	for (unsigned int i = 0; i < 2; i++) {
		const char *options = i ? "--lives --sort kill --json" : "--lives --json";

		expect_part(options, "\"killed\":null,\"exited\":1025000000,");
		expect_part(options, "\"kill\":null,");
		expect_part(options, "\"killer\":{\"signal\":\"SIGTERM\",");
	}
	/* A phase that no process has gets no row. */
	expect_part("--latency --json", "\"phase\":\"kill\",\"count\":0,\"histogram\":[]}\n");
	out = run_program(false, 0, "%s -i %s --latency", program, folder.path);
	assert_null(strstr(out.text, "\nkill "));
	assert_non_null(strstr(out.text, "\nteardown "));
	free(out.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VIEW(test_alone_in_another_order),
		VIEW(test_alone_one_by_one),
		VIEW(test_alone_overtaken),
		VIEW(test_alone_forks_late),
		VIEW(test_began_before),
		VIEW(test_began_before_and_zombie),
		VIEW(test_behind_a_gap),
		VIEW(test_notified_in_a_gap),
		VIEW(test_kill),
		VIEW(test_kill_blocked),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
