// SPDX-License-Identifier: GPL-2.0-only
/* The sentence on each of the slowest: the longest part of its end, and which process caused it. */
#include "check.h"
#include "fixture_text.h"

#include <views/share/rcu.h>
#include <views/latency/slowest.h>
#include <stdio.h>
#include <string.h>

#define MS 1000000
#define EXIT (1000 * MS)

/* The marks of a process, in ms after its exit; 0: not seen. */
static struct slow slow_of(unsigned int notified, unsigned int reaped, unsigned int freed)
{
	struct slow slow = {
		.life.marks.exited = EXIT,
		.life.marks.notified = notified ? EXIT + (uint64_t)notified * MS : 0,
		.life.marks.reaped = reaped ? EXIT + (uint64_t)reaped * MS : 0,
		.life.marks.freed = freed ? EXIT + (uint64_t)freed * MS : 0,
		.ended = EXIT + 5000ULL * MS,
		.life.state = freed	? PROCLIFE_IS_FREED :
			 reaped ? PROCLIFE_IS_UNFREED :
				  PROCLIFE_IS_ZOMBIE,
		.pid = 20,
		.life.tgid = 20,
		.life.threads = 1,
		.life.parent_tgid = 10,
		.real_parent_tgid = 10,
		.reaper_pid = reaped ? 10 : 0,
		.life.reaper_tgid = reaped ? 10 : 0,
		.free_cpu = 3,
		.life.comm = "cc",
		.life.reaper_named = true,
		.life.parent_id = 1,
		.life.parent_comm = "make",
	};

	if (reaped)
		strcpy(slow.life.reaper_comm, "make");
	return slow;
}

static void expect(const struct slow *slow, const char *rcu, const char *sentence)
{
	text_clear(&text);
	text_why(&text, slow, rcu);
	if (strcmp(text.s, sentence))
		fail_msg("'%s' instead of '%s'", text.s, sentence);
}

static void test_teardown(void **state)
{
	struct slow slow = slow_of(50, 60, 70);

	(void)state;
	expect(&slow, "", "teardown: its parent was notified 50.0 ms after its exit");
	slow.life.max_rss = 3 * 1024;
	expect(&slow, "", "teardown: its parent was notified 50.0 ms after its exit (RSS up to 3.00 MiB)");
	slow.tracer_lost = true;
	expect(&slow, "", "its parent was notified 50.0 ms after its exit; whether a tracer held it before that is "
			   "not known");
	/* The longest of the known parts is named. */
	slow = slow_of(50, 0, 70);
	expect(&slow, "", "teardown: its parent was notified 50.0 ms after its exit");
}

/* No parent was notified of it, so none can have reaped it. */
static void test_dying(void **state)
{
	struct slow slow = slow_of(0, 0, 0);

	(void)state;
	slow.life.state = PROCLIFE_IS_DYING;
	expect(&slow, "", "teardown: its parent has not been notified for 5.00 s");
	slow.life.memory.own = true;
	slow.life.memory.teardown = EXIT + 1 * MS;
	slow.life.memory.gone = EXIT + 1000 * MS;
	expect(&slow, "", "teardown: its parent has not been notified for 5.00 s, "
	       "4.00 s of that after it had let its memory go; 0 KiB unmapped in 999 ms");
	slow.ended = EXIT;
	slow.life.memory = (struct proclife_memory){ 0 };
	expect(&slow, "", "teardown: its parent has not been notified for 0 ns");
}

static void test_zombie(void **state)
{
	struct slow slow = slow_of(10, 90, 100);

	(void)state;
	expect(&slow, "",
	       "make (10) reaped it 80.0 ms after it was notified; whether it was in wait() is not known");
	slow.reaper_waited = EXIT + 10 * MS;
	expect(&slow, "", "make (10) was in wait(), but took 80.0 ms to wake up and reap");
	slow.reaper_waited = EXIT - 10 * MS;
	expect(&slow, "", "make (10) was in wait(), but took 80.0 ms to wake up and reap");
	slow.reaper_waited = EXIT + 85 * MS;
	expect(&slow, "", "make (10) was not in wait(): it came 75.0 ms later");
	slow.reaper_waited = EXIT + 40 * MS;
	expect(&slow, "",
	       "make (10) was not in wait(): it came 30.0 ms later, and took another 50.0 ms");
	/* The time of its parent's notification is not known. */
	slow.life.marks.notified = 0;
	expect(&slow, "",
	       "make (10) reaped it 90.0 ms after the exit; whether it was in wait() is not known");
	slow.reaper_waited = 0;
	expect(&slow, "",
	       "make (10) reaped it 90.0 ms after the exit; whether it was in wait() is not known");
}

static void test_adopted(void **state)
{
	struct slow slow = slow_of(10, 90, 100);

	(void)state;
	slow.real_parent_tgid = 1;
	slow.reaper_pid = 1;
	slow.life.reaper_tgid = 1;
	strcpy(slow.life.reaper_comm, "init");
	slow.reaper_waited = EXIT + 89 * MS;
	expect(&slow, "", "its parent make (10) had exited: init (1) was not in wait(): it came 79.0 ms later");
	slow = slow_of(10, 0, 0);
	slow.real_parent_tgid = 1;
	expect(&slow, "", "its parent make (10) had exited: (1) has not reaped it for 4.99 s");
	/* A process that reaps has not exited, whatever else was recorded. */
	slow = slow_of(10, 90, 100);
	slow.real_parent_tgid = 1;
	slow.reaper_waited = EXIT + 85 * MS;
	expect(&slow, "", "make (10) was not in wait(): it came 75.0 ms later");
}

/* Its adopter could not reap it before its parent had exited: that is no delay by the adopter. */
static void test_left(void **state)
{
	struct slow slow = slow_of(10, 90, 100);

	(void)state;
	slow.life.reaper_tgid = slow.reaper_pid = 1;
	strcpy(slow.life.reaper_comm, "init");
	slow.reaper_waited = EXIT - 10 * MS;
	expect(&slow, "", "its parent make (10) did not reap it: init (1) did, 80.0 ms after the parent was notified");
	slow.life.marks.notified = 0;
	expect(&slow, "", "its parent make (10) did not reap it: init (1) did, 90.0 ms after the exit");
	slow.life.parent_id = 0;
	expect(&slow, "", "its parent (10) did not reap it: init (1) did, 90.0 ms after the exit");
	slow.real_parent_tgid = 7;
	slow.life.parent_tgid = 0;
	expect(&slow, "", "its parent (7) did not reap it: init (1) did, 90.0 ms after the exit");
}

/* Marks in an order that no kernel makes: no part is longer than the whole. */
static void test_tampered(void **state)
{
	struct slow slow = slow_of(10, 90, 100);

	(void)state;
	slow.life.marks.notified = EXIT + 95 * MS;
	expect(&slow, "", "teardown: its parent was notified 95.0 ms after its exit");
	slow.life.marks.notified = EXIT - 10 * MS;
	slow.life.marks.reaped = EXIT - 20 * MS;
	text_clear(&text);
	text_why(&text, &slow, "");
	assert_null(strstr(text.s, " h"));
	slow = slow_of(10, 90, 100);
	slow.life.memory = (struct proclife_memory){ .left = EXIT - 50 * MS, .teardown = EXIT - 20 * MS,
						 .rss_anon = UINT64_MAX, .rss_file = 5, .gone = EXIT + 70 * MS };
	text_clear(&text);
	text_why(&text, &slow, "");
	assert_non_null(strstr(text.s, "; its memory was let go last 0 ns after its exit; 17179869184 TiB "));
}

static void test_open_zombie(void **state)
{
	struct slow slow = slow_of(10, 0, 0);

	(void)state;
	expect(&slow, "", "make (10) has not reaped it for 4.99 s");
	slow.life.marks.notified = 0;
	expect(&slow, "", "make (10) has not reaped it for 5.00 s");
	slow.life.parent_id = 0;
	expect(&slow, "", "its parent (10) has not reaped it for 5.00 s");
	slow.life.parent_id = 1;
	memcpy(slow.life.parent_comm, "m\033\n", 4);
	expect(&slow, "", "m\\x1b\\n (10) has not reaped it for 5.00 s");
	/* If REAPs are not recorded, or if one may have been lost, no process is to blame. */
	slow.life.state = PROCLIFE_IS_UNFREED;
	expect(&slow, "", "not freed 5.00 s after the exit; whether it was reaped was not seen");
	slow.life.state = PROCLIFE_IS_UNKNOWN;
	expect(&slow, "", "not freed 5.00 s after the exit; whether it was reaped was not seen");
}

static void test_rcu(void **state)
{
	struct slow slow = slow_of(10, 20, 100);

	(void)state;
	expect(&slow, "", "RCU: freed 80.0 ms after the reap on CPU 3");
	expect(&slow, "nocb=0-2", "RCU: freed 80.0 ms after the reap on CPU 3");
	expect(&slow, "nocb=0-3", "RCU: freed 80.0 ms after the reap on CPU 3 (nocb)");
	expect(&slow, "nocb=all lazy", "RCU: freed 80.0 ms after the reap on CPU 3 (nocb, lazy)");
	expect(&slow, "nocb=1 lazy", "RCU: freed 80.0 ms after the reap on CPU 3");
	slow.life.marks.freed = 0;
	expect(&slow, "nocb=all lazy", "RCU: reaped 4.98 s ago, and not freed yet");
}

/* If the module records no REAP, no process is to blame. */
static void test_no_reap(void **state)
{
	struct slow slow = slow_of(10, 0, 100);

	(void)state;
	expect(&slow, "", "freed 90.0 ms after its parent was notified; when it was reaped was not seen");
	slow.life.marks.notified = 0;
	expect(&slow, "", "freed 100 ms after the exit; when it was reaped was not seen");
	slow.ended = 0; /* it was gone before the trace ended */
	expect(&slow, "", "freed 100 ms after the exit; when it was reaped was not seen");
}

/* The name of the thread that did it is not its process's name. */
static void test_by_a_thread(void **state)
{
	struct slow slow = slow_of(5, 90, 95);

	(void)state;
	slow.life.reaper_named = false;
	expect(&slow, "", "thread make of (10) reaped it 85.0 ms after it was notified; whether it was in wait() is not "
			   "known");
}

static void test_itself(void **state)
{
	struct slow slow = slow_of(0, 60, 70);

	(void)state;
	slow.reaper_pid = 20;
	slow.life.reaper_tgid = 20;
	strcpy(slow.life.reaper_comm, "cc");
	slow.life.autoreaped = PROCLIFE_AUTOREAP_IGNORED;
	expect(&slow, "",
	       "it was released 60.0 ms after its exit, by itself: make (10) ignores SIGCHLD");
	slow.life.autoreaped = PROCLIFE_AUTOREAP_NOCLDWAIT;
	expect(&slow, "",
	       "it was released 60.0 ms after its exit, by itself: make (10) has SA_NOCLDWAIT");
	slow.life.autoreaped = PROCLIFE_AUTOREAP_CLONE;
	expect(&slow, "",
	       "it was released 60.0 ms after its exit, by itself: it was made with CLONE_AUTOREAP");
	slow.life.autoreaped = PROCLIFE_AUTOREAP_UNKNOWN;
	expect(&slow, "",
	       "it was released 60.0 ms after its exit, by itself: nobody had to reap it, why is not known");
	/* A process that was adopted. */
	slow.life.autoreaped = PROCLIFE_AUTOREAP_IGNORED;
	slow.reaper_pid = slow.life.reaper_tgid = 10;
	strcpy(slow.life.reaper_comm, "make");
	slow.notified_tgid = 30;
	expect(&slow, "", "it was released 60.0 ms after its exit, by make (10): (30) ignores SIGCHLD");
	strcpy(slow.notified_comm, "sub");
	slow.notified_known = true;
	expect(&slow, "", "it was released 60.0 ms after its exit, by make (10): sub (30) ignores SIGCHLD");
	slow.reaper_pid = slow.life.reaper_tgid = 20;
	slow.notified_tgid = 0;
	slow.ended_with_parent = true;
	expect(&slow, "", "it was released 60.0 ms after its exit, by itself: make (10), the init of its pid namespace, "
			   "was ending");
	slow.pid = 21;
	slow.is_thread = true;
	expect(&slow, "", "it was released 60.0 ms after its exit");
}

static void test_leader(void **state)
{
	struct slow slow = slow_of(0, 90, 100);

	(void)state;
	/* As a thread: it waited for the others. */
	slow.is_thread = true;
	slow.reaper_waited = EXIT + 1;
	slow.group_exited = EXIT + 50 * MS;
	expect(&slow, "", "the leader exited 50.0 ms before its last thread");
	slow.group_exited = EXIT + 49 * MS;
	expect(&slow, "",
	       "make (10) was not in wait(): it came 1 ns later, and took another 90.0 ms");
	/* As a process, whose end begins with the last thread's exit. */
	slow = slow_of(10, 20, 100);
	slow.life.threads = 2;
	slow.leader_exited = EXIT - 200 * MS;
	expect(&slow, "", "RCU: freed 80.0 ms after the reap on CPU 3; its leader had exited 200 ms "
			   "before its last thread");
	slow.leader_exited = EXIT - 100 * MS;
	expect(&slow, "", "RCU: freed 80.0 ms after the reap on CPU 3");
	/* It ended as a whole before its leader did. */
	slow.leader_exited = EXIT + MS;
	expect(&slow, "", "RCU: freed 80.0 ms after the reap on CPU 3");
	slow.leader_exited = EXIT - 200 * MS;
	slow.life.threads = 1;
	expect(&slow, "", "RCU: freed 80.0 ms after the reap on CPU 3");
}

static void test_lists(void **state)
{
	static const struct {
		const char *words;
		unsigned int cpu;
		bool nocb;
		bool lazy;
	} cases[] = {
		{ "", 0, false, false },
		{ "lazy", 0, false, false },
		{ "nocb=0", 0, true, false },
		{ "nocb=0", 1, false, false },
		{ "nocb=1", 11, false, false },
		{ "nocb=0-3,8", 3, true, false },
		{ "nocb=0-3,8", 4, false, false },
		{ "nocb=0-3,8 lazy", 8, true, true },
		{ "nocb=0-3,8 lazy", 9, false, false },
		{ "nocb=2-N lazy", 1, false, false },
		{ "nocb=2-N lazy", 500, true, true },
		{ "nocb=2-N,0 lazy", 0, true, true },
		{ "nocb=2-N,0 lazy", 1, false, false },
		{ "nocb=0-7:1/2", 2, false, false },
		{ "nocb=5,0-7:1/2", 5, true, false },
		{ "nocb=all", 7, true, false },
		{ "nocb=all lazy", 7, true, true },
		{ "nocb=", 0, false, false },
		{ "nocb=x", 0, false, false },
		{ "nocb=1,x,3", 3, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool nocb = !cases[i].nocb, lazy = !cases[i].lazy;

		rcu_of_cpu(cases[i].words, cases[i].cpu, &nocb, &lazy);
		if (nocb != cases[i].nocb || lazy != cases[i].lazy)
			fail_msg("'%s', CPU %u: %d %d", cases[i].words, cases[i].cpu, nocb, lazy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_teardown, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_dying, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_zombie, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_adopted, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_left, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_tampered, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_open_zombie, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_rcu, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_no_reap, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_itself, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_by_a_thread, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_leader, begin_text, end_text),
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
